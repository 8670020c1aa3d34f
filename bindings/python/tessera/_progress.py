"""Progress: a line that is written over where people look, now and then a line elsewhere.

The library calls between two steps, here with the interpreter's lock. What goes wrong in Python
must not pass through C: it is kept, the work is asked to stop, and it is raised afterwards.
"""
import contextlib
import ctypes
import math
import sys
import threading
import time
import types
from typing import Any, Callable, Generator, Optional

from ._tables import read_result
from ._team import Team

# C calls a generator's send. A function would be interrupted before its first line, where nothing
# of its own can catch that; a generator goes on where it stood, within its try.
_REPORT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.py_object, ctypes.c_void_p)
_SEND = _REPORT(types.GeneratorType.send)


class _Pair(ctypes.Structure):
    """tsr_progress."""

    _fields_ = [("report", _REPORT), ("user", ctypes.c_void_p)]


def _overwrites(stream: Any) -> bool:
    """Whether a carriage return does what it should: terminals, and notebooks."""
    try:
        return bool(stream.isatty()) or "ipykernel" in sys.modules
    except (AttributeError, ValueError):
        return False


class Progress:
    """What options are given as progress; ``verbose`` shows it, ``hear`` is told each step. Of a
    team the first rank shows it; what went wrong with its messages is raised here, too."""

    def __init__(
        self,
        verbose: bool = False,
        hear: Optional[Callable[[Any], Any]] = None,
        team: Optional[Team] = None,
    ) -> None:
        self._verbose, self._hear = bool(verbose) and (team is None or team.leads), hear
        self._team = team
        self._holding = team.holding() if team is not None else contextlib.nullcontext()
        self._problem: Optional[BaseException] = None
        self._shown = 0.0
        self._width = 0
        self._listener = self._listen()
        next(self._listener)
        self._pair = _Pair(_SEND, id(self._listener))

    @property
    def at(self) -> Any:
        return ctypes.byref(self._pair)

    @staticmethod
    def wanted(verbose: bool, hear: Any = None) -> bool:
        """Only the main thread is interrupted by the keyboard."""
        return verbose or hear is not None or threading.current_thread() is threading.main_thread()

    def _listen(self) -> Generator[bool, int, None]:
        """Gets where a step is, gives whether to go on."""
        while True:
            try:
                go = self._problem is None
                while True:
                    step = yield go and not (self._team and self._team.asked_to_stop)
                    go = go and self._heard(step)
            except GeneratorExit:
                return
            except BaseException as problem:  # KeyboardInterrupt is one
                self._problem = self._problem or problem

    def _heard(self, step: int) -> bool:
        if not self._verbose and self._hear is None:
            return True
        (said,) = read_result("step", step)
        if self._verbose:
            self._show(said)
        return self._hear is None or self._hear(said) is not False

    def _show(self, said: Any) -> None:
        if sys.stderr is None:  # nobody looks
            return
        now = time.monotonic()
        over = _overwrites(sys.stderr)
        if said.note:
            self._write(f"note: {said.note}", False)
        last = said.total > 0 and said.done >= said.total
        if not last and now - self._shown < (0.1 if over else 5.0):
            return
        self._shown = now
        line = f"{said.task}: {said.done}" + (f" of {said.total}" if said.total > 0 else "")
        if not math.isnan(said.objective):
            line += f", J {said.objective:.6g}"
        if not math.isnan(said.change):
            line += f", change {said.change:.1e}"
        self._write(line + f", {said.seconds:.1f} s", over and not last)

    def _write(self, line: str, stay: bool) -> None:
        blank = " " * max(0, self._width - len(line))
        sys.stderr.write(("\r" if self._width else "") + line + blank + ("\r" if stay else "\n"))
        sys.stderr.flush()
        self._width = len(line) if stay else 0

    def clear(self) -> None:
        if self._width:
            self._write("", True)
            self._width = 0

    def __enter__(self) -> "Progress":
        self._holding.__enter__()
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        """What was raised in Python takes the place of what the library says of it."""
        self.clear()
        self._listener.close()  # which knows this object: memory is given back without a collector
        kept, self._problem = self._problem, None
        try:
            self._holding.__exit__(None, None, None)
            if kept is not None:
                raise kept from None
        finally:
            del kept
