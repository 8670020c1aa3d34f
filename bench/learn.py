#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tessera's k-means and nearest neighbours beside scikit-learn's, in one process.

usage: bench/learn.py [LIBTESSERA.so] [REPETITIONS]     (build/libtessera.so, 3)

Both work on the same arrays with the same number of threads; repetitions are interleaved, and
medians and their ratios are printed (above 1: Tessera is faster). k-means: one k-means++ start
a seed, at most 100 iterations, no tolerance; costs are shown because the starts differ.
Neighbours: every sample among all, itself included; tsr_classify also takes the vote.
"""
import ctypes
import os
import statistics
import sys
import time
import warnings

try:
    import numpy
    import sklearn
    from sklearn.cluster import KMeans
    from sklearn.neighbors import NearestNeighbors
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    sys.exit(0)

SHAPES = ((20000, 50), (100000, 20))
POINTER = ctypes.c_void_p


class Options(ctypes.Structure):
    """tsr_cluster_options"""
    _fields_ = [(name, ctypes.c_int64) for name in
                ("clusters", "restarts", "iterations", "seed", "threads")] + [
                    ("unit_codes", ctypes.c_bool), ("held", POINTER)]


class Tessera:
    """The few functions that are measured."""

    def __init__(self, path):
        self.library = ctypes.CDLL(os.path.abspath(path))
        self.library.tsr_message.restype = ctypes.c_char_p
        self.library.tsr_matrix_free.argtypes = [POINTER]
        self.library.tsr_classify.argtypes = [POINTER] * 4 + [ctypes.c_int64] * 2

    def check(self, status):
        if status != 0:
            sys.exit(self.library.tsr_message().decode())

    def view(self, x):
        out = POINTER()
        kind = 0 if x.dtype == numpy.float64 else 1
        self.check(self.library.tsr_matrix_view_dense(
            ctypes.byref(out), x.ctypes.data_as(POINTER), ctypes.c_int64(x.shape[0]),
            ctypes.c_int64(x.shape[1]), ctypes.c_int64(x.shape[1]), kind))
        return out

    def cluster(self, view, count, clusters, seed):
        of, cost = numpy.zeros(count, numpy.int32), ctypes.c_double()
        options = Options(clusters, 1, 100, seed, 0, False, None)
        self.check(self.library.tsr_cluster(of.ctypes.data_as(POINTER), ctypes.byref(cost), view,
                                            ctypes.byref(options)))
        return cost.value

    def classify(self, view, count, neighbours):
        out, classes = numpy.zeros(count, numpy.int32), numpy.zeros(count, numpy.int32)
        self.check(self.library.tsr_classify(out.ctypes.data_as(POINTER), view,
                                             classes.ctypes.data_as(POINTER), view, neighbours,
                                             0))


def data(samples, features):
    """Thirty overlapping clusters."""
    random = numpy.random.default_rng(1)
    center = 2 * random.normal(size=(30, features))
    return center[random.integers(30, size=samples)] + random.normal(size=(samples, features))


def clock(work, *arguments):
    start = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - start, result


def show(title, taken):
    ours = statistics.median(taken["tessera"])
    print(title)
    for name, seconds in taken.items():
        middle = statistics.median(seconds)
        print(f"    {name:22} {middle:8.3f} s  ({min(seconds):.3f} .. {max(seconds):.3f})"
              + ("" if name == "tessera" else f"   / tessera = {middle / ours:.2f}"))
    sys.stdout.flush()


def compare_kmeans(tessera, x, clusters, repetitions):
    view, taken, costs = tessera.view(x), {}, {}
    for seed in range(repetitions):
        seconds, cost = clock(tessera.cluster, view, len(x), clusters, seed)
        taken.setdefault("tessera", []).append(seconds)
        costs.setdefault("tessera", []).append(cost)
        for algorithm in ("lloyd", "elkan"):
            name = "sklearn " + algorithm
            seconds, model = clock(KMeans(clusters, n_init=1, tol=0, max_iter=100,
                                          random_state=seed, algorithm=algorithm).fit, x)
            taken.setdefault(name, []).append(seconds)
            costs.setdefault(name, []).append(model.inertia_)
    tessera.library.tsr_matrix_free(view)
    cost = {name: statistics.mean(value) for name, value in costs.items()}
    show(f"k-means, {len(x)} x {x.shape[1]}, {clusters} clusters; mean cost "
         f"{cost['tessera']:.6g}, sklearn {cost['sklearn lloyd']:.6g}", taken)


def compare_neighbours(tessera, x, neighbours, repetitions):
    view, taken = tessera.view(x), {}
    for _ in range(repetitions):
        taken.setdefault("tessera", []).append(
            clock(tessera.classify, view, len(x), neighbours)[0])
        search = NearestNeighbors(n_neighbors=neighbours, algorithm="brute").fit(x)
        taken.setdefault("sklearn brute", []).append(clock(search.kneighbors, x)[0])
    tessera.library.tsr_matrix_free(view)
    show(f"{neighbours} nearest neighbours, {len(x)} x {x.shape[1]}, {x.dtype}", taken)


def product_speed(x, repetitions):
    """Flops of NumPy's product of a block with all, on one thread of BLAS."""
    block = x[:1024]
    seconds = min(clock(numpy.dot, block, x.T)[0] for _ in range(repetitions))
    return 2 * block.shape[0] * x.shape[0] * x.shape[1] / seconds


def compare_with_products(tessera, repetitions):
    """How near the search comes to the bare products: 784 features, as in MNIST."""
    for kind in (numpy.float64, numpy.float32):
        x = data(10000, 784).astype(kind)
        view = tessera.view(x)
        flops = product_speed(x, repetitions)
        seconds = min(clock(tessera.classify, view, len(x), 5)[0] for _ in range(repetitions))
        rate = 2 * len(x) ** 2 * x.shape[1] / seconds
        print(f"5 nearest neighbours, 10000 x 784, {x.dtype}: {rate / 1e9:.1f} GFlop/s on "
              f"{os.cpu_count()} processors; NumPy's product {flops / 1e9:.1f} GFlop/s")
        tessera.library.tsr_matrix_free(view)


def main(library="build/libtessera.so", repetitions="3"):
    if not os.path.exists(library):
        sys.exit(f"{library}: no such library; build it first, or name it")
    warnings.filterwarnings("ignore")
    print(f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, "
          f"{os.cpu_count()} processors")
    tessera, count = Tessera(library), int(repetitions)
    for shape in SHAPES:
        for clusters in (10, 50):
            compare_kmeans(tessera, data(*shape), clusters, 2 * count + 1)
    for shape in SHAPES:
        for kind in (numpy.float64, numpy.float32):
            for neighbours in (5, 10):
                large = shape[0] > 50000
                if not large or kind == numpy.float64:
                    compare_neighbours(tessera, data(*shape).astype(kind), neighbours,
                                       1 if large else count)
    compare_with_products(tessera, count)


if __name__ == "__main__":
    main(*sys.argv[1:])
