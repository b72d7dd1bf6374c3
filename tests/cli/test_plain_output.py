"""Where colour and movement are not wanted there is none; what is hostile never reaches a terminal as it is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit

from motet.models.scripted import Answer, call
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]

BAD = {"a.txt": "bad\n"}
REPAIR = edit(("a.txt", "bad\n", "good\n"))


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
@pytest.mark.acceptance("PY-06")
def test_a_terminal_without_colour_gets_no_escape_byte(
    project: Project, provider: Serve, env: dict[str, str]
) -> None:
    project.write(BAD)
    provider([REPAIR, DONE])
    human = project.human("fix", env=env)
    human.answers("y")
    assert human.ends() == 0
    assert b"\x1b" not in human.raw
    assert "+good" in human.lines
    if env.get("TERM") == "dumb":
        assert re.search(rb"\r(?!\n)|\x08", human.raw) is None, "nothing moves"


@pytest.mark.acceptance("PY-06")
def test_a_pipe_gets_no_escape_byte_and_nothing_that_moves(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE])
    done = project.run("fix", "--yes")
    assert done.code == 0
    assert re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", done.raw) is None
    for command in (("models",), ("doctor",), ("config", "show", "--origin"), ("undo", "--list"), ("--help",)):
        assert b"\x1b" not in project.here(*command).raw


@pytest.mark.acceptance("PY-06")
def test_colour_can_be_forced_into_a_pipe_but_nothing_moves_there(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE])
    done = project.here("fix", "--yes", env={"FORCE_COLOR": "1"})
    assert "\x1b[31m-\x1b[0m\x1b[1;31mbad" in done.err or "\x1b[31m-bad\x1b[0m" in done.err
    assert "\r" not in done.err


def test_an_edit_that_is_being_written_is_on_the_moving_line_at_most_ten_times_a_second(
    project: Project, provider: Serve
) -> None:
    project.write(BAD)
    long = edit(("a.txt", "bad\n", "good\n" * 400), text="")
    provider([Answer(calls=long.calls, wire=Wire(argument_chars=2, stall_after=600, stall=0.5)), DONE])
    human = project.human("fix")
    started = time.monotonic()
    human.sees_match(r"scripted/one writes an edit to a.txt: 1\d\d lines  \d+ s")
    human.asked()
    assert human.raw.count(b"writes an edit") <= 10 * (time.monotonic() - started + 1)
    human.presses("q")
    assert human.ends() == 1
    assert "writes an edit" not in human.text, "the line is gone"


# --- hostile text ----------------------------------------------------------------------------------------------

TITLE = "\x1b]0;owned\x07"
CLIPBOARD = "\x1b]52;c;cm0gLXJm\x07"
CLEAR = "\x1b[2J\x1b[H\x9b2J"
BIDI = "\u202e\u2066"
EVERYTHING = f"{TITLE}{CLIPBOARD}{CLEAR}{BIDI}\u200b\x08\x08\x00"
SHOWN = "␛]0;owned␇␛]52;c;cm0gLXJm␇␛[2J␛[H<U+009B>2J<U+202E><U+2066><U+200B>␈␈␀"
OURS = re.compile(rb"\x1b\[[\d;]*m|\r\n|\r|\n|\x08")


def test_nothing_hostile_in_files_messages_models_and_names_reaches_the_terminal(
    project: Project, provider: Serve
) -> None:
    name = f"x\x1b]0;owned\x07{BIDI}.txt"
    bad = f"bad {EVERYTHING.replace(chr(0), '')}\n"
    project.write({name: bad, "evil.txt": "bad\n"})
    answer = Answer(
        text=f"I say {EVERYTHING}\n",
        calls=(
            *edit((name, bad, f"good {CLEAR}{BIDI}\n"), text="").calls,
            call("replace_in_file", {"path": f"no{EVERYTHING}such", "diff": "nonsense" + EVERYTHING}, "other"),
            call(f"tool{EVERYTHING}", {"x": EVERYTHING}, "third"),
        ),
    )
    checker = project.home / "checker"
    checker.write_bytes(f"printf 'evil.txt:1:1: error: message {EVERYTHING.replace(chr(0), '')}\\n'; exit 1".encode())
    provider([answer, DONE], repeat=True)
    project.settings(f"{project.config.read_text()}[checkers.evil]\ncommand = 'sh {checker}'\n")
    human = project.human("fix", "--rounds", "1", columns=300)
    human.answers("y")
    assert human.ends() == 1
    foreign = OURS.sub(b"", human.raw)
    assert re.search(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\x8b", foreign) is None
    assert "owned" not in human.title
    assert f"  I say {SHOWN}" in human.lines
    assert f"-bad {SHOWN.removesuffix('␀')}" in human.lines
    assert any("x␛]0;owned␇<U+202E><U+2066>.txt:1" in line for line in human.lines)
    assert "    1:1    error: message <U+009B>2J<U+202E><U+2066><U+200B>␈␈ (sh)" in human.lines


def test_other_commands_show_hostile_text_as_symbols(project: Project) -> None:
    project.write({".motet.toml": f'[checkers.x]\ncommand = "echo {BIDI}"\n', "a.py": "import os\n"})
    (project.root / ".venv" / "bin").mkdir(parents=True)
    for command in (("trust", "--list"), ("doctor",)):
        done = project.here(*command)
        assert "\u202e" not in done.out + done.err
        assert "<U+202E>" in done.out
    done = project.here("fix", f"no{TITLE}")
    assert (done.code, "\x1b" in done.err) == (2, False)
    done = project.here(f"com{CLEAR}mand")
    assert (done.code, "\x1b" in done.err, "\x9b" in done.err) == (2, False, False)
    done = project.here("fix", f"--no{CLEAR}")
    assert (done.code, "\x1b" in done.err) == (2, False)
