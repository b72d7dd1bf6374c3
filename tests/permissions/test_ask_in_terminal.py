"""The question at a real terminal: what stands on the screen, and what each key answers."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Human

TESTS = str(Path(__file__).parent.parent)
IN_GENERAL = "Allow it? [o]nce, [c]hat, [p]roject, [a]lways, [n]o, no with [r]eason:"
Ask = Callable[..., Human]


def command(*argv: str, origin: str = "model", **more: object) -> dict[str, object]:
    return {"effect": "run", "subject": shlex.join(argv), "origin": origin, "argv": argv, **more}


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def start(*actions: dict[str, object], columns: int = 100, rows: int = 40) -> Human:
        argv = [sys.executable, "-m", "permissions.ask_alone", *map(json.dumps, actions)]
        return Human(argv, tmp_path, {**os.environ, "PYTHONPATH": TESTS, "NO_COLOR": "1"}, columns, rows)

    return start


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("o", "<Answer.ONCE: 'once'>"), ("c", "<Answer.CHAT: 'chat'>"), ("p", "<Answer.PROJECT: 'project'>"),
        ("a", "<Answer.ALWAYS: 'always'>"), ("n", "<Answer.NO: 'no'>"), ("\x04", "<Answer.NO: 'no'>"),
    ],
)  # fmt: skip
@pytest.mark.acceptance("CL-07")
def test_each_key_answers_what_the_question_says(ask: Ask, key: str, answer: str) -> None:
    human = ask(command("pytest", "-q", detail="/usr/bin/pytest\nin src/"))
    human.is_asked(IN_GENERAL)
    assert human.lines == [
        "",
        "A command is to be run, asked for by the model.",
        "  run:      pytest -q",
        "  with:     /usr/bin/pytest",
        "            in src/",
        IN_GENERAL,
    ]
    human.presses("y")
    human.is_asked(IN_GENERAL)
    human.presses(key)
    assert human.ends() == 0
    assert human.lines[-1] == answer


def test_a_no_can_carry_a_reason(ask: Ask) -> None:
    human = ask(command("rm", "x"), command("rm", "y"))
    human.is_asked(IN_GENERAL)
    human.presses("r")
    human.types("The reason, for the model:", "use the trash, 日本")
    human.is_asked(IN_GENERAL)
    human.presses("r")
    human.types("The reason, for the model:", "")
    assert human.ends() == 0
    assert human.lines[-2:] == ["Denial(reason='use the trash, 日本')", "<Answer.NO: 'no'>"]


@pytest.mark.acceptance("T-08")
def test_a_long_text_is_shown_in_full_at_a_key(ask: Ask) -> None:
    text = "\n".join(f"echo {number}" for number in range(200)) + "\nmv ~ /x"
    human = ask(command("sh", "-c", text))
    asked = f"{IN_GENERAL[:-1]}, [v]iew:"
    human.sees("[v]iew")
    brief = human.text
    assert "echo 21" in brief and "echo 100" not in brief and "mv ~ /x" in brief
    assert "[… 166 more lines, 1251 characters, are not shown here …]" in brief
    human.presses("v")
    human.sees("[v]iew")
    assert all(f"echo {number}" in human.text for number in range(200))
    human.presses("n")
    assert human.ends() == 0
    assert asked.split(",")[0] in human.text


@pytest.mark.acceptance("T-08", "T-13")
def test_nothing_in_a_question_steers_the_terminal_or_is_hidden(ask: Ask) -> None:
    human = ask(command("rm", "a\u202egpj.sh", "\x1b]0;title\x07\x1b[2J", " " * 10_000 + "~"))
    human.is_asked(IN_GENERAL)
    assert "\n".join(human.lines[1:-1]) == (
        "A command is to be run, asked for by the model.\n  run:      rm 'a<U+202E>gpj.sh' '␛]0;title␇␛[2J' '<10000 blanks>~'"
    )
    assert human.title == ""
    human.presses("n")
    assert human.ends() == 0


def test_at_80_columns_the_question_is_broken_between_words(ask: Ask) -> None:
    human = ask(command("echo", *["word"] * 30), columns=80)
    human.sees("[r]eason:")
    assert all(len(line) <= 80 for line in human.lines)
    assert " ".join(line.strip() for line in human.lines).count("word") == 30
    human.presses("n")
    assert human.ends() == 0


def test_a_command_that_destroys_is_allowed_for_once_only(ask: Ask) -> None:
    human = ask(command("rm", "-rf", "build"))
    human.is_asked("Allow it? [o]nce, [n]o, no with [r]eason:")
    assert "  beware:   it can destroy what cannot be brought back" in human.lines
    human.presses("po")
    assert human.ends() == 0
    assert human.lines[-1] == "<Answer.ONCE: 'once'>"


def test_a_file_of_secrets_is_allowed_for_the_chat_at_most(ask: Ask) -> None:
    human = ask({"effect": "read", "subject": ".env", "origin": "user"})
    human.is_asked("Allow it? [o]nce, [c]hat, [n]o, no with [r]eason:")
    human.presses("pc")
    assert human.ends() == 0
    assert human.lines[-1] == "<Answer.CHAT: 'chat'>"
