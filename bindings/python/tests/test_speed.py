"""What the package adds to the library's own time."""
import statistics
import time

import numpy as np
import pytest

import helpers
import tessera
from tessera import _arrays, _fitted
from tessera._library import lib
from tessera._tables import Options


@pytest.fixture
def inside(monkeypatch):
    """Seconds within tsr_fit, added up."""
    spent = [0.0]
    call = lib.tsr_fit

    def timed(*arguments):
        begun = time.perf_counter()
        try:
            return call(*arguments)
        finally:
            spent[0] += time.perf_counter() - begun

    monkeypatch.setattr(lib, "tsr_fit", timed)
    return spent


def added(make, X, inside, times=50):
    """Median of the seconds of a fit that are not the library's."""
    found = []
    for i in range(times + 3):
        model = make()
        inside[0] = 0.0
        begun = time.perf_counter()
        model.fit(X)
        found.append(time.perf_counter() - begun - inside[0])
    return statistics.median(found[3:])


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
def test_fit(kind, inside):
    X = np.random.RandomState(0).uniform(size=(100, 20))
    seconds = helpers.quiet(added, lambda: kind(n_components=5), X, inside)
    print(f"{kind.__name__}.fit adds {1e3 * seconds:.2f} ms")
    assert seconds < 0.005


def test_a_step():
    """A callback between iterations costs microseconds, so that Ctrl-C can be had always."""
    data = _arrays.to_data(np.random.RandomState(0).uniform(size=(20, 8)))
    iterations = 20000

    def seconds(interruptible):
        options = Options(
            "fit", {"rank": 2, "iterations": iterations, "tolerance": 0, "threads": 1}
        )
        begun = time.perf_counter()
        if interruptible:
            _fitted.fit(data, options)
        else:
            model = tessera._library.Owned("tsr_model_free")
            lib.tsr_fit(model.out, data.at, options.values)
        return time.perf_counter() - begun

    seconds(True)
    with_it = min(seconds(True) for _ in range(5))
    without = min(seconds(False) for _ in range(5))
    each = (with_it - without) / iterations
    print(f"a callback: {1e6 * each:.2f} us an iteration of {1e6 * without / iterations:.2f}")
    assert each < 5e-6


def test_transform_of_one_sample():
    """As a service would ask for it."""
    X = np.random.RandomState(0).uniform(size=(100, 20))
    for model in (tessera.Model("nmf", 5, threads=1).fit(X), tessera.NMF(5, tol=1e-3).fit(X)):
        found = []
        for i in range(50):
            begun = time.perf_counter()
            model.transform(X[i : i + 1])  # noqa: E203
            found.append(time.perf_counter() - begun)
        print(
            f"{type(model).__name__}.transform of a sample: {1e3 * statistics.median(found):.2f} ms"
        )
        assert statistics.median(found) < 0.005


def test_arrays_are_not_looked_through():
    """Data over 64 MB are made in no time."""
    X = np.ones((8192, 1024))
    begun = time.perf_counter()
    for _ in range(100):
        _arrays.to_data(X)
    seconds = (time.perf_counter() - begun) / 100
    print(f"data over 64 MB: {1e6 * seconds:.0f} us")
    assert seconds < 0.001
