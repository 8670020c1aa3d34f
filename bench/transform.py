#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Codes of new samples beside scikit-learn's, one thread.

usage: bench/transform.py [--sparse X.npz] [TESSERA [ANOTHER]]     (build/tessera; another build, side by side)

All encode with the same basis, scikit-learn with its defaults (`cd`; `mu` under KL, at most 200 steps). The
program, as a user calls it: its time includes starting it, reading and writing. The library beside it
(libtessera.so, where the program lies): the call alone, as scikit-learn's. Shapes: generated faces, many short
samples, documents; and counts of one's own. Seconds of processor time, the least of several; the loss that
each ends at is computed by one function, relative to the lowest.
"""
import argparse
import ctypes
import os
import resource
import subprocess
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
try:
    import numpy
    from scipy import sparse
    from sklearn.decomposition import NMF
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    raise SystemExit(0)
from solver_data import divergence, faces, frobenius, news
from solver_tessera import LONG, POINTER, Tessera

warnings.filterwarnings("ignore")
REPEAT = 3


class Options(ctypes.Structure):
    """tsr_transform_options"""
    _fields_ = [("method", ctypes.c_int), ("iterations", LONG), ("tolerance", ctypes.c_double),
                ("threads", LONG), ("progress", POINTER)]


def mixtures(samples, features, seed, parts=10):
    random = numpy.random.default_rng(seed)
    basis = numpy.random.default_rng(99).gamma(0.5, size=(parts, features))
    out = random.gamma(0.3, size=(samples, parts)) @ basis
    return out + 0.1 * out.mean() * numpy.abs(random.normal(size=out.shape))


def save(path, x):
    """The path of x as a file that programs read."""
    if sparse.issparse(x):
        sparse.save_npz(path + ".npz", x, compressed=False)
        return path + ".npz"
    numpy.save(path + ".npy", x)
    return path + ".npy"


def least(run, repeat):
    """The least of several times, and the last result."""
    runs = [run() for _ in range(repeat)]
    return min(seconds for seconds, _ in runs), runs[-1][1]


def by_program(program, model, file, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "transform", model, file, "--quiet", "--threads", "1", "-o",
                    f"{folder}/codes.npy"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, numpy.load(f"{folder}/codes.npy")


def by_library(path, model, x):
    """A function that encodes x once, without reading anything."""
    tessera, kept, read = Tessera(path), [], POINTER()
    library = tessera.library
    library.tsr_transform_settings.restype = POINTER
    tessera.check(library.tsr_model_read(ctypes.byref(read), model.encode()))
    data, options = tessera.data(x, None, kept), Options()
    library.tsr_settings_default(POINTER(library.tsr_transform_settings()), ctypes.byref(options))
    options.threads = 1

    def run():
        codes = POINTER()
        start = time.process_time()
        tessera.check(library.tsr_model_transform(ctypes.byref(codes), read, data,
                                                  ctypes.byref(options)))
        seconds, out = time.process_time() - start, tessera.array(codes.value)
        library.tsr_matrix_free(codes)
        return seconds, out
    run.kept = kept
    return run


def by_peer(basis, x, kl):
    nmf = NMF(len(basis), init="random", solver="mu" if kl else "cd",
              beta_loss="kullback-leibler" if kl else "frobenius")
    nmf.components_, nmf.n_components_, nmf.n_features_in_ = basis, *basis.shape
    nmf._beta_loss = 1 if kl else 2
    start = time.process_time()
    codes = nmf.transform(x)
    return time.process_time() - start, codes


def fit(program, file, rank, kl, folder):
    """The model's file, and its basis."""
    model = f"{folder}/model.h5"
    subprocess.run([program, "fit", file, "--model", "nmf-kl" if kl else "nmf", "--rank", str(rank),
                    "--iterations", "30", "--threads", "1", "--quiet", "-o", model], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([program, "convert", f"{model}:basis", "--quiet", "-o", f"{folder}/basis.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    return model, numpy.load(f"{folder}/basis.npy").astype(float)


def measure(programs, old, x, rank, kl, folder):
    """Shows and gives who encoded, seconds and loss; the peer last."""
    model, basis = fit(programs[0], save(f"{folder}/old", old), rank, kl, folder)
    file, rows = save(f"{folder}/new", x), []
    for program in programs:
        rows.append((program, *least(lambda p=program: by_program(p, model, file, folder), REPEAT)))
        library = os.path.join(os.path.dirname(program), "libtessera.so")
        if os.path.exists(library):
            rows.append((library, *least(by_library(library, model, x), REPEAT)))
    large = x.shape[0] > 10000
    rows.append(("scikit-learn", *least(lambda: by_peer(basis, x, kl), 1 if large else REPEAT)))
    ends = [(divergence if kl else frobenius)(x, basis, codes) for _, _, codes in rows]
    for (name, seconds, _), end in zip(rows, ends):
        print(f"  {'kl' if kl else 'frobenius':10} {name:40} {seconds:8.4f} s"
              f"  {rows[-1][1] / seconds:6.1f} x   loss {100 * (end / min(ends) - 1):+.4f} %", flush=True)
    return [(name, seconds, end) for (name, seconds, _), end in zip(rows, ends)]


def shape(index):
    """Name, training samples, new samples, rank."""
    if index == 0:
        return "faces", faces(2000, 1024, 1), faces(1000, 1024, 2), 40
    if index == 1:
        return "short samples", mixtures(20000, 50, 1), mixtures(200000, 50, 2), 10
    documents = news(18774, 61188, 101)
    return "documents", documents, documents, 20


def shapes(own):
    """All of them, made one at a time."""
    yield from map(shape, range(3))
    if own is not None:
        x = sparse.load_npz(own).tocsr().astype(float)
        x.sort_indices()
        yield own, x, x, 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sparse", metavar="X.npz", help="counts of one's own, as scipy saves them")
    parser.add_argument("programs", nargs="*", default=["build/tessera"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, old, x, rank in shapes(asked.sparse):
            print(f"transform: {name}, {x.shape[0]} x {x.shape[1]}, rank {rank}, one thread")
            for kl in (False, True):
                measure(asked.programs, old, x, rank, kl, folder)


if __name__ == "__main__":
    main()
