#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tessera's solvers beside scikit-learn's and RcppML's, and what no peer has.

usage: bench/solver.py [LIBTESSERA.so] [--only ROW,...] [--cases a,b,c] [--seeds N]
                       [--threads 1,2] [--by-processor] [--yale FILE.mat] [--quick]

Rows: frobenius kl (time to within 1 % and 0.1 % of the best objective anyone finds; ours in
double and single precision, scikit-learn, RcppML), gemm, models, cf, graph, growth, memory.
Cases: (a) 10,000 x 1024 dense, rank 40; (b) 400 x 1024 dense, rank 10; (c) 18,774 x 61,188
sparse, rank 20. All are generated from seeds. Ratios above 1: Tessera is faster. A ratio with >
is a lower bound: the peer did not arrive in its time. Goals are those of the project; a row ends
with ok or short. See solver_race.py for how time is taken.
"""
import argparse
import os
import statistics
import sys

try:
    import numpy
    import scipy
    import sklearn
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    sys.exit(0)

import solver_alone
import solver_data
import solver_race as race
from solver_tessera import Tessera

GOAL = {("frobenius", "sklearn"): {"a": 6, "b": 8, "c": 8},
        ("frobenius", "rcppml"): {"a": 10, "b": 10, "c": 15},
        ("kl", "sklearn, roomy malloc"): {"a": 4, "b": 8, "c": (80, 120)},
        ("frobenius", "single"): {"a": 1.7, "b": 1.5, "c": 1.3},
        ("kl", "single"): {"a": 1.7, "b": 1.5, "c": 1.3}}


class Times:
    """Seconds by (solver, threads, target), one a seed; bounds are marked."""

    def __init__(self):
        self.seconds, self.bound = {}, set()

    def add(self, key, seconds, bound=False):
        self.seconds.setdefault(key, []).append(seconds)
        if bound:
            self.bound.add(key)

    def median(self, key):
        return statistics.median(self.seconds[key])


def time_peers(problem, paths, targets, threads, times, quick):
    """What an iteration costs now, times how many are needed or were walked in vain."""
    budget = 0.5 if quick else 1.5
    settings = {"sklearn": lambda: race.sklearn(problem, threads)}
    if problem.loss == "kl":
        settings["sklearn, roomy malloc"] = lambda: race.sklearn(problem, threads, race.ROOMY)
    if "rcppml" in paths:
        settings["rcppml"] = lambda: race.rcppml(problem, threads)
    for name, begin in settings.items():
        path = paths[name.split(",")[0]]
        with begin() as peer:
            step = race.step_seconds(peer, budget)
        for label, target in targets.items():
            if (name, label) == ("rcppml", "0.1 %"):
                continue
            needs = path.needs(target)
            times.add((name, threads, label), step * min(needs, path.after[-1]),
                      needs == race.NEVER)


def time_ours(tessera, problem, path, targets, threads, times):
    needs = [(path.needs(value), value) for value in targets.values()]
    for precision in ("double", "single"):
        runs = [race.ours_seconds(tessera, problem, threads, needs, precision) for _ in range(2)]
        for label, seconds in zip(targets, map(min, zip(*runs))):
            times.add((precision, threads, label), seconds)


def run_race(tessera, case, seed, loss, times, options):
    problem = race.Problem(case, seed, loss)
    budget = 6 if options.quick else 25
    within = {"1 %": 1.01, "0.1 %": 1.001} if loss == "frobenius" else {"1 %": 1.01}
    try:
        paths = {"ours": race.walk_ours(tessera, problem, budget)}
        paths["sklearn"] = race.walk_sklearn(problem, paths["ours"].best(), min(within.values()),
                                             4 * budget)
        best = min(path.best() for path in paths.values())
        if loss == "frobenius" and options.rcppml:
            paths["rcppml"] = race.walk_rcppml(problem, best, budget)
            best = min(best, paths["rcppml"].best())
        targets = {label: factor * best for label, factor in within.items()}
        show_paths(case, seed, loss, paths, best, targets)
        for threads in options.threads:
            time_ours(tessera, problem, paths["ours"], targets, threads, times)
            time_peers(problem, paths, targets, threads, times, options.quick)
    finally:
        problem.close()


def show_paths(case, seed, loss, paths, best, targets):
    """Best of each over the best of all, how far it was walked, iterations to the targets."""
    print(f"    ({case}) {loss}, seed {seed}: best {best:.7g}", end="")
    for name, path in paths.items():
        needs = "/".join("-" if path.needs(t) == race.NEVER else str(path.needs(t))
                         for t in targets.values())
        above = 100 * (path.best() / best - 1)
        print(f"; {name} +{above:.2f} % in {path.after[-1]}, needs {needs}", end="")
    print(flush=True)


def show_times(case, loss, times, options):
    for threads in options.threads:
        labels = [key[2] for key in times.seconds if key[:2] == ("double", threads)]
        for label in labels:
            ours = times.median(("double", threads, label))
            print(f"({case}) {loss}, to {label}, {threads} thread{'s' * (threads > 1)}: tessera "
                  + ("did not arrive" if ours == race.NEVER else f"{ours:.4f} s"))
            for key in times.seconds:
                if key[0] != "double" and key[1:] == (threads, label):
                    show_ratio(case, loss, key, ours, times)
    sys.stdout.flush()


def show_ratio(case, loss, key, ours, times):
    name, threads, _ = key
    seconds = times.median(key)
    slow, fast = (ours, seconds) if name == "single" else (seconds, ours)
    ratio = 0.0 if fast == race.NEVER else slow / fast
    bound = ">" if key in times.bound else " "
    goal = GOAL.get((loss, name), {}).get(case)
    goal = goal[threads - 1] if isinstance(goal, tuple) else goal
    print(f"    {name:24} {bound}{seconds:9.4f} s  {bound}{ratio:7.2f} x"
          + solver_alone.verdict(ratio, goal))


def races(tessera, loss, options):
    for case in options.cases:
        times = Times()
        for seed in range(1, options.seeds + 1):
            run_race(tessera, case, seed, loss, times, options)
        show_times(case, loss, times, options)


ROWS = {"frobenius": lambda tessera, options: races(tessera, "frobenius", options),
        "kl": lambda tessera, options: races(tessera, "kl", options),
        "gemm": solver_alone.gemm, "models": solver_alone.models, "cf": solver_alone.concept,
        "graph": solver_alone.graph, "growth": solver_alone.growth,
        "memory": solver_alone.memory}


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words = lambda text: text.split(",")
    parser.add_argument("library", nargs="?", default="build/libtessera.so")
    parser.add_argument("--only", type=words, default=list(ROWS), help=" ".join(ROWS))
    parser.add_argument("--cases", type=words, default=list(solver_data.SHAPE))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=lambda text: [int(t) for t in words(text)],
                        default=[1, 2])
    parser.add_argument("--yale", metavar="FILE.mat", help="Yale's faces, for cf")
    parser.add_argument("--by-processor", action="store_true",
                        help="one thread, seconds of processor time: for a machine that is busy")
    parser.add_argument("--quick", action="store_true", help="shorter searches for the best")
    options = parser.parse_args()
    if not os.path.exists(options.library):
        sys.exit(f"{options.library}: no such library; build it first, or name it")
    unknown = set(options.only) - set(ROWS)
    if unknown:
        sys.exit(f"no such row: {', '.join(unknown)}; there are {' '.join(ROWS)}")
    if options.by_processor:
        os.environ["BENCH_BY_PROCESSOR"], options.threads = "1", [1]
    options.rcppml = "frobenius" in options.only and race.has_rcppml()
    return options


def main():
    options = read_options()
    print(f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, "
          f"scipy {scipy.__version__}, {os.cpu_count()} processors; {options.seeds} seeds, medians")
    if "frobenius" in options.only and not options.rcppml:
        print("RcppML is not here and left out (Debian: r-cran-rcppml)")
    tessera = Tessera(options.library, options.by_processor)
    for row in options.only:
        ROWS[row](tessera, options)


if __name__ == "__main__":
    main()
