"""libtessera, found and loaded; its functions with their types; its failures as exceptions.

A signature is a line: name, what it returns, what it takes, a letter each. tests/test_header.py
compares them with tessera.h.
"""
import ctypes
import ctypes.util
import os
import re
import sys
from typing import Any, Iterator, List, Optional

SONAME = "libtessera.so.0"

_LETTERS = {
    "v": None,
    "s": ctypes.c_int,  # tsr_status: below zero it becomes an exception
    "e": ctypes.c_int,  # other enumerations
    "b": ctypes.c_bool,
    "n": ctypes.c_int32,
    "i": ctypes.c_int64,
    "d": ctypes.c_double,
    "t": ctypes.c_char_p,
    "p": ctypes.c_void_p,
}

_SIGNATURES = """
tsr_message t
tsr_status_name t e
tsr_version t
tsr_kernels s p
tsr_options_create s p t
tsr_options_free v p
tsr_options_set s p t t
tsr_options_give s p t p
tsr_options_get t p t
tsr_options_values p p
tsr_options_table p t
tsr_options_name t i
tsr_result_table p p t
tsr_team_free v p
tsr_team_enter v p
tsr_team_leave s p e
tsr_matrix_view_dense s p p i i i e
tsr_matrix_copy_columns s p p i i i e
tsr_matrix_view_rows s p p p e p i i e
tsr_matrix_view_columns s p p p e p i i e
tsr_matrix_copy_samples s p p p i
tsr_matrix_normalize s p e
tsr_matrix_free v p
tsr_matrix_samples i p
tsr_matrix_features i p
tsr_matrix_stored i p
tsr_matrix_type e p
tsr_matrix_is_sparse b p
tsr_matrix_values p p
tsr_matrix_stride i p
tsr_matrix_rows p p
tsr_matrix_columns p p
tsr_matrix_scan s p p
tsr_labels_from_names s p p i p n
tsr_labels_free v p
tsr_labels_count i p
tsr_labels_classes n p
tsr_labels_of p p
tsr_labels_name t p n
tsr_labels_read s p t p
tsr_data_read s p t p
tsr_data_write s p t
tsr_data_take s p p p
tsr_data_name_samples s p p i
tsr_data_name_features s p p i
tsr_data_name_origin s p t
tsr_data_set_team s p p
tsr_data_free v p
tsr_data_samples p p
tsr_data_labels p p
tsr_data_format t p
tsr_data_dtype t p
tsr_data_origin t p
tsr_data_sample_name t p i
tsr_data_feature_name t p i
tsr_data_notes i p
tsr_data_note t p i
tsr_features_make s p t p
tsr_models_get b p i
tsr_baselines_get b p p i
tsr_fit_describe s p p
tsr_fit s p p p
tsr_fit_resume s p p p p
tsr_fit_more s p p p p
tsr_model_free v p
tsr_model_from_parts s p p p p p
tsr_model_options p p
tsr_model_describe s p p
tsr_model_origin t p
tsr_model_basis p p
tsr_model_codes p p
tsr_model_diffused p p
tsr_model_weights p p
tsr_model_labels p p
tsr_model_seen p p
tsr_model_feature_name t p i
tsr_model_objective p p
tsr_model_seconds p p
tsr_model_term b p p p i
tsr_model_plan t p i
tsr_model_notes i p
tsr_model_note t p i
tsr_model_write s p t
tsr_model_read s p t
tsr_path_holds_model b t
tsr_model_keep s p p p i
tsr_model_transform s p p p p
tsr_model_prepare s p p p
tsr_model_reconstruct s p p p
tsr_model_has_blocks b p
tsr_model_predict s p p p p e
tsr_model_scores s p p p e
tsr_encoder_fit s p p p
tsr_encoder_free v p
tsr_encoder_codes p p
tsr_encoder_seen p p
tsr_encoder_notes i p
tsr_encoder_note t p i
tsr_cluster s p p p p
tsr_score_clusters s p p p i
tsr_make_folds s p p p i i i
tsr_validate s p p p i p p
tsr_validate_on s p p p p p
tsr_validation_free v p
tsr_validation_folds p p
tsr_validation_confusion p p
tsr_select s p p p p
tsr_selection_free v p
tsr_selection_candidate b p p i
tsr_selection_folds p p i
tsr_selection_advice t p
tsr_rank_basis s p p p p p p e
tsr_rank_curve s p p i p p p p e
tsr_basis_terms s p p p i i d
tsr_vector_classes s p p p
tsr_sheet_write s p t i i b
tsr_heat_write s p p b t i i p p
tsr_basis_shares s p p p p
tsr_explain s p p p i p
tsr_explanation_free v p
tsr_explanation_error d p
tsr_explanation_parts i p
tsr_explanation_part b p p i
tsr_explanation_pictures s p p i b
tsr_overlay_make s p p t p
tsr_overlay_free v p
tsr_overlay_codes p p
tsr_overlay_patches p p
tsr_overlay_vectors p p
tsr_overlay_write s p t
tsr_overlay_colour t i
tsr_experiment_run s p t p
tsr_experiment_free v p
tsr_experiment_table t p
tsr_page_model s p p p p
tsr_page_experiment s p t p
tsr_page_selection s p p p
tsr_page_free v p
tsr_page_write s p t
tsr_page_facts t p
"""

# Functions that return or take a struct by value: name, the result table that describes it.
_RETURNS_STRUCT = {
    "tsr_model_report": "report",
    "tsr_validation_about": "validation",
    "tsr_selection_about": "selection",
    "tsr_overlay_about": "overlay",
}


class Error(Exception):
    """What the library refused or could not do; ``status`` is its word for the kind."""

    status = "error"


class _ArgumentError(Error, ValueError):
    status = "argument"


class _DataError(Error, ValueError):
    status = "data"


class _MemoryError(Error, MemoryError):
    status = "memory"


class _FormatError(Error, ValueError):
    status = "format"


class _InputOutputError(Error, OSError):
    status = "io"


class _UnsupportedError(Error, NotImplementedError):
    status = "unsupported"


class Interrupted(Error):
    """A progress callback asked to stop."""

    status = "interrupted"


class _DivergedError(Error, ArithmeticError):
    status = "diverged"


_ERRORS = {
    -1: _MemoryError,
    -2: _ArgumentError,
    -3: _DataError,
    -4: _FormatError,
    -5: _InputOutputError,
    -6: _UnsupportedError,
    -7: Interrupted,
    -8: _DivergedError,
}


def status_of(problem: Optional[BaseException]) -> int:
    """The number of what was raised; what no error of the library is like is one of arguments."""
    if problem is None:
        return 0
    if isinstance(problem, KeyboardInterrupt):
        return -7
    for number, kind in _ERRORS.items():
        if isinstance(problem, kind.__bases__[-1] if not isinstance(problem, Error) else kind):
            return number
    return -2


# Settings that estimators call by another name than the command line does.
RENAMED = {"rank": "n_components", "seed": "random_state", "class": "class_"}


def python_name(setting: str) -> str:
    """The keyword argument that a setting of the library is."""
    return RENAMED.get(setting, setting.replace("-", "_"))


def _in_python(message: str) -> str:
    """Settings under their names here, matrices by the argument that takes them."""
    message = message.replace("`tessera models`", "tessera.models()")
    message = re.sub(r"--([a-z][a-z0-9-]*)", lambda m: python_name(m.group(1)), message)
    message = re.sub(r"\b(mask|links)-matrix\b", r"\1", message)
    return re.sub(
        r"\b(graph-matrix|init-(?:basis|codes|weights))\b",
        lambda m: python_name(m.group(1)),
        message,
    )


def text(value: Optional[bytes]) -> Optional[str]:
    """A text of the library; bytes that are no UTF-8 survive as surrogates."""
    return None if value is None else value.decode("utf-8", "surrogateescape")


def raw(value: Any) -> bytes:
    """A text or path for the library, which ends at a NUL."""
    if isinstance(value, (bytes, os.PathLike)):
        found = os.fsencode(value)
    else:
        try:
            found = str(value).encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ValueError(f"{value!r} is no text that a file could hold") from None
    if b"\0" in found:
        raise ValueError(f"{value!r} has a NUL within")
    return found


def _candidates() -> Iterator[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, SONAME)  # it came along in a wheel
    checkout = os.path.join(here, "..", "..", "..")
    if os.path.exists(os.path.join(checkout, "include", "tessera", "tessera.h")):
        yield os.path.join(checkout, "build", SONAME)
    # an installed prefix: PREFIX/lib/python3.x/dist-packages/tessera beside PREFIX/lib[/ARCH]
    multiarch = getattr(sys.implementation, "_multiarch", "")
    parent = here
    for _ in range(5):
        parent = os.path.dirname(parent)
        for folder in ("lib", os.path.join("lib", multiarch), "lib64"):
            yield os.path.join(parent, folder, SONAME)


def _load() -> ctypes.CDLL:
    asked = os.environ.get("TESSERA_LIBRARY")
    if asked:
        try:
            return ctypes.CDLL(asked)
        except OSError as problem:
            raise ImportError(f"TESSERA_LIBRARY: {problem}") from None
    for path in _candidates():
        if os.path.exists(path):
            try:
                return ctypes.CDLL(path)
            except OSError as problem:
                raise ImportError(f"{path} cannot be loaded: {problem}") from None
    try:
        return ctypes.CDLL(SONAME)
    except OSError:
        raise ImportError(
            f"{SONAME} is not there: `make install` puts it in place, or TESSERA_LIBRARY names "
            "the file"
        ) from None


def _check(status: int, function: Any, arguments: Any) -> int:
    if status < 0:
        raise _ERRORS.get(status, Error)(_in_python(text(lib.tsr_message()) or "failed"))
    return status


lib = _load()
for _line in _SIGNATURES.strip().splitlines():
    _name, _result, *_arguments = _line.split()
    try:
        _function = getattr(lib, _name)
    except AttributeError:
        raise ImportError(f"{lib._name} has no {_name}: it is older than this package") from None
    _function.restype = _LETTERS[_result]
    _function.argtypes = [_LETTERS[letter] for letter in _arguments]
    if _result == "s":
        _function.errcheck = _check


class Owned:
    """An object of the library, freed with this one. ``at`` is where calls write it."""

    __slots__ = ("at", "_free", "kept", "team")

    def __init__(self, free: str, kept: Any = None) -> None:
        self.at = ctypes.c_void_p()
        self._free = getattr(lib, free)
        self.kept = kept  # what it borrows
        self.team: Any = None  # whose ranks share it

    def __del__(self) -> None:
        at, self.at = getattr(self, "at", None), ctypes.c_void_p()
        if at and self._free is not None:
            self._free(at)

    @property
    def out(self) -> Any:
        return ctypes.byref(self.at)

    def release(self) -> ctypes.c_void_p:
        """Gives it away: the library owns it from now on."""
        at, self.at = self.at, ctypes.c_void_p()
        return at


def texts(names: Any) -> Any:
    """An array of texts for the library, with what it points at."""
    return (ctypes.c_char_p * len(names))(*[raw(name) for name in names])


def listed(count: int, get: Any, of: Any) -> List[str]:
    """Texts 0 .. count-1 that a getter gives."""
    return [text(get(of, i)) or "" for i in range(count)]
