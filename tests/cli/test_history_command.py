"""`motet history`: what was said is found again, shown, exported, forked, renamed and put away."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Callable

import pytest
from cli.chat.session_kit import QUIET, talker
from cli.kit import BIN, Done, Project, Provider

from motet.models.scripted import Answer

TITLES = ("what is a lease", "排他制御とは何ですか")


@pytest.fixture
def kept(project: Project) -> Project:
    """A project with two chats in its history, the second the newest."""
    for words in TITLES:
        done = project.here("ask", "-m", "offline", words)
        assert done.code == 0, done.err
    return project


def ids(project: Project, *options: str) -> list[str]:
    """The short ids that `list` shows, the newest first."""
    return [line.split()[0] for line in project.here("history", "list", *options).out.splitlines()]


def titles(project: Project, *options: str) -> list[str]:
    return [chat["title"] for chat in project.here("history", "list", "--json", *options).events]


def shown(project: Project) -> str:
    """The newest chat as Markdown, without its markers, which are new in each rendering."""
    return re.sub(r"<!-- motet .*? -->\n", "", project.here("history", "show", "last").out)


def test_list_has_one_line_a_chat_the_newest_first(kept: Project) -> None:
    done = kept.here("history")
    assert (done.code, done.err) == (0, "")
    assert done.out == kept.here("history", "list").out
    lines = done.out.splitlines()
    assert [re.sub(r"^\w{8}  \d{4}-\d\d-\d\d \d\d:\d\d  ", "", line) for line in lines] == [
        f"   1 turn  {title}" for title in reversed(TITLES)
    ]
    assert len(kept.here("history", "list", "-n", "1").out.splitlines()) == 1


def test_list_is_about_one_workspace_unless_all_are_meant(kept: Project) -> None:
    other = kept.root.parent / "other"
    other.mkdir()
    done = kept.here("history", "list", cwd="../other")
    assert (done.code, done.out, done.err) == (0, "", f"There is no chat in the history of {other}.\n")
    done = kept.here("history", "list", "--all", cwd="../other")
    assert [line.split("  ")[-1] for line in done.out.splitlines()] == [str(kept.root)] * 2


def test_json_lines_have_their_schema(kept: Project) -> None:
    chats = kept.here("history", "list", "--json").events
    assert {(chat["schema"], chat["model"], chat["cycles"], chat["workspace"]) for chat in chats} == {
        (1, "offline", 1, str(kept.root))
    }
    assert all(len(chat["id"]) == 26 for chat in chats)


def test_search_finds_words_of_any_script_and_says_when_there_are_none(kept: Project) -> None:
    done = kept.here("history", "search", "lease")
    assert (done.code, ids(kept)[1] in done.out, "what is a lease" in done.out) == (0, True, True)
    assert "排他制御" in kept.here("history", "search", "排他制御").out
    done = kept.here("history", "search", "nothing-like-it")
    assert (done.code, done.out, done.err) == (1, "", "Nothing was found; --all looks in other workspaces too.\n")


def test_show_is_the_chat_as_markdown(kept: Project) -> None:
    done = kept.here("history", "show", ids(kept)[1])
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("## Me\n") or "\n## Me\n" in done.out
    assert "what is a lease" in done.out and "## motet (offline)" in done.out
    assert "You are motet" not in done.out


@pytest.mark.parametrize("whole", [False, True], ids=["markdown", "json"])
def test_what_is_exported_can_be_imported(kept: Project, whole: bool) -> None:
    more = ("--json",) if whole else ()
    done = kept.here("history", "export", "last", "-o", "chat.out", *more)
    assert (done.code, done.out, done.err) == (0, "", "Written to chat.out.\n")
    assert kept.here("history", "export", "last", *more).out == kept.text("chat.out").rstrip("\n") + "\n"
    before = shown(kept)
    done = kept.here("history", "import", "chat.out")
    assert (done.code, done.out) == (0, f"{ids(kept)[0]}  {TITLES[1]}\n")
    assert shown(kept) == before
    assert len(ids(kept)) == 3


def test_export_writes_over_nothing(kept: Project) -> None:
    kept.write({"chat.md": "mine\n"})
    done = kept.here("history", "export", "last", "-o", "chat.md")
    assert (done.code, done.err) == (2, "motet: chat.md: exists already; choose another name\n")
    assert kept.text("chat.md") == "mine\n"
    done = kept.here("history", "export", "last", "-o", "nosuch/chat.md")
    assert (done.code, done.err) == (1, "motet: nosuch/chat.md: No such file or directory\n")


def test_a_fork_begins_like_the_other_chat_and_both_live_on(kept: Project) -> None:
    done = kept.here("history", "fork", "last")
    assert (done.code, len(ids(kept))) == (0, 3)
    assert kept.here("history", "show", done.out.split()[0]).out == kept.here("history", "show", ids(kept)[1]).out
    done = kept.here("history", "fork", ids(kept)[2], "--at", "9")
    assert (done.code, done.err) == (2, "motet: --at 9: the chat has 1 turn\n")


def test_rename_changes_the_title(kept: Project) -> None:
    assert kept.here("history", "rename", "last", "  A new\nname ").code == 0
    assert titles(kept)[0] == "A new name"
    done = kept.here("history", "rename", "last", " ")
    assert (done.code, done.err) == (2, "motet: the title is empty\n")


def test_delete_puts_into_the_trash_and_restore_brings_back(kept: Project) -> None:
    newest, oldest = ids(kept)
    done = kept.here("history", "delete", newest)
    assert (done.code, done.out) == (0, "")
    assert f"`motet history restore {newest}` brings it back" in done.err
    assert (ids(kept), ids(kept, "--trash")) == ([oldest], [newest])
    done = kept.here("history", "restore", oldest)
    assert (done.code, done.err) == (
        2, f"motet: {oldest}: there is no such chat in the trash; `motet history list --trash` shows them\n"
    )  # fmt: skip
    assert kept.here("history", "restore", "last").code == 0
    assert sorted(ids(kept)) == sorted([newest, oldest])
    done = kept.here("history", "restore", "last")
    assert (done.code, done.err) == (2, "motet: no chat of this workspace is in the trash\n")


def test_purge_leaves_nothing_of_the_text_on_disk(kept: Project) -> None:
    assert kept.here("history", "delete", "--purge", ids(kept)[1]).code == 0
    assert titles(kept) == [TITLES[1]]
    assert ids(kept, "--trash") == []
    left = [path for path in kept.state.rglob("*") if path.is_file() and b"what is a lease" in path.read_bytes()]
    assert left == []


def test_a_chat_whose_answer_is_hostile_is_shown_without_its_escapes_on_a_terminal(
    project: Project, provider: Callable[..., object]
) -> None:
    provider(
        [Answer(text="\x1b[2Jgone\x1b]0;title\x07")], more='[permissions]\nallow = ["send"]\n[chat]\ntitles = false\n'
    )
    assert project.here("ask", "hello").code == 0
    assert "\x1b[2J" in project.run("history", "show", "last").out
    human = project.human("history", "show", "last")
    human.sees("␛[2Jgone")
    assert (human.ends(), human.title) == (0, "")


# --- what may go wrong -----------------------------------------------------------------------------------------


def one_line(done: Done) -> str:
    (line,) = done.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("show", "nosuchid"), "motet: nosuchid: there is no such chat; `motet history list` shows them"),
        (("show", "0"), "motet: 0: there is no such chat; `motet history list` shows them"),
        (("import", "nosuch.md"), "motet: nosuch.md: No such file or directory"),
        (("search",), "motet: missing argument 'WORDS...' (motet history search --help)"),
        (("list", "-n", "0"), "motet: invalid value for '-n' / '--limit': 0 is not between 1 and 1,000,000 (motet history list --help)"),
        (("nosuch",), "motet: no such command 'nosuch' (motet history --help)"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(kept: Project, arguments: tuple[str, ...], line: str) -> None:
    done = kept.here("history", *arguments)
    assert (done.code, done.out, one_line(done)) == (2, "", line)


def test_before_the_first_chat_there_is_no_last(project: Project) -> None:
    done = project.here("history", "show")
    assert (done.code, done.out) == (2, "")
    assert one_line(done) == "motet: there is no chat in this workspace yet; `motet history list --all` shows others"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff\xfe\x00", "motet: x: not UTF-8 text; export the chat again"),
        (b"", "motet: x: holds no message; nothing was imported"),
        (b'{"schema": 1', "motet: x: "),
        (b'{"a": 1}', "motet: x: "),
    ],
    ids=["binary", "empty", "cut", "other"],
)
def test_a_file_that_is_no_chat_is_not_imported(kept: Project, data: bytes, line: str) -> None:
    kept.write({"x": data})
    done = kept.here("history", "import", "x")
    assert (done.code, done.out) == (3, "")
    assert one_line(done).startswith(line)
    assert len(ids(kept)) == 2


def test_a_reader_that_stops_early_is_no_error(kept: Project) -> None:
    read, write = os.pipe()
    running = subprocess.Popen(
        [BIN / "motet", "history"], cwd=kept.root, env=kept.env(), stdout=write, stderr=subprocess.PIPE
    )
    os.close(read)
    os.close(write)
    _, err = running.communicate(timeout=30)
    assert (running.returncode, err) == (141, b"")


def test_a_newer_store_is_refused_and_a_damaged_one_set_aside(kept: Project) -> None:
    (store,) = kept.state.rglob("history.db")
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    done = kept.here("history")
    assert (done.code, done.out) == (1, "")
    assert "newer" in one_line(done)
    store.write_bytes(b"this is no database at all" * 100)
    done = kept.here("history")
    assert done.code == 0 and done.out == ""
    assert "damaged" in done.err or "set aside" in done.err


def test_exported_json_is_one_object(kept: Project) -> None:
    exported = json.loads(kept.here("history", "export", "--json").out)
    assert exported["title"] == TITLES[1]


@pytest.mark.acceptance("S0-012")
def test_a_chat_is_a_document_that_is_edited_and_context_enters_by_itself_too(
    project: Project, provider: Callable[..., Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both schools in one chat: what is seen in the document is what counts, and nothing had to be named for it."""
    monkeypatch.delenv("MOTET_CHAT_MAP_TOKENS")
    monkeypatch.setattr("motet.engine.maps._PATIENCE", 30)
    project.write({"shop.py": "def total(prices):\n    return 1\n", "AGENTS.md": "Answer in one sentence.\n"})
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    served = provider([Answer(text="It adds."), Answer(text="It rounds.")], more=QUIET)
    assert project.here("ask", "what does total do?").code == 0
    implicit = served.requests[0].text
    assert "Answer in one sentence." in implicit and "def total(prices)" in implicit and "return 1" not in implicit

    assert project.here("history", "export", "last", "-o", "chat.md").code == 0
    document = project.text("chat.md").replace("It adds.", "It **rounds**, says I.")
    project.write({"chat.md": f"{document}and in @/shop.py now?\n"})
    project.write({"shop.py": "def total(prices):\n    return 2\n"})
    assert project.here("history", "import", "chat.md").code == 0
    human = talker(project, "chat", "-r", "last")
    human.is_ready()
    human.sees("and in @/shop.py now?")
    human.presses("\r")
    human.sees("It rounds.")
    explicit = served.requests[1].text
    assert "It **rounds**, says I." in explicit and "It adds." not in explicit and "return 2" in explicit
    human.is_ready()
    human.presses("\x04")
    assert human.ends() == 0


def test_what_a_document_shared_is_read_again_and_its_draft_is_kept(
    project: Project, provider: Callable[..., Provider]
) -> None:
    project.write({"a.py": "one = 1\n", "b.py": "1\n2\n3\n", "gone.py": "x\n", ".env": "KEY=1\n"})
    provider([Answer(text="Yes.")])
    assert project.here("ask", "are @/a.py and @/b.py:2-3 and @/gone.py right?").code == 0
    done = project.here("history", "export", "last", "-o", "chat.md")
    document = project.text("chat.md").replace("<file>gone.py</file>", "<file>gone.py</file>\n> - <file>.env</file>")
    project.write({"chat.md": f"{document}not said yet\n", "a.py": "one = 2\n"})
    (project.root / "gone.py").unlink()
    done = project.here("history", "import", "chat.md")
    assert done.code == 0, done.err
    told = done.err.splitlines()
    assert any(line.startswith("<file>gone.py</file> is not read again: ") for line in told), told
    assert any(line.startswith("<file>.env</file> is not read again: ") for line in told), told
    chat = json.loads(project.here("history", "export", "last", "--json").out)
    said = [part["text"] for message in chat["messages"] for part in message["parts"] if part["type"] == "text"]
    assert ["one = 2" in text for text in said] == [True, False, False, False]
    assert ["2│ 2" in text and "1│ 1" not in text for text in said] == [False, True, False, False]
    assert "KEY=1" not in "".join(said)
    assert project.here("history", "export", "last").out.endswith("## Me\n\nnot said yet\n")


def test_a_document_that_is_only_a_draft_is_a_chat_to_begin(project: Project) -> None:
    project.write({"chat.md": "what is a lease?\n"})
    assert project.here("history", "import", "chat.md").code == 0
    assert project.here("history", "export", "last").out.endswith("## Me\n\nwhat is a lease?\n")


def test_a_title_that_a_document_spreads_over_lines_becomes_one_line(kept: Project) -> None:
    assert kept.here("history", "export", "last", "-o", "chat.md").code == 0
    document = kept.text("chat.md")
    assert document.count(" title=") == 1
    kept.write({"chat.md": re.sub(r" title=\S+", " title=One%0A%20%20two", document)})
    assert kept.here("history", "import", "chat.md").code == 0
    assert titles(kept)[0] == "One two"


def test_resume_goes_on_with_the_chat_that_is_named(project: Project, provider: Callable[..., Provider]) -> None:
    served = provider([Answer(text="One."), Answer(text="Two."), Answer(text="Three.")], more=QUIET)
    for words in ("the first chat", "the second chat"):
        assert project.here("ask", words).code == 0
    human = talker(project, "history", "resume", ids(project)[1])
    human.says("and then")
    human.sees("Three.")
    assert "the first chat" in served.requests[2].text and "the second chat" not in served.requests[2].text
    human.is_ready()
    human.presses("\x04")
    assert human.ends() == 0
    done = project.here("history", "resume", "nosuch")
    assert done.code == 2 and "nosuch" not in done.out


def test_search_lists_a_chat_once_with_the_number_of_its_hits(
    project: Project, provider: Callable[..., Provider]
) -> None:
    provider([Answer(text=text) for text in ("A quokka, yes.", "The quokka again.", "No quokka.")], more=QUIET)
    human = talker(project, "chat", "is there a quokka?")
    human.sees("A quokka, yes.")
    human.says("and now?")
    human.sees("The quokka again.")
    human.says("/exit")
    assert human.ends() == 0
    assert project.here("ask", "-q", "another?").code == 0
    lines = project.here("history", "search", "quokka").out.splitlines()
    assert [line.split("  ")[1:] for line in lines] == [
        ["another?", "No quokka."],
        ["is there a quokka?", "The quokka again.", "3 hits"],
    ]
    events = project.here("history", "search", "--json", "quokka").events
    assert [(event["snippet"], event["hits"]) for event in events] == [("No quokka.", 1), ("The quokka again.", 3)]
    assert len(project.here("history", "search", "-n", "1", "quokka").out.splitlines()) == 1
