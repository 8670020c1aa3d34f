# SPDX-License-Identifier: BSD-2-Clause
"""Two builds of the tool beside each other: bench/beside.py OLD NEW. What an iteration costs of every
row of the table, dense and sparse, and of single precision; rounds interleaved, one thread, medians.
A ratio above 1 means that NEW is faster. Needs NumPy and SciPy."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy
import scipy.sparse

ROUNDS = 7
COSTLY = {"nmf-kl", "gnmf-kl", "cnmf-kl", "cdnmf-kl", "dsnmf", "cf", "cdcf", "lccf", "ccf"}


def draw(folder):
    """400 labelled samples of 1,024 features, ten classes; the same with 5 % of the entries."""
    random = numpy.random.default_rng(1)
    parts = random.gamma(0.5, size=(30, 1024))
    codes = random.gamma(0.5, size=(400, 30))
    classes = numpy.arange(400) % 10
    codes[numpy.arange(400), classes] += 3
    dense = codes @ parts + 0.1 * random.random((400, 1024))
    sparse = scipy.sparse.csr_matrix(dense * (random.random(dense.shape) < 0.05))
    numpy.savetxt(os.path.join(folder, "classes.csv"), classes, fmt="%d")
    numpy.save(os.path.join(folder, "dense.npy"), dense)
    scipy.sparse.save_npz(os.path.join(folder, "sparse.npz"), sparse)


def cost(tool, folder, data, model, words):
    """Milliseconds of an iteration."""
    iterations = 8 if model in COSTLY else 25
    answer = subprocess.run(
        [tool, "fit", os.path.join(folder, data), "--labels", os.path.join(folder, "classes.csv"),
         "-m", model, "-k", "20", "--labelled", "10", "--threads", "1", "--tolerance", "0",
         "--iterations", str(iterations), "--json", "-q", *words],
        capture_output=True, text=True, check=True)
    return 1000 * json.loads(answer.stdout)["seconds"] / iterations


def main():
    tools = sys.argv[1:3]
    rows = json.loads(subprocess.run([tools[0], "models", "--json"], capture_output=True, text=True,
                                     check=True).stdout)["models"]
    cases = [(r["model"], data, words) for r in rows
             for data, words in (("dense.npy", ()), ("sparse.npz", ()), ("dense.npy", ("--solver", "mu")))]
    cases += [(m, "dense.npy", ("--precision", "single")) for m in ("nmf", "nmf-kl", "gnmf")]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        draw(folder)
        print(f"{'row':9} {'data':11} {'':20} {'old ms':>8} {'new ms':>8} ratio")
        for model, data, words in cases:
            times = [[], []]
            for _ in range(ROUNDS):
                for side in (0, 1):
                    times[side].append(cost(tools[side], folder, data, model, words))
            old, new = map(statistics.median, times)
            ratios.append(old / new)
            print(f"{model:9} {data:11} {' '.join(words):20} {old:8.2f} {new:8.2f} {old / new:5.2f}",
                  flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}, lowest {min(ratios):.2f}, "
          f"highest {max(ratios):.2f}, of {len(ratios)}")


main()
