#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tessera's bags of words beside scikit-learn's CountVectorizer, on the same files.

usage: bench/words.py [TESSERA] [FOLDER] [REPETITIONS]     (build/tessera, -, 3)

FOLDER holds texts in sub-folders, such as the 20 Newsgroups messages; "-" makes a corpus of its
own: 5,000 texts of words drawn by Zipf's law. Both read the files, split them into lower-case
words of two or more letters and digits, and build a sparse matrix of counts; CountVectorizer is
given the same rule as a pattern, and its own pattern besides. Tessera
is a whole process, from its start to its summary; the peer is timed inside Python. Repetitions are
interleaved, medians and processor times are shown, ratios above 1 mean that Tessera is faster. The
words and the number of entries must agree.
"""
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import sklearn
    from sklearn.feature_extraction.text import CountVectorizer
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    sys.exit(0)


def make_corpus(folder):
    random = numpy.random.default_rng(1)
    letters = numpy.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = ["".join(random.choice(letters, size=2 + int(random.gamma(3, 2)))) for _ in range(60000)]
    for i in range(5000):
        place = os.path.join(folder, f"class{i % 20}")
        os.makedirs(place, exist_ok=True)
        chosen = random.zipf(1.2, size=int(random.gamma(2, 150))) % len(words)
        with open(os.path.join(place, str(i)), "w") as file:
            file.write(" ".join(words[c].capitalize() if c % 9 == 0 else words[c] for c in chosen))


def run_tessera(tool, folder, threads):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    out = subprocess.run([tool, "features", folder, "--kind", "words", "--headers", "--json", "-q",
                          "--threads", str(threads)], check=True, capture_output=True).stdout
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = json.loads(out)
    stored = round(shown["density"] * shown["samples"] * shown["features"])
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, (
        shown["samples"], shown["features"], stored)


def run_peer(files, pattern):
    start, used = time.perf_counter(), time.process_time()
    x = CountVectorizer(input="filename", encoding="latin1", token_pattern=pattern).fit_transform(
        files)
    return time.perf_counter() - start, time.process_time() - used, (*x.shape, x.nnz)


def main(tool="build/tessera", folder="-", repetitions="3"):
    if not os.path.exists(tool):
        sys.exit(f"{tool}: no such tool; build it first, or name it")
    with tempfile.TemporaryDirectory() as made:
        if folder == "-":
            folder = made
            make_corpus(folder)
        files = sorted(glob.glob(os.path.join(folder, "*", "*")))
        size = sum(os.path.getsize(name) for name in files)
        runs = {"tessera, 1 thread": lambda: run_tessera(tool, folder, 1),
                "tessera, 2 threads": lambda: run_tessera(tool, folder, 2),
                "sklearn, same words": lambda: run_peer(files, r"(?u)[^\W_]{2,}"),
                "sklearn, as it comes": lambda: run_peer(files, r"(?u)\b\w\w+\b")}
        taken = {name: [] for name in runs}
        for _ in range(int(repetitions)):
            for name, run in runs.items():
                taken[name].append(run())
    print(f"words of {len(files)} texts, {size / 1e6:.1f} MB; scikit-learn {sklearn.__version__}, "
          f"{os.cpu_count()} processors")
    ours = [[statistics.median(r[i] for r in taken[name]) for i in (0, 1)] for name in list(runs)[:2]]
    for name, results in taken.items():
        wall, used = (statistics.median(r[i] for r in results) for i in (0, 1))
        print(f"    {name:22} {wall:8.3f} s, processor {used:.3f} s; {results[0][2][1]} words, "
              f"{results[0][2][2]} counts" + ("" if name.startswith("tessera") else
              f"   / tessera = {wall / ours[0][0]:.1f} (1), {wall / ours[1][0]:.1f} (2 threads)"))
    if taken["tessera, 1 thread"][0][2] != taken["sklearn, same words"][0][2]:
        print("    the words differ: bytes beyond ASCII are read as UTF-8 first here")


if __name__ == "__main__":
    main(*sys.argv[1:])
