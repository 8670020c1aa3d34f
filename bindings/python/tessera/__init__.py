"""Tessera: parts-based representations of images, histograms and documents, learnt from many
samples and a few labels.

    import tessera
    faces = tessera.read("faces.mat")
    model = tessera.Model("cdnmf-kl", n_components=40, normalize="l2").fit(faces.X, faces.y)

Estimators (Model, Classifier, NMF, MiniBatchNMF) want scikit-learn and are loaded when they are
first named; the rest wants NumPy, and SciPy where data are sparse.
"""
from typing import TYPE_CHECKING, Any, List

from ._commands import (
    Data,
    baselines,
    classify,
    cluster,
    experiment,
    features,
    info,
    load,
    models,
    overlay,
    rank,
    read,
    report,
    save,
    select,
    sheet,
    terms,
    write,
)
from ._library import Error, lib, text
from ._team import Team

if TYPE_CHECKING:
    from ._estimators import Classifier, Model
    from ._nmf import NMF, MiniBatchNMF

__version__ = text(lib.tsr_version()) or ""

_LAZY = {"Model": "_estimators", "Classifier": "_estimators", "NMF": "_nmf", "MiniBatchNMF": "_nmf"}

__all__ = [
    "Classifier",
    "Data",
    "Error",
    "MiniBatchNMF",
    "Model",
    "NMF",
    "Team",
    "baselines",
    "classify",
    "cluster",
    "experiment",
    "features",
    "info",
    "load",
    "models",
    "overlay",
    "rank",
    "read",
    "report",
    "save",
    "select",
    "sheet",
    "terms",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'tessera' has no attribute {name!r}")
    import importlib

    try:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    except ModuleNotFoundError as problem:
        if problem.name is None or not problem.name.startswith("sklearn"):
            raise
        raise ImportError(f"tessera.{name} wants scikit-learn: install it first") from problem


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
