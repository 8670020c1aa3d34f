"""scikit-learn's own checks, for every row of the model table; the list of exceptions is earned."""
import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import estimator_checks

import helpers
import tessera
from tessera import _estimators

ROWS = [row.name for row in tessera.models()]
ESTIMATORS = [tessera.NMF(), tessera.Classifier()] + [
    tessera.Model(name, iterations=100) for name in ROWS
]


def called(estimator):
    return f"{type(estimator).__name__}-{getattr(estimator, 'model', '')}"


def checks(estimator):
    """Each check's name, and a call of it, whichever version this is."""
    if hasattr(estimator_checks, "estimator_checks_generator"):  # from 1.6
        found = estimator_checks.estimator_checks_generator(estimator)
    else:
        found = estimator_checks.check_estimator(estimator, generate_only=True)
    for it, check in found:
        name = getattr(check, "func", check).__name__
        yield name, it, check


def failures(estimator, only=None):
    """Names of checks that fail, or are left out, and of those that were run."""
    failed, run = {}, set()
    for name, it, check in checks(estimator):
        if only is not None and name not in only:
            continue
        run.add(name)
        try:
            helpers.quiet(check, it)
        except Exception as problem:  # SkipTest is one
            failed[name] = problem
    return failed, run


@pytest.fixture
def unlisted(monkeypatch):
    """No check is left out by the estimator's own word; the list itself is still to be had."""
    listed = _estimators._failing
    monkeypatch.setattr(_estimators, "_failing", lambda info, estimator: iter(()))
    return lambda estimator: (
        dict(listed(estimator._info(), estimator)) if hasattr(estimator, "_info") else {}
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=called)
def test_checks(estimator, unlisted):
    """Those that fail are those that are listed, no more and no fewer."""
    failed, run = failures(estimator)
    listed = unlisted(estimator)
    assert len(run) > 30
    assert {name: failed[name] for name in failed if name not in listed} == {}
    assert set(listed) - set(failed) == set()


def test_listed_checks_are_skipped():
    """The list reaches scikit-learn: nothing fails, and nothing else is skipped."""
    estimator = tessera.Model("cdnmf")
    if hasattr(estimator_checks, "estimator_checks_generator"):
        pytest.skip("from 1.6 the caller gives the list")
    skipped = set()
    for it, check in estimator_checks.check_estimator(estimator, generate_only=True):
        try:
            helpers.quiet(check, it)
        except Exception as problem:
            assert type(problem).__name__ == "SkipTest", problem
            skipped.add(str(problem).split()[1])
    assert skipped == set(estimator._failing_checks())


@pytest.mark.parametrize("kind", [tessera.Model, tessera.Classifier])
def test_signature_is_the_table(kind):
    parameters = inspect.signature(kind).parameters
    names = set(parameters)
    assert {"model", "n_components", "random_state", "iterations", "solver", "init_basis"} <= names
    assert not names & {"seed", "rank", "progress", "mask_matrix", "links_matrix"}
    assert kind().get_params() == {name: p.default for name, p in parameters.items()}
    for name in names:
        assert f"    {name} : " in kind.__doc__, name


def test_kinds():
    assert is_classifier(tessera.Classifier()) and not is_classifier(tessera.Model())
    tags = tessera.Classifier()._get_tags() if hasattr(BaseEstimator, "_get_tags") else None
    if tags is not None:
        assert tags["requires_y"] and tags["requires_positive_X"]
        assert not tessera.Model("cf")._get_tags()["requires_positive_X"]
        single = tessera.Model(precision="single")._get_tags()
        assert single["preserves_dtype"] == [np.float32]


@pytest.mark.parametrize("kind", [tessera.Model, tessera.Classifier, tessera.NMF])
def test_tags_by_both_names(kind):
    """From 1.6 a class with _more_tags has __sklearn_tags__ as well: its own check, run here."""
    for parent in kind.mro():
        if parent.__module__.startswith("tessera") and "_more_tags" in vars(parent):
            assert "__sklearn_tags__" in vars(parent)


class Tags:
    """What scikit-learn 1.6 gives to be filled in."""

    def __init__(self, **more):
        self.__dict__.update(more)


def test_new_tags(monkeypatch):
    """The order of the mixins is 1.6's: theirs fill in what is theirs after BaseEstimator's."""
    from sklearn.base import ClassifierMixin, TransformerMixin

    if hasattr(BaseEstimator, "__sklearn_tags__"):
        pytest.skip("this scikit-learn has tags of its own")

    def base(self):
        return Tags(
            input_tags=Tags(sparse=False, positive_only=False, allow_nan=False),
            target_tags=Tags(required=False),
            transformer_tags=None,
        )

    def transformer(self):
        tags = super(TransformerMixin, self).__sklearn_tags__()
        tags.transformer_tags = Tags(preserves_dtype=["float64"])
        return tags

    def classifier(self):
        tags = super(ClassifierMixin, self).__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    for owner, function in (
        (BaseEstimator, base),
        (TransformerMixin, transformer),
        (ClassifierMixin, classifier),
    ):
        monkeypatch.setattr(owner, "__sklearn_tags__", function, raising=False)
    tags = tessera.Model("cdnmf", precision="single", missing="mask").__sklearn_tags__()
    assert tags.transformer_tags.preserves_dtype == ["float32"]
    assert tags.target_tags.required is True and tags.input_tags.allow_nan is True
    assert tags.input_tags.sparse is True and tags.input_tags.positive_only is True
    assert tessera.Model("cf").__sklearn_tags__().input_tags.positive_only is False
    assert tessera.Model("nmf").__sklearn_tags__().target_tags.required is False
    assert tessera.Classifier("nmf").__sklearn_tags__().target_tags.required is True
    nmf = tessera.NMF().__sklearn_tags__()
    assert nmf.transformer_tags.preserves_dtype == ["float64", "float32"]


@pytest.mark.parametrize("kind", [tessera.Model, tessera.Classifier, tessera.NMF])
def test_any_value_is_taken_until_fit(kind):
    """check_do_not_raise_errors_in_init_or_set_params of 1.6."""
    for value in (-1, 3.0, "helloworld", np.array([1.0, 4.0]), [1], {}, []):
        settings = {name: value for name in inspect.signature(kind).parameters}
        kind(**settings)
        kind().set_params(**settings)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=called)
def test_negative_values_are_refused_in_these_words(estimator):
    """check_positive_only_tag_during_fit of 1.6."""
    X, y = helpers.problem()
    X = X - X.mean()
    signs = hasattr(estimator, "_info") and estimator._info().signs
    if signs:
        helpers.quiet(clone(estimator).fit, X, y)
    else:
        with pytest.raises(ValueError, match="Negative values in data passed to"):
            helpers.quiet(clone(estimator).fit, X, y)


def test_tags_draw_nothing():
    """Asking what an estimator is must not move a generator that it was given."""
    draw = np.random.RandomState(3)
    before = draw.get_state()[1].copy()
    estimator = tessera.Model("nmf", random_state=draw)
    estimator._failing_checks()
    estimator._info()
    assert (draw.get_state()[1] == before).all()
