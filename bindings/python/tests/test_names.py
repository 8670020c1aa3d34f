"""Names of samples and features: data frames, AnnData by its members, tessera.Data."""
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import helpers
import tessera

NAMES = [f"gene {j}" for j in range(25)]


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture
def frame(pandas, data):
    X = data[0]
    return pandas.DataFrame(X, columns=NAMES, index=[f"cell {i}" for i in range(len(X))])


class Annotated:
    """What AnnData is to those who do not import it."""

    def __init__(self, X, features=NAMES):
        self.X = X
        self.obs_names = [f"cell {i}" for i in range(X.shape[0])]
        self.var_names = list(features)
        self.shape = X.shape


def as_data(X, y=None, features=NAMES):
    return tessera.Data(X, y, None, features, None, "row", "memory", "memory", [], (-1, ""))


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
def test_frames(kind, frame, pandas):
    model = kind(n_components=3).fit(frame)
    assert list(model.feature_names_in_) == NAMES and model.feature_names_in_.dtype == object
    name = kind.__name__.lower()
    assert list(model.get_feature_names_out()) == [f"{name}{i}" for i in range(3)]
    out = kind(n_components=3).set_output(transform="pandas").fit(frame).transform(frame)
    assert isinstance(out, pandas.DataFrame)
    assert list(out.columns) == [f"{name}{i}" for i in range(3)]
    assert list(out.index) == list(frame.index)
    assert helpers.same_bits(out.to_numpy(), model.transform(frame))
    plain = kind(n_components=3).fit(frame.to_numpy())
    assert helpers.same_bits(plain.components_, model.components_)


@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
def test_wrong_names_of_frames(kind, frame):
    model = kind(n_components=3).fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame[NAMES[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame.rename(columns={"gene 3": "gene x"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.transform(frame.to_numpy())
    with pytest.raises(ValueError, match="20 features"):
        helpers.quiet(model.transform, frame.to_numpy()[:, :20])


def test_names_reach_the_archive(frame, tmp_path):
    model = tessera.Model("nmf", 3).fit(frame)
    tessera.save(model, tmp_path / "model.h5")
    again = tessera.load(tmp_path / "model.h5")
    assert list(again.feature_names_in_) == NAMES
    assert helpers.same_bits(again.transform(frame), model.transform(frame))
    assert {name for vector in tessera.terms(model) for name, _ in vector.terms} <= set(NAMES)


def test_names_are_forgotten(frame):
    model = tessera.Model("nmf", 3).fit(frame)
    model.fit(frame.to_numpy())
    assert not hasattr(model, "feature_names_in_")
    assert model.model_.feature_names is None


@pytest.mark.parametrize("wrap", [Annotated, as_data], ids=["AnnData", "Data"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", [tessera.Model, tessera.NMF])
def test_others_with_names(kind, form, wrap, data):
    X = form(data[0])
    model = kind(n_components=3).fit(wrap(X))
    assert list(model.feature_names_in_) == NAMES
    plain = kind(n_components=3).fit(X)
    assert helpers.same_bits(model.components_, plain.components_)
    assert helpers.same_bits(model.transform(wrap(X)), plain.transform(X))
    assert model.transform(wrap(X[:7])).shape == (7, 3)
    other = ["other" if name == "gene 3" else name for name in NAMES]
    with pytest.raises(ValueError, match="feature 3 is 'other', and was 'gene 3'"):
        model.transform(wrap(X, features=other))
    with pytest.raises(ValueError, match="X has 20 features, but .* is expecting 25"):
        model.transform(wrap(X[:, :20], features=NAMES[:20]))


def test_classifier_of_data(data):
    """Labels come along, and -1 or '' is what files mark unknown ones by."""
    X, y = data
    model = tessera.Classifier(n_components=3).fit(as_data(X, y))
    assert model.classes_.tolist() == [0, 1, 2]
    texts = np.array(["", "zero", "one", "two"])[y + 1]
    model = tessera.Classifier(n_components=3).fit(as_data(X, texts))
    assert model.classes_.tolist() == ["one", "two", "zero"]
    assert model.predict(as_data(X)).shape == (40,)
    other = tessera.Classifier(n_components=2).fit(X, y == 1)
    assert other.classes_.tolist() == [False, True]


def test_pictures_of_data(data):
    X, _ = data
    pictures = as_data(X)._replace(image_shape=(5, 5), image_order="column")
    assert tessera.Model("nmf", 3).fit(pictures).model_.image == (5, 5, "column")
    model = tessera.Model("nmf", 3, image_shape=(5, 5)).fit(X)
    assert model.model_.image == (5, 5, "row")


def test_commands_take_them(frame, data):
    X, y = data
    plain = tessera.cluster(X, y, unlabelled=-1, random_state=1)
    for samples in (frame, Annotated(X), as_data(X), X.tolist()):
        found = tessera.cluster(samples, y, unlabelled=-1, random_state=1)
        assert found.assignments.tolist() == plain.assignments.tolist()
    assert tessera.info(frame)["samples"] == 40


def test_written_names(frame, tmp_path):
    tessera.write(tmp_path / "x.h5", frame)
    again = tessera.read(tmp_path / "x.h5")
    assert again.feature_names == NAMES
    assert again.sample_names == list(frame.index)
    assert helpers.same_bits(again.X, frame.to_numpy())


def test_frames_of_several_types(pandas):
    frame = pandas.DataFrame(
        {"a": [1, 2, 3, 4], "b": [0.5, 1, 2, 3], "c": [True, False, True, True]}
    )
    model = tessera.Model("nmf", 2).fit(frame)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="could not convert string"):
        tessera.Model("nmf", 2).fit(pandas.DataFrame({"a": ["x", "y"], "b": [1, 2]}))
