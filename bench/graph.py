#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whether the default of the graph rows is at least as good as the paper's own rule, stopped as published.

    TESSERA_LIBRARY=build/libtessera.so bench/graph.py FOLDER [--sets orl,news] [--seeds 5] [--norms l2,none] [--diffuse 0,2]

NMI and accuracy of k-means (20 starts) on the codes of gnmf, into as many clusters as classes: by the multiplicative
rule at weight 100 after 100 steps, and by default with the codes diffused at 0 (not), 0.5, 1, 2 (the default) and 4. Mean and standard error over the seeds of the starts. No labels are seen.

orl: 40 people; eth80: 80 objects in 41 views; scenes: 13 kinds, visual words of dense SIFT; caltech: 10 categories,
visual words of SIFT; news: 20 groups, 200 messages each, tf-idf without function words; yale: 15 people. Without any file:
digits, scikit-learn's 1,797 of them; turning: 20 made-up things seen from 72 sides. FOLDER has the sets as
bench/labels.py takes them, and caltech10; those that are not there are left out. eth80 takes half an hour, the others
a quarter.
"""
import argparse
import os
import re
import sys
import warnings

import numpy as np

from labels import faces, pictures, texts  # which finds the package

import tessera

MU = {"solver": "mu", "graph": 100, "weight_unit": "one", "iterations": 100, "tolerance": 0, "init": "random"}


def objects(path, _):
    data = tessera.read(path, size="32x32")
    of = [f"{c}/{re.search('object[0-9]+', n).group()}" for c, n in zip(data.y, data.sample_names)]
    return np.asarray(data.X, float), np.array(of)


def digits(_, __):
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.data, data.target


def turning(_, __):
    """Five random faces of each thing, blended smoothly as it turns, with a little noise."""
    from scipy.ndimage import gaussian_filter

    draw, x, y = np.random.RandomState(0), [], []
    for thing in range(20):
        side = [np.maximum(gaussian_filter(draw.normal(size=(24, 24)), 1.5 + draw.rand()), 0) for _ in range(5)]
        shape = np.hypot(*np.mgrid[-1:1:24j, -1:1:24j]) < 0.5 + 0.5 * draw.rand()
        for view in range(72):
            near = np.exp(2 * np.cos(2 * np.pi * (view / 72 - np.arange(5) / 5)))
            picture = np.tensordot(near / near.sum(), side, 1) * shape
            x.append(picture.ravel() + 0.01 * draw.rand(24 * 24))
            y.append(thing)
    return np.array(x), np.array(y)


SETS = {
    "orl": ("orl/ORL_32x32.mat", faces),
    "eth80": ("eth80", objects),
    "scenes": ("scene13", lambda path, _: pictures(path, 210, kind="dsift")),
    "caltech": ("caltech10", lambda path, _: pictures(path, 10**6, kind="sift", vocabulary=500, small="zero")),
    "news": ("20news/20news-bydate.tar.xz", lambda path, _: texts(path, 200)),
    "yale": ("yale/Yale_32x32.mat", faces),
    "digits": ("", digits),
    "turning": ("", turning),
}


def judge(x, y, norm, way, seeds):
    found = []
    for seed in range(1, seeds + 1):
        k = len(np.unique(y))
        model = tessera.Model("gnmf", n_components=k, normalize=norm, random_state=seed, threads=1, **way).fit(x)
        scores = tessera.cluster(model.diffused_, y, clusters=k, restarts=20, threads=1, seed=seed).scores
        found.append((100 * scores.nmi, 100 * scores.accuracy))
    mean, error = np.mean(found, 0), np.std(found, 0, ddof=1) / np.sqrt(seeds)
    return f"{mean[0]:.1f} ± {error[0]:.1f} ({mean[1]:.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--norms", default="l2,none")
    parser.add_argument("--diffuse", default="0,0.5,1,2,4")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    ways = {"mu, 100 steps": MU}
    ways.update({f"diffuse {w}": {"diffuse": float(w)} for w in asked.diffuse.split(",")})
    print("| set | samples | " + " | ".join(ways) + " |")
    print("|---|---|" + "---:|" * len(ways), flush=True)
    for name in asked.sets.split(","):
        path, read = SETS[name]
        path = os.path.join(asked.folder, path)
        if not os.path.exists(path):
            print(f"{name}: {path} is not there, left out", file=sys.stderr)
            continue
        x, y = read(path, 10**6)
        for norm in asked.norms.split(","):
            cells = [judge(x, y, norm, way, asked.seeds) for way in ways.values()]
            length = "unit length" if norm == "l2" else "as they are"
            print(f"| {name} | {length} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
