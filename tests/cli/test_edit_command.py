"""`motet edit`: whatever shape a model's answer has, it ends in a diff or in `no edit was made`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest
from cli.kit import MAY_SEND, ONLY_RUFF, Project, Provider, block, edit

from motet.messages import tags
from motet.models.scripted import Answer, HttpError, call

Serve = Callable[..., Provider]
ALL_SERVERS = MAY_SEND + "[chat]\ntitles = false\n"
PLAIN = ALL_SERVERS + ONLY_RUFF  # what one server says of the edit says as much about its shape as what three say

BEFORE = "def greet(name):\n    print('Hello ' + name)\n\n\ndef leave():\n    print('bye')\n"
AFTER = BEFORE.replace("'Hello ' + name", "f'Hello {name}'")
OLD, NEW = "    print('Hello ' + name)\n", "    print(f'Hello {name}')\n"
WRONG = "    print(1)\n"
DIFF = "@@ -1,5 +1,5 @@\n def greet(name):\n-    print('Hello ' + name)\n+    print(f'Hello {name}')\n \n \n def leave():\n"


def written(text: str) -> Answer:
    """An answer without calls."""
    return Answer(text=text)


MADE: dict[str, list[Answer]] = {
    "a call of the edit tool": [edit(("greet.py", OLD, NEW)), written("Done.")],
    "the file is read first": [
        Answer(calls=(call("read_file", {"path": "greet.py"}),)),
        edit(("greet.py", OLD, NEW)),
        written("Done."),
    ],
    "the second call fits": [
        edit(("greet.py", "    print('Hi ' + name)\n", NEW)),
        edit(("greet.py", OLD, NEW)),
        written("Done."),
    ],
    "a SEARCH/REPLACE block in prose": [written(f"Sure! I use an f-string:\n\ngreet.py\n{block(OLD, NEW)}\nEnjoy.")],
    "a block that names no file": [written(f"Here is the change:\n\n{block(OLD, NEW)}")],
    "a block in a fence": [written(f"greet.py\n```python\n{block(OLD, NEW)}```\n")],
    "a unified diff": [written(f"```diff\n--- a/greet.py\n+++ b/greet.py\n{DIFF}```\n")],
    "a patch": [
        written(f"*** Begin Patch\n*** Update File: greet.py\n@@\n def greet(name):\n-{OLD}+{NEW}*** End Patch\n")
    ],
    "a whole file under its name": [written(f"greet.py\n```python\n{AFTER}```\n")],
    "a whole file named in a comment": [written(f"Here you go:\n\n```python\n# greet.py\n{AFTER}```\n")],
    "an element": [
        written(f"<replace_in_file>\n<path>greet.py</path>\n<diff>\n{block(OLD, NEW)}</diff>\n</replace_in_file>\n")
    ],
    "a call written as text": [
        written(
            "```json\n"
            + json.dumps({"name": "replace_in_file", "arguments": {"path": "greet.py", "diff": block(OLD, NEW)}})
            + "\n```\n"
        )
    ],
}
"""By its shape, an answer that asks for the edit."""

NOT_MADE: dict[str, tuple[list[Answer], str]] = {
    "only words": ([written("You could use an f-string there.")], "the answer holds none"),
    "nothing at all": ([written("")], "the answer holds none"),
    "a fence that names no file": (
        [written("Change it like this:\n\n```python\nprint(f'Hello {name}')\n```\n")],
        "the fence in line 3 of the answer names no file",
    ),
    "a block that fits nowhere": (
        [written(f"greet.py\n{block(WRONG, NEW)}")],
        "greet.py: refused (not_found): ",
    ),
    "a call that fits nowhere": (
        [edit(("greet.py", WRONG, NEW)), written("I could not.")],
        "greet.py: refused (not_found): ",
    ),
    "a call that is no JSON": (
        [Answer(calls=(call("replace_in_file", "{broken"),)), written("Sorry.")],
        "replace_in_file: ",
    ),
    "a call of a tool that was not handed over": (
        [Answer(calls=(call("write_file", {"path": "greet.py", "content": "x"}),)), written("Done, it is written.")],
        "there is no tool 'write_file' here; the tools are: read_file, replace_in_file",
    ),
    "the text that stands there already": ([written(f"greet.py\n{block(OLD, OLD)}")], ""),
    "a broken block": ([written(f"greet.py\n<<<<<<< SEARCH\n{OLD}=======\n{NEW}")], ""),
}  # fmt: skip
"""By its shape, an answer that comes to no edit, and why."""


@pytest.fixture
def ready(project: Project, provider: Serve) -> Callable[..., Provider]:
    """`ready(steps)`: a project with `greet.py`, and a provider that answers so."""

    def start(steps: list[Answer], more: str = PLAIN, **how: object) -> Provider:
        project.write({"greet.py": BEFORE})
        return provider([*steps, written("Done.")], more=more, **how)

    return start


@pytest.mark.acceptance("CC-07", "S0-031")
@pytest.mark.parametrize("shape", MADE)
def test_an_edit_in_whatever_shape_is_shown_as_a_diff_and_made(project: Project, ready: Serve, shape: str) -> None:
    ready(MADE[shape])
    done = project.here("edit", "-y", "use an f-string", "greet.py")
    assert (done.code, done.out, project.text("greet.py")) == (0, "", AFTER)
    assert f"-{OLD}+{NEW}" in done.err
    assert done.err.endswith("`motet undo` takes it back.\n")
    assert project.here("undo").code == 0
    assert project.text("greet.py") == BEFORE


@pytest.mark.acceptance("CC-07", "S0-031")
@pytest.mark.parametrize("shape", NOT_MADE)
def test_an_answer_without_an_edit_that_can_be_made_ends_in_a_line(
    project: Project, ready: Serve, shape: str
) -> None:
    steps, why = NOT_MADE[shape]
    ready(steps)
    done = project.here("edit", "-y", "use an f-string", "greet.py")
    assert (done.code, done.out, project.text("greet.py")) == (1, "", BEFORE)
    assert done.err.splitlines()[-1].startswith(f"no edit was made: {why}")


@pytest.mark.acceptance("CC-07")
@pytest.mark.parametrize(
    "shape", ["a SEARCH/REPLACE block in prose", "a unified diff", "a whole file under its name"]
)
def test_models_that_cannot_call_tools_write_their_edits(project: Project, ready: Serve, shape: str) -> None:
    served = ready(MADE[shape], tools=False)
    done = project.here("edit", "-y", "use an f-string", "greet.py")
    assert (done.code, project.text("greet.py")) == (0, AFTER), done.err
    assert "You cannot call tools here." in served.requests[0].text
    assert "tools" not in served.requests[0].body


@pytest.mark.acceptance("CC-07")
@pytest.mark.parametrize("shape", ["a call of the edit tool", "a SEARCH/REPLACE block in prose"])
def test_without_a_terminal_the_diff_is_shown_and_nothing_written(project: Project, ready: Serve, shape: str) -> None:
    served = ready(MADE[shape])
    done = project.run("edit", "use an f-string", "greet.py")
    assert (done.code, done.out, project.text("greet.py")) == (1, "", BEFORE)
    assert f"-{OLD}+{NEW}" in done.err
    assert done.err.splitlines()[-1] == (
        "no edit was made: not a terminal, so nobody can be asked; --yes takes every edit"
    )
    assert len(served.requests) == 1


@pytest.mark.acceptance("S0-029", "S0-030")
@pytest.mark.parametrize("shape", ["a call of the edit tool", "a unified diff"])
def test_at_a_terminal_each_hunk_is_asked_about(project: Project, ready: Serve, shape: str) -> None:
    ready(MADE[shape])
    human = project.human("edit", "use an f-string", "greet.py", columns=100)
    human.answers("y")
    human.sees("`motet undo` takes it back.")
    assert (human.ends(), project.text("greet.py")) == (0, AFTER)
    assert human.lines.count(f"+{NEW.rstrip()}") == 1  # what the model wrote is indented


@pytest.mark.parametrize("shape", ["a call of the edit tool", "a unified diff"])
def test_a_hunk_that_is_left_is_no_edit(project: Project, ready: Serve, shape: str) -> None:
    ready(MADE[shape])
    human = project.human("edit", "use an f-string", "greet.py", columns=100)
    human.answers("n")
    human.sees("no edit was made: none of the hunks was taken")
    assert (human.ends(), project.text("greet.py")) == (1, BEFORE)


def test_a_piece_that_looks_like_the_whole_file_is_not_taken_unasked(project: Project, ready: Serve) -> None:
    ready([written("The new greet.py, see below.\n\n```python\ndef greet(name):\n    pass\n```\n")])
    done = project.here("edit", "-y", "make it shorter", "greet.py")
    assert (done.code, project.text("greet.py")) == (1, BEFORE)
    assert done.err.splitlines()[-1].startswith("no edit was made: ")


def test_lines_that_are_named_are_all_that_is_shared(project: Project, ready: Serve) -> None:
    served = ready(MADE["a call of the edit tool"])
    done = project.here("edit", "-y", "use an f-string", "greet.py:1-2")
    assert (done.code, project.text("greet.py")) == (0, AFTER)
    assert '<attachment filepath=\\"greet.py\\" lines=\\"1-2\\">' in served.requests[0].text
    assert "def leave" not in served.requests[0].text


def test_several_files_are_edited_and_named(project: Project, ready: Serve) -> None:
    project.write({"a.txt": "one\n", "sub/b.txt": "one\n"})
    ready([edit(("a.txt", "one\n", "two\n"), ("sub/b.txt", "one\n", "two\n")), written("Done.")])
    done = project.here("edit", "-y", "count on", "a.txt", "sub/b.txt")
    assert done.err.splitlines()[-1] == "Edited a.txt, sub/b.txt; `motet undo` takes it back."
    assert (done.code, project.text("a.txt"), project.text("sub/b.txt")) == (0, "two\n", "two\n")


def test_json_ends_with_what_was_edited(project: Project, ready: Serve) -> None:
    ready([*MADE["a call of the edit tool"], written("There is nothing to do.")], more=ALL_SERVERS)
    done = project.here("edit", "-y", "--json", "use an f-string", "greet.py")
    assert (done.code, done.events[0]["event"], done.event("proposal")["path"]) == (0, "started", "greet.py")
    assert done.events[-1] == {"schema": 1, "event": "edited", "paths": ["greet.py"], "detail": ""}
    done = project.here("edit", "-y", "--json", "use an f-string", "greet.py")
    assert done.code == 1
    assert done.events[-1] == {"schema": 1, "event": "edited", "paths": [], "detail": "the answer holds none"}


def test_an_edit_that_was_made_is_named_when_the_model_fails_behind_it(project: Project, ready: Serve) -> None:
    ready([edit(("greet.py", OLD, NEW)), HttpError(401, "no")])
    done = project.here("edit", "-y", "use an f-string", "greet.py")
    assert (done.code, project.text("greet.py")) == (3, AFTER)
    assert done.err.splitlines()[-2] == "Edited greet.py; `motet undo` takes it back."


def test_nothing_is_sent_without_a_yes(project: Project, ready: Serve) -> None:
    served = ready(MADE["a call of the edit tool"], more="[chat]\ntitles = false\n" + ONLY_RUFF)
    done = project.here("edit", "-y", "use an f-string", "greet.py")
    assert (done.code, project.text("greet.py"), served.requests) == (4, BEFORE, [])
    assert "--allow" in done.err.splitlines()[-1]
    assert project.here("edit", "-y", "--allow", "send", "use an f-string", "greet.py").code == 0


def test_what_it_may_cost_is_a_limit(project: Project, ready: Serve) -> None:
    served = ready(MADE["a call of the edit tool"])
    done = project.here("edit", "-y", "--max-cost", "0.0001", "use an f-string", "greet.py")
    assert (done.code, project.text("greet.py"), served.requests) == (1, BEFORE, [])
    stopped, last = done.err.splitlines()[-2:]
    assert stopped.startswith("Stopped: budget of $0.0001") and last.startswith("no edit was made: ")


def test_a_recorded_edit_plays_again(project: Project, ready: Serve) -> None:
    ready(MADE["a call of the edit tool"])
    tape = str(project.root.parent / "tape.jsonl")
    assert project.here("edit", "-y", "--record", tape, "use an f-string", "greet.py").code == 0
    project.write({"greet.py": BEFORE})
    assert project.here("edit", "-y", "-m", f"replay:{tape}", "use an f-string", "greet.py").code == 0
    assert project.text("greet.py") == AFTER


def test_a_model_of_its_own_makes_edits(project: Project, ready: Serve) -> None:
    served = ready(MADE["a call of the edit tool"])
    project.settings(project.config.read_text() + '[models]\nedit = "offline"\n')
    assert "Model: offline (" in project.here("edit", "use an f-string", "greet.py").err
    assert served.requests == []


def test_a_protected_place_is_not_written_without_its_own_yes(project: Project, ready: Serve) -> None:
    hook = ".git/hooks/pre-commit"
    project.write({hook: "true\n"})
    ready([edit((hook, "true\n", "false\n")), written("Done.")])
    done = project.here("edit", "-y", "always fail", hook)
    assert (done.code, project.text(hook)) == (1, "true\n")
    assert done.err.splitlines()[-1].startswith(f"no edit was made: {hook}: ")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("", "greet.py"), 2, "motet: the instruction is empty; say what to change, as in: "),
        (("change it",), 2, "motet: missing argument 'FILE[:10-40]…' (motet edit --help)"),
        (("change it", "nosuch.py"), 2, "motet: nosuch.py: no such file"),
        (("change it", "greet.py:9-2"), 2, "motet: greet.py:9-2: lines are counted from 1, as in greet.py:10-40"),
        (("change it", "/etc/passwd"), 2, "motet: /etc/passwd: outside of the workspace "),
        (("change it", "a.bin"), 2, "motet: a.bin: "),
        (("-m", "nosuch", "change it", "greet.py"), 2, "motet: model nosuch: no such provider; "),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(project: Project, arguments: tuple[str, ...], code: int, line: str) -> None:
    project.write({"greet.py": BEFORE, "a.bin": b"\0\1"})
    project.settings('model = "offline"\n')
    done = project.here("edit", *arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.splitlines()[-1].startswith(line)


@pytest.mark.acceptance("CC-07")
def test_the_offline_model_makes_no_edit_and_that_is_said(project: Project) -> None:
    project.write({"greet.py": BEFORE})
    done = project.here("edit", "-m", "offline", "use an f-string", "greet.py")
    assert (done.code, done.err.splitlines()[-1]) == (1, "no edit was made: the answer holds none")


def test_edits_are_found_in_the_history(project: Project, ready: Serve) -> None:
    ready(MADE["a call of the edit tool"])
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    project.here("edit", "-y", "use an f-string", "greet.py")
    (chat,) = project.here("history", "list", "--json").events
    assert (chat["title"], chat["cycles"]) == ("use an f-string", 1)


@pytest.mark.acceptance("S2-042")
@pytest.mark.parametrize("shape", MADE)
def test_an_edit_of_lines_has_no_tags_of_its_own_and_the_shared_ones_know_none_for_it(
    project: Project, ready: Serve, shape: str
) -> None:
    ready(MADE[shape])
    assert project.here("edit", "-y", "use an f-string", "greet.py:1-2").code == 0
    chat = json.loads(project.here("history", "export", "last", "--json").out)
    used = {message["meta"].get("tag", "") for message in chat["messages"]}
    assert tags.FILE in used and used - {""} <= tags.ALL
    assert tags.ALL & {"system_tag", "visual"} == set()


@pytest.mark.parametrize(
    "command",
    [
        ("edit", "--yes", "--json", "use an f-string", "greet.py"),
        ("ask", "--json", "hello"),
        ("fix", "--yes", "--json", "greet.py"),
    ],
)
def test_events_at_a_terminal_have_no_talk_between_them(
    project: Project, provider: Serve, command: tuple[str, ...]
) -> None:
    project.write({"greet.py": BEFORE})
    provider([*MADE["a call of the edit tool"]], more=PLAIN)
    human = project.human(*command, columns=4_000)
    human.ends()
    lines = human.raw.decode().splitlines()
    assert len(lines) > 1
    assert all(json.loads(line)["event"] for line in lines)
