#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The goals of speed, measured: what, goal, measured, reached.

usage: bench/goals.py [LIBTESSERA.so] [--before LIBTESSERA.so] [--only NAME,...] [--data FOLDER]
                      [--made FOLDER] [--by-processor] [--quick]

At most 90 minutes on an idle machine with two processors; --only takes rows, or groups by the word
before the dot (--list shows them). The tools lie beside the libraries. FOLDER of --data holds
orl/ORL_32x32.mat, yale/Yale_32x32.mat, eth80/, scene13/ and 20news/ (20news-bydate.tar.xz,
vocabulary.txt); what is absent is skipped with a word. --made keeps what is made of them. All in
one thread but for the threads' rows; ratios above 1 mean that Tessera, or the newer, is faster.
"""
import argparse
import os
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import numpy
    import scipy
    import sklearn
except ImportError as missing:
    print(f"nothing to compare with: {missing}")
    sys.exit(0)

import goals_cost
import goals_peer
import goals_real
from goals_common import Bench, Value

ROWS = goals_cost.ROWS + goals_real.ROWS + goals_peer.ROWS


def read_options():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library", nargs="?", default="build/libtessera.so")
    parser.add_argument("--before", help="a library to stand beside")
    parser.add_argument("--only", type=words, help="rows, or groups of them")
    parser.add_argument("--data", metavar="FOLDER", help="real data sets")
    parser.add_argument("--made", metavar="FOLDER", help="where what is made of them is kept")
    parser.add_argument("--by-processor", action="store_true",
                        help="seconds of processor time, for a machine that is busy; not of threads")
    parser.add_argument("--quick", action="store_true", help="one seed, shorter searches")
    parser.add_argument("--list", action="store_true", help="names of the rows")
    return parser.parse_args()


def chosen(only):
    """Rows by name or by group."""
    asked = set(only or ())
    known = {row[0] for row in ROWS} | {row[0].split(".")[0] for row in ROWS}
    if asked - known:
        sys.exit(f"no such row: {', '.join(sorted(asked - known))}; --list shows them")
    return [row for row in ROWS if not only or row[0] in asked or row[0].split(".")[0] in asked]


def show(cells):
    what, goal, measured, verdict, word = cells
    print(f"{what:84} {goal:>9} {measured:>10}  {verdict:18} {word}", flush=True)


def run(bench, row):
    """Measures a row and shows each of its parts; how many were reached, and missed."""
    _, what, goals, measure = row
    count = [0, 0]
    for part, value in measure(bench).items():
        value, goal = value if isinstance(value, Value) else Value(value), goals[part]
        verdict = "skipped" if value.number is None else goal.verdict(value)
        if value.number is not None:
            count[verdict != "yes"] += 1
        show((f"{what} {part}".strip(), str(goal), value.show(goal.unit), verdict, value.word))
    return count


def main():
    options = read_options()
    rows = chosen(options.only)
    if options.list:
        sys.exit("\n".join(row[0] for row in rows))
    for library in filter(None, (options.library, options.before)):
        if not os.path.exists(library):
            sys.exit(f"{library}: no such library; build it first, or name it")
    if options.by_processor:
        os.environ["BENCH_BY_PROCESSOR"] = "1"
    print(f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, scipy {scipy.__version__}, "
          f"{os.cpu_count()} processors, {'processor time' if options.by_processor else 'clock'}")
    show(("what", "goal", "measured", "reached", ""))
    begin, total = time.time(), [0, 0]
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        bench = Bench(options, folder)
        for row in rows:
            total = [a + b for a, b in zip(total, run(bench, row))]
    print(f"reached {total[0]} of {sum(total)}, in {(time.time() - begin) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
