#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Teams beside threads, and a model of their time beside the clock.

usage: bench/team.py [BUILD [ROUNDS [speed,rules,model]]]     (build, 3, all)

  speed   seconds an iteration of 2 ranks of one thread beside 1 rank of 2 threads, by the default plan
          and by that of a team, in turn ROUNDS times: medians of ratios (dense (a), sparse (c), and as
          (c) with four times the samples: what is sent depends on the features alone)
  rules   KL, whose basis descends by feature alone and takes a bound in a team: iterations and words
          to within 1 % of the lower J
  model   seconds an iteration from entries, features, rank and what is sent, with constants fitted to
          other shapes on 1 and 2 ranks, beside the clock on 1, 2 and 4 ranks of one thread; and what
          it says of 10^9 x 10^5 on a thousand machines

An iteration is the median of the differences of /seconds, the first ones left out. 4 ranks share two
processors, as 2 do that have the machine to themselves.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy

import solver_data

PROCESSORS = len(os.sched_getaffinity(0))
MPIRUN = ["mpirun", "-q", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n"]


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = os.path.abspath(build), folder
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "bindings", "python"))
        os.environ["TESSERA_LIBRARY"] = os.path.join(self.build, "libtessera.so")
        import tessera
        self.tessera = tessera

    def path(self, name):
        return os.path.join(self.folder, name)

    def data(self, name, x):
        if not os.path.exists(self.path(name)):
            self.tessera.write(self.path(name), x)
        return self.path(name)

    def made(self, case):
        return self.data(case + ".h5", solver_data.make(case, 0))

    def fit(self, data, ranks, threads, rank, iterations, *words):
        """The fitted model, and the report as the tool tells it."""
        out = self.path("model.h5")
        tool = ([os.path.join(self.build, "tessera")] if ranks == 1 else
                [*MPIRUN, str(ranks), os.path.join(self.build, "tessera-mpi")])
        subprocess.run([*tool, "fit", data, "--rank", str(rank), "--threads", str(threads), "--init",
                        "random", "--iterations", str(iterations), "--tolerance", "0", "-q", "-o",
                        out, *words], check=True, stdout=subprocess.DEVNULL)
        return self.tessera.load(out).model_

    def seconds(self, *arguments):
        return float(numpy.median(numpy.diff(self.fit(*arguments).seconds)[2:]))


# Beside threads ------------------------------------------------------------------------------

def speed(bench, rounds):
    print("| samples | loss | 1 rank, 2 threads: default plan | plan of a team | 2 ranks | "
          "default / 2 ranks | team's / 2 ranks |\n|---|---|---:|---:|---:|---:|---:|")
    samples, features, rank = solver_data.SHAPE["c"]
    more = bench.data("more.h5", solver_data.news(4 * samples, features, 100, 10_000_000))
    cases = [(f"({case}) {solver_data.TITLE[case]}", solver_data.SHAPE[case][2], bench.made(case))
             for case in "ac"] + [("four times (c)", rank, more)]
    for title, rank, data in cases:
        for model, iterations in (("nmf", 24), ("nmf-kl", 12)):
            all_times = []
            for _ in range(rounds):
                all_times.append([bench.seconds(data, ranks, threads, rank, iterations, "--model",
                                                model, "--plan", plan) for ranks, threads, plan in
                                  ((1, 2, "auto"), (1, 2, "team"), (2, 1, "team"))])
            times = [statistics.median(column) for column in zip(*all_times)]
            ratios = [[t[i] / t[2] for t in all_times] for i in (0, 1)]
            print(f"| {title} | {model} | "
                  + " | ".join(f"{t * 1e3:.1f} ms" for t in times) + " | "
                  + " | ".join(f"**{statistics.median(r):.2f}** ({min(r):.2f} to {max(r):.2f})"
                               for r in ratios) + " |", flush=True)


# KL ------------------------------------------------------------------------------------------

def rules(bench, files, rank=20, iterations=300):
    """A basis that descended coordinate by coordinate in a team would take the default plan's steps:
    3 words of each feature out and one back, for every vector and sweep."""
    print("| samples | plan | iterations to 1 % | words a rank, of 2 | s, one thread |\n"
          "|---|---|---:|---:|---:|")
    for data in files:
        fits = {plan: bench.fit(data, 1, 1, rank, iterations, "--model", "nmf-kl", "--plan", plan)
                for plan in ("auto", "team")}
        goal = 1.01 * min(fitted.objective[-1] for fitted in fits.values())
        features = fits["auto"].basis.shape[1]
        for plan, each in (("auto", 24 * features * rank / 2), ("team", 2 * features * rank / 2)):
            fitted = fits[plan]
            near = numpy.flatnonzero(fitted.objective <= goal)
            at = int(near[0]) + 1 if len(near) else None
            name = "by coordinates" if plan == "auto" else "bound, led on"
            told = f"{at}" if at else f"> {iterations}"
            words = f"{'' if at else '> '}{(at or iterations) * each / 1e6:.1f} M"
            clock = f"{'' if at else '> '}{fitted.seconds[(at or iterations) - 1]:.2f}"
            print(f"| {os.path.basename(data)} | {name} | {told} | {words} | {clock} |", flush=True)


# The model -----------------------------------------------------------------------------------

SHAPES = {False: [(3000, 1024, 40), (8000, 484, 40), (6000, 1024, 10), (12000, 484, 20),
                  (15000, 784, 30)],
          True: [(6000, 60000, 20), (30000, 40000, 20), (12000, 60000, 30), (18000, 60000, 10),
                 (40000, 60000, 20)]}


class Model:
    """Seconds of an iteration of squares, of p ranks of one thread on P processors, double precision:

        T = (a E k + e E + b n k^2) / min(p, P) + (c m k + s bytes + 10 log2(p) L) p / min(p, P)

    of E stored entries: products, reading and codes, which ranks share; arrays of features, which each
    rank has, and what it sends, which is copied and added; words. a, e, b, c and s are fitted to the
    times of one and of two ranks on other shapes, L is bench/swap.c's, and bytes are those that the plan says.
    Ranks that share a processor take turns.
    """

    def __init__(self, bench, sparse):
        self.bench, self.sparse = bench, sparse
        self.net = json.loads(subprocess.run([*MPIRUN, "2", bench.path("swap")], check=True,
                                             stdout=subprocess.PIPE).stdout)
        rows, times = [], []
        for samples, features, rank in SHAPES[sparse]:
            x = (solver_data.news(samples, features, 7, 130 * samples) if sparse
                 else solver_data.faces(samples, features, 7))
            data = bench.data(f"{samples}x{features}.h5", x)
            for ranks in (1, 2):
                clock, sent = clock_of(bench, data, ranks, rank, 2)
                rows.append(self.row(x.nnz if sparse else x.size, *x.shape, rank, ranks, sent))
                times.append(clock - self.words(ranks))
        rows, times = numpy.array(rows), numpy.array(times)
        self.constants = non_negative(rows / times[:, None])
        self.off = rows @ self.constants / times - 1

    def words(self, ranks):
        """A word of all before each of four meetings; three sums, halved and gathered again."""
        return (self.net["latency"] * 10 * numpy.ceil(numpy.log2(ranks)) * ranks
                / min(ranks, PROCESSORS))

    @staticmethod
    def row(entries, samples, features, rank, ranks, sent):
        at_once = min(ranks, PROCESSORS)
        turns = ranks / at_once
        return [entries * rank / at_once, entries / at_once, samples * rank ** 2 / at_once,
                features * rank * turns, sent * turns]

    def seconds(self, *row):
        return float(numpy.dot(self.row(*row), self.constants)) + self.words(row[4])


def clock_of(bench, data, ranks, rank, rounds):
    """Seconds of an iteration, the median of so many fits, and the bytes that the plan says."""
    fits = [bench.fit(data, ranks, 1, rank, 24, "--plan", "team") for _ in range(rounds)]
    told = next((line for line in fits[0].plan if "MB sent a rank" in line), ", 0 MB sent")
    return (statistics.median(float(numpy.median(numpy.diff(f.seconds)[2:])) for f in fits),
            1e6 * float(told.split(" MB sent")[0].split()[-1]))


def non_negative(rows):
    """x >= 0 with rows x as near to 1 as can be; few unknowns, so that all subsets are tried."""
    best, found = numpy.inf, None
    for subset in range(1, 1 << rows.shape[1]):
        use = [j for j in range(rows.shape[1]) if subset >> j & 1]
        x = numpy.zeros(rows.shape[1])
        x[use] = numpy.linalg.lstsq(rows[:, use], numpy.ones(len(rows)), rcond=None)[0]
        off = numpy.sum((rows @ x - 1) ** 2)
        if (x >= 0).all() and off < best:
            best, found = off, x
    return found


def model(bench, rounds):
    for case in "ac":
        found = Model(bench, case == "c")
        print(f"\n({case}): a, e, b, c, s = " + ", ".join(f"{c:.3g}" for c in found.constants)
              + f" s; fitted to {100 * abs(found.off).max():.0f} %; a word takes "
              f"{found.net['latency'] * 1e6:.1f} us\n")
        print("| samples | ranks | the clock | the model | off | sent |\n|---|---:|---:|---:|---:|---:|")
        rank, data = solver_data.SHAPE[case][2], bench.made(case)
        x = solver_data.make(case, 0)
        entries = x.nnz if case == "c" else x.size
        for ranks in (1, 2, 4):
            clock, sent = clock_of(bench, data, ranks, rank, rounds)
            said = found.seconds(entries, *x.shape, rank, ranks, sent)
            print(f"| ({case}) | {ranks} | {clock * 1e3:.1f} ms | {said * 1e3:.1f} ms | "
                  f"{100 * (said / clock - 1):+.0f} % | {sent / 1e6:.2f} MB |", flush=True)
        if case == "c":
            far(found)


def far(found):
    """Sparse samples of 10^9 x 10^5, 100 entries each, rank 20, on machines of 16 such processors with
    10 Gbit/s and 50 microseconds between them: threads of a rank share its samples and its arrays of
    features, and what it sends is copied here and sent there."""
    samples, features, entries, rank, threads = 1e9, 1e5, 1e11, 20, 16
    a, e, b, c, s = found.constants
    print("\n| machines | products and codes | arrays of features | sent | words | an iteration | "
          "of it, sending |\n|---:|---:|---:|---:|---:|---:|---:|")
    for ranks in (16, 125, 1000, 10000):
        compute = (a * entries * rank + e * entries + b * samples * rank ** 2) / ranks / threads
        arrays = c * features * rank / threads
        bytes_ = features * rank * (8 + 8) * (1 - 1 / ranks)
        sent = bytes_ * (s + 1 / 1.25e9)
        words = 50e-6 * 10 * numpy.ceil(numpy.log2(ranks))
        both = compute + arrays + sent + words
        print(f"| {ranks} | {compute * 1e3:.0f} ms | {arrays * 1e3:.1f} ms | {sent * 1e3:.0f} ms | "
              f"{words * 1e3:.0f} ms | {both * 1e3:.0f} ms | {100 * (sent + words) / both:.0f} % |")


def main(build="build", rounds="3", what="speed,rules,model"):
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        bench, rounds = Bench(build, folder), int(rounds)
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run(["mpicc", "-O2", "-I", os.path.join(here, "..", "include"),
                        os.path.join(here, "swap.c"), "-L", bench.build,
                        "-Wl,-rpath," + bench.build, "-ltessera-mpi", "-ltessera", "-o",
                        bench.path("swap")], check=True)
        if "speed" in what:
            speed(bench, rounds)
        if "rules" in what:
            rules(bench, [bench.made("b"), bench.made("c")])
        if "model" in what:
            model(bench, rounds)


if __name__ == "__main__":
    main(*sys.argv[1:])
