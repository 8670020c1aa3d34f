"""A fitted model of the library: its parts as arrays, codes of other samples, its file."""
import ctypes
import os
import tempfile
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _arrays as arrays
from ._library import Interrupted, Owned, lib, listed, raw, text
from ._progress import Progress
from ._tables import OBJECT, TEXT, Options, filled, returned, table
from ._team import together

BLOCK, NEAREST = 0, 1


class Fitted:
    """What a fit learnt. Arrays are views of the model's own memory."""

    def __init__(self, handle: Owned) -> None:
        self._handle = handle

    @property
    def at(self) -> ctypes.c_void_p:
        return self._handle.at

    @classmethod
    def read(cls, path: Any) -> "Fitted":
        handle = Owned("tsr_model_free")
        lib.tsr_model_read(handle.out, raw(path))
        return cls(handle)

    def write(self, path: Any) -> None:
        lib.tsr_model_write(self.at, raw(path))

    # as bytes, so that copies and other processes have it
    def __getstate__(self) -> bytes:
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            path = os.path.join(folder, "model.h5")
            self.write(path)
            with open(path, "rb") as file:
                return file.read()

    def __setstate__(self, state: bytes) -> None:
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            path = os.path.join(folder, "model.h5")
            with open(path, "wb") as file:
                file.write(state)
            self._handle = Fitted.read(path)._handle

    @property
    def report(self) -> Any:
        return returned("tsr_model_report", self.at)

    @property
    def info(self) -> Any:
        return filled("model", lib.tsr_model_describe, self.at)

    @property
    def basis(self) -> np.ndarray:
        return arrays.from_matrix(lib.tsr_model_basis(self.at), self._handle)

    @property
    def codes(self) -> np.ndarray:
        return arrays.from_matrix(lib.tsr_model_codes(self.at), self._handle)

    @property
    def diffused(self) -> np.ndarray:
        return arrays.from_matrix(lib.tsr_model_diffused(self.at), self._handle)

    @property
    def weights(self) -> Optional[np.ndarray]:
        at = lib.tsr_model_weights(self.at)
        return arrays.from_matrix(at, self._handle) if at else None

    @property
    def image(self) -> Optional[Tuple[int, int, str]]:
        return arrays.image_of(lib.tsr_model_basis(self.at))

    @property
    def objective(self) -> np.ndarray:
        """J after each iteration."""
        at = lib.tsr_model_objective(self.at)
        return arrays.array_at(at, self.report.iterations, np.float64, self._handle)

    @property
    def seconds(self) -> np.ndarray:
        at = lib.tsr_model_seconds(self.at)
        return arrays.array_at(at, self.report.iterations, np.float64, self._handle)

    @property
    def terms(self) -> Dict[str, float]:
        found: Dict[str, float] = {}
        name, value = ctypes.c_char_p(), ctypes.c_double()
        while lib.tsr_model_term(ctypes.byref(name), ctypes.byref(value), self.at, len(found)):
            found[text(name.value) or ""] = value.value
        return found

    @property
    def plan(self) -> List[str]:
        lines: List[str] = []
        while True:
            line = text(lib.tsr_model_plan(self.at, len(lines)))
            if line is None:
                return lines
            lines.append(line)

    @property
    def notes(self) -> List[str]:
        return listed(lib.tsr_model_notes(self.at), lib.tsr_model_note, self.at)

    @property
    def labels(self) -> Optional[Tuple[np.ndarray, np.ndarray]]:
        at = lib.tsr_model_labels(self.at)
        return arrays.from_labels(at) if at else None

    @property
    def feature_names(self) -> Optional[List[str]]:
        if lib.tsr_model_feature_name(self.at, 0) is None:
            return None
        return listed(self.report.features, lib.tsr_model_feature_name, self.at)

    @property
    def settings(self) -> Dict[str, Any]:
        """Those that it was fitted with, by the library's names: what a table of values says."""
        base = lib.tsr_model_options(self.at)
        kinds: Dict[int, Any] = {
            0: ctypes.c_bool,
            1: ctypes.c_int64,
            2: ctypes.c_double,
            3: ctypes.c_int,
            TEXT: ctypes.c_char_p,
        }
        found: Dict[str, Any] = {}
        for row in table("fit").values():
            if row.kind == OBJECT or row.kind not in kinds:
                continue
            value = kinds[row.kind].from_address(base + row.offset).value
            if row.kind == 3:
                value = row.values.split("|")[value]
            found[row.name] = text(value) if row.kind == TEXT else value
        return found

    @property
    def blocks(self) -> bool:
        return bool(lib.tsr_model_has_blocks(self.at))

    def transform(
        self, data: Owned, threads: int = 0, verbose: bool = False, **settings: Any
    ) -> Any:
        """Codes with the basis fixed, under the model's own loss; of a file, block by block."""
        pieces = arrays.pieces(data) if data.team is None else None
        if pieces is not None:
            return np.concatenate([self.transform(x, threads, verbose, **settings) for x in pieces])
        codes = Owned("tsr_matrix_free")
        options = Options("transform", {"threads": threads, **settings})
        options.share(data.team)
        with together(data.team), Progress(verbose, team=data.team) as progress:
            if Progress.wanted(verbose):
                options.give("progress", progress)
            lib.tsr_model_transform(codes.out, self.at, data.at, options.values)
        return arrays.taken(codes)

    def prepared(self, data: Owned) -> Any:
        """Samples in the form in which the model sees them."""
        out = Owned("tsr_matrix_free", data)
        lib.tsr_model_prepare(out.out, self.at, data.at)
        return arrays.taken(out)

    def reconstructed(self) -> Any:
        """Samples of the fit as the parts make them of their codes."""
        out = Owned("tsr_matrix_free")
        lib.tsr_model_reconstruct(out.out, self.at, None)
        return arrays.taken(out)

    def predict(self, codes: Any, by: int) -> np.ndarray:
        """Position of each sample's class among those of ``labels``."""
        matrix = arrays.to_matrix(codes, "codes")
        of = np.empty(len(codes), np.int32)
        lib.tsr_model_predict(arrays.address(of), None, self.at, matrix.at, by)
        return of

    def scores(self, codes: Any, by: int) -> np.ndarray:
        """Shares of all classes: samples x classes."""
        matrix = arrays.to_matrix(codes, "codes")
        out = Owned("tsr_matrix_free")
        lib.tsr_model_scores(out.out, self.at, matrix.at, by)
        return arrays.taken(out)

    def keep(self, vectors: Any) -> "Fitted":
        """A model of the given basis vectors alone."""
        kept = Owned("tsr_model_free")
        order = np.ascontiguousarray(vectors, np.int64)
        lib.tsr_model_keep(kept.out, self.at, arrays.address(order), len(order))
        return Fitted(kept)


def fit(
    data: Owned,
    options: Options,
    verbose: bool = False,
    hear: Any = None,
    resume: Any = None,
    more: Any = None,
) -> Tuple[Fitted, Optional[BaseException]]:
    """Fits; or goes on with a model, on its samples (`resume`) or on others (`more`). Returns the
    model and what stopped it, or None: the model so far is good. What stops one rank of a team
    stops all."""
    model = Owned("tsr_model_free")
    stopped: Optional[BaseException] = None
    options.share(data.team)
    with together(data.team):
        try:
            with Progress(verbose, hear, data.team) as progress:
                if Progress.wanted(verbose, hear):
                    options.give("progress", progress)
                if resume is not None:
                    lib.tsr_fit_resume(model.out, data.at, resume.at, options.values)
                elif more is not None:
                    lib.tsr_fit_more(model.out, data.at, more.at, options.values)
                else:
                    lib.tsr_fit(model.out, data.at, options.values)
        except BaseException as problem:
            if not model.at:
                raise
            asked = isinstance(problem, Interrupted) and data.team is None
            stopped = problem if not asked else None
    return Fitted(model), stopped


def from_parts(basis: Any, codes: Any, labels: Optional[Owned], options: Options) -> Fitted:
    model = Owned("tsr_model_free")
    f, g = arrays.to_matrix(basis, "basis"), arrays.to_matrix(codes, "codes")
    lib.tsr_model_from_parts(
        model.out, f.at, g.at, labels.at if labels is not None else None, options.values
    )
    return Fitted(model)
