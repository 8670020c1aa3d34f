# SPDX-License-Identifier: BSD-2-Clause
"""Rows of bench/goals.py about what an iteration and a call cost: shapes, ranks, set-up, threads."""
import os
import time

import numpy

from goals_common import Value, least, middle, mixtures, most, nothing, sklearn_seconds, step

SHAPES = ((1000000, 50, 10), (200000, 50, 10), (10000, 1024, 40), (2000, 10000, 20), (500, 200000, 10))
RANKS = (64, 144, 145, 200, 500, 1000)
MODELS = ("nmf nmf-kl nmf-ncw gnmf gnmf-kl sgnmf cnmf cnmf-kl cdnmf cdnmf-kl cf cdcf lccf ccf snmf dsnmf unmf "
          "ugnmf").split()


def product_speed(bench, size=1500):
    """Operations a second of NumPy's large products, the best of three: what 4 n m k operations
    with X take at this speed, both solvers have to spend."""
    a, taken = numpy.ones((size, size)), []
    for _ in range(3):
        begin = bench.clock()
        a @ a
        taken.append(bench.clock() - begin)
    return 2 * size ** 3 / min(taken)


def shape(samples, features, rank):
    """An iteration beside scikit-learn's: the difference of two lengths, after one that warms up."""
    def measure(bench):
        x, start = mixtures(samples, features, rank)
        ours, short, long = [], [], []
        sklearn_seconds(bench, x, start, 1)
        for _ in range(3):
            ours.append(step(bench, x, start, rank=rank))
            short.append(sklearn_seconds(bench, x, start, 2))
            long.append(sklearn_seconds(bench, x, start, 6))
        ours, peer = 1e3 * middle(ours), 1e3 * (middle(long) - middle(short)) / 4
        floor = 4e3 * samples * features * rank / product_speed(bench)
        return {"": Value(peer / ours, f"{ours:.1f} ms, scikit-learn {peer:.1f}; products alone {floor:.1f}")}
    return measure


def ranks(bench):
    """The cost a column of the basis, over the least of all ranks. What is not a product with X
    (F'F, G'G, sweeps) grows with the square of the rank, so that the whole cannot be flat; without
    the sweeps (`mu`) is noted beside it."""
    x, _ = mixtures(2000, 4096, 60)
    out = {}
    for solver in ("auto", "mu"):
        each = {}
        for rank in RANKS:
            count = 4 if rank > 400 else 6
            each[rank] = 1e3 / rank * middle(step(bench, x, iterations=count, rank=rank, init="random",
                                                  solver=solver) for _ in range(1 if rank > 400 else 3))
        best = min(each.values())
        bench.note(f"{solver}: ms a column " + ", ".join(f"k {k} {v:.3f}" for k, v in each.items()))
        if solver == "auto":
            out = {f"k {k}": Value(v / best, f"{k * v:.0f} ms") for k, v in each.items()}
    return out


def outside(bench, library, x, **settings):
    """Seconds of a call outside its iterations, the middle of three."""
    fits = [library.fit(x, factors=False, iterations=3, tolerance=0, threads=1, **settings) for _ in range(3)]
    return middle(f.call - f.seconds[-1] for f in fits)


def setup(get, rank):
    def measure(bench):
        x, out = get(bench), {}
        if x is None:
            return {part: nothing("no data") for part in ("random start", "default start")}
        for part, settings in (("random start", {"init": "random"}), ("default start", {})):
            taken = [outside(bench, library, x, rank=rank, **settings) for library in bench.libraries]
            word = f"{taken[0]:.3f} s" + (f", before {taken[1]:.3f}" if bench.before else "")
            out[part] = (Value(taken[1] / taken[0], word) if bench.before
                         else nothing(word + "; no library to compare with"))
        return out
    return measure


def start_ms(tool, count=100):
    """Milliseconds from starting the tool to its end."""
    out = []
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    for _ in range(count):
        begin = time.perf_counter()
        os.waitpid(os.posix_spawn(tool, [tool, "--version"], os.environ, file_actions=quiet), 0)
        out.append(1e3 * (time.perf_counter() - begin))
    return middle(out)


def begin(bench):
    word = f"before {start_ms(bench.tool(bench.options.before)):.1f}" if bench.before else ""
    return {"": Value(start_ms(bench.tool()), word)}


def threads(model):
    """2 threads beside 1 on the clock, the best of three; five labels a class."""
    def measure(bench):
        x, _ = mixtures(2000, 1024, 40)
        classes = numpy.where(numpy.arange(2000) < 200, numpy.arange(2000) % 40, -1)
        best = {1: float("inf"), 2: float("inf")}
        for _ in range(3):
            for count in best:
                fit = bench.ours.fit(x, classes=classes, factors=False, model=model, rank=40, threads=count,
                                     iterations=8, tolerance=0)
                best[count] = min(best[count], fit.step())
        return {"": Value(best[1] / best[2], f"{1e3 * best[1]:.1f} and {1e3 * best[2]:.1f} ms")}
    return measure


ROWS = [(f"shapes.{n}x{m}", f"an iteration, {n:,} x {m:,}, k {k}, beside scikit-learn's", {"": least(2.5)},
         shape(n, m, k)) for n, m, k in SHAPES]
ROWS += [("ranks", "cost a column over the least, 2,000 x 4,096", {f"k {k}": most(1.2) for k in RANKS}, ranks)]
ROWS += [(f"setup.{name}", f"outside the iterations, {title}, before over now",
          {part: least(1) for part in ("random start", "default start")}, setup(get, rank))
         for name, title, get, rank in (
             ("news", "20 Newsgroups, k 20", lambda bench: bench.real("news"), 20),
             ("tall", "1,000,000 x 50, k 10", lambda bench: mixtures(1000000, 50, 10)[0], 10))]
ROWS += [("setup.version", "tessera --version, from start to end", {"": most(5, " ms")}, begin)]
ROWS += [(f"threads.{model}", f"2 threads beside 1, {model}, 2,000 x 1,024, k 40", {"": least(1.8)}, threads(model))
         for model in MODELS]
