"""Ctrl-C, Ctrl-Z, a closed terminal: at any moment every file is whole, and nobody is left running."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import (
    BIN,
    DEADLINE,
    DONE,
    QUESTION,
    Human,
    Project,
    Provider,
    children_of,
    edit,
    eventually,
    is_alive,
)

from motet.models.scripted import Answer
from motet.models.scripted.answers import FOR_EVER, Wire

Serve = Callable[..., Provider]

BAD = {"a.txt": "bad a\n", "b.txt": "bad b\n"}
TWO_CALLS = edit(("a.txt", "bad a\n", "good a\n"), ("b.txt", "bad b\n", "good b\n"))


def hanging(project: Project, body: str) -> str:
    """A program that notes its number in the file `pid`, then does `body`."""
    program = project.home / "hanging"
    program.write_text(
        f"#!/bin/sh\necho $$ > {project.home}/pid.new\nmv {project.home}/pid.new {project.home}/pid\n{body}\n"
    )
    program.chmod(0o755)
    return str(program)


def started(project: Project) -> set[int]:
    """Wait until the hanging program runs; it and its children."""
    file = project.home / "pid"
    eventually(file.exists)
    pid = int(file.read_text())
    eventually(lambda: children_of(pid))
    return {pid} | children_of(pid)


def all_gone(pids: set[int]) -> bool:
    return not any(is_alive(pid) for pid in pids)


@pytest.mark.acceptance("CL-09")
@pytest.mark.parametrize("body", ["sleep 1000 & wait", "trap '' TERM INT HUP; sleep 1000 & while :; do wait; done"])
def test_while_a_server_starts(project: Project, body: str) -> None:
    project.write(BAD)
    project.settings(
        f"[servers.slow]\ncommand = [{json.dumps(hanging(project, body))}]\nlanguages = {{ '.txt' = 'text' }}\n"
    )
    human = project.human("fix", "--model", "offline")
    human.sees("slow")
    processes = started(project)
    human.interrupts()
    assert human.ends() == 130
    assert human.lines[-1] == "Ended: interrupted."
    assert all_gone(processes)


def test_while_a_checker_runs(project: Project) -> None:
    project.write(BAD)
    checker = hanging(project, "sleep 1000 & wait")
    human = project.human("fix", "--model", "offline", "--checker", checker)
    human.sees("looking: hanging")
    processes = started(project)
    human.interrupts()
    assert human.ends() == 130
    assert all_gone(processes)


@pytest.mark.acceptance("CL-09", "PY-03")
def test_while_the_model_streams(project: Project, provider: Serve) -> None:
    project.write(BAD)
    answer = Answer(text="Once upon a time, there was a word that was bad.", wire=Wire(text_chars=3, stall_after=16))
    served = provider([answer])
    human = project.human("fix")
    human.sees("Once upon a time, there was a word")
    human.interrupts()
    assert human.ends() == 130
    eventually(lambda: served.requests[0].left.is_set(), "the provider was not left")
    assert human.lines[-3:-1] == ["Left: 2 problems.", "Ended: interrupted."]
    assert human.lines[-1].startswith("Used ")  # of an answer that broke off, as estimated
    assert any(line.startswith("  Once upon a time, there was a word") for line in human.lines)


@pytest.mark.acceptance("SP-04")
def test_while_an_edit_is_written_whose_file_is_seen_at_once(project: Project, provider: Serve) -> None:
    project.write(BAD)
    long = edit(("a.txt", "bad a\n", "good a\n" * 400), text="")
    provider([Answer(calls=long.calls, wire=Wire(argument_chars=2, stall_after=600))])
    human = project.human("fix")
    human.sees_match(r"scripted/one writes an edit to a.txt: 1\d\d lines  \d+ s")
    human.interrupts()
    assert human.ends() == 130
    assert project.text("a.txt") == "bad a\n"


def test_while_nothing_comes_from_the_provider(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([Answer(text="never", wire=Wire(first_byte_delay=FOR_EVER))])
    human = project.human("fix")
    served.was_asked()
    human.interrupts()
    assert human.ends() == 130


@pytest.mark.acceptance("CL-09")
def test_in_the_review_nothing_of_it_is_written_and_what_was_applied_is_said(
    project: Project, provider: Serve
) -> None:
    project.write(BAD)
    provider([edit(("a.txt", "bad a\n", "good a\n")), edit(("b.txt", "bad b\n", "good b\n"))])
    human = project.human("fix")
    human.answers("y")
    human.asked()
    human.interrupts()
    assert human.ends() == 130
    assert (project.text("a.txt"), project.text("b.txt")) == ("good a\n", "bad b\n")
    assert human.lines[-5:] == [
        "Applied changes to 1 of 1 file.",
        "Left: 2 problems.",
        "Ended: interrupted.",
        "Used 200 tokens in, 40 out, $0.0003.",
        "`motet undo` takes it back.",
    ]
    assert project.run("undo").code == 0
    assert project.text("a.txt") == "bad a\n"


def test_at_a_question_for_a_line(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([TWO_CALLS])
    human = project.human("fix")
    human.answers("r")
    human.sees("What would be better?")
    human.presses("half a rem")
    human.interrupts()
    assert human.ends() == 130
    assert project.text("a.txt") == "bad a\n"


@pytest.mark.acceptance("CL-09")
def test_while_files_are_written_each_is_the_old_or_the_new_one(project: Project, provider: Serve) -> None:
    names = [f"{number:02}.txt" for number in range(40)]
    project.write(dict.fromkeys(names, "bad\n"))
    provider([edit(*((name, "bad\n", "good\n") for name in names)), DONE], repeat=True)
    running = subprocess.Popen(
        [BIN / "motet", "fix", "--yes", "--json"], cwd=project.root, env=project.env(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    eventually(lambda: any(project.text(name) == "good\n" for name in names))
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=DEADLINE)
    assert running.returncode == 130, err.decode()
    end = json.loads(out.splitlines()[-1])
    assert (end["event"], end["reason"], end["exit_code"]) == ("fixed", "interrupted", 130)
    assert {project.text(name) for name in names} <= {"bad\n", "good\n"}
    assert end["changed"] == [name for name in names if project.text(name) == "good\n"]
    left = {path.name for path in project.root.iterdir()}
    assert left == set(names), "no temporary file is left"
    assert project.run("undo").code == 0
    assert {project.text(name) for name in names} == {"bad\n"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_from_outside_ends_the_run_in_order(
    project: Project, provider: Serve, number: signal.Signals
) -> None:
    project.write(BAD)
    provider([TWO_CALLS])
    human = project.human("fix")
    human.asked()
    os.kill(human.child.pid, number)
    assert human.ends() == 130
    assert human.lines[-2] == "Ended: interrupted."


def test_ctrl_c_several_times_is_one(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([TWO_CALLS])
    human = project.human("fix")
    human.asked()
    for _ in range(3):
        human.interrupts()
    assert human.ends() == 130
    # What it ended with may be gone: a Ctrl-C after the terminal's modes were put back drops what waits to be shown.
    assert "Traceback" not in human.text
    assert (project.text("a.txt"), project.text("b.txt")) == (BAD["a.txt"], BAD["b.txt"])


def test_a_closed_terminal_writes_nothing_more_and_leaves_nobody(project: Project, provider: Serve) -> None:
    project.write(BAD)
    project_pid = hanging(project, "exec sleep 1000")
    provider([TWO_CALLS])
    project.settings(
        project.config.read_text()
        + f"[servers.slow]\ncommand = [{json.dumps(project_pid)}]\nlanguages = {{ '.slow' = 'text' }}\n"
    )
    human = project.human("fix")
    human.asked()
    human.presses("j")
    human.asked()
    pid = human.child.pid
    os.close(human.child.child_fd)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert (project.text("a.txt"), project.text("b.txt")) == ("bad a\n", "bad b\n")
    human.child.closed = human.child.ptyproc.closed = human.child.ptyproc.terminated = True


def test_a_stopped_review_goes_on_with_its_question(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([TWO_CALLS, DONE], repeat=True)
    human = project.human("fix")
    human.asked()
    os.kill(human.child.pid, signal.SIGSTOP)
    eventually(lambda: stopped(human.child.pid))
    modes = termios.tcgetattr(human.child.child_fd)
    modes[3] |= termios.ICANON | termios.ECHO  # what a shell does with the terminal of a stopped program
    termios.tcsetattr(human.child.child_fd, termios.TCSANOW, modes)
    os.kill(human.child.pid, signal.SIGCONT)
    assert human.asked()[:2] == (1, 2)
    human.presses("y")
    human.answers("n")
    assert human.ends() == 1
    assert project.text("a.txt") == "good a\n"


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_nohup_is_heeded(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([TWO_CALLS, DONE], repeat=True)
    argv = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh", str(BIN / "motet"))
    human = project.human("fix", argv=argv)
    human.asked()
    os.kill(human.child.pid, signal.SIGHUP)
    human.presses("y")
    human.answers("y")
    assert human.ends() == 0


def test_when_nobody_reads_the_messages_any_more_the_run_ends(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([TWO_CALLS, DONE], repeat=True)
    read, write = os.pipe()
    running = subprocess.Popen(
        [BIN / "motet", "fix", "--yes"], cwd=project.root, env=project.env(), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=write,
    )  # fmt: skip
    os.close(read)
    os.close(write)
    assert running.wait(DEADLINE) == 130
    assert (project.text("a.txt"), project.text("b.txt")) == ("bad a\n", "bad b\n")


def test_when_nobody_reads_the_events_any_more_the_run_ends_quietly(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([TWO_CALLS, DONE], repeat=True)
    running = subprocess.Popen(
        [BIN / "motet", "fix", "--yes", "--json", "--quiet"], cwd=project.root, env=project.env(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stdout is not None and running.stderr is not None
    running.stdout.readline()
    running.stdout.close()
    assert running.wait(DEADLINE) == 128 + signal.SIGPIPE
    assert running.stderr.read() == b""


def test_ctrl_c_before_anything_has_begun_is_one_line(project: Project) -> None:
    project.write(BAD)
    human = Human(
        ["/bin/sh", "-c", f"kill -INT $$; exec {BIN / 'motet'} doctor"], project.root, project.env(), 80, 24
    )
    assert human.ends() in (-2, 130)
    assert re.search(QUESTION, human.text) is None
