"""Work that goes on for long is said to, and what is quick says nothing."""

from __future__ import annotations

import sys

import pytest
from cli.kit import DEADLINE, Project, block, eventually

from motet.cli import slow
from motet.cli.commands import apply
from motet.edits.formats.answer import understand


def test_a_large_answer_that_takes_long_is_spoken_of(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write({"a.txt": "bad\n", "answer.md": f"a.txt\n{block('bad' + chr(10), 'good' + chr(10))}"})

    def slowly(text: str, path: str = "", **options: bool) -> object:
        eventually(lambda: sys.stderr.buffer.getvalue(), "nothing was said")  # type: ignore[attr-defined]
        return understand(text, path=path)

    monkeypatch.setattr(slow, "PATIENCE", 0.0)
    monkeypatch.setattr(apply, "understand", slowly)
    done = project.here("apply", "--yes", "answer.md")
    assert done.code == 0
    assert done.err.startswith("Looking for edits in 0.0 million characters; Ctrl-C ends it\n")
    assert project.text("a.txt") == "good\n"


def test_a_quick_one_is_not(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write({"a.txt": "bad\n", "answer.md": f"a.txt\n{block('bad' + chr(10), 'good' + chr(10))}"})
    monkeypatch.setattr(slow, "PATIENCE", DEADLINE)
    assert "Looking for edits" not in project.here("apply", "--yes", "answer.md").err
