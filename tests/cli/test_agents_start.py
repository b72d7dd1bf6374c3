"""Agents in the background: started, found again, ended, and the same one when they come back."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from cli.background_kit import Background, Voice, background, calls, replies
from cli.kit import Project, children_of, eventually, is_alive
from cli.test_agents_conflicts import git
from engine.board_chats import told

from motet.board import AgentState, Boards
from motet.engine.agent_spec import Running
from motet.history import History
from motet.models.scripted import Answer, ScriptedRequest, Step, Wire


@pytest.fixture
def voices() -> dict[str, Voice]:
    return {}


@pytest.fixture
def agents(project: Project, voices: dict[str, Voice]) -> Iterator[Background]:
    with background(project, voices) as found:
        yield found


@pytest.mark.acceptance("S4-017", "S4-034", "S4-073")
def test_an_agent_answers_without_a_terminal_and_comes_back_as_the_same(
    agents: Background, voices: dict[str, Voice]
) -> None:
    voices["reviewer"] = replies("Fine.")
    done = agents.start("reviewer", "--role", "review", "--prompt", "You review.")
    address = agents.agent("reviewer").address
    mark = agents.mark("reviewer")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{address} works on general with scripted/one (process {mark.pid})\n"
    assert os.getsid(mark.pid) == mark.pid
    agents.project.here("board", "post", "@role:review please look")
    agents.is_posted(("mia", "message", "@role:review please look"), ("reviewer", "message", "Fine."))
    agents.is_settled("reviewer")
    stopped = agents.project.here("agents", "stop", address.upper())
    assert (stopped.code, stopped.out, stopped.err) == (0, f"{address} has ended\n", "")
    assert (agents.agent("reviewer").state, agents.agent("reviewer").why) == ("gone", "was stopped")
    assert not mark.is_there
    agents.project.here("board", "post", "@reviewer and now?")
    voices["reviewer"] = replies("Fine now.")
    again = agents.start("Reviewer")
    assert again.out == (
        f"{address} works on general with scripted/one, back again (process {agents.mark('reviewer').pid})\n"
    )
    agents.is_posted(
        ("mia", "message", "@role:review please look"), ("reviewer", "message", "Fine."),
        ("mia", "message", "@reviewer and now?"), ("reviewer", "message", "Fine now."),
    )  # fmt: skip
    last = agents.provider.requests[-1].text
    assert last.count("You review.") == 1 and "please look" in last
    listed = agents.project.here("agents", "list", "--json").events
    assert [one["process"] for one in listed] == [None, agents.mark("reviewer").pid]


def test_a_killed_one_goes_on_where_it_was_with_nothing_twice(agents: Background, voices: dict[str, Voice]) -> None:
    asked = threading.Event()

    def waits(request: ScriptedRequest) -> Step:
        asked.set()
        return Answer(text="I am", wire=Wire(stall_after=0))

    voices["reviewer"] = waits
    agents.start("reviewer")
    agents.project.here("board", "post", "--kind", "request", "@reviewer please look")
    assert asked.wait(60)
    mark = agents.mark("reviewer")
    assert mark.signal(signal.SIGKILL)
    assert asyncio.run(mark.ended(60))

    def is_mourned() -> bool:  # not while a child that was just being started still holds what it held
        listed = agents.project.here("agents", "list", "--json").events
        (one,) = [event for event in listed if event["name"] == "reviewer"]
        return (one["state"], one["why"], one["process"]) == ("gone", "died", None)

    eventually(is_mourned)
    died = ("reviewer", "status", "Stopped, without an answer: died.")
    agents.is_posted(("mia", "request", "@reviewer please look"), died)
    voices["reviewer"] = replies("Fine.")
    assert agents.start("reviewer").code == 0
    agents.is_posted(
        ("mia", "request", "@reviewer please look"), died, ("reviewer", "message", "Fine."),
    )  # fmt: skip
    agents.is_settled("reviewer")
    assert [told(one)[-1].count("please look") for one in agents.provider.requests[:2]] == [1, 1]


def test_it_ends_after_the_call_under_way_and_goes_on_later(agents: Background, voices: dict[str, Voice]) -> None:
    gate = agents.project.root / "gate"
    os.mkfifo(gate)
    voices["backend"] = calls(
        ("run_command", {"shell": "echo began > gate; cat gate > done"}),
        ("board_reply", {"post": "#", "body": "It is."}),
    )
    agents.start("backend", "-t", "cmd", "--allow", "run:*", "--allow", "net")
    agents.project.here("board", "post", "@backend go")
    assert gate.read_text() == "began\n"
    mark = agents.mark("backend")
    with ThreadPoolExecutor() as beside:
        stopping = beside.submit(agents.project.run, "agents", "stop", "backend", "--within", "60")
        eventually(lambda: "after the call under way" in agents.log("backend"))
        gate.write_text("whole\n")
        assert stopping.result().code == 0
    assert not mark.is_there
    assert agents.project.text("done") == "whole\n"
    assert agents.posts() == [("mia", "message", "@backend go")]
    agents.start("backend")
    agents.is_posted(("mia", "message", "@backend go"), ("backend", "message", "It is."))
    agents.is_settled("backend")
    resumed = json.dumps(agents.provider.requests[1].body["messages"])
    assert resumed.count('"name": "run_command"') == 1, "the call was not made twice"


def test_one_that_does_not_end_is_ended_with_what_it_started(agents: Background, voices: dict[str, Voice]) -> None:
    voices["backend"] = calls(("run_command", {"shell": "trap '' TERM; echo $$ > pid; sleep 600; sleep 600"}))
    agents.start("backend", "-t", "cmd", "--allow", "run:*", "--allow", "net")
    agents.project.here("board", "post", "@backend go")
    pid = agents.project.root / "pid"
    eventually(lambda: pid.exists() and pid.read_text().strip())
    started = children_of(agents.mark("backend").pid)
    assert started
    done = agents.project.here("agents", "stop", "backend", "--within", "0", "--json")
    event = done.event("stopped")
    assert (done.code, event["was_running"]) == (0, True)
    eventually(lambda: not any(map(is_alive, started)))
    assert agents.project.here("agents", "stop", "backend").out.endswith(" did not run\n")


def test_two_starts_at_once_are_one_agent(agents: Background) -> None:
    with ThreadPoolExecutor() as beside:
        starts = [beside.submit(agents.project.run, "agents", "start", "twin") for _ in range(2)]
        codes = sorted(one.result().code for one in starts)
    assert codes == [0, 2]
    refused = agents.start("TWIN")
    address, pid = agents.agent("twin").address, agents.mark("twin").pid
    assert (refused.code, refused.err) == (
        2, f"motet: {address} runs already (process {pid}); `motet agents stop twin` ends it\n",
    )  # fmt: skip


def test_what_would_be_asked_is_refused_and_said_on_the_board(agents: Background, voices: dict[str, Voice]) -> None:
    agents.project.write({"a.txt": "one\n"})
    diff = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    voices["backend"] = calls(
        ("run_command", {"argv": ["touch", "ran"]}),
        ("replace_in_file", {"path": "a.txt", "diff": diff}),
        last="I may not.",
    )
    agents.start("backend", "-t", "cmd", "-t", "editor")
    agents.project.here("board", "post", "@backend go")
    address = agents.agent("backend").address
    refused = f"{address} was refused, as nobody can be asked: "
    agents.is_posted(
        ("mia", "message", "@backend go"),
        ("backend", "status", f"{refused}run:touch ran; allow it with --allow 'run:touch ran'"),
        ("backend", "status", f"{refused}edits of a.txt; start it with --yes, and they are made without a look"),
        ("backend", "message", "I may not."),
    )
    agents.is_settled("backend")
    assert agents.project.text("a.txt") == "one\n" and not (agents.project.root / "ran").exists()
    agents.project.here("agents", "stop", "backend")
    agents.start("backend", "--yes", "--allow", "run:touch ran", "--allow", "net")
    agents.project.here("board", "post", "@backend now")
    eventually(lambda: agents.project.text("a.txt") == "two\n")
    agents.is_settled("backend")
    assert (agents.project.root / "ran").exists()


def test_one_that_may_not_send_does_not_begin(agents: Background) -> None:
    agents.project.settings(agents.project.config.read_text().replace("send:scripted *", "read:none"))
    done = agents.start("reviewer")
    host = agents.provider.host
    assert (done.code, done.out) == (4, "")
    assert done.err == (
        f"motet: reviewer: send:scripted {host}: needs a yes; allow it with --allow 'send:scripted {host}'\n"
    )
    assert agents.agent_names() == []
    assert agents.start("reviewer", "--allow", "send").code == 0
    assert agents.start("all").err.startswith("motet: all cannot be a name: it has a meaning behind @")
    assert agents.project.here("agents", "stop", "nobody").err == (
        "motet: no agent 'nobody' was started in the background here; `motet agents list` shows all\n"
    )


def test_it_works_on_a_branch_of_its_own(agents: Background, voices: dict[str, Voice]) -> None:
    project = agents.project
    project.write({"a.txt": "one\n"})
    for words in (("init", "--quiet", "--initial-branch=main"), ("add", "."), ("commit", "--quiet", "-m", "begin")):
        git(project.root, *words)
    diff = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    voices["backend"] = calls(
        ("replace_in_file", {"path": "a.txt", "diff": diff}), ("board_reply", {"post": "#", "body": "It says two."})
    )
    started = agents.start("backend", "--worktree", "--yes", "-t", "editor", "--json").event("started")
    tree = Path(started["workspace"])
    assert tree.is_relative_to(project.state) and (tree / "a.txt").read_text() == "one\n"
    project.here("board", "post", "@backend go")
    agents.is_posted(("mia", "message", "@backend go"), ("backend", "message", "It says two."))
    assert ((tree / "a.txt").read_text(), project.text("a.txt")) == ("two\n", "one\n")
    project.write({"a.txt": "mine\n"})
    conflicts = project.here("agents", "conflicts")
    assert conflicts.out.startswith(f"main and {started['address']} (motet/backend): would conflict\n")
    kept = project.here("agents", "stop", "backend")
    assert kept.out == f"{started['address']} has ended; its changes are in {tree}\n"
    again = agents.start("backend", "--json").event("started")
    assert (again["workspace"], again["was_known"], (tree / "a.txt").read_text()) == (str(tree), True, "two\n")
    (tree / "a.txt").write_text("one\n")
    assert project.here("agents", "stop", "backend").out == f"{started['address']} has ended\n"
    assert not tree.exists()


@pytest.mark.acceptance("S4-070")
def test_it_outlives_the_terminal(agents: Background, voices: dict[str, Voice]) -> None:
    voices["reviewer"] = replies("Fine.")
    human = agents.project.human("agents", "start", "reviewer")
    human.sees("works on general with scripted/one")
    assert human.ends() == 0
    human.child.close(force=True)
    agents.project.here("board", "post", "@reviewer look")
    agents.is_posted(("mia", "message", "@reviewer look"), ("reviewer", "message", "Fine."))


def test_a_number_that_another_process_has_by_now_is_not_ended(agents: Background) -> None:
    agents.start("reviewer")
    assert agents.mark("reviewer").signal(signal.SIGKILL)
    assert asyncio.run(agents.marks[0].ended(60))
    other = subprocess.Popen(["sleep", "600"])
    try:
        files = agents.files("reviewer")
        files.run(Running(replace(agents.marks[0], pid=other.pid), files.last_address()))
        done = agents.project.here("agents", "stop", "reviewer")
        assert (done.code, done.out) == (1, f"{files.last_address()} did not run\n")
        assert other.poll() is None
        before = files.last_address()
        assert agents.start("reviewer").out.startswith(f"{before} works on general with scripted/one, back again")
    finally:
        other.kill()
        other.wait()


def test_one_whose_chat_a_human_has_open_is_not_taken_for_dead(agents: Background) -> None:
    agents.start("reviewer")
    agents.project.here("agents", "stop", "reviewer")
    address = agents.agent("reviewer").address
    kept = agents.files("reviewer").kept()
    assert kept is not None

    async def list_them(holds: bool) -> str:
        async with Boards.in_directory(agents.project.state) as boards:
            await boards.set_state(address, AgentState.IDLE)
            history = History.open(agents.project.state)
            lease = await history.lease(kept.chat) if holds else None
            await asyncio.to_thread(agents.project.run, "agents", "list")
            if lease is not None:
                lease.close()
            await history.close()
            return str((await boards.agent(address)).state)

    assert [asyncio.run(list_them(holds)) for holds in (True, False)] == ["idle", "gone"]
