"""Estimators of scikit-learn over the model table: Model encodes, Classifier predicts.

Keyword arguments are the rows of the library's table of settings, so a new setting is one here at
once; so are the docstrings.
"""
import inspect
import warnings
from typing import Any, ContextManager, Dict, Iterator, List, Optional, Tuple

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from . import _arrays as arrays
from . import _fitted as fitting
from . import _html
from ._arrays import Opened, Stored, opened
from ._library import Error, Owned, lib, text
from ._tables import (
    OBJECT,
    TEXT,
    Options,
    Setting,
    described,
    filled,
    keywords,
    parameters,
    table,
    unknown,
)
from ._team import Team, together

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6
    validate_data = None

# Rows that are arguments of another name or kind, and those that belong to a call of fit.
_ELSEWHERE = {"model", "rank", "seed", "progress", "sample-weights"}


def _folded(row: Setting) -> bool:
    """Matrices in place of a file are given by the same argument as the file."""
    return row.name.endswith("-matrix") and row.name[: -len("-matrix")] in table("fit")


_ROWS: List[Setting] = [
    row
    for row in table("fit").values()
    if row.name not in _ELSEWHERE
    and not (_folded(row) and table("fit")[row.name[:-7]].kind == TEXT)
]


def seed_of(random_state: Any) -> int:
    """A whole number is the tool's --seed; anything else draws one."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state} is below 0")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def weights_of(sample_weight: Any, samples: int) -> Optional[np.ndarray]:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(samples, float(weights))
    if weights.ndim != 1 or len(weights) != samples:
        raise ValueError(
            f"sample_weight of shape {weights.shape}: {samples} samples have a weight each"
        )
    if not weights.any():
        raise ValueError("sample_weight is 0 for every sample: nothing is left to learn from")
    return np.ascontiguousarray(weights)


def validated(estimator: Any, given: Opened, reset: bool, allow_nan: bool) -> Any:
    """scikit-learn's own checks, by whichever name this version has them."""
    if isinstance(given.x, Stored):
        return _validated_stored(estimator, given, reset)
    finite: Dict[str, Any] = {
        "force_all_finite"
        if validate_data is None
        else "ensure_all_finite": ("allow-nan" if allow_nan else True)
    }
    settings = dict(accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32], **finite)
    if given.feature_names is not None and not reset:
        X = check_array(given.x, **settings)
        _same_features(estimator, X, [str(name) for name in given.feature_names])
        return X
    if validate_data is None:
        X = estimator._validate_data(given.x, reset=reset, **settings)
    else:
        X = validate_data(estimator, given.x, reset=reset, **settings)
    if given.feature_names is not None:
        names = [str(name) for name in given.feature_names]
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return X


def _validated_stored(estimator: Any, given: Opened, reset: bool) -> Stored:
    """The library looks at the values itself, as it reads them."""
    names = given.feature_names and [str(name) for name in given.feature_names]
    if reset:
        estimator.n_features_in_ = given.x.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if names:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    else:
        _same_features(estimator, given.x, names)
    return given.x


def _same_features(estimator: Any, X: Any, names: Optional[List[str]]) -> None:
    """Names that are no columns of a data frame, compared as those are."""
    whose, wanted = type(estimator).__name__, getattr(estimator, "feature_names_in_", None)
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {whose} is expecting {estimator.n_features_in_} "
            "features as input"
        )
    if wanted is not None and names and list(wanted) != names:
        first = next(i for i, name in enumerate(names) if name != wanted[i])
        raise ValueError(
            "The feature names should match those that were passed during fit: feature "
            f"{first} is {names[first]!r}, and was {wanted[first]!r}"
        )


def refuse_negative(X: Any, whose: str, problem: Any = "") -> None:
    if isinstance(X, Stored):  # the library has said so
        return
    values = X.data if arrays.is_sparse(X) else X
    if values.size and np.nanmin(values) < 0:
        raise ValueError(
            f"Negative values in data passed to {whose}" + (problem and f": {problem}")
        )


def made_of(W: Any, H: np.ndarray) -> Any:
    """Samples of codes and components."""
    W = W if arrays.is_sparse(W) else np.asarray(W)
    if len(W.shape) != 2 or W.shape[1] != len(H):
        raise ValueError(f"codes of shape {W.shape}: {len(H)} components want samples x {len(H)}")
    return W @ H


def reconstruction_error(fitted: fitting.Fitted) -> float:
    """The length of X - W H; under other losses the root of twice the loss."""
    report = fitted.report
    loss = max(float(report.data_loss), 0.0)
    return float(np.sqrt(loss if report.loss == "frobenius" else 2 * loss))


def warn_unless_converged(
    fitted: fitting.Fitted, options: Options, how: str, stacklevel: int = 4
) -> None:
    limit = int(text(lib.tsr_options_get(options.at, b"iterations")) or 0)
    tolerance = float(text(lib.tsr_options_get(options.at, b"tolerance")) or 0)
    report = fitted.report
    if tolerance > 0 and limit > 0 and not report.converged and report.iterations >= limit:
        warnings.warn(
            f"{limit} iterations were not enough for the tolerance {tolerance:g}: {how}",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


# Beside the rows of the table, and by name alone.
_NAMED = {
    "team": (
        None,
        "communicator or None",
        "Of mpi4py: processes that share the fit; each makes the same calls with the same samples",
    ),
}


def _constructor(leading: Dict[str, Any]) -> Any:
    """An __init__ that sets what it is given, with the signature of the table."""
    own = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in leading.items()
    ]
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=row[0])
        for name, row in _NAMED.items()
    ]
    arguments = own + named + parameters(_ROWS)
    defaults = {argument.name: argument.default for argument in arguments}
    order = list(leading)

    def __init__(self: Any, *given: Any, **settings: Any) -> None:
        if len(given) > len(order):
            raise TypeError(f"{type(self).__name__} takes {len(order)} arguments by position")
        for name, value in zip(order, given):
            if name in settings:
                raise TypeError(f"{type(self).__name__} got {name!r} twice")
            settings[name] = value
        for name in settings:
            if name not in defaults:
                raise unknown(type(self).__name__, name, list(defaults))
        for name, default in defaults.items():
            setattr(self, name, settings.get(name, default))

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([itself] + arguments)  # type: ignore[attr-defined]
    return __init__


class _Fitting(BaseEstimator):
    """What both estimators share: settings in, a fitted model out."""

    model_: Any

    @property
    def team(self) -> Any:
        """Of a communicator, which cannot be cloned as settings are, what can."""
        return self.__dict__.get("team")

    @team.setter
    def team(self, comm: Any) -> None:
        self.__dict__["team"] = Team.of(comm) if hasattr(comm, "Get_rank") else comm

    def _options(self, drawn: bool = True) -> Options:
        """`drawn`: with a seed, of which only a fit draws."""
        if not isinstance(self.model, str):
            raise ValueError(f"model={self.model!r}: it is the name of a row of tessera.models()")
        options = Options("fit", {"model": self.model})
        if drawn:
            options.set("seed", seed_of(self.random_state))
        if self.n_components is not None:
            k = self.n_components
            if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
                raise ValueError(f"n_components={k!r} is no whole number from 1")
            options.set("rank", int(k))
        for row in _ROWS:
            if drawn or row.kind != OBJECT:
                options.set(row.name, getattr(self, row.argument))
        return options

    def _info(self) -> Any:
        """What the settings make; of those that make nothing, what the defaults do."""
        try:
            return filled("model", lib.tsr_fit_describe, self._options(drawn=False).values)
        except (ValueError, TypeError):
            return filled("model", lib.tsr_fit_describe, None)

    @property
    def _allows_nan(self) -> bool:
        return self.missing == "mask"

    def _samples(self, given: Opened, reset: bool) -> Any:
        return validated(self, given, reset, self._allows_nan)

    def _data(self, X: Any, given: Opened, labels: Optional[Owned] = None) -> Owned:
        shape, order = self.image_shape, self.image_order
        if shape is None and given.image_shape is not None:
            shape, order = given.image_shape, given.image_order
        return arrays.to_data(
            X,
            labels,
            given.sample_names,
            getattr(self, "feature_names_in_", None),
            shape,
            order,
            team=Team.of(self.team),
        )

    def _labels(self, X: Any, y: Any, unlabelled: Any, without: Any = None) -> Tuple[Owned, int]:
        """Labels of the library, and how many classes have one."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        y = column_or_1d(arrays.label_array(y), warn=True)
        check_consistent_length(X, y)
        self.classes_, position = arrays.encode_labels(y, unlabelled)
        if without is not None:
            position[without] = -1
        if not (position >= 0).any():
            raise ValueError("y has no label: all are what `unlabelled` means, or of no weight")
        return arrays.to_labels(self.classes_, position), len(np.unique(position[position >= 0]))

    def _forget(self) -> None:
        """A fit that fails leaves nothing of the one before."""
        for name in set(vars(self)) - set(self._get_param_names()):
            if name.endswith("_") and not name.startswith("_"):
                delattr(self, name)

    def _settle(self, data: Owned, options: Options, info: Any) -> None:
        """What an estimator makes of a fitted model."""
        report = self.model_.report
        self.n_iter_ = int(report.iterations)
        self.n_components_ = int(report.rank)
        self.objective_ = float(report.objective)
        self.converged_ = bool(report.converged)
        self.reconstruction_err_ = reconstruction_error(self.model_)

    def _fit(self, X: Any, *others: Any, **more: Any) -> Tuple[Owned, Any]:
        with self._together(X):
            return self._learn(X, *others, **more)

    def _together(self, X: Any) -> ContextManager[Any]:
        """What one rank of a team refuses, all refuse."""
        return together(Team.of(self.team) or arrays.team_of(X))

    def _learn(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        labelled: bool,
        mask: Any = None,
        resume: Optional[int] = None,
        more: Optional[fitting.Fitted] = None,
    ) -> Tuple[Owned, Any]:
        """`more`: what goes on with these samples, new ones, instead of beginning."""
        given = opened(X)
        before = self.model_ if resume is not None else None
        seen = 0
        if more is not None:  # of an archive, what it says itself
            seen = getattr(self, "n_samples_seen_", int(more.report.samples))
        if resume is None and more is None:
            self._forget()
        X = self._samples(given, reset=resume is None and more is None)
        own = y is None and given.y is not None
        y, unlabelled = (given.y, given.unlabelled) if own else (y, self.unlabelled)
        options = self._options()
        if mask is not None:
            if self.mask is not None:
                raise ValueError("mask is a setting of the estimator and given to fit: one of them")
            options.set("mask", mask)
        if resume is not None:
            options.set("iterations", resume)
        weights = weights_of(sample_weight, X.shape[0])
        options.set("sample-weights", weights)
        info = filled("model", lib.tsr_fit_describe, options.values)
        if info.joined and X.shape[0] < 2:
            raise ValueError(f"{self.model} joins samples, and n_samples=1 are given")
        labels, classes = None, 0
        if labelled or info.labels or self.init == "means":
            without = weights == 0 if labelled and weights is not None else None
            if isinstance(X, Stored):
                arrays.refuse_labels(y, given.y)
                arrays.refuse_labels(without, None)
            labels, classes = self._labels(X, y, unlabelled, without)
        few = self.n_components is not None and self.n_components < classes
        if labelled and info.blocks and few:
            warnings.warn(
                f"n_components={self.n_components}: {self.model} has a vector a class at least, "
                f"and takes {classes}",
                stacklevel=4,
            )
            options.set("rank", classes)
        data = self._data(X, given, labels)
        try:
            self.model_, stopped = fitting.fit(
                data, options, self.verbose, resume=before, more=more
            )
        except Error as problem:
            if problem.status == "data" and not info.signs:
                refuse_negative(X, f"{type(self).__name__} (input X)", problem)
            raise
        self.n_samples_seen_ = seen + X.shape[0]
        self._settle(data, options, info)
        if stopped is not None:
            raise stopped
        if more is None:
            warn_unless_converged(self.model_, options, "raise iterations or tolerance", 5)
        return data, info

    def _fitted(self) -> fitting.Fitted:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return self.model_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @property
    def components_(self) -> np.ndarray:
        """Basis vectors, n_components_ x n_features_in_."""
        return self._need("components_").basis

    @property
    def codes_(self) -> np.ndarray:
        """Codes of the samples of the fit, as it left them."""
        return self._need("codes_").codes

    @property
    def diffused_(self) -> np.ndarray:
        """What clusters are made of: the codes, diffused over the graph of neighbours by models
        that do so (diffuse)."""
        return self._need("diffused_").diffused

    @property
    def history_(self) -> np.ndarray:
        """J after each iteration."""
        return self._need("history_").objective

    @property
    def terms_(self) -> Dict[str, float]:
        """J at the end, term by term."""
        return self._need("terms_").terms

    @property
    def plan_(self) -> List[str]:
        """How the fit was done, a line a factor."""
        return self._need("plan_").plan

    @property
    def notes_(self) -> List[str]:
        """What the fit wants said."""
        return self._need("notes_").notes

    def _need(self, name: str) -> fitting.Fitted:
        if not hasattr(self, "model_"):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        return self.model_

    def _encode(self, X: Any, data: Optional[Owned] = None, **settings: Any) -> Any:
        fitted = self._fitted()
        with self._together(X):
            data = data if data is not None else self._others(X)
            threads = {"threads": self.threads, **settings}
            return fitted.transform(data, **threads, verbose=self.verbose)

    def _others(self, X: Any) -> Owned:
        """Samples to be encoded, whose names nobody asks for."""
        given = opened(X)._replace(sample_names=None)
        return self._data(self._samples(given, reset=False), given)

    def _failing_checks(self) -> Dict[str, str]:
        """Checks of scikit-learn that the row cannot pass, and why."""
        return dict(_failing(self._info(), self))

    def _dtypes(self) -> List[str]:
        return ["float32" if self.precision == "single" else "float64"]

    def _more_tags(self) -> Dict[str, Any]:
        info = self._info()
        return {
            "requires_positive_X": not info.signs,
            "requires_y": bool(info.labels),
            "allow_nan": self._allows_nan,
            "preserves_dtype": [getattr(np, name) for name in self._dtypes()],
            "_xfail_checks": dict(_failing(info, self)),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        info = self._info()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not info.signs
        tags.input_tags.allow_nan = self._allows_nan
        tags.target_tags.required = bool(info.labels)
        return tags

    def _repr_html_(self) -> str:
        return _html.estimator(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


# Before 1.6 these ask for one component, whatever was set.
_ONE_COMPONENT = (
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1feature",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_fit2d_predict1d",
)


def _failing(info: Any, estimator: Any) -> Iterator[Tuple[str, str]]:
    """tests/test_conventions.py sees to it that each of them does fail."""
    old, encodes = validate_data is None, isinstance(estimator, Model)
    # Starts at the means of classes are those of the samples that count.
    means = info.codes == "tied" or (info.blocks and (old or info.loss == "kl"))
    if (info.basis != "free" or not means) and (encodes or not old):
        names = ["check_sample_weights_invariance"]
        if not old:
            kinds = ("dense", "sparse")
            names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in kinds]
        for check in names:
            yield check, "J has many minima: a start without some samples is another start"
    if not encodes:
        return
    if info.blocks and old:
        for check in _ONE_COMPONENT:
            yield check, "it asks for one component; class-driven rows have one a class at least"
    if info.joined:
        for check in ("check_transformer_general", "check_transformer_data_not_an_array"):
            yield check, "codes of the fit know labels or neighbours; transform sees a sample alone"


_LEADING = {
    "n_components": (None, "int", "Basis vectors; None: the number of classes, else 10"),
    "random_state": (0, "int, RandomState or None", "The tool's --seed; others draw one"),
    "unlabelled": (
        None,
        "value or list of values",
        "Labels in y that mean none: -1, '', np.nan (None too); by default every label is one",
    ),
    "image_shape": (None, "(height, width)", "Samples are pictures of that many pixels"),
    "image_order": ("row", "{'row', 'column'}", "How their pixels lie"),
    "verbose": (False, "bool", "Show progress"),
}


def _leading(model: str, **more: Any) -> Dict[str, Any]:
    return {"model": model, **{name: row[0] for name, row in _LEADING.items()}, **more}


def _document(kind: Any, text: str, model: str, more: str = "") -> None:
    lines = [f"    model : str, default {model!r}", "        A row of tessera.models()."]
    for name, (default, what, help_text) in [*_LEADING.items(), *_NAMED.items()]:
        lines += [f"    {name} : {what}, default {default!r}", f"        {help_text}."]
    kind.__doc__ = (
        f"{text}\n\n    Parameters\n    ----------\n"
        + "\n".join(lines)
        + ("\n" + more if more else "")
        + "\n"
        + described(_ROWS)
        + _ATTRIBUTES
    )


_ATTRIBUTES = """

    Attributes
    ----------
    components_ : array, n_components_ x n_features_in_
    codes_ : array, samples x n_components_
        Codes of the samples of the fit, as it left them.
    diffused_ : array, samples x n_components_
        The same as clusters see them: diffused over the graph of neighbours where models do so.
    n_components_, n_features_in_, n_iter_ : int
    n_samples_seen_ : int
        Samples of the fit and of the calls of partial_fit after it.
    feature_names_in_ : array of str, where the samples have names of features
    classes_ : array, where labels were used
    objective_ : float
        J at the end; history_ after each iteration, terms_ term by term.
    reconstruction_err_ : float
        The length of X - W H; under other losses the root of twice the loss.
    converged_ : bool
    plan_, notes_ : list of str
        How the fit was done, and what it wants said.
    model_ : the model itself; tessera.save writes it.
"""


class Model(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Fitting):
    __init__ = _constructor(_leading("nmf"))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, mask: Any = None) -> "Model":
        """Learns parts and codes. y is used by rows that learn from labels; mask marks entries
        that are not known."""
        self._fit(X, y, sample_weight, False, mask)
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, mask: Any = None
    ) -> Any:
        """Learns, and returns the codes: at their optimum, as transform gives them; where they
        know labels, neighbours, links or a mask, as the fit left them."""
        data, info = self._fit(X, y, sample_weight, False, mask)
        if info.joined or mask is not None or self.mask is not None:
            return self.model_.codes.copy()
        return self._encode(X, data)

    def resume(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        mask: Any = None,
        iterations: int = 100,
    ) -> "Model":
        """Goes on with the fit, on the same samples, with that many iterations more."""
        self._fitted()
        self._fit(X, y, sample_weight, False, mask, resume=iterations)
        return self

    @available_if(lambda self: self._info().online)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Model":
        """Learns from new samples without those before: the first call is fit, later ones go over
        theirs once, and the basis moves after each `batch` of them (0: 1024). What was learnt
        counts as much as the samples that it was learnt from; a batch leaves the share `forget` of
        that.

        For models with a free basis and no term on the codes (`online` in tessera.models()); codes_
        are of the last call.
        """
        fitted = getattr(self, "model_", None)
        self._fit(X, y, sample_weight, False, more=fitted)
        return self

    def transform(self, X: Any, **settings: Any) -> Any:
        """Codes with the basis fixed, under the model's own loss and preprocessing.

        Settings are those of encoding: method ('loss', 'inverse', 'product'), iterations,
        tolerance, threads.
        """
        self._fitted()
        return self._encode(X, **keywords("transform", settings, "transform"))

    def inverse_transform(self, W: Any) -> Any:
        """Samples as the parts make them of codes, in the form in which the model sees them."""
        self._need_parts()
        return made_of(W, self.components_)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the relative error of what the model makes of X: 0 is best."""
        fitted = self._need_parts()
        with self._together(X):
            data = self._others(X)
            squares = [
                squared_error(fitted.prepared(x), fitted.transform(x, self.threads), fitted.basis)
                for x in arrays.pieces(data) or [data]
            ]
        error, square = np.sum(squares, axis=0)
        return -float(np.sqrt(error / square)) if square != 0 else 0.0

    def _need_parts(self) -> fitting.Fitted:
        fitted = self._fitted()
        kernel = fitted.settings["kernel"]
        if kernel != "linear":
            raise ValueError(f"a model with the kernel {kernel} has no parts to add up")
        return fitted

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = self._dtypes()
        return tags


def squared_error(X: Any, W: np.ndarray, H: np.ndarray) -> Tuple[float, float]:
    """||X - W H||^2 and ||X||^2 over the known entries; sparse X is not made dense."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    if arrays.is_sparse(X):
        X = X.tocoo()
        values = X.data.astype(np.float64)
        lost = np.isnan(values)  # what W H makes there is no error
        made = np.einsum("ij,ij->i", W[X.row], H.T[X.col])
        values[lost] = 0
        square = float(values @ values)
        error = square - 2 * float(values @ made) + float(np.sum((W.T @ W) * (H @ H.T)))
        error -= float(made[lost] @ made[lost])
        return max(error, 0.0), square
    error = square = 0.0
    for first in range(0, len(W), 4096):
        rows = slice(first, first + 4096)
        x = np.asarray(X[rows], np.float64)
        rest = x - W[rows] @ H
        known = ~np.isnan(x)
        error += float(np.sum(rest[known] ** 2))
        square += float(np.sum(x[known] ** 2))
    return error, square


_PREDICT_BY = """    predict_by : {'nearest', 'block'}, default 'nearest'
        By the nearest labelled code, of training samples encoded as new ones are; or by the
        largest block of the code, which class-driven rows have."""


class Classifier(ClassifierMixin, _Fitting):
    __init__ = _constructor(_leading("cdnmf-kl", predict_by="nearest"))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Classifier":
        """Learns from samples of which some have a label. Those of no weight have none."""
        self._by()
        if y is not None and self.unlabelled is None:
            labels = arrays.label_array(y)
            if labels.dtype.kind == "f":
                check_classification_targets(labels)
        self._fit(X, y, sample_weight, True)
        return self

    def _settle(self, data: Owned, options: Options, info: Any) -> None:
        super()._settle(data, options, info)
        known = {arrays.class_name(value): i for i, value in enumerate(self.classes_)}
        of, names = self.model_.labels
        self.order_ = np.array([known[arrays.class_name(name)] for name in names])
        # What is made of the samples themselves keeps the codes that the fit left.
        whole = info.basis == "concept" or self.model_.settings["weighting"] == "ncw"
        if not info.joined or whole:
            return
        # Neighbours by codes that know their labels would be others than new samples have.
        codes = self.model_.transform(data, self.threads)
        labels = arrays.to_labels(names, of)
        self.neighbours_ = fitting.from_parts(self.model_.basis, codes, labels, options)

    def _by(self) -> int:
        if self.predict_by not in ("block", "nearest"):
            raise ValueError(f"predict_by is 'nearest' or 'block', not {self.predict_by!r}")
        return fitting.BLOCK if self.predict_by == "block" else fitting.NEAREST

    def _judge(self) -> fitting.Fitted:
        return getattr(self, "neighbours_", None) or self._fitted()

    def predict(self, X: Any) -> np.ndarray:
        """The class of each sample."""
        self._fitted()
        of = self._judge().predict(self._encode(X), self._by())
        return self.classes_[self.order_[of]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes, in the order of classes_: of the sums of blocks, or of 1 /
        distance to the nearest labelled code of each."""
        self._fitted()
        scores = self._judge().scores(self._encode(X), self._by())
        shares = np.zeros((len(scores), len(self.classes_)))
        shares[:, self.order_] = scores
        return shares


_document(
    Model,
    "Parts and codes by any row of the model table: a transformer of scikit-learn.",
    "nmf",
)
_document(
    Classifier,
    "Classes from parts that were learnt with some labels: a classifier of scikit-learn.",
    "cdnmf-kl",
    _PREDICT_BY,
)
