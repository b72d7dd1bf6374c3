"""Edits that a model writes into its answers, in a chat at a terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.chat.session_kit import QUIET, Talker, talker
from cli.kit import ONLY_RUFF, Project, Provider, edit, eventually
from cli.shapes_kit import AFTER, BEFORE, NEW, OLD, SHAPES

from motet.models.scripted import Answer

Serve = Callable[..., Provider]


@pytest.fixture
def chat(project: Project, provider: Serve) -> Callable[..., Talker]:
    """`chat(text, …)`: a human in `motet chat`, beside `greet.py`, with a model that answers so."""

    def start(*answers: str | Answer, arguments: tuple[str, ...] = (), **how: object) -> Talker:
        project.write({"greet.py": BEFORE})
        provider(
            [Answer(text=one) if isinstance(one, str) else one for one in answers], more=QUIET + ONLY_RUFF, **how
        )
        return talker(project, "chat", *arguments, columns=100)

    return start


@pytest.mark.parametrize("tools", [True, False])
def test_edits_in_every_format_are_taken(project: Project, chat: Callable[..., Talker], tools: bool) -> None:
    answers = [text for shape in SHAPES for text in (SHAPES[shape], f"Done with {shape}.")]
    human = chat(*answers, arguments=("-y",), tools=tools)
    for shape in SHAPES:
        project.write({"greet.py": BEFORE})
        human.says("@editor use an f-string")
        human.sees(f"Done with {shape}.")
        eventually(lambda: project.text("greet.py") == AFTER, shape)
        human.says("/clear")
        human.sees("A new chat; ")
    human.says("/exit")
    assert human.ends() == 0


@pytest.mark.parametrize("shape", [*SHAPES, "a call"])
def test_an_edit_is_made_again_after_a_reset(project: Project, chat: Callable[..., Talker], shape: str) -> None:
    made = SHAPES.get(shape) or edit(("greet.py", OLD, NEW))
    human = chat(made, "Done once.", made, "Done twice.", arguments=("-y", "-t", "editor"))
    human.says("use an f-string")
    human.sees("Done once.")
    eventually(lambda: project.text("greet.py") == AFTER)
    project.write({"greet.py": BEFORE})
    human.says("again")
    human.sees("Done twice.")
    eventually(lambda: project.text("greet.py") == AFTER)
    human.says("/exit")
    assert human.ends() == 0


@pytest.mark.parametrize("tools", [True, False])
def test_without_an_editing_tool_they_are_told(project: Project, chat: Callable[..., Talker], tools: bool) -> None:
    human = chat(*SHAPES.values(), tools=tools)
    for shape in SHAPES:
        human.says(f"use an f-string {len(shape)}")
        human.sees("the answer holds an edit; `/apply` applies it")
        assert project.text("greet.py") == BEFORE
    human.says("/exit")
    assert human.ends() == 0


def test_what_an_answer_holds_is_reviewed_by_a_command(project: Project, chat: Callable[..., Talker]) -> None:
    human = chat(SHAPES["unified diff"], "I see.")
    human.says("use an f-string")
    human.sees("`/apply` applies it")
    human.says("/apply")
    human.answers("y")
    human.sees("replace_in_file greet.py")
    assert project.text("greet.py") == AFTER
    human.says("/apply")
    human.sees("nothing to apply: the files are so already")
    human.says("/undo")
    human.sees("Taken back: greet.py")
    assert project.text("greet.py") == BEFORE
    human.says("thanks")
    human.sees("I see.")
    human.says("/apply")
    human.sees("the last answer holds no edit")
    human.says("/exit")
    assert human.ends() == 0


LOOSE = f"The new `greet.py`:\n\n```python\n{AFTER}```\n"


def test_a_loosely_named_file_is_asked_about(project: Project, chat: Callable[..., Talker]) -> None:
    human = chat(LOOSE, arguments=("-t", "editor"))
    human.says("use an f-string")
    human.sees("the answer holds what may be the whole text of greet.py; `/apply` asks about it")
    human.says("/apply")
    human.answers("y")
    human.sees("replace_in_file greet.py")
    assert project.text("greet.py") == AFTER
    human.says("/exit")
    assert human.ends() == 0


def test_yes_takes_no_loosely_named_file(project: Project, chat: Callable[..., Talker]) -> None:
    human = chat(LOOSE, arguments=("-y", "-t", "editor"))
    human.says("use an f-string")
    human.sees("`/apply` asks about it")
    human.says("/apply")
    human.sees("replace_in_file greet.py")
    assert project.text("greet.py") == BEFORE
    human.says("/exit")
    assert human.ends() == 0


def test_the_model_hears_what_became_of_them(chat: Callable[..., Talker], provider: Serve) -> None:
    human = chat(SHAPES["SEARCH/REPLACE"], "I see.")
    human.says("use an f-string")
    human.sees("`/apply` applies it")
    human.says("/apply")
    human.answers("n")
    human.sees("replace_in_file greet.py")
    human.says("thanks")
    human.sees("I see.")
    human.says("/context")
    human.sees("tool output")
    human.says("/exit")
    assert human.ends() == 0


def test_a_claim_is_answered_by_a_fact(chat: Callable[..., Talker]) -> None:
    human = chat("I have updated `greet.py`.", arguments=("-t", "editor"))
    human.says("use an f-string")
    human.sees("no edit was made: no file was changed in this turn")
    human.says("/exit")
    assert human.ends() == 0


def test_a_chat_whose_edits_were_applied_came_to_its_end(project: Project, chat: Callable[..., Talker]) -> None:
    human = chat(SHAPES["SEARCH/REPLACE"])
    human.says("use an f-string")
    human.sees("`/apply` applies it")
    human.says("/apply")
    human.answers("y")
    human.sees("replace_in_file greet.py")
    human.says("/exit")
    assert human.ends() == 0
    again = talker(project, "chat", "-c", columns=100)
    again.is_ready()
    shown = "\n".join(again.lines)
    assert ("did not come to its end" in shown, "What became of your edits" in shown) == (False, False)
    again.presses("/exit\r")
    assert again.ends() == 0
