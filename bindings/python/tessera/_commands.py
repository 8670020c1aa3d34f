"""What the commands of the tool do, as functions: samples are a path, an array with labels beside
it, or what `read` gave; models are a path, or an estimator that is fitted. Settings are those of
the command line with underscores.
"""
import ctypes
import functools
import json
import os
from typing import (
    Any,
    Callable,
    Dict,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    cast,
)

import numpy as np

from . import _arrays as arrays
from . import _html
from ._arrays import Stored
from ._fitted import Fitted
from ._library import Owned, lib, listed, raw, text
from ._progress import Progress
from ._tables import (
    Options,
    filled,
    keywords,
    read_result,
    result_room,
    returned,
    split_keywords,
    written,
)
from ._team import Team, together


class Data(NamedTuple):
    """Samples and what is known of them.

    X is an array or csr_matrix, or Stored where it is larger than memory; y a class a sample, or
    None: whole numbers where all classes are, else texts. `unlabelled` is what means none there:
    -1 or '', or another where that is a class.
    """

    X: Any
    y: Optional[np.ndarray]
    sample_names: Optional[List[str]]
    feature_names: Optional[List[str]]
    image_shape: Optional[Tuple[int, int]]
    image_order: str
    origin: str
    format: str
    notes: List[str]
    unlabelled: Any = None

    def __repr__(self) -> str:
        labels = "no labels"
        if self.y is not None:
            labels = f"{len(np.unique(self.y[self.y != self.unlabelled]))} classes"
        return f"<Data {self.origin}: {self.X.shape[0]} x {self.X.shape[1]}, {labels}>"


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


def _progress(options: Options, verbose: bool, team: Any = None) -> Progress:
    progress = Progress(verbose, team=team)
    options.share(team)
    if Progress.wanted(verbose):
        options.give("progress", progress)
    return progress


def _names(count: int, get: Any, at: Any) -> Optional[List[str]]:
    return listed(count, get, at) if count > 0 and get(at, 0) is not None else None


def _labels_as_array(at: Any) -> Tuple[np.ndarray, Any]:
    """Labels, and what means none among them."""
    of, classes = arrays.from_labels(at)
    taken = set(classes.tolist())
    if classes.dtype.kind == "i" or len(classes) == 0:
        unknown: Any = -1 if -1 not in taken else int(classes.min()) - 1
        found = np.full(len(of), unknown, np.int64)
    else:
        unknown = next(
            mark for mark in ("", *("?" * n for n in range(1, len(taken) + 2))) if mark not in taken
        )
        found = np.full(len(of), unknown, np.array([*taken, unknown]).dtype)
    found[of >= 0] = classes[of[of >= 0]]
    return found, unknown


def _unpack(data: Owned) -> Data:
    at = data.at
    matrix = lib.tsr_data_samples(at)
    labels = lib.tsr_data_labels(at)
    image = arrays.image_of(matrix)
    samples, features = lib.tsr_matrix_samples(matrix), lib.tsr_matrix_features(matrix)
    y, unlabelled = _labels_as_array(labels) if labels else (None, None)
    return Data(
        arrays.from_matrix(matrix, data, False) if data.team is None else Stored(matrix, data),
        y,
        _names(samples, lib.tsr_data_sample_name, at),
        _names(features, lib.tsr_data_feature_name, at),
        image[:2] if image else None,
        image[2] if image else "row",
        text(lib.tsr_data_origin(at)) or "",
        text(lib.tsr_data_format(at)) or "",
        listed(lib.tsr_data_notes(at), lib.tsr_data_note, at),
        unlabelled,
    )


_Call = TypeVar("_Call", bound=Callable[..., Any])


def _shared(call: _Call) -> _Call:
    """A function that takes a team, or samples that were read for one: what one rank fails at, all
    fail at."""

    @functools.wraps(call)
    def inside(*given: Any, team: Any = None, **more: Any) -> Any:
        team = Team.of(team) or arrays.team_of(given[0] if given else more.get("X"))
        with together(team):
            return call(*given, team=team, **more)

    return cast(_Call, inside)


def _read(
    path: Any, settings: Dict[str, Any], verbose: bool = False, team: Optional[Team] = None
) -> Owned:
    data = Owned("tsr_data_free")
    options = Options("read", settings)
    with _progress(options, verbose, team):
        lib.tsr_data_read(data.out, raw(path), options.values)
    data.team = team
    return data


def _open(
    X: Any,
    y: Any,
    settings: Dict[str, Any],
    unlabelled: Any = None,
    team: Optional[Team] = None,
) -> Owned:
    """Samples of any kind as data of the library. Files mark unknown labels themselves."""
    if _is_path(X):
        if y is not None:
            raise TypeError("labels of a file are named by labels=, not given as y")
        return _read(X, settings, team=team)
    of_files = set(settings) - {"image-shape", "image-order", "threads"}
    if of_files:
        raise TypeError(f"{min(of_files)} says how a file is read, and the samples are in memory")
    given = arrays.opened(X)
    x = given.x if hasattr(given.x, "shape") else np.asarray(given.x)
    if y is None:
        y, unlabelled = given.y, given.unlabelled
    labels = None
    if isinstance(x, Stored):
        arrays.refuse_labels(y, given.y)
    elif y is not None:
        classes, position = arrays.encode_labels(y, unlabelled)
        if x.ndim == 2 and len(position) != x.shape[0]:
            raise ValueError(f"{len(position)} labels for {x.shape[0]} samples")
        labels = arrays.to_labels(classes, position)
    shape, order = settings.get("image-shape"), settings.get("image-order", "auto")
    return arrays.to_data(
        x,
        labels,
        given.sample_names,
        given.feature_names if given.feature_names is not None else getattr(x, "columns", None),
        shape if shape is not None else given.image_shape,
        given.image_order if order == "auto" else order,
        team=team,
    )


def _whole(name: str, value: Any, least: int, most: int = 2**31 - 1) -> int:
    """A whole number that no table checks."""
    number = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not number or not least <= value <= most:
        raise ValueError(f"{name}={value!r} is no whole number from {least}")
    return int(value)


def _model(model: Any) -> Fitted:
    if isinstance(model, Fitted):
        return model
    if _is_path(model):
        return Fitted.read(model)
    if hasattr(model, "_fitted"):
        return model._fitted()
    raise TypeError(f"a fitted model or the path of one is wanted, not {type(model).__name__}")


# Files ------------------------------------------------------------------------------------


@_shared
def read(path: Any, verbose: bool = False, team: Any = None, **settings: Any) -> Data:
    """Samples of a file or folder, in any format that the tool reads; FILE:NAME is one variable.

    Settings are those of reading: labels, image_shape, image_order, size, skip_bad, header,
    threads, expand, memory. Of a .npy or .h5 whose samples take more than a quarter of memory
    (bytes, or a text such as "2G") X is Stored: they stay there, and a fit reads them in blocks.
    So it is with a team (a communicator): each rank reads its share, of a fit and of what else they
    do together.
    """
    return _unpack(_read(path, keywords("read", settings, "read"), verbose, team))


def write(
    path: Any,
    X: Any,
    y: Any = None,
    sample_names: Optional[Sequence[str]] = None,
    feature_names: Optional[Sequence[str]] = None,
    unlabelled: Any = None,
) -> None:
    """Writes samples by the extension of the path: .npy, .npz, .mat, .h5, .mtx, .csv, .svm."""
    data = _open(X, y, {}, unlabelled)
    arrays.name_data(data, sample_names, feature_names)
    lib.tsr_data_write(data.at, raw(path))


def info(X: Any, **settings: Any) -> Dict[str, Any]:
    """What samples look like (of any kind), or what a model archive says of itself."""
    if _is_path(X) and lib.tsr_path_holds_model(raw(X)):
        fitted = Fitted.read(X)
        return {
            "model": fitted.report.model,
            "objective_text": fitted.info.objective,
            "settings": fitted.settings,
            "seed": fitted.report.seed,
            "data": text(lib.tsr_model_origin(fitted.at)),
            "report": fitted.report._asdict(),
            "terms": fitted.terms,
            "plan": fitted.plan,
            "notes": fitted.notes,
        }
    data = _open(X, None, keywords("read", settings, "info"))
    matrix, labels = lib.tsr_data_samples(data.at), lib.tsr_data_labels(data.at)
    scan = filled("scan", lib.tsr_matrix_scan, matrix)
    samples, features = lib.tsr_matrix_samples(matrix), lib.tsr_matrix_features(matrix)
    of = arrays.from_labels(labels)[0] if labels else np.zeros(0, np.int32)
    return {
        "format": text(lib.tsr_data_format(data.at)),
        "samples": samples,
        "features": features,
        "dtype": text(lib.tsr_data_dtype(data.at)),
        "density": scan.nonzeros / max(samples * features, 1),
        "minimum": scan.minimum,
        "maximum": scan.maximum,
        "classes": lib.tsr_labels_classes(labels) if labels else 0,
        "labelled": int((of >= 0).sum()),
        "not_finite": scan.not_finite,
        "negative": scan.negative,
        "empty_samples": scan.empty_samples,
        "empty_features": scan.empty_features,
    }


def features(path: Any, output: Any = None, verbose: bool = False, **settings: Any) -> Data:
    """Samples made of a folder of pictures or texts: kind='pixels', 'sift', 'dsift', 'words'.

    Written to `output` where that is a path; an archive (.h5) keeps the words that were learnt.
    """
    data = Owned("tsr_data_free")
    options = Options("features", keywords("features", settings, "features"))
    with _progress(options, verbose):
        lib.tsr_features_make(data.out, raw(path), options.values)
    if output is not None:
        lib.tsr_data_write(data.at, raw(output))
    return _unpack(data)


def load(path: Any) -> Any:
    """A model archive as a fitted Model."""
    from ._estimators import Model, _ROWS

    fitted = Fitted.read(path)
    said = fitted.settings
    settings = {row.argument: said[row.name] for row in _ROWS if row.name in said}
    image = fitted.image
    model = Model(
        fitted.report.model,
        int(fitted.report.rank),
        random_state=int(fitted.report.seed),
        image_shape=image[:2] if image else None,
        image_order=image[2] if image else "row",
        **settings,
    )
    model.model_ = fitted
    model.n_features_in_ = int(fitted.report.features)
    if fitted.feature_names is not None:
        model.feature_names_in_ = np.array(fitted.feature_names, object)
    if fitted.labels is not None:
        model.classes_ = fitted.labels[1]
    model._settle(None, None, None)
    return model


def save(model: Any, path: Any) -> None:
    """Writes a fitted model: an archive that every command of the tool reads."""
    _model(model).write(path)


# Tables -----------------------------------------------------------------------------------


def models() -> List[Any]:
    """The rows of the model table: name, title, objective, what each uses, who published it."""
    rows: List[Any] = []
    while True:
        row = filled("model", lib.tsr_models_get, len(rows))
        if row is None:
            return rows
        rows.append(row)


def baselines() -> Dict[str, str]:
    """What stands beside the models in `cluster`, `classify` and `select`: name and title."""
    found: Dict[str, str] = {}
    name, title = ctypes.c_char_p(), ctypes.c_char_p()
    while lib.tsr_baselines_get(ctypes.byref(name), ctypes.byref(title), len(found)):
        found[text(name.value) or ""] = text(title.value) or ""
    return found


# Judging ----------------------------------------------------------------------------------


class Clustering(NamedTuple):
    assignments: np.ndarray
    cost: float
    scores: Optional[Any]  # accuracy, nmi, ari, purity; None where no class is known


@_shared
def cluster(
    X: Any,
    y: Any = None,
    clusters: int = 0,
    model: Optional[str] = None,
    restarts: int = 20,
    rounds: int = 300,
    fit_restarts: int = 1,
    seeded: bool = False,
    unit_codes: bool = False,
    unlabelled: Any = None,
    verbose: bool = False,
    team: Any = None,
    **settings: Any,
) -> Clustering:
    """k-means of codes or samples, compared with the classes.

    X is a fitted model or its path, or samples; `model` then names what is fitted first, with the
    settings of a fit. clusters=0: as many as there are classes. The ranks of a team (a
    communicator) share the fit and the restarts.
    """
    fit_settings, read_settings = split_keywords(("fit", "read"), settings, "cluster")
    keep: Any
    if not _is_samples(X):
        fitted = _model(X)
        if y is not None:
            raise TypeError("the labels of a fitted model are its own: y is for samples")
        if model is not None:
            raise ValueError("a fitted model is clustered as it is: model is for samples")
        codes, labels = lib.tsr_model_diffused(fitted.at), lib.tsr_model_labels(fitted.at)
        seen, keep = lib.tsr_model_seen(fitted.at), fitted
    else:
        data = _open(X, y, read_settings, unlabelled, team)
        encoder = Owned("tsr_encoder_free", data)
        options = Options("fit", dict(fit_settings, model=model or "raw", restarts=fit_restarts))
        with _progress(options, verbose, team):
            lib.tsr_encoder_fit(encoder.out, data.at, options.values)
        codes, labels = lib.tsr_encoder_codes(encoder.at), lib.tsr_data_labels(data.at)
        seen, keep = (lib.tsr_encoder_seen(encoder.at) if labels else None), encoder
    classes = lib.tsr_labels_classes(labels) if labels else 0
    wanted = clusters or classes
    if wanted == 0:
        raise ValueError("there are no classes to count: clusters=N")
    samples = lib.tsr_matrix_samples(codes)
    of = np.empty(samples, np.int32)
    cost = ctypes.c_double()
    how = Options(
        "cluster",
        {
            "clusters": int(wanted),
            "restarts": restarts,
            "rounds": rounds,
            "unit-codes": unit_codes,
            "seed": fit_settings.get("seed"),
            "threads": fit_settings.get("threads"),
        },
    )
    if seeded:
        if not seen or not (arrays.array_at(seen, samples, np.int32, keep) >= 0).any():
            raise ValueError("seeded needs labels that the learner saw, and there are none")
        if wanted < classes:
            raise ValueError(f"seeded needs a cluster for each of the {classes} classes")
        how.give("held", seen)
    how.share(team)
    with Progress(team=team):
        lib.tsr_cluster(arrays.address(of), ctypes.byref(cost), codes, how.values)
    scores = None
    if labels and (arrays.from_labels(labels)[0] >= 0).any():
        scores = filled(
            "scores",
            lib.tsr_score_clusters,
            arrays.address(of),
            lib.tsr_labels_of(labels),
            samples,
        )
    return Clustering(of, cost.value, scores)


def _is_samples(X: Any) -> bool:
    if isinstance(X, Fitted) or hasattr(X, "_fitted"):
        return False
    return not (_is_path(X) and lib.tsr_path_holds_model(raw(X)))


class Validation(NamedTuple):
    accuracy: float
    deviation: float
    folds: np.ndarray  # accuracy of each
    confusion: np.ndarray  # class x predicted class
    classes: np.ndarray
    strangers: int  # test samples of classes that training does not know


@_shared
def classify(
    X: Any,
    y: Any = None,
    model: Optional[str] = None,
    folds: int = 5,
    group: Any = None,
    test: Any = None,
    test_labels: Any = None,
    unlabelled: Any = None,
    verbose: bool = False,
    team: Any = None,
    **settings: Any,
) -> Validation:
    """Nearest neighbours among codes, judged on folds, or on samples of `test`.

    Settings are those of a fit, of reading, and neighbours_vote and encode. The ranks of a team (a
    communicator) share every fit.
    """
    fit_settings, validate_settings, read_settings = split_keywords(
        ("fit", "validate", "read"), settings, "classify"
    )
    data = _open(X, y, read_settings, unlabelled, team)
    labels = lib.tsr_data_labels(data.at)
    if not labels:
        raise ValueError("there are no labels to learn from")
    folds = _whole("folds", folds, 2)
    fit = Options("fit", dict(fit_settings, model=model or "raw"))
    how = Options("validate", validate_settings)
    out = Owned("tsr_validation_free")
    of, classes = arrays.from_labels(labels)
    with _progress(fit, verbose, team):
        if test is not None:
            others = {k: v for k, v in read_settings.items() if k != "labels"}
            other = _open(test, test_labels, others, unlabelled, team)
            lib.tsr_validate_on(out.out, data.at, other.at, fit.values, how.values)
        else:
            groups = None
            if group is not None:
                groups = _groups(group, len(of))
            fold = np.empty(len(of), np.int32)
            lib.tsr_make_folds(
                arrays.address(fold),
                arrays.address(of),
                arrays.address(groups) if groups is not None else None,
                len(of),
                folds,
                int(fit_settings.get("seed") or 0),
            )
            lib.tsr_validate(out.out, data.at, arrays.address(fold), folds, fit.values, how.values)
    about = returned("tsr_validation_about", out.at)
    c = int(about.classes)
    return Validation(
        about.accuracy,
        about.deviation,
        arrays.array_at(lib.tsr_validation_folds(out.at), int(about.folds), np.float64, out).copy(),
        arrays.array_at(lib.tsr_validation_confusion(out.at), (c, c), np.int64, out).copy(),
        classes,
        int(about.strangers),
    )


def _groups(group: Any, count: int) -> np.ndarray:
    if _is_path(group):
        labels = Owned("tsr_labels_free")
        lib.tsr_labels_read(labels.out, raw(group), None)
        found = arrays.from_labels(labels.at)[0]
    else:
        found = arrays.encode_labels(group)[1]
    if len(found) != count:
        raise ValueError(f"groups of {len(found)} samples; there are {count}")
    return found


def _list(values: Any) -> str:
    """A list as the command line has it."""
    several = hasattr(values, "__iter__") and not isinstance(values, str)
    return ",".join(map(written, values)) if several else written(values)


class Selection(NamedTuple):
    rank: int
    weight: Optional[float]
    # model, rank, weight and its term; mean, deviation, error; nmi, nmi_error, stability, seconds;
    # best, chosen, baseline, added, note
    candidates: List[Any]
    by: str  # labels or entries
    judged: int
    note: str
    model: str = ""
    advice: str = ""
    folds: Optional[np.ndarray] = None  # scores, candidates x folds; NaN where there is none


def select(
    X: Any,
    y: Any = None,
    ranks: Any = None,
    weights: Any = None,
    output: Any = None,
    unlabelled: Any = None,
    verbose: bool = False,
    **settings: Any,
) -> Selection:
    """Model, rank and weight by what is held out: labels, else entries; a page of it goes to
    `output` where that is a path.

    ranks is a list, or a text such as "2-8" or "10-50/10"; model a name, or several: a list, or a
    text such as "cdnmf,nmf". Settings are those of choosing (folds, by, rule, repeats, baselines),
    of a fit, and of reading.
    """
    select_settings, fit_settings, read_settings = split_keywords(
        ("select", "fit", "read"), settings, "select"
    )
    for name, values in (("ranks", ranks), ("weights", weights)):
        if values is not None:
            select_settings[name] = _list(values)
    if fit_settings.get("model") is not None:
        fit_settings["model"] = _list(fit_settings["model"])
    data = _open(X, y, read_settings, unlabelled)
    how, fit = Options("select", select_settings), Options("fit", fit_settings)
    reading = Options("read", read_settings)
    how.give("read", reading.values)
    out = Owned("tsr_selection_free")
    with _progress(fit, verbose):
        lib.tsr_select(out.out, data.at, fit.values, how.values)
    if output is not None:
        page = Owned("tsr_page_free")
        lib.tsr_page_selection(page.out, out.at, Options("page").values)
        lib.tsr_page_write(page.at, raw(output))
    about = returned("tsr_selection_about", out.at)
    found = [
        filled("candidate", lib.tsr_selection_candidate, out.at, i)
        for i in range(int(about.candidates))
    ]
    chosen = next(candidate for candidate in found if candidate.chosen)
    scores = np.full((len(found), int(about.folds)), np.nan)
    for i, row in enumerate(scores):
        at = lib.tsr_selection_folds(out.at, i)
        if at:
            row[:] = arrays.array_at(at, len(row), np.float64, out)
    return Selection(
        int(chosen.rank),
        None if chosen.weight != chosen.weight else chosen.weight,
        found,
        "labels" if about.by_labels else "entries",
        int(about.judged),
        about.note,
        chosen.model,
        text(lib.tsr_selection_advice(out.at)) or "",
        scores,
    )


# What was learnt --------------------------------------------------------------------------


class Ranking(NamedTuple):
    order: np.ndarray
    scores: np.ndarray  # in that order
    curve: Optional[np.ndarray]
    kept: Fitted  # a model of the vectors in that order


def rank(
    model: Any,
    by: str = "fisher",
    data: Any = None,
    y: Any = None,
    top: int = 0,
    curve: bool = False,
    unlabelled: Any = None,
    **settings: Any,
) -> Ranking:
    """Basis vectors by Fisher's criterion or least reconstruction error, best first.

    data are the samples of the fit; else they are as the model reconstructs them.
    """
    if by not in ("fisher", "lre"):
        raise ValueError(f"by is fisher or lre, not {by!r}")
    how = int(by == "lre")
    fitted = _model(model)
    report = fitted.report
    k = int(report.rank)
    top = _whole("top", top, 0)
    if top > k:
        raise ValueError(f"top={top} exceeds the {k} basis vectors")
    seen = lib.tsr_model_seen(fitted.at)
    if data is not None:
        source = _open(data, y, keywords("read", settings, "rank"), unlabelled)
        x = arrays.to_matrix(fitted.prepared(source), "data")
        labels = lib.tsr_data_labels(source.at)
        if labels and (y is not None or settings.get("labels") or not seen):
            seen = lib.tsr_labels_of(labels)
    else:
        x = arrays.to_matrix(fitted.reconstructed(), "data")
    if how == 0 and not seen:
        raise ValueError("by='fisher' needs labels, and the model has none: data=X, y=y")
    order, score = np.empty(k, np.int64), np.empty(k)
    basis, codes = lib.tsr_model_basis(fitted.at), lib.tsr_model_codes(fitted.at)
    lib.tsr_rank_basis(arrays.address(order), arrays.address(score), basis, codes, x.at, seen, how)
    shown = top or k
    line = None
    if curve:
        line = np.empty(shown)
        lib.tsr_rank_curve(
            arrays.address(line), arrays.address(order), shown, basis, codes, x.at, seen, how
        )
    order = order[:shown].copy()
    return Ranking(order, score[order], line, fitted.keep(order))


class Vector(NamedTuple):
    terms: List[Tuple[Any, float]]  # feature (its name, or number) and weight
    of: Optional[Any]  # the class that it serves most
    share: float


def terms(model: Any, top: int = 0, specific: float = 0.0) -> List[Vector]:
    """What each basis vector is about: its features by weight, largest first.

    specific > 0 keeps those above it in this vector and below it in every other.
    """
    fitted = _model(model)
    report, names = fitted.report, fitted.feature_names
    k, m = int(report.rank), int(report.features)
    top = _whole("top", top, 0)
    most = min(top or (m if specific > 0 else 20), m)
    of, share = np.full(k, -1, np.int32), np.zeros(k)
    lib.tsr_vector_classes(arrays.address(of), arrays.address(share), fitted.at)
    classes = fitted.labels[1] if fitted.labels is not None else None
    found = []
    room, count = result_room("term", most), ctypes.c_int64()
    for i in range(k):
        lib.tsr_basis_terms(
            ctypes.byref(room),
            ctypes.byref(count),
            lib.tsr_model_basis(fitted.at),
            i,
            most,
            specific,
        )
        said = read_result("term", ctypes.addressof(room), count.value)
        found.append(
            Vector(
                [(names[t.feature] if names else int(t.feature), t.weight) for t in said],
                classes[of[i]] if classes is not None and of[i] >= 0 else None,
                float(share[i]),
            )
        )
    return found


def sheet(
    model: Any,
    output: Any = None,
    columns: int = 0,
    scale: int = 0,
    top: int = 0,
    common: bool = False,
    reconstruct: Any = None,
    codes: bool = False,
    distances: bool = False,
    unit_codes: bool = False,
    data: Any = None,
    y: Any = None,
    image_shape: Optional[Tuple[int, int]] = None,
    image_order: str = "row",
    **settings: Any,
) -> bytes:
    """Basis vectors as pictures, a PNG; or a sample (its number), what the model makes of it, and
    its parts; or a heat map of the codes, or of the distances between them, samples by class.
    Written to `output` where that is a path.

    Heat maps are of the samples of the fit, or of `data`, a file or array; classes are those that
    the model or the file knows, or y. Settings are those of reading `data` and labels.
    """
    reading = keywords("read", settings, "sheet")
    fitted = _model(model)
    columns, scale, top = (
        _whole("columns", columns, 0),
        _whole("scale", scale, 0, 64),
        _whole("top", top, 0),
    )
    if bool(codes) + bool(distances) + (reconstruct is not None) > 1:
        raise ValueError("codes, distances and reconstruct are three sheets: one of them")
    if codes or distances:
        if columns or top or common:
            raise ValueError("columns, top and common are for pictures, not for heat maps")
        if image_shape is not None:
            reading.update({"image-shape": image_shape, "image-order": image_order})
        return _heat(fitted, bool(distances), unit_codes, scale, data, y, reading, output)
    if unit_codes or y is not None:
        raise ValueError("unit_codes and y are for codes=True and distances=True")
    image = fitted.image
    if image_shape is None and image is None:
        raise ValueError(
            f"basis vectors of {fitted.report.features} features are no pictures: "
            "image_shape=(height, width)"
        )
    if data is not None and reconstruct is None:
        raise ValueError("data is for reconstruct=SAMPLE, codes=True and distances=True")
    pictures: Any
    if reconstruct is None:
        basis = np.asarray(fitted.basis)
        if top > len(basis):
            raise ValueError(f"top={top} exceeds the {len(basis)} basis vectors")
        if top:
            order = np.empty(len(basis), np.int64)
            lib.tsr_basis_shares(
                arrays.address(order),
                None,
                lib.tsr_model_basis(fitted.at),
                lib.tsr_model_codes(fitted.at),
            )
            basis = basis[order[:top]]
        pictures = arrays.to_matrix(basis, "the basis")
    else:
        source = _open(data, None, reading) if data is not None else None
        out = Owned("tsr_explanation_free")
        lib.tsr_explain(
            out.out,
            fitted.at,
            source.at if source else None,
            _sample(reconstruct, source),
            Options("transform").values,
        )
        parts = lib.tsr_explanation_parts(out.at)
        pictures = Owned("tsr_matrix_free")
        lib.tsr_explanation_pictures(pictures.out, out.at, min(top or parts, parts), common)
    if image_shape is not None or image is None:
        arrays.set_image(pictures.at, image_shape, image_order)
    else:
        arrays.set_image(pictures.at, image[:2], image[2])
    alike = common or reconstruct is not None
    return _html.sheet(pictures.at, columns, scale or 2, alike, output)


def _heat(
    fitted: Fitted,
    distances: bool,
    unit_codes: bool,
    scale: int,
    data: Any,
    y: Any,
    reading: Dict[str, Any],
    output: Any,
) -> bytes:
    """Of the model's own samples, or of others."""
    threads = reading.get("threads", 0)
    codes, labels = fitted.diffused, lib.tsr_model_labels(fitted.at)
    source = None  # what labels belong to
    if data is not None:
        source = _open(data, y, reading)
        codes, labels = fitted.transform(source, threads), lib.tsr_data_labels(source.at)
    elif y is not None:
        source = arrays.to_labels(*arrays.encode_labels(y))
        labels = source.at
    elif reading.get("labels") is not None:
        source, where = Owned("tsr_labels_free"), reading.pop("labels")
        lib.tsr_labels_read(source.out, raw(where), Options("read", reading).values)
        labels = source.at
    matrix = arrays.to_matrix(codes, "the codes")
    if unit_codes:
        unit = Owned("tsr_matrix_free")
        lib.tsr_matrix_copy_samples(unit.out, matrix.at, None, len(codes))
        lib.tsr_matrix_normalize(unit.at, 1)
        codes, matrix = arrays.taken(unit), unit
    if not distances:  # entries by the class that their basis vector serves most
        of = np.empty(codes.shape[1], np.int32)
        lib.tsr_vector_classes(arrays.address(of), None, fitted.at)
        order = np.argsort(of.view(np.uint32), kind="stable")  # -1 is the largest
        matrix = arrays.to_matrix(codes[:, order], "the codes")
    return _html.heat(matrix.at, labels, distances, scale, threads, output)


def _sample(which: Any, data: Optional[Owned]) -> int:
    """A sample by its number, or by its name among the data."""
    if not isinstance(which, str):
        return int(which)
    count = lib.tsr_matrix_samples(lib.tsr_data_samples(data.at)) if data else 0
    for i in range(count):
        if text(lib.tsr_data_sample_name(data.at, i)) == which:  # type: ignore[union-attr]
            return i
    raise ValueError(f"no sample of the data is called {which!r}")


class Overlay(NamedTuple):
    codes: np.ndarray
    patches: np.ndarray  # how many matter to each vector
    vectors: np.ndarray  # height x width: the vector that a pixel matters most to, or -1
    colours: List[str]
    threshold: float


def overlay(model: Any, picture: Any, output: Any = None, **settings: Any) -> Overlay:
    """Where in a picture each basis vector is at work, by a model of visual words.

    Settings are threshold, share, opacity, and those of encoding: method, iterations, tolerance,
    threads.
    """
    fitted = _model(model)
    draw, encode = split_keywords(("overlay", "transform"), settings, "overlay")
    options = Options("overlay", draw)
    options.give("transform", Options("transform", encode).values)
    out = Owned("tsr_overlay_free")
    lib.tsr_overlay_make(out.out, fitted.at, raw(picture), options.values)
    about = returned("tsr_overlay_about", out.at)
    k, shape = int(about.vectors), (int(about.height), int(about.width))
    if output is not None:
        lib.tsr_overlay_write(out.at, raw(output))
    return Overlay(
        arrays.from_matrix(lib.tsr_overlay_codes(out.at), out)[0].copy(),
        arrays.array_at(lib.tsr_overlay_patches(out.at), k, np.int64, out).copy(),
        arrays.array_at(lib.tsr_overlay_vectors(out.at), shape, np.int32, out).copy(),
        [text(lib.tsr_overlay_colour(i)) or "" for i in range(k)],
        float(about.threshold),
    )


@_shared
def experiment(protocol: Any, verbose: bool = False, team: Any = None, **settings: Any) -> str:
    """A published table made again, as text: data=FOLDER, out=FOLDER, models="a,b", resume=True,
    format="text", "markdown", "csv", "latex" or "json". The ranks of a team (a communicator) share
    the trials; the first writes."""
    out = Owned("tsr_experiment_free")
    options = Options("experiment", keywords("experiment", settings, "experiment"))
    with _progress(options, verbose, team):
        lib.tsr_experiment_run(out.out, raw(protocol), options.values)
    return text(lib.tsr_experiment_table(out.at)) or ""


def report(
    what: Any,
    output: Any = None,
    data: Any = None,
    y: Any = None,
    verbose: bool = False,
    **settings: Any,
) -> Dict[str, Any]:
    """One page that shows a model, or a folder that `experiment` wrote; and the numbers in it.
    Written to `output` where that is a path. Samples are shown of `data`, a file or array with
    labels y.

    Settings are title, command, pictures, points, parts, samples, seed, threads; and those of
    reading `data`.
    """
    page = Owned("tsr_page_free")
    ours, reading = split_keywords(("page", "read"), settings, "report")
    options = Options("page", ours)
    folder = _is_path(what) and os.path.isdir(what)
    if folder and data is not None:
        raise ValueError("data is for a model; the folder of an experiment suffices")
    source = _open(data, y, reading) if data is not None else None
    with _progress(options, verbose):
        if folder:
            lib.tsr_page_experiment(page.out, raw(what), options.values)
        else:
            fitted = _model(what)
            at = source.at if source else None
            lib.tsr_page_model(page.out, fitted.at, at, options.values)
    if output is not None:
        lib.tsr_page_write(page.at, raw(output))
    return dict(json.loads(text(lib.tsr_page_facts(page.at)) or "{}"))
