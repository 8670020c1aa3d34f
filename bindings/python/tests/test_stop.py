"""Work that is interrupted, callbacks that fail, lines of progress."""
import signal
import threading
import time

import numpy as np
import pytest

import helpers
import tessera
from tessera import _arrays, _fitted, _progress
from tessera._library import Owned, lib
from tessera._tables import Options

LONG = """
import sys, warnings
import numpy as np, tessera
warnings.simplefilter("ignore")
X = np.random.RandomState(0).uniform(size=(300, 100))
model = tessera.%s
work = %s
print("now", flush=True)
try:
    work()
except KeyboardInterrupt:
    it = getattr(model, "model_", None)
    print("stopped", hasattr(model, "components_"), getattr(model, "n_iter_", 0), flush=True)
    if it is not None:
        assert len(model.history_) == model.n_iter_ and model.transform(X).shape == (300, 8)
    raise SystemExit(3)
"""

FIT = "Model('nmf', 8, tolerance=0, iterations=10**8, threads=%d, verbose=%s)"


def interrupted(kind, work="lambda: model.fit(X)", after=0.7):
    """What a process says that gets SIGINT at work, and how long it took to stop."""
    process = helpers.python(LONG % (kind, work))
    try:
        assert process.stdout.readline() == "now\n", process.stderr.read()
        time.sleep(after)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err, time.monotonic() - begun
    finally:
        process.kill()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("verbose", [False, True])
def test_fit(threads, verbose):
    """The model so far is kept, nothing is said of callbacks, and it stops at once."""
    code, out, err, seconds = interrupted(FIT % (threads, verbose))
    word, kept, iterations = out.split()
    assert (code, word, kept) == (3, "stopped", "True")
    assert int(iterations) >= 1
    assert seconds < 5
    assert "ignored" not in err and "Traceback" not in err
    assert bool(err) == verbose


def test_nmf():
    code, out, err, _ = interrupted("NMF(8, tol=0, max_iter=10**8)")
    assert (code, out.split()[:2], err) == (3, ["stopped", "True"], "")


def test_commands():
    """Those that are not fits stop as well."""
    work = "lambda: tessera.select(X, ranks='2-60', tolerance=0, iterations=100000)"
    code, out, err, seconds = interrupted("Model()", work)
    assert (code, out.split()[0], err) == (3, "stopped", "")
    assert seconds < 10


def test_many_signals():
    """However often, and wherever they strike."""
    for after in (0.31, 0.47, 0.53):
        process = helpers.python(LONG % (FIT % (1, True), "lambda: model.fit(X)"))
        try:
            assert process.stdout.readline() == "now\n"
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
            assert process.returncode != 0
        finally:
            process.kill()


def raw_fit(hear, iterations=50, verbose=False, samples=60):
    X = helpers.problem(samples)[0]
    options = Options("fit", {"rank": 3, "iterations": iterations, "tolerance": 0})
    return _fitted.fit(_arrays.to_data(X), options, verbose, hear)


class Odd(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError("odd"), KeyboardInterrupt(), Odd(), StopIteration()])
def test_errors_of_callbacks(error, capfd):
    """They do not pass through C: the model so far is good, and they are what stopped it."""
    steps = []

    def hear(step):
        steps.append(step.done)
        if len(steps) == 4:
            raise error

    model, stopped = raw_fit(hear)
    assert stopped is error
    assert len(steps) == 4
    assert 1 <= model.report.iterations < 50 and model.basis.shape == (3, 25)
    assert capfd.readouterr() == ("", "")


def test_callbacks_that_say_stop():
    steps = []
    model, stopped = raw_fit(lambda step: steps.append(step) or len(steps) < 5)
    assert stopped is None and len(steps) == 5
    assert model.report.iterations < 50
    assert {step.task for step in steps} and all(step.total == 50 for step in steps[1:])


def test_callbacks_hear_every_step():
    steps = []
    model, _ = raw_fit(steps.append)
    done = [step.done for step in steps]
    assert done == sorted(done) and done[-1] == 50
    objectives = [step.objective for step in steps if not np.isnan(step.objective)]
    assert objectives[-1] == pytest.approx(model.report.objective)


def test_errors_where_nothing_is_kept():
    """They take the place of what the library says."""
    data, out = _arrays.to_data(helpers.problem()[0]), Owned("tsr_selection_free")
    how, fit = Options("select", {"ranks": "2,3"}), Options("fit")
    with pytest.raises(ZeroDivisionError) as caught:
        with _progress.Progress(hear=lambda step: 1 / 0) as progress:
            fit.give("progress", progress)
            lib.tsr_select(out.out, data.at, fit.values, how.values)
    assert caught.value.__suppress_context__


def test_only_the_main_thread_is_interrupted():
    """Others do without callbacks, which want the interpreter's lock."""
    found = []
    thread = threading.Thread(target=lambda: found.append(_progress.Progress.wanted(False)))
    thread.start()
    thread.join()
    assert found == [False]
    assert _progress.Progress.wanted(False) and _progress.Progress.wanted(True)


def test_lines_of_progress(capfd):
    """They go to standard error, and only when they are asked for."""
    X = helpers.problem()[0]
    model = tessera.Model("nmf", 3, iterations=30, tolerance=0, verbose=True).fit(X)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert any("30 of 30" in line and f"J {model.objective_:.6g}" in line for line in lines), err
    assert len(lines) < 10  # some, not one an iteration
    tessera.Model("nmf", 3, iterations=30, tolerance=0).fit(X)
    tessera.NMF(3, max_iter=30, tol=0, verbose=0).fit(X)
    assert capfd.readouterr() == ("", "")
    tessera.NMF(3, max_iter=30, tol=0, verbose=1).fit(X)
    assert "30 of 30" in capfd.readouterr().err


def test_lines_on_a_terminal(monkeypatch):
    """One line, written over, and none left behind."""

    class Terminal:
        def __init__(self):
            self.text = ""

        def isatty(self):
            return True

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    clock = iter(range(10**6))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: float(next(clock)))
    raw_fit(None, verbose=True)
    assert terminal.text.count("\r") > 20
    assert terminal.text.count("\n") <= 2
