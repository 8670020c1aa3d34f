#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fits of data that are larger than the memory they may take.

usage: bench/huge.py [TESSERA] [SAMPLES] [ROUNDS] [ENTRIES]     (build/tessera, 1000000, 3, 0)

Writes SAMPLES x 1024 numbers in single precision under TMPDIR (4 GB a million), deleted after, and
prints for rank 40:

  limit   three iterations with --memory under a plain `ulimit -v` of 4 GB plus the codes: seconds
          an iteration, what the file gives a second, and the peak of resident memory
  ratio   up to two million samples, whose file stays in the page cache: an iteration that reads
          the file beside the same plan in memory, ROUNDS times in turn; the median of ratios. An
          iteration is what three cost more than one, so that neither start nor end count
  sparse  if ENTRIES > 0 in place of both: an .npz of so many, 100 a sample of 100,000 features,
          becomes an .h5 by `tessera convert --memory`, and is fitted under the limit with rank 20
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

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


def write_sparse(path, samples, each=100, features=100000, rows=20000):
    """Rows of `each` entries, few features being in many of them, as scipy.sparse.save_npz has them."""
    random = numpy.random.default_rng(1)
    column = (features * random.random((rows, 2 * each)) ** 3).astype(numpy.int32)
    column = numpy.stack([numpy.sort(random.permutation(numpy.unique(c))[:each])
                          for c in column])
    value = numpy.ceil(3 * random.random((rows, each), numpy.float32) ** 2)

    def put(name, dtype, shape, parts):
        with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
            numpy.lib.format.write_array_header_1_0(
                out, {"descr": dtype, "fortran_order": False, "shape": shape})
            for part in parts:
                out.write(memoryview(numpy.ascontiguousarray(part)).cast("B"))

    def turns():
        own = numpy.random.default_rng(2)
        for first in range(0, samples, rows):
            yield own.permutation(rows)[:min(rows, samples - first)]

    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        put("indices", "<i4", (samples * each,), (column[turn] for turn in turns()))
        put("indptr", "<i8", (samples + 1,),
            [numpy.arange(0, samples * each + 1, each, dtype=numpy.int64)])
        put("format", "|S3", (), [numpy.frombuffer(b"csr", numpy.uint8)])
        put("shape", "<i8", (2,), [numpy.array([samples, features])])
        put("data", "<f4", (samples * each,), (value[turn] for turn in turns()))


def bounded(command, limit=None):
    """What a command prints, its seconds, and its peak of resident memory."""
    def bound():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=bound)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed with {status}")
    return text, time.perf_counter() - begin, usage.ru_maxrss * 1024


def run(tool, path, folder, iterations, *options, limit=None, rank=RANK):
    """The report of a fit, with the seconds of the whole and the peak of resident memory."""
    text, seconds, peak = bounded(
        [tool, "fit", path, "--precision", "single", "--rank", str(rank), "--iterations",
         str(iterations), "--tolerance", "0", "--json", "--quiet", "-o",
         os.path.join(folder, "model.h5"), *options], limit)
    report = json.loads(text)
    report["whole"], report["peak"] = seconds, peak
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


def sparse(tool, folder, entries, rank=20):
    samples, packed = entries // 100, os.path.join(folder, "x.npz")
    path = os.path.join(folder, "x.h5")
    write_sparse(packed, samples)
    _, seconds, peak = bounded([tool, "convert", packed, "--memory", "2G", "-q", "-o", path])
    print(f"sparse: {os.path.getsize(packed) / 1e9:.1f} GB of .npz to .h5 with --memory 2G: "
          f"{seconds:.0f} s, peak resident {peak / 1e9:.2f} GB", flush=True)
    os.remove(packed)
    bound = 4 * GIB + samples * rank * 4
    for loss in ("frobenius", "kl"):
        r = run(tool, path, folder, 3, "--memory", str(bound), "--loss", loss, "--init", "random",
                limit=bound, rank=rank)
        print(f"sparse, {loss}: {samples} samples, {entries} entries, --memory and ulimit -v of "
              f"{bound / 1e9:.2f} GB: {r['seconds'] / 3:.1f} s an iteration, {r['whole']:.0f} s in "
              f"all, peak resident {r['peak'] / 1e9:.2f} GB", flush=True)


def main(tool="build/tessera", samples="1000000", rounds="3", entries="0"):
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        if int(entries) > 0:
            sparse(tool, folder, int(entries))
            return
        path = os.path.join(folder, "x.npy")
        write(path, int(samples))
        limit(tool, path, folder, int(samples))
        if int(samples) <= 2000000:
            ratio(tool, path, folder, int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])
