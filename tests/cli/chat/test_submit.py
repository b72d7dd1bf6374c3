"""What stands around a submit in the terminal: what is checked, what is shown, and what the human changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.chat.session_kit import QUIET, talker
from cli.kit import Project, Provider

from motet.models.scripted import Answer

Serve = Callable[..., Provider]


def said(provider: Provider, number: int) -> str:
    """The texts of the user messages in one request."""
    messages = provider.requests[number].body["messages"]
    return "\n".join(message["content"] for message in messages if message["role"] == "user")


@pytest.mark.acceptance("S0-050")
def test_what_cannot_be_sent_stays_in_the_line_and_an_answer_gives_the_line_back(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="Hello to you.")], more=f"{QUIET}max_prompt_tokens = 4000\n")
    project.write({"long.txt": "word " * 10_000})
    human = talker(project, "chat")
    human.is_ready()
    human.presses("\r\r")  # nothing is typed
    human.presses("what is @/long.txt?")
    human.sees("long.txt?")
    human.presses("\r")
    human.sees("tokens, 4,000 fit; the biggest:")
    human.sees("nothing was sent: ")
    human.shows("› what is @/long.txt?", "scripted/one · N/100k · $0")
    human.presses("\x03")
    human.presses("hello there\r")
    human.shows(
        "› hello there",
        "",
        "Hello to you.",
        "›",
        "scripted/one · N/100k · $0.0001 · hello there",
    )
    human.presses("\x04")
    assert human.ends() == 0
    assert [said(served, number) for number in range(len(served.requests))] == ["hello there"]


@pytest.mark.acceptance("S0-055")
def test_what_the_human_adds_pins_and_drops_counts_for_the_next_message(project: Project, provider: Serve) -> None:
    served = provider([Answer(text=f"Answer {n}.") for n in (1, 2, 3)], more=QUIET)
    project.write({"a.txt": "apple\n", "b.txt": "banana\n"})
    human = talker(project, "chat")

    def says(text: str, seen: str) -> None:
        human.says(text)
        human.sees(seen)

    says("/file a.txt", "With the next message: <file>a.txt</file>")
    says("/file b.txt", "With the next message: <file>b.txt</file>")
    says("first", "Answer 1.")
    says("/pin a.txt", "<file>a.txt</file> is pinned")
    says("/drop b.txt", "<file>b.txt</file>: not shared any more")
    project.write({"a.txt": "apricot\n"})
    says("second", "Answer 2.")
    says("third", "Answer 3.")
    human.says("/exit")
    assert human.ends() == 0
    fruit = ("apple", "banana", "apricot")
    assert [[said(served, number).count(name) for name in fruit] for number in range(3)] == [
        [1, 1, 0], [1, 0, 1], [1, 0, 1],
    ]  # fmt: skip


@pytest.mark.acceptance("SP-09")
def test_what_came_by_itself_is_dropped_like_any_item(project: Project, provider: Serve) -> None:
    served = provider([Answer(text=f"Answer {n}.") for n in (1, 2)], more=f"{QUIET}[index]\nmode = 'auto'\n")
    project.write({"retry.py": "def retry_request():\n    '''Sends a failed request again.'''\n"})
    human = talker(project, "chat")
    human.says("where is a failed request sent again?")
    human.sees("tokens, by itself: has ")
    human.sees("Answer 1.")
    human.says("/drop retry.py:1-2")
    human.sees("<codebase>retry.py:1-2</codebase>: not shared any more")
    human.says("so, where is a failed request sent again?")
    human.sees("Answer 2.")
    human.says("/exit")
    assert human.ends() == 0
    assert [served.requests[number].text.count("def retry_request") for number in range(2)] == [1, 0]
