"""A Neovim that is too old is told so in one line, whatever is used of motet; nothing else is loaded there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nvim.nvim_kit import BIN, ROOT

# What came with 0.6 to 0.11, and is used by motet as it loads.
HIDDEN = """
local has = vim.fn.has
vim.fn.has = function(what) return what:match('^nvim%-0%.([6-9]|1)') and 0 or what:match('^nvim%-0%.1') and 0 or has(what) end
vim.api.nvim_create_user_command, vim.api.nvim_create_autocmd, vim.api.nvim_create_augroup = nil, nil, nil
vim.keymap, vim.fs, vim.uv, vim.system, vim.version, vim.iter, vim.treesitter = nil, nil, nil, nil, nil, nil, nil
vim.health = { report_start = function() end, report_error = function(line) print('health: ' .. line) end }
"""
LOADED = "lua print('loaded', table.concat(vim.tbl_filter(function(n) return n:match('^motet') end, vim.tbl_keys(package.loaded)), ' '))"
FINE = "lua print('statusline', vim.inspect(require('motet').status()))"


def run(tmp_path: Path, *commands: str, root: Path = ROOT) -> list[str]:
    """What an editor says that hides what is new, and then does `commands`."""
    (tmp_path / "old.lua").write_text(HIDDEN)
    start = [BIN / "nvim", "-u", "NONE", "-i", "NONE", "--headless", "-n", "-c", f"luafile {tmp_path / 'old.lua'}"]
    load = [f"set runtimepath^={root}", "runtime plugin/motet.vim", "runtime plugin/motet.lua"]
    done = subprocess.run(
        [*start, *(part for one in [*load, *commands, "qall!"] for part in ("-c", one))],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.stderr.splitlines()


@pytest.mark.parametrize(
    "use",
    [
        "Motet", "Motet chat hello", "%Motet! add", "lua require('motet').setup({ layout = 'left' })",
        "lua require('motet').open()", "lua require('motet').send('hello')",
    ],
)  # fmt: skip
def test_whatever_is_used_says_what_is_needed_in_one_line(tmp_path: Path, use: str) -> None:
    (line,) = run(tmp_path, use)
    assert line.startswith("motet: Neovim 0.11 or newer is needed, this is 0.")


def test_nothing_is_said_and_nothing_loaded_before_it_is_used(tmp_path: Path) -> None:
    assert run(tmp_path, LOADED) == ["loaded "]
    assert run(tmp_path, "set filetype=motet", FINE) == ["statusline {}"]


def test_the_health_check_says_it_in_the_words_of_then(tmp_path: Path) -> None:
    (line,) = run(tmp_path, "lua require('motet.health').check()")
    assert line.startswith("health: motet: Neovim 0.11 or newer is needed, this is 0.")


def test_an_editor_without_lua_plugins_says_it_too(tmp_path: Path) -> None:
    (tmp_path / "plugin").mkdir()
    script = (ROOT / "plugin" / "motet.vim").read_text().replace("has('nvim-0.5')", "has('nvim-9.9')")
    (tmp_path / "plugin" / "motet.vim").write_text(script)
    assert run(tmp_path, "Motet! chat hello", root=tmp_path) == ["motet: Neovim 0.11 or newer is needed"]
