"""NMF and MiniBatchNMF, in the place of those of sklearn.decomposition: their parameters,
attributes and scale, by Tessera's coordinate descent under every loss.

    J = 0.5 ||X - W H||^2 (or the divergence) + alpha_W l1_ratio m sum W + alpha_H l1_ratio n sum H
        + 0.5 (1 - l1_ratio) (alpha_W m ||W||^2 + alpha_H n ||H||^2)      X: n x m
"""
from typing import Any, Dict, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from . import _arrays as arrays
from . import _fitted as fitting
from . import _html
from ._arrays import opened
from ._estimators import (
    made_of,
    reconstruction_error,
    refuse_negative,
    seed_of,
    validated,
    warn_unless_converged,
)
from ._library import Owned
from ._tables import Options

_LOSSES = {
    "frobenius": "frobenius",
    2: "frobenius",
    "kullback-leibler": "kl",
    1: "kl",
    "itakura-saito": "is",
    0: "is",
}
_INITS = (None, "random", "nndsvd", "nndsvda", "nndsvdar", "custom")


class _Factorizing(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What both share: parameters by scikit-learn's names in, W and H out."""

    def _loss(self) -> str:
        try:
            return _LOSSES[self.beta_loss]
        except (KeyError, TypeError):
            raise ValueError(
                f"beta_loss={self.beta_loss!r}: it is 'frobenius', 'kullback-leibler', "
                "'itakura-saito', or 2, 1, 0"
            ) from None

    def _rank(self, X: Any, H: Any) -> int:
        k = self.n_components
        if k is None or (isinstance(k, str) and k == "auto"):
            return H.shape[0] if k == "auto" and H is not None else X.shape[1]
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ValueError(f"n_components={k!r} is no whole number from 1")
        return int(k)

    def _alpha_H(self) -> float:
        if isinstance(self.alpha_H, str) and self.alpha_H != "same":
            raise ValueError(f"alpha_H={self.alpha_H!r}: it is a number or 'same'")
        same = isinstance(self.alpha_H, str)
        return float(_number("alpha_H", self.alpha_W if same else self.alpha_H))

    def _options(self, dtype: Any, k: int) -> Options:
        if self.init not in _INITS:
            raise ValueError(f"init={self.init!r} is none of {', '.join(map(repr, _INITS))}")
        return Options(
            "fit",
            {
                "model": "nmf",
                "loss": self._loss(),
                "rank": k,
                "basis-norm": "none",
                "alpha-codes": _number("alpha_W", self.alpha_W),
                "alpha-basis": self._alpha_H(),
                "l1-ratio": _number("l1_ratio", self.l1_ratio, most=1),
                "iterations": _number("max_iter", self.max_iter, 1, whole=True),
                "tolerance": min(_number("tol", self.tol), 1.0),
                "precision": "single" if dtype == np.float32 else "double",
            },
        )

    def _start(self, options: Options, X: Any, k: int, W: Any, H: Any) -> None:
        init = self.init
        if init is None:
            init = "nndsvda" if k <= min(X.shape) else "random"
        if init.startswith("nndsvd") and k > min(X.shape):
            raise ValueError(f"init={init!r} has {min(X.shape)} vectors here, not {k}: 'random'")
        if init == "custom":
            if W is None or H is None:
                raise ValueError("init='custom' wants both W and H")
            W, H = _factor(W, (X.shape[0], k), "W"), _factor(H, (k, X.shape[1]), "H")
        elif init == "random":
            W, H = _random(X, k, self.random_state)
        else:
            options.set("init", init)
            options.set("seed", seed_of(self.random_state))
            return
        options.give("init-codes", arrays.to_matrix(W, "W"))
        options.give("init-basis", arrays.to_matrix(H, "H"))

    def _fit(self, X: Any, W: Any, H: Any) -> Tuple[Any, fitting.Fitted, Owned]:
        X = validated(self, opened(X), True, False)
        refuse_negative(X, f"{type(self).__name__} (input X)")
        k = self._rank(X, H)
        options = self._options(X.dtype, k)
        self._start(options, X, k, W, H)
        self._cut(options, X)
        data = arrays.to_data(X)
        fitted, stopped = fitting.fit(data, options, bool(self.verbose))
        report = fitted.report
        self.n_components_, self.n_iter_ = k, max(int(report.iterations), 1)
        self.components_ = fitted.basis.copy()
        self.reconstruction_err_ = reconstruction_error(fitted)
        if stopped is not None:
            raise stopped
        warn_unless_converged(fitted, options, "raise max_iter or tol")
        return X, fitted, data

    def _cut(self, options: Options, X: Any) -> None:
        """Batches, where there are any."""

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> "_Factorizing":
        """Learns the components; W and H are the start where init is 'custom'."""
        self._fit(X, W, H)
        return self

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Any:
        """Learns, and returns W, at its optimum with these components: what transform gives."""
        _, fitted, data = self._fit(X, W, H)
        return fitted.transform(data, verbose=bool(self.verbose), **self._encoding())

    def _need(self) -> None:
        if not hasattr(self, "components_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )

    def transform(self, X: Any) -> Any:
        """W of other samples, with these components."""
        self._need()
        X = validated(self, opened(X), False, False)
        refuse_negative(X, f"{type(self).__name__} (input X)")
        H = np.asarray(self.components_)
        options = self._options(H.dtype, H.shape[0])
        model = fitting.from_parts(H, np.zeros((1, H.shape[0]), H.dtype), None, options)
        data = arrays.to_data(X)
        return model.transform(data, verbose=bool(self.verbose), **self._encoding())

    def _encoding(self) -> Dict[str, Any]:
        """Settings of transform."""
        return {}

    def inverse_transform(self, W: Any) -> np.ndarray:
        """W @ components_."""
        self._need()
        return made_of(W, self.components_)

    def _repr_html_(self) -> str:
        return _html.parts(self, getattr(self, "components_", None))

    def _repr_mimebundle_(self, **kwargs: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _more_tags(self) -> Dict[str, Any]:
        return {"requires_positive_X": True, "preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class NMF(_Factorizing):
    """Non-negative matrix factorization with the interface of sklearn.decomposition.NMF.

    Parameters
    ----------
    n_components : int or 'auto', default None
        None: the number of features; 'auto' takes that of a custom start.
    init : {'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default None
        None: 'nndsvda' where n_components is at most samples and features, else 'random', which
        draws the numbers that scikit-learn draws of the same random_state. 'custom' takes W and H.
    solver : {'cd', 'mu'}, default 'cd'
        Both names are taken, and both mean coordinate descent, under every loss;
        tessera.Model(solver='mu') has the multiplicative rule.
    beta_loss : {'frobenius', 'kullback-leibler', 'itakura-saito'} or 2, 1, 0, default 'frobenius'
    tol : float, default 1e-4
        Stops when as many iterations again would gain less of J than this share; 0: runs all.
    max_iter : int, default 200
    random_state : int, RandomState or None, default None
    alpha_W : float, default 0.0
    alpha_H : float or 'same', default 'same'
    l1_ratio : float, default 0.0
    verbose : int, default 0
    shuffle : bool, default False
        Taken, and of no account: coordinates go in order.

    Attributes
    ----------
    components_ : array, n_components_ x n_features_in_
    n_components_, n_features_in_, n_iter_ : int
    reconstruction_err_ : float
        ||X - W H||, or the root of twice the divergence.
    feature_names_in_ : array of str, where X has names
    """

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Optional[str] = None,
        solver: str = "cd",
        beta_loss: Any = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle

    def _options(self, dtype: Any, k: int) -> Options:
        if self.solver not in ("cd", "mu"):
            raise ValueError(f"solver={self.solver!r}: it is 'cd' or 'mu'")
        return super()._options(dtype, k)


class MiniBatchNMF(_Factorizing):
    """Non-negative matrix factorization of many samples, with the interface of
    sklearn.decomposition.MiniBatchNMF: fit begins with a batch that grows to all samples, and
    partial_fit goes on with new samples, of which it needs the old ones no more.

    Parameters
    ----------
    n_components : int or 'auto', default None
        None: the number of features; 'auto' takes that of a custom start.
    init : {'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom'}, default None
        As tessera.NMF has it.
    batch_size : int, default 1024
        Samples that fit begins with, and after which partial_fit moves the components. With
        alpha_W above 0, and under Itakura-Saito, fit has no batches.
    beta_loss : {'frobenius', 'kullback-leibler', 'itakura-saito'} or 2, 1, 0, default 'frobenius'
    tol : float, default 1e-4
        Stops when as many iterations again would gain less of J than this share; 0: runs all.
    max_no_improvement : int or None, default 10
        Taken, and of no account: J of all samples falls with every iteration.
    max_iter : int, default 200
    alpha_W : float, default 0.0
        A term on W is a sum over all samples: partial_fit refuses it.
    alpha_H : float or 'same', default 'same'
    l1_ratio : float, default 0.0
    forget_factor : float, default 0.7
        What batch_size new samples leave, in partial_fit, of what was learnt before; fit forgets
        nothing.
    fresh_restarts : bool, default False
    fresh_restarts_max_iter : int, default 30
        Taken, and of no account: W of new samples is always solved for.
    transform_max_iter : int, default None
        Iterations of W in transform, at most; None: until nothing moves.
    random_state : int, RandomState or None, default None
    verbose : int, default 0

    Attributes
    ----------
    components_ : array, n_components_ x n_features_in_
    n_components_, n_features_in_, n_iter_, n_samples_seen_ : int
    n_steps_ : int
        Batches of batch_size in n_iter_ passes, and those of partial_fit.
    reconstruction_err_ : float
        ||X - W H|| of fit, or the root of twice the divergence.
    feature_names_in_ : array of str, where X has names
    """

    def __init__(
        self,
        n_components: Any = None,
        *,
        init: Optional[str] = None,
        batch_size: int = 1024,
        beta_loss: Any = "frobenius",
        tol: float = 1e-4,
        max_no_improvement: Optional[int] = 10,
        max_iter: int = 200,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        forget_factor: float = 0.7,
        fresh_restarts: bool = False,
        fresh_restarts_max_iter: int = 30,
        transform_max_iter: Optional[int] = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.batch_size = batch_size
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.max_iter = max_iter
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.fresh_restarts = fresh_restarts
        self.fresh_restarts_max_iter = fresh_restarts_max_iter
        self.transform_max_iter = transform_max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _size(self) -> int:
        return int(_number("batch_size", self.batch_size, 1, whole=True))

    def _encoding(self) -> Dict[str, Any]:
        most = self.transform_max_iter
        if most is None:
            return {}
        return {"iterations": _number("transform_max_iter", most, 1, whole=True)}

    def _cut(self, options: Options, X: Any) -> None:
        size = self._size()
        _number("forget_factor", self.forget_factor, most=1)
        if self.alpha_W == 0 and self._loss() != "is" and size < X.shape[0]:
            options.set("batch", size)

    def _fit(self, X: Any, W: Any, H: Any) -> Tuple[Any, fitting.Fitted, Owned]:
        X, self._model, data = super()._fit(X, W, H)
        self.n_samples_seen_ = self._counted = X.shape[0]
        self.n_steps_ = self.n_iter_ * -(-X.shape[0] // self._size())
        return X, self._model, data

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> "MiniBatchNMF":
        """Learns from new samples, batch_size at a time. The first call is fit; W and H are its
        start where init is 'custom'."""
        if not hasattr(self, "components_"):
            self._fit(X, W, H)
            return self
        if not np.array_equal(self.components_, self._model.basis):
            raise ValueError(
                "components_ were changed, and partial_fit goes on with what it learnt"
            )
        X = validated(self, opened(X), False, False)
        refuse_negative(X, f"{type(self).__name__} (input X)")
        X = X.tocsr() if arrays.is_sparse(X) else X
        size = self._size()
        for first in range(0, X.shape[0], size):
            self._go_on(X[first : first + size], size)
        return self

    def _go_on(self, X: Any, size: int) -> None:
        """One batch. The term on H is worth alpha_H for each sample that counts, old or new."""
        rows = X.shape[0]
        forget = _number("forget_factor", self.forget_factor, most=1) ** (rows / size)
        counted = forget * self._counted + rows
        options = self._options(self.components_.dtype, self.n_components_)
        options.set("alpha-basis", self._alpha_H() * counted / rows)
        options.set("batch", 2 * rows)  # whatever the blocks, all of them
        options.set("forget", forget)
        model, _ = fitting.fit(arrays.to_data(X), options, bool(self.verbose), more=self._model)
        self._model, self._counted = model, counted
        self.components_ = model.basis.copy()
        self.n_samples_seen_ += rows
        self.n_steps_ += 1


def _number(
    name: str, value: Any, least: int = 0, most: float = np.inf, whole: bool = False
) -> Any:
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        limits = f"from {least}" + (f" to {most}" if np.isfinite(most) else "")
        raise ValueError(f"{name}={value!r} is no {'whole ' if whole else ''}number {limits}")
    return value if whole else float(value)


def _factor(A: Any, shape: Tuple[int, int], name: str) -> np.ndarray:
    A = np.asarray(A)
    if A.shape != shape:
        raise ValueError(f"{name} is {A.shape} and should be {shape}")
    refuse_negative(A, f"NMF ({name})")
    if not np.any(A):
        raise ValueError(f"{name} is full of zeros: nothing can grow from there")
    return A


def _random(X: Any, k: int, random_state: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Half-normal numbers of the mean that makes W H as large as X, H drawn before W."""
    draw = check_random_state(random_state)
    size = np.sqrt(X.mean() / k)
    H = np.abs(size * draw.standard_normal(size=(k, X.shape[1])))
    W = np.abs(size * draw.standard_normal(size=(X.shape[0], k)))
    return W.astype(X.dtype, copy=False), H.astype(X.dtype, copy=False)
