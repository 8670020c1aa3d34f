# SPDX-License-Identifier: BSD-2-Clause
"""One race of bench/solver.py: a problem, a start, all solvers, time to reach a target.

The best objective is the least that anyone finds in a long run from this start. How many
iterations a solver needs for a target does not depend on threads or memory settings, so its path
is walked once; what an iteration costs is then timed for each setting, repetitions interleaved.
Times are of the iterations alone: checks of the input and reading of the start are left out for
everyone.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy
from scipy import sparse

import solver_data

HERE = os.path.dirname(os.path.abspath(__file__))
ROOMY = {"MALLOC_TRIM_THRESHOLD_": str(4 << 30), "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
         "MALLOC_TOP_PAD_": str(1 << 28)}
NEVER = float("inf")


def has_rcppml():
    """Whether R and the package are there."""
    return shutil.which("Rscript") is not None and subprocess.run(
        ["Rscript", "-e", "library(RcppML); library(Matrix)"], capture_output=True).returncode == 0


class Problem:
    """Data, start and rank of a case and seed, also as files for other processes."""

    def __init__(self, case, seed, loss):
        self.case, self.seed, self.loss = case, seed, loss
        self.rank = solver_data.SHAPE[case][2]
        self.x = solver_data.make(case, seed)
        self.start = solver_data.start(self.x, self.rank, seed)
        self.open()

    def open(self):
        """Writes data and start into a folder of their own."""
        self.folder = tempfile.mkdtemp(prefix="tessera-bench-")
        at = lambda name: os.path.join(self.folder, name)
        numpy.savez(at("start.npz"), basis=self.start[0], codes=self.start[1])
        if sparse.issparse(self.x):
            sparse.save_npz(at("x.npz"), self.x, compressed=False)
            self.x.indptr.astype(numpy.int32).tofile(at("rows.bin"))
            self.x.indices.astype(numpy.int32).tofile(at("columns.bin"))
            self.x.data.tofile(at("x.bin"))
        else:
            numpy.save(at("x.npy"), self.x)
            self.x.tofile(at("x.bin"))

    def judge(self, basis, codes):
        return solver_data.JUDGE[self.loss](self.x, basis, codes)

    def close(self):
        shutil.rmtree(self.folder)


class Peer:
    """A process that iterates when told; see solver_sklearn.py and rcppml.R."""

    def __init__(self, problem, command, threads, extra=None):
        self.problem = problem
        environment = {**os.environ, **(extra or {})}
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"):
            environment[name] = str(threads)
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, iterations):
        """Seconds of a call with so many iterations."""
        self.process.stdin.write(f"{iterations}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def objective(self):
        read = lambda name, columns: numpy.fromfile(
            os.path.join(self.problem.folder, name)).reshape(-1, columns)
        return self.problem.judge(read("basis.bin", self.problem.x.shape[1]),
                                  read("codes.bin", self.problem.rank))

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def sklearn(problem, threads, extra=None):
    return Peer(problem, [sys.executable, os.path.join(HERE, "solver_sklearn.py"), problem.folder,
                          problem.loss], threads, extra)


def rcppml(problem, threads):
    numbers = [*problem.x.shape, problem.rank, problem.seed, threads]
    return Peer(problem, ["Rscript", os.path.join(HERE, "rcppml.R"), problem.folder,
                          *map(str, numbers)], threads)


class Path:
    """Objective after so many iterations, as far as it was walked."""

    def __init__(self):
        self.after, self.objective = [], []

    def add(self, after, objective):
        self.after.append(after)
        self.objective.append(objective)

    def best(self):
        return min(self.objective)

    def needs(self, target):
        """Iterations to the target; NEVER when it was not met."""
        return next((i for i, value in zip(self.after, self.objective) if value <= target), NEVER)


def walk_ours(tessera, problem, budget, fewest=100):
    """A long run of about `budget` seconds, but of no fewer iterations than given. The history is
    ours up to a constant factor, which the judge's value of the last factors gives."""
    settings = dict(model="nmf", loss=problem.loss, rank=problem.rank, tolerance=0, threads=0)
    step = tessera.fit(problem.x, problem.start, iterations=min(10, fewest // 4), factors=False,
                       **settings).step()
    count = int(min(3000, max(fewest, budget / step)))
    fit = tessera.fit(problem.x, problem.start, iterations=count, **settings)
    judged = problem.judge(fit.basis, fit.codes)
    factor = 0.5 if problem.loss == "frobenius" else 1.0
    if abs(factor * fit.objective[-1] / judged - 1) > 1e-6:
        print(f"    our objective {factor * fit.objective[-1]:.8g}, judged {judged:.8g}")
    path = Path()
    for i, value in enumerate(fit.objective):
        path.add(i + 1, factor * value)
    return path


def walk_sklearn(problem, best, within, budget):
    """Until the target, then half as far again, in case its best is better; or the budget."""
    path, done, spent, end = Path(), 0, 0.0, NEVER
    with sklearn(problem, 1, ROOMY) as peer:
        while spent < budget and done < end:
            count = max(1, done // 12)
            spent += peer.run(count)
            done += count
            path.add(done, peer.objective())
            if end == NEVER and path.best() <= within * best:
                end = done + done // 2
    return path


def walk_rcppml(problem, best, budget):
    """Every run begins anew: lengths double until the target or a run that takes the budget, then
    the target is closed in on."""
    path, taken, low, high = Path(), 0.0, 0, NEVER
    with rcppml(problem, 1) as peer:
        while (high != NEVER or 2 * taken < budget) and high - low > max(1, low // 10):
            count = 2 * low + 1 if high == NEVER else (low + high) // 2
            taken = peer.run(count)
            path.add(count, peer.objective())
            low, high = (low, count) if path.objective[-1] <= 1.01 * best else (count, high)
    order = numpy.argsort(path.after)
    path.after = [path.after[i] for i in order]
    path.objective = [path.objective[i] for i in order]
    return path


def step_seconds(peer, budget):
    """Seconds of an iteration from calls of one and of several; the fixed cost of a call goes
    out."""
    peer.run(1)
    single = statistics.median(peer.run(1) for _ in range(3))
    count = int(min(200, max(5, budget / single)))
    return (peer.run(count) - single) / (count - 1)


def ours_seconds(tessera, problem, threads, needs, precision):
    """Seconds to each of the targets; in single precision the history of that very run is asked
    for the target's value, since it takes another path."""
    x, start = problem.x, problem.start
    if precision == "single":
        x = x.astype(numpy.float32)
    longest = max((n for n, _ in needs if n != NEVER), default=0)
    if longest == 0:
        return [NEVER for _ in needs]
    count = int(longest * (1.3 if precision == "single" else 1)) + 3
    fit = tessera.fit(x, start, factors=False, model="nmf", loss=problem.loss, rank=problem.rank,
                      tolerance=0, threads=threads, precision=precision, iterations=count)
    if precision == "double":
        return [NEVER if n == NEVER else fit.seconds[n - 1] for n, _ in needs]
    factor = 0.5 if problem.loss == "frobenius" else 1.0
    met = [numpy.flatnonzero(factor * fit.objective <= value) for _, value in needs]
    return [fit.seconds[m[0]] if len(m) else NEVER for m in met]
