"""An edit is seen at its place while the model still writes it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cli.kit import DONE, Project, edit
from nvim.nvim_kit import Editor
from nvim.review_kit import LINES, TEXT, Serve, waits

from motet.models.scripted import Wire

NEW = "".join(f"written {number}\n" for number in range(1, 31))


@pytest.mark.acceptance("SP-04", "S1-015")
def test_an_edit_that_takes_long_is_seen_in_its_file_and_in_its_chat_while_it_is_written(
    vim: Editor, project: Project, provider: Serve
) -> None:
    project.write({"a.txt": TEXT})
    slow = replace(edit(("a.txt", "line 3\n", NEW), text=""), wire=Wire(argument_chars=8, stall_after=40))
    provider([slow, DONE])
    vim.command("set signcolumn=auto | edit a.txt")
    vim.command("Motet chat @editor change it")
    chat = vim.nvim.current.buffer.number
    vim.command("wincmd p")
    namespace = "vim.api.nvim_create_namespace('motet.writing')"
    drawn = f"vim.inspect(vim.api.nvim_buf_get_extmarks(%s, {namespace}, 0, -1, {{details = true}}))"
    doing = "writes an edit to a.txt: 22 lines"
    vim.waits_for(f"{drawn % 0}:match('{doing}') ~= nil and {drawn % chat}:match('{doing}') ~= nil")
    rows = [[part.strip() for part in line.split("│")] for line in vim.screen]
    assert [row[0] for row in rows[:17]] == [
        *LINES[:3], "… 11 lines", *(f"written {number}" for number in range(12, 22)), doing, "line 4", "line 5"
    ]  # fmt: skip
    assert doing in [row[-1] for row in rows]
    assert vim.nvim.current.buffer[:] == LINES and not vim.nvim.current.buffer.options["modified"]
    vim.command("Motet stop")
    vim.turn_ends()
    vim.waits_for(f"{drawn % 0} == '{{}}' and {drawn % chat} == '{{}}'")
    assert vim.nvim.current.buffer[:] == LINES and project.text("a.txt") == TEXT


def test_what_was_written_becomes_the_hunk_that_is_reviewed(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"a.txt": TEXT})
    provider([replace(edit(("a.txt", "line 3\n", "new 3\n")), wire=Wire(argument_chars=2)), DONE])
    vim.command("set signcolumn=auto | edit a.txt")
    vim.command("Motet chat @editor change it")
    vim.command("wincmd p | only")
    waits(vim, 1)
    assert vim.screen[:6] == [
        "  line 1", "  line 2", "┃ line 3", "  new 3",
        "  change 1 of 1  \\a accept  \\d reject  \\e amend  \\v side by side", "  line 4",
    ]  # fmt: skip


def test_of_an_edit_without_a_chat_nothing_is_left_where_the_human_was_meanwhile(vim: Editor) -> None:
    frame = "require('motet.remote').writing(-1, 'writes an edit', false, {{}}, {})"
    vim.lua(frame.format(1))
    first = vim.nvim.current.buffer.number
    vim.command("new")
    vim.lua(frame.format(2))
    marks = "return vim.api.nvim_buf_get_extmarks(..., vim.api.nvim_create_namespace('motet.writing'), 0, -1, {})"
    assert [len(vim.lua(marks, one)) for one in (first, 0)] == [1, 0]
    vim.lua(frame.replace("-1", "-2").format(1))  # another edit at the same time has a word of its own
    assert [len(vim.lua(marks, one)) for one in (first, 0)] == [1, 1]
    vim.lua("require('motet.remote').written(-2)")
    assert [len(vim.lua(marks, one)) for one in (first, 0)] == [1, 0]
    vim.lua("require('motet.remote').written(-1)")
    assert [vim.lua(marks, one) for one in (first, 0)] == [[], []]
