"""What is said while an answer streams: each text is asked once, each answer stands in the buffer, at any moment.

Fifty moments; `MOTET_SAY_MOMENTS` says how many, the soak run takes more. `MOTET_SAY_SEED` begins elsewhere.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
from cli.kit import BIN, Project, Provider, eventually
from nvim.nvim_kit import Editor, told

from motet.models.scripted import Answer, ScriptedRequest, Wire, call

Serve = Callable[..., Provider]
WAYS = {
    "ctrl-s": "i{}<C-s>",
    "enter": "i{}<Esc><CR>",
    "write": "gm{}<Esc>:w<CR>",
    "write-inserting": "gm{}<C-o>:w<CR>",
    "say-enter": "gm{}<Esc><CR>",
}
KINDS = ("prose", "reasoning", "call")
MOMENTS = -(-int(os.environ.get("MOTET_SAY_MOMENTS", "50")) // len(WAYS))
SEED = int(os.environ.get("MOTET_SAY_SEED", "16"))
TEXT = "one two three four five six"
PIECES = 12


def newest(request: ScriptedRequest) -> str:
    """The last line that was said to the model: the results of tools that it does not have come in front of that."""
    return told(request.body)[-1][1].rpartition("\n")[2]


def answer(request: ScriptedRequest) -> Answer:
    """`ask KIND MOMENT NUMBER` is answered in pieces, and stalls behind so many; all else in one."""
    match newest(request).split():
        case ["ask", kind, moment, number]:
            text = f"{TEXT} {number}."
            parts = {"prose": (text, "", ()), "reasoning": ("", text, ())}
            path = call("read_file", {"path": f"{number}.txt"}, f"call_{number}")
            shown, reasoning, calls = parts.get(kind, ("", "", (path,)))
            shown = shown or ("" if calls else f"Thought {number}.")
            wire = Wire(text_chars=-(-len(text) // PIECES), argument_chars=1, stall_after=int(moment))
            return Answer(text=shown, reasoning=reasoning, calls=calls, wire=wire)
        case ["second", number]:
            return Answer(text=f"Heard {number}.")
        case _:
            return Answer(text="Read.")


def shown(vim: Editor, text: str) -> int:
    """How often it stands in the chat, on lines of their own or not."""
    return "\n".join(vim.lua("return vim.api.nvim_buf_get_lines(vim.g.chat, 0, -1, false)")).count(text)


def streams(vim: Editor, served: Provider, ask: str) -> None:
    """Send `ask` in a new chat, and return when its answer is on its way."""
    vim.command("Motet new")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.lua("vim.g.chat = vim.api.nvim_get_current_buf()")
    while served.came.acquire(blocking=False):
        pass
    vim.keys(f"i{ask}<C-s>")
    served.was_asked()


@pytest.mark.acceptance("CC-03")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_said_while_an_answer_streams_is_asked(vim: Editor, provider: Serve, way: str) -> None:
    served = provider(answer)
    streams(vim, served, "ask prose 5 1")
    vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(vim.g.chat, 0, -1, false), ' '):match('one two') ~= nil")
    vim.keys(WAYS[way].format("second 1"))
    vim.waits_for("vim.deep_equal(require('motet.chats').by_buf[vim.g.chat].waiting, { 'second 1' })")
    served.release()
    vim.turn_ends()
    assert [told(request.body)[-1] for request in served.requests] == [
        ("user", "ask prose 5 1"),
        ("user", "second 1"),
    ]
    assert vim.said == [
        "## Me", "ask prose 5 1", "## motet (scripted/one)", f"{TEXT} 1.",
        "## Me", "second 1", "## motet (scripted/one)", "Heard 1.", "## Me",
    ]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_it_is_asked_at_whatever_moment_it_is_said(vim: Editor, provider: Serve, way: str) -> None:
    chance = random.Random(f"{SEED} {way}")
    served = provider(answer)
    for number in range(1, MOMENTS + 1):
        kind, moment = chance.choice(KINDS), chance.randrange(1, PIECES + 4)
        ask = f"ask {kind} {moment} {number}"
        streams(vim, served, ask)
        typed = WAYS[way].format(f"second {number}")
        at = chance.choice((0, len(typed) // 2, len(typed)))
        if at == 0:
            served.release()  # the turn may be over when the text is sent
        vim.keys(typed)
        if at > 0:
            served.release()
        vim.waits_for(
            f"not require('motet.chats').by_buf[vim.g.chat].busy and vim.fn.search('^Heard {number}\\\\.$', 'nw') > 0"
        )
        asked = [newest(request) for request in served.requests]
        assert asked.count(f"second {number}") == 1, (ask, asked)
        counts = [shown(vim, text) for text in (ask, f"second {number}\n", f"Heard {number}.")]
        assert counts == [1, 1, 1], (ask, vim.lines)
        if kind != "call":
            assert shown(vim, f"{TEXT} {number}.") == 1, (ask, vim.lines)
    assert vim.messages == []


def test_writing_all_sends_no_draft_of_two_chats_that_stream(vim: Editor, provider: Serve) -> None:
    served = provider(answer)
    for number in (1, 2):
        streams(vim, served, f"ask prose 5 {number}")
        vim.keys(f"gmsecond {number}<Esc>")
    vim.keys("<Cmd>wall<CR>")
    for _ in range(2):
        served.release()
    for _ in range(2):
        vim.turn_ends()
    assert [newest(request) for request in served.requests] == ["ask prose 5 1", "ask prose 5 2"]
    held = "\n".join("\n".join(buffer) for buffer in vim.nvim.buffers)
    assert [held.count(f"second {number}") for number in (1, 2)] == [1, 1]


def test_who_wipes_a_chat_that_streams_finds_what_was_typed_in_it(vim: Editor, provider: Serve) -> None:
    served = provider(answer)
    streams(vim, served, "ask prose 5 1")
    vim.keys("gmsecond 1<Esc>")
    vim.command("execute 'bwipeout!' g:chat")
    vim.command("Motet open last")
    vim.waits_for("vim.fn.search('^second 1$', 'nw') > 0")
    assert vim.said[-2:] == ["## Me", "second 1"]
    assert len(served.requests) == 1


@pytest.mark.parametrize("way", WAYS)
def test_what_was_queued_is_in_the_draft_after_a_stop(vim: Editor, provider: Serve, way: str) -> None:
    served = provider(answer)
    streams(vim, served, "ask prose 5 1")
    vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(vim.g.chat, 0, -1, false), ' '):match('one two') ~= nil")
    vim.keys(WAYS[way].format("second 1"))
    vim.waits_for("vim.deep_equal(require('motet.chats').by_buf[vim.g.chat].waiting, { 'second 1' })")
    vim.keys("ithird 1<Esc>")
    vim.command("execute bufwinnr(g:chat) .. 'wincmd w'")
    vim.keys("<C-c>")
    vim.turn_ends()
    assert vim.said[vim.said.index("second 1") - 1 :] == ["## Me", "second 1", "third 1"]
    assert shown(vim, "second 1") == 1
    vim.keys("Gcc4. anew<C-s>")
    vim.turn_ends()
    asked = [said for _, said in told(served.requests[-1].body)]
    assert (len(served.requests), asked[-1]) == (2, "second 1\n\n4. anew")
    assert sum("second 1" in said for said in asked) == 1


def test_what_was_queued_is_there_once_after_a_wipe(vim: Editor, provider: Serve) -> None:
    served = provider(answer)
    streams(vim, served, "ask prose 5 1")
    vim.keys("isecond 1<C-s>")
    vim.waits_for("vim.deep_equal(require('motet.chats').by_buf[vim.g.chat].waiting, { 'second 1' })")
    vim.command("execute 'bwipeout!' g:chat")
    vim.command("Motet open last")
    vim.waits_for("vim.fn.search('^second 1$', 'nw') > 0")
    assert (vim.said[-2:], vim.said.count("second 1")) == (["## Me", "second 1"], 1)
    assert len(served.requests) == 1


LATE = """
import asyncio, sys
from motet.chat.running import Running
order = Running._put_in_order
async def late(self, happening, ended):
    ended = await order(self, happening, ended)
    while not self._saying.waiting and self._conversation.stack.cycle == 1:
        open("ended", "w").close()
        await asyncio.sleep(0.01)
    return ended
Running._put_in_order = late
from motet.cli import run
sys.exit(run(sys.argv[1:]))
"""


def test_what_is_said_in_the_last_moment_of_a_turn_is_asked(vim: Editor, provider: Serve, project: Project) -> None:
    served = provider([Answer(text="One."), Answer(text="Two.")])
    vim.lua("vim.g.motet_command = ...", [str(BIN / "python"), "-c", LATE])
    vim.command("Motet chat first")
    eventually((project.root / "ended").exists)
    vim.keys("gmsecond<Esc><CR>")
    vim.turn_ends()
    assert [newest(request) for request in served.requests] == ["first", "second"]
    answers = ["## motet (scripted/one)", "One."], ["## motet (scripted/one)", "Two."]
    assert vim.said == ["## Me", "first", *answers[0], "## Me", "second", *answers[1], "## Me"]
