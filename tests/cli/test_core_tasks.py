"""What motet is for, from the command line: answer, review, write tests, propose repairs; each with its own model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest
from cli.chat.session_kit import talker
from cli.kit import MAY_SEND, Project, Provider, edit

from motet.models.scripted import Answer, ScriptedRequest, call

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n"
CODE = "import os\n\n\ndef half(n):\n    return n / 0\n\n\nprint(half(2))\n"
SELECTED = '<attachment filepath="half.py" lines="4-5">\n   4│ def half(n):\n   5│     return n / 0\n</attachment>'


def told(request: ScriptedRequest) -> tuple[str, list[str]]:
    """What one request says: the first system prompt in one line, and the texts of the user messages."""
    messages = request.body["messages"]
    users = [message["content"] for message in messages if message["role"] == "user"]
    return " ".join(messages[0]["content"].split()), users


@pytest.mark.acceptance("S0-064")
def test_a_general_question_is_answered_without_a_project_and_without_tools(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="Permission denied.")], more=PLAIN)
    done = project.here("ask", "-q", "what does errno 13 mean?")
    assert (done.code, done.out) == (0, "Permission denied.\n")
    system, users = told(served.requests[0])
    assert "You answer questions about programming in general and about this code: " in system
    assert users == ["what does errno 13 mean?"]
    assert "tools" not in served.requests[0].body


@pytest.mark.acceptance("S0-066")
def test_the_lines_that_are_selected_are_reviewed(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="half.py:5 divides by zero.")], more=PLAIN)
    project.write({"half.py": CODE})
    done = project.here("ask", "-q", "-f", "half.py:4-5", "review this")
    assert (done.code, done.out) == (0, "half.py:5 divides by zero.\n")
    system, users = told(served.requests[0])
    assert "explain how it works, review it, write tests for it, propose and make changes" in system
    assert users == [f"{SELECTED}\n\nreview this"]


@pytest.mark.acceptance("S0-067")
def test_unit_tests_are_written_for_the_lines_that_are_selected(project: Project, provider: Serve) -> None:
    test = "from half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
    create = call("create_file", {"path": "test_half.py", "content": test})
    served = provider(
        [Answer(calls=(create,)), Answer(text="One test; it fails, as half divides by zero.")], more=PLAIN
    )
    project.write({"half.py": CODE})
    done = project.here("prompt", "run", "-y", "-q", "tests", "half.py:4-5")
    assert (done.code, done.out) == (0, "One test; it fails, as half divides by zero.\n")
    assert project.text("test_half.py") == test
    assert told(served.requests[0])[1] == [f"Write unit tests for this code.\n\n{SELECTED}"]


@pytest.mark.acceptance("S0-068")
def test_a_repair_of_the_lines_that_are_selected_is_proposed_before_it_is_made(
    project: Project, provider: Serve
) -> None:
    repair = edit(("half.py", "    return n / 0\n", "    return n / 2\n"))
    served = provider([repair, Answer(text="It divided by zero.")], more=PLAIN)
    project.write({"half.py": CODE})
    human = project.human("edit", "repair what is wrong here", "half.py:4-5", columns=100)
    assert human.asked()[:2] == (1, 1)
    assert " def half(n):\n-    return n / 0\n+    return n / 2\n" in human.text
    assert project.text("half.py") == CODE
    assert told(served.requests[0])[1] == [f"{SELECTED}\n\nrepair what is wrong here"]
    human.presses("y")
    assert human.ends() == 0
    assert project.text("half.py") == CODE.replace("n / 0", "n / 2")


@pytest.mark.acceptance("S0-011")
def test_chats_titles_summaries_and_edits_each_ask_the_model_that_is_set_for_them(project: Project) -> None:
    project.write({"a.txt": "one\n"})
    steps = {
        "chat": [Answer(text="First."), Answer(text="Second.")],
        "title": [Answer(text="A short title")],
        "compact": [Answer(text="Goal: to see.")],
        "edit": [edit(("a.txt", "one\n", "two\n")), Answer(text="Done.")],
    }
    with ExitStack() as stack:
        served = {work: stack.enter_context(Provider(script)) for work, script in steps.items()}
        settings = '[chat]\nkeep_cycles = 1\n[permissions]\nallow = ["send"]\n[models]\n'
        settings += "".join(f'{work} = "for-{work}/m-{work}"\n' for work in served)
        for work, one in served.items():
            settings += f'[providers.for-{work}]\nbase_url = "{one.url}/v1"\ndialect = "openai"\n'
        project.settings(settings)
        human = talker(project, "chat")
        for text, seen in (("one", "First."), ("two", "Second."), ("/compact", "Summed up: ")):
            human.says(text)
            human.sees(seen)
        human.says("/exit")
        assert human.ends() == 0
        assert project.here("edit", "-y", "make it two", "a.txt").code == 0
        models = {work: [request.body["model"] for request in one.requests] for work, one in served.items()}
    assert project.text("a.txt") == "two\n"
    assert models == {
        "chat": ["m-chat", "m-chat"], "title": ["m-title"], "compact": ["m-compact"], "edit": ["m-edit", "m-edit"],
    }  # fmt: skip
