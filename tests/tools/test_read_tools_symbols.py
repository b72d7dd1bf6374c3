"""`outline`, `find_symbol`, `find_references` and `get_diagnostics`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.diagnostics import Checker, DiagnosticsService, Report
from motet.text import Diagnostic, Position, Range, Severity, SuggestedFix, TextEdit, TextFile
from motet.tools.builtin.find_references import FindReferences
from motet.tools.builtin.find_symbol import FindSymbol
from motet.tools.builtin.get_diagnostics import GetDiagnostics
from motet.tools.builtin.outline import Outline

SHAPES = '''\
"""Shapes."""

import math

PI = math.pi


class Area:
    """An area."""

    def size(
        self,
        unit: str,
    ) -> float:
        return PI

    @property
    def 面積(self) -> float:
        return self.size("m")


def size(area: Area) -> float:
    return area.size("m")
'''


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write("src/shapes.py", SHAPES)
    made.write("src/app.ts", "import { size } from './x';\nexport class App {\n  run() { return size(1); }\n}\n")
    made.write("README.md", "`size` and resize\n")
    made.write(".env", "size=1\n")
    return made


async def test_an_outline_has_the_lines_and_the_signature_of_each_definition(project: Project) -> None:
    output = await project.call(Outline, path="src/shapes.py")
    assert output.text == (
        "src/shapes.py: 23 lines\n"
        "        5-5  PI = math.pi\n"
        "       8-19  class Area:\n"
        "      11-15    def size( self, unit: str, ) -> float:\n"
        "      17-19    @property def 面積(self) -> float:\n"
        "      22-23  def size(area: Area) -> float:"
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", "README.md: no grammar for this kind of file; use read_file or search_text"),
        ("empty.py", "empty.py: 0 lines, nothing is defined in it"),
        ("long.py", "long.py: too long to be parsed; use search_text, and read_file with line numbers"),
        ("src/shape.py", "outline: src/shape.py: no such file; near: src/shapes.py"),
        (".env", "outline: read:.env: a file of secrets, which no model may read; you can name it yourself"),
    ],
)
async def test_what_has_no_outline_says_why(project: Project, path: str, text: str) -> None:
    project.write("empty.py", "")
    project.write("long.py", "x = 1\n" * 200_000)
    assert (await project.call(Outline, path=path)).text == text


async def test_a_broken_file_gives_what_can_be_recognised(project: Project) -> None:
    project.write("broken.py", "def f():\n    return 1\n\n\nclass (:\n")
    output = await project.call(Outline, path="broken.py")
    assert "def f():" in output.text


async def test_a_symbol_is_found_with_its_kind_lines_and_signature(project: Project) -> None:
    output = await project.call(FindSymbol, name="size")
    assert output.text == (
        "2 definitions of size\n"
        "\nsrc/shapes.py: method, lines 11-15\n"
        "  11│     def size(\n  12│         self,\n  13│         unit: str,\n  14│     ) -> float:\n"
        "\nsrc/shapes.py: function, lines 22-23\n"
        "  22│ def size(area: Area) -> float:"
    )


@pytest.mark.parametrize("name", ["Area.size", "Area::size", "Area.size()"])
async def test_a_symbol_is_found_inside_its_class(project: Project, name: str) -> None:
    output = await project.call(FindSymbol, name=name)
    assert output.text.split("\n")[2:3] == ["src/shapes.py: method, lines 11-15"]
    assert output.text.startswith("1 definition of ")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": "App.size"}, "no definition of App.size in 2 files with a known grammar; there is Area.size, size"),
        ({"name": "Aera"}, "no definition of Aera in 2 files with a known grammar; similar names: Area"),
        ({"name": "zzz"}, "no definition of zzz in 2 files with a known grammar; search_text looks in every file"),
        ({"name": "size", "paths": ["*.ts"]}, "no definition of size in 1 file with a known grammar; search_text looks in every file"),
    ],
)  # fmt: skip
async def test_a_symbol_that_there_is_not_names_the_near_ones(
    project: Project, arguments: dict[str, object], text: str
) -> None:
    assert (await project.call(FindSymbol, **arguments)).text == text


async def test_a_name_in_another_script_is_a_symbol(project: Project) -> None:
    output = await project.call(FindSymbol, name="面積")
    assert output.text.startswith("1 definition of 面積\n\nsrc/shapes.py: method, lines 17-19\n")


async def test_references_stand_under_what_is_around_them_and_are_whole_words(project: Project) -> None:
    output = await project.call(FindReferences, name="size")
    assert output.text == (
        "6 lines with size in 3 files\n"
        "\nREADME.md\n   1│ `size` and resize\n"
        "\nsrc/app.ts\n   1│ import { size } from './x';\nin class App > method run:\n   3│   run() { return size(1); }\n"
        "\nsrc/shapes.py\nin class Area > method size:\n  11│     def size(\n"
        "in class Area > method 面積:\n  19│         return self.size(\"m\")\n"
        "in function size:\n  22│ def size(area: Area) -> float:\n  23│     return area.size(\"m\")"
    ).replace("6 lines", "7 lines")  # fmt: skip


async def test_very_many_references_are_counted(project: Project) -> None:
    project.write("many.txt", "needle\n" * 500)
    project.write("more.txt", "needle\n" * 500)
    output = await project.call(FindReferences, name="needle")
    assert output.text.startswith("1000 lines with needle in 2 files\n")
    assert output.text.endswith("(120 of 1000 shown; name `paths` to see the others)")


async def test_no_reference_is_said_plainly(project: Project) -> None:
    assert (await project.call(FindReferences, name="siz")).text == "no reference to siz in 3 files"


# --- get_diagnostics -------------------------------------------------------------------------------------------


class Knowing:
    """Says what it was made with, and remembers what it was asked about."""

    def __init__(self, *diagnostics: Diagnostic, sources: tuple[str, ...] = ("tsc",), advice: tuple[str, ...] = ()):
        self._report = Report(diagnostics, sources, advice)
        self.asked: list[str] = []

    async def check(self, files: Sequence[TextFile]) -> Report:
        self.asked = [file.path for file in files]
        return self._report


def problem(path: str, line: int, message: str, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(path, Range.at(line, 3), severity, message, "ts", "2552")


async def test_the_problems_of_a_file_come_with_their_place_and_fix(project: Project) -> None:
    place = Range(Position(3, 18), Position(3, 22))
    fix = SuggestedFix("Change spelling to 'sizes'", (TextEdit(place, "sizes"),))
    one = Diagnostic("src/app.ts", place, Severity.ERROR, "Cannot find name 'size'.", "ts", "2552", (fix,))
    source = Knowing(one, problem("src/app.ts", 1, "unused", Severity.HINT), problem("src/other.ts", 1, "elsewhere"))
    output = await project.call(GetDiagnostics(project.kit, source), path="src/app.ts")
    assert source.asked == ["src/app.ts"]
    assert output.text == (
        "1 error; 1 file checked by tsc\n\nsrc/app.ts\n"
        "[Error] Line 3, Column 18: Cannot find name 'size'. (ts 2552)\n"
        "  suggested fix: Change spelling to 'sizes'\n"
        '    3:18-3:22 "size" → "sizes"'
    )


async def test_a_project_is_checked_without_its_secrets_down_to_the_severity_asked_for(project: Project) -> None:
    hint = problem("src/app.ts", 1, "unused", Severity.HINT)
    source = Knowing(hint, problem("README.md", 1, "typo", Severity.WARNING))
    output = await project.call(GetDiagnostics(project.kit, source))
    assert source.asked == ["README.md", "src/app.ts", "src/shapes.py"]
    assert output.text.split("\n")[0] == "1 warning; 3 files checked by tsc"
    output = await project.call(GetDiagnostics(project.kit, source), severity="hint")
    assert output.text.split("\n")[0] == "1 warning, 1 hint; 3 files checked by tsc"


async def test_nobody_who_knows_is_not_the_same_as_no_problems(project: Project) -> None:
    source = Knowing(sources=(), advice=("clangd: not found; install it",))
    output = await project.call(GetDiagnostics(project.kit, source), path="src/app.ts")
    assert output.text == (
        "nothing is known: no compiler, linter or language server answered\n(clangd: not found; install it)"
    )
    output = await project.call(GetDiagnostics(project.kit, Knowing()), path="src/app.ts")
    assert output.text == "no problems; 1 file checked by tsc"


async def test_a_real_checker_is_asked(project: Project, need: Callable[[str], Path]) -> None:
    need("ruff")
    project.write("src/unused.py", "import os\n")
    service = DiagnosticsService(
        project.root, [], gate=project.gate, checkers=[Checker.from_text("ruff check src", project.root)]
    )
    output = await project.call(GetDiagnostics(project.kit, service))
    assert "\nsrc/unused.py\n[" in output.text
    assert "Line 1, Column 8: `os` imported but unused" in output.text
    assert output.text.split("\n")[0].endswith("4 files checked by ruff")


async def test_a_secret_file_is_not_even_checked(project: Project) -> None:
    source = Knowing(problem(".env", 1, "canary"))
    output = await project.call(GetDiagnostics(project.kit, source), path=".env")
    assert (output.is_error, source.asked, "canary" in output.text) == (True, [], False)
