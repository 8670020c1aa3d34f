# SPDX-License-Identifier: BSD-2-Clause
"""tessera.NMF beside scikit-learn's: J at equal time, from the same starts.

    TESSERA_LIBRARY=build/libtessera.so bench/nmf.py [--data FOLDER] [--starts 20] [--only yale,orl]

scikit-learn fits with its defaults (200 iterations, tol 1e-4; mu under KL) and takes so many seconds;
ours begins with the same W and H and is stopped after as many, whole calls both. J is scikit-learn's
formula of what each has by then. Data sets that are not there are left out with a word.
"""
import argparse
import os
import sys
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bindings", "python"))

import numpy as np
import scipy.sparse as sp
import sklearn.decomposition
from sklearn.datasets import load_digits

import tessera
from tessera import _arrays, _fitted

RANK = 10


def objective(x, w, h, loss):
    """0.5 ||X - W H||^2, or the generalised Kullback-Leibler divergence, in doubles."""
    w, h = w.astype(np.float64), h.astype(np.float64)
    if loss == "frobenius":
        if sp.issparse(x):
            square = x.multiply(x).sum()
            return 0.5 * (square - 2 * np.sum((x @ h.T) * w) + np.sum((w.T @ w) * (h @ h.T)))
        return 0.5 * np.sum((x - w @ h) ** 2)
    total = w.sum(0) @ h.sum(1)
    rows, columns = x.nonzero()
    values = np.asarray(x[rows, columns]).ravel()
    y = np.empty(len(values))
    for at in range(0, len(values), 1 << 20):
        part = slice(at, at + (1 << 20))
        y[part] = np.einsum("ij,ij->i", w[rows[part]], h.T[columns[part]])
    return np.sum(values * np.log(values / np.maximum(y, 1e-300))) - values.sum() + total


def ours_until(x, loss, seed, seconds):
    """W, H and iterations of tessera.NMF, stopped after `seconds`."""
    begin = time.perf_counter()
    it = tessera.NMF(RANK, init="random", random_state=seed, beta_loss=loss, tol=0, max_iter=10**8)
    options = it._options(x.dtype, RANK)
    it._start(options, x, RANK, None, None)
    data = _arrays.to_data(x)
    model, _ = _fitted.fit(
        data, options, hear=lambda step: time.perf_counter() - begin < seconds
    )
    return model.codes, model.basis, model.report.iterations


def theirs(x, loss, seed):
    begin = time.perf_counter()
    it = sklearn.decomposition.NMF(
        RANK, init="random", random_state=seed, beta_loss=loss, solver="cd" if loss == "frobenius" else "mu"
    )
    w = it.fit_transform(x)
    return w, it.components_, it.n_iter_, time.perf_counter() - begin


def data_sets(folder):
    yield "digits, 1797 x 64", load_digits().data
    random = np.random.RandomState(5)
    low = random.rand(600, 8) * (random.rand(600, 8) < 0.5) @ random.rand(8, 300)
    yield "rank 8 and noise, 600 x 300", low + 0.05 * random.rand(600, 300)
    yield "sparse counts, 3000 x 2000", sp.csr_matrix(
        random.poisson(random.gamma(0.05, 1.0, (3000, 10)) @ random.gamma(0.05, 1.0, (10, 2000)))
    ).astype(np.float64)
    for name, path in (("yale, 165 x 1024", "yale/Yale_32x32.mat"), ("orl, 400 x 1024", "orl/ORL_32x32.mat")):
        path = os.path.join(folder, path)
        if os.path.exists(path):
            yield name, np.asarray(tessera.read(path).X, np.float64)
        else:
            print(f"{name}: {path} is not there")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=".")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    short = 0
    print("goal: median ratio of J <= 1 (to six digits), worst <= 1.01")
    print(f"{'data':30} {'loss':17} {'median':>8} {'worst':>8} {'best':>8}  iterations, seconds")
    for name, x in data_sets(chosen.data):
        if chosen.only and not any(name.startswith(word) for word in chosen.only.split(",")):
            continue
        for loss in ("frobenius", "kullback-leibler"):
            ratio, counts, spent = [], [], []
            for seed in range(chosen.starts):
                w, h, n, seconds = theirs(x, loss, seed)
                w2, h2, n2 = ours_until(x, loss, seed, seconds)
                ratio.append(objective(x, w2, h2, loss) / objective(x, w, h, loss))
                counts.append((n, n2))
                spent.append(seconds)
            n, n2 = np.median(counts, axis=0)
            reached = np.median(ratio) <= 1 + 1e-6 and max(ratio) <= 1.01
            short += not reached
            print(f"{name:30} {loss:17} {np.median(ratio):8.5f} {max(ratio):8.5f} {min(ratio):8.5f}  "
                  f"{n:.0f} and {n2:.0f} in {np.median(spent):.2f} s{'' if reached else ': short'}", flush=True)
    sys.exit(short > 0)


if __name__ == "__main__":
    main()
