"""What the human is told of boards in Neovim: once, in a line, and never in the way."""

from __future__ import annotations

from typing import Any

import pytest
from cli.kit import Project
from nvim.board_kit import Store, Writers, draft_of, me, open_board, page_of, shows, spend
from nvim.nvim_kit import Editor

EVENTS = """
vim.g.events = {}
vim.api.nvim_create_autocmd('User', { pattern = 'MotetBoard*', callback = function(args)
  local all = vim.g.events
  all[#all + 1] = { args.match, args.data.board, args.data.text or '', #(args.data.posts or {}) }
  vim.g.events = all
end })
"""
MARKED = """
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(..., vim.api.nvim_create_namespace('motet.board'), 0, -1, { details = true })) do
  local line = vim.api.nvim_buf_get_lines(..., mark[2], mark[2] + 1, false)[1]
  found[#found + 1] = { mark[4].hl_group, line:sub(mark[3] + 1, mark[4].end_col) }
end
return found
"""


@pytest.mark.acceptance("S4-040", "S4-079", "S4-016", "S4-028")
def test_a_mention_is_told_once_with_its_author_and_first_line_and_highlighted(
    vim: Editor, store: Store, writer: Writers
) -> None:
    other = writer("backend")
    page = open_board(vim)
    vim.lua(EVENTS)
    vim.keys("ityping")
    other.post(f"nothing for you, @{other.address}", f"Ready, @{me(vim)}!\n\nsecond line", "`@All` is code")
    vim.waits_for("#vim.g.messages > 0")
    other.post("@All look")
    vim.waits_for("#vim.g.messages > 1")
    shows(vim, page, "@All look")
    assert vim.messages == [
        f"motet: [{other.address}] Ready, @{me(vim)}!",
        f"motet: [{other.address}] @All look",
    ]
    assert draft_of(vim, page) == "typing"
    assert vim.nvim.api.get_mode() == {"mode": "i", "blocking": False}
    heads = ["MotetBoardHead"] * 4
    marked = vim.lua(MARKED, page)
    assert [group for group, _ in marked if group == "MotetBoardHead"] == heads
    assert [one for one in marked if one[0] != "MotetBoardHead"] == [
        ["MotetBoardMention", f"@{me(vim)}!"],
        ["MotetBoardMention", "@All"],
    ]
    told = [event for event in vim.nvim.vars["events"] if event[0] == "MotetBoardMentioned"]
    assert [event[1:3] for event in told] == [["general", f"Ready, @{me(vim)}!"], ["general", "@All look"]]


@pytest.mark.acceptance("VB-02")
def test_what_is_typed_in_200_changes_reaches_each_once(vim: Editor, store: Store) -> None:
    agents = [store.agent(name) for name in ("ann", "ben", "cho")]

    def given() -> list[list[str]]:
        return [[one.post.body for one in store.does(lambda boards, _, to=to: boards.pull(to))] for to in agents]

    open_board(vim)
    text = "@All status? " + "please " * 27 + "now"
    assert len(text) > 200
    vim.keys("i")
    for number, character in enumerate(text):
        vim.keys(character)
        if number in (4, 5, 100):
            assert given() == [[], [], []]
    vim.keys("<Esc>:w<CR>")
    vim.waits_for("require('motet.board').current().status.last == 1")
    assert given() == [[text]] * 3
    assert given() == [[], [], []]
    human = me(vim)
    assert store.does(lambda boards, _: boards.pull(human)) == []


def test_nothing_is_told_while_the_command_line_is_used(vim: Editor, writer: Writers) -> None:
    other = writer("backend")
    page = open_board(vim)
    other.post("@human before")
    vim.waits_for("#vim.g.messages == 1")
    vim.nvim.input(":echo 1")
    other.post(f"@{me(vim)} one", "@human two")
    vim.waits_for(f"require('motet.board').by_buf[{page}].status.last == 3")
    assert len(vim.messages) == 1
    assert vim.lua("return vim.fn.getcmdline()") == "echo 1"
    vim.nvim.input("<Esc>")
    vim.comes_to("#vim.g.messages == 3")


def test_neovims_own_notice_never_waits_for_a_key(vim: Editor, writer: Writers) -> None:
    other = writer("backend")
    page = open_board(vim)
    vim.lua("vim.notify = _G.own_notify")
    for number in range(3):
        other.post(f"@{me(vim)} {number} " + "a very long line " * 20)
    vim.waits_for(f"require('motet.board').by_buf[{page}].status.last == 3")
    vim.comes_to("vim.fn.execute('messages'):match(' 2 a very') ~= nil")
    assert vim.nvim.api.get_mode() == {"mode": "n", "blocking": False}


@pytest.mark.acceptance("S4-041", "S4-063")
def test_a_mention_may_open_the_board_and_ring_the_bell(vim: Editor, store: Store, writer: Writers) -> None:
    other = writer("backend")
    page = open_board(vim, "general")
    vim.lua("require('motet').setup({ board = { auto_open = true, bell = true } })")
    vim.lua("""
      vim.g.rung = 0
      local send = vim.api.nvim_chan_send
      vim.api.nvim_chan_send = function(channel, data)
        if channel == 2 and data == '\\7' then vim.g.rung = vim.g.rung + 1 end
        return send(channel, data)
      end
    """)
    human = me(vim)
    vim.command("topleft new | only")
    vim.keys("iwork")
    other.post(f"@{human} look")
    vim.waits_for(f"vim.fn.bufwinid({page}) ~= -1")
    shows(vim, page, f"@{human} look")
    assert vim.nvim.api.get_mode()["mode"] == "i"
    vim.keys(" goes on<Esc>")
    assert vim.nvim.current.line == "work goes on"
    assert page_of(vim, page) == store.page()
    assert vim.nvim.vars["rung"] == 1


@pytest.mark.acceptance("VB-06")
def test_a_spent_budget_is_told_once_and_continued_with_a_command(vim: Editor, store: Store) -> None:
    store.agent("backend")
    open_board(vim)
    first = store.does(spend)
    vim.waits_for("#vim.g.messages > 0")
    (told,) = vim.messages
    assert told.startswith("motet: agents have used up the tokens of what began with post")
    assert told.endswith("(:Motet board continue, or stop)")
    vim.command("Motet board continue")
    vim.waits_for("#vim.g.messages > 1")
    assert store.does(lambda boards, _: boards.chain(first)).state == "running"
    one, other = store.does(spend), store.does(spend)
    vim.waits_for("#vim.g.messages > 3")
    vim.lua("vim.ui.select = function(rows, _, take) vim.g.offered = #rows; take(rows[2]) end")
    vim.command("Motet board stop")
    vim.waits_for("#vim.g.messages > 4")
    assert vim.nvim.vars["offered"] == 2
    states = [store.does(lambda boards, _, chain=chain: boards.chain(chain)).state for chain in (one, other)]
    assert states == ["stopped", "spent"]


@pytest.mark.acceptance("S4-053")
def test_unread_posts_are_counted_until_the_page_is_seen(vim: Editor, store: Store, writer: Writers) -> None:
    other = writer("backend")
    page = open_board(vim)
    vim.keys("<C-w>k")
    assert vim.lua("return require('motet').status().unread") == 0
    vim.command("tabnew")
    other.post("one", "two", "three")
    vim.waits_for("require('motet').status().unread == 3")
    vim.command("tabclose")
    vim.waits_for("require('motet').status().unread == 0")
    bars = [line for line in vim.screen if " general" in line and "2 here" in line]
    assert len(bars) == 1
    human = me(vim)
    assert store.does(lambda boards, board: boards.read_to(board.id, human)) == 3
    assert page_of(vim, page) == store.page()


@pytest.mark.acceptance("S4-062")
def test_notices_are_kept_and_found_by_their_words(vim: Editor, store: Store, writer: Writers) -> None:
    other = writer("backend")
    open_board(vim)
    other.post("@human before")  # what was there before is told together with what comes while it is looked for
    vim.waits_for("#vim.g.messages == 1")
    other.post(f"@{me(vim)} about the login", f"@{me(vim)} ログインの設計")
    vim.waits_for("#vim.g.messages == 3")
    vim.command("Motet board notices")
    found = (
        "vim.iter(vim.api.nvim_list_wins()):filter(function(win) return vim.api.nvim_win_get_config(win).relative ~= '' end)"
        ":map(function(win) return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false) end):totable()"
    )
    vim.keys("設計")
    vim.comes_to(f"vim.iter({found}):any(function(lines) return #lines == 1 and lines[1]:match('mention') end)")
    shown = vim.lua(f"return vim.iter({found}):find(function(lines) return lines[1]:match('mention') end)")
    assert [line.replace(" · waits", "").split("  ", 2)[2] for line in shown] == [
        f"mention  [{other.address}] @{me(vim)} ログインの設計"
    ]


def test_nothing_of_boards_runs_before_one_is_opened(vim: Editor, project: Project, provider: Any) -> None:
    from motet.models.scripted import Answer

    provider([Answer(text="Yes.")])
    vim.command("Motet chat hello")
    vim.turn_ends()
    assert not list(project.state.glob("board*"))
    assert vim.lua("return package.loaded['motet.board']") is None
    assert vim.lua("return require('motet').status().unread") is None
