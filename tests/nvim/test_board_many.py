"""Boards in Neovim with many who write at once, many posts, and processes that are killed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from cli.kit import Project
from nvim.board_kit import Store, Writers, draft_of, open_board, page_of, shows
from nvim.nvim_kit import Editor, editor, ends, processor

OPEN_BUDGET = 0.1
"""Seconds, of a processor here, in which a board of 100,000 posts is to be there, in a program that runs."""

KEY_BUDGET = 0.016
"""Seconds of the editor's processor for a key."""
MEMORY = 150_000
"""KiB that the program behind an editor takes at most, however long a board is."""


def types(vim: Editor, text: str) -> None:
    """Ten keys a second."""
    for key in text:
        vim.lua("vim.wait(100)")
        vim.keys("<Space>" if key == " " else key)


@pytest.mark.acceptance("VB-05", "S4-009", "S4-090", "S4-068", "S4-069")
def test_every_key_lands_while_ten_processes_post_a_thousand_posts(
    vim: Editor, store: Store, writer: Writers
) -> None:
    writers = [writer(f"agent{number}") for number in range(10)]
    page = open_board(vim)
    bodies = [f"post {number}\n\n- with a list\n```\nand code" for number in range(50)]
    text = "the quick brown fox jumps"

    for each in writers:
        each.send(*bodies)
    types(vim, "i" + text)
    assert draft_of(vim, page) == text
    assert vim.nvim.current.window.cursor[1] == len(text)
    vim.keys("<Esc>u")
    assert draft_of(vim, page) == ""
    vim.keys("<C-r>")
    assert draft_of(vim, page) == text

    vim.command("wincmd p | topleft new | set buftype=nofile")
    for each in writers:
        each.send(*bodies)
    types(vim, "i" + text)
    assert vim.nvim.current.line == text
    for each in writers:
        each.lines(100)
    posts = store.posts()
    assert [post.seq for post in posts] == list(range(1, 1001))
    for each in writers:
        assert [post.body for post in posts if post.author == each.address] == 2 * bodies
    vim.waits_for(f"require('motet.board').by_buf[{page}].status.last == 1000")
    assert page_of(vim, page) == store.page()
    vim.keys("<Esc>u")
    assert vim.nvim.current.line == ""
    assert draft_of(vim, page) == text


def test_the_page_follows_only_a_cursor_at_its_end(vim: Editor, store: Store, writer: Writers) -> None:
    other = writer("other")
    other.post(*(f"post {number}" for number in range(60)))
    page = open_board(vim)
    window = int(vim.lua("return vim.fn.bufwinid(...)", page))
    last = f"vim.api.nvim_buf_line_count({page})"
    assert vim.lua(f"return vim.api.nvim_win_get_cursor({window})[1] == {last}")
    other.post("one more")
    shows(vim, page, "one more")
    assert vim.lua(f"return vim.api.nvim_win_get_cursor({window})[1] == {last}")
    vim.lua("vim.api.nvim_set_current_win(...)", window)
    vim.keys("40kma")
    look = (
        "local view = vim.fn.winsaveview() return { view.lnum, view.topline, vim.fn.line(\"'a\"), vim.fn.line('.') }"
    )
    before = vim.lua(look)
    other.post(*(f"further {number}" for number in range(20)))
    shows(vim, page, "further 19")
    assert vim.lua(look) == before
    assert page_of(vim, page) == store.page()


@pytest.mark.acceptance("VB-08", "S4-025", "S4-024")
def test_two_editors_and_another_process_see_one_order(
    vim: Editor, project: Project, store: Store, writer: Writers
) -> None:
    page = open_board(vim)
    with editor() as second:
        its_page = open_board(second)
        other = writer("other").send(*(f"from outside {number}" for number in range(40)))
        for number in range(10):
            for who, name in ((vim, "first"), (second, "second")):
                who.keys(f"i{name} {number}<Esc><CR>")
        other.lines(40)
        for who, buffer in ((vim, page), (second, its_page)):
            who.waits_for(f"require('motet.board').by_buf[{buffer}].status.last == 60")
            assert page_of(who, buffer) == store.page()
            who.waits_for(f"#require('motet.board').by_buf[{buffer}].sending == 0")
    assert sorted(store.bodies()) == sorted(
        [f"{name} {number}" for name in ("first", "second") for number in range(10)]
        + [f"from outside {number}" for number in range(40)]
    )


def test_a_board_of_100_000_posts_opens_at_once_and_older_posts_come_when_one_scrolls_up(
    vim: Editor, store: Store
) -> None:
    store.fill([f"post {number} of many, @nobody-{number % 7}" for number in range(1, 100_001)])
    open_board(vim, "other")  # the program runs
    vim.lua("""
      vim.g.opened = 0
      vim.api.nvim_create_autocmd('User', { pattern = 'MotetBoardOpened', callback = function()
        vim.g.since = vim.uv.hrtime() end })
    """)
    began = processor(vim.pid) + processor(vim.program)
    vim.lua("""
      vim.cmd('Motet board general')
      local board = require('motet.board').current()
      vim.wait(20000, function() return board.first and vim.api.nvim_buf_line_count(board.buf) > 700 end, 1)
      vim.cmd('redraw')
    """)
    seconds = processor(vim.pid) + processor(vim.program) - began
    page = int(vim.lua("return require('motet.board').current().buf"))
    assert page_of(vim, page) == store.page(after=99_800)
    print(f"opened in {seconds * 1000:.0f} ms of processor")
    assert seconds < 5 * OPEN_BUDGET
    window = int(vim.lua("return vim.fn.bufwinid(...)", page))
    vim.lua("vim.api.nvim_set_current_win(...)", window)
    vim.keys("gg")
    vim.waits_for(f"require('motet.board').by_buf[{page}].older == 99600")
    assert page_of(vim, page) == store.page(after=99_600)
    vim.keys("20jzt")
    top = vim.lua("return { vim.fn.getline('.'), vim.fn.winline() }")
    vim.keys("<C-y>" * 10 + "k")
    vim.waits_for(f"require('motet.board').by_buf[{page}].older <= 99600")
    assert top[1] == 1


@pytest.mark.acceptance("VB-15", "S4-092", "S4-052")
def test_keys_stay_quick_on_a_board_of_ten_megabytes_with_fifty_agents(
    vim: Editor, store: Store, writer: Writers
) -> None:
    for number in range(48):
        store.agent(f"agent{number}")
    store.fill([f"post {number}\n" + "what was said before\n" * 190 for number in range(2_500)])
    page = open_board(vim)
    writers = [writer(f"writer{number}") for number in range(2)]
    for each in writers:
        each.send(*(f"step {number} is done\n\n- `src/a.py`\n- @nobody-12345 looks" for number in range(150)))
    vim.keys("i")
    spent = processor(vim.pid)
    for _ in range(100):
        vim.nvim.input("x")
        vim.lua("vim.wait(5)")
    each = (processor(vim.pid) - spent) / 100
    print(f"{each * 1000:.1f} ms of the editor's processor for a key, posts that come meanwhile included")
    assert each < 2 * KEY_BUDGET
    assert draft_of(vim, page) == "x" * 100
    for each in writers:
        each.lines(150)
    vim.waits_for(f"require('motet.board').by_buf[{page}].status.last == 2800")
    status = Path(f"/proc/{vim.program}/status")
    if status.exists():
        (peak,) = [int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        assert peak < MEMORY


def test_older_posts_move_nothing_that_is_seen(vim: Editor, store: Store) -> None:
    store.fill([f"post {number}" for number in range(1, 501)])
    page = open_board(vim)
    vim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(...))", page)
    line = page_of(vim, page)[15]
    vim.keys(":16<CR>zt")
    seen = [line for line in vim.screen if "post 3" in line]
    vim.waits_for(f"require('motet.board').by_buf[{page}].older < 300")
    vim.waits_for(f"not require('motet.board').by_buf[{page}].reading")
    assert [line for line in vim.screen if "post 3" in line] == seen
    assert line.endswith(store.posts()[300].author) or line == "post 301"
    assert vim.nvim.current.line == line
    assert page_of(vim, page) == store.page(after=100)


@pytest.mark.acceptance("VB-08", "T-35")
def test_killed_halves_lose_nothing(vim: Editor, project: Project, store: Store, writer: Writers) -> None:
    page = open_board(vim)
    vim.keys("ibefore<Esc><CR>")
    shows(vim, page, "before")
    vim.keys("ihalf<Esc>")
    program = vim.program
    os.kill(program, 9)
    assert ends(program, 10)
    vim.waits_for(f"not require('motet.board').by_buf[{page}].open")
    writer("other").post("meanwhile")
    assert draft_of(vim, page) == "half"
    vim.keys("A a word<Esc><CR>")
    shows(vim, page, "half a word")
    assert store.bodies() == ["before", "meanwhile", "half a word"]
    assert page_of(vim, page) == store.page()

    vim.keys("ityped<Esc>")
    vim.waits_for(f"vim.b[{page}].motet_kept == 'typed'")
    program = vim.program
    vim.kill()
    assert ends(program, 10)
    with editor() as again:
        page = open_board(again)
        again.waits_for(f"require('motet.draft').text(require('motet.board').by_buf[{page}]) == 'typed'")
        assert page_of(again, page) == store.page()
        again.keys("<CR>")
        shows(again, page, "typed")
    assert store.bodies() == ["before", "meanwhile", "half a word", "typed"]


@pytest.mark.parametrize("moment", range(4))
def test_a_program_killed_while_it_posts_has_posted_once(
    vim: Editor, project: Project, store: Store, moment: int
) -> None:
    page = open_board(vim)
    vim.keys("ionce<Esc>")
    program = vim.program
    vim.keys("<CR>")
    end = time.monotonic() + moment * 0.004
    while time.monotonic() < end:
        pass
    os.kill(program, 9)
    vim.waits_for(f"not require('motet.board').by_buf[{page}].open")
    vim.keys("itwice<Esc><CR>")
    shows(vim, page, "twice")
    vim.waits_for(f"#require('motet.board').by_buf[{page}].sending == 0")
    assert sorted(store.bodies()) == ["once", "twice"]
    assert draft_of(vim, page) == ""


def test_a_session_brings_boards_back(vim: Editor, project: Project, store: Store) -> None:
    store.fill(["first"])
    vim.command("edit file.txt")
    open_board(vim)
    vim.command("mksession! session.vim")
    with editor() as again:
        again.command("source session.vim")
        again.waits_for("require('motet.board').current() ~= nil and require('motet.board').current().known")
        page = int(again.lua("return require('motet.board').current().buf"))
        shows(again, page, "first")
        assert page_of(again, page) == store.page()
        names = [window.buffer.name.rpartition("project/")[2] for window in again.nvim.windows]
        assert sorted(names) == ["file.txt", "motet://board/general"]
        again.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(...))", page)
        again.keys("ihello<C-s>")
        shows(again, page, "hello")
