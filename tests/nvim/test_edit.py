"""`:Motet edit`: lines are changed as the human says, and reviewed where they are."""

from __future__ import annotations

import pytest
from cli.kit import DONE, Project, edit
from nvim.nvim_kit import Editor, told
from nvim.review_kit import LINES, TEXT, Serve, lines, waits

from motet.models.scripted import Answer

OTHER = edit(("a.txt", "line 3\n", "new 3\n"))
EDITED = "vim.api.nvim_create_autocmd('User', { pattern = 'MotetEdited', callback = function(a) vim.g.edited = a.data end })"


def opened(vim: Editor, project: Project) -> None:
    project.write({"a.txt": TEXT})
    vim.lua(EDITED)
    vim.command("edit a.txt")


@pytest.mark.acceptance("S0-001", "NV-22")
def test_lines_are_changed_where_they_are(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([OTHER, DONE])
    opened(vim, project)
    vim.command("3,4Motet edit make it new")
    waits(vim, 1)
    number = vim.nvim.current.buffer.number
    assert told(served.requests[0].body)[-1][1] == (
        f'<attachment filepath="a.txt" buffer="{number}" name="a.txt" filetype="text" lines="3-4">\n'
        "   3│ line 3\n   4│ line 4\n</attachment>\n\nmake it new\n\n(This is about lines 3-4 of `a.txt`.)"
    )
    vim.keys("ggOtyped above<Esc>")
    vim.keys("4G\\a")
    vim.waits_for("vim.g.edited ~= nil")
    assert vim.nvim.current.buffer[:] == ["typed above", *lines(_3="new 3")]
    vim.keys("u")
    assert vim.nvim.current.buffer[:] == ["typed above", *LINES]


@pytest.mark.acceptance("NV-22")
def test_an_operator_asks_once_and_is_repeated(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Why?"), Answer(text="Why?")])
    opened(vim, project)
    vim.lua("vim.g.asked = 0; vim.ui.input = function(_, f) vim.g.asked = vim.g.asked + 1; f('shorten it') end")
    vim.command("nmap gE <Plug>(motet-edit)")
    vim.keys("2GgEj")
    vim.waits_for("vim.g.edited ~= nil")
    vim.command("unlet g:edited")
    vim.keys("10G.")
    vim.waits_for("vim.g.edited ~= nil")
    assert vim.nvim.vars["asked"] == 1
    asked = [told(one.body)[-1][1].rpartition("\n\n")[2] for one in served.requests]
    assert asked == ["(This is about lines 2-3 of `a.txt`.)", "(This is about lines 10-11 of `a.txt`.)"]


@pytest.mark.acceptance("NV-22")
def test_a_count_of_the_motion_is_heeded(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Why?")])
    opened(vim, project)
    vim.lua("vim.ui.input = function(_, f) f('shorten it') end")
    vim.command("nmap gE <Plug>(motet-edit)")
    vim.keys("5GgE3j")
    vim.waits_for("vim.g.edited ~= nil")
    assert told(served.requests[0].body)[-1][1].endswith("(This is about lines 5-8 of `a.txt`.)")


@pytest.mark.acceptance("CC-07")
def test_a_turn_without_an_edit_says_so(vim: Editor, project: Project, provider: Serve) -> None:
    provider([Answer(text="I would rather not.")])
    opened(vim, project)
    vim.command("Motet edit do it")
    vim.waits_for("vim.g.edited ~= nil")
    assert vim.messages[-1] == "motet: no edit was made: I would rather not."
    assert vim.nvim.current.buffer[:] == LINES


def test_it_is_stopped_and_nothing_has_changed(vim: Editor, project: Project, provider: Serve) -> None:
    provider([OTHER, DONE])
    opened(vim, project)
    vim.command("Motet edit do it")
    waits(vim, 1)
    vim.command("Motet stop")
    vim.waits_for("vim.g.edited ~= nil")
    assert vim.nvim.current.buffer[:] == LINES and project.text("a.txt") == TEXT


def test_a_buffer_without_a_file_is_refused(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.command("Motet edit do it")
    vim.waits_for("#vim.g.messages == 1")
    said = "this buffer is no file of the project, so nothing can be changed in it by a tool"
    assert vim.messages == [f"motet: {said}"]
