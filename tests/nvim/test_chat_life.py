"""A chat is hidden, wiped, reopened, restored, shared between editors, and nothing is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Project, Provider, eventually
from nvim.nvim_kit import BIN, DEADLINE, Editor, editor, ends, told

from motet.models.scripted import Answer, HttpError, Wire, call

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")
STREAMING = Answer(text="one two three four", wire=Wire(text_chars=4, stall_after=3))


KEPT = "what you type here is kept as a chat of its own, in `:Motet history`, until it can be sent"


def said_and_typed(vim: Editor, text: str = "hello", typed: str = "draft") -> list[str]:
    """A chat with one answer and a stored draft; its lines."""
    vim.command(f"Motet chat {text}")
    vim.turn_ends()
    vim.keys(f"GA{typed}<Esc>")
    vim.waits_for(f"vim.b.motet_kept == '{typed}'")
    return vim.lines


def has(vim: Editor, line: str) -> None:
    """Return when the current buffer holds the line, and what was said."""
    vim.lua("vim.g.line = ...", line)
    vim.waits_for("vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.g.line)")
    vim.waits_for("vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), 'Yes.')")


def test_a_chat_is_wiped_and_opened_again_by_its_name(vim: Editor, provider: Serve) -> None:
    served = provider([YES, YES])
    before = said_and_typed(vim)
    name = vim.nvim.current.buffer.name
    for again in ("bwipeout", "bdelete", "bunload"):
        vim.command(again)
        vim.command(f"edit {name}")
        has(vim, "draft")
        assert vim.lines == before
        assert vim.nvim.current.buffer.name == name
    vim.command("edit")
    has(vim, "draft")
    assert (vim.lines, vim.messages) == (before, [])
    vim.command("write")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1] == ("user", "draft")


def never_waits_until(vim: Editor, condition: str) -> None:
    """Return when the Lua expression `condition` holds; nothing may wait for a key before."""
    seen: list[str] = []

    def holds() -> bool:
        mode = vim.nvim.api.get_mode()
        assert not mode["blocking"], "it waits for a key"
        if mode["mode"] == "n" and vim.lua(f"return {condition}"):
            seen.append(mode["mode"])
        return len(seen) > 3

    eventually(holds, condition)


def test_a_session_is_loaded_without_a_key(vim: Editor, provider: Serve, project: Project) -> None:
    provider([YES])
    project.write({"a.txt": "one\n"})
    vim.command("edit a.txt")
    said_and_typed(vim)
    vim.command("mksession Session.vim")
    short = vim.nvim.options["shortmess"]
    vim.kill()
    with editor() as other:
        other.lua("vim.notify = _G.own_notify")
        other.nvim.input(":source Session.vim<CR>")
        never_waits_until(other, "vim.b.motet_kept == 'draft' or vim.fn.search('^draft$', 'nw') > 0")
        assert other.nvim.options["shortmess"] == short
        assert sorted(window.buffer.name.rpartition("/")[0] for window in other.nvim.windows) == [
            str(project.root), "motet://chat"
        ]  # fmt: skip


def test_whoever_goes_to_another_project_hears_once_that_the_program_stays(vim: Editor, project: Project) -> None:
    (project.root / "src").mkdir()
    vim.command("Motet")
    vim.waits_for("require('motet.process').is_ready()")
    for place in ("src", "/", "/usr", str(project.root)):
        vim.command(f"cd {place}")
    stays = f"motet: it stays with the project {project.root}; for another one open an editor there"
    assert vim.messages == [stays]
    vim.command("tcd /")
    vim.command("lcd /usr")
    assert vim.messages == [stays]


def test_notices_wait_for_no_key_however_many_and_long(vim: Editor) -> None:
    vim.lua("vim.notify = _G.own_notify")
    long = "this file is held by another program, " * 4
    tell = "for i = 1, 3 do require('motet.remote').notice(0, 'warn', i .. ' ' .. ...) end"
    vim.lua(tell, long)
    vim.lua(tell, "short")
    vim.lua(tell, "two\nlines")
    never_waits_until(vim, "true")
    assert vim.screen[-1] == "motet: 3 two … :messages"
    told = [f"motet: {number} {text}" for text in (long, "short", "two\nlines") for number in (1, 2, 3)]
    assert vim.lua("return vim.fn.execute('messages')").strip() == "\n".join(told)


def test_a_draft_is_kept_while_it_is_typed_and_not_only_when_the_human_rests(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.chat()
    vim.keys("i")
    end = time.monotonic() + DEADLINE
    while not vim.lua("return (vim.b.motet_kept or '') ~= ''"):
        vim.keys("a")
        assert time.monotonic() < end, "nothing is kept while one types"
    vim.keys("<Esc>")


@pytest.mark.acceptance("NV-24")
def test_it_is_hidden_and_moved_between_windows_and_tabs_while_it_streams(vim: Editor, provider: Serve) -> None:
    text = "".join(f"line {number}\n" for number in range(300))
    provider([Answer(text=text, wire=Wire(text_chars=8))])
    vim.command("Motet chat go")
    chat = vim.nvim.current.buffer.number
    vim.waits_for("vim.fn.search('^line 3$', 'n') > 0")
    for command in (
        "quit", f"sbuffer {chat}", "wincmd T", "vsplit", "wincmd x", "enew", f"buffer {chat}", "hide", "tabonly", "only"
    ):  # fmt: skip
        vim.command(command)
    vim.command("enew")
    vim.turn_ends()
    vim.command(f"buffer {chat}")
    assert vim.lines == [
        "",
        "## Me",
        "",
        "go",
        "",
        "## motet (scripted/one)",
        "",
        *text.split("\n"),
        "",
        "## Me",
        "",
        "",
    ]
    assert vim.messages == []


def test_a_chat_is_open_once(vim: Editor, provider: Serve) -> None:
    provider([YES])
    said_and_typed(vim)
    chat = vim.nvim.current.buffer
    vim.command("Motet toggle")
    vim.command("Motet open last")
    vim.waits_for(f"vim.api.nvim_get_current_buf() == {chat.number}")
    assert [buffer.name for buffer in vim.nvim.buffers if "motet:" in buffer.name] == [chat.name]
    vim.command(f"Motet open {chat.name.rpartition('/')[2]}")
    assert vim.nvim.current.buffer.number == chat.number


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.acceptance("NV-24", "CC-14")
def test_a_session_opens_its_chats_again(provider: Serve, tmp_path: Path, streams: bool) -> None:
    provider([YES, STREAMING])
    session = tmp_path / "Session.vim"
    with editor() as vim:
        before = said_and_typed(vim)
        if streams:
            vim.keys("<CR>")
            vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('one') ~= nil")
            vim.keys("inext<Esc>")
        vim.lua("require('motet').open({ new = true, layout = 'below' })")
        vim.command(f"mksession {session}")
        program = vim.program
        vim.nvim.command("qall", async_=True)
        assert ends(program, 10)
    with editor() as vim:
        vim.command(f"silent source {session}")
        names = [window.buffer.name for window in vim.nvim.windows]
        shown = [name for name in names if "motet://" in name]
        assert len(shown) == 2
        vim.nvim.current.window = next(one for one in vim.nvim.windows if one.buffer.name == shown[0])
        has(vim, "next" if streams else "draft")
        if not streams:
            assert vim.lines == before
        assert vim.messages == []


def test_of_two_editors_one_writes_and_the_other_reads_until_it_is_free(provider: Serve, project: Project) -> None:
    served = provider([YES, YES])
    with editor() as first, editor() as second:
        before = said_and_typed(first)
        first.keys("0D")
        first.waits_for("vim.b.motet_kept == ''")
        second.command("Motet open last")
        has(second, "Yes.")
        held = "motet: another motet has this chat: close it there, and what you send here goes on with it; what you type stays"
        assert second.messages == [held]
        assert second.lua("return require('motet').status().readonly")
        second.keys("GAfrom here<Esc>")
        second.waits_for("vim.b.motet_kept == 'from here'")
        second.keys("<CR>")
        second.turn_ends()
        assert second.lines == [*before[:-1], "from here"]
        assert second.messages == [held, f"motet: {KEPT}", held]
        assert len(served.requests) == 1
        first.command("bwipeout")
        eventually(lambda: len(list((project.state / "leases").iterdir())) == 1)
        second.keys("<CR>")
        second.turn_ends()
        assert second.messages == [held, f"motet: {KEPT}", held]
        assert told(served.requests[1].body)[-1] == ("user", "from here")
        assert not second.lua("return require('motet').status().readonly")


def test_what_is_typed_in_a_chat_that_another_has_is_kept_and_so_is_the_others_draft(
    provider: Serve, project: Project
) -> None:
    served = provider([YES, YES])
    with editor() as first:
        said_and_typed(first, typed="of the first")
        name = first.nvim.current.buffer.name.rpartition("/")[2]
        with editor() as second:
            second.command("Motet open last")
            has(second, "Yes.")
            second.keys("GccLost? No.<Esc>")
            second.waits_for("vim.b.motet_kept == 'Lost? No.'")
            assert second.messages[1:] == [f"motet: {KEPT}"]
            leave(second)
        with editor() as third:
            third.command("Motet open last")
            has(third, "Yes.")  # the chat, and not what is only kept for it
            assert third.nvim.current.buffer.name.endswith(name)
            third.command("Motet close")
            third.command("Motet history")
            third.comes_to("vim.fn.mode() == 'i'")
            rows = "vim.iter(vim.api.nvim_list_bufs()):any(function(b) local l = vim.api.nvim_buf_get_lines(b, 0, -1, false) "
            third.keys("Draft")
            third.waits_for(rows + "return #l == 1 and l[1]:match('%d  Draft: hello') end)")
            third.keys("<CR>")
            third.waits_for("vim.fn.getline('$') == 'Lost? No.'")
            third.command(f"Motet open {name}")
            has(third, "Yes.")
            third.keys("GccNow.<Esc>")
            third.waits_for("vim.b.motet_kept == 'Now.'")
            assert first.lines[-1] == "of the first"
            first.command("bwipeout")
            eventually(lambda: len(list((project.state / "leases").iterdir())) == 2)
            third.keys("<CR>")
            third.turn_ends()
            assert told(served.requests[1].body)[-1] == ("user", "Now.")
            third.waits_for("vim.fn.getline('$') == 'of the first'")
            eventually(lambda: len(list((project.state / "leases").iterdir())) == 2)


def test_quitting_while_it_streams_loses_nothing(provider: Serve, project: Project) -> None:
    provider([YES, Answer(text="one two three four", wire=Wire(text_chars=4, stall_after=3))])
    with editor() as vim:
        said_and_typed(vim)
        vim.keys("<CR>")
        vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('one two') ~= nil")
        vim.keys("inext<Esc>")
        program = vim.program
        vim.nvim.command("qall", async_=True)
        assert ends(program, 10)
    with editor() as vim:
        vim.command("Motet open last")
        has(vim, "next")
        assert vim.said == [
            "## Me", "hello", "## motet (scripted/one)", "Yes.", "## Me", "draft", "## motet (scripted/one)",
            "one two ", "*interrupted*", "## Me", "next",
        ]  # fmt: skip


@pytest.mark.parametrize("quits", ["quit", "quitall", "close", "tabclose", "xall", "wqall", "exit", "normal! ZZ"])
@pytest.mark.acceptance("NV-24")
def test_no_quitting_complains_about_half_a_message_or_sends_it(vim: Editor, provider: Serve, quits: str) -> None:
    served = provider([YES])
    with editor() as other:
        other.command("edit a.txt | tab split")
        other.command("Motet")
        other.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
        other.keys("ihalf a thought<Esc>")
        other.waits_for("vim.b.motet_kept == 'half a thought'")
        program = other.program
        if quits in ("quitall", "xall", "wqall"):
            other.nvim.command(quits, async_=True)
        else:
            other.command(quits)
            other.nvim.command("qall", async_=True)
        assert ends(program, 10)
    vim.command("Motet open last")
    vim.waits_for("vim.fn.getline('$') == 'half a thought'")
    assert served.requests == []


@pytest.mark.parametrize(
    "step",
    [
        HttpError(401, message="bad key"),
        HttpError(400, message="no such thing"),
        Answer(text="Half an answer", wire=Wire(text_chars=4, cut_after=3, cut="rst")),
        Answer(text="Half an answer", wire=Wire(text_chars=4, cut_after=3, cut="close")),
        Answer(text="Half an answer", wire=Wire(text_chars=4, malformed_after=2)),
    ],
)
def test_whatever_goes_wrong_what_is_typed_meanwhile_is_sent_as_it_is(
    vim: Editor, provider: Serve, step: object
) -> None:
    served = provider([STREAMING, step, YES])
    vim.command("Motet chat first")
    vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('one two') ~= nil")
    vim.keys("inext<Esc>")
    vim.command("wincmd k")
    vim.keys("<C-c>")
    vim.turn_ends()
    assert vim.lines[-1] == "next"
    vim.keys("<CR>")
    vim.turn_ends()
    assert "### Notice" in vim.said
    vim.keys("GAlast<Esc><CR>")
    vim.turn_ends()
    assert told(served.requests[-1].body)[-1][1].endswith("last")
    assert vim.said[-2:] == ["Yes.", "## Me"]


@pytest.mark.parametrize("events", [0, 1, 2, 4, 6])
def test_it_is_stopped_at_any_moment(vim: Editor, provider: Serve, events: int) -> None:
    waits = Answer(
        text="one two", calls=(call("read_file", {"path": "a"}),), wire=Wire(text_chars=4, stall_after=events)
    )
    served = provider([waits, YES])
    vim.command("Motet chat @files look")
    assert served.came.acquire(timeout=30)
    vim.keys("<C-c>")
    vim.turn_ends()
    vim.keys("GAagain<Esc><CR>")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1][1].endswith("again")
    assert vim.said[-4:] == ["Yes.", "## Me", "> Context:", "> - <group>files</group>"]


SLOW = """#!/bin/sh
while [ ! -e {go} ]; do sleep 0.05; done
exec {motet} "$@"
"""


def leave(vim: Editor) -> None:
    """Kill the editor, and wait until its program has gone."""
    program = vim.program
    vim.kill()
    assert ends(program, 10)


def test_a_kept_draft_survives_a_program_that_starts_slowly(project: Project, provider: Serve) -> None:
    provider([])
    with editor() as vim:
        vim.chat()
        vim.keys("imy precious draft<Esc>")
        vim.waits_for("vim.b.motet_kept == 'my precious draft'")
        leave(vim)
    go = project.root / "go"
    project.write({"slow": SLOW.format(go=go, motet=BIN / "motet")})
    (project.root / "slow").chmod(0o755)
    for typed, draft in [("", ["my precious draft"]), ("iand more<Esc>", ["my precious draft", "", "and more"])]:
        go.unlink(missing_ok=True)
        with editor() as vim:
            vim.nvim.vars["motet_command"] = str(project.root / "slow")
            vim.command("Motet open last")
            vim.keys(typed)
            vim.lua("vim.wait(1000)")  # longer than the rest after which a draft is kept
            go.touch()
            vim.waits_for("vim.fn.search('precious', 'nw') > 0")
            assert vim.nvim.current.buffer[-len(draft) :] == draft
            vim.lua("vim.wait(1500)")
            leave(vim)
        with editor() as vim:
            vim.command("Motet open last")
            vim.waits_for("vim.fn.search('precious', 'nw') > 0")
            assert vim.nvim.current.buffer[-len(draft) :] == draft
            leave(vim)


def test_what_is_told_while_a_chat_is_opened_happens_in_its_order(vim: Editor, provider: Serve) -> None:
    served = provider([YES, YES])
    vim.command("Motet chat one")
    vim.waits_for(
        "vim.api.nvim_buf_get_name(0):match('chat/new') == nil"
    )  # it is there, and what was told waits still
    vim.command("Motet chat two")
    eventually(lambda: len(served.requests) == 2 or any("two" in str(one.body) for one in served.requests))
    vim.waits_for("require('motet').status().state == 'ready' and vim.fn.search('^two$', 'nw') > 0")
    assert [text for role, text in told(served.requests[-1].body) if role == "user"] == ["one", "two"]
    assert [line for line in vim.said if line in ("one", "two")] == ["one", "two"]
    assert vim.messages == []


def test_a_turn_that_is_stopped_before_it_could_begin_does_not_begin(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.command("Motet chat one")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.command("Motet stop")
    vim.turn_ends()
    assert vim.said == ["## Me", "one"]
    assert served.requests == []


def test_a_chat_that_is_closed_while_it_is_opened_keeps_what_was_to_be_said(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.command("Motet chat one")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.command("bwipeout")
    vim.command("Motet open last")
    vim.waits_for("vim.fn.search('^one$', 'nw') > 0")
    assert vim.said == ["## Me", "one"]
    assert served.requests == []


def test_what_was_said_to_a_program_that_is_killed_is_typed_again(vim: Editor, provider: Serve) -> None:
    provider([STREAMING])
    vim.command("Motet chat go")
    vim.waits_for("vim.fn.search('^one', 'nw') > 0")
    vim.command("Motet chat and then")
    vim.command("Motet chat and at last")
    os.kill(vim.program, signal.SIGKILL)
    vim.waits_for("#vim.g.messages > 0")
    assert vim.lines[-4:] == ["", "and then", "", "and at last"]


def test_a_chat_that_is_closed_before_its_draft_has_come_keeps_that(project: Project, provider: Serve) -> None:
    provider([])
    go = project.root / "go"
    project.write({"slow": SLOW.format(go=go, motet=BIN / "motet")})
    (project.root / "slow").chmod(0o755)
    with editor() as vim:
        vim.chat()
        vim.keys("imy precious draft<Esc>")
        vim.waits_for("vim.b.motet_kept == 'my precious draft'")
        leave(vim)
    with editor() as vim:
        vim.nvim.vars["motet_command"] = str(project.root / "slow")
        vim.command("Motet open last")
        vim.command("bwipeout")
        go.touch()
        vim.command("Motet open last")
        vim.waits_for("vim.fn.search('precious', 'nw') > 0")
        assert vim.said == ["## Me", "my precious draft"]


def test_a_chat_that_is_unloaded_and_read_again_while_it_is_opened_is_there(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.command("Motet chat one")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    name = vim.nvim.current.buffer.name
    vim.command("bunload")
    vim.command(f"edit {name}")
    vim.waits_for("vim.fn.search('^one$', 'nw') > 0")
    assert vim.said == ["## Me", "one"]
    vim.command("write")
    eventually(lambda: served.requests)
    assert told(served.requests[0].body)[-1] == ("user", "one")
