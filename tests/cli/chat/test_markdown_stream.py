"""Markdown on a terminal while it arrives."""

from __future__ import annotations

import unicodedata

import pyte
import pytest
from cli.chat.chat_kit import pieces, plain, streamed, styles, terminal
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from motet.cli.chat.markdown_stream import MarkdownStream
from motet.visible import visible

ANSWER = """\
# The plan

First **read** the *file* `src/a.py`, see [the guide](https://example.org/a_(b)) for more than fits on one line of it.

- one
- two, which is long enough to go on in a second row of the terminal, below its own text
  1. nested

> quoted *words*

| name | size |
|------|-----:|
| 日本 | 12 |
| `a|b` | **3** |

```python
def f(x):
    return "é"  # done
```

---
The end 👩\u200d👩\u200d👧."""

DRAWN = """\
The plan

First read the file src/a.py, see the guide (https://example.org/a_(b)) for more
than fits on one line of it.

• one
• two, which is long enough to go on in a second row of the terminal, below its
  own text
  1. nested

│ quoted words

name │ size
─────┼─────
日本 │   12
a|b  │    3

```python
def f(x):
    return "é"  # done
```

────────────────────────────────────────
The end 👩\u200d👩\u200d👧.
"""


def test_an_answer_is_drawn_as_its_markdown_says() -> None:
    assert plain(streamed(ANSWER)) == DRAWN


@pytest.mark.parametrize(("width", "styled"), [(80, True), (33, True), (80, False), (20, False), (None, False)])
def test_how_the_text_was_cut_into_pieces_changes_nothing(width: int | None, styled: bool) -> None:
    whole = streamed(ANSWER, width, styled=styled)
    for seed in range(40):
        parts = streamed(ANSWER, width, styled=styled, seed=seed)
        assert plain(parts) == plain(whole)
        assert styles(parts) == styles(whole)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*"*_`~[]()!<>#|\\-+1. \n\ta漢é", "```", "**", "](", "| - |", "> "]), max_size=60))
@example(["* ", "**"])
@example(["***_", "****"])
@example(["**a `b", "** c` d**"])
def test_no_word_of_any_text_depends_on_the_pieces_it_came_in(tokens: list[str]) -> None:
    text = "".join(tokens)
    whole = streamed(text, 30)
    parts = streamed(text, 30, seed=1)
    assert (plain(parts), styles(parts)) == (plain(whole), styles(whole))


@settings(deadline=None)
@given(st.text(st.sampled_from("ab *_`~[]()!<>#|\\-1.\n漢👍é"), max_size=200))
def test_letters_are_never_lost_and_no_row_is_too_wide(text: str) -> None:
    drawn = plain(streamed(text, 24))
    assert [letter for letter in drawn if letter in "ab漢👍é"] == [
        letter for letter in text if letter in "ab漢👍é"
    ] or ("|" in text or "`" in text or "~" in text)
    if "```" not in text and "~~~" not in text and "    " not in text:
        assert max(map(cell_len, drawn.split("\n"))) <= 24


# --- marks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "drawn", "found"),
    [
        ("**bold** and *it*", "bold and it", [("bold", "bold"), ("it", "italic")]),
        ("__bold__ _it_ ***both***", "bold it both", [("bold", "bold"), ("it", "italic"), ("both", "bold italic")]),
        ("**a *b* c**", "a b c", [("a ", "bold"), ("b", "bold italic"), (" c", "bold")]),
        ("~~gone~~ ~5", "gone ~5", [("gone", "strike")]),
        ("これは**重要**です", "これは重要です", [("重要", "bold")]),
        ("call f(**kwargs) and f(*args)", "call f(**kwargs) and f(*args)", []),
        (
            "2 * 3 * 4, 2*3*4, snake_case_name, __init__",
            "2 * 3 * 4, 2*3*4, snake_case_name, init",
            [("init", "bold")],
        ),
        ("`a *b*` and `` a`b ``", "a *b* and a`b", [("a *b*", "cyan"), ("a`b", "cyan")]),
        ("an open `tick and **star", "an open `tick and **star", []),
        (r"\*not\* \`it\` C:\dir", r"*not* `it` C:\dir", []),
        ("[x](y) [ ] a[0] [b]", "x (y) [ ] a[0] [b]", [("y", "underline")]),
        ("[https://a.b](https://a.b)", "https://a.b", [("https://a.b", "underline")]),
        ("[bank](https://evil.example)", "bank (https://evil.example)", [("https://evil.example", "underline")]),
        ("<https://a.b/c_d_e> a<b", "https://a.b/c_d_e a<b", [("https://a.b/c_d_e", "underline")]),
        ("![a cat](cat.png)", "image: a cat (cat.png)", [("image: ", "dim"), ("cat.png", "underline")]),
        ("## Two *words* ##", "Two words", [("Two ", "bold"), ("words", "bold italic")]),
        ("#no heading, #5", "#no heading, #5", []),
        ("**said:** 3) 12", "said: 3) 12", [("said:", "bold")]),
        ("* * *", "─" * 40, [("─" * 40, "dim")]),
        ("- [x] done", "• [x] done", [("• ", "cyan")]),
        ("12. twelve", "12. twelve", [("12. ", "cyan")]),
        (">> deep", "│ │ deep", [("│ │ ", "dim")]),
        ("    indented *code*", "    indented *code*", [("indented *code*", "cyan")]),
    ],
)
def test_a_mark_is_a_style_or_stands_as_it_is(text: str, drawn: str, found: list[tuple[str, str]]) -> None:
    spans = streamed(text)
    assert plain(spans) == drawn + "\n"
    assert styles(spans) == found


def test_emphasis_that_does_not_end_is_shown_after_three_hundred_characters_at_most() -> None:
    stream = MarkdownStream(styled=True)
    shown = plain(stream.add("**" + "word " * 70, 80))
    assert shown.startswith("**word word")


def test_the_first_word_is_drawn_at_once() -> None:
    assert plain(MarkdownStream(styled=True).add("Hel", 80)) == "Hel"


def test_a_word_is_not_drawn_on_one_row_and_finished_on_the_next() -> None:
    stream = MarkdownStream(styled=True)
    assert plain(stream.add("twelve chars and wo", 20)) == "twelve chars and"
    assert plain(stream.add("rds", 20)) == ""
    assert plain(stream.end(20)) == "\nwords\n"


# --- code ------------------------------------------------------------------------------------------------------


def test_code_keeps_every_character_and_long_lines_are_left_to_the_terminal() -> None:
    code = "```\n\tif x:  \n\n" + "y" * 100 + "\n```\n"
    assert plain(streamed(code, 20)) == "```\n\tif x:  \n\n" + "y" * 100 + "\n```\n"


def test_code_has_colours_line_by_line_also_across_a_text_of_several_lines() -> None:
    stream = MarkdownStream(styled=True)
    stream.add("```python\n", 80)
    assert stream.add('def f():  # c\n    """a', 80) == [
        ("", "dim"), ("def", "magenta"), (" ", ""), ("f", "blue"), ("(", ""), (")", ""), (":", ""), ("  ", ""),
        ("# c", "dim"), ("\n", ""),
    ]  # fmt: skip
    assert styles(stream.add("\n    b = 1\n", 80)) == [('"""a', "green"), ("    b = 1", "green")]


def test_a_language_that_nobody_knows_has_no_colours() -> None:
    assert styles(streamed("```nosuchthing\nif x: 1\n```\n")) == [("```nosuchthing", "dim"), ("```", "dim")]


def test_a_fence_that_is_never_closed_ends_with_the_answer() -> None:
    assert plain(streamed("```python\nx = 1")) == "```python\nx = 1\n"


EDITS = {
    "git's": "<<<<<<< SEARCH\n    def __init__(self):\n- a *b*\n> c\n=======\n# x\n```\n>>>>>>> REPLACE",
    "dashes": "------- SEARCH\n    def __init__(self):\n- a *b*\n> c\n=======\n# x\n```\n+++++++ REPLACE",
    "a conflict": "<<<<<<< HEAD\n__a__\n=======\n> __b__\n>>>>>>> main",
}


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize("form", EDITS)
def test_an_unfenced_block_of_an_edit_stands_as_it_came(form: str, seed: int | None) -> None:
    text = f"src/a.py\n{EDITS[form]}\n\nThat is *all*."
    assert plain(streamed(text, seed=seed)) == f"src/a.py\n{EDITS[form]}\n\nThat is all.\n"


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert plain(streamed("````md\n```\n*x*\n```\n````\n*y*")) == "````md\n```\n*x*\n```\n````\ny\n"


def test_a_line_of_code_without_end_is_drawn_while_it_comes() -> None:
    stream = MarkdownStream(styled=True)
    stream.add("```js\n", 80)
    assert plain(stream.add("x" * 3_000, 80)) == "x" * 3_000
    assert plain(stream.add("y\n```\n", 80)) == "y\n```\n"


# --- tables ----------------------------------------------------------------------------------------------------


def test_a_table_is_drawn_when_it_ends() -> None:
    stream = MarkdownStream(styled=True)
    assert stream.add("| a | b |\n|---|---|\n| 1 | 2 |\n", 80) == []
    assert plain(stream.add("\nafter", 80)) == "a │ b\n──┼──\n1 │ 2\n\nafter"


def test_a_wide_table_gets_narrower_columns_with_several_rows_in_a_cell() -> None:
    text = "| key | what it means |\n|---|---|\n| a | one two three four five six seven |\n"
    assert plain(streamed(text, 26)) == (
        "key │ what it means\n────┼─────────────────────\na   │ one two three four\n    │ five six seven\n"
    )


def test_a_table_that_cannot_be_fitted_stands_as_plain_rows() -> None:
    row = "|" + "|".join(f" column {at} " for at in range(9)) + "|\n"
    drawn = plain(streamed(row + "|" + "---|" * 9 + "\n" + row, 40))
    assert drawn.startswith("| column 0 | column 1 | column 2 |\n")
    assert max(map(cell_len, drawn.split("\n"))) <= 40


def test_bars_without_a_delimiter_are_text() -> None:
    assert plain(streamed("| not | a table\nmore *text*")) == "| not | a table\nmore text\n"


# --- without colour --------------------------------------------------------------------------------------------


@given(st.text())
def test_in_a_pipe_the_text_is_what_came(text: str) -> None:
    assert plain(streamed(text, None, styled=False, seed=2)) == visible(text) + (
        "\n" if text and not text.endswith("\n") else ""
    )


def test_without_colour_only_long_lines_are_broken() -> None:
    text = "# A *b*\n\n\n- one two three four\n```\nsome code that is rather long\n```\n| a | b |\n|---|---|\n"
    assert plain(streamed(text, 16, styled=False)) == (
        "# A *b*\n\n\n- one two three\n  four\n```\nsome code that is rather long\n```\n| a | b |\n|---|---|\n"
    )


def test_no_escape_sequence_is_written_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing, emulator = terminal(monkeypatch, colour=False)
    stream = MarkdownStream(styled=drawing.colour)
    drawing.draw(stream.add(ANSWER, drawing.width))
    assert "\x1b" not in emulator.raw


# --- terminals -------------------------------------------------------------------------------------------------


def test_japanese_is_broken_between_characters_and_no_row_begins_with_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawing, emulator = terminal(monkeypatch, columns=20)
    stream = MarkdownStream(styled=True)
    for piece in pieces("- 設定を読み込んでから、モデルに質問します。", 3):
        drawing.draw(stream.add(piece, drawing.width))
    drawing.draw(stream.end(drawing.width))
    assert emulator.lines == ["• 設定を読み込んでか", "  ら、モデルに質問し", "  ます。"]


HOSTILE = [
    "\x1b]0;owned\x07", "\x1b]2;owned\x1b\\", "\x1b]52;c;cm0gLXJm\x07", "\x9d0;owned\x9c", "\x1b[2J", "\x1b[3J", "\x1bc",
    "\x1b[?1049h", "\x1b[?25l", "\x1b[?2004l", "\x1b[4h", "\x1b[20h", "\x1b[5;10r", "\x1b(0", "\x0e", "\x1b[1A", "\r", "\x08",
    "\x9b1;1H", "\x07", "\x1bP", "\x1b_", "\x0b", "\x0c", "\x7f", "\x85", "\u2028", "\u202e", "\x1b[38;5;1m", "\x00",
]  # fmt: skip
AROUND = [
    "**",
    "`",
    "```\n",
    "\n",
    "| a | b |\n|--|--|\n| ",
    "[x](",
    ")",
    "> ",
    "- ",
    "# ",
    "word ",
    "漢字",
    "```python\n",
]


@pytest.mark.acceptance("T-13")
@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(HOSTILE + AROUND), max_size=40), st.integers(0, 5), st.booleans())
def test_no_text_moves_the_terminal(tokens: list[str], seed: int, styled: bool) -> None:
    text = "".join(tokens)
    screen = _Watched(80, 24)
    feed = pyte.Stream(screen)
    feed.feed("above\r\n")
    drawn = streamed(text, 80, styled=styled, seed=seed)
    for piece, _ in drawn:
        assert all(character in "\n\t" or not _moves(character) for character in piece)
        feed.feed(piece.replace("\n", "\r\n"))
    assert (screen.title, screen.icon_name, screen.calls) == ("", "", [])
    assert screen.mode == pyte.Screen(80, 24).mode
    assert screen.margins is None


class _Watched(pyte.HistoryScreen):
    """A screen that notes what no text may do."""

    def __init__(self, columns: int, rows: int) -> None:
        self.calls: list[str] = []
        super().__init__(columns, rows)
        self.calls = []

    def erase_in_display(self, *args: int, **kwargs: bool) -> None:
        self.calls.append("erase")
        super().erase_in_display(*args, **kwargs)

    def cursor_position(self, *args: int) -> None:
        self.calls.append("move")
        super().cursor_position(*args)

    def bell(self, *_: object) -> None:
        self.calls.append("bell")


def _moves(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs", "Co", "Zl", "Zp"} or character == "\u202e"
