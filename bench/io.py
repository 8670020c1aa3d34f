#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tessera's readers against pandas, SciPy and NumPy on one machine, in one run.

usage: bench/io.py [TESSERA] [REPETITIONS]     (build/tessera, 3)

Repetitions are interleaved, medians and their ratios are printed. Each measurement of pandas,
SciPy and NumPy runs in a process of its own but is timed inside, after the imports; those of
Tessera include the start of its process, since that is what its users wait for.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

try:
    import numpy
    import pandas
    import scipy
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    sys.exit(0)

sys.path.insert(0, HERE)
import io_data  # noqa: E402  (after the check of what it needs)

TIMED = """
import sys, time, resource
{imports}
path, out = sys.argv[1:]
faults = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[6:8])
before, start = faults(), time.perf_counter()
{body}
print(time.perf_counter() - start, faults() - before)
"""


def python(imports, body):
    """A measurement of some Python: seconds and page faults."""
    code = TIMED.format(imports=imports, body=body)

    def measure(path, out):
        done = subprocess.run([sys.executable, "-c", code, path, out], check=True,
                              capture_output=True, text=True)
        return [float(word) for word in done.stdout.split()]

    return measure


def command(*words):
    """A measurement of a command; PATH and OUT stand for the files."""

    def measure(path, out):
        line = [{"PATH": path, "OUT": out}.get(word, word) for word in words]
        start = time.perf_counter()
        subprocess.run(line, check=True, capture_output=True)
        return [time.perf_counter() - start, float("nan")]

    return measure


def opener(tool, folder):
    """A measurement of tsr_data_read alone, by bench/open_npy.c; None where it cannot be built."""
    build, program = os.path.dirname(os.path.abspath(tool)), os.path.join(folder, "open_npy")
    line = [os.environ.get("CC", "cc"), "-O2", "-I" + os.path.join(HERE, "..", "include"),
            os.path.join(HERE, "open_npy.c"), "-L" + build, "-ltessera", "-Wl,-rpath," + build,
            "-o", program]
    if subprocess.run(line, check=False, capture_output=True).returncode != 0:
        return None

    def measure(path, _):
        done = subprocess.run([program, path], check=True, capture_output=True, text=True)
        return [float(word) for word in done.stdout.split()]

    return measure


def compare(title, path, out, repetitions, ours, theirs):
    """Prints medians of both sides, each a (name, measurement), and the ratio of the first."""
    taken = {ours[0]: [], theirs[0]: []}
    for _ in range(repetitions):
        for name, measure in (ours, theirs):
            taken[name].append(measure(path, out))
            if os.path.exists(out):
                os.remove(out)
    medians = {name: [statistics.median(column) for column in zip(*rows)]
               for name, rows in taken.items()}
    print(f"{title}: {theirs[0]} / {ours[0]} = "
          f"{medians[theirs[0]][0] / medians[ours[0]][0]:.2f}")
    for name, rows in taken.items():
        seconds = [row[0] for row in rows]
        faults = medians[name][1]
        also = "" if faults != faults else f", {faults:.0f} page faults"
        print(f"    {name:28} {medians[name][0]:9.4f} s  ({min(seconds):.4f} .. "
              f"{max(seconds):.4f}){also}")
    sys.stdout.flush()


def main(tool="build/tessera", repetitions="3"):
    if not os.access(tool, os.X_OK):
        sys.exit(f"{tool}: no such program; build it first, or name it")
    print(f"numpy {numpy.__version__}, pandas {pandas.__version__}, scipy {scipy.__version__}, "
          f"{os.cpu_count()} processors")
    count = int(repetitions)
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        path, out = os.path.join(folder, "x.csv"), os.path.join(folder, "out.npy")
        io_data.table(path)
        size = os.path.getsize(path) / 1e6
        compare(f"csv to npy, 100000 x 100, {size:.0f} MB", path, out, count,
                ("tessera convert", command(tool, "convert", "--quiet", "PATH", "-o", "OUT")),
                ("pandas.read_csv, np.save", python(
                    "import pandas, numpy",
                    "numpy.save(out, pandas.read_csv(path).to_numpy())")))
        compare("csv, reading and one scan", path, out, count,
                ("tessera info", command(tool, "info", "--quiet", "PATH")),
                ("pandas.read_csv", python("import pandas", "pandas.read_csv(path).to_numpy()")))
        compare("csv, one thread each", path, out, count,
                ("tessera info --threads 1",
                 command(tool, "info", "--quiet", "--threads", "1", "PATH")),
                ("pandas.read_csv", python("import pandas", "pandas.read_csv(path).to_numpy()")))
        os.remove(path)
        for ordered in (True, False):
            path = os.path.join(folder, "x.mtx")
            io_data.market(path, ordered)
            how = "row by row" if ordered else "in random order"
            compare(f"mtx, 10^7 entries {how}, {os.path.getsize(path) / 1e6:.0f} MB", path, out,
                    count, ("tessera info", command(tool, "info", "--quiet", "PATH")),
                    ("scipy.io.mmread", python("import scipy.io", "scipy.io.mmread(path)")))
            os.remove(path)
        path = os.path.join(folder, "x.npy")
        size = io_data.array(path)
        measure = opener(tool, folder)
        if measure is None:
            print("npy: open_npy.c cannot be built here, not measured")
        else:
            compare(f"npy, opening {size / 2**30:.0f} GiB", path, out, max(count, 5),
                    ("tsr_data_read", measure),
                    ("np.load(mmap_mode='r')", python("import numpy",
                                                      "x = numpy.load(path, mmap_mode='r')")))


if __name__ == "__main__":
    main(*sys.argv[1:])
