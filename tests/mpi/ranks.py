# SPDX-License-Identifier: BSD-2-Clause
"""How these tests call the tool: alone, or on so many ranks of MPI, never for ever; and what a model
has come to, bit by bit."""
import os
import subprocess

import numpy
import tessera

PATIENCE = 120  # seconds, after which a call stands still
MPIRUN = ["mpirun", "-q", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]


def command(build, ranks, words, tool="tessera-mpi"):
    if ranks == 1:
        return [os.path.join(build, "tessera"), *words]
    return [*MPIRUN, "-n", str(ranks), os.path.join(build, tool), *words]


def run(build, ranks, words, tool="tessera-mpi"):
    """What it says; a failure is an exception with its words."""
    done = subprocess.run(command(build, ranks, words, tool), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} on {ranks} ranks: {done.stdout.decode()}")
    return done.stdout.decode()


def arrays(path):
    fitted = tessera.load(path).model_
    parts = (fitted.basis, fitted.codes, fitted.weights, fitted.objective)
    return [numpy.ascontiguousarray(part).tobytes() for part in parts if part is not None]
