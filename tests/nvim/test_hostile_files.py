"""A project whose files would like to be run by the editor."""

from __future__ import annotations

import pytest
from cli.kit import DONE, Project, edit
from nvim.nvim_kit import ROOT, Editor
from nvim.review_kit import Serve, waits

NAMES = ("x|let g:p=1", "+let g:p=2", "`touch p`$(touch p).txt", "%:p #<sfile>.txt", "a\tb ;x'y\"z\\.txt")
OURS = """
local found = {}
for name in pairs(package.loaded) do
  if name:match('^motet') then
    for _, value in pairs(type(package.loaded[name]) == 'table' and package.loaded[name] or {}) do
      if type(value) == 'function' then found[debug.getinfo(value, 'S').source] = true end
    end
  end
end
return vim.tbl_keys(found)
"""


@pytest.mark.acceptance("T-04")
def test_no_file_of_the_project_is_run_whatever_its_place_or_its_name(
    vim: Editor, project: Project, provider: Serve
) -> None:
    trap = "vim.g.p = 1\n"
    modules = [path.stem for path in (ROOT / "lua" / "motet").glob("*.lua")]
    places = [f"{root}motet/{name}.lua" for name in modules for root in ("", "lua/")]
    places += ["motet.lua", "lua/motet.lua", "motet/init.lua", ".nvim.lua", ".motet.lua", "init.lua", ".tool.lua"]
    places += [f"{root}{kind}/motet.lua" for kind in ("plugin", "ftplugin", "syntax") for root in ("", "after/")]
    project.write(dict.fromkeys(places, trap) | {".exrc": "let g:p = 1\n", ".nvimrc": "let g:p = 1\n"})
    project.write(dict.fromkeys(NAMES, "one\n") | {"sitecustomize.py": "open('p', 'w')\n"})
    change = edit(*((name, "one\n", "two\n") for name in NAMES))
    served = provider([change, DONE, DONE])
    vim.command("Motet chat @editor change all")
    vim.command("wincmd p | only")
    waits(vim, len(NAMES))
    visited: list[str] = []
    for left in range(len(NAMES), 0, -1):
        waits(vim, left)
        vim.command("Motet review")
        visited.append(vim.nvim.current.buffer.name)
        vim.keys("\\v")
        vim.waits_for("#vim.api.nvim_list_tabpages() == 2")
        vim.command("tabclose")
        vim.keys("\\a")
    vim.turn_ends()
    assert sorted(visited) == sorted(str(project.root / name) for name in NAMES)
    assert [project.text(name) for name in NAMES] == ["two\n"] * len(NAMES)
    vim.command("Motet changes")
    vim.waits_for("vim.bo.buftype == 'quickfix'")
    vim.command("cclose | Motet chat see " + " ".join(f"@{{{name}}}" for name in NAMES[:4]))
    vim.turn_ends()
    chat = vim.nvim.current.window
    for name in NAMES[:4]:
        vim.nvim.current.window = chat
        vim.nvim.funcs.cursor(1, 1)
        assert vim.nvim.funcs.search(r"\V<file>" + name)
        vim.keys("gf")
        assert vim.nvim.current.buffer.name == str(project.root / name)
    assert served.requests[-1].text.count("two") >= 4
    for command in ("Motet context", "Motet inspect"):
        vim.nvim.current.window = chat
        vim.command(command)
        vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://[lr]') ~= nil")
        vim.command("close!")
    assert vim.nvim.funcs.exists("g:p") == 0
    assert not (project.root / "p").exists()
    assert all(source.startswith(f"@{ROOT}/lua/") for source in vim.lua(OURS))
