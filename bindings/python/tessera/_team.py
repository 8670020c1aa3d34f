"""Teams: processes that make one result together, by the messages of a communicator.

A communicator is one of mpi4py, or whatever has these of its methods, that mean what they do there:

    Get_rank()  Get_size()
    Isend(buffer, rank, tag)   Irecv(buffer, rank, tag)   requests with Test() and Cancel()
    Iprobe(rank, tag)          whether a message from that rank is there
    Dup()                      or none, where nobody else sends by it

The library calls for a message while it works. What goes wrong in Python then must not pass through
C: it is kept, the library hears that it failed, and it is raised afterwards. Others that wait for a
rank that failed so are woken by a message of their own kind, the alarm.
"""
import contextlib
import ctypes
import functools
import os
import platform
import signal
import threading
import time
from typing import Any, ContextManager, Dict, Iterator, List, Optional

from ._library import _InputOutputError, Error, Owned, lib, status_of

# tsr_swap: user, to, send, sent, from, receive, wanted.
_SWAP = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int64,
)
lib.tsr_team_create.restype = ctypes.c_int
lib.tsr_team_create.argtypes = [
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_int,
    _SWAP,
    ctypes.c_void_p,
]
lib.tsr_team_create.errcheck = lib.tsr_fit.errcheck

_memory = ctypes.pythonapi.PyMemoryView_FromMemory
_memory.restype, _memory.argtypes = ctypes.py_object, [
    ctypes.c_void_p,
    ctypes.c_ssize_t,
    ctypes.c_int,
]
_READ, _WRITE = 0x100, 0x200

_TAG, _ALARM = 1, 2  # of the library's messages, and of the one that ends them
_PIECE = 1 << 30  # bytes; MPI counts by int
_IO = -5  # tsr_status of messages that failed
_WORDS = 1024  # bytes of what a rank says of its failure
_LOOKS, _YIELDS = 100, 400  # before a rank that waits sleeps
_NAP, _LONGEST = 2e-6, 500e-6  # seconds
_GRACE = 1.0  # seconds for messages that are under way when a team is lost


class Team:
    """The processes of a communicator, which make one result together: each makes the same calls
    with the same samples and settings.

    What takes ``team=`` takes a communicator too. Of one communicator there is one team, for as
    long as the process lives, and its messages go by a copy of it: the first call that uses a team
    makes that, on all ranks. A process that is no rank works alone: in pickles a team is None. It
    serves one thread at a time.

    As a context it is for what else may fail on one rank: what is raised within, on any rank, is
    raised on all.
    """

    _known: Dict[int, "Team"] = {}

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.rank, self.ranks = int(comm.Get_rank()), int(comm.Get_size())
        self.threads = 0  # processors that this rank should take, once it is known
        self._line: Any = None  # the communicator that messages go by
        self._handle = Owned("tsr_team_free")
        self._callback = _SWAP(self._swap)
        self._depth = self._held = self._thread = 0
        self._handlers: Dict[int, Any] = {}
        self._problem: Optional[BaseException] = None
        self._asked = 0  # how often a handler of signals raised something
        self._lost = False
        self._left: List[Any] = []  # messages that nobody waits for any more

    @classmethod
    def of(cls, comm: Any) -> Optional["Team"]:
        """The team of a communicator; a team is its own, and None is none."""
        if comm is None or isinstance(comm, cls):
            return comm
        if not hasattr(comm, "Get_rank"):
            raise TypeError(f"team={comm!r}: it is a communicator, as mpi4py has them")
        if id(comm) not in cls._known:
            cls._known[id(comm)] = cls(comm)
        return cls._known[id(comm)]

    def __repr__(self) -> str:
        return f"<Team: rank {self.rank} of {self.ranks}>"

    def __copy__(self) -> "Team":
        return self

    def __deepcopy__(self, memory: Any) -> "Team":
        return self

    def __reduce__(self) -> Any:
        return type(None), ()

    @property
    def at(self) -> ctypes.c_void_p:
        if not self._handle.at:
            with self.holding():
                self._open()
        return self._handle.at

    @property
    def leads(self) -> bool:
        """Whether this rank is the one that speaks."""
        return self.rank == 0

    def _open(self) -> None:
        copy = getattr(self.comm, "Dup", None)
        self._line = copy() if copy is not None else self.comm
        machines = self._gather(platform.node())
        processors = os.cpu_count() or 1
        bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else processors
        own = processors // machines.count(machines[self.rank])
        self.threads = max(min(bound, own), 1)
        lib.tsr_team_create(self._handle.out, self.rank, self.ranks, self._callback, None)

    # Failing together ---------------------------------------------------------------------

    def __enter__(self) -> "Team":
        if self._depth == 0:
            self._thread = threading.get_ident()
        elif self._thread != threading.get_ident():
            raise RuntimeError("a team serves one thread at a time")
        lib.tsr_team_enter(self.at)
        self._depth += 1
        return self

    def __exit__(self, kind: Any, problem: Optional[BaseException], trace: Any) -> None:
        words, told = "", None
        with self.holding():
            try:
                lib.tsr_team_leave(self.at, status_of(problem))
            except Error as said:
                told = said
                words = self._words(problem) if self._depth == 1 else ""
            finally:
                self._depth -= 1
        if problem is not None and not isinstance(problem, Error):
            return  # it is this rank's own
        if words:
            raise type(problem or told)(words) from None  # type: ignore[misc]
        if problem is None and told is not None:
            raise told

    def _words(self, problem: Optional[BaseException]) -> str:
        """What the first rank that failed in Python says; the library tells of its own failures."""
        if self._lost:
            return ""
        silent = problem is None or isinstance(problem, Error)
        found = self._gather("" if silent else self._said(problem))
        return next((words for words in found if words), "")

    def _said(self, problem: Any) -> str:
        words = str(problem)
        return f"rank {self.rank}: {type(problem).__name__}" + (f": {words}" if words else "")

    # What was raised in between -----------------------------------------------------------

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """While C calls, what is raised in Python is kept: that of signals, whose handlers may
        strike anywhere, and that of messages. At the end it takes the place of what C says."""
        self._held += 1
        if self._held == 1:
            self._hold_signals()
        try:
            yield
        finally:
            self._held -= 1
            if self._held == 0:
                self._restore_signals()
            kept, self._problem, self._asked = self._problem, None, 0
            try:
                if kept is not None:
                    raise kept from None
            finally:
                del kept

    @property
    def asked_to_stop(self) -> bool:
        return self._problem is not None

    def _hold_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, functools.partial(self._hear, handler))

    def _restore_signals(self) -> None:
        while self._handlers:
            signal.signal(*self._handlers.popitem())

    def _hear(self, handler: Any, number: int, frame: Any) -> None:
        try:
            handler(number, frame)
        except BaseException as problem:  # KeyboardInterrupt is one
            self._problem = self._problem or problem
            self._asked += 1

    # Messages -----------------------------------------------------------------------------

    def _swap(
        self,
        user: Any,
        to: int,
        send: Optional[int],
        sent: int,
        source: int,
        receive: Optional[int],
        wanted: int,
    ) -> int:
        """tsr_swap, which raises nothing."""
        try:
            out = _memory(send, sent, _READ) if to >= 0 and sent > 0 else b""
            room = _memory(receive, wanted, _WRITE) if source >= 0 and wanted > 0 else bytearray()
            self._exchange(to, memoryview(out), source, memoryview(room))
            return 0
        except BaseException as problem:
            self._problem = self._problem or problem
            return _IO

    def _exchange(self, to: int, out: memoryview, source: int, room: memoryview) -> None:
        """Sends and receives at once, piece by piece."""
        for at in range(0, max(len(out), len(room)), _PIECE):
            requests: List[Any] = []
            try:
                if at < len(room):
                    requests.append(self._line.Irecv(room[at : at + _PIECE], source, _TAG))
                if at < len(out):
                    requests.append(self._line.Isend(out[at : at + _PIECE], to, _TAG))
                self._wait(requests)
            except BaseException as problem:
                self._lose(problem)
                self._abandon(requests)
                raise

    def _wait(self, requests: List[Any]) -> None:
        """A rank that waits should not take its processor: it looks for a while, lets others run,
        then sleeps a little longer each time. Who asks twice to stop does not wait."""
        looks, nap = 0, _NAP
        while True:
            requests[:] = [request for request in requests if not request.Test()]
            if not requests:
                return
            if self._asked > 1:
                raise self._problem or KeyboardInterrupt
            looks += 1
            if looks > _YIELDS:
                time.sleep(nap)
                nap = min(nap * 17 / 16, _LONGEST)
                self._listen(looks % self.ranks)
            elif looks > _LOOKS:
                time.sleep(0)

    def _listen(self, rank: int) -> None:
        """Raises where that rank lost the team."""
        if rank == self.rank or not self._line.Iprobe(rank, _ALARM):
            return
        words = bytearray(_WORDS)
        request = self._line.Irecv(memoryview(words), rank, _ALARM)
        while not request.Test():
            time.sleep(_NAP)
        self._lost = True
        raise _InputOutputError(f"the team is lost: {_unpacked(words)}")

    def _lose(self, problem: BaseException) -> None:
        """This rank has no more messages, and those that wait for one hear why."""
        if self._lost:
            return
        self._lost = True
        alarm = memoryview(_packed(self._said(problem)))
        for rank in range(self.ranks):
            with contextlib.suppress(Exception):
                if rank != self.rank:
                    self._left.append(self._line.Isend(alarm, rank, _ALARM))

    def _abandon(self, requests: List[Any]) -> None:
        """Their memory is the library's, which will be gone: they end now, or soon."""
        self._left += requests
        end = time.monotonic() + _GRACE
        with contextlib.suppress(Exception):
            for request in requests:
                request.Cancel()
            while time.monotonic() < end and not all([request.Test() for request in requests]):
                time.sleep(_LONGEST)

    def _gather(self, own: str) -> List[str]:
        """A few words of each rank."""
        words = _packed(own)
        found = [_unpacked(words)] * self.ranks
        for step in range(1, self.ranks):
            to, source = (self.rank + step) % self.ranks, (self.rank - step) % self.ranks
            room = bytearray(_WORDS)
            self._exchange(to, memoryview(words), source, memoryview(room))
            found[source] = _unpacked(room)
        return found


def _packed(words: str) -> bytes:
    return words.encode("utf-8", "replace")[:_WORDS].ljust(_WORDS, b"\0")


def _unpacked(words: Any) -> str:
    return bytes(words).rstrip(b"\0").decode("utf-8", "ignore")


def together(team: Optional[Team]) -> ContextManager[Any]:
    """In a team what one rank fails at within, all fail at; without one, nothing."""
    context: ContextManager[Any] = team or contextlib.nullcontext()
    return context
