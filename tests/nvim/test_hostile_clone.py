"""Neovim opened in a clone that wants to run."""

from __future__ import annotations

import os

import pytest
from cli.hostile_kit import WATCHED, canaries, is_harmless, make_clone, make_hostile, noted
from cli.kit import BIN, Project
from nvim.board_kit import open_board
from nvim.nvim_kit import editor


@pytest.mark.acceptance("T-03")
def test_nothing_of_a_hostile_clone_runs_in_the_editor_and_nobody_is_called(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_hostile(project)
    make_clone(project)
    project.settings('model = "offline"\n')
    for name, value in project.env({"WATCH": str(project.root.parent / "watch")}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", "bin", str(BIN), os.environ["PATH"]]))
    with editor() as vim:
        assert vim.lua("return require('motet.process').program()") == [str(BIN / "motet")]
        vim.lua("vim.g.motet_command = ...", [str(BIN / "python"), "-P", "-c", WATCHED])
        vim.answers("q")
        vim.command("edit a.py")
        vim.chat()
        vim.keys("iwhat changed? #diff #diagnostics @/a.ts #mine @mine @agent<Esc><CR>")
        vim.turn_ends()
        shared = "\n".join(vim.lines)
        assert "<diff>" in shared
        assert "<diagnostics>" in shared
        vim.command("Motet inspect")
        vim.waits_for("vim.fn.getline(1):match('^The next request') ~= nil")
        vim.command("autocmd User MotetFixed let g:fixed = 1")
        vim.command("tabnew a.c | Motet fix")
        vim.waits_for("vim.g.fixed ~= nil")
        open_board(vim, "general")
        vim.command("checkhealth motet")
        vim.lua("require('motet.process').tell('leave')")
        vim.waits_for("not require('motet.process').is_ready()")
    assert any(args[0].endswith("/git") for _, args in noted(project))  # so it is seen what is started
    assert canaries(project) == []
    assert [each for each in noted(project) if not is_harmless(project, *each)] == []
