"""Keys of a review that are pressed once too often, or too early: they say so, and nothing is written into the code."""

from __future__ import annotations

import pytest
from cli.kit import Project, edit
from nvim.nvim_kit import Editor
from nvim.review_kit import LINES, TEXT, Serve, buffer, lines, proposed, waits

from motet.models.scripted import Wire

ONE = edit(("a.txt", "line 2\n", "new 2\n"))
NOTHING = "motet: nothing waits for review"
KEYS = ["\\a", "\\d", "\\A", "\\D", "\\e", "\\s", "\\]", "\\[", "\\q", "\\v"]


def keys_of(vim: Editor) -> set[str]:
    """The keys of the current buffer that are motet's."""
    found = vim.nvim.current.buffer.api.get_keymap("n")
    return {one["lhs"] for one in found if one.get("desc", "").startswith("motet: ")}


@pytest.mark.parametrize("last", ["2G\\a", "2G\\A", "2G\\d<CR>", "2G\\D<CR>"])
def test_a_key_too_many_writes_nothing(vim: Editor, project: Project, provider: Serve, last: str) -> None:
    proposed(vim, project, provider, ONE)
    vim.keys(last)
    vim.turn_ends()
    waits(vim, 0)
    after = buffer(vim)
    before = len(vim.messages)
    for number, key in enumerate(KEYS, 1):
        vim.keys(key)
        assert vim.messages[before:] == [NOTHING] * number
    assert buffer(vim) == after == project.text("a.txt").splitlines()
    assert vim.nvim.api.get_mode()["mode"] == "n"
    assert vim.lua("return #vim.fn.getqflist()") == 0


@pytest.mark.parametrize("typed", ["<Cmd>enew<CR><Cmd>buffer a.txt<CR>", "ix<Esc>"])
def test_keys_go_when_the_human_does_something_else(
    vim: Editor, project: Project, provider: Serve, typed: str
) -> None:
    project.write({"a.txt": TEXT})
    vim.command("edit a.txt | nnoremap <buffer> \\a <Cmd>let g:own = 1<CR>")
    proposed(vim, project, provider, ONE)
    vim.keys("2G\\a")
    vim.turn_ends()
    waits(vim, 0)
    assert len(keys_of(vim)) == len(KEYS)
    vim.keys(typed)
    vim.comes_to("vim.api.nvim_get_mode().mode == 'n' and vim.fn.bufname() == 'a.txt'")
    assert keys_of(vim) == set()
    vim.keys("\\a")
    assert vim.nvim.vars["own"] == 1


def test_the_next_proposal_takes_the_same_keys(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"a.txt": TEXT})
    vim.command("edit a.txt | nnoremap <buffer> \\a <Cmd>let g:own = 1<CR>")
    proposed(vim, project, provider, ONE, edit(("a.txt", "line 20\n", "new 20\n")))
    vim.keys("2G\\a")
    vim.waits_for("#vim.g.messages == 2")  # another one waits
    vim.keys("20G\\a")
    vim.turn_ends()
    waits(vim, 0)
    assert buffer(vim) == lines(_2="new 2", _20="new 20")
    vim.command("enew | buffer a.txt")
    vim.keys("\\a")
    assert vim.nvim.vars["own"] == 1


def test_a_key_pressed_while_an_edit_is_still_written_writes_nothing(
    vim: Editor, project: Project, provider: Serve
) -> None:
    project.write({"a.txt": TEXT})
    served = provider([edit(("a.txt", "line 2\n", "new 2\n"), wire=Wire(argument_chars=4, stall_after=22))])
    vim.command("edit a.txt")
    vim.command("Motet chat @editor change it")
    vim.command("wincmd p | only")
    vim.waits_for("#vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('motet.writing'), 0, -1, {}) > 0")
    vim.keys("10G\\d\\a")
    assert vim.messages == [NOTHING] * 2
    assert buffer(vim) == LINES
    served.release()
    waits(vim, 1)


def test_what_is_not_shown_yet_cannot_be_accepted(vim: Editor, project: Project) -> None:
    project.write({"a.txt": TEXT})
    vim.command("edit a.txt")
    hunk = {"id": "1.0", "row": 1, "count": 1, "stale": False, "note": "", "number": 1, "total": 1, "text": "new 2"}
    path = str(project.root / "a.txt")
    vim.lua(
        "_G.told = {}; require('motet.process').tell = function(...) table.insert(_G.told, { ... }) return true end"
    )
    found = [{**hunk, "parts": [[0, 1, ["new 2"]]]}]
    vim.lua("require('motet.review').show(...)", path, "a.txt", -1, found)  # of a buffer that has changed since
    vim.keys("2G\\a\\A")
    assert vim.lua("return _G.told") == [["review", "changed", path]]
    vim.lua("require('motet.review').show(...)", path, "a.txt", vim.lua("return vim.b.changedtick"), found)
    vim.keys("2G\\a")
    assert vim.lua("return _G.told[2]") == ["review", "accept", "1.0"]
    assert buffer(vim) == LINES
