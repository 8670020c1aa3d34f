#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Teams beside threads, and a model of their time beside the clock.

usage: bench/team.py [BUILD [ROUNDS [speed,rules,model]]]     (build, 3, all)

  speed   seconds an iteration of 2 ranks of one thread beside 1 rank of 2 threads, by the default plan
          and by that of a team, in turn ROUNDS times: medians of ratios (dense (a), sparse (c))
  rules   KL, whose basis descends by feature alone and takes a bound in a team: iterations and words
          to within 1 % of the lower J
  model   seconds an iteration from flops, bandwidth and latency, whose constants come of other shapes
          and of bench/swap.c, beside the clock, on 1, 2 and 4 ranks of one thread; and what it says
          of 10^9 x 10^5 on a thousand machines

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
    for case in "ac":
        rank, data = solver_data.SHAPE[case][2], bench.made(case)
        for model, iterations in (("nmf", 24), ("nmf-kl", 12)):
            all_times = []
            for _ in range(rounds):
                all_times.append([bench.seconds(data, ranks, threads, rank, iterations, "--model",
                                                model, "--plan", plan) for ranks, threads, plan in
                                  ((1, 2, "auto"), (1, 2, "team"), (2, 1, "team"))])
            times = [statistics.median(column) for column in zip(*all_times)]
            ratios = [[t[i] / t[2] for t in all_times] for i in (0, 1)]
            print(f"| ({case}) {solver_data.TITLE[case]} | {model} | "
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

SHAPES = {False: [(3000, 1024, 40), (3000, 256, 40), (6000, 256, 10), (1500, 1024, 10),
                  (6000, 512, 20)],
          True: [(6000, 20000, 20), (12000, 20000, 20), (6000, 60000, 20), (12000, 20000, 10),
                 (12000, 60000, 10)]}


class Model:
    """Seconds of an iteration of squares, of ranks of one thread, in double precision:

        T(p) = W / min(p, processors) + (bytes / B + 10 log2(p) L) p / min(p, processors)
        W    = a E k + b n k^2 + c m k^2 + d m k leaves

    of E stored entries: products, codes, basis, sums that join. a to d are fitted to one rank's times
    on other shapes; B and L are those of bench/swap.c, bytes those that the plan says. Ranks that
    share a processor send one after another.
    """

    def __init__(self, bench, sparse):
        self.bench, self.sparse = bench, sparse
        self.net = json.loads(subprocess.run([*MPIRUN, "2", bench.path("swap")], check=True,
                                             stdout=subprocess.PIPE).stdout)
        times, work = [], []
        for samples, features, rank in SHAPES[sparse]:
            x = (solver_data.news(samples, features, 7, 130 * samples) if sparse
                 else solver_data.faces(samples, features, 7))
            data = bench.data(f"{samples}x{features}.h5", x)
            fitted = bench.fit(data, 1, 1, rank, 24, "--plan", "team")
            times.append(numpy.median(numpy.diff(fitted.seconds)[2:]))
            work.append(self.work(x.nnz if sparse else x.size, samples, features, rank, fitted))
        times, work = numpy.array(times), numpy.array(work)
        self.constants = non_negative(work / times[:, None])
        self.off = work @ self.constants / times - 1

    @staticmethod
    def work(entries, samples, features, rank, fitted):
        leaves = int(next(line for line in fitted.plan if " leaves" in line or " leaf" in line)
                     .split(" lea")[0].split()[-1])
        return [entries * rank, samples * rank ** 2, features * rank ** 2, features * rank * leaves]

    def seconds(self, ranks, work, sent):
        shared = ranks / min(ranks, PROCESSORS)
        once = numpy.dot(work, self.constants) / min(ranks, PROCESSORS)
        return once + self.talk(ranks, sent, self.net["bandwidth"], self.net["latency"]) * shared

    @staticmethod
    def talk(ranks, sent, bandwidth, latency):
        """A word of all before each of four meetings; three sums, halved and gathered again."""
        return sent / bandwidth + latency * 10 * numpy.ceil(numpy.log2(ranks))


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
        net = found.net
        print(f"\n({case}): a, b, c, d = " + ", ".join(f"{c:.3g}" for c in found.constants)
              + f" s; fitted to {100 * abs(found.off).max():.0f} %; a swap takes "
              f"{net['latency'] * 1e6:.1f} us and {net['bandwidth'] / 1e9:.2f} GB/s\n")
        print("| samples | ranks | the clock | the model | off | sent |\n|---|---:|---:|---:|---:|---:|")
        rank, data = solver_data.SHAPE[case][2], bench.made(case)
        x = solver_data.make(case, 0)
        for ranks in (1, 2, 4):
            fits = [bench.fit(data, ranks, 1, rank, 24, "--plan", "team") for _ in range(rounds)]
            clock = statistics.median(numpy.median(numpy.diff(f.seconds)[2:]) for f in fits)
            told = next((line for line in fits[0].plan if "MB sent a rank" in line), ", 0 MB sent")
            sent = 1e6 * float(told.split(" MB sent")[0].split()[-1])
            work = Model.work(x.nnz if case == "c" else x.size, *x.shape, rank, fits[0])
            said = found.seconds(ranks, work, sent)
            print(f"| ({case}) | {ranks} | {clock * 1e3:.1f} ms | {said * 1e3:.1f} ms | "
                  f"{100 * (said / clock - 1):+.0f} % | {sent / 1e6:.2f} MB |", flush=True)
        if case == "c":
            far(found)


def far(found):
    """Sparse samples of 10^9 x 10^5, 100 entries each, rank 20, on machines of 16 such processors with
    10 Gbit/s and 50 microseconds between them: threads of a rank share its samples."""
    samples, features, entries, rank, threads = 1e9, 1e5, 1e11, 20, 16
    a, b, c, _ = found.constants
    print("\n| machines | compute | the basis | words | messages | an iteration | of it, sending "
          "|\n|---:|---:|---:|---:|---:|---:|---:|")
    for ranks in (16, 125, 1000, 10000):
        compute = (a * entries * rank + b * samples * rank ** 2) / ranks / threads
        basis = c * features * rank ** 2 / ranks / threads
        sent = features * rank * (8 + 8) * (1 - 1 / ranks)
        words = sent / 1.25e9
        messages = Model.talk(ranks, 0, 1, 50e-6)
        both = compute + basis + words + messages
        print(f"| {ranks} | {compute:.2f} s | {basis:.1g} s | {words * 1e3:.0f} ms | "
              f"{messages * 1e3:.0f} ms | {both:.2f} s | {100 * (words + messages) / both:.0f} % |")


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
