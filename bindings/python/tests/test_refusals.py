"""Wrong input: the conventional exception, and a sentence that says what is wrong."""
import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import helpers
import tessera

X, OF = helpers.problem()
BAD = X.copy()
BAD[3, 4] = np.nan
INFINITE = X.copy()
INFINITE[3, 4] = np.inf

SAMPLES = [
    ("one dimension", X[0], ValueError, "1D array|1 dimension"),
    ("three dimensions", np.ones((3, 4, 5)), ValueError, "dim"),
    ("a number", 3.0, ValueError, "scalar array|0 dimensions"),
    ("nothing", None, (ValueError, TypeError), "None|NaN|number|scalar"),
    ("no samples", np.ones((0, 5)), ValueError, r"0 sample\(s\)"),
    ("no features", np.ones((5, 0)), ValueError, r"0 feature\(s\)"),
    ("complex", X * 1j, ValueError, "Complex data not supported"),
    ("texts", np.array([["a", "b"], ["c", "d"]]), ValueError, "could not convert|dtype"),
    ("objects", np.array([[1, "a"], [2, None]], object), (ValueError, TypeError), "convert|number"),
    ("mappings", np.array([[{}, 1], [2, 3]], object), TypeError, "argument must be"),
    ("ragged", [[1.0, 2], [3]], ValueError, "setting an array|inhomogeneous"),
    ("NaN", BAD, ValueError, "NaN"),
    ("infinite", INFINITE, ValueError, "infinity"),
    ("sparse NaN", sp.csr_matrix(BAD), ValueError, "NaN"),
    ("negative", -X, ValueError, "Negative values in data passed to"),
    ("sparse negative", sp.csr_matrix(-X), ValueError, "Negative values in data passed to"),
]


def sentence(problem):
    """Words, and none of the command line's dashes."""
    said = str(problem)
    assert len(said.split()) >= 3, said
    assert not re.search(r"(^|\s)--[a-z]", said), said
    return said


def refused(call, error, words):
    with pytest.raises(error) as caught:
        helpers.quiet(call)
    assert re.search(words, sentence(caught.value), re.S), str(caught.value)


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF, tessera.Classifier])
@pytest.mark.parametrize("name, samples, error, words", SAMPLES, ids=[row[0] for row in SAMPLES])
def test_samples_of_estimators(kind, name, samples, error, words):
    count = samples.shape[0] if hasattr(samples, "shape") and samples.ndim else 2
    y = np.arange(count) % 2 if kind is tessera.Classifier else None
    refused(lambda: kind(n_components=2).fit(samples, y), error, words)


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
@pytest.mark.parametrize("name, samples, error, words", SAMPLES, ids=[row[0] for row in SAMPLES])
def test_samples_of_transform(kind, name, samples, error, words):
    model = kind(n_components=2).fit(X)
    words = words if "negative" not in name else "[Nn]egative"
    refused(lambda: model.transform(samples), error, words + "|features")


@pytest.mark.parametrize(
    "samples, error, words",
    [
        (X[0], ValueError, "1 dimensions; samples x features are two: X.reshape"),
        (np.ones((3, 4, 5)), ValueError, "3 dimensions"),
        (X * 1j, TypeError, "X has values of type complex128"),
        (np.array([["a", "b"]]), TypeError, "X has values of type <U1"),
        (np.array([[1, "a"]], object), TypeError, "no number"),
        (np.array([["2020-01-01"]], "M8[D]"), TypeError, "numbers are wanted"),
        (np.ones((0, 5)), ValueError, "sample"),
        (object(), (TypeError, ValueError), "number|dimensions"),
    ],
    ids=str,
)
def test_samples_of_commands(samples, error, words):
    refused(lambda: tessera.cluster(samples, clusters=2), error, words)


VALUES = [
    ("n_components", 3.0, ValueError),
    ("n_components", True, ValueError),
    ("n_components", 0, ValueError),
    ("n_components", -2, ValueError),
    ("n_components", "3", ValueError),
    ("iterations", -1, ValueError),
    ("iterations", 1.5, ValueError),
    ("iterations", "many", ValueError),
    ("iterations", True, TypeError),
    ("iterations", np.nan, ValueError),
    ("iterations", [], (TypeError, ValueError)),
    ("iterations", {}, TypeError),
    ("iterations", object(), TypeError),
    ("tolerance", 2, ValueError),
    ("tolerance", -0.1, ValueError),
    ("tolerance", np.inf, ValueError),
    ("tolerance", np.bool_(True), TypeError),
    ("solver", "fast", ValueError),
    ("solver", 1, ValueError),
    ("threads", 10**6, ValueError),
    ("threads", -1, ValueError),
    ("restarts", 0, ValueError),
    ("init", "no-such-start", (ValueError, OSError)),
    ("class_", -3.0, ValueError),
    ("label_edge", "x", ValueError),
    ("kernel_degree", 0.5, ValueError),
    ("labelled", "half", ValueError),
    ("random_state", -1, ValueError),
    ("random_state", 2**60, ValueError),
    ("random_state", "x", ValueError),
    ("image_shape", (4, 4), ValueError),
    ("image_shape", 25, ValueError),
    ("image_shape", (5, 5, 1), ValueError),
    ("image_shape", "square", ValueError),
    ("model", "no-such-model", ValueError),
    ("model", None, ValueError),
    ("model", 3, ValueError),
    ("mask", np.ones((2, 2)), ValueError),
    ("mask", object(), (TypeError, ValueError)),
]


@pytest.mark.parametrize("name, value, error", VALUES, ids=[f"{r[0]}={r[1]!r:.20}" for r in VALUES])
def test_values(name, value, error):
    """The message has the name that the argument has here."""
    words = {"init": "no-such-start", "image_shape": "image"}.get(name, name)
    if name == "random_state" and value == "x":
        words = "seed"  # scikit-learn's own words
    settings = dict({"model": "nmf", "n_components": 3}, **{name: value})
    refused(lambda: tessera.Model(**settings).fit(X), error, words)


def test_image_order():
    refused(
        lambda: tessera.Model(image_shape=(5, 5), image_order="z").fit(X), ValueError, "image_order"
    )


@pytest.mark.parametrize(
    "name, value",
    [
        ("n_components", 2.0),
        ("n_components", "many"),
        ("n_components", True),
        ("init", "best"),
        ("solver", "newton"),
        ("beta_loss", "l1"),
        ("beta_loss", 1.5),
        ("beta_loss", []),
        ("tol", -1),
        ("tol", "x"),
        ("max_iter", 0),
        ("max_iter", 1.5),
        ("max_iter", True),
        ("alpha_W", -1),
        ("alpha_W", np.nan),
        ("alpha_H", "other"),
        ("alpha_H", -1.0),
        ("l1_ratio", 2),
        ("l1_ratio", None),
    ],
)
def test_values_of_nmf(name, value):
    settings = dict({"n_components": 2}, **{name: value})
    refused(lambda: tessera.NMF(**settings).fit(X), ValueError, f"{name}=")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: tessera.Model(iteration=3), "no setting 'iteration'; did you mean 'iterations'"),
        (lambda: tessera.Model(rank=3), "Model has no setting 'rank'"),
        (lambda: tessera.Classifier(predictby="x"), "did you mean 'predict_by'"),
        (lambda: tessera.Model("nmf", 3, 0, None, None, "row", False, 7), "by position"),
        (lambda: tessera.read("x", lables="y"), "read has no setting 'lables'; .*'labels'"),
        (lambda: tessera.features("x", kinds="y"), "did you mean 'kind'"),
        (lambda: tessera.cluster(X, cluster=3), "cluster has no setting 'cluster'"),
        (lambda: tessera.select(X, ranks=[2], rules="best"), "did you mean 'rule'"),
        (lambda: tessera.read("x", progress=None), "read has no setting 'progress'"),
        (lambda: tessera.overlay("x", "y", opacit=1), "overlay has no setting|wanted"),
        (lambda: tessera.Model().set_params(iteration=3), None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_names_of_settings(call, words):
    if words is None:
        refused(call, ValueError, "Invalid parameter 'iteration'")
    else:
        refused(call, (TypeError, OSError), words + "|cannot open")


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF, tessera.Classifier])
def test_unfitted(kind):
    model = kind()
    for method in "transform inverse_transform predict predict_proba resume".split():
        if hasattr(model, method):
            refused(lambda: getattr(model, method)(X), NotFittedError, "is not fitted yet")
    assert not hasattr(model, "components_")


def test_unfitted_models_of_commands(tmp_path):
    for call in (
        lambda: tessera.save(tessera.Model(), tmp_path / "m.h5"),
        lambda: tessera.terms(tessera.Model()),
        lambda: tessera.rank(tessera.Classifier()),
        lambda: tessera.cluster(tessera.Model()),
    ):
        refused(call, NotFittedError, "is not fitted yet")
    for call in (lambda: tessera.terms(X), lambda: tessera.save(3, tmp_path / "m.h5")):
        refused(call, TypeError, "a fitted model or the path of one is wanted")


def test_other_features():
    for kind in (tessera.Model, tessera.NMF):
        model = kind(n_components=2).fit(X)
        refused(
            lambda: model.transform(X[:, :7]), ValueError, "X has 7 features, but .* 25 features"
        )
    model = tessera.Classifier().fit(X, OF)
    refused(lambda: model.predict(X[:, :7]), ValueError, "X has 7 features, but .* 25 features")


def test_files_that_are_none(tmp_path):
    (tmp_path / "text.h5").write_text("no archive")
    np.savez(tmp_path / "data.npz", X=X)
    (tmp_path / "empty.h5").write_bytes(b"")
    tessera.write(tmp_path / "data.h5", X)
    for name in ("text.h5", "data.npz", "empty.h5", "data.h5"):
        refused(lambda: tessera.load(tmp_path / name), (ValueError, tessera.Error), name)
    refused(lambda: tessera.load(tmp_path / "none.h5"), OSError, "No such file")
    refused(lambda: tessera.read(tmp_path / "none.npz"), OSError, "No such file")
    refused(lambda: tessera.load(tmp_path), (OSError, ValueError), "directory|folder|file")
    refused(lambda: tessera.read("a\0b"), ValueError, "NUL")
    refused(
        lambda: tessera.write(tmp_path / "x.z", X), (tessera.Error, NotImplementedError), "format"
    )
    refused(lambda: tessera.write(tmp_path / "no" / "x.npy", X), OSError, "No such file")
    whole = (tmp_path / "data.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[: len(whole) // 2])
    refused(lambda: tessera.read(tmp_path / "cut.h5"), tessera.Error, "cut.h5")


def test_errors_have_their_kind():
    with pytest.raises(tessera.Error) as caught:
        tessera.load("none.h5")
    assert isinstance(caught.value, OSError) and caught.value.status == "io"
    with pytest.raises(tessera.Error) as caught:
        tessera.Model("nmf", 2, iterations=-1).fit(X)
    assert isinstance(caught.value, ValueError) and caught.value.status == "argument"


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: tessera.cluster(X), ValueError, "clusters=N"),
        (lambda: tessera.cluster(X, OF[:3]), ValueError, "3 labels for 40 samples"),
        (lambda: tessera.cluster(X, clusters=-3), ValueError, "clusters"),
        (lambda: tessera.cluster(X, clusters=3, seeded=True), ValueError, "seeded needs labels"),
        (lambda: tessera.cluster(X, OF, clusters=2, seeded=True), ValueError, "the 3 classes"),
        (lambda: tessera.cluster("x.npy", OF), TypeError, "labels="),
        (lambda: tessera.classify(X), ValueError, "no labels to learn from"),
        (lambda: tessera.classify(X, OF, folds=1), ValueError, "fold"),
        (lambda: tessera.classify(X, OF, group=[1, 2]), ValueError, "groups of 2 samples"),
        (lambda: tessera.classify(X, OF, model="none"), ValueError, "no model.* 'none'"),
        (lambda: tessera.select(X), ValueError, "ranks"),
        (lambda: tessera.select(X, ranks="x"), ValueError, "ranks"),
        (lambda: tessera.experiment("none.txt"), OSError, "none.txt"),
        (lambda: tessera.rank(tessera.Model("nmf", 2).fit(X)), ValueError, "needs labels"),
        (lambda: tessera.rank(tessera.Model("nmf", 2).fit(X), by="x"), ValueError, "by is fisher"),
        (lambda: tessera.rank(tessera.Model("nmf", 2).fit(X), top=3), ValueError, "exceeds the 2"),
        (
            lambda: tessera.terms(tessera.Model("nmf", 2).fit(X), top=-1),
            ValueError,
            "no whole number",
        ),
        (lambda: tessera.sheet(tessera.Model("nmf", 2).fit(X)), ValueError, "no pictures"),
        (
            lambda: tessera.sheet(tessera.Model("nmf", 2).fit(X), image_shape=(5, 5), data=X),
            ValueError,
            "data is for reconstruct",
        ),
        (
            lambda: tessera.sheet(tessera.Model("nmf", 2).fit(X), codes=True, distances=True),
            ValueError,
            "three sheets",
        ),
        (
            lambda: tessera.sheet(tessera.Model("nmf", 2).fit(X), codes=True, top=1),
            ValueError,
            "for pictures",
        ),
        (
            lambda: tessera.sheet(tessera.Model("nmf", 2).fit(X), unit_codes=True),
            ValueError,
            "unit_codes and y are for",
        ),
        (
            lambda: tessera.sheet(
                tessera.Model("nmf", 2).fit(X), image_shape=(5, 5), reconstruct=99
            ),
            ValueError,
            "99",
        ),
        (
            lambda: tessera.overlay(tessera.Model("nmf", 2).fit(X), "x.png"),
            ValueError,
            "no visual words",
        ),
        (lambda: tessera.features("/no/such"), OSError, "No such file"),
    ],
)
def test_commands(call, error, words):
    refused(call, error, words)
