"""A project, the `motet` program on it, and a human at a terminal of a given size.

Most tests need no language server: the project's `.txt` files are checked by a command that calls every word with
`bad` in it an error, and a scripted provider answers over real HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

from motet.cli import run
from motet.models.scripted import Answer, ScriptedRequest, ScriptedServer, call
from motet.models.scripted.answers import Answering, Step

DEADLINE = 40.0
"""Seconds after which a test gives up waiting for something that takes well under five."""
BIN = Path(sys.executable).parent

# One error for each line with a word that has `bad` in it; awk is wherever a shell is.
CHECKER = 'awk \'{i=index($0,"bad"); if(i) {printf "%s:%d:%d: error: a bad word\\n", FILENAME, FNR, i; f=1}} END {exit f}\' *.txt'

ONLY_CHECKER = f"""
[checkers.words]
command = '''{CHECKER}'''
"""
PROVIDER = """
model = "scripted/one"
[providers.scripted]
base_url = "{url}/v1"
dialect = "openai"
context_tokens = 100000
input_price = 1.0
output_price = 2.0
"""
MAY_SEND = '[permissions]\nallow = ["send:scripted *"]\n'
ONLY_RUFF = "[servers.basedpyright]\ndisabled = true\n[servers.ty]\ndisabled = true\n"


def edit(*edits: tuple[str, str, str], text: str = "I repair it.", **how: Any) -> Answer:
    """An answer with one call for each `(path, search, replace)`; edits of one file go into one call."""
    diffs: dict[str, str] = {}
    for path, search, replace in edits:
        diffs[path] = diffs.get(path, "") + block(search, replace)
    calls = [
        call("replace_in_file", {"path": path, "diff": diff}, f"call_{number}")
        for number, (path, diff) in enumerate(diffs.items(), 1)
    ]
    return Answer(text=text, calls=tuple(calls), **how)


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


DONE = Answer(text="Done.")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str
    raw: bytes = b""

    @property
    def events(self) -> list[dict[str, Any]]:
        """The JSON lines of stdout."""
        return [json.loads(line) for line in self.out.splitlines()]

    def event(self, name: str) -> dict[str, Any]:
        """The only event of that name."""
        (found,) = [event for event in self.events if event["event"] == name]
        return found


@dataclass(slots=True)
class Project:
    """A directory with files and settings of its user."""

    root: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            place = self.root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    @property
    def config(self) -> Path:
        return self.home / ".config" / "motet" / "config.toml"

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "motet"

    def settings(self, text: str) -> None:
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text)

    def env(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, **self.environment, **(more or {})}

    def run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        cwd: str = ".",
        argv: Sequence[str | Path] = (BIN / "motet",),
        given: bytes = b"",
        **how: Any,
    ) -> Done:
        """Run to the end without a terminal; `given` is its standard input."""
        done = subprocess.run(
            [*argv, *arguments], cwd=self.root / cwd, env=self.env(env), input=given,
            capture_output=True, timeout=DEADLINE, check=False, **how,
        )  # fmt: skip
        out, err = (data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr))
        return Done(done.returncode, out, err, done.stdout + done.stderr)

    def here(self, *arguments: str, env: Mapping[str, str] | None = None, cwd: str = ".", given: bytes = b"") -> Done:
        """Run to the end in this process, which saves the half second of a start, for commands that need no more."""
        with pytest.MonkeyPatch.context() as patch:
            streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "strict", write_through=True) for _ in range(2)]
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
            patch.chdir(self.root / cwd)
            for name, value in {**self.environment, **(env or {})}.items():
                patch.setenv(name, value)
            code = run(arguments)
        out, err = (stream.buffer.getvalue() for stream in streams)
        return Done(code, out.decode(), err.decode(), out + err)

    def human(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 40,
        env: Mapping[str, str] | None = None,
        cwd: str = ".",
        argv: Sequence[str] = (str(BIN / "motet"),),
    ) -> Human:
        """Start it in a terminal."""
        return Human([*argv, *arguments], self.root / cwd, self.env(env), columns, rows)


QUESTION = r"\((\d+)/(\d+)\) Take this hunk\? \[([^\]]*)\] "
STYLE = re.compile(rb"\x1b\[[\d;]*m")


class Human:
    """A program in a pseudo terminal, with the screen that a human sees."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: dict[str, str], columns: int, rows: int) -> None:
        self.child = pexpect.spawn(
            argv[0], list(argv[1:]), cwd=str(cwd), env=env, dimensions=(rows, columns), timeout=DEADLINE
        )
        self.child.delaybeforesend = None
        self._modes = termios.tcgetattr(self.child.child_fd)
        self.raw = b""
        self._seen = 0
        self._screen = pyte.HistoryScreen(columns, rows, history=10_000, ratio=0.5)
        self._stream = pyte.ByteStream(self._screen)

    def sees(self, text: str) -> None:
        """Wait until `text` is written, after what was waited for before; colours do not count."""
        self.sees_match(re.escape(text))

    def sees_match(self, pattern: str) -> re.Match[bytes]:
        """Wait until something that `pattern` fits is written, after what was waited for before."""
        expected = re.compile(pattern.encode())
        end = time.monotonic() + DEADLINE
        while not (found := expected.search(STYLE.sub(b"", self.raw), self._seen)):
            assert self._read(end), f"the program ended without {pattern!r}:\n{self.text}"
        self._seen = found.end()
        return found

    def asked(self) -> tuple[int, int, str]:
        """Wait for the next question about a hunk: its number, how many there are, the keys."""
        found = self.sees_match(QUESTION)
        self._wait_for_mode(single=True)
        return int(found[1]), int(found[2]), found[3].decode()

    def presses(self, keys: str) -> None:
        """Press keys at once."""
        self.child.send(keys)

    def answers(self, keys: str) -> None:
        """Answer one question about a hunk with each key."""
        for key in keys:
            self.asked()
            self.presses(key)

    def is_asked(self, question: str) -> None:
        """Wait for a question that is answered with one key."""
        self.sees(question)
        self._wait_for_mode(single=True)

    def types(self, question: str, line: str) -> None:
        """Wait for a question that is answered with a line, and answer it."""
        self.sees(question)
        self._wait_for_mode(single=False)
        self.child.send(f"{line}\r")

    def ends(self) -> int:
        """Wait for the end; the exit code, or minus the signal. The terminal must be as it was before."""
        end = time.monotonic() + DEADLINE
        while self._read(end):
            pass
        self.child.wait()
        assert termios.tcgetattr(self.child.child_fd) == self._modes
        return self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus

    def interrupts(self) -> None:
        """Press Ctrl-C."""
        self.child.send("\x03")

    @property
    def lines(self) -> list[str]:
        """All lines so far, those that were scrolled away too."""
        columns = range(self._screen.columns)
        above = ["".join(row[at].data for at in columns) for row in self._screen.history.top]
        return _without_end([line.rstrip() for line in [*above, *self._screen.display]])

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def title(self) -> str:
        return self._screen.title

    def _read(self, deadline: float) -> bool:
        """Read what was written meanwhile; false at the end."""
        try:
            data = self.child.read_nonblocking(65536, timeout=max(deadline - time.monotonic(), 0))
        except pexpect.EOF:
            return False
        except pexpect.TIMEOUT:
            raise AssertionError(f"nothing more was written:\n{self.text}") from None
        self._take(data)
        return True

    def glances(self) -> None:
        """Read what is written by now."""
        try:
            self._take(self.child.read_nonblocking(65536, timeout=0.005))
        except pexpect.TIMEOUT:
            return

    def _take(self, data: bytes) -> None:
        self.raw += data
        self._stream.feed(data)

    def _wait_for_mode(self, *, single: bool) -> None:
        eventually(lambda: bool(termios.tcgetattr(self.child.child_fd)[3] & termios.ICANON) is not single)


def _without_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines.pop()
    return lines


def eventually(happened: Callable[[], object], what: str = "") -> None:
    """Wait until `happened()` is true."""
    end = time.monotonic() + DEADLINE
    while not happened():
        assert time.monotonic() < end, what or "it did not happen"
        time.sleep(0.005)


def children_of(pid: int) -> set[int]:
    """The processes below `pid`."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | children_of(child)
    return found


def is_alive(pid: int) -> bool:
    """Whether a process is there, and not only its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Provider:
    """A scripted provider over real HTTP, in a thread of its own."""

    def __init__(self, script: Sequence[Step] | Answering, *, repeat: bool = False) -> None:
        self.came = threading.Semaphore(0)
        self._loop = asyncio.new_event_loop()
        self._server = ScriptedServer(script, repeat=repeat, listener=self._note)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def _note(self, request: ScriptedRequest) -> None:
        self.came.release()

    def __enter__(self) -> Provider:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result(DEADLINE)
        return self

    def __exit__(self, *_: object) -> None:
        ending = self._server.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(ending, self._loop).result(DEADLINE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE)
        self._loop.close()

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")

    @property
    def requests(self) -> list[ScriptedRequest]:
        return self._server.requests

    def release(self) -> None:
        """Let one answer go on that stalls, or will."""
        self._loop.call_soon_threadsafe(self._server.release)

    def was_asked(self) -> None:
        """Wait for the next request."""
        assert self.came.acquire(timeout=DEADLINE), "no request came"


@contextlib.contextmanager
def provider_for(
    project: Project,
    script: Sequence[Step] | Answering,
    *,
    repeat: bool = False,
    more: str = MAY_SEND,
    **settings: Any,
) -> Iterator[Provider]:
    """A provider that the project's user has set up, with the words checker."""
    with Provider(script, repeat=repeat) as provider:
        lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        project.settings(PROVIDER.format(url=provider.url) + lines + ONLY_CHECKER + more)
        yield provider
