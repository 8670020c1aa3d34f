"""The library's tables: settings by name as keyword arguments, results as named tuples.

Nothing of the library's structs is repeated here but the row of a table itself.
"""
import collections
import ctypes
import difflib
import inspect
import math
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

from . import _arrays as arrays
from ._library import _RETURNS_STRUCT, Owned, lib, python_name, raw, text

FLAG, INTEGER, REAL, CHOICE, PAIR, TEXT, OBJECT, NOTE, SIZE = range(9)


class _Row(ctypes.Structure):
    """tsr_setting."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("letter", ctypes.c_char),
        ("kind", ctypes.c_int),
        ("offset", ctypes.c_size_t),
        ("minimum", ctypes.c_double),
        ("maximum", ctypes.c_double),
        ("fallback", ctypes.c_char_p),
        ("values", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
    ]


class Setting(NamedTuple):
    """One row of a table, in Python's terms."""

    name: str  # the library's
    kind: int
    offset: int
    minimum: float
    maximum: float
    default: Any
    values: str
    help: str

    @property
    def argument(self) -> str:
        return python_name(self.name)


def _default(row: _Row) -> Any:
    fallback = text(row.fallback)
    if row.kind == FLAG:
        return False
    if row.kind == CHOICE:
        return fallback or (text(row.values) or "").split("|")[0]
    if fallback is None:
        return None
    return {INTEGER: int, REAL: float}.get(row.kind, str)(fallback)


def _rows(pointer: Optional[int]) -> List[Setting]:
    found = []
    at = ctypes.cast(pointer or 0, ctypes.POINTER(_Row))
    i = 0
    while at[i].name is not None:
        row = at[i]
        found.append(
            Setting(
                text(row.name) or "",
                row.kind,
                row.offset,
                row.minimum,
                row.maximum,
                _default(row),
                text(row.values) or "",
                text(row.help) or "",
            )
        )
        i += 1
    return found


_tables: Dict[str, Dict[str, Setting]] = {}


def table(name: str) -> Dict[str, Setting]:
    """The settings of a kind of options ("fit", "read", ..), by the library's names."""
    if name not in _tables:
        _tables[name] = {row.name: row for row in _rows(lib.tsr_options_table(raw(name)))}
    return _tables[name]


def written(value: Any) -> str:
    """A value as a user would write it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    raise TypeError(f"it is a text or a number, not {type(value).__name__}")


def _said(row: Setting, value: Any) -> str:
    if isinstance(value, bool) != (row.kind == FLAG) and not isinstance(value, str):
        raise TypeError(
            f"{row.argument}={value!r}: it is "
            + ("True or False" if row.kind == FLAG else "no flag")
        )
    try:
        if isinstance(value, (list, tuple, range)):
            return ("x" if row.kind == PAIR else ",").join(written(v) for v in value)
        return written(value)
    except TypeError as problem:
        raise TypeError(f"{row.argument}={value!r}: {problem}") from None


def _is_matrix(value: Any) -> bool:
    return not isinstance(value, (str, bytes, os.PathLike))


class _Struct(ctypes.c_void_p):
    owner: Any


class Options(Owned):
    """Options by name; ``values`` is the struct that functions take."""

    def __init__(self, name: str, settings: Optional[Dict[str, Any]] = None) -> None:
        super().__init__("tsr_options_free", [])
        self.rows = table(name)
        self.said: Set[str] = set()
        lib.tsr_options_create(self.out, raw(name))
        for key, value in (settings or {}).items():
            self.set(key, value)

    def set(self, name: str, value: Any) -> None:
        """A text, number or flag; or an array, where the row, or the one that is named after it,
        takes a matrix in place of a file."""
        row = self.rows[name]
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            value = value.item()  # a number of NumPy
        if value is None:
            return
        file = row.kind == TEXT and name + "-matrix" in self.rows
        if row.values == "matrix" or (file and _is_matrix(value)):
            column = value.reshape(-1, 1) if getattr(value, "ndim", 2) == 1 else value
            self.give(name + "-matrix" if file else name, arrays.to_matrix(column, row.argument))
            return
        same = value.__class__ is row.default.__class__ and value == row.default
        if same and name not in self.said:
            return
        self.said.add(name)
        if isinstance(value, float) and math.isnan(value):
            raise ValueError(f"{row.argument} is NaN")
        lib.tsr_options_set(self.at, raw(name), raw(_said(row, value)))

    def give(self, name: str, handle: Any) -> None:
        """An object in memory, kept as long as the options are."""
        if handle is not None:
            self.kept.append(handle)
            lib.tsr_options_give(self.at, raw(name), getattr(handle, "at", handle))

    def share(self, team: Any) -> None:
        """Gives a team (or None) its part in this, and each rank its part of a machine."""
        if team is None:
            return
        if "team" in self.rows:
            self.give("team", team)
        if "threads" in self.rows and "threads" not in self.said:
            self.set("threads", team.threads)

    @property
    def values(self) -> Any:
        """Good for as long as somebody holds it."""
        struct = _Struct(lib.tsr_options_values(self.at))
        struct.owner = self
        return struct


def unknown(whose: str, name: str, known: Sequence[str]) -> TypeError:
    """The refusal of a keyword argument, with the nearest that there is."""
    near = difflib.get_close_matches(name, known, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return TypeError(f"{whose} has no setting {name!r}{meant}")


def _is_keyword(row: Setting) -> bool:
    return row.kind != OBJECT or row.values == "matrix"


def split_keywords(names: Sequence[str], given: Dict[str, Any], whose: str) -> List[Dict[str, Any]]:
    """Keyword arguments as settings of tables, or a TypeError that names the nearest. One that more
    than one table has goes to all of them; the command line's names are taken too."""
    parts: List[Dict[str, Any]] = [{} for _ in names]
    rows = [[row for row in table(name).values() if _is_keyword(row)] for name in names]
    for key, value in given.items():
        found = False
        for part, of in zip(parts, rows):
            for row in of:
                if key in (row.argument, row.name.replace("-", "_")):
                    part[row.name] = value
                    found = True
        if not found:
            raise unknown(whose, key, [row.argument for of in rows for row in of])
    return parts


def keywords(name: str, given: Dict[str, Any], whose: str) -> Dict[str, Any]:
    """The same of one table."""
    return split_keywords((name,), given, whose)[0]


def described(rows: Sequence[Setting], indent: str = "    ") -> str:
    """Rows as the "Parameters" of a docstring."""
    lines = []
    for row in rows:
        kind = {
            FLAG: "bool",
            INTEGER: "int",
            REAL: "float",
            CHOICE: "{" + ", ".join(repr(word) for word in row.values.split("|")) + "}",
            PAIR: "pair of int",
            TEXT: "str",
            OBJECT: "array",
            SIZE: "int or str",
        }[row.kind]
        limits = ""
        if row.kind in (INTEGER, REAL):
            limits = f"; {row.minimum:g} to {row.maximum:g}"
            if math.isinf(row.maximum):
                limits = f"; from {row.minimum:g}"
        lines.append(f"{indent}{row.argument} : {kind}, default {row.default!r}{limits}")
        words = row.help.replace("--", "")
        lines.append(f"{indent}    {words[:1].upper()}{words[1:]}.")
    return "\n".join(lines)


def parameters(rows: Sequence[Setting]) -> List[inspect.Parameter]:
    """Rows as keyword arguments of a signature."""
    return [
        inspect.Parameter(row.argument, inspect.Parameter.KEYWORD_ONLY, default=row.default)
        for row in rows
    ]


# Results ----------------------------------------------------------------------------------


class _Result:
    """A struct of results: room for it, and what it says as a named tuple."""

    def __init__(self, name: str) -> None:
        size = ctypes.c_size_t()
        self.rows = _rows(lib.tsr_result_table(ctypes.byref(size), raw(name)))
        self.size = size.value
        self.tuple = collections.namedtuple(  # type: ignore[misc]
            name.capitalize(), [row.name for row in self.rows]
        )
        self.room: Any = type(
            f"_{name}",
            (ctypes.Structure,),
            {"_fields_": [("bytes", ctypes.c_uint64 * (self.size // 8))]},
        )

    def read(self, address: int) -> Any:
        values: List[Any] = []
        for row in self.rows:
            at = address + row.offset
            if row.kind == FLAG:
                values.append(ctypes.c_bool.from_address(at).value)
            elif row.kind in (INTEGER, SIZE):
                values.append(ctypes.c_int64.from_address(at).value)
            elif row.kind == REAL:
                values.append(ctypes.c_double.from_address(at).value)
            elif row.kind == PAIR:
                values.append(tuple((ctypes.c_int64 * 2).from_address(at)))
            elif row.kind == TEXT:
                values.append(text(ctypes.c_char_p.from_address(at).value))
            else:
                values.append(text(ctypes.string_at(at)))
        return self.tuple(*values)


_results: Dict[str, _Result] = {}


def _result(name: str) -> _Result:
    if name not in _results:
        _results[name] = _Result(name)
    return _results[name]


def returned(function: str, argument: Any) -> Any:
    """What a function says that returns a struct."""
    kind = _result(_RETURNS_STRUCT[function])
    call = getattr(lib, function)
    call.restype, call.argtypes = kind.room, [ctypes.c_void_p]
    said = call(argument)
    return kind.read(ctypes.addressof(said))


def filled(name: str, function: Any, *arguments: Any) -> Any:
    """What a function writes into a struct; None where it answers false."""
    kind = _result(name)
    room = kind.room()
    if function(ctypes.byref(room), *arguments) is False:
        return None
    return kind.read(ctypes.addressof(room))


def read_result(name: str, address: int, count: int = 1) -> List[Any]:
    kind = _result(name)
    return [kind.read(address + i * kind.size) for i in range(count)]


def result_room(name: str, count: int) -> Any:
    return (_result(name).room * max(count, 1))()
