"""Estimators among others: copies, pipelines, searches, other processes."""
import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

import helpers
import tessera

X, OF = helpers.problem()
OTHER = helpers.problem(15, seed=7)[0]

FITTED = {
    "nmf": lambda: tessera.Model("nmf", 3, random_state=2).fit(X),
    "gnmf": lambda: tessera.Model("gnmf", 3, graph=0.5, image_shape=(5, 5)).fit(X),
    "ccf": lambda: tessera.Model("ccf", 3).fit(X, OF),
    "classifier": lambda: tessera.Classifier("cdnmf", 3).fit(X, np.array(["x", "y", "z"])[OF]),
    "NMF": lambda: tessera.NMF(3, random_state=2).fit(X),
}


def answers(model):
    call = model.predict_proba if hasattr(model, "predict_proba") else model.transform
    return call(OTHER)


@pytest.mark.parametrize("name", FITTED)
@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickled(name, protocol):
    model = FITTED[name]()
    again = pickle.loads(pickle.dumps(model, protocol))
    assert helpers.same_bits(answers(again), answers(model))
    assert helpers.same_bits(again.components_, model.components_)
    assert str(again.get_params()) == str(model.get_params())
    for attribute in ("n_iter_", "reconstruction_err_", "n_components_", "n_features_in_"):
        assert getattr(again, attribute) == getattr(model, attribute)
    if hasattr(model, "model_"):
        assert again.model_.image == model.model_.image
        assert again.model_.notes == model.model_.notes
        assert helpers.same_bits(again.history_, model.history_)


@pytest.mark.parametrize("name", FITTED)
def test_copied(name):
    model = FITTED[name]()
    assert helpers.same_bits(answers(copy.deepcopy(model)), answers(model))
    assert helpers.same_bits(answers(copy.copy(model)), answers(model))
    bare = clone(model)
    assert str(bare.get_params()) == str(model.get_params())
    assert not hasattr(bare, "model_") and not hasattr(bare, "components_")


@pytest.mark.parametrize("kind", [tessera.Model, tessera.Classifier, tessera.NMF])
def test_unfitted(kind):
    model = kind(n_components=4)
    for again in (pickle.loads(pickle.dumps(model)), clone(model), copy.deepcopy(model)):
        assert again.get_params() == model.get_params()
    assert eval(repr(model), {kind.__name__: kind}).get_params() == model.get_params()


def test_files_of_joblib(tmp_path):
    model = FITTED["classifier"]()
    joblib.dump(model, tmp_path / "model.joblib", compress=3)
    assert helpers.same_bits(answers(joblib.load(tmp_path / "model.joblib")), answers(model))


def test_parallel_processes():
    """Estimators go there and back."""
    ranks = [2, 3, 4, 5]
    models = [tessera.Model("nmf-kl", k, iterations=30) for k in ranks]
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(helpers.quiet)(model.fit, X) for model in models
    )
    for model, there in zip(models, found):
        here = helpers.quiet(model.fit, X)
        assert helpers.same_bits(here.components_, there.components_)


def test_pipeline():
    pipeline = make_pipeline(
        MinMaxScaler(clip=True), tessera.Model("nmf", 4), KNeighborsClassifier(1)
    )
    pipeline.fit(X, OF)
    assert pipeline.score(X, OF) > 0.9
    assert list(pipeline[:-1].get_feature_names_out()) == [f"model{i}" for i in range(4)]
    assert pipeline.predict(OTHER).shape == (15,)
    last = Pipeline([("scale", MinMaxScaler()), ("it", tessera.Classifier("cdnmf"))])
    last.set_params(it__iterations=50)
    assert last.fit(X, OF).score(X, OF) > 0.8


def test_weights_through_a_pipeline():
    pipeline = make_pipeline(MinMaxScaler(), tessera.Model("nmf", 3))
    weights = 1.0 + np.arange(40) % 3
    a = pipeline.fit(X, model__sample_weight=weights)[-1].components_.copy()
    assert not helpers.same_bits(a, pipeline.fit(X)[-1].components_)


def test_search():
    """Over settings of the table, by the score of the model itself, in two processes."""
    search = GridSearchCV(
        tessera.Model("nmf", iterations=100),
        {"n_components": [1, 3, 6], "normalize": ["none", "l2"], "alpha_codes": np.array([0, 0.1])},
        n_jobs=2,
        cv=3,
    )
    helpers.quiet(search.fit, X)
    assert search.best_params_["n_components"] == 6
    assert search.best_estimator_.n_components_ == 6
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert helpers.same_bits(
        search.transform(OTHER),
        helpers.quiet(clone(search.best_estimator_).fit, X).transform(OTHER),
    )


def test_search_of_a_classifier():
    search = GridSearchCV(
        tessera.Classifier("cdnmf", iterations=60), {"n_components": [3, 6]}, n_jobs=2, cv=2
    )
    helpers.quiet(search.fit, X, OF)
    assert search.best_score_ > 0.6
    scores = helpers.quiet(cross_val_score, tessera.Classifier("cdnmf-kl"), X, OF, cv=2)
    assert scores.shape == (2,) and (scores > 0.6).all()


def test_score_is_the_relative_error():
    model = tessera.Model("nmf", 3).fit(X)
    W = model.transform(OTHER)
    by_hand = np.linalg.norm(OTHER - W @ model.components_) / np.linalg.norm(OTHER)
    assert -model.score(OTHER) == pytest.approx(by_hand, rel=1e-9)
    import scipy.sparse as sp

    assert model.score(sp.csr_matrix(OTHER)) == pytest.approx(model.score(OTHER), rel=1e-6)
    assert -model.score(X) == pytest.approx(model.model_.report.relative_error, rel=1e-2)


@pytest.mark.parametrize("row", [row.name for row in tessera.models() if not row.joined])
def test_fit_transform_is_transform(row):
    model = tessera.Model(row, 3, iterations=300)
    codes = helpers.quiet(model.fit_transform, X)
    np.testing.assert_allclose(codes, model.transform(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("row", ["gnmf", "cdnmf", "cnmf"])
def test_fit_transform_of_joined_codes(row):
    """They are as the fit left them, and know what transform does not."""
    model = tessera.Model(row, 3)
    codes = helpers.quiet(model.fit_transform, X, OF)
    assert helpers.same_bits(codes, model.codes_)


def test_inverse_transform():
    model = tessera.Model("nmf", 6).fit(X)
    W = model.transform(X)
    assert np.abs(model.inverse_transform(W) - X).max() < 0.2
    import scipy.sparse as sp

    np.testing.assert_allclose(model.inverse_transform(sp.csr_matrix(W)), W @ model.components_)
    for wrong in (W[:, :2], W[0]):
        with pytest.raises(ValueError, match="6 components want samples x 6"):
            model.inverse_transform(wrong)
    with pytest.raises(ValueError, match="kernel rbf has no parts"):
        tessera.Model("cf", 3, kernel="rbf").fit(X).inverse_transform(W[:, :3])


def test_random_state():
    """A number is the seed; a generator draws one; the same generator, the same fit."""
    seeds = [
        tessera.Model("nmf", 3, init="random", random_state=state, iterations=5, tolerance=0)
        for state in (7, 7, np.random.RandomState(7), np.random.RandomState(7), None, None)
    ]
    found = [model.fit(X).components_ for model in seeds]
    assert helpers.same_bits(found[0], found[1])
    assert helpers.same_bits(found[2], found[3])
    assert not helpers.same_bits(found[0], found[2])
    assert not helpers.same_bits(found[4], found[5])
    assert seeds[0].model_.report.seed == 7
