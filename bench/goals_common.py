# SPDX-License-Identifier: BSD-2-Clause
"""What the rows of bench/goals.py share: goals and values, the libraries, real data, scikit-learn.

A row of the table is (name, what, goals, measure): goals by the name of a part, "" where there is
one only; measure(bench) gives a value by the same names. Values are numbers, Values with a word
beside them, or a Value without a number where nothing could be measured.
"""
import os
import statistics
import subprocess
import tarfile
import time
import warnings

import numpy
from scipy import sparse

from solver_tessera import Tessera

warnings.filterwarnings("ignore")
NEVER = float("inf")


class Goal:
    """A number to reach from above or below, in a unit."""

    def __init__(self, number, most, unit):
        self.number, self.most, self.unit = number, most, unit

    def __str__(self):
        return f"{'<=' if self.most else '>='} {self.number:g}{self.unit}"

    def verdict(self, value):
        """yes, or by which part of the goal it is missed; an upper bound on what is small and a
        lower one on what is large are as good as the number."""
        if value.number == NEVER:
            return "no"
        if value.number <= self.number if self.most else value.number >= self.number:
            return "yes"
        if value.bound:
            return "not known"
        if self.number == 0:
            return f"short by {value.number:.3g}{self.unit}"
        off = value.number / self.number if self.most else self.number / value.number
        return f"short by {off:.2f} x" if off < 100 else "no"


def least(number, unit=" x"):
    return Goal(number, False, unit)


def most(number, unit=" x"):
    return Goal(number, True, unit)


class Value:
    """A measured number, with a word; `bound`: it is more than that."""

    def __init__(self, number, word="", bound=False):
        self.number, self.word, self.bound = number, word, bound

    def show(self, unit):
        if self.number is None:
            return "-"
        number = "never" if self.number == NEVER else f"{self.number:.3g}{unit}"
        return ("> " if self.bound else "") + number


def nothing(word):
    return Value(None, word)


class Bench:
    """The libraries, the tools beside them, and what was asked for."""

    def __init__(self, options, folder):
        self.options, self.folder, self.sets = options, folder, {}
        self.quick, self.seeds = options.quick, range(1, 2 if options.quick else 4)
        self.clock = time.process_time if options.by_processor else time.perf_counter
        self.ours = Tessera(options.library, options.by_processor)
        self.before = Tessera(options.before, options.by_processor) if options.before else None
        self.libraries = [self.ours] + ([self.before] if self.before else [])

    def tool(self, library=None):
        return os.path.join(os.path.dirname(os.path.abspath(library or self.options.library)), "tessera")

    def note(self, text):
        print("    " + text, flush=True)

    def real(self, name):
        """Samples of a real set, or None where it is absent; made once."""
        if name not in self.sets:
            path = os.path.join(self.options.data or "", SETS[name][0])
            there = self.options.data and os.path.exists(path)
            self.sets[name] = SETS[name][1](self, path) if there else None
        return self.sets[name]

    def made(self, name, words):
        """The path of what the tool makes with these words."""
        path = os.path.join(self.options.made or self.folder, name)
        if not os.path.exists(path):
            subprocess.run([self.tool(), *words, "-q", "-o", path], check=True, stdout=subprocess.DEVNULL)
        return path


def from_mat(bench, path):
    from scipy.io import loadmat
    return numpy.ascontiguousarray(loadmat(path)["fea"], float)


def pictures(bench, path):
    return numpy.load(bench.made("eth80.npy", ["features", path, "--kind", "pixels", "--size",
                                               "32x32"])).astype(float)


def scenes(bench, path):
    return numpy.load(bench.made("scene13.npy", ["features", path, "--kind", "dsift"])).astype(float)


def messages(bench, path):
    """Counts of the usual 61,188 words in all 18,846 messages."""
    texts = os.path.join(bench.folder, "texts")
    if not os.path.exists(os.path.join(bench.options.made or bench.folder, "news.npz")):
        with tarfile.open(path) as archive:
            for member in archive:
                parts = member.name.split("/")
                if member.isfile():
                    member.name = "/".join([parts[-2], parts[0] + parts[-1]])
                    archive.extract(member, texts)
    words = os.path.join(os.path.dirname(path), "vocabulary.txt")
    out = sparse.load_npz(bench.made("news.npz", ["features", texts, "--kind", "words",
                                                  "--dictionary", words])).tocsr().astype(float)
    out.sort_indices()
    return out


SETS = {"orl": ("orl/ORL_32x32.mat", from_mat), "yale": ("yale/Yale_32x32.mat", from_mat),
        "eth80": ("eth80", pictures), "scene13": ("scene13", scenes),
        "news": ("20news/20news-bydate.tar.xz", messages)}


def mixtures(samples, features, rank):
    """Generated dense samples of a few more parts than are looked for, with noise, and a start."""
    random = numpy.random.default_rng(1)
    x = random.random((samples, rank + 5)) @ random.random((rank + 5, features))
    x += 0.1 * random.random((samples, features))
    return x, (random.random((rank, features)), random.random((samples, rank)))


def sklearn_seconds(bench, x, start, iterations):
    """Seconds of a call of scikit-learn's coordinate descent."""
    from sklearn.decomposition import non_negative_factorization
    basis, codes = start[0].copy(), start[1].copy()
    begin = bench.clock()
    non_negative_factorization(x, W=codes, H=basis, n_components=len(basis), init="custom", tol=0,
                               max_iter=iterations, solver="cd")
    return bench.clock() - begin


def step(bench, x, start=None, iterations=6, **settings):
    """Seconds of an iteration of ours; of processor time the difference of two lengths."""
    run = lambda count: bench.ours.fit(x, start, factors=False, tolerance=0, threads=1, iterations=count,
                                       **settings)
    if not bench.options.by_processor:
        return run(iterations).step()
    return (run(iterations).call - run(2).call) / (iterations - 2)


def reached(objective, target):
    """Iterations until the target; NEVER where it was not met."""
    met = numpy.flatnonzero(numpy.asarray(objective) <= target)
    return int(met[0]) + 1 if len(met) else NEVER


def told(needs):
    """A number of iterations as it is shown."""
    return "no end" if needs == NEVER else str(needs)


def middle(values):
    return statistics.median(values)
