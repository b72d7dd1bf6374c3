"""`motet fix --json`: stdout is data with a version, stderr is for people, the exit code says how it went."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

import pytest
from cli.kit import BIN, DONE, Done, Project, Provider, edit

from motet.models.scripted import Answer, HttpError

Serve = Callable[..., Provider]

REPAIR = edit(("a.txt", "bad\n", "good\n"))


def names(done: Done) -> list[str]:
    assert {event["schema"] for event in done.events} == {1}
    return [event["event"] for event in done.events]


@pytest.mark.acceptance("CL-04", "CL-09", "S3-004", "S3-021", "S3-041")
def test_a_run_from_its_first_event_to_its_last(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n", "b.txt": "bad too\n"})
    served = provider([REPAIR, DONE])
    done = project.run("fix", "--yes", "--json", "--rounds", "1")
    assert names(done) == [
        "started", "checked", "round_started", "asked", "answered", "proposal", "tool_finished", "asked", "answered",
        "turn_ended", "round_finished", "fixed",
    ]  # fmt: skip
    problem = {
        "path": "a.txt", "line": 1, "column": 1, "end_line": 1, "end_column": 1, "severity": "error",
        "message": "a bad word", "source": "awk", "code": "",
    }  # fmt: skip
    other = {**problem, "path": "b.txt"}
    started = done.event("started")
    assert (started["model"], started["host"], started["workspace"]) == (
        "scripted/one",
        served.host,
        str(project.root),
    )
    assert done.event("checked") | {"schema": 1} == {
        "schema": 1, "event": "checked", "files": 2, "sources": ["awk"], "diagnostics": [problem, other],
    }  # fmt: skip
    asked = next(event for event in done.events if event["event"] == "answered")
    assert (asked["text"], asked["tokens"]) == ("I repair it.", {"input": 100, "output": 20, "cached_input": 0})
    (call,) = asked["calls"]
    diff = "<<<<<<< SEARCH\nbad\n=======\ngood\n>>>>>>> REPLACE\n"
    assert (call["tool"], json.loads(call["arguments"])) == ("replace_in_file", {"path": "a.txt", "diff": diff})
    assert done.event("proposal") == {
        "schema": 1, "event": "proposal", "path": "a.txt", "created": False,
        "hunks": [{"line": 1, "old": "bad\n", "new": "good\n", "decision": "accepted", "remark": ""}],
    }  # fmt: skip
    assert done.events[-1] == {
        "schema": 1, "event": "fixed", "reason": "rounds", "detail": "after 1 round",
        "summary": "Applied changes to 1 of 1 file.", "changed": ["a.txt"], "proposed": ["a.txt"], "failed": {},
        "denied": [], "remaining": [{**other, "left_because": None}], "rounds": 1,
        "tokens": {"input": 200, "output": 40, "cached_input": 0}, "cost": 0.00028, "exit_code": 1,
    }  # fmt: skip
    assert done.code == 1
    assert "Applied changes to 1 of 1 file." in done.err, "people read the same on stderr"


@pytest.mark.acceptance("CL-04", "CL-09", "PY-03")
def test_a_clean_end_is_zero_and_quiet_leaves_only_the_end_for_people(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    provider([REPAIR, DONE])
    done = project.here("fix", "--yes", "--json", "--quiet")
    assert (done.code, done.events[-1]["reason"], done.events[-1]["remaining"]) == (0, "clean", [])
    assert done.err == (
        "\nApplied changes to 1 of 1 file.\nEnded: nothing left.\nUsed 200 tokens in, 40 out, $0.0003.\n"
    )


@pytest.mark.acceptance("CL-03", "S3-024")
def test_the_summary_counts_distinct_files_and_names_what_failed(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n", "b.txt": "bad\n\n\n\n\n\nbad again\n"})
    provider([
        edit(("a.txt", "not there\n", "good\n"), ("b.txt", "bad\n", "good\n"), ("b.txt", "bad again\n", "good\n")), DONE, DONE,
    ])  # fmt: skip
    done = project.here("fix", "--yes", "--json")
    end = done.events[-1]
    assert (end["summary"], end["changed"], end["proposed"]) == (
        "Applied changes to 1 of 2 files.", ["b.txt"], ["a.txt", "b.txt"],
    )  # fmt: skip
    assert list(end["failed"]) == ["a.txt"]
    assert end["failed"]["a.txt"].startswith("not_found: ")
    assert f"\nNot applied to a.txt: {end['failed']['a.txt']}\nApplied changes to 1 of 2 files.\n" in done.err


def test_a_refused_edit_and_a_worse_round_are_events_too(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n", "b.txt": "bad\n"})
    provider([
        edit(("a.txt", "not there\n", "good\n"), ("b.txt", "bad\n", "good\n")), DONE,
        edit(("a.txt", "bad\n", "bad\nbad\n")), DONE, DONE,
    ])  # fmt: skip
    done = project.here("fix", "--yes", "--json")
    refused = next(event for event in done.events if event["event"] == "tool_finished")
    assert refused["is_error"] is True
    assert refused["text"].startswith("a.txt")
    assert [event["is_worse"] for event in done.events if event["event"] == "round_finished"][:2] == [False, True]
    taken_back = done.event("taken_back")
    assert (taken_back["files"], len(taken_back["diagnostics"])) == (["a.txt"], 1)
    end = done.events[-1]
    assert (end["summary"], end["changed"]) == ("Applied changes to 1 of 2 files.", ["b.txt"])
    assert (done.code, [one["path"] for one in end["remaining"]]) == (1, ["a.txt"])


def test_what_the_model_leaves_and_why_is_in_the_last_event(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    provider([Answer(text="- a.txt:1: a bad word (somebody has to say what is meant)")])
    done = project.here("fix", "--yes", "--json")
    assert done.events[-1]["remaining"][0]["left_because"] == "somebody has to say what is meant"
    assert "  a.txt:1:1: error: a bad word (awk)\n      somebody has to say what is meant\n" in done.err


def test_retries_and_a_provider_that_fails(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    provider([HttpError(429, headers={"Retry-After": "0"}), HttpError(401, "no such key")])
    done = project.here("fix", "--yes", "--json")
    assert names(done) == ["started", "checked", "round_started", "asked", "retrying", "fixed"]
    retrying = done.event("retrying")
    assert (retrying["attempt"], retrying["files"]) == (1, ["a.txt"])
    assert (done.code, done.events[-1]["reason"], done.events[-1]["exit_code"]) == (3, "model", 3)
    assert "no such key" in done.events[-1]["detail"]
    assert "trying again in" in done.err


def test_an_error_before_the_run_is_the_only_event(project: Project) -> None:
    done = project.here("fix", "--json", "nosuch")
    assert done.code == 2
    assert done.events == [{"schema": 1, "event": "error", "message": "nosuch: no such file", "exit_code": 2}]
    assert done.err == "motet: nosuch: no such file\n"


@pytest.mark.acceptance("CL-09")
def test_without_a_terminal_and_without_yes_nothing_is_written(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    provider([REPAIR, DONE])
    done = project.here("fix", "--json")
    assert (done.code, project.text("a.txt")) == (1, "bad\n")
    assert done.events[-1]["reason"] == "dry_run"
    assert [hunk["decision"] for hunk in done.event("proposal")["hunks"]] == ["pending"]
    assert "Not a terminal, so nobody can be asked: nothing is written. --yes takes every edit." in done.err


HOSTILE = "\x1b]0;owned\x07\x9b2J\u202e\u200b\U000e0041"


def test_json_escapes_what_a_terminal_could_obey_and_leaves_japanese_readable(
    project: Project, provider: Serve
) -> None:
    name = "日本語\u202etxt.txt"
    project.write({name: f"bad {HOSTILE} 値\n"})
    provider([edit((name, f"bad {HOSTILE} 値\n", "good 値\n"), text=HOSTILE), DONE])
    done = project.here("fix", "--yes", "--json")
    assert done.code == 0
    unsafe = {unicodedata.category(character) for character in done.out if character != "\n"} & {"Cc", "Cf", "Cs"}
    assert unsafe == set()
    assert "値" in done.out and "日本語" in done.out
    assert done.event("proposal")["path"] == name
    assert done.event("proposal")["hunks"][0]["old"] == f"bad {HOSTILE} 値\n"


def test_a_name_that_is_not_utf8_is_still_json(project: Project, provider: Serve) -> None:
    (project.root / "caf\udce9.txt").write_bytes(b"bad\n")
    provider([DONE])
    done = project.run("fix", "--yes", "--json")
    assert done.code in (0, 1)
    assert names(done)[-1] in ("fixed", "error")


def test_the_human_is_asked_on_stderr_while_stdout_is_data(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    provider([REPAIR, DONE])
    events = project.home / "events"
    argv = ("sh", "-c", 'exec "$0" fix --json >"$1"', str(BIN / "motet"), str(events))
    human = project.human(argv=argv)
    human.answers("y")
    assert human.ends() == 0
    assert "schema" not in human.text
    assert json.loads(events.read_text().splitlines()[-1])["event"] == "fixed"
