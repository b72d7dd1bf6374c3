"""The other questions of a run: may code leave, is a worse round taken back, may a protected place be written."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit, is_alive

Serve = Callable[..., Provider]

BAD = {"a.txt": "bad\n"}
REPAIR = edit(("a.txt", "bad\n", "good\n"))
QUESTION = "Allow it? [y]es for this project, [o]nce, [n]o:"
REPAIRED = "Applied changes to 1 of 1 file."


@pytest.mark.acceptance("CL-08", "S3-009")
def test_the_first_send_asks_once_naming_provider_host_and_what_is_sent(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([REPAIR, DONE] * 2, more="")
    human = project.human("fix")
    human.is_asked(QUESTION)
    lines = human.lines
    at = lines.index("Code of this project is about to leave this machine for the first time.")
    assert lines[at - 1 :] == [
        "",
        "Code of this project is about to leave this machine for the first time.",
        "  provider: scripted",
        f"  host:     {served.host}",
        "  sent:     the problems, the files they are in and the definitions these use",
        QUESTION,
    ]
    assert served.requests == []
    human.presses("y")
    human.answers("y")
    assert human.ends() == 0

    project.write(BAD)
    again = project.human("fix")
    again.answers("y")
    assert again.ends() == 0
    assert QUESTION not in again.text
    assert json.loads((project.state / "grants.json").read_text())[0]["action"] == f"send:scripted {served.host}"


def test_once_is_only_for_this_run(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE], more="")
    human = project.human("fix")
    human.is_asked(QUESTION)
    human.presses("o")
    human.answers("n")
    assert human.ends() == 1
    again = project.human("fix")
    again.is_asked(QUESTION)
    again.interrupts()
    assert again.ends() == 130


def test_an_answer_that_cannot_be_kept_is_one_line(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([REPAIR], more="")
    (project.state / "grants.lock").mkdir(parents=True)
    human = project.human("fix", columns=300)
    human.is_asked(QUESTION)
    human.presses("y")
    assert human.ends() == 1
    assert (
        human.lines[-1]
        == f"motet: {project.state}/grants.json: cannot keep the grants: Is a directory; make it writable"
    )
    assert served.requests == []


@pytest.mark.parametrize("key", ["n", "\x04"])
@pytest.mark.acceptance("CL-08", "CL-09", "PY-03")
def test_a_no_sends_nothing_and_ends_the_run(project: Project, provider: Serve, key: str) -> None:
    project.write(BAD)
    served = provider([REPAIR], more="")
    human = project.human("fix")
    human.is_asked(QUESTION)
    human.presses("x")
    human.is_asked(QUESTION)
    human.presses(key)
    assert human.ends() == 4
    assert served.requests == []
    assert human.lines[-2:] == [
        "Left: 1 problem.",
        f"Ended: not permitted (send:scripted {served.host}: you said no).",
    ]


@pytest.mark.acceptance("CL-08")
def test_yes_does_not_answer_it_where_nobody_can_be_asked(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([REPAIR], more="")
    done = project.run("fix", "--yes")
    assert (done.code, served.requests) == (4, [])
    wanted = f"send:scripted {served.host}"
    assert f"({wanted}: needs a yes; allow it with --allow '{wanted}')" in done.err
    assert project.text("a.txt") == "bad\n"


def test_yes_does_not_answer_it_at_a_terminal_either(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE], more="")
    human = project.human("fix", "--yes")
    human.is_asked(QUESTION)
    human.presses("y")
    assert human.ends() == 0
    assert project.text("a.txt") == "good\n"


@pytest.mark.parametrize("rule", ["send", "send:scripted *"])
@pytest.mark.acceptance("CL-08")
def test_allow_send_answers_it(project: Project, provider: Serve, rule: str) -> None:
    project.write(BAD)
    provider([REPAIR, DONE], more="")
    assert project.here("fix", "--yes", "--allow", rule).code == 0
    assert not (project.state / "grants.json").exists(), "a flag is for one run"


def test_the_project_cannot_answer_it(project: Project, provider: Serve) -> None:
    project.write({**BAD, ".motet.toml": '[permissions]\nallow = ["send"]\n'})
    served = provider([REPAIR], more="")
    done = project.here("fix", "--yes")
    assert (done.code, served.requests) == (4, [])
    assert ".motet.toml: permissions.allow ignored: a project's file can only restrict" in done.err


def test_the_offline_model_asks_nothing(project: Project) -> None:
    project.write(BAD)
    human = project.human("fix", "--yes", "--model", "offline", "--checker", "echo a.txt:1: error: bad; exit 1")
    assert human.ends() == 1
    assert "Allow it?" not in human.text


WORSE = edit(("a.txt", "bad\n", "bad\nbad\n"), text="Twice as bad.")
TAKE_BACK = "Take this round back? [r]evert, [k]eep:"


@pytest.mark.acceptance("CL-05")
def test_a_worse_round_is_shown_and_reverted_with_one_key(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([WORSE, DONE, REPAIR, DONE])
    human = project.human("fix")
    human.answers("y")
    human.is_asked(TAKE_BACK)
    assert project.text("a.txt") == "bad\nbad\n"
    at = human.lines.index("There are more problems than before this round.")
    assert human.lines[at - 4 : at] == [
        "1 file, 2 errors (awk)  0 solved, 1 new",
        "New:",
        "  a.txt",
        "    2:1    error: a bad word (awk)",
    ]
    human.presses("r")
    human.sees("Taken back: a.txt")
    human.answers("y")
    assert human.ends() == 0
    assert project.text("a.txt") == "good\n"


@pytest.mark.acceptance("CL-05")
def test_a_worse_round_is_kept_when_the_human_says_so(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([WORSE, DONE], repeat=True)
    human = project.human("fix", "--rounds", "1")
    human.answers("y")
    human.is_asked(TAKE_BACK)
    human.presses("x\rk")
    assert human.ends() == 1
    assert project.text("a.txt") == "bad\nbad\n"
    assert "Ended: no progress (the edits solved nothing)." in human.lines


@pytest.mark.parametrize("key", ["\x04", "\x03"])
def test_no_answer_about_a_worse_round(project: Project, provider: Serve, key: str) -> None:
    project.write(BAD)
    provider([WORSE, DONE], repeat=True)
    human = project.human("fix", "--rounds", "1")
    human.answers("y")
    human.is_asked(TAKE_BACK)
    human.presses(key)
    ended = human.ends()
    if key == "\x04":
        assert (ended, project.text("a.txt")) == (1, "bad\n"), "without an answer it is taken back"
    else:
        assert (ended, project.text("a.txt")) == (130, "bad\nbad\n"), "Ctrl-C stops, and says what is there"
        assert REPAIRED in human.lines


@pytest.mark.acceptance("CL-05")
def test_with_yes_a_worse_round_is_taken_back_by_itself(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([WORSE, DONE, WORSE, DONE])
    done = project.here("fix", "--yes")
    assert (done.code, project.text("a.txt")) == (1, "bad\n")
    assert "There are more problems than before this round.\n\nTaken back: a.txt\n1 file, 1 error (awk)\n" in done.err
    assert "Applied changes to 0 of 1 file.\nEnded: no progress (the same edits make it worse again)." in done.err


def test_a_protected_place_is_asked_about_after_the_review(project: Project, provider: Serve) -> None:
    project.write({"AGENTS.md": "bad\n"})
    served = provider([edit(("AGENTS.md", "bad\n", "good\n")), DONE], repeat=True)
    config = project.config.read_text().replace("*.txt", "AGENTS.md")
    project.settings(config)
    human = project.human("fix")
    human.answers("y")
    human.is_asked("Write it this once? [y]es, [n]o:")
    assert human.lines[-3:-1] == [
        "A write to a protected place, asked for by the model.",
        "  file:     AGENTS.md",
    ]
    human.presses("n")
    assert human.ends() == 4
    assert project.text("AGENTS.md") == "bad\n"
    assert "Not applied to AGENTS.md: write:AGENTS.md: you said no" in human.lines
    assert served.requests


def test_a_protected_place_stays_as_it_is_where_nobody_can_be_asked(project: Project, provider: Serve) -> None:
    project.write({"AGENTS.md": "bad\n"})
    provider([edit(("AGENTS.md", "bad\n", "good\n")), DONE], repeat=True)
    project.settings(project.config.read_text().replace("*.txt", "AGENTS.md"))
    done = project.here("fix", "--yes", "--allow", "write")
    assert (done.code, project.text("AGENTS.md")) == (4, "bad\n")
    assert (
        "Not applied to AGENTS.md: write:AGENTS.md: needs a yes; "
        "a protected place is written only when you say so at a terminal\n"
    ) in done.err


def test_nothing_is_left_running_after_a_question(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR], more="")
    human = project.human("fix")
    human.is_asked(QUESTION)
    human.interrupts()
    assert human.ends() == 130
    assert not is_alive(human.child.pid)
