"""`motet log`: what went wrong, with where it came from, and never a key. What left: `test_chat_commands.py`."""

from __future__ import annotations

import errno
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import MAY_SEND, Project, Provider

from motet.cli import app
from motet.engine.faults import FaultLog
from motet.models.scripted import Answer, HttpError

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
ABSENT = "anthropic: ANTHROPIC_API_KEY is not set; set it, or providers.anthropic.key"


def without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", text)


def test_an_error_is_kept_with_its_command_and_where_it_came_from(project: Project) -> None:
    assert (project.here("log").code, project.here("log").err) == (1, "No errors were logged.\n")
    assert project.here("ask", "-m", "anthropic", "hello").code == 3
    done = project.here("log")
    assert (done.code, without_times(done.out)) == (0, f"TIME  ask  {ABSENT}\n")
    assert stat.S_IMODE((project.state / "errors.jsonl").stat().st_mode) == 0o600
    (event,) = project.here("log", "errors", "--json").events
    assert (event["where"], event["text"]) == ("ask", ABSENT)
    assert event["trace"].startswith("Traceback (most recent call last):\n")
    assert event["trace"].endswith(f"motet.errors.ModelError: {ABSENT}\n")
    shown = without_times(project.here("log", "errors", "--trace", "-n", "1").out)
    assert shown == f"TIME  ask  {ABSENT}\n{event['trace']}"


def test_what_was_typed_wrongly_is_no_error_of_the_log(project: Project) -> None:
    assert project.here("ask", "--nonsense").code == 2
    assert project.here("ask", "-m", "nosuch", "hello").code == 2
    assert project.here("log").code == 1


def test_a_turn_that_failed_is_kept_with_its_chat_and_without_keys(
    project: Project, provider: Callable[..., Provider]
) -> None:
    provider([HttpError(400, body=f'{{"error": {{"message": "bad {KEY}"}}}}')])
    assert project.here("ask", "hello").code == 3
    (event,) = project.here("log", "errors", "--json").events
    (listed,) = project.here("history", "list", "--json").events
    assert event["where"] == f"chat {listed['id']}"
    assert KEY not in (project.state / "errors.jsonl").read_text()
    assert without_times(project.here("log").out).startswith(f"TIME  chat {listed['id'][-8:].lower()}  ")


def test_debug_says_on_stderr_where_an_error_came_from(project: Project) -> None:
    done = project.run("--debug", "ask", "-m", "anthropic", "hello")
    assert (done.code, done.out) == (3, "")
    lines = done.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-2:] == [f"motet.errors.ModelError: {ABSENT}", f"motet: {ABSENT}"]


def test_a_log_that_cannot_be_written_hides_no_error(project: Project) -> None:
    project.state.mkdir(parents=True)
    (project.state / "errors.jsonl").mkdir()
    done = project.here("ask", "-m", "anthropic", "hello")
    assert (done.code, done.err.splitlines()[-1]) == (3, f"motet: {ABSENT}")
    done = project.here("log")
    assert (done.code, done.out) == (1, "")
    where = project.state / "errors.jsonl"
    assert done.err == f"motet: {where}: cannot read the log: Is a directory; make it readable\n"


def test_a_defect_is_kept_as_well_and_a_damaged_line_is_no_matter(project: Project) -> None:
    log = FaultLog(project.state)
    for error in (ValueError("one"), StopIteration("two")):
        log.add(error, "ask")
        log.add(error, "ask")
    with (project.state / "errors.jsonl").open("a") as file:
        file.write('{"at":"0001-01-01T00:00:00","where":"chat ","text":null,"trace":5}\n[]\nnonsense\n')
    done = project.here("log", "errors", "--trace")
    assert done.code == 0
    assert [line for line in without_times(done.out).splitlines() if line.startswith("TIME")] == [
        "TIME  ask  one", "TIME  ask  two", "TIME  chat   None"
    ]  # fmt: skip
    assert project.here("log", "errors", "-n", "99999999999999999999").code == 2


def test_a_file_that_motet_itself_missed_is_kept_as_any_other_defect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file", "gone")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(app.group, "main", fail)
    with pytest.raises(FileNotFoundError):
        app.run(["models"])
    assert [(one.where, one.text) for one in FaultLog(tmp_path / "motet").read()] == [
        ("models", "[Errno 2] No such file: 'gone'")
    ]


def test_a_day_that_is_spent_sends_nothing_and_the_log_says_what_it_cost(
    project: Project, provider: Callable[..., Provider]
) -> None:
    assert (project.here("log", "spending").code, project.here("log", "spending").err) == (
        1, "No request has cost anything yet.\n"
    )  # fmt: skip
    served = provider([Answer(text="Yes.")] * 2, more=f"{MAY_SEND}[chat]\ntitles = false\n")
    assert project.here("ask", "-q", "is it?").out == "Yes.\n"
    done = project.here("log", "spending")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d           120 tokens    \$0\.0001  scripted/one\n", done.out)
    with project.config.open("a") as file:
        file.write("[spending]\nmax_cost_per_day = 0.0002\n")
    done = project.here("ask", "is it?")
    assert (done.code, len(served.requests)) == (3, 1)
    assert done.err.replace("\n", " ").count("the budget of $0.0002 for today does not last: used $0.0001") == 1
    (event,) = project.here("log", "spending", "--json").events
    assert (event["model"], event["input"], event["output"], event["cost"]) == ("scripted/one", 100, 20, 0.00014)
