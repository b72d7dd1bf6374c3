"""A real Neovim with an attached user interface, as a terminal would be, and what it draws with the time of each drawing."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
from chatspeed.provider import cpu_of
from measure.run import BIN, BenchError, place

HERE = Path(__file__).resolve().parent.parent / "nvim"
ROOT = HERE.parent.parent
COLUMNS, ROWS = 160, 50
PATIENCE = 60.0
"""Seconds that anything may take."""

Answered = Callable[[object], None]


class _Peer:
    """One msgpack-RPC connection, written to as it takes, read when there is something."""

    def __init__(self, reads: int, writes: int, heard: Callable[[list[object], int], None]) -> None:
        self.reads = reads
        self._writes = writes
        self._heard = heard
        self._unpacker = msgpack.Unpacker(raw=False, unicode_errors="surrogateescape", strict_map_key=False)
        self._number = 0
        self.waiting: dict[int, Answered] = {}

    def send(self, answered: Answered, method: str, *arguments: object) -> None:
        self._number += 1
        self.waiting[self._number] = answered
        os.write(self._writes, msgpack.packb([0, self._number, method, arguments]))

    def read(self) -> None:
        data = os.read(self.reads, 1 << 18)
        now = time.monotonic_ns()
        if not data:
            raise BenchError("the editor has ended")
        self._unpacker.feed(data)
        for message in self._unpacker:
            if message[0] == 1:
                if message[2]:
                    raise BenchError(f"the editor: {message[2]}")
                self.waiting.pop(message[1])(message[3])
            elif message[0] == 2:
                self._heard(message, now)


class _Grid:
    """What stands on the screen. Only what differs is told, in pieces cut anywhere."""

    def __init__(self) -> None:
        self._rows = [[" "] * COLUMNS for _ in range(ROWS)]
        self._changed: set[int] = set()

    def apply(self, name: str, call: list[Any]) -> str:
        """Take one event of `:help ui-linegrid`; at the end of a frame, the rows that it changed."""
        match name, call:
            case "grid_line", [_, row, column, cells, *_]:
                new = [text for text, *more in cells for _ in range(more[1] if len(more) > 1 else 1)]
                self._rows[row][column : column + len(new)] = new
                self._changed.add(row)
            case "grid_scroll", [_, top, bottom, left, right, by, *_]:
                old = [row[left:right] for row in self._rows]
                for row in range(max(top, top - by), min(bottom, bottom - by)):
                    self._rows[row][left:right] = old[row + by]
            case "grid_clear", _:
                self._rows = [[" "] * COLUMNS for _ in range(ROWS)]
            case "flush", _:
                changed, self._changed = sorted(self._changed), set()
                return "\n".join("".join(self._rows[row]) for row in changed)
            case _:
                pass
        return ""


class Editor:
    """One editor. `drawn` holds what was drawn since it was cleared: nanoseconds of the monotonic clock, and text."""

    def __init__(self, process: subprocess.Popen[bytes], address: Path) -> None:
        assert process.stdin is not None and process.stdout is not None  # they are pipes
        self.drawn: list[tuple[int, str]] = []
        self._grid = _Grid()
        self._screen = _Peer(process.stdout.fileno(), process.stdin.fileno(), self._redraw)
        self.pid = process.pid
        self._ask(self._screen, "nvim_ui_attach", COLUMNS, ROWS, {"rgb": True, "ext_linegrid": True})
        until = time.monotonic() + PATIENCE
        while not address.exists():
            if time.monotonic() > until:
                raise BenchError("the editor does not listen")
            self.wait(0.005)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(address))
        self._control = _Peer(self._socket.fileno(), self._socket.fileno(), lambda message, now: None)
        self._peers = {self._screen.reads: self._screen, self._control.reads: self._control}
        self.lua("return dofile(...)", str(HERE / "core.lua"))

    def lua(self, code: str, *arguments: object) -> object:
        """What Lua `code` answers."""
        return self._ask(self._control, "nvim_exec_lua", code, arguments)

    def probe(self, answered: Answered) -> None:
        """Have the editor answer something, whenever its main loop comes to it."""
        self._control.send(answered, "nvim_eval", "1")

    def press(self, keys: str) -> None:
        """Type, as a terminal does."""
        self._screen.send(lambda _: None, "nvim_input", keys)

    def wait(self, seconds: float) -> None:
        """Take what the editor says for so long."""
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            self.take(max(left, 0.0))
            if left <= 0:
                return

    def take(self, seconds: float) -> None:
        """Take what the editor says next; return after so many seconds at the latest."""
        peers = getattr(self, "_peers", {self._screen.reads: self._screen})
        ready, _, _ = select.select([*peers], [], [], seconds)
        for descriptor in ready:
            peers[descriptor].read()

    def wait_for(self, condition: Callable[[], object], what: str) -> None:
        """Return when `condition` holds. Raises `BenchError` when it does not come."""
        until = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > until:
                raise BenchError(f"never: {what}")
            self.take(0.05)

    def when_drawn(self, text: str, after: int) -> int | None:
        """When the middle of `text`, a word that stands nowhere else, was first drawn after that time."""
        return next((when for when, drawn in self.drawn if when >= after and text[2:-2] in drawn), None)

    @property
    def cpu(self) -> float:
        """Seconds of processor time of the editor so far."""
        return cpu_of(self.pid)

    @property
    def children_cpu(self) -> float:
        """The same of the processes that it runs."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return sum(cpu_of(int(child)) for child in children)

    def _ask(self, peer: _Peer, method: str, *arguments: object) -> object:
        answer: list[object] = []
        peer.send(answer.append, method, *arguments)
        self.wait_for(lambda: answer, method)
        return answer[0]

    def _redraw(self, message: list[object], now: int) -> None:
        if message[1] != "redraw":
            return
        for name, *calls in message[2]:  # type: ignore[attr-defined]
            for call in calls:
                changed = self._grid.apply(name, call)
                if changed:
                    self.drawn.append((now, changed))


@contextmanager
def editor(url: str, driver: str, init: str = "NONE") -> Iterator[Editor]:
    """An editor in a place of its own with the driver of that name, for the provider at `url`."""
    with place() as here:
        runtime = here.directory("run")
        here.environment.update(XDG_RUNTIME_DIR=str(runtime), BENCH_PYTHON=str(BIN / "python"))
        here.environment["PYTHONPYCACHEPREFIX"] = ""  # the editor is to find what was compiled before
        address = runtime / "editor"
        argv = [BIN / "nvim", "--embed", "-i", "NONE", "-n", "-u", init, "--listen", address]
        with subprocess.Popen(
            argv, cwd=here.directory("work"), env=here.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            try:
                found = Editor(process, address)
                found.lua("bench.load(...)", str(HERE / f"{driver}.lua"), {"url": url, "model": "m", "opts": {}})
                found.wait(0.2)
                yield found
            finally:
                process.kill()
