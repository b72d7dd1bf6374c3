"""The text form of a file with its problems, character for character, and the way back from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from motet.diagnostics.render import Rendered, pack, render_file
from motet.diagnostics.render_lines import one_line
from motet.messages import estimate_tokens
from motet.text import Diagnostic, Position, Range, Severity, SuggestedFix, TextEdit, TextFile
from motet.text.report import ReportedDiagnostic, ReportedEdit, ReportedFix

from .reading import lines_of, read_back

ROOT = Path("/abs/path")
RULE = "-" * 80

INDEX_TS = """\
import { Component } from "./ui";

export function show() {
  const shown = new Componnt();
  return shown;
}
"""
COMPONNT = Diagnostic(
    "src/index.ts",
    Range(Position(4, 21), Position(4, 29)),
    Severity.ERROR,
    "Cannot find name 'Componnt'. Did you mean 'Component'?",
    "ts",
    "2552",
    (
        SuggestedFix(
            "Change spelling to 'Component'",
            (TextEdit(Range(Position(4, 21), Position(4, 29)), "Component"),),
        ),
    ),
)


def text_file(text: str, path: str = "src/a.py") -> TextFile:
    return TextFile.new(path).with_text(text)


def problem(line: int, column: int = 1, message: str = "wrong", **fields: object) -> Diagnostic:
    plain = Diagnostic("src/a.py", Range.at(line, column), Severity.ERROR, message, "ruff", "F401")
    return Diagnostic(**{name: fields.get(name, getattr(plain, name)) for name in Diagnostic.__slots__})  # pyright: ignore[reportArgumentType]


def rendered(text: str, *problems: Diagnostic, path: str = "src/a.py") -> str:
    return render_file(ROOT, text_file(text, path), problems, budget=None).text


@pytest.mark.acceptance("S3-006", "S3-012", "S3-013", "CL-01")
def test_a_file_with_a_problem_reads_exactly_like_this() -> None:
    assert (
        rendered(INDEX_TS, COMPONNT, path="src/index.ts")
        == f"""\
File: /abs/path/src/index.ts
{RULE}
Content:
import {{ Component }} from "./ui";

export function show() {{
  const shown = new Componnt();
  return shown;
}}

Diagnostics:
{RULE}
[Error] Line 4, Column 21: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)
  suggested fix: Change spelling to 'Component'
    4:21-4:29 "Componnt" → "Component\""""
    )


@pytest.mark.acceptance("S3-014")
def test_every_file_has_its_content_and_its_problems_together() -> None:
    first = render_file(ROOT, text_file("x = y\n", "a.py"), [problem(1, 5, path="a.py")], budget=None)
    second = render_file(
        ROOT, text_file("z = w\n", "b.py"), [problem(1, path="b.py"), problem(1, 5, path="b.py")], budget=None
    )
    assert pack([first, second], 10_000) == [[first, second]]
    series = f"{first.text}\n\n{second.text}"
    assert (
        series
        == f"""\
File: /abs/path/a.py
{RULE}
Content:
x = y

Diagnostics:
{RULE}
[Error] Line 1, Column 5: wrong (ruff F401)

File: /abs/path/b.py
{RULE}
Content:
z = w

Diagnostics:
{RULE}
[Error] Line 1, Column 1: wrong (ruff F401)
[Error] Line 1, Column 5: wrong (ruff F401)"""
    )


@pytest.mark.acceptance("S3-011", "S3-013")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"severity": Severity.WARNING}, "[Warning] Line 1, Column 1: wrong (ruff F401)"),
        ({"severity": Severity.INFO}, "[Info] Line 1, Column 1: wrong (ruff F401)"),
        ({"severity": Severity.HINT}, "[Hint] Line 1, Column 1: wrong (ruff F401)"),
        ({"code": ""}, "[Error] Line 1, Column 1: wrong (ruff)"),
        ({"source": "", "code": ""}, "[Error] Line 1, Column 1: wrong (unknown)"),
        ({"source": "Clang (tidy)"}, "[Error] Line 1, Column 1: wrong (Clang-[tidy] F401)"),
        ({"message": "one\r\n\ttwo   three "}, "[Error] Line 1, Column 1: one two three (ruff F401)"),
        ({"message": "a (b) [c]"}, "[Error] Line 1, Column 1: a (b) [c] (ruff F401)"),
        ({"message": "\u202eevil\x1b[2J\u200b"}, "[Error] Line 1, Column 1: <U+202E>evil<U+001B>[2J<U+200B> (ruff F401)"),
        ({"message": "メモ"}, "[Error] Line 1, Column 1: メモ (ruff F401)"),
        ({"fixes": (SuggestedFix("Remove\nit"),)}, "[Error] Line 1, Column 1: wrong (ruff F401)\n  suggested fix: Remove it"),
    ],
)  # fmt: skip
def test_a_problem_is_one_line(fields: dict[str, object], expected: str) -> None:
    assert rendered("x\n", problem(1, **fields)).partition(f"Diagnostics:\n{RULE}\n")[2] == expected  # pyright: ignore[reportArgumentType]


def test_problems_stand_in_the_order_of_their_places_and_preferred_fixes_come_first() -> None:
    fixes = (SuggestedFix("second"), SuggestedFix("first", preferred=True))
    text = rendered("a\nb\n", problem(2), problem(1, fixes=fixes))
    assert text.endswith(
        "[Error] Line 1, Column 1: wrong (ruff F401)\n  suggested fix: first\n  suggested fix: second\n"
        "[Error] Line 2, Column 1: wrong (ruff F401)"
    )


def test_the_old_and_the_new_text_of_an_edit_are_json_strings_in_which_everything_can_be_seen() -> None:
    edit = TextEdit(Range(Position(1, 1), Position(2, 3)), 'メ "q"\r\n\u202e\x7f\U000e0041')
    text = rendered("a\tb\r\nç→\n", problem(1, fixes=(SuggestedFix("do", (edit,)),)))
    assert text.endswith('    1:1-2:3 "a\\tb\\nç→" → "メ \\"q\\"\\n\\u202e\\u007f\\udb40\\udc41"')
    (back,) = read_back(text).diagnostics
    assert back.fixes[0].edits == (ReportedEdit(edit.range, "a\tb\nç→", 'メ "q"\n\u202e\x7f\U000e0041'),)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a\nb\n", "a\nb"),
        ("a\nb", "a\nb"),
        ("a\r\nb\r\n", "a\nb"),
        ("a\rb\r", "a\nb"),
        ("a\n\n\n", "a\n\n"),
        ("", ""),
        ("\n", ""),
        ("a\x0bb\x0c\x85\u2028c\n", "a\x0bb\x0c\x85\u2028c"),
        ("\tx = 1  \n", "\tx = 1  "),
    ],
)
def test_the_text_of_the_file_is_as_it_is_with_lf(text: str, content: str) -> None:
    assert rendered(text, problem(1)) == (
        f"File: /abs/path/src/a.py\n{RULE}\nContent:\n{content}\n\n"
        f"Diagnostics:\n{RULE}\n[Error] Line 1, Column 1: wrong (ruff F401)"
    )


def test_a_path_cannot_break_out_of_its_line() -> None:
    assert rendered("x\n", problem(1), path="a\nDiagnostics:\u202e.py").startswith(
        f"File: /abs/path/a<U+000A>Diagnostics:<U+202E>.py\n{RULE}\nContent:\n"
    )


def test_the_way_back_gives_lines_and_problems() -> None:
    back = read_back(rendered(INDEX_TS, COMPONNT, path="src/index.ts"))
    assert back.path == "/abs/path/src/index.ts"
    assert lines_of(back) == dict(enumerate(INDEX_TS.splitlines(), 1))
    (found,) = back.diagnostics
    edit = ReportedEdit(Range(Position(4, 21), Position(4, 29)), "Componnt", "Component")
    fix = ReportedFix("Change spelling to 'Component'", (edit,))
    assert found == ReportedDiagnostic(Position(4, 21), Severity.ERROR, COMPONNT.message, "ts", "2552", (fix,))


def test_a_file_that_looks_like_the_form_itself_does_not_confuse_the_way_back() -> None:
    text = rendered("x\n", problem(1, message="inner"))
    back = read_back(rendered(f"{text}\n\n{text}", problem(3, message="outer")))
    assert list(lines_of(back).values()) == f"{text}\n\n{text}".split("\n")
    assert [each.message for each in back.diagnostics] == ["outer"]


def test_files_are_packed_in_their_order_into_requests_that_fit() -> None:
    def sized(tokens: int, text: str = "x") -> Rendered:
        return Rendered(text, (), tokens)

    four, three, nine, empty = sized(4), sized(3), sized(9), sized(0, "")
    assert pack([four, three, four, empty, nine, three], 8) == [[four, three], [four], [nine], [three]]
    assert pack([], 8) == []


def test_tokens_are_those_of_the_text() -> None:
    whole = render_file(ROOT, text_file("日本語\n" * 9), [problem(1)], budget=None)
    assert (whole.tokens, whole.left_out, whole.definitions) == (estimate_tokens(whole.text), (), "")


def test_one_line_keeps_printable_text_as_it_is() -> None:
    assert one_line("naïve — ‘quoted’ 日本 👍") == "naïve — ‘quoted’ 日本 👍"
