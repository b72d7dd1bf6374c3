"""`motet team`: from one file to agents that work together, end with Ctrl-C, and go on as the same."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
from collections.abc import Iterator

import pytest
from cli.background_kit import Background, Voice, background, calls, replies
from cli.kit import BIN, Project, children_of, eventually, is_alive
from engine.board_chats import told

from motet.models.scripted import Answer, ScriptedRequest, Step, call

TEAM = """
task = "@backend please add a login"
[budget]
hops = 3
[agents.backend]
prompt = "You write code."
[agents.reviewer]
roles = ["review"]
prompt = "You review it."
"""
TASK = ("mia", "message", "@backend please add a login")


@pytest.fixture
def voices() -> dict[str, Voice]:
    return {}


@pytest.fixture
def team(project: Project, voices: dict[str, Voice]) -> Iterator[Background]:
    project.write({"team.toml": TEAM})
    with background(project, voices) as found:
        yield found


def hands_on(request: ScriptedRequest) -> Step:
    """The backend: it asks the reviewer, and says so when it has the answer."""
    last = told(request)[-1]
    if "#1 on" in last:
        return calls(("board_post", {"body": "@role:review the login is written, please review"}))(request)
    if "Line 12" in last:
        return calls(("board_post", {"body": "@human the login is there, and reviewed"}))(request)
    return Answer(text="Done.")


def replies_once(request: ScriptedRequest) -> Step:
    """It answers the task, wherever it was in its work."""
    if "board_reply" in json.dumps(request.body["messages"][-2:]):  # type: ignore[index]
        return Answer(text="Done.")
    return Answer(calls=(call("board_reply", {"post": "#1", "body": "The login is there."}, "c9"),))


@pytest.mark.acceptance("S4-091", "S4-088")
def test_a_team_works_until_nothing_is_left(team: Background, voices: dict[str, Voice]) -> None:
    voices |= {"backend": hands_on, "reviewer": replies("Line 12 keeps the lock.")}
    done = team.project.run("team", "run", "--until-done", "--json")
    assert done.code == 0, done.err
    events = [event["event"] for event in done.events]
    assert sorted(events[:2]) == ["started", "started"] and sorted(events[-2:]) == ["stopped", "stopped"]
    bodies = [event["body"] for event in done.events if event["event"] == "post"]
    assert [event["budget"]["hops"] for event in done.events if event["event"] == "post"] == [3, 2, 1, 0]
    assert bodies == [
        TASK[2], "@role:review the login is written, please review", "Line 12 keeps the lock.",
        "@human the login is there, and reviewed",
    ]  # fmt: skip
    assert {team.agent(name).state for name in ("backend", "reviewer")} == {"gone"}
    again = team.project.run("team", "run", "--until-done")
    assert again.code == 0
    assert "The task stands there already, as #1; --again posts it anew." in again.err
    assert again.out.count("back again") == 2
    assert [body for _, _, body in team.posts()] == bodies


def test_ctrl_c_ends_all_that_ignores_term_too_and_resume_goes_on(team: Background, voices: dict[str, Voice]) -> None:
    stubborn = "trap '' TERM; echo began > began; sleep 600; sleep 600"
    voices |= {"backend": calls(("run_command", {"shell": stubborn})), "reviewer": replies("Fine.")}
    team.project.settings(team.project.config.read_text().replace('*"]', '*", "run:*", "net"]'))
    team.project.write({"team.toml": TEAM.replace("[agents.backend]", '[agents.backend]\ntools = ["cmd"]')})
    human = team.project.human("team", "run")
    human.sees("@backend please add a login")
    eventually((team.project.root / "began").exists)
    marks = [team.mark("backend"), team.mark("reviewer")]
    started = [each for one in marks for each in children_of(one.pid)]
    human.interrupts()
    eventually(lambda: not any(one.is_there for one in marks) and not any(map(is_alive, started)))
    assert human.ends() == 130
    voices["backend"] = replies_once
    done = team.project.run("team", "resume", "--until-done", "--json")
    assert done.code == 0, done.err
    assert [event["was_known"] for event in done.events if event["event"] == "started"] == [True, True]
    assert team.posts() == [TASK, ("backend", "message", "The login is there.")]
    carried = [text for text in told(team.provider.requests[-1]) if "please add a login" in text]
    assert len(carried) == 1, "the task was read once"


def test_when_it_is_killed_its_agents_end_and_one_that_dies_is_told(
    team: Background, voices: dict[str, Voice]
) -> None:
    voices["backend"] = replies("The login is there.")
    running = subprocess.Popen(
        [BIN / "motet", "team", "run", "--json"],
        cwd=team.project.root,
        env=team.project.env(),
        stdout=subprocess.PIPE,
    )
    assert running.stdout is not None
    try:
        team.is_posted(TASK, ("backend", "message", "The login is there."))
        backend, reviewer = team.mark("backend"), team.mark("reviewer")
        second = team.project.here("team", "run")
        assert (second.code, second.err) == (
            2, "motet: backend, reviewer run already; `motet agents stop NAME` ends one\n",
        )  # fmt: skip
        reviewer.signal(signal.SIGKILL)
        lost = next(event for line in running.stdout if (event := json.loads(line))["event"] == "lost")
        assert (lost["name"], lost["address"]) == ("reviewer", team.agent("reviewer").address)
        assert backend.is_there
    finally:
        running.kill()
        running.wait()
        running.stdout.close()
    assert asyncio.run(backend.ended(60)), "its end of the line was cut"
    eventually(lambda: team.agent("backend").state == "gone")


def test_a_dry_run_predicts_and_starts_nothing(team: Background) -> None:
    done = team.project.here("team", "run", "--dry-run", "--json")
    shares = {event["name"]: event for event in done.events if event["event"] == "share"}
    whole = done.event("prediction")
    backend = shares["backend"]
    assert (done.code, backend["turns"], shares["reviewer"]["turns"], whole["hops"]) == (0, 3, 0, 3)
    assert backend["context"] > 500
    assert backend["tokens"] == whole["tokens"] == 3 * (backend["context"] + 500)
    assert whole["cost"] == pytest.approx((3 * backend["context"] * 1.0 + 3 * 500 * 2.0) / 1e6)
    assert not (team.project.state / "boards.db").exists() and team.provider.requests == []
    config = team.project.config.read_text()
    team.project.settings(
        config.replace("input_price = 1.0\noutput_price = 2.0\n", "").replace("[board]", "[board]\nmax_tokens = 2000")
    )
    shown = team.project.here("team", "run", "--dry-run")
    assert shown.out.splitlines()[0].endswith("  –")
    assert shown.out.splitlines()[2:] == [
        "1 recipient, 3 rounds of replies: at most 2,000 tokens, –",
        "The budget ends it at 2,000 tokens or $1.00. Nothing was started.",
    ]
    team.project.write({"team.toml": TEAM + 'model = "nowhere/one"\n'})
    shown = team.project.here("team", "run", "--dry-run")
    assert shown.code == 3 and shown.out.splitlines()[1].startswith("reviewer: cannot begin: ")


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("[agents.a]\nmodl = 'x'\n", ":2", "agents.a.modl: there is no such setting"),
        ("board = 'b'\n[agents.a]\n[agents.a.budget]\nrounds = 0\n", ":4", "agents.a.budget.rounds: expected a whole number >= 1"),
        ("[agents.a]\nworktree = 'yes'\n", ":2", "agents.a.worktree: expected true or false, got text"),
        ("[agents.a.permissions]\nedits = 'all'\n", ":2", "agents.a.permissions.edits: expected one of refuse, take"),
        ("[agents.a.permissions]\n\ndeny = ['fly:*']\n", ":3", "agents.a.permissions.deny: rule 'fly:*': the effect must be one of read, write, run, send, net, as in 'send'"),
        ("[agents.all]\n", ":1", "agents.all: all cannot be a name: it has a meaning behind @; choose another word"),
        ("[agents.a]\n[agents.A]\n", ":2", "agents.A: the same name as a"),
        ("task = 'x'\n", "", "agents: it is missing"),
        ("agents = {}\n", ":1", "agents: a team has at least one agent, as in [agents.reviewer]"),
        ("budget = 3\n[agents.a]\n", ":1", "budget: expected a table, got a whole number"),
        ("[agents.a\n", "", "Expected ']' at the end of a table declaration (at line 1, column 10)"),
        ("", "", "agents: it is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_file_is_one_line_with_its_place(
    text: str, where: str, said: str, project: Project
) -> None:
    project.write({"team.toml": text})
    done = project.here("team", "run", "--dry-run")
    assert (done.code, done.out, done.err) == (2, "", f"motet: {project.root}/team.toml{where}: {said}\n")


def test_a_file_that_is_not_there_is_named(project: Project) -> None:
    done = project.here("team", "run", "--json")
    assert (
        done.event("error")["message"] == f"{project.root}/team.toml: there is no such file; docs/boards.md shows one"
    )
    done = project.here("team", "resume", "/dev/zero")
    assert (done.code, done.err) == (2, "motet: /dev/zero: not a file\n")
    project.write({"team.toml": TEAM})
    project.settings('model = "offline"\n[board]\nname = "mia"\n')
    done = project.here("team", "resume")
    assert (done.code, done.err) == (
        2,
        "motet: backend, reviewer never ran here; `motet team run team.toml` begins\n",
    )


HOSTILE = """
task = "@backend go"
[budget]
hops = 90
max_tokens = 900000000
max_cost = 1000.0
[agents.backend.permissions]
allow = ["run:*", "net", "send"]
edits = "take"
deny = ["read:secret/**"]
[agents.backend.budget]
max_cost = 1000.0
"""


def test_a_file_of_a_repository_gains_no_rights(team: Background, voices: dict[str, Voice]) -> None:
    project = team.project
    project.write({"team.toml": HOSTILE, "secret/a.txt": "key\n"})
    rights = [
        "backend may run:* without a question", "backend may net without a question",
        "backend may send without a question", "backend edits without a look",
    ]  # fmt: skip
    refused = project.here("team", "run")
    assert (refused.code, refused.out) == (4, "")
    assert refused.err == (
        f"motet: {project.root}/team.toml gives rights that your settings do not: {'; '.join(rights)}; "
        "look at it, then give --trust\n"
    )
    assert not (project.state / "agents").exists()
    predicted = project.here("team", "run", "--dry-run", "--json").event("prediction")
    assert (predicted["hops"], predicted["max_tokens"], predicted["max_cost"], predicted["rights"]) == (
        6, 500_000, 1.0, rights,
    )  # fmt: skip
    voices["backend"] = calls(
        ("run_command", {"argv": ["touch", "ran"], "network": True}), ("read_file", {"path": "secret/a.txt"})
    )
    text = HOSTILE.replace(
        "[agents.backend.permissions]", '[agents.backend]\ntools = ["cmd", "files"]\n[agents.backend.permissions]'
    )
    project.write({"team.toml": text})
    done = project.run("team", "run", "--until-done", "--trust")
    assert done.code == 0, done.err
    assert (project.root / "ran").exists()
    assert "key" not in told(team.provider.requests[-1])[-1]
    assert "denied by a rule" in told(team.provider.requests[-1])[-1]
    project.write({"team.toml": text + "max_minutes = 5\n"})
    assert project.here("team", "run").code == 4, "it is another file now"


def test_a_human_is_shown_the_rights_and_asked(team: Background) -> None:
    team.project.write({"team.toml": HOSTILE})
    human = team.project.human("team", "run", columns=100)
    human.sees("backend may run:* without a question")
    human.is_asked("Trust it? [y]es, [n]o:")
    human.presses("n")
    told = "you did not trust it; take the rights out of the file, or give --trust"
    human.sees_match(r"\s+".join(map(re.escape, told.split())))  # the path before it decides where the line ends
    assert human.ends() == 4
