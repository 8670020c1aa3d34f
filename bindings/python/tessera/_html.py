"""A fitted estimator as a notebook shows it: its parts as pictures, words or bars."""
import base64
import html
import os
import tempfile
from typing import Any, Callable, Optional

import numpy as np

from . import _arrays as arrays
from ._library import lib, raw

_MOST = 60  # parts
_STYLE = (
    "<style>.tsr td,.tsr th{text-align:left;padding:2px 8px;font-size:90%}"
    ".tsr .bar{display:inline-block;background:#4a78a8;height:.7em}</style>"
)


def _png(write: Callable[[Any], None], to: Any) -> bytes:
    """What is written to a file that is named, or to one of ours."""
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        path = to if to is not None else os.path.join(folder, "sheet.png")
        write(raw(path))
        with open(path, "rb") as file:
            return file.read()


def sheet(
    pictures: Any, columns: int = 0, scale: int = 2, common: bool = False, to: Any = None
) -> bytes:
    """A PNG of the rows of a matrix of pictures; written to a file where one is named."""
    return _png(lambda path: lib.tsr_sheet_write(pictures, path, columns, scale, common), to)


def heat(
    codes: Any, labels: Any, distances: bool, scale: int = 0, threads: int = 0, to: Any = None
) -> bytes:
    """The same of codes, or of the distances between them, as a heat map."""
    return _png(
        lambda path: lib.tsr_heat_write(codes, labels, distances, path, scale, threads, None, None),
        to,
    )


def _pictures(basis: np.ndarray, image: Any) -> str:
    matrix = arrays.to_matrix(np.maximum(basis[:_MOST], 0), "components_")
    arrays.set_image(matrix.at, image[:2], image[2])
    data = base64.b64encode(sheet(matrix.at)).decode()
    return f'<img alt="{len(basis)} parts as pictures" src="data:image/png;base64,{data}">'


def _rows(basis: np.ndarray, names: Optional[Any]) -> str:
    lines = []
    for i, part in enumerate(basis[:_MOST]):
        best = np.argsort(-part, kind="stable")[:10]
        top = max(float(part[best[0]]), 1e-300)
        cells = []
        for j in best:
            if part[j] <= 0:
                continue
            name = html.escape(str(names[j]) if names is not None else str(j))
            width = 5.0 * float(part[j]) / top
            cells.append(f'{name}&nbsp;<span class="bar" style="width:{width:.2f}em"></span>')
        lines.append(f"<tr><th>{i}</th><td>{' '.join(cells)}</td></tr>")
    return f"<table>{''.join(lines)}</table>"


def parts(it: Any, components: Optional[np.ndarray]) -> str:
    """An estimator that is no model of the table: what it is called, and its parts."""
    head = f"<pre>{html.escape(repr(it))}</pre>"
    if components is None:
        return head
    rows = _rows(np.asarray(components, np.float64), getattr(it, "feature_names_in_", None))
    return f'<div class="tsr">{_STYLE}{head}{rows}</div>'


def estimator(it: Any) -> str:
    """Of one that is not fitted, what it is called."""
    head = f"<pre>{html.escape(repr(it))}</pre>"
    if not hasattr(it, "model_"):
        return head
    fitted = it.model_
    basis = np.asarray(fitted.basis, np.float64)
    report = fitted.report
    words = (
        f"{html.escape(fitted.info.title)}: {report.rank} parts of {report.samples} samples x "
        f"{report.features} features; J {report.objective:.6g} after {report.iterations} "
        f"iterations; relative error {report.relative_error:.4f}"
    )
    names = getattr(it, "feature_names_in_", None)
    image = fitted.image
    parts = _pictures(basis, image) if image else _rows(basis, names)
    more = f"<p>The first {_MOST} are shown.</p>" if len(basis) > _MOST else ""
    return f'<div class="tsr">{_STYLE}{head}<p>{words}</p>{parts}{more}</div>'
