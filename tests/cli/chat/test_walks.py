"""What a human does in a chat, from one end to the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.chat.session_kit import OWN, QUIET, talker
from cli.kit import Project, Provider, edit

from motet.models.scripted import Answer
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]


def said(served: Provider, number: int) -> list[tuple[str, str]]:
    """Who said what in a request, without the prompts."""
    messages = served.requests[number].body["messages"]
    assert isinstance(messages, list)
    return [(message["role"], message["content"]) for message in messages if message["role"] != "system"]


@pytest.mark.acceptance("S1-001")
def test_a_chat_of_yesterday_is_found_and_goes_on(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Noted."), Answer(text="Another."), Answer(text="42.")], more=QUIET)
    human = talker(project, "chat", "the number is 42")
    human.sees("Noted.")
    human.says("/exit")
    assert human.ends() == 0
    assert project.here("ask", "-q", "something else").code == 0
    first = project.here("history", "search", "number").out.split()[0]
    again = talker(project, "chat", "-r", first)
    again.sees(OWN)
    again.says("which number?")
    again.sees("42.")
    again.says("/exit")
    assert again.ends() == 0
    assert said(served, 2) == [
        ("user", "the number is 42"),
        ("assistant", "Noted."),
        ("user", "which number?"),
    ]
    assert [chat["cycles"] for chat in project.here("history", "list", "--json").events] == [2, 1]


@pytest.mark.acceptance("S1-016")
def test_intent_the_edit_with_its_file_and_the_closing_text_come_in_this_order(
    project: Project, provider: Serve
) -> None:
    project.write({"a.txt": "one\ntwo\nthree\n"})
    slowly = Wire(text_chars=7, argument_chars=4, stall_after=24, stall=1.0)
    intent = edit(("a.txt", "two\n", "zwei\n"), text="I translate the second line.", wire=slowly)
    served = provider([intent, Answer(text="It is German now.")], more=QUIET)
    human = talker(project, "chat", "-t", "editor", "translate the second line")
    human.sees("I translate the second line.")
    human.sees("scripted/one writes an edit to a.txt")  # while the call is still written
    human.answers("y")
    assert len(served.requests) == 1
    human.sees("It is German now.")
    human.says("/exit")
    assert human.ends() == 0
    assert human.lines[1:] == [
        "› translate the second line",
        "",
        "I translate the second line.",
        "",
        "a.txt:2",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+zwei",
        " three",
        "(1/1) Take this hunk? [y,n,r,a,d,e,p,q,?] y",
        "",
        "▸ replace_in_file a.txt  2 lines",
        "",
        "It is German now.",
        "› /exit",
    ]


@pytest.mark.acceptance("S2-045")
def test_a_chat_is_summed_up_by_command_again_and_again(project: Project, provider: Serve) -> None:
    answers = [Answer(text=text) for text in ("One.", "Two.", "FIRST SUM", "Three.", "SECOND SUM", "Four.")]
    served = provider(answers, more=QUIET + "keep_cycles = 1\n")
    human = talker(project, "chat", "question 1")
    human.sees("One.")
    human.says("/compact")
    human.sees("There is nothing to sum up")
    human.says("question 2")
    human.sees("Two.")
    human.says("/compact")
    human.sees_match(r"Summed up: \d+ tokens are \d+ now\.")
    human.says("question 3")
    human.sees("Three.")
    human.says("/compact")
    human.sees_match(r"Summed up: \d+ tokens are \d+ now\.")
    human.says("question 4")
    human.sees("Four.")
    human.says("/exit")
    assert human.ends() == 0
    assert [text in served.requests[4].text for text in ("question 1", "FIRST SUM", "question 2", "question 3")] == [
        False, True, True, False,
    ]  # fmt: skip
    summary = "Summary of the conversation until here, in place of its messages:\n\nSECOND SUM"
    assert said(served, 5) == [
        ("user", f"{summary}\n\nquestion 3"),
        ("assistant", "Three."),
        ("user", "question 4"),
    ]
    shown = project.here("history", "show", "last").out
    assert [f"question {number}" in shown for number in range(1, 5)] == [True] * 4  # nothing of it is lost
