"""The first run of an agent in a fresh home: nothing leaves, is written or is run before the human has said yes to it,
and what was taken can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli.chat.session_kit import Talker, talker
from cli.kit import Project, Provider, block, eventually

from motet.models.scripted import Answer, call
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]

FRESH = "[chat]\ntitles = false\n"
"""Settings of somebody who has named a provider, and nothing else: no permission, no tool, no yes."""


def tree(root: Path) -> dict[str, bytes]:
    """Every file by its path."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def asked(human: Talker) -> list[str]:
    """The lines from the last blank one on: what the human is asked now."""
    lines = human.lines
    return lines[len(lines) - lines[::-1].index("") :] if "" in lines else lines


def agent(project: Project, text: str) -> Talker:
    """A human who hands an agent its work, and has let it be sent."""
    human = talker(project, "chat", columns=100, rows=50)
    human.says(text)
    human.is_asked("Allow it? [y]es for this project, [o]nce, [n]o:")
    human.presses("y")
    return human


def leaves(human: Talker) -> None:
    human.is_ready()
    human.presses("\x04")
    assert human.ends() == 0


# --- asks before the first of each -----------------------------------------------------------------------------

WRITES_AND_RUNS = (
    Answer(text="I make it.", calls=(call("create_file", {"path": "src/new.py", "content": "a = 1\n"}, "c1"),)),
    Answer(text="I try it.", calls=(call("run_command", {"argv": ["touch", "it ran"]}, "c2"),)),
    Answer(text="That was all."),
)


@pytest.mark.acceptance("AV-04", "S0-020", "S0-132")
def test_in_a_fresh_home_an_agent_asks_before_its_first_request_its_first_write_and_its_first_command(
    project: Project, provider: Serve
) -> None:
    served = provider(WRITES_AND_RUNS, more=FRESH)
    assert not project.state.exists()
    human = talker(project, "chat", columns=100)
    human.says("@agent build it")
    human.is_asked("Allow it? [y]es for this project, [o]nce, [n]o:")
    assert asked(human) == [
        "Code of this project is about to leave this machine for the first time.",
        "  provider: scripted",
        f"  host:     {served.host}",
        "  sent:     your messages, what you share in them, and what tools find",
        "Allow it? [y]es for this project, [o]nce, [n]o:",
    ]
    assert served.requests == []
    human.presses("y")

    assert human.asked() == (1, 1, "y,n,r,a,d,e,p,q,?")
    assert asked(human) == [
        "src/new.py:1  new file",
        "+a = 1",
        "(1/1) Take this hunk? [y,n,r,a,d,e,p,q,?]",
    ]
    assert tree(project.root) == {}
    human.presses("y")

    human.is_asked("Allow it? [o]nce")
    question = asked(human)
    assert question[:2] == ["A command is to be run, asked for by the model.", "  run:      touch 'it ran'"]
    assert question[2].endswith("/touch")
    assert question[3].startswith("            in the workspace, at most 120 s, ")
    assert tree(project.root) == {"src/new.py": b"a = 1\n"}
    human.presses("o")

    human.sees("That was all.")
    assert tree(project.root) == {"src/new.py": b"a = 1\n", "it ran": b""}
    leaves(human)


@pytest.mark.acceptance("AV-04")
def test_who_says_no_to_the_first_write_and_the_first_command_has_neither(project: Project, provider: Serve) -> None:
    served = provider(WRITES_AND_RUNS, more=FRESH)
    human = agent(project, "@agent build it")
    human.answers("n")
    human.is_asked("Allow it? [o]nce")
    human.presses("n")
    human.sees("That was all.")
    assert tree(project.root) == {}
    written, run = (request.body["messages"][-1]["content"] for request in served.requests[1:])  # type: ignore[index]
    assert written == "src/new.py: not created, applied 0 of 1 hunk\nhunk 1 (line 1): rejected by the human"
    assert run == "run_command: not run: the human said no"
    leaves(human)


# --- each by itself --------------------------------------------------------------------------------------------

BEFORE = {"one.txt": "one\n", "two.txt": "two\n", "three.txt": "three\n"}
ALL_AT_ONCE = (
    call("create_file", {"path": "made/a.txt", "content": "a\n"}, "c1"),
    call("create_file", {"path": "made/b.txt", "content": "b\n"}, "c2"),
    call("delete_file", {"path": "one.txt"}, "c3"),
    call("delete_file", {"path": "two.txt"}, "c4"),
    call("move_file", {"path": "three.txt", "to": "made/3.txt"}, "c5"),
    call("run_command", {"argv": ["sh", "-c", "ls > listed; exit 3"]}, "c6"),
    call("run_command", {"argv": ["touch", "a b", "--", "$HOME"]}, "c7"),
)


@pytest.mark.acceptance("CL-07")
def test_of_one_answer_each_file_and_each_command_is_asked_about_by_itself_and_what_was_deleted_comes_back(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(calls=ALL_AT_ONCE), Answer(text="That was all.")], more=FRESH)
    project.write(BEFORE)
    human = agent(project, "@agent tidy up")
    questions: list[tuple[str, ...]] = []
    for key in "ynyny":
        human.asked()
        questions.append(tuple(asked(human)[:-1]))
        human.presses(key)
    for key in "on":
        human.is_asked("Allow it? ")
        questions.append(tuple(asked(human)[:3]))
        human.presses(key)
    human.sees("That was all.")
    leaves(human)
    assert questions == [
        ("made/a.txt:1  new file", "+a"),
        ("made/b.txt:1  new file", "+b"),
        ("one.txt:1  the file is deleted", "-one"),
        ("two.txt:1  the file is deleted", "-two"),
        ("three.txt:1  moved to made/3.txt", " three"),
        ("A text is to be run by a shell, asked for by the model.", "  shell:    sh -c TEXT", "  text:     ls > listed; exit 3"),
        ("A command is to be run, asked for by the model.", "  run:      touch 'a b' -- '$HOME'", questions[-1][2]),
    ]  # fmt: skip
    after = {
        "made/a.txt": b"a\n",
        "made/3.txt": b"three\n",
        "two.txt": b"two\n",
        "listed": b"listed\nmade\ntwo.txt\n",
    }
    assert tree(project.root) == after
    told = [message["content"] for message in served.requests[1].body["messages"][-7:]]  # type: ignore[index]
    assert [text.splitlines()[0].split(" after ")[0] for text in told] == [
        "made/a.txt: created, applied 1 of 1 hunk",
        "made/b.txt: not created, applied 0 of 1 hunk",
        "one.txt: deleted",
        "two.txt: not deleted",
        "three.txt: moved to made/3.txt",
        "exit code 3",
        "run_command: not run: the human said no",
    ]

    assert project.run("undo").code == 0
    assert tree(project.root) == {name: text.encode() for name, text in BEFORE.items()}


# --- while it is written ---------------------------------------------------------------------------------------

LINES = 400
EDIT = call(
    "replace_in_file", {"path": "src/a.txt", "diff": block("old\n", "".join(f"new {n:03}\n" for n in range(LINES)))}
)


@pytest.mark.acceptance("SP-04")
@pytest.mark.parametrize(("second", "lines"), [(1, 12), (10, 192)])
def test_of_an_edit_that_takes_twenty_seconds_file_and_lines_so_far_are_seen_and_stopping_leaves_the_file(
    project: Project, provider: Serve, second: int, lines: int
) -> None:
    """A line is a piece of nine characters; what would have come in the first `second` of 20 has come, and no more."""
    wire = Wire(argument_chars=9, stall_after=LINES // 20 * second)
    served = provider([Answer(calls=(EDIT,), wire=wire), Answer(text="As you like.")], more=FRESH)
    project.write({"src/a.txt": "old\n"})
    before = (project.root / "src" / "a.txt").stat()
    human = agent(project, "@editor renew it")
    served.was_asked()
    human.sees_match(rf"scripted/one writes an edit to src/a\.txt: {lines} lines  \d s")
    human.interrupts()
    human.sees("Stopped.")
    eventually(lambda: served.requests[0].left.is_set(), "the provider was not left")
    human.says("leave it as it is")
    human.sees("As you like.")
    leaves(human)
    after = (project.root / "src" / "a.txt").stat()
    assert tree(project.root) == {"src/a.txt": b"old\n"}
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert "nothing to undo" in project.run("undo").err
