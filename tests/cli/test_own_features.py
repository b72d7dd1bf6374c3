"""A variable, a command and a tool of one's own: a few lines of settings each, and what happens when one breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import MAY_SEND, Project, Provider

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]

MINE = '''
def weather() -> str:
    """the weather outside"""
    return "rain"


def broken() -> str:
    raise LookupError("no ticket here")


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def fail(a: int) -> int:
    """Fail."""
    return a // 0
'''
SETTINGS = (
    MAY_SEND
    + """
[variables.weather]
callback = "mine.py:weather"
[variables.ticket]
callback = "mine.py:broken"
[tools.own.add]
callback = "mine.py:add"
effects = []
[tools.own.fail]
callback = "mine.py:fail"
effects = []
"""
)


@pytest.fixture
def mine(project: Project) -> str:
    """The file with the functions, beside the settings."""
    directory = project.home / ".config" / "motet"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "mine.py").write_text(MINE)
    return str(directory / "mine.py")


@pytest.mark.acceptance("CC-16", "S0-077", "S0-079", "S0-076", "S0-123")
def test_a_variable_and_a_tool_of_ones_own_work(project: Project, mine: str, provider: Serve) -> None:
    served = provider(
        [Answer(calls=(call("add", {"a": 2, "b": 3}),)), Answer(text="Five, in the rain.")], more=SETTINGS
    )
    done = project.run("ask", "-q", "what is 2 + 3 in #weather? @add")
    assert (done.code, done.out) == (0, "Five, in the rain.\n")
    assert "rain" in served.requests[0].text
    assert served.requests[1].body["messages"][-1]["content"] == "5"


@pytest.mark.acceptance("CC-16")
def test_what_breaks_in_them_is_told_with_file_and_line_and_the_chat_goes_on(
    project: Project, mine: str, provider: Serve
) -> None:
    served = provider([Answer(calls=(call("fail", {"a": 2}),)), Answer(text="It fails.")], more=SETTINGS)
    done = project.run("ask", "-q", "see #ticket @fail")
    assert (done.code, done.out) == (0, "It fails.\n")
    assert done.err == f"#ticket: LookupError: no ticket here ({mine}, line 8)\n"
    told = served.requests[1].body["messages"][-1]["content"]
    assert told == f"fail: ZeroDivisionError: integer division or modulo by zero ({mine}, line 18)"


@pytest.mark.acceptance("S0-076")
def test_a_function_that_is_not_there_is_one_line_that_names_the_setting(project: Project, provider: Serve) -> None:
    provider([], more=MAY_SEND + '[variables.x]\ncallback = "nothing:here"\n')
    done = project.run("ask", "hello")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "motet: variables.x: nothing:here cannot be loaded: ModuleNotFoundError: No module named 'nothing'\n"
    )
