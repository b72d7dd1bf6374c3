"""Runs of motet, and of what stands beside it, in places of their own; timed from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BIN = Path(sys.executable).parent
MOTET = BIN / "motet"

_FOREIGN = ("MOTET_", "GIT_", "PYTHON", "ANTHROPIC_", "OPENAI_")


class BenchError(Exception):
    """What was to be measured did not happen; the message says what happened instead."""


@dataclass(frozen=True)
class Place:
    """A directory that is thrown away; programs that run there find no settings of this machine's user."""

    root: Path
    environment: dict[str, str]

    def directory(self, name: str) -> Path:
        """A new directory in it, of no repository."""
        path = self.root / name
        path.mkdir()
        return path

    def settings(self, text: str) -> None:
        """Make `text` motet's `config.toml`."""
        path = Path(self.environment["XDG_CONFIG_HOME"]) / "motet" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@contextmanager
def place() -> Iterator[Place]:
    """A place, with compiled modules cached in it, as they are after the first run of anything in Python."""
    with tempfile.TemporaryDirectory(prefix="motet-bench-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve()
        kept = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN)}
        own = {f"XDG_{kind}_HOME": str(root / "home" / kind.lower()) for kind in ("CONFIG", "STATE", "CACHE", "DATA")}
        home = {"HOME": str(root / "home"), "PYTHONPYCACHEPREFIX": str(root / "pycache"), "LC_ALL": "C.UTF-8"}
        (root / "home").mkdir()
        yield Place(root, {**kept, **own, **home})


@dataclass(frozen=True)
class Timed:
    """One run. `wall` and `cpu` in seconds; `cpu` is of the process alone, without its children, None if unknown."""

    code: int
    wall: float
    cpu: float | None
    stdout: str
    stderr: str


def timed(
    argv: Sequence[str | Path], cwd: Path, environment: dict[str, str], *, codes: Sequence[int] = (0,)
) -> Timed:
    """Run `argv` to its end. Raises `BenchError` for an exit code that is none of `codes`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        cpu = _end_of(process.pid)
        wall = time.perf_counter() - started
        code = process.wait()
        said, complained = (_text(file.fileno()) for file in (out, err))
    if code not in codes:
        raise BenchError(f"{' '.join(map(str, argv))}: exit code {code}: {(complained or said).strip()[-500:]}")
    return Timed(code, wall, cpu, said, complained)


def _end_of(pid: int) -> float | None:
    """Wait for the end of `pid` without reaping it; the seconds of processor time that it alone has used."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return None


def _text(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).decode("utf-8", "replace")
