"""A real Neovim with an attached user interface, driven over its own protocol."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pynvim

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".venv" / "bin"
DEADLINE = 30.0
"""Seconds that anything may take."""

_NOTED = """
_G.own_notify = vim.notify
vim.g.messages, vim.g.ended = {}, 0
vim.notify = function(text) local all = vim.g.messages; all[#all + 1] = text; vim.g.messages = all end
vim.api.nvim_create_autocmd('User', { pattern = 'MotetEnded', callback = function() vim.g.ended = vim.g.ended + 1 end })
"""
_SCREEN = """
local rows, columns = ...
local lines = {}
for row = 1, rows do
  local cells = {}
  for column = 1, columns do cells[column] = vim.fn.screenstring(row, column) end
  lines[row] = table.concat(cells)
end
return lines
"""
_ANSWERS = """
local key = ...
vim.api.nvim_create_autocmd('FileType', { pattern = 'motet-question', callback = function(args)
  vim.schedule(function()
    for _, map in ipairs(vim.api.nvim_buf_get_keymap(args.buf, 'n')) do
      if map.lhs == key then map.callback() end
    end
  end)
end })
"""
ASKED = "vim.bo.filetype == 'motet-question'"
"""A question takes the keys."""


class Editor:
    """One editor. What is to happen is waited for inside it, with a deadline."""

    def __init__(self, columns: int, rows: int) -> None:
        start = ["--embed", "--clean", "-n", "--cmd", f"set runtimepath^={ROOT}"]
        self.nvim = pynvim.attach("child", argv=[str(BIN / "nvim"), *start])
        self.nvim.ui_attach(columns, rows, rgb=True, ext_linegrid=True)
        self.lua(_NOTED)
        self.pid = int(self.nvim.funcs.getpid())
        self._size = (rows, columns)
        self._turns = 0

    def command(self, command: str) -> None:
        self.nvim.command(command)

    def keys(self, keys: str) -> None:
        """Type, a while after what was typed before; returns when all of it has been taken."""
        self.lua("local keys = package.loaded['motet.keys']; if keys then keys.swallow(nil) end")
        self.nvim.input(keys)
        self.nvim.eval("1")

    def resize(self, columns: int, rows: int) -> None:
        """Give the screen another size."""
        self.nvim.ui_try_resize(columns, rows)
        self._size = (rows, columns)
        self.comes_to(f"vim.o.columns == {columns} and vim.o.lines == {rows}")

    def lua(self, code: str, *arguments: object) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def waits_for(self, condition: str) -> None:
        """Return when the Lua expression `condition` holds."""
        code = f"return vim.wait({int(DEADLINE * 1000)}, function() return {condition} end, 10)"
        assert self.lua(code), f"never: {condition}\n" + "\n".join([*self.lines, *self.messages, *self.errors])

    def comes_to(self, condition: str) -> None:
        """The same for what only happens between two keys, such as a change of mode: asked from outside."""
        end = time.monotonic() + DEADLINE
        while not self.lua(f"return {condition}"):
            assert time.monotonic() < end, f"never: {condition}\n" + "\n".join(
                [*self.screen, *self.messages, *self.errors]
            )

    def answers(self, key: str) -> None:
        """Have every question answered by this key."""
        self.lua(_ANSWERS, key)

    def types(self, asked: str, text: str) -> None:
        """Answer a question that asks for a text."""
        self.comes_to("vim.bo.filetype == 'motet-answer' and vim.fn.mode() == 'i'")
        assert asked in "\n".join(self.screen)
        self.keys(f"{text}<CR>")

    def turn_ends(self) -> None:
        """Return when the next turn is over, and the draft is the human's again."""
        self._turns += 1
        self.waits_for(f"vim.g.ended >= {self._turns}")

    def chat(self) -> None:
        """Open a chat, and wait until its program has it."""
        self.command("Motet")
        self.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")

    @property
    def program(self) -> int:
        """The process id of the Python half."""
        self.waits_for("require('motet.process').is_ready()")
        return int(self.lua("return require('motet.process').pid()"))

    @property
    def lines(self) -> list[str]:
        """The buffer, markers left out."""
        return [line for line in self.nvim.current.buffer if not line.startswith("<!-- motet ")]

    @property
    def said(self) -> list[str]:
        """The same without empty lines."""
        return [line for line in self.lines if line]

    @property
    def screen(self) -> list[str]:
        """What is seen."""
        self.command("redraw!")
        return [line.rstrip() for line in self.lua(_SCREEN, *self._size)]

    @property
    def messages(self) -> list[str]:
        """What was notified."""
        return list(self.nvim.vars["messages"])

    @property
    def errors(self) -> list[str]:
        """What the editor itself said, as `:messages` lists it."""
        return list(self.nvim.command_output("messages").splitlines())

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, 9)


@contextmanager
def editor(columns: int = 80, rows: int = 24) -> Iterator[Editor]:
    found = Editor(columns, rows)
    try:
        yield found
    finally:
        found.kill()
        found.nvim.close()


def ends(pid: int, seconds: float) -> bool:
    """Whether the process ends within so many seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def told(body: dict[str, object]) -> list[tuple[str, str]]:
    """Who says what in a request of the OpenAI dialect, without the system's words."""
    messages: Any = json.loads(json.dumps(body["messages"]))
    return [(one["role"], one["content"]) for one in messages if one["role"] != "system"]


def processor(pid: int) -> float:
    """Seconds of processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
