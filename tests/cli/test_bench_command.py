"""`motet bench edit-formats`: each edit is asked for in a place of its own, and what came of it is judged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Project, Provider, edit

from motet.cli.trials import tasks
from motet.models.scripted import Answer, HttpError

Serve = Callable[..., Provider]
ASKED = tasks()


def made(find: str, replace: str) -> list[Answer]:
    """A model that makes this edit, wherever its text stands."""
    edits = [
        (ASKED.path, line + "\n", line.replace(find, replace) + "\n")
        for line in ASKED.file.splitlines()
        if find in line
    ]
    return [edit(*edits), Answer(text="Done.")]


@pytest.mark.acceptance("CC-07")
def test_each_verdict_is_counted_and_what_was_not_made_is_named(project: Project, provider: Serve) -> None:
    tax, cheapest, *_ = ASKED.tasks
    steps = [
        *made(tax.find, tax.replace),
        *made(tax.find, "TAX = 1"),  # asked for something else
        Answer(text="I would rather not."),
        HttpError(400, body='{"error": {"message": "no"}}'),
    ]
    served = provider(steps, more="")
    done = project.run(
        "bench",
        "edit-formats",
        "-m",
        "scripted",
        "--runs",
        "1",
        "--edits",
        "4",
        "--formats",
        "replace_in_file",
        "--json",
    )
    assert done.code == 0, done.err
    *trials, row = done.events
    assert [trial["verdict"] for trial in trials] == ["right", "other", "no edit", "failed"]
    assert [trial["task"] for trial in trials] == [task.say for task in ASKED.tasks[:4]]
    assert trials[2]["detail"].startswith("no edit was made: ")
    assert (row["event"], row["format"], row["edits"]) == ("format", "replace_in_file", 4)
    assert [row[name] for name in ("right", "other", "no edit", "silent", "failed")] == [1, 1, 1, 0, 1]
    assert cheapest.say in served.requests[2].text
    assert list(project.root.iterdir()) == []
    assert project.here("history", "list").out == ""


def test_each_format_has_its_own_tool_and_a_table_for_a_page(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="No.")], repeat=True, more="")
    done = project.run(
        "bench",
        "edit-formats",
        "-m",
        "scripted",
        "--runs",
        "1",
        "--edits",
        "2",
        "--formats",
        "apply_patch, whole_file",
    )
    names = [{tool["function"]["name"] for tool in request.body["tools"]} for request in served.requests]
    assert ["apply_patch" in each for each in names] == [True] * 2 + [False] * 2
    assert ["write_file" in each for each in names] == [False] * 2 + [True] * 2
    head, _, *rows = done.out.splitlines()
    assert head == "| scripted | edits | right | other | no edit | silent | failed | seconds | tokens |"
    assert [row.split(" | ")[:7] for row in rows] == [
        [f"| {name}", "2", "0%", "0%", "100%", "0%", "0%"] for name in ("apply_patch", "whole_file")
    ]


def test_a_model_that_cannot_be_used_ends_it_at_once(project: Project) -> None:
    done = project.run("bench", "edit-formats", "-m", "anthropic")
    assert (done.code, done.out) == (3, "")
    assert done.err == "motet: anthropic: ANTHROPIC_API_KEY is not set; set it, or providers.anthropic.key\n"
    done = project.run("bench", "edit-formats", "-m", "nosuch/x")
    assert (done.code, done.out) == (2, "")
    assert done.err == project.here("ask", "-m", "nosuch/x", "hello").err
    done = project.run("bench", "edit-formats", "-m", "anthropic", "--formats", "morse")
    assert done.code == 2
    assert done.err.startswith("motet: 'morse' is no format; choose of replace_in_file, edit_file, whole_file, ")


def test_every_task_is_one_edit_of_the_file_that_leaves_a_program() -> None:
    assert len(ASKED.tasks) == 10
    for task in ASKED.tasks:
        compile(ASKED.file.replace(task.find, task.replace), ASKED.path, "exec")
        assert task.find in ASKED.file


@pytest.mark.parametrize(
    "where", ['edit_format = "apply_patch"\n', '[providers.scripted]\nedit_format = "apply_patch"\n']
)
def test_the_format_of_the_settings_is_the_tool_that_a_chat_gets(
    project: Project, provider: Serve, where: str
) -> None:
    served = provider([Answer(text="No.")], repeat=True)
    text = project.config.read_text()
    project.settings(text.replace("[providers.scripted]\n", where) if "[" in where else where + text)
    project.write({"a.py": "a = 1\n"})
    project.here("edit", "-y", "say two", "a.py")
    assert [tool["function"]["name"] for tool in served.requests[0].body["tools"]][:2] == ["read_file", "apply_patch"]
