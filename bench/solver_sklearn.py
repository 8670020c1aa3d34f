# SPDX-License-Identifier: BSD-2-Clause
"""scikit-learn's NMF as a process that bench/solver.py talks to.

usage: solver_sklearn.py FOLDER frobenius|kl

FOLDER holds the data (x.npz or x.npy) and the start (start.npz). Each line of the input is a
number of iterations, which continue from where the last line ended: both of its solvers keep
nothing but their factors, so that the pieces follow the path of one long run. The answer is the
seconds of the call (of processor time when BENCH_BY_PROCESSOR is set); the factors so far are then
in FOLDER as basis.bin and codes.bin.
"""
import os
import sys
import time
import warnings

import numpy
from scipy import sparse
from sklearn.decomposition import non_negative_factorization

METHOD = {"frobenius": {"solver": "cd"},
          "kl": {"solver": "mu", "beta_loss": "kullback-leibler"}}


def main(folder, loss):
    warnings.filterwarnings("ignore")
    path = os.path.join(folder, "x.npz")
    x = sparse.load_npz(path) if os.path.exists(path) else numpy.load(path[:-1] + "y")
    start = numpy.load(os.path.join(folder, "start.npz"))
    basis, codes = start["basis"], start["codes"]
    clock = time.process_time if "BENCH_BY_PROCESSOR" in os.environ else time.perf_counter
    for line in sys.stdin:
        begin = clock()
        codes, basis, _ = non_negative_factorization(
            x, W=codes, H=basis, n_components=len(basis), init="custom", tol=0,
            max_iter=int(line), **METHOD[loss])
        seconds = clock() - begin
        numpy.ascontiguousarray(basis).tofile(os.path.join(folder, "basis.bin"))
        numpy.ascontiguousarray(codes).tofile(os.path.join(folder, "codes.bin"))
        print(seconds, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
