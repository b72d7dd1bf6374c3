"""What the plugin brings into an editor before it is used, and what it tells when its other half is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import ROOT, Editor

import motet
from motet.models.scripted import Answer

EMPTY = ["## Me", "", ""]


@pytest.mark.acceptance("NV-04", "NV-06")
def test_nothing_but_a_command_and_maps_is_there_before_it_is_used(vim: Editor) -> None:
    assert (
        vim.lua("return vim.tbl_filter(function(n) return n:match('^motet') end, vim.tbl_keys(package.loaded))") == []
    )
    assert vim.nvim.funcs.exists(":Motet") == 2
    assert vim.nvim.funcs.maparg("<Plug>(motet-chat)", "n") == "<Cmd>Motet chat<CR>"
    assert vim.messages == []


@pytest.mark.acceptance("PY-01")
def test_both_halves_have_one_version(vim: Editor) -> None:
    assert vim.lua("return require('motet.version')") == motet.__version__


@pytest.mark.acceptance("NV-05")
def test_subcommands_are_completed_and_unknown_ones_named(vim: Editor) -> None:
    assert vim.nvim.funcs.getcompletion("Motet st", "cmdline") == ["stop"]
    assert vim.nvim.funcs.getcompletion("Motet ", "cmdline") == [
        "actions", "add", "agent", "agents", "apply", "board", "buffer", "changes", "chat", "clear", "close", "compact", "config", "context", "drop", "edit", "file", "fix", "fork", "health", "history",
        "inspect", "log", "mention", "model", "new", "open", "pin", "prompt", "rename", "retry", "review", "search", "stop", "system", "toggle", "tools", "trust", "undo", "watch",
    ]  # fmt: skip
    vim.command("Motet dance")
    assert vim.messages == ["motet: there is no `:Motet dance`; `:Motet actions` lists all"]


@pytest.mark.acceptance("S0-035")
def test_all_that_can_be_done_is_picked_from_a_list(vim: Editor) -> None:
    vim.lua(
        "vim.ui.select = function(rows, options, choose) vim.g.rows = vim.tbl_map(options.format_item, rows); _G.choose = choose; _G.rows = rows end"
    )
    vim.lua("require('motet.command').names('prompts', { 'tests' })")
    vim.command("Motet actions")
    offered = [row.split(maxsplit=1)[1] for row in vim.nvim.vars["rows"]]
    names = set(vim.nvim.funcs.getcompletion("Motet ", "cmdline")) - {"actions", "prompt"}
    assert {row.split("  ")[0] for row in offered} == {*names, "prompt tests"}
    assert "new              open a new chat" in offered
    vim.lua("_G.choose(nil)")
    assert vim.nvim.current.buffer[:] == [""]
    vim.lua("_G.choose(vim.iter(_G.rows):find(function(row) return row.shown == 'new' end))")
    assert vim.nvim.current.buffer[:] == EMPTY


ACTIONS = """
local rows = {}
vim.ui.select = function(all, how) for _, row in ipairs(all) do rows[#rows + 1] = how.format_item(row) end end
vim.cmd("Motet actions")
return rows
"""


def test_actions_begin_with_what_is_possible_here(vim: Editor, project: Project) -> None:
    nothing = vim.lua(ACTIONS)
    assert nothing[0] == "chat    chat             open the last chat, or a new one; TEXT is sent"
    assert nothing[-1] == "chat    clear            begin a new chat here (not here)"
    possible = [row.split()[1] for row in nothing if not row.endswith(" (not here)")]
    assert possible == [
        "chat", "new", "history", "open", "toggle", "search", "changes", "undo", "board", "agents", "mention", "agent", "config", "trust", "log", "health", "prompt"
    ]  # fmt: skip
    project.write({"a.txt": "one\n"})
    vim.command("edit a.txt")
    assert [row.split()[1] for row in vim.lua(ACTIONS)[5:8]] == ["edit", "fix", "add"]
    vim.chat()
    in_chat = [row.split()[1] for row in vim.lua(ACTIONS) if not row.endswith(" (not here)")]
    assert in_chat[5:9] == ["file", "buffer", "context", "pin"] and "edit" not in in_chat


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (["/nowhere/motet"], "motet: /nowhere/motet cannot be started (:checkhealth motet)"),
        (
            ["false"],
            "motet: false nvim ended (exit code 1); is that motet? `uv tool install motet`, or set g:motet_command (:checkhealth motet)",
        ),
        (
            [
                "sh",
                "-c",
                "[ $0 = nvim ] || { echo motet 0.0.1; exit; }; echo 'motet: no such command: nvim' >&2; exit 2",
            ],
            "motet: sh -c SCRIPT is version 0.0.1, this plugin VERSION: update the older one, as by `uv tool upgrade motet` (:checkhealth motet)",
        ),
        (
            ["sh", "-c", "[ $0 = nvim ] || { echo motet VERSION; exit; }; echo 'No module named motet' >&2; exit 3"],
            "motet: sh -c SCRIPT nvim ended (exit code 3): No module named motet (:checkhealth motet)",
        ),
        (
            ["sh", "-c", "echo hello"],
            "motet: sh -c SCRIPT nvim ended (exit code 0); is that motet? `uv tool install motet`, or set g:motet_command (:checkhealth motet)",
        ),
        (
            ["sh", "-c", "echo hello; [ $0 != nvim ] || exec sleep 1000"],
            "motet: sh -c SCRIPT nvim writes what no program for Neovim does; is that motet? `uv tool install motet`, or set g:motet_command (:checkhealth motet)",
        ),
    ],
)
def test_a_program_that_does_not_work_is_told_in_one_message(vim: Editor, program: list[str], said: str) -> None:
    program = [word.replace("VERSION", motet.__version__) for word in program]
    vim.lua("vim.g.motet_command = {...}", *program)
    vim.command("Motet")
    vim.waits_for("#vim.g.messages > 0")
    assert vim.messages == [said.replace("SCRIPT", program[-1]).replace("VERSION", motet.__version__)]
    assert vim.nvim.current.buffer[:] == EMPTY


def test_after_a_mistake_in_the_settings_is_mended_it_is_sent(
    vim: Editor, provider: Callable[..., Provider], project: Project
) -> None:
    provider([Answer(text="Yes.")])
    good = project.config.read_text()
    project.settings("model = [")
    vim.command("Motet")
    vim.keys("ihello<C-s>")
    vim.waits_for("#vim.g.messages > 0 and not require('motet.chats').current().busy")
    assert vim.messages == [f"motet: {project.config}: Invalid value (at end of document)"]
    assert vim.said == ["## Me", "hello"]
    project.settings(good)
    vim.keys("<Esc><CR>")
    vim.turn_ends()
    assert vim.said == ["## Me", "hello", "## motet (scripted/one)", "Yes.", "## Me"]


@pytest.mark.acceptance("PY-01")
def test_a_program_of_another_version_is_named(vim: Editor) -> None:
    vim.lua("package.loaded['motet.version'] = '9.9.9'")
    vim.command("Motet")
    vim.waits_for("#vim.g.messages > 0")
    assert vim.messages == [
        f"motet: the program is {motet.__version__}, the plugin 9.9.9: update the older one (:checkhealth motet)"
    ]


@pytest.mark.acceptance("NV-08")
def test_checkhealth_tells_what_is_found_and_what_to_do(vim: Editor) -> None:
    vim.command("checkhealth motet")
    text = "\n".join(vim.nvim.current.buffer)
    assert re.search(rf"OK .*motet, version {re.escape(motet.__version__)}", text), text
    assert "OK completion: motet's own menu" in text and "OK picker: motet's" in text
    assert re.search(r"OK python +3\.\d+\.\d+ ", text) and re.search(r"OK model +offline ", text), text
    assert re.search(r"(OK|ERROR|WARNING).* sandbox +\S", text), text
    vim.command("let g:motet_command = '/nowhere/motet'")
    vim.command("checkhealth motet")
    assert "/nowhere/motet does not run" in "\n".join(vim.nvim.current.buffer)


@pytest.mark.parametrize("layout", ["right", "left", "below", "above", "tab", "float", "current"])
def test_a_chat_opens_in_every_layout_also_from_a_window_that_keeps_its_buffer(vim: Editor, layout: str) -> None:
    vim.lua("require('motet').setup({layout = ...})", layout)
    vim.command("set winfixbuf")
    before = vim.nvim.current.buffer.number
    vim.command("Motet")
    assert vim.nvim.current.buffer[:] == EMPTY
    assert [window.buffer.number for window in vim.nvim.windows].count(before) == 1
    vim.command("Motet toggle")
    assert vim.nvim.current.buffer.number == before


@pytest.mark.acceptance("T-20", "NV-01", "PY-01")
def test_without_its_program_the_plugin_fetches_and_starts_nothing(
    tmp_path: Path, need: Callable[[str], Path]
) -> None:
    """In a clone of its own, without `.venv`, where every program that could fetch one is a canary."""
    clone, canaries, told = tmp_path / "motet", tmp_path / "bin", tmp_path / "told"
    for part in ("plugin", "lua", "ftplugin", "doc"):
        shutil.copytree(ROOT / part, clone / part)
    canaries.mkdir()
    for name in ("curl", "wget", "git", "python3", "pip", "pipx", "uv", "uvx", "npm", "node", "cargo", "sh", "bash"):
        (canaries / name).write_text(f"#!/bin/sh\necho {name} >> {told}\n")
        (canaries / name).chmod(0o755)
    use = 'lua for _, words in ipairs({"Motet", "Motet search x", "Motet fix", "checkhealth motet"}) do pcall(vim.cmd, words) end'
    show = 'lua io.stderr:write("\\n", table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\\n"))'
    start = [need("nvim"), "--clean", "--headless", "-n", "--cmd", f"set runtimepath^={clone}"]
    done = subprocess.run(
        [*start, "-c", use, "-c", show, "-c", "qall!"],
        env=os.environ | {"PATH": str(canaries)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert not told.exists(), told.read_text()
    assert "motet: the program `motet` is not on PATH: `uv tool in" in done.stderr
    assert "uv tool install motet, or pipx install motet" in done.stderr


def test_an_option_that_there_is_not_is_told_and_a_key_alone_is_a_map(vim: Editor) -> None:
    vim.lua("""
    require('motet').setup({
      layuot = 'left', picker = function() end,
      maps = { say = 'gs', help = false, review = { accept = '<F5>' }, board = { say = 'gs' } },
    })
    """)
    assert vim.messages == ["motet: there is no option `layuot` (:help motet-options)"]
    maps = vim.lua("return require('motet').options.maps")
    assert (maps["say"], maps["help"], maps["review"]["accept"]) == ({"n": "gs"}, False, {"n": "<F5>"})
    assert (maps["board"]["say"], maps["send"]) == ({"n": "gs"}, {"n": "<CR>", "i": "<C-s>"})
