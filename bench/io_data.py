# SPDX-License-Identifier: BSD-2-Clause
"""Files for bench/io.py, from a fixed seed: a table, two Matrix Market files and a large .npy."""
import os

import numpy as np
import pandas as pd


def table(path, rows=100_000, columns=100):
    """rows x columns doubles in [0, 1) with all their digits, under a header."""
    x = np.random.default_rng(1).random((rows, columns))
    pd.DataFrame(x, columns=[f"c{j}" for j in range(columns)]).to_csv(path, index=False)


def market(path, ordered, entries=10_000_000, rows=100_000, columns=50_000):
    """Coordinates in random order, or row by row as most programs write them."""
    random = np.random.default_rng(2)
    i, j = random.integers(0, rows, entries), random.integers(0, columns, entries)
    if ordered:
        place = np.lexsort((j, i))
        i, j = i[place], j[place]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} {entries}\n")
        frame = pd.DataFrame({"i": i + 1, "j": j + 1, "value": random.random(entries)})
        frame.to_csv(file, sep=" ", header=False, index=False)


def array(path, gigabytes=1):
    """A .npy of doubles that is as large as told and mostly a hole in the file."""
    rows = gigabytes * 2**30 // (8 * 1024)
    np.lib.format.open_memmap(path, mode="w+", dtype="<f8", shape=(rows, 1024)).flush()
    return os.path.getsize(path)
