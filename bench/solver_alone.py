# SPDX-License-Identifier: BSD-2-Clause
"""Rows of bench/solver.py without a peer: products, models, concepts, graph, growth, memory."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy

import solver_data

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 3


def verdict(ratio, goal, most=False):
    if goal is None:
        return ""
    good = ratio <= goal if most else ratio >= goal
    return f"   goal {'<=' if most else '>='} {goal:.3g}: {'ok' if good else 'short'}"


def step(tessera, x, **settings):
    return tessera.fit(x, factors=False, tolerance=0, **{"iterations": 12, **settings}).step()


class Products:
    """gemm.c, built when needed: the speed of BLIS."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tessera-bench-")
        self.program = os.path.join(self.folder, "gemm")
        done = shutil.which("cc") and subprocess.run(
            ["cc", "-std=c11", "-D_GNU_SOURCE", "-O2", os.path.join(HERE, "gemm.c"), "-o",
             self.program, "-lblis"], capture_output=True).returncode == 0
        if not done:
            self.program = None
            print("gemm.c cannot be built: the speed of products is not known")

    def ask(self, *words, copies=1):
        """The answers of so many programs that run at once."""
        running = [subprocess.Popen([self.program, *map(str, words)], stdout=subprocess.PIPE,
                                    text=True) for _ in range(copies)]
        return [float(p.communicate()[0]) for p in running]

    def close(self):
        shutil.rmtree(self.folder)


def gemm(tessera, options):
    """An iteration on (a), one thread, beside its bare products at BLIS's speed. Frobenius: X F and
    X' G, 4 n m k flops, and both Gram matrices; KL also forms F G', half as much again."""
    products = Products()
    shape, x = solver_data.SHAPE["a"], solver_data.make("a", 1)
    for precision in ("double", "single") if products.program else ():
        y = x if precision == "double" else x.astype(numpy.float32)
        for loss, work in (("frobenius", 1.0), ("kl", 1.5)):
            bare, ours = [], []
            for _ in range(ROUNDS):
                bare.append(work * products.ask(precision, "iteration", *shape)[0])
                ours.append(step(tessera, y, loss=loss, rank=shape[2], threads=1,
                                 precision=precision))
            ours, bare = 1e3 * statistics.median(ours), 1e3 * statistics.median(bare)
            share = 100 * bare / ours
            print(f"products in an iteration, (a), {loss}, {precision}: {ours:.1f} ms, "
                  f"bare {bare:.1f} ms: {share:.0f} %" + verdict(share, 85), flush=True)
    products.close()


def some_classes(samples, classes, share, seed):
    """Classes of a share of the samples, -1 for the others."""
    random = numpy.random.default_rng(seed)
    out = random.integers(classes, size=samples)
    out[random.random(samples) > share] = -1
    return out


def models(tessera, options):
    """Iterations of other models over one of plain nmf, on (a): 40 classes, a tenth labelled."""
    samples, _, rank = solver_data.SHAPE["a"]
    x, classes = solver_data.make("a", 1), some_classes(samples, rank, 0.1, 1)
    goal = {"nmf": None, "gnmf": 1.15, "cdnmf": 1.15, "snmf": 1.15, "cnmf": 1.0}
    for threads in options.threads:
        taken = {name: [] for name in goal}
        for _ in range(ROUNDS):
            for name, seconds in taken.items():
                seconds.append(step(tessera, x, model=name, rank=rank, threads=threads,
                                    classes=classes))
        plain = statistics.median(taken["nmf"])
        for name, seconds in taken.items():
            ratio = statistics.median(seconds) / plain
            print(f"an iteration of {name:6} on (a), threads {threads}: "
                  f"{1e3 * ratio * plain:7.1f} ms, {ratio:5.2f} of nmf"
                  + verdict(ratio, goal[name], most=True), flush=True)


def concept(tessera, options):
    """Time in which the default solver reaches the objective of 5,000 multiplicative iterations
    of cf: Yale's faces when --yale names them, else generated ones in their number."""
    x, rank = solver_data.faces(165, 1024, 101), 15
    if options.yale:
        from scipy.io import loadmat
        x = loadmat(options.yale)["fea"].astype(float)
        x /= numpy.linalg.norm(x, axis=1, keepdims=True)
    shares, gains = [], []
    for seed in range(1, options.seeds + 1):
        settings = dict(model="cf", rank=rank, seed=seed, threads=1, tolerance=0, factors=False)
        slow = tessera.fit(x, solver="mu", iterations=5000, **settings)
        fast = tessera.fit(x, iterations=2000, **settings)
        met = numpy.flatnonzero(fast.objective <= slow.objective[-1])
        shares.append(fast.seconds[met[0]] / slow.seconds[-1] if len(met) else float("inf"))
        gains.append(fast.objective[-1] / slow.objective[-1])
    share = statistics.median(shares)
    print(f"cf, {len(x)} x {x.shape[1]}, rank {rank}, to the objective of 5,000 mu iterations "
          f"({slow.seconds[-1]:.1f} s): {share:.4f} of their time; after 2,000 iterations "
          f"{statistics.median(gains):.4f} of it" + verdict(share, 1 / 30, most=True), flush=True)


def graph(tessera, options):
    """The neighbour graph: a fit of gnmf less one of nmf, beside n^2 m multiply-adds at the speed
    of large single-precision products (distances are screened in single precision), on as many
    threads. Symmetry saves half of them, so that more than 100 % is possible."""
    samples, features, products = (15000 if options.quick else 60000), 784, Products()
    x = solver_data.faces(samples, features, 1)
    for threads in options.threads[-1:] if products.program else ():
        settings = dict(rank=10, iterations=1, factors=False, threads=threads)
        plain = tessera.fit(x, model="nmf", **settings).call
        taken = tessera.fit(x, model="gnmf", **settings).call - plain
        speed = sum(products.ask("single", "square", 2000, copies=threads))
        share = 2 * samples ** 2 * features / speed / taken
        print(f"neighbours of {samples} x {features}, {threads} threads: {taken:.1f} s, "
              f"{2e-9 * samples ** 2 * features / taken:.0f} GFlop/s, products {speed / 1e9:.0f}: "
              f"{100 * share:.0f} %" + verdict(100 * share, 70), flush=True)
    products.close()


def slope(sizes, values):
    return numpy.polyfit(numpy.log(sizes), numpy.log(values), 1)[0]


def growth(tessera, options):
    """Time of an iteration as samples, features and rank double three times."""
    base = {"n": 2000, "m": 576, "k": 10}
    for loss in ("frobenius", "kl"):
        for what in base:
            sizes = [base[what] << i for i in range(4)]
            taken = [[] for _ in sizes]
            for _ in range(ROUNDS):
                for seconds, size in zip(taken, sizes):
                    shape = {**base, what: size}
                    x = numpy.random.default_rng(1).random((shape["n"], shape["m"]))
                    seconds.append(step(tessera, x, loss=loss, rank=shape["k"], threads=1))
            taken = [statistics.median(seconds) for seconds in taken]
            found = slope(sizes, taken)
            print(f"growth of an iteration, {loss}, {what} = {sizes[0]} .. {sizes[-1]}: "
                  + " ".join(f"{1e3 * t:.2f}" for t in taken) + f" ms, slope {found:.2f}"
                  + verdict(found, 1.1, most=True), flush=True)


def status_bytes(name):
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def peak_beyond_data(library, samples, features, rank, threads):
    """In a process of its own: peak resident memory of a fit beyond what there was before."""
    from solver_tessera import Tessera
    tessera = Tessera(library)
    x = numpy.random.default_rng(1).random((samples, features))
    tessera.fit(x[:200].copy(), factors=False, rank=rank, iterations=2, threads=threads)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = status_bytes("VmRSS")
    tessera.fit(x, factors=False, rank=rank, iterations=3, threads=threads)
    return status_bytes("VmHWM") - before


def memory(tessera, options):
    """Peak memory of a fit beyond the data as the samples double: bytes a sample, over the bytes
    of a row of codes."""
    features, rank, threads = 512, 20, 2
    sizes, taken = [10000 << i for i in range(4)], []
    for samples in sizes:
        numbers = [options.library, samples, features, rank, threads]
        code = (f"import sys; sys.path.insert(0, {HERE!r}); import solver_alone; "
                f"print(solver_alone.peak_beyond_data(*{json.dumps(numbers)}))")
        taken.append(int(subprocess.run([sys.executable, "-c", code], capture_output=True,
                                        text=True, check=True).stdout))
    each = numpy.polyfit(sizes, taken, 1)[0] / (8 * rank)
    print(f"memory beyond the data, n = {sizes[0]} .. {sizes[-1]}, {features} features, "
          f"rank {rank}: " + " ".join(f"{t / 1e6:.1f}" for t in taken)
          + f" MB (data {8e-6 * sizes[0] * features:.0f} MB and up); a sample costs {each:.1f} rows "
          "of codes" + verdict(each, 4, most=True), flush=True)
