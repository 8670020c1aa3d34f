#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A fit of 1,000,000 x 1024 numbers in single precision: does it stay within 8 GB?

usage: bench/huge.py [TESSERA] [SAMPLES]     (build/tessera, 1000000)

Writes a .npy of 4 GB under TMPDIR, deleted after; runs `tessera fit` for three iterations with
rank 40 and samples its /proc status ten times a second. Pages of the mapped file (RssFile) can be
dropped by the kernel at any time; anonymous memory (RssAnon) is what the fit itself holds. The
whole (VmHWM) is held against the 8 GB.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy


def write(path, samples, features, rows=10000):
    """Mixtures of forty fixed parts, and noise."""
    random = numpy.random.default_rng(1)
    parts = random.random((40, features), numpy.float32)
    out = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (samples, features))
    for first in range(0, samples, rows):
        count = min(rows, samples - first)
        codes = random.standard_exponential((count, 40), numpy.float32) ** 2
        out[first:first + count] = codes @ parts + random.random((count, features), numpy.float32)
    out.flush()


def status(process):
    """Megabytes by name; empty when the process is gone."""
    try:
        with open(f"/proc/{process.pid}/status") as lines:
            words = [line.split() for line in lines if "kB" in line]
    except OSError:
        return {}
    return {word[0].rstrip(":"): int(word[1]) / 1000 for word in words}


def run(command):
    """Seconds, and the largest of each kind of memory."""
    most, clock = {}, time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        for name, value in status(process).items():
            most[name] = max(value, most.get(name, 0))
        time.sleep(0.1)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with {process.returncode}")
    return time.perf_counter() - clock, most


def main(tool="build/tessera", samples="1000000"):
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        path = os.path.join(folder, "x.npy")
        write(path, int(samples), 1024)
        seconds, most = run([tool, "fit", path, "--precision", "single", "--rank", "40",
                             "--iterations", "3", "--tolerance", "0", "--quiet", "-o",
                             os.path.join(folder, "model.h5")])
        print(f"{samples} x 1024 single, {os.path.getsize(path) / 1e9:.1f} GB: {seconds:.1f} s; "
              f"peak {most['VmHWM']:.0f} MB in all, anonymous {most['RssAnon']:.0f} MB, mapped file "
              f"{most['RssFile']:.0f} MB: "
              f"{'ok' if most['VmHWM'] < 8000 else 'short'} (goal < 8000 MB)")


if __name__ == "__main__":
    main(*sys.argv[1:])
