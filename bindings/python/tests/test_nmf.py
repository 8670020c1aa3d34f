"""NMF in the place of scikit-learn's: its parameters, its scale, results no worse."""
import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF as Theirs
from sklearn.decomposition import _nmf as theirs
from sklearn.exceptions import ConvergenceWarning

import helpers
import tessera
from tessera import _nmf as ours

X, _ = helpers.problem(60, 30)
HOLES = np.where(X < np.median(X), 0, X)


def penalised(X, W, H, loss="frobenius", alpha_W=0.0, alpha_H="same", l1_ratio=0.0):
    """The objective as scikit-learn's documentation states it."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X, float)
    W, H = W.astype(float), H.astype(float)
    alpha_H = alpha_W if alpha_H == "same" else alpha_H
    samples, features = X.shape
    made = W @ H
    if loss == "frobenius":
        found = 0.5 * ((X - made) ** 2).sum()
    elif loss == "kullback-leibler":
        some = X > 0
        found = (X[some] * np.log(X[some] / made[some])).sum() - X.sum() + made.sum()
    else:
        found = (X / made - np.log(X / made) - 1).sum()
    found += l1_ratio * (alpha_W * features * abs(W).sum() + alpha_H * samples * abs(H).sum())
    squares = alpha_W * features * (W**2).sum() + alpha_H * samples * (H**2).sum()
    return found + 0.5 * (1 - l1_ratio) * squares


def both(samples, k=5, **settings):
    """J of ours and of theirs, from the same kind of start, of both at leisure."""
    solver = "cd" if settings.get("beta_loss", "frobenius") == "frobenius" else "mu"
    terms = {n: settings[n] for n in ("alpha_W", "alpha_H", "l1_ratio") if n in settings}
    found = []
    for kind in (tessera.NMF, Theirs):
        model = kind(k, random_state=1, max_iter=2000, tol=1e-6, solver=solver, **settings)
        W = helpers.quiet(model.fit_transform, samples)
        loss = settings.get("beta_loss", "frobenius")
        found.append(penalised(samples, W, model.components_, loss, **terms))
    return found


def test_signature():
    """Parameters, their order and defaults are those of the scikit-learn that is installed."""
    mine, other = (inspect.signature(kind).parameters for kind in (tessera.NMF, Theirs))
    known = [name for name in other if name not in ("alpha", "regularization")]
    assert list(mine) == known
    for name in known:
        assert mine[name].kind == other[name].kind
        if other[name].default not in ("auto", "warn"):  # n_components, of later versions
            assert mine[name].default == other[name].default, name
    for method in ("fit", "fit_transform", "transform"):
        names = list(inspect.signature(getattr(tessera.NMF, method)).parameters)
        wanted = list(inspect.signature(getattr(Theirs, method)).parameters)
        assert [n for n in wanted if n != "params"] == names[: len(wanted) - wanted.count("params")]


def test_attributes():
    settings = dict(random_state=0, max_iter=2000, tol=1e-6)
    mine, other = (helpers.quiet(kind(4, **settings).fit, X) for kind in (tessera.NMF, Theirs))
    for name in vars(other):
        if name.endswith("_") and not name.startswith("_"):
            assert hasattr(mine, name), name
            a, b = getattr(mine, name), getattr(other, name)
            assert type(a).__name__.replace("64", "") == type(b).__name__.replace("64", "") or (
                isinstance(a, float)
            ), name
            assert np.shape(a) == np.shape(b), name
    assert mine.reconstruction_err_ == pytest.approx(other.reconstruction_err_, rel=0.01)
    W = mine.transform(X)
    by_hand = np.linalg.norm(X - W @ mine.components_)
    assert mine.reconstruction_err_ == pytest.approx(by_hand, rel=1e-3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"alpha_W": 0.01},
        {"alpha_W": 0.01, "alpha_H": 0.0},
        {"alpha_W": 0.0, "alpha_H": 0.01},
        {"alpha_W": 0.01, "l1_ratio": 1.0},
        {"alpha_W": 0.02, "alpha_H": 0.005, "l1_ratio": 0.4},
    ],
    ids=str,
)
def test_objective(form, loss, terms):
    """No more than theirs and one per cent: the terms are scaled alike."""
    samples = form(HOLES)
    mine, other = both(samples, beta_loss=loss, init="nndsvda", **terms)
    assert mine <= 1.01 * other + 1e-9


def test_objective_of_itakura_saito():
    mine, other = both(X, beta_loss="itakura-saito", init="random")
    assert mine <= 1.01 * other


def test_scale_of_the_terms():
    """J of the library is twice scikit-learn's, under Kullback-Leibler the same."""
    for loss, factor in (("frobenius", 2), ("kullback-leibler", 1)):
        terms = dict(alpha_W=0.02, alpha_H=0.005, l1_ratio=0.4)
        model = tessera.NMF(4, beta_loss=loss, max_iter=3000, tol=1e-9, **terms)
        data, options = tessera._arrays.to_data(X), model._options(X.dtype, 4)
        fitted, _ = tessera._fitted.fit(data, options)
        by_hand = penalised(X, fitted.codes, fitted.basis, loss, **terms)
        assert fitted.report.objective == pytest.approx(factor * by_hand, rel=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_types_are_kept(dtype, form):
    samples = form(X.astype(dtype))
    model = tessera.NMF(4).fit(samples)
    assert model.components_.dtype == dtype
    assert model.transform(samples).dtype == dtype
    assert model.fit_transform(samples).dtype == dtype
    assert tessera.NMF(4, init="random").fit_transform(samples).dtype == dtype


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", "itakura-saito"])
@pytest.mark.parametrize("terms", [{}, {"alpha_W": 0.01, "l1_ratio": 0.3}], ids=str)
def test_fit_transform_is_transform(loss, terms):
    model = tessera.NMF(4, beta_loss=loss, max_iter=500, **terms)
    W = helpers.quiet(model.fit_transform, X)
    np.testing.assert_allclose(W, model.transform(X), rtol=1e-6, atol=1e-6 * W.max())
    half = model.transform(X[:20])
    np.testing.assert_allclose(half, W[:20], rtol=1e-6, atol=1e-6 * W.max())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_draws_are_theirs(dtype, form):
    """The same random_state, the same start."""
    samples = form(X.astype(dtype))
    W, H = ours._random(samples, 4, 11)
    other_W, other_H = theirs._initialize_nmf(samples, 4, init="random", random_state=11)
    tolerance = 1e-6 if dtype == np.float32 else 1e-15
    np.testing.assert_allclose(W, other_W, rtol=tolerance)
    np.testing.assert_allclose(H, other_H, rtol=tolerance)
    assert W.dtype == H.dtype == dtype


def test_random_start_is_used():
    """init='random' is a custom start with those draws."""
    W, H = theirs._initialize_nmf(X, 4, init="random", random_state=11)
    drawn = tessera.NMF(4, init="random", random_state=11, max_iter=3, tol=0).fit(X)
    given = tessera.NMF(4, init="custom", max_iter=3, tol=0).fit(X, W=W, H=H)
    np.testing.assert_allclose(drawn.components_, given.components_, rtol=1e-12)
    other = tessera.NMF(4, init="random", random_state=12, max_iter=3, tol=0).fit(X)
    assert not np.allclose(drawn.components_, other.components_)


def test_starts():
    """From an optimum nothing moves far; W and H are left alone."""
    first = tessera.NMF(4, max_iter=3000, tol=1e-9, random_state=0)
    W = first.fit_transform(X)
    H = first.components_.copy()
    before = W.copy(), H.copy()
    again = tessera.NMF(4, init="custom", max_iter=50, tol=0)
    found = again.fit_transform(X, W=W, H=H)
    np.testing.assert_allclose(found @ again.components_, W @ H, atol=1e-2 * X.max())
    assert (W == before[0]).all() and (H == before[1]).all()
    auto = helpers.quiet(tessera.NMF("auto", init="custom").fit, X, W=W, H=H)
    assert auto.n_components_ == 4
    assert helpers.quiet(tessera.NMF().fit, X[:, :5]).n_components_ == 5
    with pytest.raises(ValueError, match="wants both W and H"):
        tessera.NMF(4, init="custom").fit(X)
    with pytest.raises(ValueError, match=r"H is \(3, 30\) and should be \(4, 30\)"):
        tessera.NMF(4, init="custom").fit(X, W=W, H=H[:3])
    with pytest.raises(ValueError, match="Negative values"):
        tessera.NMF(4, init="custom").fit(X, W=-W, H=H)


@pytest.mark.parametrize("init", [None, "random", "nndsvd", "nndsvda", "nndsvdar"])
@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize("loss", ["frobenius", 2, "kullback-leibler", 1, "itakura-saito", 0])
def test_every_combination(init, solver, loss):
    model = tessera.NMF(3, init=init, solver=solver, beta_loss=loss, random_state=0, max_iter=30)
    W = helpers.quiet(model.fit_transform, X)
    assert W.shape == (60, 3) and np.isfinite(W).all() and (W >= 0).all()
    assert model.n_iter_ >= 1


def test_warning_of_too_few_iterations():
    with pytest.warns(
        ConvergenceWarning, match="2 iterations were not enough.*raise max_iter"
    ) as said:
        tessera.NMF(4, max_iter=2).fit(X)
    assert said[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match="raise iterations or tolerance") as said:
        tessera.Model("nmf", 4, iterations=2).fit(X)
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tessera.NMF(4, max_iter=2, tol=0).fit(X)
        tessera.NMF(4).fit(X)


def test_components_may_be_changed():
    """They are the caller's own, as scikit-learn's are."""
    model = tessera.NMF(3).fit(X)
    codes = model.transform(X)
    model.components_ *= 2
    np.testing.assert_allclose(model.transform(X), codes / 2, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.inverse_transform(codes), codes @ model.components_)
