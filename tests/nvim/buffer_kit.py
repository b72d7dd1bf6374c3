"""A workspace over a real Neovim, in this process: what the program does to buffers, without a chat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from nvim.nvim_kit import BIN, ROOT
from workspace.workspace_kit import open_workspace

from motet.nvim.rpc import EditorError, Peer
from motet.nvim.workspace import NvimWorkspace
from motet.nvim.writes import Writes


@dataclass
class Buffers:
    """An editor at the other end of `peer`, and the workspace of `root` over it."""

    peer: Peer
    root: Path
    state: Path
    told: list[str] = field(default_factory=list)
    writes: Writes = field(default_factory=Writes)

    def __post_init__(self) -> None:
        self.files = self.workspace()

    def workspace(self) -> NvimWorkspace:
        """Another chat's workspace over the same files."""
        return NvimWorkspace(open_workspace(self.root, self.state), self.peer, self.writes, self.told.append)

    async def lua(self, code: str, *arguments: object) -> object:
        return await self.peer.request("nvim_exec_lua", code, arguments)

    async def command(self, command: str) -> None:
        await self.peer.request("nvim_command", command)

    async def keys(self, keys: str) -> None:
        await self.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'xt!', false)", keys)

    async def types(self, keys: str) -> None:
        """Type, and stay in the mode in which that ends."""
        await self.peer.request("nvim_input", keys)
        await self.peer.request("nvim_eval", "1")

    async def lines(self) -> list[str]:
        """The current buffer."""
        return cast("list[str]", await self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))

    async def is_modified(self) -> bool:
        return bool(await self.lua("return vim.bo.modified"))

    async def edits(self, path: str, old: str, new: str) -> None:
        """Read a file and write it, with `new` in the place of `old`."""
        file = await self.files.read(path)
        assert old in file.text
        await self.files.write(file, file.encode(file.text.replace(old, new)))


def types_before_a_change(vim: Buffers, patch: pytest.MonkeyPatch, keys: str) -> None:
    """Have the human type `keys` when the next change of a buffer is decided, and not made yet."""
    tell, meanwhile = vim.peer.lua, [keys]

    async def lua(function: str, *arguments: object) -> object:
        if function == "change" and meanwhile:
            await vim.types(meanwhile.pop())
        return await tell(function, *arguments)

    patch.setattr(vim.peer, "lua", lua)


@asynccontextmanager
async def buffers(root: Path, state: Path) -> AsyncGenerator[Buffers]:
    start = ["--embed", "--headless", "--clean", "-n", "--cmd", f"set runtimepath^={ROOT}"]
    child = await asyncio.create_subprocess_exec(
        BIN / "nvim", *start, cwd=root, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdin is not None and child.stdout is not None
    peer = Peer(child.stdout, cast("asyncio.WriteTransport", child.stdin.transport), lambda *_: None)
    reading = asyncio.create_task(peer.run())
    try:
        async with asyncio.timeout(60):
            yield Buffers(peer, root, state)
    finally:
        child.kill()
        with suppress(EditorError):
            await reading
        await child.wait()
