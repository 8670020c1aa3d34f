"""Labels: every type, unknown ones only where it is said; shares in the order of classes_."""
import numpy as np
import pytest

import helpers
import tessera
from tessera._library import lib, text

X, OF = helpers.problem()


def labels(classes, unknown=None):
    """Three classes in turn; of an unknown mark, two of five samples have it."""
    y = [classes[c] for c in OF]
    if unknown is not None:
        y = [unknown[0] if i % 5 >= 3 else value for i, value in enumerate(y)]
    return y


def fitted(y, **settings):
    return tessera.Classifier("cdnmf", **settings).fit(X, y)


@pytest.mark.parametrize(
    "y, classes",
    [
        (labels([0, 1, 2]), [0, 1, 2]),
        (np.array(labels([5, -1, 2])), [-1, 2, 5]),
        (labels(["b", "a", "c"]), ["a", "b", "c"]),
        (np.array(labels(["s2", "s10", "s1"])), ["s1", "s10", "s2"]),
        (np.array(labels([True, False, True])), [False, True]),
        (labels([True, False, True]), [False, True]),
        (np.array(labels([2.0, 1.0, 7.0])), [1.0, 2.0, 7.0]),
        (labels(["?", "NaN", "-1"]), ["-1", "?", "NaN"]),
        (labels(["", "x", "y"]), ["", "x", "y"]),
        (labels(["1", "2", "10"]), ["1", "10", "2"]),
        (np.array(labels([np.int64(3), np.int64(1), np.int64(2)]), object), [1, 2, 3]),
        (np.array(labels([3, 1, 2]), np.uint8), [1, 2, 3]),
        (labels(["ä", "日本", "z"]), ["z", "ä", "日本"]),
    ],
    ids=lambda value: str(value)[:30],
)
@pytest.mark.parametrize("by", ["nearest", "block"])
def test_classes(y, classes, by):
    """Each label is a class, in sorted order, and comes back with its type."""
    model = fitted(y, predict_by=by)
    assert model.classes_.tolist() == classes
    assert model.classes_.dtype.kind.replace("u", "i") == np.array(classes).dtype.kind
    predicted, shares = model.predict(X), model.predict_proba(X)
    assert (predicted == np.asarray(y)).mean() > 0.8
    assert shares.shape == (40, len(classes))
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-12)
    assert (shares >= 0).all()
    assert (model.classes_[shares.argmax(1)] == predicted).all()


@pytest.mark.parametrize("row", ["nmf", "cnmf", "cdcf", "gnmf", "snmf"])
def test_probabilities_of_other_rows(row):
    model = helpers.quiet(tessera.Classifier(row, 3, unlabelled=-1).fit, X, labels([4, 9, 7], [-1]))
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-12)
    assert (model.classes_[shares.argmax(1)] == model.predict(X)).all()
    assert model.classes_.tolist() == [4, 7, 9]


@pytest.mark.parametrize(
    "classes, mark, unlabelled",
    [
        ([0, 1, 2], -1, -1),
        ([0, 1, 2], -1, [-1]),
        ([0, 1, 2], -1, (-1, "")),
        (["a", "b", "c"], "", ""),
        (["a", "b", "c"], "", [-1, "", np.nan]),
        (["a", "b", "c"], None, [None]),
        (["a", "b", "c"], None, np.nan),
        (["a", "b", "c"], np.nan, np.nan),
        ([1.0, 2.0, 3.0], np.nan, np.nan),
        ([1, 2, 3], None, [None]),
        ([1, 2, 3], np.nan, [np.nan]),
        (["a", "b", "c"], "none", "none"),
        (["a", "b", "c"], -1, -1),
        ([1, 2, 3], "?", "?"),
        ([np.int64(1), np.int64(2), np.int64(3)], np.int64(-1), -1),
    ],
    ids=str,
)
def test_unlabelled(classes, mark, unlabelled):
    y = labels(classes, [mark])
    model = fitted(y, unlabelled=unlabelled)
    assert model.classes_.tolist() == sorted(classes)
    of = model.model_.labels[0]
    assert ((of < 0) == (np.arange(40) % 5 >= 3)).all()
    as_array = np.empty(40, object)
    as_array[:] = y
    other = fitted(as_array, unlabelled=unlabelled)
    assert helpers.same_bits(model.model_.basis, other.model_.basis)


def test_several_marks():
    y = labels(["a", "b", "c"], ["?"])
    y[0], y[1] = "none", np.nan
    model = fitted(y, unlabelled=["?", "none", np.nan])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert (model.model_.labels[0] < 0).sum() == 18


def test_pandas_marks():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    y = pandas.array(labels([1, 2, 3], [pandas.NA]), dtype="Int64")
    for values in (y, pandas.Series(y), list(y)):
        assert fitted(values, unlabelled=np.nan).classes_.tolist() == [1, 2, 3]
    series = pandas.Series(labels(["a", "b", "c"], [None]), dtype="category")
    assert fitted(series, unlabelled=np.nan).classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("mark", [-1, "", "?", "NaN", "-1"], ids=repr)
def test_only_where_it_is_said(mark):
    """By default every label is one, whatever files would mean by it."""
    y = labels(["a", "b", "c"] if isinstance(mark, str) else [0, 1, 2], [mark])
    model = fitted(y)
    assert mark in model.classes_.tolist() and len(model.classes_) == 4
    assert (model.model_.labels[0] >= 0).all()
    if isinstance(mark, str):
        texts = fitted(y, unlabelled=-1)
        assert len(texts.classes_) == 4  # -1 is no text


@pytest.mark.parametrize(
    "y, error, words",
    [
        (
            labels([1, "a", 2]),
            TypeError,
            "y mixes int and str: labels are all texts or all numbers",
        ),
        (labels(["a", 1.5, "c"]), TypeError, "y mixes float and str"),
        (labels(["a", None, "c"]), TypeError, "y mixes NoneType and str"),
        (labels([np.nan, 1.0, 2.0]), ValueError, "contains NaN"),
        (labels([np.inf, 1.0, 2.0]), ValueError, "contains (NaN or )?infinity"),
        (labels(["a", "b", np.nan]), TypeError, "y mixes float and str"),
        (labels([1j, 2j, 3j]), TypeError, "y mixes complex"),
        (np.array(labels([1j, 2j, 3j])), ValueError, "Complex data not supported"),
        (labels([0, 1, 2])[:-1], ValueError, "inconsistent numbers of samples"),
        (np.zeros((40, 2), int), ValueError, "y should be a 1d array"),
        (None, ValueError, "requires y to be passed"),
        ([-1] * 40, None, None),
        (np.linspace(0, 1, 40), ValueError, "Unknown label type"),
        (labels(["a\0b", "a", "c"]), ValueError, "NUL"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_refused(y, error, words):
    if error is None:
        with pytest.raises(ValueError, match="y has no label"):
            fitted(y, unlabelled=-1)
        return
    with pytest.raises(error, match=words):
        fitted(y)


def test_column_of_labels():
    with pytest.warns(UserWarning, match="column-vector y"):
        model = fitted(np.array(OF).reshape(-1, 1))
    assert model.classes_.tolist() == [0, 1, 2]


def test_natural_order_in_the_library():
    """s2 before s10 there; sorted as NumPy does here; columns and predictions agree."""
    model = fitted(labels(["s2", "s10", "s1"]), predict_by="block")
    at = lib.tsr_model_labels(model.model_.at)
    names = [text(lib.tsr_labels_name(at, c)) for c in range(3)]
    assert names == ["s1", "s2", "s10"]
    assert model.classes_.tolist() == ["s1", "s10", "s2"]
    raw = model.model_.scores(model.model_.transform(model._data(X, tessera._arrays.opened(X))), 0)
    assert helpers.same_bits(model.predict_proba(X), np.ascontiguousarray(raw[:, [0, 2, 1]]))


def test_classes_of_no_label_are_unknown_to_predictions():
    """A class all of whose samples have no weight keeps its column, and gets nothing."""
    weights = np.where(OF == 1, 0.0, 1.0)
    model = tessera.Classifier("cdnmf").fit(X, OF, sample_weight=weights)
    shares = model.predict_proba(X)
    assert model.classes_.tolist() == [0, 1, 2]
    assert (shares[:, 1] == 0).all() and not (model.predict(X) == 1).any()
    with pytest.raises(ValueError, match="0 for every sample"):
        tessera.Classifier("cdnmf").fit(X, OF, sample_weight=np.zeros(40))


def test_refits_forget():
    """Neighbours of an earlier fit, and its classes, do not stay."""
    model = tessera.Classifier("cdnmf").fit(X, OF)
    assert model.neighbours_.labels[1].tolist() == [0, 1, 2]
    model.fit(X, np.array(["a", "b", "c"])[OF])
    assert model.neighbours_.labels[1].tolist() == ["a", "b", "c"]
    assert not hasattr(model.set_params(model="nmf").fit(X, OF), "neighbours_")
    model.set_params(model="cdnmf").fit(X, np.array(["a", "b", "c"])[OF])
    assert set(model.predict(X)) <= {"a", "b", "c"}
    other = tessera.Model("cdnmf", 3).fit(X, OF)
    assert other.classes_.tolist() == [0, 1, 2]
    assert not hasattr(other.set_params(model="nmf").fit(X), "classes_")


def test_archive_keeps_minus_one(tmp_path):
    """A class that is called -1 survives a file, and another process."""
    model = fitted(labels([5, -1, 2]))
    tessera.save(model, tmp_path / "model.h5")
    again = tessera.load(tmp_path / "model.h5")
    assert sorted(again.classes_.tolist()) == [-1, 2, 5]
    assert (again.model_.labels[0] == model.model_.labels[0]).all()
