"""The signatures of _library.py are those of tessera.h."""
import ctypes
import os
import re

import pytest

import helpers
from tessera import _arrays, _library, _progress, _tables, _team

HEADER = os.path.join(helpers.CHECKOUT, "include", "tessera", "tessera.h")
pytestmark = pytest.mark.skipif(not os.path.exists(HEADER), reason="tessera.h is not beside it")

PLAIN = {
    "void": "v",
    "tsr_status": "s",
    "bool": "b",
    "int": "e",
    "int32_t": "n",
    "int64_t": "i",
    "double": "d",
}


def source():
    with open(HEADER) as file:
        return re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)


def enumerations(text):
    return set(re.findall(r"typedef enum (\w+)", text)) - {"tsr_status"}


def letter(declared, text, returned=False):
    """The letter of a C type; a struct by value is its name."""
    declared = re.sub(r"\bconst\b", " ", declared).strip()
    if "*" in declared:
        characters = re.fullmatch(r"char\s*\*\s*\w*", declared)
        return "t" if characters else "p"
    words = declared.split()
    if words[0] in PLAIN and (words[0] != "tsr_status" or returned):
        return PLAIN[words[0]]
    if words[0] in enumerations(text) | {"tsr_status"}:
        return "e"
    return words[0]


def declared():
    """Functions of the header: name, letter of the result, letters of the arguments."""
    text = source()
    found = {}
    for match in re.finditer(r"TSR_API\s+([^;(]*?)(\w+)\s*\(([^;]*)\)\s*;", text):
        result, name, arguments = match.groups()
        listed = [a.strip() for a in arguments.split(",")]
        listed = [] if listed == ["void"] else listed
        found[name] = [letter(result, text, True)] + [letter(a, text) for a in listed]
    return found


DECLARED = declared() if os.path.exists(HEADER) else {}
LINES = [line.split() for line in _library._SIGNATURES.strip().splitlines()]


def test_all_functions_are_read():
    with open(HEADER) as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    assert len(DECLARED) == len(re.findall(r"^TSR_API\b", text, re.M)) > 100


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_signature(line):
    name, *letters = line
    assert name in DECLARED
    assert letters == DECLARED[name]


def test_no_line_twice():
    names = [line[0] for line in LINES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", _library._RETURNS_STRUCT)
def test_struct_returned(name):
    result, *arguments = DECLARED[name]
    assert arguments == ["p"]
    table = _library._RETURNS_STRUCT[name]
    body = struct_body(result)
    members = [row.name for row in _tables._result(table).rows]
    assert members == member_names(body)


def test_image_shape():
    assert DECLARED["tsr_matrix_set_image"] == ["s", "p", "tsr_image_shape"]
    assert DECLARED["tsr_matrix_image"] == ["tsr_image_shape", "p"]
    fields = [field[0] for field in _arrays._Shape._fields_]
    assert fields == member_names(struct_body("tsr_image_shape"))


def test_team():
    assert DECLARED["tsr_team_create"] == ["s", "p", "e", "e", "tsr_swap", "p"]
    (arguments,) = re.findall(r"typedef tsr_status \(\*tsr_swap\)\((.*?)\);", source(), re.S)
    letters = [letter(argument, source()) for argument in arguments.split(",")]
    assert _team._SWAP._argtypes_ == tuple(_library._LETTERS[one] for one in letters)
    assert _team._SWAP._restype_ is _library._LETTERS["s"]


def test_structs_that_are_repeated():
    row = member_names(struct_body("tsr_setting"))
    assert [field[0] for field in _tables._Row._fields_] == row
    pair = struct_body("tsr_progress")
    assert re.search(
        r"bool \(\*report\)\(void \*user, const tsr_step \*step\);\s*void \*user;", pair
    )
    assert [field[0] for field in _progress._Pair._fields_] == ["report", "user"]


def test_kinds_of_settings():
    enum = re.search(r"typedef enum tsr_setting_kind \{(.*?)\}", source(), re.S).group(1)
    names = [word.split()[0] for word in enum.split(",") if word.strip()]
    ours = [getattr(_tables, name[len("TSR_SETTING_") :]) for name in names]  # noqa: E203
    assert ours == list(range(len(names)))


def test_statuses():
    enum = re.search(r"typedef enum tsr_status \{(.*?)\}", source(), re.S).group(1)
    numbers = {int(n) for n in re.findall(r"=\s*(-\d+)", enum)}
    assert numbers == set(_library._ERRORS)
    for number, error in _library._ERRORS.items():
        assert _library.lib.tsr_status_name(number).decode() == error.status


@pytest.mark.parametrize("name", "step scan model report judgement scores term part".split())
def test_results_have_the_size_of_their_struct(name):
    """The last member lies within what the library says is the size."""
    result = _tables._result(name)
    assert ctypes.sizeof(result.room) == result.size
    assert max(row.offset for row in result.rows) < result.size


def struct_body(name):
    return re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (name, name), source(), re.S).group(1)


def member_names(body):
    found = []
    for line in body.split(";"):
        if line.strip():
            found += [
                re.search(r"(\w+)(\[\d+\])?$", part.strip()).group(1) for part in line.split(",")
            ]
    return found
