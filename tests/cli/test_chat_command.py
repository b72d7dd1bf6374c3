"""`motet chat` and its neighbours where there is no chat to draw: what is refused, and with which line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import MAY_SEND, Project, Provider

from motet.models.scripted import Answer, HttpError

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((), "motet: no command was given, and there is no terminal for a chat (motet --help)\n"),
        (("chat",), "motet: not a terminal; `motet ask` answers one question in a pipe\n"),
        (("chat", "-c", "-r", "last"), "motet: --continue and --resume: choose one of them\n"),
        (("history", "search", " "), "motet: say what to look for, as in: motet history search fsync\n"),
    ],
)
def test_what_cannot_be_done_is_one_line(project: Project, arguments: tuple[str, ...], line: str) -> None:
    done = project.run(*arguments)
    assert (done.code, done.out, done.err) == (2, "", line)


def test_a_chat_whose_title_is_its_question_is_found_once(project: Project, provider: Serve) -> None:
    provider([Answer(text="Fine."), Answer(text="Fine.")], more=PLAIN)
    project.run("ask", "-q", "is the lease held?")
    done = project.here("history", "search", "lease")
    assert done.code == 0
    assert [line.split("  ")[1:] for line in done.out.splitlines()] == [["is the lease held?", "is the lease held?"]]


def test_an_attempt_that_is_made_again_says_what_happened_and_not_what_to_do(
    project: Project, provider: Serve
) -> None:
    served = provider([HttpError(429, "slow down", headers={"retry-after": "0"}), Answer(text="Here.")], more=PLAIN)
    done = project.run("ask", "are you there?")
    assert (done.code, done.out) == (0, "Here.\n")
    assert done.err == (
        "Model: scripted/one (set in the settings)\n"
        f"scripted ({served.host}): too many requests (HTTP 429: slow down); trying again in 0 s (attempt 1)\n"
    )
