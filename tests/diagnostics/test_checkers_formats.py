"""Each format on what the tool prints, character for character; places, severities and codes are exact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from motet.diagnostics.checkers import parse
from motet.text import Diagnostic, Position, Range, Severity

ROOT = Path("/work/space")


def lines(output: str, *, cwd: Path = ROOT) -> list[str]:
    """What was understood, one short line each."""
    return [short(each) for each in parse(output, ROOT, cwd)]


def short(each: Diagnostic) -> str:
    start = each.range.start
    code = f" [{each.code}]" if each.code else ""
    return f"{each.path}:{start.line}:{start.column} {each.severity.label}: {each.message}{code}"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("src/a.c:3:32: error: no member named xx", "src/a.c:3:32 Error: no member named xx"),
        ("src/a.c:3: error: broken", "src/a.c:3:1 Error: broken"),
        ("a.c:3:5: warning: unused variable x [-Wunused-variable]", "a.c:3:5 Warning: unused variable x [-Wunused-variable]"),
        ("a.c:3:5: fatal error: x.h: No such file or directory", "a.c:3:5 Error: x.h: No such file or directory"),
        ("a.c:9:1: note: see declaration", "a.c:9:1 Info: see declaration"),
        ("a.py:1:8: F401 [*] `os` imported but unused", "a.py:1:8 Error: `os` imported but unused [F401]"),
        ("a.py:1: [F401] `os` imported but unused", "a.py:1:1 Error: `os` imported but unused [F401]"),
        ("a.py:4:7: invalid-syntax: Expected a parameter", "a.py:4:7 Error: Expected a parameter [invalid-syntax]"),
        ('a.py:1: error: Skipping "x": no stubs  [import-untyped]', 'a.py:1:1 Error: Skipping "x": no stubs [import-untyped]'),
        ("a.py:1:0: C0114: Missing docstring (missing-module-docstring)", "a.py:1:1 Error: Missing docstring (missing-module-docstring) [C0114]"),
        ("a.py:2:7: error[unresolved-reference] Name `y` used when not defined", "a.py:2:7 Error: Name `y` used when not defined [unresolved-reference]"),
        ("a.py:5: DeprecationWarning: invalid escape sequence", "a.py:5:1 Warning: DeprecationWarning: invalid escape sequence"),
        ("a.yml:1:1: [warning] wrong indentation (comments-indentation)", "a.yml:1:1 Warning: wrong indentation [comments-indentation]"),
        ("a.sh:3:5: note: Double quote this. [SC2086]", "a.sh:3:5 Info: Double quote this. [SC2086]"),
        ("src/main.rs:2:18: error[E0308]: mismatched types: expected `i32`", "src/main.rs:2:18 Error: mismatched types: expected `i32` [E0308]"),
        ("./a.go:3:2: undefined: x", "a.go:3:2 Error: undefined: x"),
        ("vet: ./a.go:3:2: undefined: x", "a.go:3:2 Error: undefined: x"),
        ("    a_test.go:7: got 3, want 4", "a_test.go:7:1 Error: got 3, want 4"),
        ("/usr/bin/ld: /work/space/l.c:2: undefined reference to `f'", "l.c:2:1 Error: undefined reference to `f'"),
        ("src/a.ts(4,18): error TS2304: Cannot find name 'foo'.", "src/a.ts:4:18 Error: Cannot find name 'foo'. [TS2304]"),
        ("app/(group)/page.tsx(1,7): error TS2322: No.", "app/(group)/page.tsx:1:7 Error: No. [TS2322]"),
        ("src/a.ts:4:18 - error TS2304: Cannot find name 'foo'.", "src/a.ts:4:18 Error: Cannot find name 'foo'. [TS2304]"),
        ("Program.cs(3,5): error CS1002: ; expected", "Program.cs:3:5 Error: ; expected [CS1002]"),
        ("  /work/space/a.py:1:8 - warning: Not accessed (reportUnusedImport)", "a.py:1:8 Warning: Not accessed [reportUnusedImport]"),
        ("/work/space/a.js: line 1, col 2, Warning - Missing semicolon. (semi)", "a.js:1:2 Warning: Missing semicolon. [semi]"),
        ("/work/space/a.js:1:2: 'x' is not defined. [Error/no-undef]", "a.js:1:2 Error: 'x' is not defined. [no-undef]"),
        ("run.sh: line 3: syntax error: unexpected end of file", "run.sh:3:1 Error: syntax error: unexpected end of file"),
        ("Makefile:2: *** missing separator.  Stop.", "Makefile:2:1 Error: *** missing separator.  Stop."),
        ("a.y:3.5-7: error: syntax error", "a.y:3:5 Error: syntax error"),
        ("My Files/メモ.py:2:1: E999 壊れた", "My Files/メモ.py:2:1 Error: 壊れた [E999]"),
        ("src/x.py:3:TODO remove this", "src/x.py:3:1 Error: TODO remove this"),
    ],
)  # fmt: skip
def test_one_line_names_the_place_the_severity_and_the_code(output: str, expected: str) -> None:
    assert lines(output) == [expected]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "\n\n",
        "Found 2 errors in 1 file (checked 3 source files)",
        "make: *** [Makefile:2: a.o] Error 1",
        "make[1]: *** [sub/Makefile:12: all] Error 2",
        "12:30:45: started",
        "http://localhost:8080: no answer",
        "https://example.org/a.html:1: see there",
        "tests/test_a.py::test_x PASSED",
        "In file included from a.h:3,",
        "a.c: In function 'main':",
        "l.c:(.text+0x5): undefined reference to `f'",
        "collect2: error: ld returned 1 exit status",
        "thread 'main' panicked",
        "[1/3] Building C object a.o",
        "{'not': 'json'}",
        "[]",
        "{}",
        '[{"filePath": "/work/space/a.js", "messages": []}]',
    ],
)
def test_lines_without_a_place_are_no_diagnostics(output: str) -> None:
    assert lines(output) == []


def test_places_outside_the_workspace_are_dropped() -> None:
    output = "\n".join(
        [
            "/usr/include/stdio.h:3:1: error: outside",
            "../other/a.c:3:1: error: outside",
            "/work/spacecraft/a.c:3:1: error: outside",
            "/work/space/../space/a.c:3:1: error: inside",
            "<command-line>:1:1: error: outside of any file",
        ]
    )
    assert lines(output) == ["a.c:3:1 Error: inside"]


def test_paths_are_relative_to_where_the_tool_ran() -> None:
    assert lines("a.c:1:1: error: x\n../b.c:2:2: error: y", cwd=ROOT / "sub") == [
        "sub/a.c:1:1 Error: x",
        "b.c:2:2 Error: y",
    ]


def test_paths_are_relative_to_the_directory_that_make_says_it_is_in() -> None:
    output = """\
a.c:1:1: error: at the top
make[1]: Entering directory '/work/space/lib'
a.c:1:1: error: in lib
make[2]: Entering directory `/work/space/lib/deep'
a.c:1:1: error: in deep
make[2]: *** [Makefile:2: a.o] Error 1
make[2]: Leaving directory `/work/space/lib/deep'
b.c:1:1: error: in lib again
make[1]: Leaving directory '/work/space/lib'
b.c:1:1: error: at the top again
"""
    assert lines(output) == [
        "a.c:1:1 Error: at the top",
        "lib/a.c:1:1 Error: in lib",
        "lib/deep/a.c:1:1 Error: in deep",
        "lib/b.c:1:1 Error: in lib again",
        "b.c:1:1 Error: at the top again",
    ]


def test_the_same_line_is_reported_once() -> None:
    output = "h.h:1:1: error: broken\n" * 3 + "h.h:1:2: error: broken\n"
    assert lines(output) == ["h.h:1:1 Error: broken", "h.h:1:2 Error: broken"]


def test_colours_and_carriage_returns_are_taken_away() -> None:
    output = "\x1b[01m\x1b[Ka.c:3:5:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kbroken\r\n\x1b]8;;x\x07b.c\x1b]8;;\x07:1:1: error: linked\r\n"
    assert lines(output) == ["a.c:3:5 Error: broken", "b.c:1:1 Error: linked"]


def test_notes_of_a_compiler_belong_to_the_error_before_them() -> None:
    output = """\
a.c: In function 'main':
a.c:3:5: error: too few arguments to function 'f'
    3 |     f();
      |     ^
In file included from a.c:1:
a.h:7:5: note: declared here
    7 | int f(int);
      |     ^
a.c:3:5: note: on the same line
a.c:8:1: error: another
"""
    assert lines(output) == [
        "a.c:3:5 Error: too few arguments to function 'f'\nnote: declared here (a.h:7)\nnote: on the same line",
        "a.c:8:1 Error: another",
    ]


def test_source_lines_that_a_compiler_shows_are_not_read_as_messages() -> None:
    output = """\
a.c:3:5: error: broken
    3 | puts("b.c:1:1: error: not one");
      |     ^
      | c.c:1:1: error: a fix-it, not one
"""
    assert lines(output) == ["a.c:3:5 Error: broken"]


def test_fix_its_of_a_compiler_become_suggested_fixes() -> None:
    output = """\
a.c:3:32: error: no member named 'xx'; did you mean 'x'?
fix-it:"a.c":{3:32-3:34}:"x"
a.c:4:9: error: unknown
fix-it:"a.c":{4:1-4:1}:"#include \\"\\343\\203\\241.h\\"\\n"
"""
    first, second = parse(output, ROOT, ROOT)
    (edit,) = first.fixes[0].edits
    assert (edit.range, edit.new_text) == (Range(Position(3, 32), Position(3, 34)), "x")
    assert second.fixes[0].edits[0].new_text == '#include "メ.h"\n'


def test_a_fix_it_that_needs_another_file_is_not_offered() -> None:
    output = """\
a.c:3:32: error: unknown
fix-it:"a.c":{3:32-3:34}:"x"
fix-it:"a.h":{1:1-1:1}:"y"
"""
    assert parse(output, ROOT, ROOT)[0].fixes == ()


def test_details_that_tsc_and_pyright_indent_belong_to_their_message() -> None:
    output = """\
src/a.ts(4,18): error TS2322: Type 'A' is not assignable to type 'B'.
  Types of property 'x' are incompatible.
    Type 'string' is not assignable to type 'number'.
src/a.ts(9,1): error TS2304: Cannot find name 'foo'.
  /work/space/a.py:2:7 - error: Argument type is unknown
    Argument corresponds to parameter "values" (reportUnknownArgumentType)
"""
    assert lines(output) == [
        "src/a.ts:4:18 Error: Type 'A' is not assignable to type 'B'.\nTypes of property 'x' are incompatible.\n"
        "Type 'string' is not assignable to type 'number'. [TS2322]",
        "src/a.ts:9:1 Error: Cannot find name 'foo'. [TS2304]",
        'a.py:2:7 Error: Argument type is unknown\nArgument corresponds to parameter "values" [reportUnknownArgumentType]',
    ]


def test_eslint_prints_the_file_once_and_rows_below_it() -> None:
    output = """
/work/space/src/a.js
  3:10  error    'x' is assigned a value but never used  no-unused-vars
  5:1   warning  Missing semicolon                       semi
  9:2   error    Parsing error: Unexpected token

/work/space/src/b.js
  1:1  error  Definition for rule 'x/y' not found  x/y

✖ 4 problems (3 errors, 1 warning)
"""
    assert lines(output) == [
        "src/a.js:3:10 Error: 'x' is assigned a value but never used [no-unused-vars]",
        "src/a.js:5:1 Warning: Missing semicolon [semi]",
        "src/a.js:9:2 Error: Parsing error: Unexpected token",
        "src/b.js:1:1 Error: Definition for rule 'x/y' not found [x/y]",
    ]


def test_ruff_groups_rows_below_a_file_too() -> None:
    output = "a.py:\n  1:8 F401 [*] `os` imported but unused\n  2:7 F821 Undefined name `y`\n\nFound 2 errors.\n"
    assert lines(output) == [
        "a.py:1:8 Error: `os` imported but unused [F401]",
        "a.py:2:7 Error: Undefined name `y` [F821]",
    ]


def test_rustc_and_ruff_name_the_place_below_the_message() -> None:
    output = """\
error[E0425]: cannot find value `y` in this scope
 --> src/main.rs:2:5
  |
2 |     y;
  |     ^ help: a local variable with a similar name exists: `x`

warning: unused variable: `z`
  --> src/main.rs:12:9
   |
12 |     let z = 1;
   |         ^ help: if this is intentional, prefix it with an underscore: `_z`
   |
   = note: `#[warn(unused_variables)]` on by default

F401 [*] `os` imported but unused
 --> a.py:1:8
  |
1 | import os
  |        ^^
help: Remove unused import: `os`

error: aborting due to 1 previous error; 1 warning emitted
"""
    assert lines(output) == [
        "src/main.rs:2:5 Error: cannot find value `y` in this scope [E0425]",
        "src/main.rs:12:9 Warning: unused variable: `z`",
        "a.py:1:8 Error: `os` imported but unused [F401]",
    ]


def test_a_rust_panic_names_its_place() -> None:
    output = "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds: the len is 3\nnote: run with RUST_BACKTRACE=1\n"
    assert lines(output) == ["src/main.rs:2:5 Error: index out of bounds: the len is 3"]


def test_a_traceback_names_the_innermost_frame_outside_libraries() -> None:
    output = """\
Traceback (most recent call last):
  File "/work/space/main.py", line 9, in <module>
    run()
  File "/work/space/lib/run.py", line 3, in run
    json.loads("[")
    ~~~~~~~~~~^^^^^
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
json.decoder.JSONDecodeError: Expecting value: line 1 column 2 (char 1)
"""
    assert lines(output) == [
        "lib/run.py:3:1 Error: json.decoder.JSONDecodeError: Expecting value: line 1 column 2 (char 1)"
    ]


def test_a_syntax_error_of_python_names_its_line() -> None:
    output = '  File "bad.py", line 4\n    def f(:\n          ^\nSyntaxError: invalid syntax\n'
    assert lines(output) == ["bad.py:4:1 Error: SyntaxError: invalid syntax"]


def test_node_names_the_line_and_marks_the_column() -> None:
    output = "/work/space/bad.js:1\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal)\n"
    assert lines(output) == ["bad.js:1:9 Error: SyntaxError: Unexpected token ';'"]


PYTEST = """\
============================= test session starts ==============================
collected 3 items / 1 error

==================================== ERRORS ====================================
_______________________ ERROR collecting tests/test_b.py _______________________
ImportError while importing test module '/work/space/tests/test_b.py'.
tests/test_b.py:1: in <module>
    import nope
E   ModuleNotFoundError: No module named 'nope'
=================================== FAILURES ===================================
____________________________________ test_x ____________________________________

    def test_x():
>       assert f(1) == 3
E       assert 1 == 3
E        +  where 1 = f(1)

tests/test_a.py:4: AssertionError
_________________________________ TestC.test_y _________________________________

    def test_y(self):
>       g()

tests/test_a.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def g():
>       raise ValueError("no")
E       ValueError: no

src/lib.py:2: ValueError
----------------------------- Captured stdout call -----------------------------
foo.c:12: printed by the test
=========================== short test summary info ============================
ERROR tests/test_b.py
FAILED tests/test_a.py::test_x - assert 1 == 3
FAILED tests/test_a.py::TestC::test_y - ValueError: no
FAILED tests/test_d.py::test_w - KeyError: 'k'
========================= 3 failed, 1 error in 0.05s ===========================
"""


def test_pytest_tells_each_failure_once_where_it_broke() -> None:
    assert lines(PYTEST) == [
        "tests/test_b.py:1:1 Error: tests/test_b.py: ModuleNotFoundError: No module named 'nope'",
        "tests/test_a.py:4:1 Error: test_x: assert 1 == 3",
        "src/lib.py:2:1 Error: TestC.test_y: ValueError: no",
        "tests/test_d.py:1:1 Error: test_w: KeyError: 'k'",
    ]


def test_json_of_ruff_holds_ranges_and_fixes() -> None:
    output = json.dumps([
        {
            "code": "F401",
            "filename": "/work/space/a.py",
            "location": {"row": 1, "column": 8},
            "end_location": {"row": 1, "column": 10},
            "message": "`os` imported but unused",
            "fix": {
                "applicability": "safe",
                "message": "Remove unused import: `os`",
                "edits": [
                    {"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}
                ],
            },
        },
        {"code": None, "filename": "/work/space/b.py", "location": {"row": 2, "column": 1}, "message": "SyntaxError"},
    ])  # fmt: skip
    first, second = parse(output, ROOT, ROOT)
    assert short(first) == "a.py:1:8 Error: `os` imported but unused [F401]"
    assert first.range.end == Position(1, 10)
    (fix,) = first.fixes
    assert (fix.title, fix.preferred) == ("Remove unused import: `os`", True)
    assert fix.edits[0].range == Range(Position(1, 1), Position(2, 1))
    assert short(second) == "b.py:2:1 Error: SyntaxError"


def test_json_of_mypy_counts_columns_from_zero_and_its_notes_belong_to_their_error() -> None:
    output = (
        '{"file": "a.py", "line": 5, "column": 0, "message": "Too many arguments", "hint": null, '
        '"code": "call-arg", "severity": "error"}\n'
        '{"file": "a.py", "line": 5, "column": 0, "message": "\\"f\\" defined here", "hint": null, '
        '"code": null, "severity": "note"}\n'
    )
    assert lines(output) == ['a.py:5:1 Error: Too many arguments\nnote: "f" defined here [call-arg]']


def test_json_of_eslint_behind_what_npm_prints() -> None:
    document = [
        {
            "filePath": "/work/space/a.js",
            "messages": [
                {"ruleId": "semi", "severity": 1, "message": "Missing semicolon.", "line": 2, "column": 4,
                 "endLine": 3, "endColumn": 1, "fix": {"range": [10, 10], "text": ";"}},
                {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error", "line": 9, "column": 1},
            ],
        }
    ]  # fmt: skip
    output = f"\n> lint\n> eslint -f json\n\n{json.dumps(document, indent=2)}\n"
    first, second = parse(output, ROOT, ROOT)
    assert short(first) == "a.js:2:4 Warning: Missing semicolon. [semi]"
    assert first.range.end == Position(3, 1)
    assert short(second) == "a.js:9:1 Error: Parsing error"


def test_json_of_cargo_holds_labels_notes_and_machine_applicable_fixes() -> None:
    span = {"file_name": "src/main.rs", "line_start": 2, "line_end": 2, "column_start": 9, "column_end": 10}
    message = {
        "level": "warning",
        "message": "unused variable: `y`",
        "code": {"code": "unused_variables"},
        "spans": [{**span, "is_primary": True, "label": None}],
        "children": [
            {"level": "note", "message": "on by default", "spans": []},
            {
                "level": "help",
                "message": "prefix it with an underscore",
                "spans": [{**span, "suggested_replacement": "_y", "suggestion_applicability": "MachineApplicable"}],
            },
        ],
    }
    output = "\n".join(
        [
            json.dumps({"reason": "compiler-artifact", "target": {}}),
            json.dumps({"reason": "compiler-message", "message": message}),
            json.dumps({"reason": "build-finished", "success": False}),
        ]
    )
    (found,) = parse(output, ROOT, ROOT)
    assert short(found) == "src/main.rs:2:9 Warning: unused variable: `y`\nnote: on by default [unused_variables]"
    assert found.range.end == Position(2, 10)
    (fix,) = found.fixes
    assert (fix.title, fix.edits[0].new_text, fix.preferred) == ("prefix it with an underscore", "_y", True)


def test_alternatives_of_rustc_are_named_but_not_applied_together() -> None:
    span = {"file_name": "a.rs", "line_start": 1, "line_end": 1, "column_start": 1, "column_end": 1}
    spans = [{**span, "suggested_replacement": f"use {name};"} for name in ("one", "two")]
    message = {
        "level": "error",
        "message": "cannot find type",
        "spans": [{**span, "is_primary": True}],
        "children": [{"level": "help", "message": "consider importing one of these", "spans": spans}],
    }
    (found,) = parse(json.dumps({"reason": "compiler-message", "message": message}), ROOT, ROOT)
    assert [(fix.title, fix.edits) for fix in found.fixes] == [("consider importing one of these", ())]


def test_a_rust_error_inside_a_macro_is_told_where_the_macro_is_used() -> None:
    inner = {"file_name": "/rustc/abc/library/core/src/macros/mod.rs", "line_start": 40, "column_start": 1}
    outer = {"file_name": "src/main.rs", "line_start": 7, "line_end": 7, "column_start": 5, "column_end": 20}
    message = {
        "level": "error",
        "message": "can't compare",
        "spans": [{**inner, "is_primary": True, "expansion": {"span": outer}}],
    }
    output = json.dumps({"$message_type": "diagnostic", **message})
    assert lines(output) == ["src/main.rs:7:5 Error: can't compare"]


def test_json_of_pyright_counts_from_zero() -> None:
    range_ = {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 7}}
    item = {"file": "/work/space/a.py", "severity": "warning", "message": "m", "range": range_, "rule": "reportX"}
    (found,) = parse(json.dumps({"generalDiagnostics": [item]}, indent=4), ROOT, ROOT)
    assert short(found) == "a.py:2:7 Warning: m [reportX]"
    assert found.range.end == Position(2, 8)


def test_json_report_of_pytest_names_where_each_test_broke() -> None:
    crash = {"path": "/work/space/tests/test_a.py", "lineno": 4, "message": "assert 1 == 3"}
    report = {"tests": [{"nodeid": "tests/test_a.py::test_x", "call": {"crash": crash}}, {"nodeid": "ok"}]}
    assert lines(json.dumps(report)) == ["tests/test_a.py:4:1 Error: test_x: assert 1 == 3"]


def test_several_tools_in_one_output_are_all_understood() -> None:
    output = """\
gcc -c a.c
a.c:1:1: error: broken
src/a.ts(4,18): error TS2304: Cannot find name 'foo'.
/work/space/a.js
  3:10  error  bad  no-bad
Traceback (most recent call last):
  File "/work/space/t.py", line 2, in <module>
NameError: name 'y' is not defined
{"file": "m.py", "line": 5, "column": 1, "message": "typed", "code": "misc", "severity": "error"}
make: *** [Makefile:2: all] Error 1
"""
    assert lines(output) == [
        "m.py:5:2 Error: typed [misc]",
        "a.c:1:1 Error: broken",
        "src/a.ts:4:18 Error: Cannot find name 'foo'. [TS2304]",
        "a.js:3:10 Error: bad [no-bad]",
        "t.py:2:1 Error: NameError: name 'y' is not defined",
    ]


def test_an_output_that_was_cut_gives_what_is_whole() -> None:
    output = '{"file": "a.py", "line": 5, "message": "whole", "severity": "error"}\n{"file": "b.py", "li'
    assert lines(output) == ["a.py:5:1 Error: whole"]


def test_a_severity_word_decides_and_error_is_the_default() -> None:
    words = ["error", "fatal error", "warning", "note", "info", "hint", "whatever"]
    found = [parse(f"a.c:1:1: {word}: x", ROOT, ROOT)[0].severity for word in words]
    error, info = Severity.ERROR, Severity.INFO
    assert found == [error, error, Severity.WARNING, info, info, Severity.HINT, error]
