#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Codes of new samples beside scikit-learn's, one thread.

usage: bench/transform.py [TESSERA [ANOTHER]]     (build/tessera; another build, side by side)

1,000 generated faces of 1024 pixels, basis of 40 parts fitted to 2,000 others. All encode with the same
basis; a program's time includes starting it and reading the files, scikit-learn's does not. The loss
that each ends at is computed by one function, relative to the lowest.
"""
import os
import subprocess
import sys
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
try:
    import numpy
    from sklearn.decomposition import NMF
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    sys.exit(0)
from solver_data import faces

warnings.filterwarnings("ignore")
SAMPLES, FEATURES, RANK, REPEAT = 1000, 1024, 40, 3


def loss(x, codes, basis, kl):
    y = codes @ basis
    if not kl:
        return ((x - y) ** 2).sum()
    seen = x > 0
    return (x[seen] * numpy.log(x[seen] / numpy.maximum(y[seen], 1e-300))).sum() - x.sum() + y.sum()


def timed(run):
    times = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        out = run()
        times.append(time.perf_counter() - start)
    return min(times), out


def encode(program, folder):
    subprocess.run([program, "transform", f"{folder}/model.h5", f"{folder}/new.npy", "--quiet",
                    "--threads", "1", "-o", f"{folder}/codes.npy"], check=True,
                   stdout=subprocess.DEVNULL)
    return numpy.load(f"{folder}/codes.npy")


def peer(basis, x, kl):
    nmf = NMF(RANK, init="random", max_iter=1000, tol=1e-4, solver="mu" if kl else "cd",
              beta_loss="kullback-leibler" if kl else "frobenius")
    nmf.components_, nmf.n_components_, nmf.n_features_in_ = basis, RANK, FEATURES
    nmf._beta_loss = 1 if kl else 2
    return nmf.transform(x)


def measure(programs, kl, folder):
    subprocess.run([programs[0], "fit", f"{folder}/old.npy", "--model", "nmf-kl" if kl else "nmf",
                    "--rank", str(RANK), "--iterations", "30", "--quiet", "-o",
                    f"{folder}/model.h5"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([programs[0], "convert", f"{folder}/model.h5:basis", "--quiet", "-o",
                    f"{folder}/basis.npy"], check=True, stdout=subprocess.DEVNULL)
    basis, x = numpy.load(f"{folder}/basis.npy"), numpy.load(f"{folder}/new.npy")
    rows = [(program, *timed(lambda p=program: encode(p, folder))) for program in programs]
    rows.append(("scikit-learn", *timed(lambda: peer(basis, x, kl))))
    ends = [loss(x, codes, basis, kl) for _, _, codes in rows]
    for (name, seconds, _), end in zip(rows, ends):
        print(f"  {'kl' if kl else 'frobenius':10} {name:40} {seconds:7.3f} s"
              f"   loss {100 * (end / min(ends) - 1):+.4f} %")


def main():
    programs = sys.argv[1:] or ["build/tessera"]
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(f"{folder}/old.npy", faces(2000, FEATURES, 1))
        numpy.save(f"{folder}/new.npy", faces(SAMPLES, FEATURES, 2))
        print(f"transform: {SAMPLES} x {FEATURES}, rank {RANK}, one thread, best of {REPEAT}")
        for kl in (False, True):
            measure(programs, kl, folder)


main()
