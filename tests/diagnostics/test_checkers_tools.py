"""Checkers with the real tools, on real files: what they print today is understood."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from motet.diagnostics.checkers import Checker
from motet.diagnostics.render import render_file
from motet.text import Diagnostic, LineIndex, Position, Severity, TextFile

Need = Callable[[str], Path]

C = """\
#include <stdio.h>
struct point { int x; };
int main(void) {
\tstruct point q; /* 日本 */ q.xx = 1;
\tint unused;
\tretrun 0;
}
"""


def need_compiler() -> None:
    """No registry that `make setup` reaches has gcc; the recorded texts of the format tests stand in for it."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc, which only root can install")


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)


def short(each: Diagnostic) -> str:
    return f"{each.path}:{each.range.start.line} {each.severity.label} {each.code}"


def marked(root: Path, each: Diagnostic, length: int) -> str:
    """The characters of the file that begin where the diagnostic points."""
    line = LineIndex((root / each.path).read_text()).line(each.range.start.line)
    return line[each.range.start.column - 1 :][:length]


@pytest.mark.acceptance("S3-010", "S3-011")
async def test_make_with_gcc(tmp_path: Path) -> None:
    need_compiler()
    write(tmp_path, main__c=C, Makefile="main.o: main.c\n\tgcc -Wall -fdiagnostics-color=always -c main.c\n")
    found = await Checker.from_text("make", tmp_path).check()
    assert [short(each) for each in found] == [
        "main.c:4 Error ",
        "main.c:6 Error ",
        "main.c:6 Error ",
        "main.c:5 Warning -Wunused-variable",
        "main.c:4 Warning -Wunused-but-set-variable",
    ]
    member, _, _, unused, _ = found
    assert "has no member named" in member.message
    assert (marked(tmp_path, member, 2), marked(tmp_path, unused, 6)) == ("xx", "unused")
    assert {each.source for each in found} == {"make"}


async def test_make_in_another_directory_names_files_of_that_directory(tmp_path: Path) -> None:
    need_compiler()
    (tmp_path / "lib").mkdir()
    write(tmp_path, main__c="int main(void) { return 0; }\n", Makefile="all:\n\t$(MAKE) -C lib\n")
    write(tmp_path / "lib", main__c="int f(void) { return x; }\n", Makefile="main.o: main.c\n\tgcc -c main.c\n")
    for command in ("make", "make -C lib", "cd lib && make"):
        (found,) = await Checker.from_text(command, tmp_path).check()
        assert (short(found), marked(tmp_path, found, 1)) == ("lib/main.c:1 Error ", "x")


async def test_gcc_offers_its_fix_its(tmp_path: Path) -> None:
    need_compiler()
    write(tmp_path, main__c=C)
    found = await Checker.from_text("gcc -fdiagnostics-parseable-fixits -c main.c", tmp_path).check()
    (edit,) = found[0].fixes[0].edits
    assert LineIndex(C).slice(edit.range) == "xx"
    assert edit.new_text == "x"


@pytest.mark.acceptance("S3-010", "S3-011")
@pytest.mark.parametrize("form", ["json", "json-lines", "concise", "full", "grouped"])
async def test_ruff_in_every_form(tmp_path: Path, form: str) -> None:
    write(tmp_path, a__py='"""メモ"""; import os\nprint(yy)\n', ruff__toml='lint.select = ["F"]\n')
    found = await Checker.from_text(f"ruff check --no-cache --output-format {form} .", tmp_path).check()
    assert [short(each) for each in found] == ["a.py:1 Error F401", "a.py:2 Error F821"]
    assert [marked(tmp_path, each, 2) for each in found] == ["os", "yy"]
    assert all(each.source == "ruff" and each.severity is Severity.ERROR for each in found)
    if form.startswith("json"):
        assert found[1].range.end == Position(2, 9)
        assert found[0].fixes[0].title == "Remove unused import: `os`"


@pytest.mark.acceptance("S3-005", "S3-014", "CL-01")
async def test_problems_of_the_whole_workspace_become_one_plain_text(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path, a__py="import os\nprint(yy)\n", clean__py="", ruff__toml='lint.select = ["F"]\n')
    write(tmp_path / "sub", b__py="print(zz)\n")
    found = await Checker.from_text("ruff check --no-cache --output-format concise .", tmp_path).check()
    files = [TextFile.decode(path, (tmp_path / path).read_bytes()) for path in sorted({each.path for each in found})]
    rendered = [
        render_file(tmp_path, file, [each for each in found if each.path == file.path], budget=None) for file in files
    ]
    rule = "-" * 80
    assert (
        "\n\n".join(each.text for each in rendered)
        == f"""\
File: {tmp_path}/a.py
{rule}
Content:
import os
print(yy)

Diagnostics:
{rule}
[Error] Line 1, Column 8: `os` imported but unused (ruff F401)
[Error] Line 2, Column 7: Undefined name `yy` (ruff F821)

File: {tmp_path}/sub/b.py
{rule}
Content:
print(zz)

Diagnostics:
{rule}
[Error] Line 1, Column 7: Undefined name `zz` (ruff F821)"""
    )


async def test_tsc_plain_and_pretty(tmp_path: Path, need: Need) -> None:
    need("tsc")
    write(tmp_path, a__ts="const x: number = 'a';\nlet s = '𝒳'; foo();\n")
    for flags in ("", "--pretty"):
        found = await Checker.from_text(f"tsc --noEmit {flags} a.ts", tmp_path).check()
        assert [short(each) for each in found] == ["a.ts:1 Error TS2322", "a.ts:2 Error TS2304"]
        assert [marked(tmp_path, each, 3) for each in found] == ["x: ", "foo"]


@pytest.mark.acceptance("S3-029")
@pytest.mark.parametrize("style", ["auto", "short", "native"])
async def test_pytest_names_the_lines_where_tests_broke(tmp_path: Path, style: str) -> None:
    tests = "import lib\n\ndef test_x():\n    assert lib.one() == 2\n\ndef test_y():\n    lib.fail()\n\ndef test_z():\n    pass\n"
    library = "def one():\n    return 1\n\ndef fail():\n    raise ValueError('no')\n"
    write(tmp_path, test_a__py=tests, lib__py=library)
    command = f"{sys.executable} -m pytest -p no:cacheprovider --tb={style} -o addopts= ."
    found = await Checker.from_text(command, tmp_path).check()
    assert [(each.path, each.range.start.line, each.source) for each in found] == [
        ("test_a.py", 4, "pytest"),
        ("lib.py", 5, "pytest"),
    ]
    assert "assert 1 == 2" in found[0].message
    assert "ValueError: no" in found[1].message


async def test_pytest_without_tracebacks_leads_to_the_tests(tmp_path: Path) -> None:
    write(tmp_path, test_a__py="def test_x():\n    pass\n\ndef test_y():\n    assert 1 == 2\n")
    command = f"{sys.executable} -m pytest -p no:cacheprovider --tb=no -o addopts= ."
    (found,) = await Checker.from_text(command, tmp_path).check()
    assert (found.path, found.range.start.line, found.message) == ("test_a.py", 4, "test_y: assert 1 == 2")


async def test_py_compile_and_a_failing_script(tmp_path: Path) -> None:
    write(tmp_path, bad__py="x = 1\ndef f(:\n", run__py="x = 1\nprint(y)\n")
    (syntax,) = await Checker.from_text(f"{sys.executable} -m py_compile bad.py", tmp_path).check()
    assert (short(syntax), syntax.message) == ("bad.py:2 Error ", "SyntaxError: invalid syntax")
    (name,) = await Checker.from_text(f"{sys.executable} run.py", tmp_path).check()
    assert (short(name), name.message) == ("run.py:2 Error ", "NameError: name 'y' is not defined")


async def test_a_script_of_node_that_prints_like_eslint(tmp_path: Path, need: Need) -> None:
    need("node")
    script = """\
const path = require("path").resolve("src.js");
console.log(`\\n${path}\\n  1:5  error    'x' is never used  no-unused-vars\\n  2:1  warning  Missing semicolon  semi\\n`);
console.log("✖ 2 problems (1 error, 1 warning)");
process.exit(1);
"""
    write(tmp_path, lint__js=script, src__js="let x = 1;\nf()\n")
    found = await Checker.from_text("node lint.js", tmp_path).check()
    assert [short(each) for each in found] == ["src.js:1 Error no-unused-vars", "src.js:2 Warning semi"]


async def test_offsets_of_eslint_become_edits_of_the_text(tmp_path: Path, need: Need) -> None:
    need("node")
    script = """\
const filePath = require("path").resolve("src.js");
const fix = { range: [16, 17], text: ";" };
const message = { ruleId: "semi", severity: 2, message: "m", line: 2, column: 4, fix };
console.log(JSON.stringify([{ filePath, messages: [message] }]));
process.exit(1);
"""
    write(tmp_path, lint__js=script, src__js="let x = '𝒳';\nf()!\n")
    (found,) = await Checker.from_text("node lint.js", tmp_path).check()
    (edit,) = found.fixes[0].edits
    assert LineIndex("let x = '𝒳';\nf()!\n").slice(edit.range) == ")"


async def test_a_broken_script_of_node(tmp_path: Path, need: Need) -> None:
    need("node")
    write(tmp_path, bad__js="let y = 1;\nlet x = ;\n")
    (found,) = await Checker.from_text("node bad.js", tmp_path).check()
    assert (found.path, found.range.start, found.message) == (
        "bad.js",
        Position(2, 9),
        "SyntaxError: Unexpected token ';'",
    )


async def test_basedpyright_as_text_and_json(tmp_path: Path, need: Need) -> None:
    need("basedpyright")
    write(tmp_path, a__py="x: int = 'a'\n")
    for flags in ("", "--outputjson"):
        (found,) = await Checker.from_text(f"basedpyright {flags} a.py", tmp_path).check()
        assert short(found) == "a.py:1 Error reportAssignmentType"
        assert marked(tmp_path, found, 3) == "'a'"


async def test_files_that_the_tool_names_by_their_end_are_found_among_the_known(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    write(tmp_path / "pkg", a_test__go="package pkg\n")
    known = [TextFile.decode("pkg/a_test.go", b"package pkg\n"), TextFile.decode("other.go", b"")]
    checker = Checker.from_text("sh -c 'echo \"    a_test.go:1: got 3\"; exit 1'", tmp_path)
    (found,) = await checker.check(known)
    assert (found.path, found.message) == ("pkg/a_test.go", "got 3")
