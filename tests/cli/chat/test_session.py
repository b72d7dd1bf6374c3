"""A chat as its human sees it, from the first line to the last, on screens of two sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cli.chat.session_kit import OWN, QUIET, WELCOME, Talker, talker
from cli.kit import Project, Provider, eventually

from motet.models.scripted import Answer, HttpError
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]


@pytest.fixture
def chat(project: Project, provider: Serve) -> Callable[..., Talker]:
    """`chat(answer, …)`: a human in `motet chat`, with a model that answers so; a text is an answer."""

    def start(*steps: object, arguments: tuple[str, ...] = (), more: str = QUIET, **how: Any) -> Talker:
        provider([Answer(text=step) if isinstance(step, str) else step for step in steps], more=more)
        return talker(project, "chat", *arguments, **how)

    return start


# --- commands that cannot be done ------------------------------------------------------------------------------


def test_editing_a_turn_that_is_not_there_is_a_line(chat: Callable[..., Talker]) -> None:
    human = chat("Hello.")
    human.says("/edit")
    human.sees("nothing was said yet; there is no message to edit")
    human.says("hello there")
    human.sees("Hello.")
    human.says("/edit 9")
    human.sees("there is no turn 9 in this chat; it has 1")
    human.says("/exit")
    assert human.ends() == 0


def test_a_mistyped_command_stays_in_the_line(chat: Callable[..., Talker]) -> None:
    human = chat()
    human.says("/conext")
    human.shows(
        WELCOME,
        "› /conext",
        "there is no command /conext; did you mean /context? A space before it sends it",
        "  as it is",
        "› /conext",
        "scripted/one · N/100k · $0",
    )
    human.presses("\x03\x03")
    assert human.ends() == 0


def test_a_message_that_begins_with_a_path_is_a_message(chat: Callable[..., Talker], project: Project) -> None:
    human = chat("Delete something.")
    human.says("/tmp is full, what now?")
    human.sees("Delete something.")
    human.says("/exit")
    assert human.ends() == 0


def test_a_finished_answer_is_not_asked_for_again(chat: Callable[..., Talker]) -> None:
    human = chat("Hello.")
    human.says("hello there")
    human.sees("Hello.")
    human.says("/retry")
    human.sees("the last message has its answer; /edit opens it, to be sent again")
    human.says("/exit")
    assert human.ends() == 0


def test_a_prompt_that_cannot_be_filled_hands_no_tools_over(chat: Callable[..., Talker]) -> None:
    human = chat()
    human.says("/tests")
    human.sees("no file is shared; name one, as in @/src/a.py")
    human.says("/tools")
    human.sees("No tools; @files, @cmd, @web in a message hand some over.")
    human.says("/exit")
    assert human.ends() == 0


def test_only_what_is_new_is_said_to_wait(chat: Callable[..., Talker], project: Project) -> None:
    project.write({"a.txt": "one\n", "b.txt": "two\n"})
    human = chat()
    human.says("/file a.txt")
    human.sees("With the next message: <file>a.txt</file>")
    human.says("/file b.txt")
    human.shows(
        "› /file b.txt",
        "With the next message: <file>b.txt</file>",
        "›",
        "scripted/one · N/100k · $0",
    )
    human.says("/exit")
    assert human.ends() == 0


def test_models_are_completed(chat: Callable[..., Talker]) -> None:
    human = chat()
    human.is_ready()
    human.presses("/model scr")
    human.shows(
        WELCOME,
        "› /model scr",
        "             scripted  of your settings",
        "scripted/one · N/100k · $0",
    )
    human.presses("\t\r\r")
    human.sees("Model: scripted/scripted (chosen by name)")
    human.says("/exit")
    assert human.ends() == 0


# --- turns that fail -------------------------------------------------------------------------------------------


def test_a_refused_key_is_a_line_and_retry_asks_again(chat: Callable[..., Talker]) -> None:
    human = chat(HttpError(401, "bad key"), "Here I am.")
    human.says("are you there?")
    human.sees("it wants a key (HTTP 401: bad key); set `key` for")
    human.sees("/retry asks again.")
    human.says("/retry")
    human.sees("Here I am.")
    human.says("/exit")
    assert human.ends() == 0


def test_a_cut_answer_is_kept_and_goes_on(chat: Callable[..., Talker]) -> None:
    human = chat(Answer(text="The first half", wire=Wire(text_chars=5, cut_after=3)), "and the rest.")
    human.says("tell me")
    human.sees("The answer broke off; what came of it is kept.")
    human.sees("/retry lets it go on.")
    human.says("/retry")
    human.sees("and the rest.")
    human.says("/exit")
    assert human.ends() == 0


# --- what stays ------------------------------------------------------------------------------------------------


def test_what_was_said_on_the_command_line_is_drawn(chat: Callable[..., Talker]) -> None:
    human = chat("It is *fine*.", arguments=("is this", "日本語 🎉", "fine?"))
    human.sees("fine.")
    human.is_ready()
    human.shows(
        WELCOME,
        "› is this 日本語 🎉 fine?",
        "",
        "It is fine.",
        "›",
        "scripted/one · N/100k · $0.0001 · is this 日本語 🎉 fine?",
    )
    human.presses("\x04")
    assert human.ends() == 0


def test_a_draft_outlives_a_kill(chat: Callable[..., Talker], project: Project) -> None:
    human = chat()
    human.is_ready()
    human.presses("half a thought 半分")

    def kept() -> bool:
        done = project.run("history", "list", "--json")
        return "half a thought 半分" in [event["draft"] for event in done.events]

    eventually(kept)
    human.is_killed()
    again = talker(project, "chat", "-c")
    again.shows(OWN, "› half a thought 半分", "scripted/one · N/100k · $0")
    again.presses("\x03\x03")
    assert again.ends() == 0


def test_a_chat_that_was_killed_before_its_answer_says_so(
    chat: Callable[..., Talker], project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="never", wire=Wire(stall_after=0)), Answer(text="At last.")], more=QUIET)
    human = talker(project, "chat")
    human.says("anybody?")
    served.was_asked()
    human.is_killed()
    again = talker(project, "chat", "-c")
    again.sees("The last answer did not come to its end; /retry asks again.")
    again.says("/retry")
    again.sees("At last.")
    again.says("/exit")
    assert again.ends() == 0


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
def test_a_fork_goes_on_without_drawing_all_of_it_again(chat: Callable[..., Talker], columns: int, rows: int) -> None:
    human = chat("Hello.", "And hello to you.", columns=columns, rows=rows)
    human.says("hello there")
    human.sees("Hello.")
    human.says("/fork")
    human.sees("stays in `motet history`.")
    human.shows(
        WELCOME,
        "› hello there",
        "",
        "Hello.",
        "› /fork",
        "This is a chat of its own now; the other one stays in `motet history`.",
        "›",
        "scripted/one · N/100k · $0 · hello there",
    )
    human.says("/clear")
    human.sees("A new chat; the other one stays in `motet history`.")
    human.says("/exit")
    assert human.ends() == 0
