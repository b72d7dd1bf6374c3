"""While a model answers: what is typed lands in a draft of its own, and is said at the next gap or kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Provider
from nvim.nvim_kit import ASKED, Editor, told

from motet.models.scripted import Answer, Wire, call

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")
STREAMING = Answer(text="one two three four", wire=Wire(text_chars=4, stall_after=3))
STREAMED = (
    "table.concat(vim.api.nvim_buf_get_lines(1 == 1 and vim.g.chat or 0, 0, -1, false), ' '):match('one') ~= nil"
)


def streaming(vim: Editor, text: str = "count") -> int:
    """Send, and return the chat's buffer when the answer has begun to come."""
    vim.command(f"Motet chat {text}")
    vim.lua("vim.g.chat = vim.api.nvim_get_current_buf()")
    vim.waits_for(STREAMED)
    return int(vim.nvim.current.buffer.number)


def windows(vim: Editor) -> list[list[str]]:
    """What the windows hold below the first one, without markers and empty lines."""
    return [
        [line for line in window.buffer if line and not line.startswith("<!-- ")]
        for window in list(vim.nvim.windows)[1:]
    ]


@pytest.mark.parametrize("keys", ["i", "a", "A", "o", "gm", "cc"])
def test_keys_that_begin_to_type_open_a_draft_below_and_none_is_lost(vim: Editor, provider: Serve, keys: str) -> None:
    provider([STREAMING])
    streaming(vim)
    vim.keys(f"{keys}and then?")
    chat, draft = windows(vim)
    assert chat[:2] == ["## Me", "count"]
    assert draft == [{"cc": "cand then?"}.get(keys, "and then?")]
    assert vim.nvim.api.get_mode()["mode"] == "i"


@pytest.mark.acceptance("CC-03")
def test_what_is_said_while_a_tool_waits_is_shown_and_joins_at_the_next_gap(vim: Editor, provider: Serve) -> None:
    served = provider([Answer(text="I look.", calls=(call("run_command", {"argv": ["true"]}),)), YES])
    vim.resize(200, 60)
    vim.command("Motet chat @cmd look")
    vim.waits_for(ASKED)
    vim.keys("<C-w>piand b<Esc><CR>")
    seen = [line.partition("│")[2] for line in vim.screen]
    assert seen[seen.index("## Me working · run_command") - 1] == "waits: and b"
    assert len(served.requests) == 1
    vim.keys("<C-w>t<C-w>W")
    vim.comes_to(ASKED)
    vim.keys("o")
    vim.turn_ends()
    assert not any("waits:" in line or "working" in line for line in vim.screen)
    assert told(served.requests[1].body)[-1] == ("user", "and b")
    assert len(served.requests) == 2
    newest = ["## Me", "and b", "## motet (scripted/one)", "Yes.", "## Me", "> Context:", "> - <group>cmd</group>"]
    assert vim.said[-7:] == newest


@pytest.mark.parametrize("left", ["quit", "bunload!", "bdelete!", "bwipeout!"])
def test_a_draft_that_was_left_is_the_next_one(vim: Editor, provider: Serve, left: str) -> None:
    served = provider([STREAMING, YES])
    streaming(vim)
    vim.keys(f"inext<Esc>:{left}<CR>")
    assert len(vim.nvim.windows) == 2
    vim.keys("<C-c>")
    vim.turn_ends()
    assert vim.said[-2:] == ["## Me", "next"]
    vim.keys("<CR>")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1] == ("user", "next")


def test_who_types_when_the_turn_ends_goes_on_typing(vim: Editor, provider: Serve) -> None:
    served = provider([STREAMING, YES])
    chat = streaming(vim)
    vim.keys("ihalf ")
    vim.lua("require('motet.chat').stop(...)", chat)
    vim.turn_ends()
    vim.keys("a sentence")
    assert windows(vim)[1] == ["half a sentence"]
    vim.keys("<Esc>u")
    assert windows(vim)[1] == []
    vim.keys("<C-r><CR>")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1] == ("user", "half a sentence")
    assert len(vim.nvim.windows) == 2


def test_a_key_typed_in_the_moment_the_document_is_locked_is_not_lost(vim: Editor, provider: Serve) -> None:
    provider([STREAMING])
    vim.chat()
    vim.keys("ifirst")
    vim.lua("require('motet').send('other')")
    vim.keys("<Esc>A")
    vim.lua("vim.g.chat = vim.api.nvim_list_bufs()[2]")
    vim.keys("abc")
    assert windows(vim)[1] == ["abc"]


@pytest.mark.acceptance("NV-23")
def test_streaming_moves_no_cursor_mark_or_jump(vim: Editor, provider: Serve) -> None:
    text = "".join(f"line {number}\n" for number in range(400))
    provider([Answer(text="# Title\n\n- a\n- b\n"), Answer(text=text, wire=Wire(text_chars=16))])
    vim.command("Motet chat first")
    vim.turn_ends()
    vim.keys("ggjjmaGisecond<Esc><CR>")
    vim.keys("'a")
    look = """
      local view, last = vim.fn.winsaveview(), vim.fn.line('$')
      local function place(row) return row < 12 and row or last - row end -- above what grows, or below
      local function places(list) return vim.tbl_map(function(one) return place(one.lnum) end, list[1]) end
      return { view.lnum, view.col, view.topline, vim.api.nvim_buf_get_mark(0, 'a'), places(vim.fn.getjumplist()),
        place(vim.fn.line("''")), place(vim.fn.line("'.")), places(vim.fn.getchangelist()) }
    """
    vim.waits_for("vim.fn.search('^line 3$', 'n') > 0")
    before = vim.lua(look)
    vim.turn_ends()
    assert "line 399" in vim.lines
    assert vim.lua(look) == before


def test_ten_keys_a_second_land_in_order_while_twenty_thousand_tokens_stream(vim: Editor, provider: Serve) -> None:
    provider([Answer(text="word " * 20_000, wire=Wire(text_chars=5, stall_after=19_990))])
    vim.command("Motet chat go")
    vim.lua("vim.g.chat = vim.api.nvim_get_current_buf()")
    typed = "i" + "the quick brown fox jumps"
    for key in typed:
        vim.lua("vim.wait(100)")
        vim.keys("<Space>" if key == " " else key)
    vim.keys("<Esc>")
    assert windows(vim)[1] == [typed[1:]]
    streamed = "#table.concat(vim.api.nvim_buf_get_lines(vim.g.chat, 0, -1, false)) >= 5 * 19000"
    vim.waits_for(streamed)
    assert vim.lua("return vim.g.ended") == 0
