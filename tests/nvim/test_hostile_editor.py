"""An editor that is set up otherwise: other options, other plug-ins that fail, a directory below the project."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit
from nvim.nvim_kit import Editor, told
from nvim.review_kit import TEXT, proposed, waits

from motet.models.scripted import Answer

Serve = Callable[..., Provider]
LINKS = Answer(text="See [b.txt](./b.txt).")
SHOWN = """
return vim.tbl_map(function(win)
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), ':t')
end, vim.api.nvim_tabpage_list_wins(0))
"""


def test_the_last_window_stays_also_beside_a_floating_one(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.chat()
    vim.command("only")
    vim.lua("""
    local buf, at = vim.api.nvim_create_buf(false, true), { relative = 'editor', row = 1, col = 1, width = 9, height = 1 }
    vim.api.nvim_open_win(buf, false, at)
    """)
    vim.keys("<C-c>")
    vim.command("Motet toggle")
    assert (vim.lua("return #vim.api.nvim_list_wins()"), vim.errors) == (2, [])
    vim.command("split | Motet toggle")
    assert vim.lua("return #vim.api.nvim_list_wins()") == 2


def test_where_hidden_is_off_no_unsaved_text_is_left_and_the_link_opens(
    vim: Editor, project: Project, provider: Serve
) -> None:
    provider([LINKS])
    project.write({"b.txt": "b\n", "c.txt": "c\n"})
    vim.command("set nohidden")
    vim.command("edit c.txt")
    vim.keys("ix<Esc>")
    vim.command("Motet chat hello")
    vim.turn_ends()
    for link in ("b.txt", "c.txt"):
        vim.lua("vim.api.nvim_win_set_cursor(0, { vim.fn.search('See .b.txt'), 5 })")
        if link == "c.txt":
            vim.lua("require('motet.here').open(...)", str(project.root / "c.txt"))
        else:
            vim.keys("gf")
        assert vim.nvim.current.buffer.name == str(project.root / link)
        vim.command("wincmd b")
    assert sorted(vim.lua(SHOWN))[1:] == ["b.txt", "c.txt"]
    assert vim.lua("return vim.fn.getbufline('c.txt', 1)") == ["xc"]
    vim.lua("require('motet').setup({ layout = 'current' })")
    vim.command("1wincmd w | buffer c.txt | only | Motet")
    assert vim.lua(SHOWN)[1] == "c.txt"


def test_a_link_begins_at_the_root_of_the_project_wherever_the_editor_is(
    vim: Editor, project: Project, provider: Serve
) -> None:
    provider([LINKS])
    subprocess.run(["git", "init", "-q", "."], cwd=project.root, check=True)
    project.write({"b.txt": "b\n", "sub/c.txt": "c\n"})
    vim.command("cd sub | edit c.txt")
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.lua("vim.api.nvim_win_set_cursor(0, { vim.fn.search('See .b.txt'), 5 })")
    vim.keys("gf")
    assert vim.nvim.current.buffer.name == str(project.root / "b.txt")


def test_what_was_rewritten_for_another_change_of_that_line_is_in_nobodys_way(
    vim: Editor, project: Project, provider: Serve
) -> None:
    again = edit(("a.txt", "line 3\n", "newer 3\n"))
    proposed(vim, project, provider, edit(("a.txt", "line 3\n", "new 3\n")), again)
    waits(vim, 1)
    vim.command("set hidden | Motet review")
    vim.keys("\\e")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('amend/a.txt:3$') ~= nil")
    vim.keys("Gomine<Esc>")
    vim.command("hide")
    vim.lua("vim.ui.input = function(_, done) done('') end")
    vim.command("Motet review reject")
    vim.waits_for("select(2, table.concat(vim.g.messages):gsub(' for you in ', '')) == 2")
    waits(vim, 1)
    vim.command("Motet review")
    vim.keys("\\e")
    vim.waits_for("vim.api.nvim_get_current_line() == 'newer 3'")
    assert vim.nvim.funcs.getbufline("motet://amend/a.txt:3", 1, "$") == ["new 3", "mine"]


def test_what_is_said_in_a_command_goes_as_it_was_typed(vim: Editor, provider: Serve) -> None:
    served = provider([DONE])
    vim.command(r'Motet chat  print("a  b\\n") | "x" %')
    vim.turn_ends()
    assert told(served.requests[0].body)[-1] == ("user", r'print("a  b\\n") | "x" %')


@pytest.mark.acceptance("NV-05")
def test_a_range_shares_its_lines_and_what_takes_none_says_so(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([DONE, DONE])
    project.write({"a.txt": TEXT})
    vim.command("edit a.txt")
    vim.command("2,3Motet chat explain")
    vim.turn_ends()
    assert "   2│ line 2\n   3│ line 3\n</attachment>" in served.requests[0].text.replace("\\n", "\n")
    first = vim.nvim.current.buffer.number
    vim.command("1wincmd w | Motet! chat again")
    vim.turn_ends()
    assert vim.nvim.current.buffer.number != first
    assert "line 2" not in served.requests[1].text
    before = len(vim.messages)
    vim.command("2,3Motet toggle")
    vim.command("Motet! add")
    assert vim.messages[before:] == ["motet: `:Motet toggle` takes no range", "motet: `:Motet add` takes no `!`"]


@pytest.mark.parametrize("event", ["BufEnter", "WinEnter", "BufFilePost", "BufWritePost", "User"])
def test_an_autocommand_of_others_that_fails_is_told_and_stops_nothing(
    vim: Editor, project: Project, provider: Serve, event: str
) -> None:
    provider([edit(("a.txt", "line 3\n", "new 3\n")), DONE])
    project.write({"a.txt": TEXT})
    vim.command("set messagesopt=wait:0,history:500 | edit a.txt")
    vim.lua(
        "vim.api.nvim_create_autocmd(..., { pattern = (...) == 'User' and 'Motet*' or '*', callback = function() error('boom') end })",
        event,
    )
    vim.command("Motet chat @editor change it")
    waits(vim, 1)
    vim.command("Motet review accept")
    vim.turn_ends() if event != "User" else vim.waits_for(
        "not next(require('motet.chats').by_buf) or not require('motet.chats').current().busy"
    )
    assert project.text("a.txt") == TEXT.replace("line 3\n", "new 3\n")
    assert vim.nvim.funcs.getbufline("a.txt", 3) == ["new 3"]
    assert "boom" in "\n".join([*vim.errors, *vim.messages]) or any(
        "an autocommand failed" in one for one in vim.messages
    )
