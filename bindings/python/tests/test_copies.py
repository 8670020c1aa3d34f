"""Arrays are used where they lie: nothing is copied that need not be, nothing is written."""
import ctypes
import mmap

import numpy as np
import pytest
import scipy.sparse as sp

import helpers
import tessera
from tessera import _arrays
from tessera._library import lib

MB = 1 << 20


class MallInfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks used free keepcost".split()
    ]


def allocated():
    """Bytes that malloc has given out."""
    try:
        call = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("there is no mallinfo2: glibc from 2.33 has it")
    call.restype = MallInfo
    said = call()
    return said.used + said.hblkhd


def growth(X):
    """Memory that data over X have, as a share of X, and where the library sees the values."""
    size = sum(part.nbytes for part in parts(X))
    before = allocated()
    data = _arrays.to_data(X)
    grown = (allocated() - before) / size
    values = lib.tsr_matrix_values(lib.tsr_data_samples(data.at))
    return grown, values


def parts(X):
    return (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)


def at(array):
    return array.__array_interface__["data"][0]


def dense(dtype=np.float64, size=64 * MB):
    features = 1024
    samples = size // np.dtype(dtype).itemsize // features
    return np.random.RandomState(0).uniform(size=(samples, features)).astype(dtype)


def sparse(index=np.int32, form=sp.csr_matrix):
    """About 64 MB."""
    draw = np.random.RandomState(0)
    samples, features, each = 10000, 20000, 500
    indices = np.sort(
        np.arange(each) * (features // each) + draw.randint(40, size=(samples, each)), axis=1
    )
    starts = np.arange(samples + 1) * each
    values = draw.uniform(size=samples * each)
    X = sp.csr_matrix((values, indices.ravel(), starts), shape=(samples, features))
    X = form(X)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    assert X.has_canonical_format
    return X


def frozen(X):
    X.flags.writeable = False
    return X


@pytest.mark.parametrize(
    "make",
    [
        lambda: dense(np.float64),
        lambda: dense(np.float32),
        lambda: dense(np.float64)[::2],
        lambda: dense(np.float64)[:, 100:900],
        lambda: frozen(dense(np.float32)),
    ],
    ids=["float64", "float32", "every other row", "some columns", "read-only"],
)
def test_dense_rows_are_viewed(make):
    X = make()
    grown, values = growth(X)
    assert values == at(X)
    assert abs(grown) < 0.01


@pytest.mark.parametrize("index, most", [(np.int32, 0.01), (np.int64, 0.27)])
def test_sparse_rows_are_viewed(index, most):
    """Of 64-bit indices the library makes its own of 32."""
    X = sparse(index)
    grown, values = growth(X)
    assert values == at(X.data)
    assert grown < most


@pytest.mark.parametrize(
    "make, most",
    [
        (lambda: np.asfortranarray(dense()), 1.05),
        (lambda: np.asfortranarray(dense(np.float32)), 1.05),
        (lambda: dense()[:, ::2], 1.05),
        (lambda: dense()[::-1], 1.05),
        (lambda: sparse(np.int32, sp.csc_matrix), 1.05),
        (lambda: sparse(np.int64, sp.csc_matrix), 1.3),
    ],
    ids=["columns", "columns float32", "every other column", "backwards", "csc", "csc 64"],
)
def test_others_are_copied_once(make, most):
    X = make()
    grown, values = growth(X)
    assert values != at(parts(X)[0])
    assert 0.7 < grown < most


def test_other_types_are_turned_once():
    X = np.random.RandomState(0).randint(200, size=(8192, 1024)).astype(np.uint8)
    before = allocated()
    data = _arrays.to_data(X)
    assert (allocated() - before) / (8 * X.nbytes) < 1.05
    assert lib.tsr_matrix_type(lib.tsr_data_samples(data.at)) == _arrays.FLOAT64
    del data
    assert allocated() - before < MB


def seen_by_fit(monkeypatch, estimator, X):
    """Where the values lie that the library fits."""
    found = []
    call = lib.tsr_fit

    def spy(out, data, options):
        found.append(lib.tsr_matrix_values(lib.tsr_data_samples(data)))
        return call(out, data, options)

    monkeypatch.setattr(lib, "tsr_fit", spy)
    helpers.quiet(estimator.fit, X)
    return found[0]


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_estimators_do_not_copy(monkeypatch, kind, dtype):
    X = helpers.problem(60, 30)[0].astype(dtype)
    for samples in (X, X[::2], X[:, 3:20]):
        assert seen_by_fit(monkeypatch, kind(n_components=3), samples) == at(samples)
    rows = sp.csr_matrix(X)
    assert seen_by_fit(monkeypatch, kind(n_components=3), rows) == at(rows.data)


def test_layouts_have_the_same_result():
    X = helpers.problem(60, 30)[0]
    X[X < np.median(X)] = 0
    wide = np.zeros((60, 90))
    wide[:, 30:60] = X
    tall = np.zeros((120, 30))
    tall[::2] = X
    dense_forms = [X, np.asfortranarray(X), wide[:, 30:60], tall[::2], X[::-1][::-1], X.tolist()]
    rows, columns = sp.csr_matrix(X), sp.csc_matrix(X)
    long = sp.csr_matrix(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    sparse_forms = [rows, columns, long, sp.coo_matrix(X)]
    if hasattr(sp, "csr_array"):
        sparse_forms.append(sp.csr_array(X))
    for row in ("nmf", "nmf-kl"):
        codes = []
        for forms in (dense_forms, sparse_forms):
            made = [tessera.Model(row, 4, iterations=400, tolerance=0).fit(x) for x in forms]
            for model in made[1:]:
                assert helpers.same_bits(model.components_, made[0].components_)
                assert helpers.same_bits(model.codes_, made[0].codes_)
            codes.append([made[0].transform(x) for x in forms])
            for other in codes[-1][1:]:
                assert helpers.same_bits(other, codes[-1][0])
        np.testing.assert_allclose(codes[0][0], codes[1][0], rtol=0, atol=1e-5)


def test_entries_twice_or_out_of_order():
    X = np.array([[3.0, 0, 1], [0, 2, 0], [1, 1, 5]])
    mixed = sp.csr_matrix(
        ([1.0, 1, 2, 2, 5, 1, 1], [2, 0, 0, 1, 2, 0, 1], [0, 3, 4, 7]), shape=(3, 3)
    )
    before = mixed.data.copy()
    found = tessera.Model("nmf", 2).fit(mixed)
    assert helpers.same_bits(found.codes_, tessera.Model("nmf", 2).fit(sp.csr_matrix(X)).codes_)
    assert (mixed.data == before).all()


def test_nothing_is_written(tmp_path):
    """Memory that may not be written, and arrays that may, are as before."""
    X = helpers.problem(60, 64)[0]
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    with open(tmp_path / "raw", "wb") as file:
        file.write(X.tobytes())
    with open(tmp_path / "raw", "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    pages = np.frombuffer(memory, np.float64).reshape(X.shape)
    columns = np.asfortranarray(X)
    rows = sp.csr_matrix(X)
    for samples in (X, mapped, pages, columns, rows, sp.csc_matrix(X)):
        before = [part.tobytes() for part in parts(samples)]
        for settings in ({}, {"normalize": "l2"}, {"weighting": "ncw"}, {"loss": "kl"}):
            model = tessera.Model("nmf", 3, iterations=5, tolerance=0, **settings).fit(samples)
            model.transform(samples)
            model.score(samples)
        assert [part.tobytes() for part in parts(samples)] == before
    del pages


def test_parts_are_views_that_outlive_the_model():
    model = tessera.Model("nmf", 3).fit(helpers.problem()[0])
    basis, codes, copy = model.components_, model.codes_, model.components_.copy()
    assert at(basis) == lib.tsr_matrix_values(lib.tsr_model_basis(model.model_.at))
    assert not basis.flags.writeable and not codes.flags.writeable
    del model, codes
    for _ in range(20):
        tessera.Model("nmf", 3).fit(helpers.problem(seed=1)[0])
    assert helpers.same_bits(basis, copy)


WHOLE_FIT = """
import sys
import numpy as np
import tessera
sys.path.insert(0, sys.argv[1])
from helpers import status_kb
X = np.empty((25000, 1000), sys.argv[2])
draw = np.random.default_rng(0)
for i in range(0, len(X), 1000):
    X[i:i + 1000] = draw.random((1000, 1000))
model = tessera.Model("nmf", 5, iterations=1, tolerance=0, precision=sys.argv[3])
before = status_kb("VmHWM")
model.fit(X)
print((status_kb("VmHWM") - before) * 1024 / X.nbytes)
"""


@pytest.mark.slow
@pytest.mark.parametrize("dtype, precision", [("float64", "double"), ("float32", "single")])
def test_memory_of_a_whole_fit(dtype, precision):
    """200 MB of float64, or 100 of float32."""
    share = float(helpers.python_says(WHOLE_FIT, helpers.HERE, dtype, precision))
    print(f"fit of {dtype}: VmHWM + {share:.3f} x the array")
    assert share < 0.3
