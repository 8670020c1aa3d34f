#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fits of data that are larger than the memory they may take.

usage: bench/huge.py [TESSERA] [SAMPLES] [ROUNDS]     (build/tessera, 1000000, 3)

Writes SAMPLES x 1024 numbers in single precision under TMPDIR (4 GB a million), deleted after, and
prints for rank 40:

  limit   three iterations with --memory under a plain `ulimit -v` of 4 GB plus the codes: seconds
          an iteration, what the file gives a second, and the peak of resident memory
  ratio   up to two million samples, whose file stays in the page cache: an iteration that reads
          the file beside the same plan in memory, ROUNDS times in turn; the median of ratios. An
          iteration is what three cost more than one, so that neither start nor end count
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

FEATURES, RANK, GIB = 1024, 40, 1 << 30


def write(path, samples, rows=20000):
    """Mixtures of forty fixed parts and noise, their sizes drawn anew for each sample."""
    random = numpy.random.default_rng(1)
    parts = random.random((RANK, FEATURES), numpy.float32) * (
        random.random((RANK, FEATURES)) < 0.3)
    codes = random.standard_exponential((rows, RANK), numpy.float32)
    base = codes @ parts + 0.1 * random.random((rows, FEATURES), numpy.float32)
    with open(path, "wb") as out:
        numpy.lib.format.write_array_header_1_0(
            out, {"descr": "<f4", "fortran_order": False, "shape": (samples, FEATURES)})
        for first in range(0, samples, rows):
            count = min(rows, samples - first)
            size = 0.5 + random.random((count, 1), numpy.float32)
            out.write(memoryview(base[random.permutation(rows)[:count]] * size).cast("B"))
        out.flush()
        os.fsync(out.fileno())


def run(tool, path, folder, iterations, *options, limit=None):
    """The report of a fit, with the seconds of the whole and the peak of resident memory."""
    def bound():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    begin = time.perf_counter()
    process = subprocess.Popen(
        [tool, "fit", path, "--precision", "single", "--rank", str(RANK), "--iterations",
         str(iterations), "--tolerance", "0", "--json", "--quiet", "-o",
         os.path.join(folder, "model.h5"), *options],
        stdout=subprocess.PIPE, preexec_fn=bound)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"tessera fit {' '.join(options)} failed with {status}")
    report = json.loads(text)
    report["whole"] = time.perf_counter() - begin
    report["peak"] = usage.ru_maxrss * 1024
    return report


def limit(tool, path, folder, samples):
    codes = samples * RANK * 4
    bound = 4 * GIB + codes
    r = run(tool, path, folder, 3, "--memory", str(bound), limit=bound)
    each, size = r["seconds"] / 3, os.path.getsize(path)
    print(f"limit: {samples} x {FEATURES}, {size / 1e9:.1f} GB, --memory and ulimit -v of "
          f"{bound / 1e9:.2f} GB: {each:.1f} s an iteration ({size / each / 1e6:.0f} MB/s), "
          f"{r['whole']:.0f} s in all, peak resident {r['peak'] / 1e9:.2f} GB, "
          f"J {r['objective']:.6g}")


def ratio(tool, path, folder, rounds):
    for loss, goal in (("frobenius", 1.15), ("kl", 1.3)):
        ratios, seconds = [], []
        for _ in range(rounds):
            pair = []
            for memory in ("0", "2G"):
                one, three = (run(tool, path, folder, i, "--plan", "stream", "--loss", loss,
                                  "--memory", memory)["seconds"] for i in (1, 3))
                pair.append((three - one) / 2)
            seconds.append(pair)
            ratios.append(pair[1] / pair[0])
        held, read = (statistics.median(pair[i] for pair in seconds) for i in (0, 1))
        middle = statistics.median(ratios)
        print(f"ratio, {loss}: {read:.2f} s an iteration from the file, {held:.2f} s in memory: "
              f"{middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f}); goal {goal}: "
              f"{'ok' if middle <= goal else 'short'}")


def main(tool="build/tessera", samples="1000000", rounds="3"):
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        path = os.path.join(folder, "x.npy")
        write(path, int(samples))
        limit(tool, path, folder, int(samples))
        if int(samples) <= 2000000:
            ratio(tool, path, folder, int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])
