"""ruff, basedpyright and ty for real: exact places, fixes, closest names, and the answer after an edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from motet.diagnostics import BUILT_IN, DiagnosticsService, ServerSpec
from motet.text import Severity, TextFile

from .reports import apply, fixes, said

Write = Callable[[str, str], TextFile]
Make = Callable[..., DiagnosticsService]
Need = Callable[[str], Path]

TEXT = """\
import os
import sys
import collection


class Person:
    def __init__(self, name: str) -> None:
        self.name = name

    def greet(self) -> str:
        return "日本 🎻" + self.nmae


def main(argument: int) -> None:
    pers = Person("x")
    print("🎻", pesr.greet(), pers.greet(nam=1))
    if argument == None:
        unused = 1
    print(os.pth, sys.argv)
"""


@pytest.fixture
def server(need: Need) -> Callable[[str], ServerSpec]:
    """A known server by name; its program must be there."""

    def known(name: str) -> ServerSpec:
        spec = next(spec for spec in BUILT_IN if spec.name == name)
        need(spec.argv[0])
        return spec

    return known


@pytest.mark.acceptance("S3-005", "S3-010", "S3-011")
async def test_ruff_and_basedpyright_find_every_problem_at_its_place_with_its_fixes(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    report = await service(server("ruff"), server("basedpyright")).check([write("a.py", TEXT)])
    assert report.sources == ("basedpyright", "ruff")
    assert report.advice == ()
    assert said(report) == [
        'a.py:3:8-18 Error basedpyright reportMissingImports: Import "collection" could not be resolved',
        "a.py:3:8-18 Warning ruff F401: `collection` imported but unused",
        'a.py:11:30-34 Error basedpyright reportAttributeAccessIssue: Cannot access attribute "nmae" for class "Person*"',
        'a.py:16:16-20 Error basedpyright reportUndefinedVariable: "pesr" is not defined',
        "a.py:16:16-20 Error ruff F821: Undefined name `pesr`",
        'a.py:16:41-44 Error basedpyright reportCallIssue: No parameter named "nam"',
        "a.py:17:20-24 Warning ruff E711: Comparison to `None` should be `cond is None`",
        "a.py:18:9-15 Warning ruff F841: Local variable `unused` is assigned to but never used",
        'a.py:19:14-17 Error basedpyright reportAttributeAccessIssue: "pth" is not a known attribute of module "os"',
    ]

    # Fixes that repair, and none that only silences.
    assert fixes(report) == [
        ["Change 'collection' to 'collections'"],
        ["* Ruff (F401): Remove unused import: `collection`"],
        ["Change 'nmae' to 'name'"],
        ["Change 'pesr' to 'pers'"],
        ["Change 'pesr' to 'pers'"],
        [],
        ["Ruff (E711): Replace with `cond is None`"],
        ["Ruff (F841): Remove assignment to unused variable `unused`"],
        ["Change 'pth' to 'path'"],
    ]


@pytest.mark.acceptance("CL-04")
async def test_after_each_applied_fix_the_problem_is_gone_and_nothing_else_has_changed(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    diagnostics = service(server("ruff"), server("basedpyright"))
    file = write("a.py", TEXT)
    report = await diagnostics.check([file])
    while fixable := [one for one in report.diagnostics if one.fixes]:
        # From the end, so that what is left keeps its place.
        last = fixable[-1]
        file = write("a.py", apply(last.fixes[0], file).text)
        before, report = report, await diagnostics.check([file])
        left = [one.message for one in before.diagnostics if one.range != last.range]
        assert [one.message for one in report.diagnostics] == left
    assert said(report) == ['a.py:15:41-44 Error basedpyright reportCallIssue: No parameter named "nam"']
    assert report.sources == ("basedpyright", "ruff")


async def test_a_repaired_file_repairs_those_that_import_it(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    diagnostics = service(server("basedpyright"))
    user = write("user.py", "from tools.help import assist, unknown\n\nprint(assist())\n")
    init = write("tools/__init__.py", "")
    report = await diagnostics.check([user, init, write("tools/help.py", "def asist() -> int:\n    return 1\n")])
    assert said(report) == [
        'user.py:1:24-30 Error basedpyright reportAttributeAccessIssue: "assist" is unknown import symbol',
        'user.py:1:32-39 Error basedpyright reportAttributeAccessIssue: "unknown" is unknown import symbol',
    ]
    assert fixes(report) == [["Change 'assist' to 'asist'"], []]
    report = await diagnostics.check([user, init, write("tools/help.py", "def assist() -> int:\n    return 1\n")])
    assert said(report) == [
        'user.py:1:32-39 Error basedpyright reportAttributeAccessIssue: "unknown" is unknown import symbol'
    ]
    report = await diagnostics.check([user, init, write("tools/help.py", "assist = list\nunknown = 1\n")])
    assert report.diagnostics == ()


async def test_a_project_with_a_configuration_of_its_own_gets_what_it_asks_for(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    text = "import os\nimport sys\n\n\ndef f(x):\n    return x\n"
    write("pyproject.toml", '[tool.ruff.lint]\nselect = ["I"]\n[tool.basedpyright]\ntypeCheckingMode = "strict"\n')
    report = await service(server("ruff"), server("basedpyright")).check(
        [write("a.py", text.replace("\n\n\n", "\n"))]
    )
    codes = [(one.source, one.code) for one in report.diagnostics]
    assert ("ruff", "I001") in codes
    assert ("ruff", "F401") not in codes
    assert ("basedpyright", "reportMissingParameterType") in codes

    write("pyproject.toml", "[project]\nname = 'x'\n")
    report = await service(server("ruff"), server("basedpyright")).check([write("a.py", text)])
    assert said(report) == [
        "a.py:1:8-10 Warning ruff F401: `os` imported but unused",
        "a.py:2:8-11 Warning ruff F401: `sys` imported but unused",
    ]


async def test_hints_are_reported_when_they_are_wanted(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    file = write("a.py", "def f() -> None:\n    x = 1\n")
    assert (await service(server("basedpyright")).check([file])).diagnostics == ()
    report = await service(server("basedpyright"), severity=Severity.HINT).check([file])
    assert said(report) == ['a.py:2:5-6 Hint basedpyright reportUnusedVariable: Variable "x" is not accessed']


async def test_ty_is_used_where_basedpyright_is_missing(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    spec = server("ty")
    gone = ServerSpec(name="basedpyright", argv=("no-such-program",), languages=spec.languages, group=spec.group)
    diagnostics, file = service(gone, spec), write("a.py", TEXT)
    report = await diagnostics.check([file])
    assert report.sources == ("ty",)
    assert said(report) == [
        "a.py:3:8-18 Error ty import-not-found: Cannot resolve imported module `collection`",
        "a.py:11:25-34 Error ty missing-attribute: Object of type `Self@greet` has no attribute `nmae`",
        "a.py:16:16-20 Error ty unresolved-reference: Name `pesr` used when not defined",
        "a.py:16:41-46 Error ty unknown-argument: Argument `nam` does not match any known parameter of bound method `Person.greet`",
        "a.py:19:11-17 Error ty missing-attribute: Module `os` has no member `pth`",
    ]
    # It lists no names where one stands already, except for modules.
    assert fixes(report) == [["Change 'collection' to 'collections'"], [], [], [], []]
    again = await diagnostics.check([write("a.py", apply(report.diagnostics[0].fixes[0], file).text)])
    assert said(again) == said(report)[1:]


async def test_basedpyright_comes_before_ty(service: Make, server: Callable[[str], ServerSpec], write: Write) -> None:
    report = await service(server("basedpyright"), server("ty")).check([write("a.py", "prnit()\n")])
    assert report.sources == ("basedpyright",)


async def test_files_with_crlf_lone_cr_and_a_byte_order_mark_keep_their_places(
    service: Make, server: Callable[[str], ServerSpec], tmp_path: Path
) -> None:
    data = b"\xef\xbb\xbfx = 1\r\nprnit('\xe6\x97\xa5')\ry = 2\r\n z = \r\n"
    (tmp_path / "a.py").write_bytes(data)
    report = await service(server("ruff"), server("basedpyright")).check([TextFile.decode("a.py", data)])
    places = {(one.range.start.line, one.range.start.column) for one in report.diagnostics if "prnit" in one.message}
    assert places == {(2, 1)}
    assert {one.range.start.line for one in report.diagnostics if "prnit" not in one.message} == {4, 5}


async def test_an_empty_a_huge_and_a_broken_file_are_answered(
    service: Make, server: Callable[[str], ServerSpec], write: Write
) -> None:
    files = [
        write("empty.py", ""),
        write("huge.py", "x = [\n" + "    1,\n" * 20_000 + "]\nprnit(x)\n"),
        write("broken.py", "def f(:\n  return\n" + "(" * 50 + "\n"),
    ]
    report = await service(server("ruff"), server("basedpyright")).check(files)
    assert report.sources == ("basedpyright", "ruff")
    found = {(one.path, one.range.start.line) for one in report.diagnostics}
    assert ("huge.py", 20_003) in found
    assert ("broken.py", 1) in found
    assert not any(path == "empty.py" for path, _ in found)
