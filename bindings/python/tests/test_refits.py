"""An estimator that is fitted again, stopped, or asked otherwise than it was fitted."""
import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import helpers
import tessera

X, OF = helpers.problem(60, 20)
NAMES = np.array(["a", "b", "c"])[OF]


def test_a_fit_that_fails_leaves_nothing():
    model = tessera.Classifier("cdnmf").fit(X, NAMES)
    with pytest.raises(ValueError):
        model.fit(-X, np.array(["x", "y", "z"])[OF])
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_classifier_that_is_stopped(monkeypatch):
    """What it has by then predicts, with the classes of this fit."""
    model = tessera.Classifier("cdnmf").fit(X, NAMES)
    fit = tessera._fitted.fit

    def stopped(*given, **more):
        return fit(*given, **more)[0], KeyboardInterrupt()

    monkeypatch.setattr(tessera._fitted, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[OF < 2], np.array(["x", "y"])[OF[OF < 2]])
    assert set(model.predict(X)) <= {"x", "y"}
    assert model.predict_proba(X).shape == (60, 2)


def test_predict_by_after_the_fit():
    model = tessera.Classifier("cdnmf", predict_by="block").fit(X[:40], NAMES[:40])
    other = tessera.Classifier("cdnmf").fit(X[:40], NAMES[:40])
    assert (model.set_params(predict_by="nearest").predict(X) == other.predict(X)).all()


@pytest.mark.parametrize("name", ["cdnmf", "cdnmf-kl"])
def test_fewer_components_than_classes(name):
    with pytest.warns(UserWarning, match="takes 3"):
        model = tessera.Classifier(name, n_components=2).fit(X, NAMES)
    assert model.n_components_ == 3 and model.score(X, NAMES) > 0.5


def test_classes_of_no_weight_do_not_count():
    weight = (NAMES != "c").astype(float)
    model = tessera.Classifier("cdnmf", n_components=2).fit(X, NAMES, sample_weight=weight)
    assert model.n_components_ == 2 and set(model.predict(X)) <= {"a", "b"}


def test_score_of_missing_values():
    holes = X.copy()
    holes[0, 0] = holes[7, 3] = np.nan
    model = tessera.Model("nmf", 3, missing="mask").fit(holes)
    sparse = model.score(scipy.sparse.csr_matrix(holes))
    assert sparse == pytest.approx(model.score(holes), rel=1e-9) and sparse < -0.01


def test_codes_are_the_callers():
    model = tessera.Model("gnmf", 3)
    W = helpers.quiet(model.fit_transform, X)
    W *= 0
    assert model.codes_.max() > 0
    with pytest.raises(ValueError):
        model.model_.basis[:] = 0


def test_resume_by_the_default():
    model = tessera.Model("nmf", 3, iterations=5, tolerance=0).fit(X)
    assert model.resume(X, iterations=2000).n_iter_ == 2005


def test_a_search_outlives_a_bad_setting():
    search = GridSearchCV(tessera.Model(n_components=3), {"model": ["nmf", "nope"]}, cv=2)
    helpers.quiet(search.fit, X)
    assert search.best_params_ == {"model": "nmf"}


def test_kernels_are_those_of_the_fit():
    model = helpers.quiet(tessera.Model("cf", 3, kernel="rbf").fit, X)
    with pytest.raises(ValueError, match="rbf"):
        model.set_params(kernel="linear").score(X)


def test_settings_of_encoding():
    model = tessera.Model("nmf", 3).fit(X)
    assert helpers.same_bits(model.transform(X, threads=2), model.transform(X))


def test_arguments_twice():
    with pytest.raises(TypeError, match="n_components"):
        tessera.Model("nmf", 3, n_components=5)
    with pytest.raises(ValueError, match="mask"):
        tessera.Model("nmf", 3, mask=X > 9).fit(X, mask=X > 9)


def test_a_class_called_minus_one(tmp_path):
    y = np.where(OF == 0, -1, 1)
    tessera.write(tmp_path / "neg.h5", X, y)
    data = tessera.read(tmp_path / "neg.h5")
    assert data.unlabelled not in (-1, 1) and (data.y == y).all()
    model = tessera.Model("cdnmf", 2).fit(data)
    assert model.classes_.tolist() == [-1, 1]


def test_arrays_of_functions():
    links = np.array([[0, 3, -1.0], [0, 1, 1.0]])
    found = tessera.cluster(X, OF, model="snmf", links=links, rank=3)
    again = tessera.Model("snmf", 3, links=links).fit(X)
    assert found.scores.accuracy > 0.3 and again.n_components_ == 3
    weighed = tessera.cluster(X, OF, model="nmf", rank=3, sample_weights=np.ones(len(X)))
    plain = tessera.cluster(X, OF, model="nmf", rank=3)
    assert (weighed.assignments == plain.assignments).all()
    with pytest.raises(TypeError, match="in memory"):
        tessera.cluster(X, OF, labels="nofile.txt")
    with pytest.raises(TypeError, match="its own"):
        tessera.cluster(tessera.Model("cdnmf", 3).fit(X, OF), y=OF)


def test_a_start_of_zeros():
    with pytest.raises(ValueError, match="zeros"):
        tessera.NMF(2, init="custom").fit(X, W=np.zeros((60, 2)), H=np.ones((2, 20)))
    with pytest.raises(ValueError, match="nndsvd"):
        tessera.NMF(30, init="nndsvd").fit(X)


def test_sentences_have_pythons_names():
    with pytest.raises(ValueError, match="init_basis and init_codes"):
        tessera.Model("nmf", 3, init_basis=np.ones((3, 20))).fit(X)
    with pytest.raises(ValueError, match="mask: a mask of 2 x 2"):
        tessera.Model("nmf", 3, mask=np.ones((2, 2))).fit(X)
    with pytest.raises(ValueError, match="no text"):
        tessera.Model("cdnmf").fit(X, np.array(["a", "b", "\ud800"])[OF])


LATE = """
import multiprocessing, sys
import numpy as np
from sklearn.cluster import KMeans

def work(seed):
    import tessera
    return tessera.Model("nmf", 5, threads=2, iterations=20).fit(X).objective_

X = np.random.RandomState(0).uniform(size=(3000, 300))
KMeans(5, n_init=1, random_state=0).fit(X)
with multiprocessing.get_context("fork").Pool(2) as pool:
    first = pool.map_async(work, range(2)).get(timeout=60)
assert len(set(first)) == 1
print("done")
"""


def test_children_that_import_it_themselves():
    """Of a parent whose OpenMP has threads already."""
    process = helpers.python(LATE)
    out, problem = process.communicate(timeout=90)
    assert out.strip() == "done", problem
