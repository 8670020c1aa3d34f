#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What few labels are worth: every row, baselines and label propagation at 1, 2 and 5 labels a class.

    TESSERA_LIBRARY=build/libtessera.so bench/labels.py FOLDER [--sets yale,orl] [--methods raw,lda] [--each 50]

All samples are given, of few the class; the share of the others that is told right, in %: mean over the draws of
seeds 1 to 5. Every method has four settings, and encoders four readings of their codes: the class of the nearest
labelled code, k-means that starts at and holds the labelled ones, both of codes as they are and of unit length;
class-driven rows have a fifth, the largest block. Propagation has two: the largest score, and the largest where
the scores of each class are divided by their sum (Zhu et al. 2003). Setting and reading are those that are best
with 2 labels a class on the draws of seeds 100 and 101, for each set.

eth80: the 8 categories; scenes: 13 kinds, visual words; news: 20 groups, tf-idf; of these 50 samples a class. FOLDER
has the sets as bench/goals.py takes them; those that are not there are left out. A quarter of an hour.
"""
import argparse
import ctypes
import os
import random
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bindings", "python"))

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

import tessera
from tessera import _arrays
from tessera._library import Owned, lib
from tessera._tables import Options

TUNING, REPORTED, LABELS = (100, 101), (1, 2, 3, 4, 5), (1, 2, 5)
COMMON = {"normalize": "l2", "iterations": 30, "precision": "single", "threads": 1, "diffuse": 0}


# Sets -------------------------------------------------------------------------------------


def faces(path, _):
    data = tessera.read(path)
    return np.asarray(data.X, float), data.y


def pictures(path, each, **settings):
    """The same of each class every time."""
    data, draw = tessera.features(path, threads=1, **settings), np.random.RandomState(7)
    kept = [draw.permutation(np.flatnonzero(data.y == c))[:each] for c in np.unique(data.y)]
    kept = np.sort(np.concatenate(kept))
    x = np.asarray(data.X, float)[kept]
    return sparse.csr_matrix(x) if np.count_nonzero(x) < 0.3 * x.size else x, data.y[kept]


def texts(path, each):
    """A packed archive is read in its order: messages are chosen by their names first."""
    group, chosen = {}, set()
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                group.setdefault(member.name.split("/")[-2], []).append(member.name)
    for name in sorted(group):
        chosen.update(random.Random(name).sample(sorted(group[name]), each))
    with tempfile.TemporaryDirectory() as folder, tarfile.open(path) as archive:
        for member in archive:
            if member.name in chosen:
                member.name = "/".join((member.name.split("/")[-2], member.name.replace("/", "-")))
                archive.extract(member, folder)
        data = tessera.features(folder, kind="words", weigh="tf-idf", stop_words="english", minimum_documents=3)
    return data.X.astype(float), data.y


SETS = {
    "yale": ("yale/Yale_32x32.mat", faces),
    "orl": ("orl/ORL_32x32.mat", faces),
    "eth80": ("eth80", lambda path, each: pictures(path, each, kind="pixels", size="32x32")),
    "scenes": ("scene13", lambda path, each: pictures(path, each, kind="dsift")),
    "news": ("20news/20news-bydate.tar.xz", texts),
}


# Methods ----------------------------------------------------------------------------------


def each_of(*settings, **common):
    return [{**common, **one} for one in settings]


def grid(name, values, times=(1, 2), **common):
    """`times`: ranks as multiples of the number of classes."""
    return [{**common, name: value, "times": t} for value in values for t in times]


def rows(names, settings):
    return {name: (name, settings) for name in names.split()}


METHODS = {
    **rows("raw", each_of({"normalize": "none"}, {"normalize": "l2"}, {"normalize": "l1"}, {"normalize": "max"})),
    **rows("pca", grid("normalize", ["l2"], (0.5, 1, 2, 4))),
    **rows("lda", each_of({}, {"normalize": "none"}, {"normalize": "max"}, {"times": 0.5})),
    **rows("propagation", each_of({"neighbours": 3}, {"neighbours": 5}, {"neighbours": 10}, {"neighbours": 20})),
    **rows("nmf nmf-kl nmf-ncw cf unmf", grid("normalize", ["l2"], (1, 2, 3, 4))),
    **rows("gnmf sgnmf lccf ugnmf", grid("graph", (0.1, 1))),
    **rows("gnmf-kl", grid("graph", (0.01, 0.1))),
    **rows("cnmf cnmf-kl ccf", grid("init", ("auto", "means"))),
    **rows("cdnmf cdcf", grid("class", (0.1, 1), init="means")),
    **rows("cdnmf-kl", grid("class", (3, 10), init="means")),
    **rows("snmf", grid("cannot", (0.05, 1))),
    **rows("dsnmf", grid("cannot", (0.3, 3))),
    # what was found on the draws for tuning, all sets together
    "cdnmf-kl, joined": ("cdnmf-kl", each_of(
        {"times": 1, "graph": 0.1, "label-edge": 1, "neighbours": 3},
        {"times": 2, "graph": 0.1, "label-edge": 1, "neighbours": 3},
        {"times": 2},
        {"per-class": 1, "shared": 10, "class": 0.3}, init="means", **{"class": 3})),
}
LINEAR = ("pca", "lda")
BLOCKS = {row.name for row in tessera.models() if row.blocks}
BLIND = {"raw", "pca"} | {row.name for row in tessera.models() if "labels" not in row.uses}


class Fitted:
    """Codes of all samples, and the class that the learner saw of each, or -1."""

    def __init__(self, x, y, model, settings, labels, seed):
        self.names, self.truth = _arrays.encode_labels(y)
        settings = {**COMMON, **settings, "model": model, "seed": seed, "labelled": str(labels)}
        times = settings.pop("times", None)
        if times is not None:
            settings["rank"] = max(2, int(times * len(self.names)))
        self.blocks = settings.get("per-class", settings.get("rank", 0) // len(self.names))
        data = _arrays.to_data(x, _arrays.to_labels(self.names, self.truth))
        encoder = Owned("tsr_encoder_free", data)
        lib.tsr_encoder_fit(encoder.out, data.at, Options("fit", settings).values)
        self.codes = _arrays.from_matrix(lib.tsr_encoder_codes(encoder.at), encoder).copy()
        self.seen = _arrays.array_at(lib.tsr_encoder_seen(encoder.at), len(y), np.int32, encoder).copy()


def nearest(x, seen):
    of, matrix = np.empty(len(seen), np.int32), _arrays.to_matrix(x)
    lib.tsr_classify(_arrays._address(of), matrix.at, _arrays._address(seen), matrix.at, 1, 1)
    return of


def seeded(x, seen):
    of, matrix, cost = np.empty(len(seen), np.int32), _arrays.to_matrix(x), ctypes.c_double()
    how = Options("cluster", {"clusters": int(seen.max()) + 1, "threads": 1})
    how.give("held", _arrays._address(seen))
    lib.tsr_cluster(_arrays._address(of), ctypes.byref(cost), matrix.at, how.values)
    return of


def readings(model, fitted, seen):
    """Share of the samples without a label that is told right, by reading."""
    x = fitted.codes
    if model == "propagation":
        told = {"largest": x.argmax(1), "largest share": (x / x.sum(0)).argmax(1)}
    else:
        unit = normalize(x)
        told = {"nearest": nearest(x, seen), "nearest, unit": nearest(unit, seen),
                "seeded": seeded(x, seen), "seeded, unit": seeded(unit, seen)}
    if model in BLOCKS:
        k = len(fitted.names)
        told["block"] = x[:, :k * fitted.blocks].reshape(len(x), k, -1).sum(2).argmax(1)
    return {name: 100 * np.mean((of == fitted.truth)[seen < 0]) for name, of in told.items()}


class Judge:
    """Methods on one set. What learns nothing from labels is fitted once for all numbers of them."""

    def __init__(self, x, y):
        self.x, self.y, self.kept = x, y, {}
        self.dense = x.toarray() if sparse.issparse(x) else x

    def seen(self, labels, seed):
        """The labels that are shown do not depend on the method."""
        if (labels, seed) not in self.kept:
            self.kept[labels, seed] = Fitted(self.dense[:, :8], self.y, "raw", {"normalize": "none"}, labels, seed).seen
        return self.kept[labels, seed]

    def shares(self, name, at, labels, seed):
        model, settings = METHODS[name]
        x = self.dense if model in LINEAR else self.x
        if model not in BLIND:
            fitted = Fitted(x, self.y, model, settings[at], labels, seed)
            return readings(model, fitted, fitted.seen)
        if (name, at, seed) not in self.kept:
            self.kept[name, at, seed] = Fitted(x, self.y, model, settings[at], labels, seed)
        return readings(model, self.kept[name, at, seed], self.seen(labels, seed))

    def tuned(self, name):
        """The place of the setting, and the reading."""
        found = []
        for at in range(len(METHODS[name][1])):
            draws = [self.shares(name, at, 2, seed) for seed in TUNING]
            found += [(np.mean([draw[reading] for draw in draws]), -at, reading) for reading in draws[0]]
        return -max(found)[1], max(found)[2]

    def score(self, name):
        """Mean and deviation for each number of labels, and what they were had with."""
        at, reading = self.tuned(name)
        shares = [[self.shares(name, at, n, seed)[reading] for seed in REPORTED] for n in LABELS]
        settings = ", ".join(f"{key} {value}" for key, value in METHODS[name][1][at].items())
        return np.mean(shares, 1), np.std(shares, 1, ddof=1), f"{settings}; {reading}"


def show(title, x, classes, found):
    best = np.max([mean for mean, _, _ in found.values()], 0)
    print(f"\n**{title}**, {x.shape[0]} x {x.shape[1]}, {classes} classes; bold: within two points of the best\n")
    print("| method | " + " | ".join(f"{n} a class" for n in LABELS) + " | setting; reading |")
    print("|---|" + "---:|" * len(LABELS) + "---|")
    for name, (mean, deviation, how) in found.items():
        cells = [f"**{m:.1f}** ± {d:.1f}" if m >= b - 2 else f"{m:.1f} ± {d:.1f}"
                 for m, d, b in zip(mean, deviation, best)]
        print(f"| {name} | {' | '.join(cells)} | {how} |")
    sys.stdout.flush()


def conclude(table):
    """table: set -> method -> means. How far each method is from the best, over all sets and numbers."""
    print("\n**Points short of the best**\n\n| method | within two points | mean | worst | where |")
    print("|---|---:|---:|---:|---|")
    short = {}
    for name in next(iter(table.values())):
        short[name] = [(max(other[at] for other in found.values()) - found[name][at], f"{title}, {n}")
                       for title, found in table.items() for at, n in enumerate(LABELS)]
    for name, gaps in sorted(short.items(), key=lambda item: np.mean([gap for gap, _ in item[1]])):
        worst, where = max(gaps)
        print(f"| {name} | {sum(gap <= 2 for gap, _ in gaps)} of {len(gaps)} | {np.mean([gap for gap, _ in gaps]):.1f} "
              f"| {worst:.1f} | {where} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default="")
    parser.add_argument("--each", type=int, default=50)
    chosen, table = parser.parse_args(), {}
    methods = [name for name in METHODS if not chosen.methods or name in chosen.methods.split(",")]
    for title in chosen.sets.split(","):
        path = os.path.join(chosen.folder, SETS[title][0])
        if not os.path.exists(path):
            print(f"{title}: {path} is not there")
            continue
        x, y = SETS[title][1](path, chosen.each)
        judge, found = Judge(x, y), {}
        for name in methods:
            found[name] = judge.score(name)
        show(title, x, len(np.unique(y)), found)
        table[title] = {name: mean for name, (mean, _, _) in found.items()}
    if table:
        conclude(table)


if __name__ == "__main__":
    main()
