"""The same bits as the tool: basis, codes and history of every row."""
import numpy as np
import pytest

import helpers
import tessera

ROWS = [row.name for row in tessera.models()]
CHEAP = ["--iterations", 60]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The data of these tests as the tool reads them."""
    path = tmp_path_factory.mktemp("bits")
    X, y = helpers.problem()
    y = y.copy()
    y[np.arange(len(y)) % 5 >= 3] = -1
    np.savez(path / "data.npz", X=X, y=y)
    large, labels = helpers.problem(1500, 200, 10)
    np.savez(path / "large.npz", X=large, y=labels)
    return path


def by_tool(folder, data, *settings):
    out = folder / ("-".join(str(s).strip("-") for s in settings) + ".h5")
    helpers.run_tool("fit", folder / data, *settings, "-o", out, "-q")
    return tessera._fitted.Fitted.read(out)


def by_package(folder, data, **settings):
    held = np.load(folder / data)
    model = tessera.Model(unlabelled=-1, random_state=3, **settings)
    return helpers.quiet(model.fit, held["X"], held["y"]).model_


def assert_same(ours, theirs):
    assert theirs.report.iterations > 0
    assert helpers.same_bits(ours.objective, theirs.objective)
    assert helpers.same_bits(ours.basis, theirs.basis)
    assert helpers.same_bits(ours.codes, theirs.codes)
    assert ours.terms == theirs.terms


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("solver", ["auto", "mu"])
@pytest.mark.parametrize("row", ROWS)
def test_every_row(tool, folder, row, solver, threads):
    settings = ["--model", row, "--rank", 6, "--threads", threads, "--seed", 3, "--solver", solver]
    theirs = by_tool(folder, "data.npz", *settings, *CHEAP)
    ours = by_package(
        folder,
        "data.npz",
        model=row,
        n_components=6,
        threads=threads,
        solver=solver,
        iterations=60,
    )
    assert_same(ours, theirs)


@pytest.mark.parametrize("row", ["nmf", "nmf-kl", "cdnmf-kl", "cf"])
def test_single_precision(tool, folder, row):
    settings = ["--model", row, "--rank", 6, "--seed", 3, "--precision", "single"]
    theirs = by_tool(folder, "data.npz", *settings, *CHEAP)
    ours = by_package(
        folder, "data.npz", model=row, n_components=6, precision="single", iterations=60
    )
    assert ours.basis.dtype == np.float32
    assert_same(ours, theirs)


@pytest.mark.parametrize("row", ["nmf", "cdnmf-kl"])
def test_two_threads_at_work(tool, folder, row):
    settings = ["--model", row, "--rank", 20, "--seed", 3, "--threads", 2, "--iterations", 8]
    theirs = by_tool(folder, "large.npz", *settings)
    ours = by_package(folder, "large.npz", model=row, n_components=20, threads=2, iterations=8)
    assert any("2 threads" in line for line in ours.plan), ours.plan
    assert_same(ours, theirs)


@pytest.mark.parametrize(
    "setting, given",
    [
        ({"normalize": "l2"}, ["--normalize", "l2"]),
        ({"labelled": "2"}, ["--labelled", 2]),
        ({"class_": 3.5}, ["--class", 3.5]),
        ({"restarts": 3}, ["--restarts", 3]),
        ({"init": "means"}, ["--init", "means"]),
        ({"alpha_codes": 0.1, "l1_ratio": 0.5}, ["--alpha-codes", 0.1, "--l1-ratio", 0.5]),
        ({"tolerance": 0.5}, ["--tolerance", 0.5]),
    ],
    ids=str,
)
def test_settings(tool, folder, setting, given):
    """Each changes the result, and to what the tool makes of it."""
    base = dict(model="cdnmf", n_components=6, iterations=60)
    settings = ["--model", "cdnmf", "--rank", 6, "--seed", 3, *CHEAP]
    ours = by_package(folder, "data.npz", **dict(base, **setting))
    assert_same(ours, by_tool(folder, "data.npz", *settings, *given))
    if setting != {"init": "means"}:  # which is what class-driven rows start at
        assert not helpers.same_bits(ours.basis, by_package(folder, "data.npz", **base).basis)


@pytest.mark.parametrize("row", ["nmf-kl", "cdnmf", "ccf"])
def test_transform_of_a_saved_model(tool, folder, tmp_path, row):
    held = np.load(folder / "data.npz")
    other = helpers.problem(15, 25, seed=5)[0]
    np.save(tmp_path / "other.npy", other)
    model = tessera.Model(row, 6, unlabelled=-1, iterations=60)
    helpers.quiet(model.fit, held["X"], held["y"])
    tessera.save(model, tmp_path / "model.h5")
    helpers.run_tool(
        "transform",
        tmp_path / "model.h5",
        tmp_path / "other.npy",
        "-o",
        tmp_path / "codes.npy",
        "-q",
    )
    codes = model.transform(other)
    assert helpers.same_bits(codes, np.load(tmp_path / "codes.npy"))
    again = tessera.load(tmp_path / "model.h5")
    assert helpers.same_bits(codes, again.transform(other))
    assert helpers.same_bits(model.components_, again.components_)
    assert helpers.same_bits(model.codes_, again.codes_)
    assert again.n_iter_ == model.n_iter_ and again.objective_ == model.objective_
    # and fits again as it was fitted
    y = held["y"]
    again.set_params(unlabelled=-1)
    assert helpers.same_bits(helpers.quiet(again.fit, held["X"], y).components_, model.components_)


def test_predictions_of_the_tool(tool, folder, tmp_path):
    held = np.load(folder / "data.npz")
    model = tessera.Classifier("cdnmf-kl", 6, unlabelled=-1, predict_by="block", random_state=3)
    model.fit(held["X"], held["y"])
    tessera.save(model, tmp_path / "model.h5")
    lines = helpers.run_tool(
        "transform",
        tmp_path / "model.h5",
        folder / "data.npz",
        "--predict",
        "--predict-by",
        "block",
        "-q",
    ).splitlines()
    said = [line.split("\t") for line in lines if not line.startswith("#")]
    classes = [int(line[1]) for line in said if line[1].lstrip("-").isdigit()]
    assert classes == model.predict(held["X"]).tolist()


def test_resume_has_the_bits_of_one_fit(data):
    X, y = data
    whole = tessera.Model("gnmf", 4, iterations=30, tolerance=0).fit(X)
    parts = tessera.Model("gnmf", 4, iterations=12, tolerance=0).fit(X).resume(X, iterations=18)
    assert parts.n_iter_ == 30
    assert helpers.same_bits(whole.components_, parts.components_)
    assert helpers.same_bits(whole.history_, parts.history_)
