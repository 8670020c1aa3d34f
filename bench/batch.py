#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Batches that grow beside scikit-learn's MiniBatchNMF: time to within 1 % of the best J.

usage: bench/batch.py TESSERA DATA.npy|DATA.npz [--rank 20] [--batch N] [--seeds 3] [--full 500]
                      [--full-seeds 3] [--cap 120] [--rows 0]

For each seed, one after another on this machine:

  target   the lowest J = ||X - G F'||^2 of --full iterations of `tessera fit` on all samples, over
           --full-seeds seeds (all); with --full 0 that of 30 iterations after batches have grown
  Tessera  `tessera fit --batch N` (default 100 times the rank); the whole process counts, from its
           start to the first iteration over all samples whose J is within 1 % of the target
  peer     MiniBatchNMF with its defaults, and with batch_size=4096; its early stop is off, so that it
           is not cut short; J is that of the basis after each pass with codes solved for it (coordinate
           descent, outside the clock), over the first --rows samples where that is above 0

Times are of the wall; run it on an idle machine.
"""
import argparse
import json
import math
import os
import re
import subprocess
import tempfile
import time
import warnings

import numpy
import scipy.sparse
import sklearn
from sklearn.decomposition import MiniBatchNMF, non_negative_factorization

from plans import column

warnings.simplefilter("ignore")


class Capped(Exception):
    pass


class Watched(MiniBatchNMF):
    """Keeps the basis of each pass, and is stopped by the clock alone."""

    def _minibatch_convergence(self, X, batch_cost, H, H_buffer, n_samples, step, n_steps):
        now = time.perf_counter()
        passes = (step + 1) * self._batch_size / n_samples
        if passes >= len(self.kept) + 1:
            self.kept.append((passes, now - self.begin - self.aside, H.copy()))
        if now - self.begin - self.aside > self.cap:
            raise Capped
        self.aside += time.perf_counter() - now
        return False


def squares(x):
    return float((x.data.astype(float) ** 2).sum() if scipy.sparse.issparse(x)
                 else sum(float((part.astype(float) ** 2).sum())
                          for part in numpy.array_split(x, 64)))


def judge(x, basis, square):
    """J with codes that are solved for the basis."""
    codes, _, _ = non_negative_factorization(
        x, H=basis.astype(x.dtype), n_components=len(basis), update_H=False, solver="cd",
        tol=1e-6, max_iter=100)
    cross = float(numpy.vdot(numpy.asarray(x @ basis.T, float), codes))
    return square - 2 * cross + float(numpy.vdot(codes.T @ codes, basis @ basis.T))


def fit(tool, data, folder, rank, *options):
    """J and seconds of the iterations over all samples, in seconds of the whole process."""
    model = os.path.join(folder, "model.h5")
    begin = time.perf_counter()
    text = subprocess.run([tool, "fit", data, "--rank", str(rank), "--precision", "single",
                           "--tolerance", "0", "--json", "-q", "-o", model, *options], check=True,
                          stdout=subprocess.PIPE).stdout
    whole = time.perf_counter() - begin
    report = json.loads(text)
    j, seconds = (column(tool, model, name, folder) for name in ("objective", "seconds"))
    outside = whole - seconds[-1]
    return report, j, [outside + s for s in seconds]


def levels(report, samples, batch):
    """Batches that come before all samples, which have a line of the history each."""
    rows = int(re.search(r"blocks of (\d+) samples", " ".join(report["plan"])).group(1))
    blocks, count, found = math.ceil(samples / rows), math.ceil(batch / rows), 0
    while count * 3 < blocks * 2:
        count, found = 4 * count, found + 1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("data")
    parser.add_argument("--rank", type=int, default=20)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--full", type=int, default=500)
    parser.add_argument("--full-seeds", type=int, default=0)
    parser.add_argument("--cap", type=float, default=120)
    parser.add_argument("--rows", type=int, default=0)
    a = parser.parse_args()
    batch = a.batch or 100 * a.rank
    sparse = a.data.endswith(".npz")
    x = scipy.sparse.load_npz(a.data).tocsr() if sparse else numpy.load(a.data, mmap_mode="r")
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        data = a.data
        if sparse:
            data = os.path.join(folder, "x.h5")
            subprocess.run([a.tool, "convert", a.data, "-q", "-o", data], check=True,
                           stdout=subprocess.DEVNULL)
        full = ([] if a.full == 0 else
                [fit(a.tool, data, folder, a.rank, "--seed", str(s), "--iterations", str(a.full))
                 for s in range(a.full_seeds or a.seeds)])
        if not full:
            full = [fit(a.tool, data, folder, a.rank, "--batch", str(batch), "--iterations", "40")]
        target = min(min(j) for _, j, _ in full)
        print(f"{a.data}: {x.shape[0]} x {x.shape[1]}, rank {a.rank}; target J {target:.6g}; "
              f"scikit-learn {sklearn.__version__}")
        for r, j, s in full:
            at = next((i for i, v in enumerate(j) if v <= 1.01 * min(j)), None)
            print(f"  all samples: within 1 % of its own end after {at + 1} iterations, "
                  f"{s[at]:.2f} s")
        ours = []
        for seed in range(a.seeds):
            r, j, s = fit(a.tool, data, folder, a.rank, "--seed", str(seed), "--batch", str(batch),
                          "--iterations", "20")
            first = levels(r, x.shape[0], batch)
            at = next((i for i in range(first, len(j)) if j[i] <= 1.01 * target), None)
            ours.append(s[at] if at is not None else None)
            print(f"  Tessera --batch {batch}, seed {seed}: "
                  + (f"{s[at]:.2f} s, {at - first + 1} iterations over all samples after {first} "
                     f"batches; J {100 * (j[at] / target - 1):+.2f} %" if at is not None else
                     f"not in {s[-1]:.2f} s; J {100 * (j[-1] / target - 1):+.2f} %"), flush=True)
        held = x[:a.rows] if a.rows else x
        held = held if sparse else numpy.array(held)
        square = squares(held)
        goal = 1.01 * target * (len(range(held.shape[0])) / x.shape[0] if a.rows else 1)
        for size in (1024, 4096):
            for seed in range(a.seeds):
                m = Watched(a.rank, batch_size=size, random_state=seed, max_iter=100000)
                m.kept, m.aside, m.cap, m.begin = [], 0.0, a.cap, time.perf_counter()
                try:
                    m.fit(x)
                except Capped:
                    pass
                low, high = 0, len(m.kept)
                while low < high:  # J falls from pass to pass, nearly
                    middle = (low + high) // 2
                    if judge(held, m.kept[middle][2], square) <= goal:
                        high = middle
                    else:
                        low = middle + 1
                own = ours[seed]
                if low < len(m.kept):
                    passes, seconds, _ = m.kept[low]
                    print(f"  MiniBatchNMF {size}, seed {seed}: {seconds:.2f} s, {passes:.0f} passes"
                          + (f"; {seconds / own:.1f} times Tessera's" if own else ""), flush=True)
                else:
                    last = judge(held, m.kept[-1][2], square) if m.kept else float("nan")
                    print(f"  MiniBatchNMF {size}, seed {seed}: not in {a.cap:.0f} s, "
                          f"{len(m.kept)} passes, J {100 * (1.01 * last / goal - 1):+.1f} %"
                          + (f"; more than {a.cap / own:.1f} times Tessera's" if own else ""),
                          flush=True)


if __name__ == "__main__":
    main()
