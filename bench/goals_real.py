# SPDX-License-Identifier: BSD-2-Clause
"""Rows of bench/goals.py on real data: 20 Newsgroups, stopping, single precision.

Paths are walked once by long runs without a tolerance; a time is that of a whole call that ends
where the path met its target.
"""
import numpy

import solver_race as race
from goals_common import NEVER, Value, least, middle, most, nothing, reached, step, told
from solver_data import frobenius

SETS = (("orl", 40, "frobenius"), ("yale", 15, "frobenius"), ("eth80", 20, "frobenius"),
        ("scene13", 13, "frobenius"), ("news", 20, "frobenius"), ("orl", 20, "kl"))


def walk(library, x, rank, iterations, **settings):
    return library.fit(x, factors=False, rank=rank, iterations=iterations, tolerance=0, threads=1, **settings)


def arrive(library, x, path, target, **settings):
    """Seconds of the whole call that ends at the target, the least of two."""
    needs = reached(path.objective, target)
    if needs == NEVER:
        return needs, NEVER
    return needs, min(walk(library, x, 20, needs, **settings).call for _ in range(2))


def to_one_percent(bench, x, **settings):
    """Ours beside the library before: both to 1 % above the best J that either finds with a seed."""
    taken, bound = [[] for _ in bench.libraries], False
    for seed in bench.seeds:
        paths = [walk(library, x, 20, 120 if bench.quick else 300, seed=seed, **settings)
                 for library in bench.libraries]
        best = min(path.objective.min() for path in paths)
        words = []
        for library, path, seconds in zip(bench.libraries, paths, taken):
            needs, time = arrive(library, x, path, 1.01 * best, seed=seed, **settings)
            if time == NEVER and library is bench.before:
                bound, time = True, path.call
            seconds.append(time)
            above = 100 * (path.objective.min() / best - 1)
            words.append(f"{time:.2f} s, {told(needs)} iterations, {above:.2f} % above")
        bench.note(f"seed {seed}: J {best:.7g}; " + "; before ".join(words))
    taken = [middle(seconds) for seconds in taken]
    if not bench.before:
        return nothing(f"{taken[0]:.2f} s; no library to compare with")
    return Value(taken[1] / taken[0], f"{taken[0]:.2f} s, before {'>' * bound}{taken[1]:.2f}", bound)


def news(**settings):
    def measure(bench):
        x = bench.real("news")
        return {"": nothing("no data") if x is None else to_one_percent(bench, x, **settings)}
    return measure


class News(race.Problem):
    """20 Newsgroups as files for RcppML."""

    def __init__(self, x, seed):
        self.x, self.rank, self.seed, self.loss = x, 20, seed, "frobenius"
        self.start = (numpy.zeros(0), numpy.zeros(0))
        self.open()


def sklearn_default(x, seed):
    from sklearn.decomposition import NMF
    nmf = NMF(20, random_state=seed)
    codes = nmf.fit_transform(x)
    return frobenius(x, nmf.components_, codes)


def rcppml_default(x, seed):
    problem = News(x, seed)
    try:
        with race.rcppml(problem, 1) as peer:
            peer.run(0)
            return peer.objective()
    finally:
        problem.close()


def ends(bench):
    """J where the defaults end, above the lowest of the peers'; the worst of the seeds."""
    x, peers, worst = bench.real("news"), {"scikit-learn": sklearn_default}, {}
    if race.has_rcppml():
        peers["RcppML"] = rcppml_default
    for seed in bench.seeds if x is not None else ():
        fit = bench.ours.fit(x, rank=20, seed=seed, threads=1)
        ours, words = frobenius(x, fit.basis, fit.codes), []
        for name, run in peers.items():
            theirs = run(x, seed)
            worst[name] = max(worst.get(name, -NEVER), 100 * (ours / theirs - 1))
            words.append(f"{name} {theirs:.7g}")
        bench.note(f"seed {seed}: ours {ours:.7g} in {len(fit.objective)} iterations, " + ", ".join(words))
    return {name: Value(worst[name]) if name in worst else nothing("not here")
            for name in ("scikit-learn", "RcppML")}


def stopping(name, rank, loss):
    """The default stop beside a run several times as long on the same path."""
    def measure(bench):
        x = bench.real(name)
        if x is None:
            return {part: nothing("no data") for part in ("J", "time")}
        settings = dict(loss=loss, seed=1)
        count = len(bench.ours.fit(x, factors=False, rank=rank, threads=1, **settings).objective)
        long = walk(bench.ours, x, rank, max((2 if bench.quick else 4) * count, 600), **settings)
        best, stop = long.objective.min(), long.objective[count - 1]
        there = reached(long.objective, 1.001 * best)
        return {"J": Value(100 * (stop / best - 1), f"after {count} of {len(long.objective)} iterations"),
                "time": Value(long.seconds[count - 1] / long.seconds[there - 1],
                              f"{long.seconds[count - 1]:.2f} s, 0.1 % after {there} iterations")}
    return measure


def single(name, rank, iterations):
    """Single precision beside double from the same seed, both to 0.1 % above the best of both."""
    def measure(bench):
        x = bench.real(name)
        if x is None:
            return {part: nothing("no data") for part in ("iterations", "speed")}
        y, more, speed, words = x.astype(numpy.float32), [], [], []
        for seed in bench.seeds:
            full = walk(bench.ours, x, rank, iterations, seed=seed)
            half = walk(bench.ours, y, rank, iterations, seed=seed, precision="single")
            best = min(full.objective.min(), half.objective.min())
            needs = [reached(fit.objective, 1.001 * best) for fit in (full, half)]
            more.append(needs[1] / needs[0] if needs[0] != NEVER else 1)
            each = [1e3 * step(bench, data, iterations=12, rank=rank, seed=seed, precision=kind)
                    for data, kind in ((x, "double"), (y, "single"))]
            speed.append(each[0] / each[1])
            words.append(f"{told(needs[1])} for {told(needs[0])}")
        return {"iterations": Value(middle(more), ", ".join(words)),
                "speed": Value(middle(speed), f"{each[0]:.2f} and {each[1]:.2f} ms")}
    return measure


ROWS = [("news.default", "20 Newsgroups, k 20, default call to 1 % of the best J, before over now", {"": least(2)},
         news()),
        ("news.random", "20 Newsgroups, k 20, call from random numbers to 1 %, before over now", {"": least(2)},
         news(init="random")),
        ("news.ends", "J of the default above that of a peer's default, worst seed",
         {name: most(0, " %") for name in ("scikit-learn", "RcppML")}, ends)]
ROWS += [(f"stopping.{name}{'-kl' * (loss == 'kl')}", f"default stop, {name}, k {rank}, {loss}",
          {"J": most(0.1, " %"), "time": most(1.5)}, stopping(name, rank, loss)) for name, rank, loss in SETS]
ROWS += [(f"single.{name}", f"single beside double, {name}, k {rank}, to 0.1 %",
          {"iterations": most(1.2), "speed": least(1.5)}, single(name, rank, count))
         for name, rank, count in (("orl", 40, 2500), ("news", 20, 400))]
