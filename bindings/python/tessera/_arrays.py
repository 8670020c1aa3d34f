"""Arrays of NumPy and SciPy as matrices of the library, and back, without copying where the
layout allows: dense rows of float32 or float64 (any row stride, read-only or not), and sparse rows.
Dense columns are turned once by the library; sparse columns too, which it then uses besides.
"""
import ctypes
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from ._library import Owned, lib, raw, text, texts

FLOAT64, FLOAT32 = 0, 1


class _Shape(ctypes.Structure):
    """tsr_image_shape, which is passed by value."""

    _fields_ = [
        ("height", ctypes.c_int64),
        ("width", ctypes.c_int64),
        ("order", ctypes.c_int),
    ]


lib.tsr_matrix_set_image.restype = ctypes.c_int
lib.tsr_matrix_set_image.argtypes = [ctypes.c_void_p, _Shape]
lib.tsr_matrix_set_image.errcheck = lib.tsr_fit.errcheck
lib.tsr_matrix_image.restype = _Shape
lib.tsr_matrix_image.argtypes = [ctypes.c_void_p]


def is_sparse(x: Any) -> bool:
    return hasattr(x, "tocsr") and hasattr(x, "nnz")


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _type_of(array: np.ndarray) -> int:
    return FLOAT32 if array.dtype == np.float32 else FLOAT64


def _numbers(x: Any, what: str) -> np.ndarray:
    """An array of native float32 or float64; only other types are copied."""
    array = np.asarray(x)
    if array.dtype in (np.float64, np.float32) and array.dtype.isnative:
        return array
    if array.dtype.kind in "cSUMmV":
        raise TypeError(f"{what} has values of type {array.dtype}; numbers are wanted")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{what} has something that is no number: {problem}") from None


def _dense(matrix: Owned, array: np.ndarray) -> None:
    item = array.itemsize
    samples, features = array.shape
    rows, columns = array.strides
    aligned = array.flags.aligned and rows % item == 0 and columns % item == 0
    if aligned and (columns == item or features <= 1) and rows >= features * item:
        stride, make = rows // item, lib.tsr_matrix_view_dense
    elif aligned and rows == item and columns >= samples * item:
        stride, make = columns // item, lib.tsr_matrix_copy_columns
    else:
        array = np.ascontiguousarray(array)
        stride, make = features, lib.tsr_matrix_view_dense
    matrix.kept = array
    make(matrix.out, _address(array), samples, features, stride, _type_of(array))


def _sparse(matrix: Owned, x: Any) -> None:
    form = getattr(x, "format", "")
    x = x if form in ("csr", "csc") else x.tocsr()
    if not x.has_canonical_format:  # columns in order, none twice
        x = x.copy()
        x.sum_duplicates()
    values = _numbers(x.data, "the matrix")
    starts, indices = x.indptr, x.indices
    if starts.dtype != indices.dtype or starts.dtype not in (np.int32, np.int64):
        starts, indices = starts.astype(np.int64), indices.astype(np.int64)
    starts, indices, values = map(np.ascontiguousarray, (starts, indices, values))
    matrix.kept = (starts, indices, values)
    make = lib.tsr_matrix_view_columns if x.format == "csc" else lib.tsr_matrix_view_rows
    make(
        matrix.out,
        _address(starts),
        _address(indices),
        int(starts.dtype == np.int64),
        _address(values),
        *x.shape,
        _type_of(values),
    )


def to_matrix(x: Any, what: str = "X") -> Owned:
    """A matrix over the values of ``x``, which it keeps alive."""
    matrix = Owned("tsr_matrix_free")
    if is_sparse(x):
        if len(x.shape) != 2:
            raise ValueError(f"{what} has {len(x.shape)} dimensions; samples x features are two")
        _sparse(matrix, x)
        return matrix
    array = _numbers(x, what)
    if array.ndim != 2:
        raise ValueError(
            f"{what} has {array.ndim} dimensions; samples x features are two"
            + (": X.reshape(1, -1) is one sample" if array.ndim == 1 else "")
        )
    _dense(matrix, array)
    return matrix


class _Buffer:
    """Memory of the library as NumPy sees it; keeps its owner."""

    def __init__(
        self,
        address: int,
        shape: Tuple[int, ...],
        dtype: Any,
        owner: Any,
        stride: int = 0,
        fixed: bool = True,
    ):
        self.owner = owner
        item = np.dtype(dtype).itemsize
        strides = (stride * item, item) if len(shape) == 2 else None
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": np.dtype(dtype).str,
            "data": (address, fixed),
            "strides": strides,
        }


def array_at(
    address: Optional[int], shape: Any, dtype: Any, owner: Any, fixed: bool = True
) -> np.ndarray:
    """Values that belong to ``owner``, without copying; `fixed`: not to be written."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not address or 0 in shape:
        return np.zeros(shape, dtype)
    return np.asarray(_Buffer(address, shape, dtype, owner, shape[-1], fixed))


def from_matrix(at: Any, owner: Any, fixed: bool = True) -> Any:
    """A matrix of the library as an array, or csr_matrix, over its own memory; Stored where its
    values are in none."""
    samples, features = lib.tsr_matrix_samples(at), lib.tsr_matrix_features(at)
    dtype = np.float32 if lib.tsr_matrix_type(at) == FLOAT32 else np.float64
    values = lib.tsr_matrix_values(at)
    if not values and lib.tsr_matrix_stored(at) > 0:
        return Stored(at, owner)
    if not lib.tsr_matrix_is_sparse(at):
        if not values or samples * features == 0:
            return np.zeros((samples, features), dtype)
        stride = lib.tsr_matrix_stride(at)
        return np.asarray(_Buffer(values, (samples, features), dtype, owner, stride, fixed))
    from scipy.sparse import csr_matrix

    stored = lib.tsr_matrix_stored(at)
    starts = array_at(lib.tsr_matrix_rows(at), samples + 1, np.int64, owner, fixed)
    columns = array_at(lib.tsr_matrix_columns(at), stored, np.int32, owner, fixed)
    found = csr_matrix((samples, features), dtype=dtype)
    found.data = array_at(values, stored, dtype, owner, fixed)
    found.indices, found.indptr = columns, starts if stored > np.iinfo(np.int32).max else (
        starts.astype(np.int32)
    )
    return found


class Stored:
    """Samples that stay in their file, which `read` gives in place of an array where they take more
    than a quarter of `memory`. Estimators and functions read them in blocks; X[first:last] and
    X[[4, 2]] are arrays of some of them."""

    ndim = 2

    def __init__(self, at: Any, owner: Owned) -> None:
        self._at, self.owner = at, owner
        self.shape = (lib.tsr_matrix_samples(at), lib.tsr_matrix_features(at))
        self.dtype = np.dtype(np.float32 if lib.tsr_matrix_type(at) == FLOAT32 else np.float64)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<Stored {self.shape[0]} x {self.shape[1]}, {self.dtype}>"

    def __getitem__(self, which: Any) -> Any:
        chosen = np.ascontiguousarray(np.arange(len(self), dtype=np.int64)[which])
        if chosen.ndim != 1:
            raise TypeError("samples are chosen by a slice or a list: X[first:last], X[[4, 2]]")
        some = Owned("tsr_matrix_free")
        lib.tsr_matrix_copy_samples(some.out, self._at, _address(chosen), len(chosen))
        return taken(some)

    def __array__(self, *args: Any, **more: Any) -> np.ndarray:
        raise TypeError(
            "the samples stay in their file, being larger than a quarter of memory: X[first:last] "
            "reads some of them"
        )

    def blocks(self) -> Iterator[Any]:
        """All samples, some 32 MB at a time."""
        rows = max(2**22 // max(self.shape[1], 1), 1)
        return (self[first : first + rows] for first in range(0, len(self), rows))

    def mean(self) -> float:
        return sum(float(x.sum(dtype=np.float64)) for x in self.blocks()) / np.prod(self.shape)


def taken(matrix: Owned) -> Any:
    """The same of a matrix that nothing else holds."""
    return from_matrix(matrix.at, matrix, False)


# Labels -----------------------------------------------------------------------------------


def label_array(y: Any) -> np.ndarray:
    """Labels as they came: of a list of 1 and "a", or of "a" and NaN, NumPy would make texts."""
    if not isinstance(y, (list, tuple)) or any(np.ndim(value) > 0 for value in y):
        return np.asarray(y)
    values = np.empty(len(y), object)
    values[:] = y
    return values


def _is_missing(value: Any) -> bool:
    """NaN, None, and what pandas has in their place."""
    if isinstance(value, (float, np.floating)):
        return value != value
    return value is None or type(value).__name__ == "NAType"


def _is_unknown(values: np.ndarray, unlabelled: Any) -> np.ndarray:
    """Which of the labels mean that there is none."""
    unknown = np.zeros(len(values), bool)
    if unlabelled is None:
        return unknown
    several = isinstance(unlabelled, (list, tuple, set, np.ndarray))
    for mark in unlabelled if several else [unlabelled]:
        if _is_missing(mark):
            unknown |= np.array([_is_missing(value) for value in values.tolist()], bool)
        elif isinstance(mark, str) or values.dtype.kind in "OUS":
            same = [
                isinstance(value, str) == isinstance(mark, str)
                and not _is_missing(value)
                and bool(value == mark)
                for value in values.tolist()
            ]
            unknown |= np.array(same, bool)
        else:
            unknown |= values == mark
    return unknown


def encode_labels(y: Any, unlabelled: Any = None) -> Tuple[np.ndarray, np.ndarray]:
    """Classes in sorted order, and the position of each label among them; -1: unknown."""
    values = label_array(y)
    if values.ndim != 1:
        raise ValueError(f"y has {values.ndim} dimensions; a class a sample is one")
    known = ~_is_unknown(values, unlabelled)
    these = values[known]
    if these.dtype.kind == "O":
        kinds = {type(value) for value in these.tolist()}
        words = [kind for kind in kinds if issubclass(kind, str)]
        numbers = [kind for kind in kinds if issubclass(kind, (int, float, np.number, np.bool_))]
        if len(kinds) not in (len(words), len(numbers)):
            raise TypeError(
                "y mixes "
                + " and ".join(sorted(kind.__name__ for kind in kinds))
                + ": labels are all texts or all numbers; `unlabelled` says what means none"
            )
        these = np.array(these.tolist())
    if these.dtype.kind not in "biufUS":
        raise TypeError(f"y has labels of type {these.dtype}; texts or numbers are wanted")
    if these.dtype.kind == "f" and not np.isfinite(these).all():
        raise ValueError("Input y contains NaN or infinity; unlabelled=np.nan takes NaN for none")
    classes, of = np.unique(these, return_inverse=True)
    position = np.full(len(values), -1, np.int32)
    position[known] = of
    return classes, position


def class_name(value: Any) -> str:
    """A class as the library, and its files, call it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def to_labels(classes: np.ndarray, position: np.ndarray) -> Owned:
    labels = Owned("tsr_labels_free")
    of = np.ascontiguousarray(position, np.int32)
    names = texts([class_name(value) for value in classes])
    lib.tsr_labels_from_names(labels.out, _address(of), len(of), names, len(classes))
    return labels


def from_labels(at: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Class of each sample or -1, and the classes' names: numbers where all are whole ones."""
    count = lib.tsr_labels_count(at)
    of = array_at(lib.tsr_labels_of(at), count, np.int32, None).copy()
    names: List[Any] = [text(lib.tsr_labels_name(at, c)) for c in range(lib.tsr_labels_classes(at))]
    try:
        numbers = [int(name) for name in names]
        if [str(number) for number in numbers] == names:
            return of, np.array(numbers, np.int64)
    except (ValueError, OverflowError):
        pass
    return of, np.array(names, dtype=str)


# Data -------------------------------------------------------------------------------------


class Opened(NamedTuple):
    """Samples as the caller has them, and what else is known of them."""

    x: Any
    y: Any = None
    unlabelled: Any = None  # what in y means none
    sample_names: Any = None
    feature_names: Any = None
    image_shape: Any = None
    image_order: str = "row"


def opened(X: Any) -> Opened:
    """Data of tessera.read, AnnData (by its members), data frames, arrays."""
    if all(hasattr(X, name) for name in ("X", "obs_names", "var_names")):
        return Opened(X.X, None, None, X.obs_names, X.var_names)
    if all(hasattr(X, name) for name in ("X", "y", "unlabelled", "feature_names")):
        return Opened(
            X.X, X.y, X.unlabelled, X.sample_names, X.feature_names, X.image_shape, X.image_order
        )
    if hasattr(X, "columns") and hasattr(X, "index") and hasattr(X, "to_numpy"):
        counted = type(X.index).__name__ == "RangeIndex"
        return Opened(X, sample_names=None if counted else X.index)
    return Opened(X)


def team_of(X: Any) -> Any:
    """The team that samples were read for, or None."""
    x = opened(X).x
    return x.owner.team if isinstance(x, Stored) else None


def name_list(names: Any) -> Optional[List[str]]:
    return None if names is None else [str(name) for name in names]


def set_image(at: Any, shape: Any, order: str) -> None:
    """Says that the rows of a matrix are pictures."""
    try:
        height, width = map(int, shape.lower().split("x") if isinstance(shape, str) else shape)
    except (TypeError, ValueError):
        raise ValueError(f"image_shape={shape!r}: it is (height, width)") from None
    if order not in ("row", "column"):
        raise ValueError(f"image_order={order!r}: it is 'row' or 'column'")
    lib.tsr_matrix_set_image(at, _Shape(height, width, int(order == "column")))


def refuse_labels(y: Any, own: Any) -> None:
    """Samples in a file have the labels that they were read with."""
    if y is not None and y is not own:
        raise TypeError(
            "samples that stay in their file have the labels that they were read with: "
            "tessera.read(.., labels=FILE)"
        )


def to_data(
    x: Any,
    labels: Optional[Owned] = None,
    sample_names: Any = None,
    feature_names: Any = None,
    image_shape: Any = None,
    image_order: str = "row",
    origin: str = "X",
    team: Any = None,
) -> Owned:
    """Samples with what is known of them. The values stay where they are; of a file that is read in
    blocks labels and names do, too. A team's ranks share what is done with them."""
    if isinstance(x, Stored):
        if team is not None and team is not x.owner.team:
            raise TypeError(
                "samples that stay in their file have the team that they were read for: "
                "tessera.read(.., team=comm)"
            )
        if image_shape is not None:
            set_image(lib.tsr_data_samples(x.owner.at), image_shape, image_order)
        return x.owner
    matrix = to_matrix(x, origin)
    if image_shape is not None:
        set_image(matrix.at, image_shape, image_order)
    data = Owned("tsr_data_free", (matrix.kept, x))
    lib.tsr_data_take(data.out, matrix.at, labels.at if labels is not None else None)
    matrix.release()
    if labels is not None:
        labels.release()
    name_data(data, sample_names, feature_names)
    lib.tsr_data_name_origin(data.at, raw(origin))
    if team is not None:
        lib.tsr_data_set_team(data.at, team.at)
        data.team = team
    return data


def pieces(data: Owned) -> Optional[Iterator[Owned]]:
    """The samples of a file, some at a time, for what wants them in memory; None where they are."""
    x = from_matrix(lib.tsr_data_samples(data.at), data)
    return map(to_data, x.blocks()) if isinstance(x, Stored) else None


def name_data(data: Owned, sample_names: Any, feature_names: Any) -> None:
    for names, call in (
        (sample_names, lib.tsr_data_name_samples),
        (feature_names, lib.tsr_data_name_features),
    ):
        listed = name_list(names)
        if listed is not None:
            call(data.at, texts(listed), len(listed))


def image_of(at: Any) -> Optional[Tuple[int, int, str]]:
    shape = lib.tsr_matrix_image(at)
    if shape.height == 0:
        return None
    return shape.height, shape.width, "column" if shape.order else "row"


address = _address
