"""What of a file is shown when the whole does not fit."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from motet.diagnostics.finder import DefinitionFinder
from motet.diagnostics.render import Rendered, render_file
from motet.messages import estimate_tokens
from motet.text import Diagnostic, Position, Range, Severity, SuggestedFix, TextEdit, TextFile

from .reading import lines_of, read_back

ROOT = Path("/abs")
RULE = "-" * 80


def module(functions: int, lines: int = 8) -> str:
    """A module with an import, a class and many functions of `lines` lines each."""
    head = "import os\nfrom lib import Shape\n\n\nclass Small:\n    size = 1\n\n\n"
    body = "".join(
        f"def function_{number}(value):\n" + f"    value += {number}\n" * (lines - 2) + "\n\n"
        for number in range(functions)
    )
    return head + body


def problem(line: int, severity: Severity = Severity.ERROR, message: str = "wrong") -> Diagnostic:
    return Diagnostic("src/a.py", Range.at(line), severity, message, "ruff", "X1")


def render(text: str, problems: list[Diagnostic], budget: int, *others: TextFile, path: str = "src/a.py") -> Rendered:
    finder = DefinitionFinder(others)
    file = TextFile.new(path).with_text(text)
    found = render_file(ROOT, file, problems, budget=budget, find_definition=finder.find)
    assert found.tokens <= budget
    return found


def numbered(text: str, needle: str) -> int:
    return text[: text.index(needle)].count("\n") + 1


@pytest.mark.acceptance("S3-033")
def test_a_file_that_fits_is_whole_and_one_token_less_cuts_it() -> None:
    text = module(30)
    whole = render_file(ROOT, TextFile.new("src/a.py").with_text(text), [problem(20)], budget=None)
    assert render(text, [problem(20)], whole.tokens) == Rendered(whole.text, (), whole.tokens, path="src/a.py")
    cut = render(text, [problem(20)], whole.tokens - 1)
    assert "Content: (lines " in cut.text
    assert cut.left_out and cut.left_out[0].startswith("src/a.py: line")


@pytest.mark.acceptance("S3-033", "S3-034")
def test_a_cut_file_shows_the_function_the_outline_and_the_imports_and_names_the_rest() -> None:
    text = module(40).replace("    value += 20\n", "    return Small\n", 1)
    line = numbered(text, "return Small")
    cut = render(text, [problem(line)], 800)
    back = lines_of(read_back(cut.text))
    lines = text.split("\n")
    start = numbered(text, "def function_20(")
    assert [back[number] for number in range(start, start + 7)] == lines[start - 1 : start + 6]
    assert (back[1], back[2]) == ("import os", "from lib import Shape")
    assert back[6] == "    size = 1"  # the class that the line with the problem names
    outline = [number for number, each in enumerate(lines, 1) if each.startswith("def ")]
    assert len([number for number in outline if number in back]) >= 20
    gaps = [each for each in cut.text.split("\n") if each.startswith("[line")]
    assert gaps[0] in cut.text and cut.left_out == (
        "src/a.py: lines " + ", ".join(gap.removesuffix(" left out]").split()[1] for gap in gaps),
    )


def test_the_header_and_the_gaps_say_which_lines_are_shown() -> None:
    lines = [f"line {number} " + "x" * 60 for number in range(1, 61)]
    cut = render("\n".join(lines), [problem(30)], 230, path="notes.txt")
    assert cut.text == "\n".join(
        [
            "File: /abs/notes.txt",
            RULE,
            "Content: (lines 28-32 of 60; the rest is left out)",
            "[lines 1-27 left out]",
            *lines[27:32],
            "[lines 33-60 left out]",
            "",
            "Diagnostics:",
            RULE,
            "[Error] Line 30, Column 1: wrong (ruff X1)",
        ]
    )
    assert cut.left_out == ("notes.txt: lines 1-27, 33-60",)


def test_one_line_alone_is_named_as_one_line() -> None:
    lines = [str(number) * 80 for number in range(3)]
    cut = render("\n".join(lines), [problem(2)], 128, path="notes.txt")
    assert "Content: (line 2 of 3; the rest is left out)\n[line 1 left out]\n1111" in cut.text
    assert "1111\n[line 3 left out]\n" in cut.text


def test_a_function_larger_than_the_budget_shows_its_head_and_the_lines_around_the_problem() -> None:
    text = "class Big:\n    def method(\n        self,\n    ) -> None:\n" + "        pass\n" * 3000
    back = lines_of(read_back(render(text, [problem(1500)], 300).text))
    assert set(range(1, 5)) <= back.keys()
    assert set(range(1490, 1511)) <= back.keys()
    assert len(back) < 200


def test_lines_that_a_suggested_fix_changes_are_shown() -> None:
    text = module(40)
    edit = TextEdit(Range(Position(1, 1), Position(2, 1)), "")
    last = text.count("\n")
    found = Diagnostic("src/a.py", Range.at(last), Severity.ERROR, "m", "ruff", "", (SuggestedFix("go", (edit,)),))
    back = lines_of(read_back(render(text, [found], 150).text))
    assert {1, 2, last} <= back.keys()


def test_a_line_that_does_not_fit_is_left_out_but_its_problem_stays() -> None:
    cut = render("x" * 100_000, [problem(1)], 120)
    assert cut.text.startswith(
        f"File: /abs/src/a.py\n{RULE}\nContent: (no lines of 1; the rest is left out)\n[line 1 left out]\n\n"
    )
    back = read_back(cut.text)
    assert (lines_of(back), [each.message for each in back.diagnostics]) == ({}, ["wrong"])
    assert cut.left_out == ("src/a.py: line 1",)


def test_the_most_severe_problems_come_first_and_the_rest_is_counted() -> None:
    problems = [problem(number, Severity.WARNING, "small " * 10) for number in range(1, 51)]
    problems += [problem(60, Severity.ERROR, "serious")]
    cut = render("pass\n" * 60, problems, 400)
    shown = [each.message for each in read_back(cut.text).diagnostics]
    assert shown[0] == "serious"
    left = 51 - len(shown)
    assert cut.left_out[-1] == f"src/a.py: {left} problems ({left} warnings)"


def test_a_suggested_fix_that_does_not_fit_is_left_out_before_its_problem() -> None:
    edit = TextEdit(Range.at(1), "y" * 5000)
    found = Diagnostic("src/a.py", Range.at(1), Severity.ERROR, "m", "ruff", "", (SuggestedFix("go", (edit,)),))
    cut = render("x\n", [found], 200)
    assert cut.text.endswith("x\n\nDiagnostics:\n" + RULE + "\n[Error] Line 1, Column 1: m (ruff)")
    assert cut.left_out == ("src/a.py: suggested fixes of 1 problem",)


def test_when_not_even_the_frame_fits_the_whole_file_is_named() -> None:
    assert render("x\n", [problem(1)], 20) == Rendered("", ("src/a.py: everything",), 0, path="src/a.py")


@pytest.mark.acceptance("S3-034")
def test_definitions_from_other_files_are_a_text_of_their_own() -> None:
    text = module(40).replace("    value += 20\n", "    return Shape(Small)\n", 1)
    shape = TextFile.new("lib.py").with_text("import os\n\n@final\nclass Shape:\n    edges: int\n\nother = 1\n")
    cut = render(text, [problem(numbered(text, "return Shape"))], 800, shape)
    assert cut.definitions == f"Definition: /abs/lib.py lines 3-5\n{RULE}\n@final\nclass Shape:\n    edges: int"
    assert cut.tokens == estimate_tokens(cut.text) + estimate_tokens(cut.definitions)


def test_a_long_definition_is_cut_and_one_without_room_is_named() -> None:
    text = module(40).replace("    value += 20\n", "    return Shape(Other)\n", 1)
    line = numbered(text, "return Shape")
    shape = TextFile.new("lib.py").with_text("class Shape:\n" + "    edges = 1\n" * 300)
    cut = render(text, [problem(line)], 1100, shape)
    assert cut.definitions.startswith(f"Definition: /abs/lib.py lines 1-80\n{RULE}\nclass Shape:\n")
    wide = TextFile.new("lib.py").with_text("class Shape:\n    edges = '" + "x" * 9000 + "'\n")
    cut = render(text, [problem(line)], 1100, wide)
    assert cut.definitions == ""
    assert cut.left_out[-1] == "lib.py: lines 1-2, the definition of Shape"


def test_other_files_are_not_looked_at_when_the_file_fits() -> None:
    def find(name: str) -> list[object]:
        raise AssertionError(name)

    file = TextFile.new("a.py").with_text("x = Shape\n")
    assert render_file(ROOT, file, [problem(1)], budget=500, find_definition=find).left_out == ()  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("budget", [200, 1000, 5000, 20_000])
def test_crlf_and_tabs_and_japanese_are_counted_in_bytes(budget: int) -> None:
    text = "\r\n".join(f"\tdef f{number}(): return '日本語'" for number in range(5000))
    cut = render(text, [problem(2500)], budget)
    assert cut.tokens == estimate_tokens(cut.text) <= budget
    assert cut.tokens > budget * 0.4


@pytest.mark.acceptance("S3-033")
def test_a_huge_file_with_hundreds_of_problems_is_cut_quickly() -> None:
    text = module(10_000)
    problems = [problem(number * 200 + 20) for number in range(300)]
    begin = time.process_time()
    cut = render(text, problems, 8000)
    assert time.process_time() - begin < 5
    assert len(read_back(cut.text).diagnostics) > 200
