"""What is made of text before it reaches a terminal: symbols for what cannot be seen, lines of the right width."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from motet.cli.flow import Flow
from motet.cli.speech import Speech
from motet.cli.terminal import Terminal
from motet.cli.wrap import cut, wrap
from motet.text import Diagnostic, Position, Range, Severity
from motet.visible import as_json, one_line, visible

# --- symbols ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, äöü, 日本語, 한글, עברית, ไทย, café", "plain text, äöü, 日本語, 한글, עברית, ไทย, café"),
        ("\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"),
        ("a\x00b\x08c\x7fd\re", "a␀b␈c␡d␍e"),
        ("\x9b2J\x85\x90", "<U+009B>2J<U+0085><U+0090>"),
        ("is_admin\u202e⁦", "is_admin<U+202E><U+2066>"),
        ("zero\u200bwidth\ufeff\u2060", "zero<U+200B>width<U+FEFF><U+2060>"),
        ("line\u2028par\u2029", "line<U+2028>par<U+2029>"),
        ("tags \U000e0041\U000e007f", "tags <U+E0041><U+E007F>"),
        ("private \ue000 unassigned \u0378 lone \ud800", "private <U+E000> unassigned <U+0378> lone <U+D800>"),
        ("filler \u3164\u115f\uffa0 blank \u2800", "filler <U+3164><U+115F><U+FFA0> blank <U+2800>"),
        ("selector a\ufe0f\U000e0100", "selector a<U+FE0F><U+E0100>"),
        ("hidden\u200djoiner \u200c", "hidden<U+200D>joiner <U+200C>"),
        ("👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3", "👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3"),
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_a_symbol(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_shows_line_ends_and_tabs_too() -> None:
    assert one_line("a\nb\tc\r\n") == "a␊b␉c␍␊"


@given(st.text())
def test_nothing_that_moves_or_hides_is_left(text: str) -> None:
    shown = one_line(text)
    assert not [character for character in shown if unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn", "Zl"}]
    assert set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f\ufeff") == set()


@given(
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_stays_the_same_value_and_is_safe_on_a_terminal(value: object) -> None:
    text = as_json(value)
    assert json.loads(text) == value
    text.encode("utf-8")
    assert not [character for character in text if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]


def test_json_of_japanese_can_be_read() -> None:
    assert as_json({"名": "値"}) == '{"名": "値"}'


# --- lines -----------------------------------------------------------------------------------------------------


def wrapped(text: str, width: int, hang: int = 0) -> list[str]:
    return ["".join(piece for piece, _ in line) for line in wrap([(text, "")], width, hang)]


@pytest.mark.parametrize(
    ("text", "width", "hang", "lines"),
    [
        ("", 10, 0, [""]),
        ("exactly 10", 10, 0, ["exactly 10"]),
        ("one two three", 7, 2, ["one two", "  three"]),
        ("trailing blanks   ", 9, 2, ["trailing", "  blanks"]),
        ("a/very/long/path/without/blanks", 12, 2, ["a/very/long/", "  path/witho", "  ut/blanks"]),
        ("日本語のテキスト", 6, 0, ["日本語", "のテキ", "スト"]),
        ("日本語のテキスト", 7, 2, ["日本語", "  のテ", "  キス", "  ト"]),
        ("ab日本", 3, 0, ["ab", "日", "本"]),
        ("x 👩\u200d👩\u200d👧 y", 3, 0, ["x", "👩\u200d👩\u200d👧", "y"]),
        ("👍🏽👍🏽", 3, 0, ["👍🏽", "👍🏽"]),
    ],
)
def test_lines_break_between_words_and_between_wide_characters(
    text: str, width: int, hang: int, lines: list[str]
) -> None:
    assert wrapped(text, width, hang) == lines


@given(st.text("ab é日👍/.-", max_size=80), st.integers(4, 40), st.integers(0, 10))
def test_no_line_is_too_wide_and_nothing_is_lost(text: str, width: int, hang: int) -> None:
    lines = wrapped(text, width, hang)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "width", "result"),
    [("short", 5, "short"), ("longer", 5, "long…"), ("日本語", 5, "日本…"), ("日本", 2, "…"[:0] + "日…")],
)
def test_what_is_too_long_for_the_moving_line_is_cut(text: str, width: int, result: str) -> None:
    assert cut(text, width) == result


# --- streamed text ---------------------------------------------------------------------------------------------


def flowed(text: str, size: int, width: int | None) -> str:
    """`text` as drawn when it comes in pieces of `size` characters."""
    flow = Flow()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return "".join([*(flow.add(piece, width) for piece in pieces), flow.rest(width)])


STREAMED = "\n\nFirst, two  blanks.\n\n\n\n- an item that is longer than the line\n    code stays indented\n12. twelve\x1b[2J\n"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_streamed_text_looks_the_same_however_it_was_cut(size: int) -> None:
    assert flowed(STREAMED, size, 24).splitlines() == [
        "  First, two  blanks.",
        "",
        "  - an item that is",
        "    longer than the line",
        "      code stays",
        "      indented",
        "  12. twelve␛[2J",
    ]
    assert flowed(STREAMED, size, None).splitlines()[2] == "  - an item that is longer than the line"


@settings(deadline=None)
@given(st.text("ab é日👍\n-", max_size=60), st.integers(1, 9), st.integers(12, 30))
def test_streamed_text_fits_and_is_whole(text: str, size: int, width: int) -> None:
    drawn = flowed(text, size, width)
    assert all(cell_len(line) <= width for line in drawn.splitlines())
    assert "".join(drawn.split()) == "".join(text.split())


def test_a_word_without_an_end_is_not_held_back_for_ever() -> None:
    flow = Flow()
    drawn = "".join(flow.add("x" * 100, None) for _ in range(50))
    assert len(drawn) > 4000


# --- what a model says -----------------------------------------------------------------------------------------


class Heard:
    """A speech, and what was drawn of it in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("w+")
        self.speech = Speech(Terminal(self._file))
        self.problems: list[Diagnostic] = []

    def round(self, *answers: str, size: int = 3) -> str:
        """What is drawn of a round with these answers, each in pieces of `size` characters."""
        self._file.truncate(0)
        self._file.seek(0)
        self.speech.begin_round(self.problems)
        for answer in answers:
            for at in range(0, len(answer), size):
                self.speech.hear(answer[at : at + size])
            self.speech.end()
        self._file.flush()
        return Path(self._file.name).read_text()


@pytest.fixture
def heard(tmp_path: Path) -> Heard:
    return Heard(tmp_path / "drawn")


FIRST = "I am a model.\n\nWhat I change:\n- a: one\n\nWhat I leave:\n- b: two\n- c: three\n"


def test_a_line_of_an_earlier_round_is_not_said_again(heard: Heard) -> None:
    assert heard.round(FIRST) == "".join(f"  {line}\n" if line else "\n" for line in FIRST.splitlines())
    again = FIRST.replace("- a: one", "- d: new").replace("- c: three", "- e: new too")
    assert heard.round(again) == "  What I change:\n  - d: new\n\n  What I leave:\n  - e: new too\n"


def test_a_round_with_nothing_new_is_silent(heard: Heard) -> None:
    heard.round(FIRST)
    assert heard.round(FIRST, FIRST) == ""


def test_a_line_that_begins_like_a_known_one_is_said(heard: Heard) -> None:
    heard.round("The whole line is known.\n")
    assert heard.round("The whole line is known. Not this.") == "  The whole line is known. Not this.\n"


def test_what_is_left_and_why_is_kept_for_the_end(heard: Heard) -> None:
    place = Range(Position(4, 1), Position(4, 9))
    heard.problems = [Diagnostic("b.py", place, Severity.ERROR, "no such\n name", "ruff", "F821")]
    text = "What I change:\n- a.py:1: one\n\nWhat I leave:\n- b.py:4: no such name (who knows)\n"
    assert heard.round(text) == "  What I change:\n  - a.py:1: one\n"
    assert heard.round("- b.py:4: no such name, or so (it says)\n") == "  - b.py:4: no such name, or so (it says)\n"


@pytest.mark.parametrize("text", ["This is how I do it:", "Here:\n", "First:\nSecond:\n- new\n"])
def test_a_heading_with_nothing_left_out_below_is_said(heard: Heard, text: str) -> None:
    said = [line.strip() for line in heard.round(text).splitlines() if line]
    assert said == text.split("\n")[: len(said)] and len(said) == len(text.strip().split("\n"))


def test_code_is_never_thinned_out(heard: Heard) -> None:
    code = "Look:\n```python\nreturn value\n```\n"
    first = heard.round(code)
    assert "return value" in first
    assert "return value" in heard.round(code)


EDIT = "src/a.py\n```python\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n"


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_edits_in_the_text_are_left_out_with_what_surrounds_them(heard: Heard, size: int) -> None:
    answer = f"I repair two.\n\n{EDIT}\n{EDIT}\nThat is all.\nDone."
    assert heard.round(answer, size=size) == "  I repair two.\n\n  That is all.\n  Done.\n"


def test_lines_of_an_edit_are_counted_while_it_is_written(heard: Heard) -> None:
    heard.speech.hear("a.py\n<<<<<<< SEARCH\nold\n")
    assert heard.speech.edit_lines == 1
    heard.speech.hear("=======\nnew\n>>>>>>> REPLACE\n")
    assert heard.speech.edit_lines is None


def test_a_second_answer_stands_apart_from_what_was_drawn_between(heard: Heard) -> None:
    assert heard.round("One.", "Two.") == "  One.\n\n  Two.\n"


def test_standard_streams_are_left_alone_by_a_terminal_on_a_file(
    heard: Heard, capfd: pytest.CaptureFixture[str]
) -> None:
    heard.round("One.")
    assert capfd.readouterr() == ("", "")
    assert not sys.stdout.closed
