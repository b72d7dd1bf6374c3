"""One line for what is folded away."""

from __future__ import annotations

import json

import pytest
from rich.cells import cell_len

from motet.cli.chat.folded import Fold, Folds, of_output, title_of
from motet.messages import ToolCall
from motet.tools import ToolOutput


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ('{"first_line": 1, "path": "a.py"}', "tool a.py"),
        ('{"argv": ["git", "commit", "-m", "a b"]}', "tool git commit -m 'a b'"),
        ('{"pattern": "a\\n  b"}', "tool a b"),
        ('{"anything": "else", "n": 1}', "tool else"),
        ("{}", "tool"),
        ('{"path": ', "tool"),
        ('["a"]', "tool"),
        ("[" * 5_000, "tool"),
        (json.dumps({"path": "x", "text": "y" * 200_000}), "tool"),
    ],
)
def test_the_title_says_what_the_call_is_about(arguments: str, title: str) -> None:
    assert title_of(ToolCall("1", "tool", arguments)) == title


@pytest.mark.parametrize(
    ("output", "note"),
    [
        (ToolOutput("a\nb\n"), "2 lines"),
        (ToolOutput("only one"), "only one"),
        (ToolOutput("a\nb", shown="src/a.py: lines 1 to 2"), "src/a.py: lines 1 to 2"),
        (ToolOutput("why\nand how", is_error=True), "why"),
        (ToolOutput("", is_error=True), "failed"),
        (ToolOutput(""), "empty"),
    ],
)
def test_the_note_says_what_it_came_to(output: ToolOutput, note: str) -> None:
    assert of_output(ToolCall("1", "tool", "{}"), output).note == note


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_fold_is_one_row(width: int) -> None:
    for title, note in (("t" * 100, "n" * 100), ("日本語" * 30, "3 lines"), ("t", "説明" * 60), ("t" * 100, "")):
        row = "".join(text for text, _ in Fold(title, note, "").spans(width))
        assert cell_len(row) <= width
        assert row.startswith("▸ ")


def test_what_is_kept_is_bounded() -> None:
    folds = Folds()
    for number in range(300):
        folds.add(Fold(f"{number}", "", "x" * 50_000))
    assert [fold.title for fold in folds.last(1_000)] == [str(number) for number in range(260, 300)]
    folds.add(Fold("huge", "", "x" * 5_000_000))
    assert [fold.title for fold in folds.last(5)] == ["huge"]
    assert folds.last(0) == []
