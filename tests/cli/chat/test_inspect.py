"""`/inspect`: the next request in the human's editor, and what is saved there is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli.chat.session_kit import QUIET, Talker, talker
from cli.kit import Project, Provider

from motet.models.scripted import Answer

Serve = Callable[..., Provider]


def chat(project: Project, tmp_path: Path, script: str) -> Talker:
    """A chat whose human's editor does `script` with the file `$1`."""
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\n{script}\n")
    editor.chmod(0o755)
    return talker(project, "chat", columns=120, rows=40, VISUAL=str(editor))


def told(served: Provider, number: int) -> list[tuple[str, str]]:
    """Who said what in a request, without the system prompt."""
    messages = served.requests[number].body["messages"]
    return [(one["role"], one["content"]) for one in messages if one["role"] != "system"]


def leaves(human: Talker) -> None:
    human.is_ready()
    human.presses("\x04")
    assert human.ends() == 0


@pytest.mark.acceptance("CC-13")
def test_what_is_saved_in_the_editor_is_what_the_next_request_says(
    project: Project, provider: Serve, tmp_path: Path
) -> None:
    served = provider([Answer(text="One is 1."), Answer(text="Yes.")], more=QUIET)
    human = chat(
        project,
        tmp_path,
        "sed -i 's/^One is 1/Uno is 1/; s/tag=- · \\(.*\\)your message/tag=url · \\1your message/' \"$1\"",
    )
    human.says("what is one?")
    human.sees("One is 1.")
    human.is_ready()
    human.presses("/inspect\r")
    human.sees("Of the next request 2 messages: 2 changed; the chat as it was is ")
    human.says("is it?")
    human.sees("Yes.")
    leaves(human)
    assert told(served, 1) == [("user", "what is one?"), ("assistant", "Uno is 1."), ("user", "is it?")]


def test_with_a_text_it_waits_in_the_line_and_goes_out_as_it_was_changed(
    project: Project, provider: Serve, tmp_path: Path
) -> None:
    served = provider([Answer(text="Two.")], more=QUIET)
    project.write({"a.py": "one = 1\n"})
    human = chat(project, tmp_path, "sed -i 's/│ one = 1/│ two = 2/; s/^and `a.py`?/What is it?/' \"$1\"")
    human.is_ready()
    human.presses("/inspect and @/a.py?\r")
    human.sees("Of the next request 2 messages: 2 changed.")
    human.shows("› and @/a.py?", "scripted/one · N/100k · $0")
    human.presses("\r")
    human.sees("Two.")
    leaves(human)
    assert told(served, 0) == [
        ("user", '<attachment filepath="a.py" lines="1-1">\n   1│ two = 2\n</attachment>\n\nWhat is it?')
    ]


def test_what_is_left_as_it_is_changes_nothing(project: Project, provider: Serve, tmp_path: Path) -> None:
    served = provider([Answer(text="One."), Answer(text="Two.")], more=QUIET)
    human = chat(project, tmp_path, "true")
    human.says("first")
    human.sees("One.")
    human.is_ready()
    human.presses("/inspect\r")
    human.sees("Nothing was changed.")
    human.says("second")
    human.sees("Two.")
    leaves(human)
    assert told(served, 1) == [("user", "first"), ("assistant", "One."), ("user", "second")]
