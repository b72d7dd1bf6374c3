"""Any file with any problems: the text form and the way back are exact, whole or cut, and within the budget."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motet.diagnostics.render import pack, render_file
from motet.diagnostics.render_lines import lf, one_line
from motet.messages import estimate_tokens
from motet.text import Diagnostic, Position, Range, Severity, SuggestedFix, TextEdit, TextFile
from motet.text.report import ReportedDiagnostic

from .reading import lines_of, read_back

ROOT = Path("/abs")
RULE = "-" * 80
PIECES = [
    "\n", "\r\n", "\r", "Diagnostics:\n", RULE, "\n\nDiagnostics:\n" + RULE + "\n", "Content:\n", "File: /x\n",
    "[Error] Line 1, Column 1: x (y)\n", "[lines 1-3 left out]\n", "  suggested fix: x\n", "def f(x):\n    return y\n",
    "class A:\n  def m(self):\n    pass\n", "\u2028", "\x0c", "日本", "\t", "'''", "import os\n",
]  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40).map("".join)
messages = st.one_of(st.text(max_size=30), st.sampled_from(["a (b c)", "(x)", "] Line 2, Column 3: z (w)", "→"]))
positions = st.builds(Position, st.integers(1, 60), st.integers(1, 40))
ranges = st.tuples(positions, positions).map(lambda ends: Range(min(ends), max(ends)))
edits = st.builds(TextEdit, ranges, st.one_of(st.text(max_size=12), st.sampled_from(PIECES)))
fixes = st.builds(SuggestedFix, messages, st.lists(edits, max_size=2).map(tuple), st.booleans())
problems = st.builds(
    Diagnostic,
    st.just("a.py"),
    ranges,
    st.sampled_from(Severity),
    messages,
    st.text(max_size=6),
    st.text(max_size=6),
    st.lists(fixes, max_size=2).map(tuple),
)


def shown_lines(text: str) -> dict[int, str]:
    return dict(enumerate(lf(text).removesuffix("\n").split("\n"), 1))


def as_shown(each: Diagnostic) -> tuple[object, ...]:
    """What of a problem the text form says."""
    ordered = sorted(each.fixes, key=lambda fix: not fix.preferred)
    fixes = [(one_line(fix.title), [(edit.range, lf(edit.new_text)) for edit in fix.edits]) for fix in ordered]
    return each.range.start, each.severity, one_line(each.message), fixes


def as_read(each: ReportedDiagnostic) -> tuple[object, ...]:
    """The same of a problem that was read."""
    fixes = [(fix.title, [(edit.range, edit.new) for edit in fix.edits]) for fix in each.fixes]
    return each.place, each.severity, each.message, fixes


@pytest.mark.acceptance("S3-012", "S3-013")
@settings(max_examples=300, deadline=None)
@given(texts, st.lists(problems, max_size=5))
def test_the_way_back_is_exact(text: str, found: list[Diagnostic]) -> None:
    rendered = render_file(ROOT, TextFile.new("a.py").with_text(text), found, budget=None)
    back = read_back(rendered.text)
    assert lines_of(back) == shown_lines(text)
    ordered = sorted(found, key=lambda each: (each.range.start, each.severity))
    assert [as_read(each) for each in back.diagnostics] == [as_shown(each) for each in ordered]


@pytest.mark.acceptance("S3-033")
@settings(max_examples=400, deadline=None)
@given(texts, st.lists(problems, max_size=8), st.integers(0, 400))
def test_the_budget_is_kept_and_what_is_shown_is_exact(text: str, found: list[Diagnostic], budget: int) -> None:
    file = TextFile.new("a.py").with_text(text)
    rendered = render_file(ROOT, file, found, budget=budget)
    assert rendered.tokens <= budget
    if not rendered.text:
        assert rendered.left_out == ("a.py: everything",)
        assert pack([rendered], budget) == []
        return
    assert rendered.tokens == estimate_tokens(rendered.text)
    back = read_back(rendered.text)
    whole = shown_lines(text)
    assert lines_of(back).items() <= whole.items()
    shown = [as_read(each)[:3] for each in back.diagnostics]
    assert all(each in [as_shown(one)[:3] for one in found] for each in shown)
    if not rendered.left_out:
        ordered = sorted(found, key=lambda each: (each.range.start, each.severity))
        assert lines_of(back) == whole
        assert [as_read(each) for each in back.diagnostics] == [as_shown(each) for each in ordered]
