"""How a chat looks: what a model writes in Markdown is marked once, when a line or a code block is finished."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cli.kit import Provider
from nvim.nvim_kit import Editor

from motet.models.scripted import Answer, Wire

_MARKS = """
local ns = vim.api.nvim_get_namespaces()["motet.look"]
local row = vim.fn.search("\\\\V" .. ..., "nw") - 1
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, {row, 0}, {row, -1}, {details = true})) do
  found[#found + 1] = {mark[3], mark[4].end_col, mark[4].hl_group}
end
return found
"""
PROSE = """\
### A heading

A `span`, **bold**, *italic*, _both_ and a [link](https://example.org/a_b), not snake_case_names or 2 * 3 * 4.

- an item
2. another
> a quote
"""
LOOKS = {
    "### A heading": [[0, 13, "MotetHeading"]],
    "A `span`": [
        [2, 8, "MotetCode"], [10, 18, "MotetBold"], [20, 28, "MotetItalic"], [30, 36, "MotetItalic"],
        [43, 74, "MotetLink"],
    ],
    "- an item": [[0, 1, "MotetItem"]],
    "2. another": [[0, 2, "MotetItem"]],
    "> a quote": [[0, 9, "MotetQuote"]],
}  # fmt: skip
CODE = "Look:\n\n{fence}{name}\n{code}\n{fence}\n\nDone."
LUA = 'local x = "y"'


def say(vim: Editor, provider: Callable[..., Provider], text: str, **wire: Any) -> None:
    provider([Answer(text, wire=Wire(**wire))])
    vim.chat()
    vim.keys("iGo.<Esc><CR>")
    vim.turn_ends()


def looks(vim: Editor, line: str) -> Any:
    """What is marked in the first line that has this text: first byte, byte behind it, group."""
    return vim.lua(_MARKS, line)


def code(text: str = LUA, name: str = "lua", fence: str = "```") -> str:
    return CODE.format(fence=fence, name=name, code=text)


@pytest.mark.parametrize("chars", [0, 1, 7])
def test_what_is_written_in_markdown_is_marked_however_it_comes(
    vim: Editor, provider: Callable[..., Provider], chars: int
) -> None:
    say(vim, provider, PROSE, text_chars=chars)
    assert {line: looks(vim, line) for line in LOOKS} == LOOKS


@pytest.mark.parametrize("chars", [0, 3])
@pytest.mark.parametrize(
    ("name", "fence"), [("lua", "```"), ("Lua", "````"), ("lua title=x", "~~~"), ("lua", "  ```")]
)
def test_a_finished_block_of_code_has_the_colours_of_its_language(
    vim: Editor, provider: Callable[..., Provider], chars: int, name: str, fence: str
) -> None:
    say(vim, provider, code(name=name, fence=fence), text_chars=chars)
    vim.waits_for("#vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {}) > 8")
    assert looks(vim, LUA)[:3] == [[0, 5, "@keyword.lua"], [6, 7, "@variable.lua"], [8, 9, "@operator.lua"]]
    assert looks(vim, "Done.") == []


@pytest.mark.parametrize(
    ("text", "name"), [(LUA, ""), (LUA, "nothing-like-it"), (LUA + "\n" + "-- " * 30_000, "lua")]
)
def test_code_without_a_parser_and_code_without_end_stays_plain(
    vim: Editor, provider: Callable[..., Provider], text: str, name: str
) -> None:
    say(vim, provider, code(text, name))
    assert looks(vim, LUA) == [[0, 13, "MotetCode"]]


def test_a_shorter_fence_in_a_block_does_not_end_it(vim: Editor, provider: Callable[..., Provider]) -> None:
    say(vim, provider, "````markdown\n```lua\nx\n```\n## not a heading\n````\n\n## A heading")
    vim.waits_for("#vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {}) > 8")
    assert "MotetHeading" not in [group for _, _, group in looks(vim, "## not a heading")]
    assert looks(vim, "## A heading") == [[0, 12, "MotetHeading"]]


def test_a_large_block_holds_nothing_up(vim: Editor, provider: Callable[..., Provider]) -> None:
    lines = "\n".join(f"local name_{number} = call({number}, 'text')" for number in range(1_400))
    vim.lua("vim.g.longest = 0")
    vim.lua("""
      local before, timer = vim.uv.hrtime(), vim.uv.new_timer()
      timer:start(0, 1, vim.schedule_wrap(function()
        local now = vim.uv.hrtime()
        vim.g.longest, before = math.max(vim.g.longest, (now - before) / 1e6), now
      end))
    """)
    say(vim, provider, code(lines))
    vim.waits_for("#vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {}) > 12000")
    assert vim.nvim.vars["longest"] < 5 * 50  # ms


@pytest.mark.acceptance("NV-17")
def test_the_highlighter_of_the_editor_is_started_where_it_is_asked_for(
    vim: Editor, provider: Callable[..., Provider]
) -> None:
    vim.lua("require('motet').setup({ highlight = 'treesitter' })")
    say(vim, provider, PROSE)
    assert vim.lua("return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil") is True
    assert {tuple(looks(vim, line)) for line in LOOKS} == {()}


def test_every_group_that_marks_something_looks_like_something(
    vim: Editor, provider: Callable[..., Provider]
) -> None:
    say(vim, provider, "Yes.")
    names = {"Heading", "Code", "Fence", "Bold", "Italic", "Item", "Quote", "Link", "State"}
    looks_of = "return vim.api.nvim_get_hl(0, { name = 'Motet' .. ..., link = false })"
    assert [name for name in names if not vim.lua(looks_of, name)] == []
