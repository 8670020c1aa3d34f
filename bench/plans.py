#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What reading the samples once an iteration and in their order costs in iterations.

usage: bench/plans.py TESSERA FILE[,FILE..] [RANK [MODEL,MODEL.. [ITERATIONS]]]

Each model is fitted twice from the same start, seed 0: by the plan that data in memory get, and by
--plan stream, which data that stay in their file get. Printed, as lines of a Markdown table: the
iterations of either to within 1 % of the lower J of the two, seconds an iteration (one thread), and
how far the end of the second is from that of the first. Iterations are counted, so that other work
on the machine changes no more than the seconds.
"""
import json
import os
import subprocess
import sys
import tempfile


def column(tool, model, name, folder):
    path = os.path.join(folder, "column.csv")
    subprocess.run([tool, "convert", f"{model}:{name}", "-q", "-o", path], check=True,
                   stdout=subprocess.DEVNULL)
    with open(path) as lines:
        return [float(line) for line in lines]


def fit(tool, data, folder, *options):
    """What is J after each iteration, the seconds of one, and the basis's rule."""
    model = os.path.join(folder, "model.h5")
    text = subprocess.run([tool, "fit", data, "--tolerance", "0", "--json", "-q", "-o", model,
                           "--threads", "1", *options], check=True, stdout=subprocess.PIPE).stdout
    report = json.loads(text)
    return (column(tool, model, "objective", folder), report["seconds"] / report["iterations"],
            report["plan"][0].split("(")[0].split(":")[1].strip())


def main(tool, files, rank="20", models="nmf,nmf-kl,cf,cnmf-kl", iterations="300"):
    print("| samples | model | basis | iterations to 1 % | basis, streamed | iterations to 1 % "
          "| s an iteration | J at the end |")
    print("|---|---|---|---:|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="tessera-bench-") as folder:
        for data in files.split(","):
            for model in models.split(","):
                runs = [fit(tool, data, folder, "--model", model, "--rank", rank, "--init",
                            "random", "--iterations", iterations, "--plan", plan)
                        for plan in ("auto", "stream")]
                goal = 1.01 * min(run[0][-1] for run in runs)
                at = [next((i + 1 for i, j in enumerate(run[0]) if j <= goal),
                           f"> {iterations}") for run in runs]
                off = 100 * (runs[1][0][-1] / runs[0][0][-1] - 1)
                print(f"| {os.path.basename(data)} | {model} | {runs[0][2]} | {at[0]} | "
                      f"{runs[1][2]} | {at[1]} | {runs[0][1]:.3g}, {runs[1][1]:.3g} | "
                      f"{off:+.2f} % |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
