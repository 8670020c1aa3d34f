"""Many small fits, and many errors, leave nothing behind."""
import gc

import pytest

import helpers
import tessera
from tessera._fitted import Fitted
from tessera._library import Owned
from tessera._progress import Progress
from tessera._tables import Options

PREAMBLE = """
import sys, warnings
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
import numpy as np, scipy.sparse as sp, tessera
import gc
from helpers import status_kb
X = np.random.RandomState(0).uniform(size=(20, 8))
S, F, y = sp.csr_matrix(X), np.asfortranarray(X), np.arange(20) % 2
"""

MEASURE = """
warm, times = int(sys.argv[2]), int(sys.argv[3])
for i in range(warm):
    once(i)
gc.collect()
before = status_kb("VmRSS")
for i in range(times):
    once(i)
gc.collect()
print(status_kb("VmRSS") - before)
"""

FITS = """
def once(i):
    model = tessera.Model("nmf", 2, iterations=3, tolerance=0, threads=1)
    model.fit((X, S, F)[i % 3])
"""

USES = """
names = [f"feature {j}" for j in range(8)]
data = tessera.Data(X, np.array(["a", "b"] * 10), list("abcdefghijklmnopqrst"), names, (2, 4),
                    "row", "memory", "memory", [])
def once(i):
    model = tessera.Classifier("cdnmf", 2, iterations=3, tolerance=0, threads=1).fit(data)
    model.predict_proba(X), model.model_.terms, model.model_.plan, model.history_
    model.model_.settings, model.model_.labels, model.model_.feature_names
    tessera.NMF(2, max_iter=3, tol=0).fit_transform(S)
    tessera.terms(model), tessera.cluster(model, restarts=2), tessera.info(X)
"""

ERRORS = """
wrong = [
    lambda: tessera.Model("nmf", 2, iterations="x").fit(X),
    lambda: tessera.Model("no such", 2).fit(X),
    lambda: tessera.Model("nmf", 2).fit(-X),
    lambda: tessera.Model("cdnmf", 2).fit(X, ["a", 1] * 10),
    lambda: tessera.Model("nmf", 2, init_basis=X, init_codes=X).fit(X),
    lambda: tessera.load(b"/no/such/file.h5"),
    lambda: tessera.write("/no/such/folder/x.npy", X),
    lambda: tessera.select(X, ranks="x"),
    lambda: tessera._fitted.fit(tessera._arrays.to_data(X), tessera._tables.Options("fit"),
                                hear=lambda step: 1 / 0)[1].no_such,
]
def once(i):
    try:
        wrong[i % len(wrong)]()
    except Exception:
        return
    raise SystemExit(f"{i % len(wrong)} was no error")
"""


def grown(body, warm, times):
    """Growth of resident memory in kB."""
    code = PREAMBLE + body + MEASURE
    found = int(helpers.python_says(code, helpers.HERE, warm, times, timeout=500))
    print(f"{times} times: {found} kB")
    return found


@pytest.mark.parametrize("body", [FITS, ERRORS], ids=["fits", "errors"])
def test_a_thousand(body):
    assert grown(body, 500, 1000) < 2048


def test_uses():
    assert grown(USES, 50, 100) < 2048


@pytest.mark.slow
@pytest.mark.parametrize("body", [FITS, ERRORS], ids=["fits", "errors"])
def test_ten_thousand(body):
    assert grown(body, 500, 10000) < 2048


@pytest.mark.slow
def test_many_uses():
    assert grown(USES, 300, 1000) < 2048


KINDS = (Fitted, Options, Owned, Progress)


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
def test_models_are_freed_at_once(kind):
    """No cycle holds them until a collector comes by."""
    X = helpers.problem()[0]
    helpers.quiet(kind(n_components=3).fit_transform, X)
    gc.collect()
    gc.disable()
    try:
        before = {id(it) for it in gc.get_objects() if isinstance(it, KINDS)}
        helpers.quiet(kind(n_components=3).fit_transform, X)
        now = [it for it in gc.get_objects() if isinstance(it, KINDS)]
        assert [it for it in now if id(it) not in before] == []
    finally:
        gc.enable()
