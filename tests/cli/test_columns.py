"""Listings at a terminal of 80 columns: nothing is wider, and what belongs together stands below one another."""

from __future__ import annotations

import io

import pytest
from cli.kit import Project
from rich.cells import cell_len

from motet.board import Agent, AgentKind, AgentState, Policy
from motet.cli.boards.lines import agent_rows
from motet.cli.columns import marked_rows
from motet.cli.terminal import Terminal

LONG = "organisation/some-extremely-long-model-name-of-the-year-2026-preview"
SETTINGS = f"""
model = "offline"
[providers."acme"]
base_url = "http://127.0.0.1:9/v1"
dialect = "openai"
key = "env:NOPE"
model = "{LONG}"
[providers."日本語"]
base_url = "http://127.0.0.1:9/v1"
dialect = "openai"
key = "env:NOPE"
model = "モデル"
"""


@pytest.mark.parametrize("command", ["models", "doctor"])
def test_one_long_name_does_not_move_the_others(project: Project, command: str) -> None:
    project.settings(SETTINGS)
    human = project.human(command, env={"NO_COLOR": "1"})
    assert human.ends() == 0
    rows = human.lines
    assert max(map(cell_len, rows)) <= 80
    name, text = ("offline", "built in") if command == "models" else ("motet", "0.1.0")
    (first,) = [row for row in rows if row.startswith(f"✓ {name} ") and text in row]
    assert len(first) <= 80


class Screen(io.StringIO):
    """A terminal that remembers; COLUMNS says how wide it is."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


def drawn(*rows: tuple[str, str], columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    screen = Screen()
    marked_rows(Terminal(screen), [(("·", ""), (name, ""), (text, "")) for name, text in rows])
    return screen.getvalue().splitlines()


def test_texts_stand_below_one_another_also_behind_wide_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = drawn(
        ("日本", "one two"), ("abc", "three"), ("x" * 30, "four five six"), columns=40, monkeypatch=monkeypatch
    )
    assert rows == [
        "· 日本  one two",
        "· abc   three",
        f"· {'x' * 30}  four",
        "        five six",
    ]


def agent(address: str, state: AgentState, why: str = "", **used: float) -> Agent:
    return Agent(
        address, address.partition("-")[0], AgentKind.CHAT, address, (), "", "", Policy.MENTIONED, state, why, False,
        0.0, 0.0, "", int(used["unread"]), int(used["tokens"]), used["cost"],
    )  # fmt: skip


def test_agents_are_in_columns() -> None:
    agents = [
        agent("a-1", AgentState.WORKING, unread=12, tokens=1_234, cost=10.5),
        agent("longer-22", AgentState.IDLE, unread=0, tokens=0, cost=0.0, why="x"),
    ]
    rows = ["".join(text for text, _ in row) for row in agent_rows(agents, {"longer-22": 1297})]
    assert rows == [
        "a-1        chat   working  12 unread  1,234 tokens $10.50 today",
        "longer-22  chat   idle      0 unread      0 tokens     $0 today  (x)  background process 1297",
    ]
