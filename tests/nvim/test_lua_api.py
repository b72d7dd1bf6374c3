"""What other plugins may build on: each function and each event that the manual names is there, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit
from nvim.board_kit import Store, me, open_board, spend
from nvim.nvim_kit import ROOT, Editor, told
from nvim.review_kit import TEXT, waits

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]
MANUAL = (ROOT / "doc" / "motet.txt").read_text()
EVENTS = dict(re.findall(r"^    ([A-Z]\w+) +((?:`\w+`(?: \([^)]*\))?(?:, )?)+):", MANUAL, re.MULTILINE))
OF_CHATS = {name: data for name, data in EVENTS.items() if not name.startswith("Board")}
HEARS = """
local motet = require('motet')
vim.g.heard = {}
for _, name in ipairs({...}) do
  motet.on(name, function(data)
    local all = vim.g.heard
    all[#all + 1] = { name, vim.tbl_keys(data) }
    vim.g.heard = all
  end)
end
"""


def call_of(tool: str, **given: object) -> Answer:
    return Answer(calls=(call(tool, given, "call_1"),))


def heard(vim: Editor) -> dict[str, list[str]]:
    return {name: sorted(keys) for name, keys in vim.nvim.vars["heard"]}


@pytest.mark.acceptance("NV-09")
def test_the_manual_names_each_function_and_each_event() -> None:
    code = (ROOT / "lua" / "motet" / "init.lua").read_text()
    assert {*re.findall(r'^require\("motet"\)\.(\w+)\(', MANUAL, re.MULTILINE)} == {
        *re.findall(r"^function M\.(\w+)", code, re.MULTILINE)
    }
    lua = "".join(path.read_text() for path in (ROOT / "lua" / "motet").glob("*.lua"))
    emitted = re.findall(r'emit\("(\w+)"', lua) + re.findall(r'pattern = "Motet(\w+)"', lua)
    assert {*EVENTS} == {*emitted}


@pytest.mark.acceptance("S0-039", "NV-10")
def test_each_event_comes_with_the_data_that_the_manual_names(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([call_of("read_file", path="a.txt"), DONE, edit(("a.txt", "line 3\n", "new 3\n")), DONE])
    project.write({"a.txt": TEXT})
    vim.lua(HEARS, *OF_CHATS)
    vim.command("edit a.txt")
    buf = vim.lua("return require('motet').open({ new = true })")
    assert buf == vim.nvim.current.buffer.number
    vim.waits_for("require('motet').status().state == 'ready'")
    vim.command("wincmd p")
    vim.lua("require('motet').add({ first = 2, last = 3 })")
    vim.waits_for("#vim.g.messages == 1")
    vim.lua("require('motet').add({ file = 'a.txt' })")
    vim.waits_for("#vim.g.messages == 2")
    project.write({".env": "KEY=1\n"})
    vim.answers("q")
    vim.lua("require('motet').add({ file = '.env' })")
    vim.waits_for("vim.tbl_contains(vim.tbl_map(function(o) return o[1] end, vim.g.heard), 'Answered')")
    vim.lua("require('motet').send('@files hello')")
    vim.turn_ends()
    sent = "\n".join(text for role, text in told(served.requests[0].body) if role == "user")
    assert re.search(r'lines="2-3">\nThese lines stand in another attachment.\n</attachment>', sent)
    assert sent.count("line 2\n") == sent.count("line 40\n") == 1
    vim.command("3Motet edit make it new")
    waits(vim, 1)
    vim.command("Motet review accept")
    vim.waits_for("vim.tbl_contains(vim.tbl_map(function(o) return o[1] end, vim.g.heard), 'Edited')")
    vim.command("Motet fix a.txt")
    vim.waits_for("vim.tbl_contains(vim.tbl_map(function(o) return o[1] end, vim.g.heard), 'Fixed')")
    vim.command(f"buffer {buf}")
    vim.keys("GAtyped<Esc>")
    vim.waits_for("vim.b.motet_kept ~= nil and vim.b.motet_kept:match('typed') ~= nil")
    vim.command("Motet close")
    vim.waits_for("vim.tbl_contains(vim.tbl_map(function(o) return o[1] end, vim.g.heard), 'Closed')")
    assert not vim.lua("return vim.api.nvim_buf_is_loaded(...)", buf)
    assert heard(vim) == {name: sorted(re.findall(r"`(\w+)`", data)) for name, data in OF_CHATS.items()}


@pytest.mark.acceptance("NV-10")
def test_each_event_of_boards_comes_with_the_data_that_the_manual_names(vim: Editor, project: Project) -> None:
    of_boards = {name: data for name, data in EVENTS.items() if name.startswith("Board")}
    vim.lua(HEARS, *of_boards)
    store = Store(project)
    agent = store.agent("backend")
    open_board(vim)
    human = me(vim)

    def hears(name: str) -> None:
        vim.waits_for(f"vim.tbl_contains(vim.tbl_map(function(o) return o[1] end, vim.g.heard), '{name}')")

    vim.keys(f"ihello @{agent}<Esc>")
    hears("BoardKept")
    vim.keys("<CR>")
    hears("BoardPosted")
    store.fill([f"@{human} hello"], "backend")
    hears("BoardMentioned")
    vim.command("Motet board retract")
    hears("BoardChanged")
    store.does(spend)
    hears("BoardNotice")
    vim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { ('x'):rep(200000) })")
    vim.keys("<CR>")
    hears("BoardReturned")
    assert heard(vim) == {name: sorted(re.findall(r"`(\w+)`", data)) for name, data in of_boards.items()}


def test_the_system_prompt_is_changed(vim: Editor, provider: Serve) -> None:
    served = provider([Answer(text="Yes."), Answer(text="No.")])
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.keys("\\s")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://request/') ~= nil")
    vim.command("%s/You are motet, a pair programmer/You are a poet/ | write")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://chat/') ~= nil")
    vim.keys("GAagain<Esc><CR>")
    vim.turn_ends()
    systems = [one["content"] for one in served.requests[1].body["messages"] if one["role"] == "system"]
    assert systems[0].startswith("You are a poet. You work")
