"""Whatever a tool prints, reading it never raises, stays inside the workspace and does not take for ever."""

from __future__ import annotations

import json
import time
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from motet.diagnostics.checkers import parse
from motet.diagnostics.checkers.parse import read, translate
from motet.diagnostics.checkers.places import Places
from motet.text import Diagnostic, TextFile

ROOT = Path("/work/space")

PIECES = [
    "a.c", "/work/space/a.py", "../x.ts", ":3", ":3:5", ": ", "error", "warning: ", "note: ", "[-Wx]", "TS2304",
    "(4,18)", " --> ", "File \"a.py\", line 3", "Traceback (most recent call last):", "E   ", "____ t ____",
    "FAILED a.py::t - x", "SyntaxError: x", "\n", "\n  ", "fix-it:\"a.c\":{1:1-1:2}:\"\\377\\8\"", "| ", "^",
    "make[1]: Entering directory '/work/space/x'", "make: *** ", "{\"file\": \"a\", \"line\": 1}", "[", "{", "}", "]",
    "panicked at a.rs:1:2:", "thread 'm' ", "\x1b[31m", "\x1b]8;;", "\r", "\0", "²", "９", "日本", "999999999",
    "99999999999999999999", " - ", "  3:10  error  m  r", "line 3", ", col 5", "===", "> ", "-->",
]  # fmt: skip
outputs = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join), st.lists(st.text()).map("\n".join))

scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
NAMES = [
    "messages", "generalDiagnostics", "tests", "reason", "message", "spans", "$message_type", "location", "row",
    "column", "file", "line", "filename", "filePath", "fix", "edits", "range", "start", "end", "character", "children",
    "expansion", "span", "is_primary", "suggested_replacement", "call", "crash", "severity", "code", "text", "level",
    "file_name", "suggestions", "end_location", "endLine", "nodeid", "path",
]  # fmt: skip
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=8),
    max_leaves=40,
)
TEXT = TextFile.decode("a.c", "\tint 日本;\n𝒳 = 1\n".encode())
EVERYWHERE = Places(ROOT, ROOT, lambda _: TEXT)


def check(found: list[Diagnostic]) -> None:
    for each in found:
        path = PurePosixPath(each.path)
        assert not path.is_absolute() and ".." not in path.parts and each.path
        assert min(each.range.start.line, each.range.start.column) >= 1
        assert each.range.start <= each.range.end
        assert each.message and each.message == each.message.strip()
        for fix in each.fixes:
            edges = [edge for edit in fix.edits for edge in (edit.range.start, edit.range.end)]
            assert edges == sorted(edges)


@settings(max_examples=400, deadline=None)
@given(outputs)
@example("a.c:1:1: \x1b")
@example('{"file": "a", "line": 1, "column": ' + "9" * 5000 + "}")
def test_no_output_makes_it_raise(output: str) -> None:
    check(parse(output, ROOT, ROOT))
    check(translate(read(output), EVERYWHERE, "x"))


@settings(max_examples=300, deadline=None)
@given(documents, st.booleans())
def test_no_json_makes_it_raise(document: object, indent: bool) -> None:
    output = json.dumps(document, indent=1 if indent else None)
    check(parse(output, ROOT, ROOT))
    check(translate(read(output), EVERYWHERE, "x"))


@given(st.binary())
def test_bytes_that_are_no_text_are_read_too(data: bytes) -> None:
    check(parse(data.decode("utf-8", "replace"), ROOT, ROOT))


@pytest.mark.parametrize(
    "output",
    [
        "[" * 200_000,
        "[\n" * 500_000,
        '[{"a": 1},\n' * 20_000,
        '{"a":' * 100_000,
        "a" * 3_000_000,
        "a:" * 500_000,
        "(" * 1_000_000,
        " " * 1_000_000 + "x",
        "_ " * 500_000,
        "____ t ____\n" * 20_000,
        "Traceback (most recent call last):\n" * 20_000,
        '  File "a.py", line 3\n' * 20_000,
        "a.js\n  1:1 x\n" * 20_000,
        "/a.js:1\n" * 20_000,
        "x\n --> a:1:1\n" * 20_000,
        "a.c:1:1: error: x\n" * 50_000,
        "/x/ld" * 100_000,
        "A." * 200_000,
        ("x  " * 600 + "\n") * 200,
    ],
    ids=range(19),
)
def test_hostile_output_is_read_in_bounded_time(output: str) -> None:
    begin = time.process_time()
    parse(output, ROOT, ROOT)
    assert time.process_time() - begin < 10
