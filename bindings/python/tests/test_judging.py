"""cluster, classify, select, rank, terms, sheet, experiment: each as the tool says it in JSON."""
import json

import numpy as np
import pytest

import helpers
import tessera

X, OF = helpers.problem()
LABELS = np.where(np.arange(40) % 5 >= 3, -1, OF)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("judging")
    np.savez(path / "data.npz", X=X, y=OF)
    np.savez(path / "some.npz", X=X, y=LABELS)
    other, of = helpers.problem(20)
    np.savez(path / "test.npz", X=other, y=of)
    tessera.write(path / "groups.csv", np.arange(40.0).reshape(-1, 1) // 4)
    model = tessera.Model("cdnmf", 6, unlabelled=-1, image_shape=(5, 5))
    tessera.save(model.fit(X, LABELS), path / "model.h5")
    return path


def same_numbers(ours, theirs):
    """JSON says null where a number is none."""
    theirs = np.array([np.nan if value is None else value for value in theirs], float)
    np.testing.assert_array_equal(np.asarray(ours, float), theirs)


def settings_of(given):
    """--fit-restarts 3 --seeded as fit_restarts=3, seeded=True."""
    found, words = {}, list(given)
    while words:
        name = words.pop(0)[2:].replace("-", "_")
        flag = not words or str(words[0]).startswith("--")
        found[name] = True if flag else words.pop(0)
    return found


CLUSTERS = [
    [],
    ["--clusters", 4, "--seed", 2],
    ["--model", "nmf", "--rank", 4, "--restarts", 3, "--rounds", 7, "--fit-restarts", 2],
    ["--model", "pca", "--rank", 2, "--unit-codes"],
    ["--model", "cdnmf", "--rank", 6, "--seeded"],
    ["--labelled", 2, "--seeded"],
]


@pytest.mark.parametrize("given", CLUSTERS, ids=str)
def test_cluster(tool, folder, given):
    theirs = helpers.tool_json("cluster", folder / "some.npz", *given)
    settings = settings_of(given)
    for ours in (
        tessera.cluster(folder / "some.npz", **settings),
        tessera.cluster(X, LABELS, unlabelled=-1, **settings),
        tessera.cluster(tessera.read(folder / "some.npz"), **settings),
    ):
        assert ours.assignments.tolist() == theirs["assignments"]
        assert ours.cost == theirs["cost"]
        for name, value in ours.scores._asdict().items():
            assert value == theirs[name], name


def test_cluster_of_a_model(tool, folder):
    theirs = helpers.tool_json("cluster", folder / "model.h5", "--seeded")
    for model in (folder / "model.h5", tessera.load(folder / "model.h5")):
        ours = tessera.cluster(model, seeded=True)
        assert ours.assignments.tolist() == theirs["assignments"]
        assert ours.scores.accuracy == theirs["accuracy"]
    assert tessera.cluster(X, clusters=3).scores is None
    with pytest.raises(ValueError, match="model is for samples"):
        tessera.cluster(folder / "model.h5", model="nmf")


CLASSIFY = [
    ["--folds", 3],
    ["--model", "nmf", "--rank", 3, "--folds", 4, "--seed", 5, "--neighbours-vote", 1],
    ["--model", "lda", "--folds", 3],
    ["--model", "cdnmf", "--rank", 3, "--folds", 2, "--encode", "inverse"],
]


def compare_validation(ours, theirs):
    assert ours.accuracy == theirs["accuracy"] and ours.deviation == theirs["std"]
    same_numbers(ours.folds, theirs["fold_accuracy"])
    assert ours.confusion.tolist() == theirs["confusion"]
    assert [str(name) for name in ours.classes] == theirs["classes"]


@pytest.mark.parametrize("given", CLASSIFY, ids=str)
def test_classify(tool, folder, given):
    theirs = helpers.tool_json("classify", folder / "data.npz", *given)
    compare_validation(tessera.classify(X, OF, **settings_of(given)), theirs)
    compare_validation(tessera.classify(folder / "data.npz", **settings_of(given)), theirs)


def test_classify_others(tool, folder):
    theirs = helpers.tool_json("classify", folder / "data.npz", "--test", folder / "test.npz")
    other, of = helpers.problem(20)
    compare_validation(tessera.classify(X, OF, test=other, test_labels=of), theirs)
    compare_validation(tessera.classify(folder / "data.npz", test=folder / "test.npz"), theirs)
    compare_validation(tessera.classify(X, OF, test=tessera.read(folder / "test.npz")), theirs)
    some = tessera.classify(
        X, LABELS, test=other, test_labels=np.where(of == 2, -1, of), unlabelled=-1
    )
    assert some.confusion[2].sum() == 0 and some.strangers == 0
    strangers = tessera.classify(X, OF, test=other, test_labels=of + 1)
    assert strangers.strangers == (of == 2).sum()


def test_classify_groups(tool, folder):
    given = ["--folds", 3, "--group", folder / "groups.csv"]
    theirs = helpers.tool_json("classify", folder / "data.npz", *given)
    groups = np.arange(40) // 4
    compare_validation(tessera.classify(X, OF, folds=3, group=folder / "groups.csv"), theirs)
    compare_validation(tessera.classify(X, OF, folds=3, group=groups), theirs)
    compare_validation(tessera.classify(X, OF, folds=3, group=[f"g{g}" for g in groups]), theirs)


@pytest.mark.parametrize(
    "given",
    [
        ["--ranks", "2,4"],
        ["--ranks", "2-4", "--by", "entries", "--rule", "best", "--folds", 3],
        ["--ranks", "3", "--model", "cdnmf", "--weights", "0.1,1,10", "--seed", 2],
        ["--ranks", "3", "--model", "cdnmf,nmf,pca", "--repeats", 2, "--folds", 2],
    ],
    ids=str,
)
def test_select(tool, folder, given):
    theirs = helpers.tool_json("select", folder / "data.npz", *given)
    settings = settings_of(given)
    found = [tessera.select(X, OF, **settings), tessera.select(folder / "data.npz", **settings)]
    if given[1] == "2,4":
        found += [tessera.select(X, OF, ranks=r) for r in ([2, 4], (2, 4), np.array([2, 4]))]
    for ours in found:
        assert ours.by == theirs["by"] and ours.judged == theirs["judged"]
        assert len(ours.candidates) == len(theirs["candidates"])
        for a, b in zip(ours.candidates, theirs["candidates"]):
            for name in ("model", "rank", "mean", "deviation", "error", "baseline", "chosen"):
                assert getattr(a, name) == b[name], name
            for name in ("weight", "nmi", "nmi_error", "stability"):
                same_numbers([getattr(a, name)], [b[name]])
            assert a.seconds > 0
        chosen = next(c for c in theirs["candidates"] if c["chosen"])
        assert (ours.rank, ours.weight) == (chosen["rank"], chosen["weight"])
        assert ours.model == chosen["model"]
        assert ours.advice.split(".")[0] == theirs["advice"].split(".")[0]
        assert np.allclose(ours.folds.mean(1), [c.mean for c in ours.candidates])


def test_select_models():
    """Several models as a list, baselines beside them; what cannot be fitted has no scores."""
    found = tessera.select(X, OF, ranks=[3, 500], model=["cdnmf", "nmf"], baselines=True, folds=2)
    assert {c.model for c in found.candidates} >= {"cdnmf", "nmf", "raw", "pca", "lda", "mfa"}
    assert found.model in ("cdnmf", "nmf")
    assert f"tessera fit X --model {found.model} --rank {found.rank}" in found.advice
    for candidate, scores in zip(found.candidates, found.folds):
        assert np.isnan(scores).all() == bool(candidate.note)
        assert candidate.added == candidate.baseline
    with pytest.raises(ValueError, match="names nmf twice"):
        tessera.select(X, OF, ranks=3, model=["nmf", "nmf"])


@pytest.mark.parametrize("by", ["fisher", "lre"])
@pytest.mark.parametrize("data", [True, False])
def test_rank(tool, folder, tmp_path, by, data):
    given = ["--by", by, "--top", 4, "--curve", "-o", tmp_path / "kept.h5"]
    given += ["--data", folder / "some.npz"] if data else []
    theirs = helpers.tool_json("rank", folder / "model.h5", *given)
    kept = tessera.load(tmp_path / "kept.h5")
    sources = [folder / "some.npz", X, tessera.read(folder / "some.npz")] if data else [None]
    for source in sources:
        ours = tessera.rank(folder / "model.h5", by=by, top=4, curve=True, data=source)
        assert ours.order.tolist() == theirs["order"]
        assert ours.scores.tolist() == theirs["scores"]
        assert ours.curve.tolist() == theirs["accuracy" if by == "fisher" else "error"]
        assert helpers.same_bits(ours.kept.basis, kept.components_)
        assert helpers.same_bits(ours.kept.codes, kept.codes_)
    tessera.save(ours.kept, tmp_path / "ours.h5")
    assert helpers.same_bits(tessera.load(tmp_path / "ours.h5").components_, kept.components_)


def test_rank_by_labels_of_ours(folder):
    model = tessera.Model("nmf", 4).fit(X)
    with_labels = tessera.rank(model, data=X, y=OF)
    assert sorted(with_labels.order) == [0, 1, 2, 3] and with_labels.curve is None
    some = tessera.rank(model, data=X, y=LABELS, unlabelled=-1)
    assert not np.array_equal(some.scores, with_labels.scores)


@pytest.mark.parametrize("given", [[], ["--top", 3], ["--specific", 0.2]], ids=str)
def test_terms(tool, folder, given):
    theirs = helpers.tool_json("terms", folder / "model.h5", *given)
    ours = tessera.terms(folder / "model.h5", **settings_of(given))
    assert len(ours) == theirs["rank"] == len(theirs["vectors"])
    for a, b in zip(ours, theirs["vectors"]):
        assert str(a.of) == b["class"] and a.share == b["share"]
        assert a.terms == [(term["feature"], term["weight"]) for term in b["terms"]]


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--columns", 3, "--scale", 4],
        ["--top", 2, "--common"],
        ["--reconstruct", 7],
        ["--reconstruct", 7, "--data", "some.npz", "--top", 2],
        ["--reconstruct", 7, "--data", "some.npz", "--common"],
        ["--codes"],
        ["--codes", "--unit-codes", "--scale", 3],
        ["--distances", "--threads", 1],
        ["--distances", "--unit-codes"],
        ["--codes", "--labels", "test.npz:y", "--data", "test.npz"],
        ["--distances", "--data", "data.npz"],
        ["--distances", "--labels", "data.npz:y"],
    ],
    ids=str,
)
def test_sheet(tool, folder, tmp_path, given):
    given = [f"{folder}/{word}" if ".npz" in str(word) else word for word in given]
    helpers.run_tool("sheet", folder / "model.h5", *given, "-o", tmp_path / "a.png", "-q")
    ours = tessera.sheet(folder / "model.h5", tmp_path / "b.png", **settings_of(given))
    assert ours == (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    if "--data" in given and "--labels" not in given:
        in_memory = {"data": X, "y": OF} if "--distances" in given else {"data": X}
        again = tessera.sheet(folder / "model.h5", **{**settings_of(given), **in_memory})
        assert again == ours


def test_heat_map_of_given_classes(folder):
    model = folder / "model.h5"
    ours = tessera.sheet(model, distances=True, y=OF)
    assert ours == tessera.sheet(model, distances=True, labels=f"{folder}/data.npz:y")
    assert ours != tessera.sheet(model, distances=True, y=OF[::-1])
    with pytest.raises(ValueError, match="39 labels do not fit codes of 40 samples"):
        tessera.sheet(model, codes=True, y=OF[:-1])


def test_sheet_of_a_named_sample(folder):
    names = [f"picture {i}" for i in range(40)]
    data = tessera.Data(X, None, names, None, (5, 5), "row", "m", "m", [])
    model = folder / "model.h5"
    by_name = tessera.sheet(model, reconstruct="picture 7", data=data)
    assert by_name == tessera.sheet(model, reconstruct=7, data=data)
    with pytest.raises(ValueError, match="no sample of the data is called 'picture 77'"):
        tessera.sheet(model, reconstruct="picture 77", data=data)
    other = tessera.sheet(model, image_shape=(1, 25))
    assert other != tessera.sheet(model)


PROTOCOL = """title = Tiny
task = cluster
data = data.npz
vary = classes 2..3
draws = 2
seed = 1

labelled = 2
iterations = 20
clusterings = 3

[nmf]
[cdnmf]
[raw]
"""


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "latex", "json"])
def test_experiment(tool, folder, tmp_path, form):
    (tmp_path / "tiny.txt").write_text(PROTOCOL)
    protocol = tmp_path / "tiny.txt"
    theirs = helpers.run_tool("experiment", protocol, "--data", folder, "--format", form, "-q")
    ours = tessera.experiment(protocol, data=folder, format=form)
    assert ours.strip() == theirs.strip() and "cdnmf" in ours
    if form == "json":
        assert json.loads(ours) == helpers.tool_json("experiment", protocol, "--data", folder)


def test_experiment_goes_on(folder, tmp_path):
    (tmp_path / "tiny.txt").write_text(PROTOCOL)
    settings = dict(data=folder, out=tmp_path / "out", format="csv", threads=1)
    one = tessera.experiment(tmp_path / "tiny.txt", models="nmf", **settings)
    assert "cdnmf" not in one and (tmp_path / "out").is_dir()
    assert tessera.experiment(tmp_path / "tiny.txt", models=["nmf"], resume=True, **settings) == one
    with pytest.raises(ValueError, match="none"):
        tessera.experiment(tmp_path / "tiny.txt", data=folder, models="none")


def test_baselines():
    found = tessera.baselines()
    assert {"raw", "pca", "lda"} <= set(found) and all(found.values())
    for name in ("raw", "pca", "lda", "mfa", "propagation"):
        assert tessera.classify(X, OF, model=name, folds=2).accuracy > 0.5


def test_report(tool, folder, tmp_path):
    X, y = helpers.problem()
    model = tessera.Model("cdnmf", 3, image_shape=(5, 5)).fit(X, y)
    tessera.save(model, tmp_path / "model.h5")
    tessera.write(tmp_path / "data.h5", X, y)
    page = tmp_path / "page.html"
    facts = tessera.report(model, page, X, y, title="<faces>", points=5)
    assert facts["title"] == "<faces>" and len(facts["tables"]["samples"]["rows"]) == 5
    assert "&lt;faces&gt;" in page.read_text()
    arguments = (tmp_path / "model.h5", "--data", tmp_path / "data.h5")
    theirs = helpers.tool_json("report", *arguments, "-o", tmp_path / "theirs.html")
    ours = tessera.report(tmp_path / "model.h5", data=tmp_path / "data.h5")
    assert ours == theirs
    with pytest.raises(ValueError, match="suffices"):
        tessera.report(tmp_path, data=X)
    with pytest.raises(tessera.Error, match="protocol.txt"):
        tessera.report(tmp_path)


def test_page_of_a_selection(tmp_path):
    X, y = helpers.problem()
    chosen = tessera.select(X, y, ranks=[2, 3], iterations=5, output=tmp_path / "choice.html")
    assert f"of rank {chosen.rank}" in (tmp_path / "choice.html").read_text()
