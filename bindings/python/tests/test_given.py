"""What is given from memory: masks, links, graphs, starts, weights."""
import numpy as np
import pytest
import scipy.sparse as sp

import helpers
import tessera

X, OF = helpers.problem()


@pytest.fixture
def mask():
    return np.random.RandomState(4).uniform(size=X.shape) < 0.1


def fit(row="nmf", y=None, samples=X, **settings):
    call = {name: settings.pop(name) for name in ("sample_weight",) if name in settings}
    if "fit_mask" in settings:
        call["mask"] = settings.pop("fit_mask")
    settings = dict(dict(iterations=40, tolerance=0), **settings)
    return tessera.Model(row, 3, **settings).fit(samples, y, **call)


def same(a, b):
    return helpers.same_bits(a.components_, b.components_) and helpers.same_bits(a.codes_, b.codes_)


@pytest.mark.parametrize("row", ["nmf", "nmf-kl", "gnmf", "cdnmf"])
def test_masks(row, mask, tmp_path):
    """NaN, a mask in the constructor, in fit, in a file: the same; and what they hide is hidden."""
    holes = np.where(mask, np.nan, X)
    nan = fit(row, OF, holes, missing="mask")
    np.save(tmp_path / "mask.npy", mask.astype(float))
    for model in (
        fit(row, OF, mask=mask),
        fit(row, OF, mask=mask.astype(np.float32)),
        fit(row, OF, mask=sp.csr_matrix(mask.astype(float))),
        fit(row, OF, mask=mask.tolist()),
        fit(row, OF, mask=str(tmp_path / "mask.npy")),
        fit(row, OF, mask=tmp_path / "mask.npy"),
        fit(row, OF, fit_mask=mask),
        fit(row, OF, np.where(mask, 1e3, X), fit_mask=mask),
    ):
        assert same(model, nan)
    assert not same(nan, fit(row, OF))


def test_missing_values_are_guessed(mask):
    """Better than by what stood in their place."""
    holes = np.where(mask, np.nan, X)
    model = tessera.Model("nmf", 6, missing="mask").fit(holes)
    guess = model.transform(holes) @ model.components_
    spoilt = tessera.Model("nmf", 6).fit(np.where(mask, 0, X))
    other = spoilt.transform(np.where(mask, 0, X)) @ spoilt.components_
    assert np.abs(guess - X)[mask].mean() < 0.3 * np.abs(other - X)[mask].mean()
    assert model.score(holes) > -0.2
    assert helpers.same_bits(model.fit_transform(holes), model.transform(holes))


def test_masks_that_do_not_fit(mask):
    with pytest.raises(ValueError, match="NaN"):
        fit(samples=np.where(mask, np.nan, X))
    with pytest.raises(ValueError, match="mask"):
        fit(mask=mask[:10])
    with pytest.raises(ValueError, match="mask"):
        fit(fit_mask=mask[:, :10])
    with pytest.raises(OSError, match="no-such"):
        fit(mask="no-such.npy")


def test_links(tmp_path):
    """In place of labels; an array, a list, a table, a file."""
    links = np.array([[0, 1, 1.0], [2, 5, -1.0], [3, 7, 0.5]])
    model = fit("snmf", links=links)
    np.savetxt(tmp_path / "links.csv", links, delimiter=",", fmt="%g")
    assert same(model, fit("snmf", links=links.tolist()))
    assert same(model, fit("snmf", links=str(tmp_path / "links.csv")))
    assert not same(model, fit("snmf", links=links[:2]))
    assert not same(model, fit("snmf", OF))
    with pytest.raises(ValueError, match="requires y"):
        fit("snmf")
    with pytest.raises(ValueError, match="links"):
        fit("snmf", links=links[:, :2])
    with pytest.raises(ValueError, match="links"):
        fit("snmf", links=[[0, 400, 1.0]])


def test_graphs(tmp_path):
    """One of our own: dense, sparse, both types, a file."""
    distance = ((X[:, None] - X[None]) ** 2).sum(2)
    graph = (distance < np.quantile(distance, 0.2)).astype(float)
    np.fill_diagonal(graph, 0)
    model = fit("gnmf", graph_matrix=sp.csr_matrix(graph))
    for other in (graph, sp.csc_matrix(graph), sp.csr_matrix(graph.astype(np.float32))):
        assert same(model, fit("gnmf", graph_matrix=other))
    tessera.write(tmp_path / "graph.mtx", sp.csr_matrix(graph))
    assert same(model, fit("gnmf", graph_file=tmp_path / "graph.mtx"))
    assert not same(model, fit("gnmf"))
    with pytest.raises(ValueError, match="graph"):
        fit("gnmf", graph_matrix=graph[:10, :10])
    with pytest.raises(ValueError, match="graph"):
        fit("gnmf", graph_matrix=np.triu(graph, 1))


def test_starts():
    """A fit goes on from where another stopped, and takes both factors."""
    half = fit(iterations=5)
    start = dict(init_basis=half.components_, init_codes=half.codes_)
    model = fit(iterations=0, **start)
    np.testing.assert_allclose(model.components_, half.components_, rtol=1e-12)
    np.testing.assert_allclose(model.codes_, half.codes_, rtol=1e-12)
    assert fit(iterations=20, **start).objective_ < half.objective_
    draw = np.random.RandomState(0)
    other = fit(init_basis=draw.uniform(size=(3, 25)), init_codes=draw.uniform(size=(40, 3)))
    assert not same(other, fit())
    with pytest.raises(ValueError, match="init"):
        fit(init_basis=half.components_)
    with pytest.raises(ValueError, match="init"):
        fit(init_basis=half.components_[:2], init_codes=half.codes_)
    with pytest.raises(ValueError, match="negative"):
        fit(init_basis=-half.components_, init_codes=half.codes_)


def test_start_of_concepts():
    first = fit("cf", iterations=5)
    weights = first.model_.weights
    assert weights.shape == (40, 3)
    model = fit("cf", init_weights=weights, init_codes=first.codes_)
    assert model.objective_ <= first.objective_


@pytest.mark.parametrize("row", [row.name for row in tessera.models()])
def test_weights_of_one(row):
    """Weights of one are no weights, bit for bit."""
    plain = fit(row, OF)
    for ones in (np.ones(40), np.ones(40, int), [1] * 40, 1, np.ones(40, np.float32)):
        assert same(plain, fit(row, OF, sample_weight=ones))


@pytest.mark.parametrize("row", ["nmf", "nmf-kl", "cdnmf"])
def test_weights_of_zero(row):
    """A sample without weight has no say in the basis, whatever it is."""
    weights = np.ones(40)
    weights[[3, 17]] = 0
    other = X.copy()
    other[[3, 17]] = np.random.RandomState(9).uniform(0, 50, size=(2, 25))
    draw = np.random.RandomState(0)
    start = {}
    if row != "cdnmf":  # which starts at the means of classes
        start = dict(init_basis=draw.uniform(size=(3, 25)), init_codes=draw.uniform(size=(40, 3)))
    a = fit(row, OF, sample_weight=weights, **start)
    b = fit(row, OF, other, sample_weight=weights, **start)
    c = fit(row, OF, other, **start)
    np.testing.assert_allclose(a.components_, b.components_, rtol=1e-8, atol=1e-12)
    assert np.abs(a.components_ - c.components_).max() > 1e-3


def test_weights_count():
    """Two is twice the sample."""
    draw = np.random.RandomState(0)
    basis, codes = draw.uniform(size=(3, 25)), draw.uniform(size=(40, 3))
    weights = 1.0 + (np.arange(40) % 2)
    often = np.repeat(np.arange(40), weights.astype(int))
    a = fit(sample_weight=weights, init_basis=basis, init_codes=codes, iterations=300)
    b = fit(samples=X[often], init_basis=basis, init_codes=codes[often], iterations=300)
    np.testing.assert_allclose(a.components_, b.components_, rtol=1e-4, atol=1e-6)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-8)


@pytest.mark.parametrize(
    "weights, words",
    [
        (np.ones(39), "40 samples have a weight each"),
        (np.ones((40, 1)), "40 samples have a weight each"),
        (-np.ones(40), "sample weights.*must not be negative"),
        (np.full(40, np.nan), "sample weights.*must be finite"),
        (np.full(40, np.inf), "sample weights.*must be finite"),
        (np.zeros(40), "0 for every sample"),
        ("balanced", "could not convert"),
    ],
    ids=str,
)
def test_weights_that_are_none(weights, words):
    with pytest.raises(ValueError, match=words):
        fit(sample_weight=weights)
    with pytest.raises(ValueError, match=words):
        tessera.Classifier("cdnmf").fit(X, OF, sample_weight=weights)
