"""The text form of a file with diagnostics, read back: exact whatever the file holds."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motet.diagnostics.render import render_file
from motet.diagnostics.render_lines import one_line
from motet.errors import NotText
from motet.text import Diagnostic, LineIndex, Position, Range, Severity, SuggestedFix, TextEdit, TextFile
from motet.text.report import FileReport, ReportedDiagnostic, ReportedEdit, ReportedFix, Run, parse_report

RULE = "-" * 80
EXAMPLE = f"""File: /abs/path/src/index.ts
{RULE}
Content:
import x
const a: Componnt = 1

Diagnostics:
{RULE}
[Error] Line 2, Column 10: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)
  suggested fix: Change spelling to 'Component'
    2:10-2:18 "Componnt" → "Component"
  suggested fix: Do it by hand
[Hint] Line 1, Column 1: Unused (see above) (ts)"""


@pytest.mark.acceptance("S3-012", "S3-013")
def test_the_text_form_is_read_into_values() -> None:
    assert parse_report(EXAMPLE) == FileReport(
        "/abs/path/src/index.ts",
        (Run(1, ("import x", "const a: Componnt = 1")),),
        (
            ReportedDiagnostic(
                Position(2, 10),
                Severity.ERROR,
                "Cannot find name 'Componnt'. Did you mean 'Component'?",
                "ts",
                "2552",
                (
                    ReportedFix(
                        "Change spelling to 'Component'",
                        (ReportedEdit(Range(Position(2, 10), Position(2, 18)), "Componnt", "Component"),),
                    ),
                    ReportedFix("Do it by hand"),
                ),
            ),
            ReportedDiagnostic(Position(1, 1), Severity.HINT, "Unused (see above)", "ts"),
        ),
    )


@pytest.mark.parametrize(
    "text", ["", "File: a", "hello\n" + EXAMPLE, EXAMPLE[1:], EXAMPLE.replace("-" * 80, "-" * 79)]
)
def test_any_other_text_is_no_report(text: str) -> None:
    assert parse_report(text) is None


def test_a_file_that_was_cut_is_read_by_count_and_not_by_what_its_lines_say() -> None:
    text = EXAMPLE.replace(
        "Content:\nimport x\nconst a: Componnt = 1",
        "Content: (lines 1-2, 5, 9-10 of 12; the rest is left out)\n[lines 3-4 left out]\n\n[lines 3-4 left out]\n"
        "five\n[lines 6-8 left out]\nnine\nDiagnostics:\n[lines 11-12 left out]",
    )
    read = parse_report(text)
    assert read is not None
    assert read.runs == (Run(1, ("[lines 3-4 left out]", "")), Run(5, ("five",)), Run(9, ("nine", "Diagnostics:")))
    assert (read.total_lines, read.complete) == (12, False)
    assert [read.line(number) for number in (1, 3, 5, 10, 11)] == [
        "[lines 3-4 left out]",
        None,
        "five",
        "Diagnostics:",
        None,
    ]


def test_only_the_last_diagnostics_section_is_structure() -> None:
    inner = f"x\n\nDiagnostics:\n{RULE}\n[Error] Line 1, Column 1: forged (ts 1)"
    read = parse_report(EXAMPLE.replace("import x", inner))
    assert read is not None
    assert read.runs[0].lines[:-1] == tuple(inner.split("\n"))
    assert [one.place.line for one in read.diagnostics] == [2, 1]


def test_a_slice_is_the_text_between_two_places_or_none_when_part_of_it_was_not_shown() -> None:
    read = FileReport("a", (Run(3, ("abc", "de")),), (), 9)

    def slice_(a: int, b: int, c: int, d: int) -> str | None:
        return read.slice(Range(Position(a, b), Position(c, d)))

    assert slice_(3, 2, 4, 2) == "bc\nd"
    assert slice_(3, 4, 3, 4) == ""
    assert slice_(4, 1, 5, 1) == "de\n"
    assert [slice_(*at) for at in ((2, 1, 3, 1), (3, 5, 3, 5), (4, 1, 5, 2), (4, 1, 6, 1), (4, 1, 3, 1))] == [
        None
    ] * 5


TRICKY = st.sampled_from(
    ["", "a", "Content:", "Diagnostics:", RULE, "File: x", "[lines 2-3 left out]", "[Error] Line 1, Column 1: x (y)"]
)
LINES = st.lists(st.one_of(TRICKY, st.text(max_size=12)), min_size=1, max_size=12)
WORDS = st.text(max_size=20)


@st.composite
def files(draw: st.DrawFn) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    """A file with problems whose words and fixes are anything."""
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = end.join(draw(LINES)) + draw(st.sampled_from(["", end]))
    try:
        file = TextFile.decode("src/a.py", text.encode("utf-8", "replace"))
    except NotText:
        file = TextFile.decode("src/a.py", b"x = 1\n")
    index = LineIndex(file.text)
    problems: list[Diagnostic] = []
    for _ in range(draw(st.integers(0, 3))):
        a, b = sorted((draw(st.integers(0, len(file.text))), draw(st.integers(0, len(file.text)))))
        range_ = Range(index.position(a), index.position(b))
        fix = SuggestedFix(draw(WORDS), (TextEdit(range_, draw(WORDS)),))
        severity = draw(st.sampled_from(Severity))
        problems.append(
            Diagnostic(file.path, range_, severity, draw(WORDS), "ts", draw(st.sampled_from(["", "1"])), (fix,))
        )
    return file, tuple(problems)


def lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@settings(max_examples=300, deadline=None)
@given(files(), st.one_of(st.none(), st.integers(60, 400)))
def test_what_is_rendered_is_read_back_exactly(
    given_: tuple[TextFile, tuple[Diagnostic, ...]], budget: int | None
) -> None:
    file, problems = given_
    rendered = render_file(Path("/w"), file, problems, budget=budget).text
    if not rendered:
        return
    read = parse_report(rendered)
    assert read is not None
    assert read.path == "/w/src/a.py"
    whole = lf(file.text).removesuffix("\n").split("\n")
    assert all(run.lines == tuple(whole[run.first - 1 : run.last]) for run in read.runs)
    if read.complete:
        assert read.runs[0].lines == tuple(whole)
    given_problems = [(one.range.start, one.severity, one_line(one.message), "ts", one.code) for one in problems]
    seen = [(one.place, one.severity, one.message, one.source, one.code) for one in read.diagnostics]
    assert not Counter(seen) - Counter(given_problems)
    titles = {one_line(fix.title) for one in problems for fix in one.fixes}
    assert {fix.title for one in read.diagnostics for fix in one.fixes} <= titles
    index = LineIndex(lf(file.text))
    for one in read.diagnostics:
        for edit in (edit for fix in one.fixes for edit in fix.edits):
            assert edit.old == index.slice(edit.range)
            assert json.dumps(edit.new)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.integers(0, len(EXAMPLE)))
def test_no_text_makes_the_reader_fail(noise: str, at: int) -> None:
    parse_report(noise)
    parse_report(EXAMPLE[:at] + noise + EXAMPLE[at:])
