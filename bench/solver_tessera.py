# SPDX-License-Identifier: BSD-2-Clause
"""tsr_fit for bench/solver.py: a fit in this process, with its history and factors."""
import ctypes
import os
import tempfile
import time

import numpy
from scipy import sparse

POINTER, LONG = ctypes.c_void_p, ctypes.c_int64
TYPE = {numpy.dtype(numpy.float64): 0, numpy.dtype(numpy.float32): 1}


class Report(ctypes.Structure):
    """tsr_fit_report"""
    _fields_ = ([(name, ctypes.c_char_p) for name in ("model", "loss")]
                + [(name, LONG) for name in ("samples", "features", "rank", "iterations")]
                + [("converged", ctypes.c_bool)]
                + [(name, ctypes.c_double) for name in ("objective", "data_loss", "relative_error",
                                                        "optimality", "seconds", "spread")]
                + [("seed", LONG)])


class Fit:
    """One finished fit: objective and seconds an iteration, basis, codes, seconds of the call."""

    def __init__(self, objective, seconds, basis, codes, call, scaled):
        self.objective, self.seconds, self.call, self.scaled = objective, seconds, call, scaled
        self.basis, self.codes = basis, codes

    def step(self):
        """Seconds of an iteration, the first left out: the median of the differences; of scaled
        ones the mean, as only the sum of processor time is known."""
        return float((numpy.mean if self.scaled else numpy.median)(numpy.diff(self.seconds)))


class Tessera:
    """The library. By processor: seconds of processor time in place of the clock's."""

    def __init__(self, path, by_processor=False):
        self.by_processor = by_processor
        self.library = ctypes.CDLL(os.path.abspath(path))
        for name, kind in (("tsr_message", ctypes.c_char_p), ("tsr_fit_settings", POINTER),
                           ("tsr_model_report", Report), ("tsr_matrix_values", POINTER),
                           ("tsr_model_basis", POINTER), ("tsr_model_codes", POINTER),
                           ("tsr_model_objective", ctypes.POINTER(ctypes.c_double)),
                           ("tsr_model_seconds", ctypes.POINTER(ctypes.c_double)),
                           ("tsr_matrix_samples", LONG), ("tsr_matrix_features", LONG)):
            getattr(self.library, name).restype = kind

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.library.tsr_message().decode())

    def view(self, x, kept):
        """A matrix over x; what must outlive it is appended to `kept`."""
        out = POINTER()
        rows, columns = map(LONG, x.shape)
        if sparse.issparse(x):
            arrays = [x.indptr.astype(numpy.int64), x.indices.astype(numpy.int32), x.data]
            kept += arrays
            self.check(self.library.tsr_matrix_view_sparse(
                ctypes.byref(out), *(POINTER(a.ctypes.data) for a in arrays), rows, columns,
                TYPE[x.dtype]))
        else:
            x = numpy.ascontiguousarray(x)
            kept.append(x)
            self.check(self.library.tsr_matrix_view_dense(
                ctypes.byref(out), POINTER(x.ctypes.data), rows, columns, columns, TYPE[x.dtype]))
        return out

    def data(self, x, classes, kept):
        out, labels = POINTER(), POINTER()
        if classes is not None:
            numbers = numpy.ascontiguousarray(classes, float)
            self.check(self.library.tsr_labels_from_numbers(
                ctypes.byref(labels), POINTER(numbers.ctypes.data), LONG(len(numbers))))
        self.check(self.library.tsr_data_take(ctypes.byref(out), self.view(x, kept), labels))
        return out

    def array(self, matrix):
        """A copy of a dense matrix that a model owns; models keep doubles or the data's type."""
        rows = self.library.tsr_matrix_samples(POINTER(matrix))
        columns = self.library.tsr_matrix_features(POINTER(matrix))
        out = numpy.empty((rows, columns))
        for i in range(rows):
            self.library.tsr_matrix_get_sample(POINTER(out.ctypes.data + 8 * i * columns),
                                               POINTER(matrix), LONG(i))
        return out

    def set(self, settings):
        options = ctypes.create_string_buffer(4096)
        self.library.tsr_fit_defaults(options)
        table = POINTER(self.library.tsr_fit_settings())
        for name, value in settings.items():
            self.check(self.library.tsr_settings_set(
                table, options, name.replace("_", "-").encode(), value))
        return options

    def fit(self, x, start=None, classes=None, factors=True, **settings):
        """Fits x from (basis, codes) with settings as on the command line."""
        kept, model, begin = [], POINTER(), None
        with tempfile.TemporaryDirectory() as folder:
            if start is not None:
                begin = os.path.join(folder, "start.npz")
                numpy.savez(begin, basis=start[0], codes=start[1])
                settings["init"] = begin
            settings = {name: str(value).encode() for name, value in settings.items()}
            options, data = self.set(settings), self.data(x, classes, kept)
            wall, processor = time.perf_counter(), time.process_time()
            status = self.library.tsr_fit(ctypes.byref(model), data, options)
            call = time.perf_counter() - wall
            factor = (time.process_time() - processor) / call if self.by_processor else 1
        try:
            self.check(status)
            return self.result(model, factors, call, factor)
        finally:
            self.library.tsr_model_free(model)
            self.library.tsr_data_free(data)

    def result(self, model, factors, call, factor):
        """`factor` turns seconds of the clock into those that are asked for."""
        count = self.library.tsr_model_report(model).iterations
        history = [numpy.array(get(model)[:count]) for get in
                   (self.library.tsr_model_objective, self.library.tsr_model_seconds)]
        arrays = [self.array(get(model)) if factors else None for get in
                  (self.library.tsr_model_basis, self.library.tsr_model_codes)]
        return Fit(history[0], factor * history[1], *arrays, factor * call,
                   self.by_processor)
