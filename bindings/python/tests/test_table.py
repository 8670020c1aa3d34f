"""Every command of the tool is here, with every option, or there is a reason."""
import re

import numpy as np
import pytest

import helpers
import tessera
from tessera import _tables

# Commands that are no function of the same name.
ELSEWHERE = {
    "convert": "tessera.write(OUT, tessera.read(DATA)); what is between is NumPy",
    "demo": "it makes files for a first look",
    "fit": "Model.fit, Classifier.fit",
    "transform": "Model.transform, Classifier.predict",
}

# Options that are no argument, of any command, and of some.
REASONS = {
    "json": "functions return what it prints",
    "quiet": "verbose=False is the default",
}
OWN_REASONS = {
    "info": {"show": "it draws with characters; matplotlib shows X[i]"},
    "rank": {"output": "tessera.save(ranking.kept, OUT)"},
    "models": {"plan": "plan_ of a fitted model"},
    "experiment": {},
    "fit": {
        "output": "tessera.save",
        "resume": "Model.resume",
        "more": "Model.partial_fit",
        "sample-weights": "sample_weight of fit",
        "verbose": "plan_ of a fitted model; verbose shows progress",
        "predict": "Classifier.predict",
    },
    "transform": {
        "output": "tessera.write",
        "unit-codes": "codes / norm",
        "predict": "Classifier.predict",
        "predict-by": "predict_by of Classifier",
    },
}
READING = [row.name for row in _tables.table("read").values() if row.kind != _tables.OBJECT]


@pytest.fixture(scope="module")
def model():
    X, y = helpers.problem()
    return tessera.Model("cdnmf", 3, image_shape=(5, 5)).fit(X, y)


# A call of each function that ends soon, with one argument more.
CALLS = {
    "info": lambda model, more: tessera.info("none.npz", **more),
    "features": lambda model, more: tessera.features("none", **more),
    "cluster": lambda model, more: tessera.cluster("none.npz", **more),
    "classify": lambda model, more: tessera.classify("none.npz", **more),
    "select": lambda model, more: tessera.select("none.npz", **more),
    "rank": lambda model, more: tessera.rank(model, **{"data": "none.npz", **more}),
    "terms": lambda model, more: tessera.terms(model, **more),
    "sheet": lambda model, more: tessera.sheet(
        model, **{"reconstruct": 0, "data": "none.npz", **more}
    ),
    "overlay": lambda model, more: tessera.overlay(model, "none.png", **more),
    "experiment": lambda model, more: tessera.experiment("none.txt", **more),
    "report": lambda model, more: tessera.report(model, **{"data": "none.npz", **more}),
    "models": lambda model, more: tessera.models(**more),
    "transform": lambda model, more: model.transform(np.ones((2, 25)), **more),
}


def commands():
    text = helpers.run_tool("--help")
    return re.findall(r"^  (?:\w+)? +([a-z]+)  +[A-Z]", text, re.M)


def options(command):
    text = helpers.run_tool(command, "--help")
    return re.findall(r"^  (?:-\w, )?--([a-z][a-z0-9-]*)", text, re.M)


def is_taken(command, option, model):
    """Whether an argument of that name, or of its name in Python, is known."""
    for name in {option.replace("-", "_"), _tables.python_name(option)}:
        try:
            CALLS[command](model, {name: "x"})
        except TypeError as problem:
            if re.search("has no setting|unexpected keyword", str(problem)):
                continue
        except Exception:
            pass
        return True
    return False


def test_commands(tool):
    found = commands()
    assert len(found) == len(set(found)) >= 15
    for command in found:
        assert (command in ELSEWHERE) != callable(getattr(tessera, command, None)), command
    assert set(ELSEWHERE) <= set(found)


@pytest.mark.parametrize("command", [name for name in CALLS if name != "transform"])
def test_options(tool, model, command):
    found = options(command)
    reasons = {**REASONS, **OWN_REASONS.get(command, {})}
    missing = [name for name in found if name not in reasons]
    missing = [name for name in missing if not is_taken(command, name, model)]
    assert missing == []
    assert set(OWN_REASONS.get(command, {})) <= set(found)
    assert not is_taken(command, "no-such-option", model)


def test_every_function_is_looked_at(tool):
    assert set(commands()) - set(ELSEWHERE) == set(CALLS) - {"transform"}


def test_options_of_fit(tool):
    reasons = {**REASONS, **OWN_REASONS["fit"]}
    arguments = {**tessera.Classifier().get_params(), **dict.fromkeys(READING)}
    for option in options("fit"):
        names = {option.replace("-", "_"), _tables.python_name(option)}
        assert option in reasons or option in READING or names & set(arguments), option
    assert set(OWN_REASONS["fit"]) <= set(options("fit"))


def test_options_of_transform(tool, model):
    reasons = {**REASONS, **OWN_REASONS["transform"]}
    for option in options("transform"):
        known = option in reasons or option in READING
        assert known or is_taken("transform", option, model), option


def test_choices_are_those_of_the_tool(tool):
    """Each word of a table is one that help shows."""
    for name, command in (("fit", "fit"), ("features", "features"), ("select", "select")):
        text = helpers.run_tool(command, "--help")
        for row in _tables.table(name).values():
            if row.kind == _tables.CHOICE:
                assert f"--{row.name} {row.values}" in text
                assert row.default == row.values.split("|")[0]


def test_methods_of_encoding(model):
    """They differ, and the default is by the loss."""
    X = helpers.problem(seed=3)[0]
    found = [model.transform(X, method=name) for name in ("loss", "inverse", "product")]
    assert helpers.same_bits(found[0], model.transform(X))
    assert not np.allclose(found[0], found[1]) and not np.allclose(found[1], found[2])
    np.testing.assert_allclose(found[2], X @ model.components_.T, rtol=1e-9)
    with pytest.raises(TypeError, match="did you mean 'method'"):
        model.transform(X, methods="loss")


def test_models_are_those_of_the_tool(tool):
    listed = helpers.tool_json("models")
    rows = [{**row, "name": row["model"]} for row in listed["models"]]
    for row, ours in zip(rows, tessera.models()):
        for name in "name title objective loss basis codes uses source".split():
            assert row[name] == getattr(ours, name)
    assert len(rows) == len(tessera.models())


def test_everything_that_is_promised():
    assert all(hasattr(tessera, name) for name in tessera.__all__)
    assert set(tessera.__all__) <= set(dir(tessera))
    with pytest.raises(AttributeError, match="no attribute 'none'"):
        tessera.none
    assert re.fullmatch(r"\d+\.\d+\.\d+", tessera.__version__)
