"""What several tests need: small data, the tool, other processes."""
import json
import os
import subprocess
import sys
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)
CHECKOUT = os.path.join(PACKAGE, "..", "..")
TOOL = os.environ.get("TESSERA_TOOL") or os.path.join(CHECKOUT, "build", "tessera")


def problem(samples=40, features=25, classes=3, seed=0):
    """Samples of a few parts each class prefers, and their classes."""
    draw = np.random.RandomState(seed)
    y = np.arange(samples) % classes
    parts = draw.gamma(0.5, size=(2 * classes, features))
    codes = draw.gamma(0.3, size=(samples, 2 * classes))
    codes[np.arange(samples), y] += 2
    return codes @ parts + 0.01 * draw.uniform(size=(samples, features)), y


def run_tool(*arguments, cwd=None):
    """What the tool prints; it must succeed."""
    said = subprocess.run(
        [TOOL, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=120
    )
    assert said.returncode == 0, said.stderr
    return said.stdout


def tool_json(*arguments, cwd=None):
    return json.loads(run_tool(*arguments, "--json", cwd=cwd))


def environment():
    """Of a process that finds the same package."""
    paths = [PACKAGE] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    return dict(os.environ, PYTHONPATH=os.pathsep.join(map(os.path.abspath, paths)))


def python(code, *arguments, **more):
    """A process that runs some Python."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        **more,
    )


def python_says(code, *arguments, timeout=100):
    """What it prints; it must succeed."""
    process = python(code, *arguments)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    assert process.returncode == 0, err
    return out


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def quiet(call, *arguments, **more):
    """A call whose warnings are of no interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **more)


def status_kb(name, pid="self"):
    """A figure of /proc/PID/status in kB: VmRSS, VmHWM."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    raise KeyError(name)
