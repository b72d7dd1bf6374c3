"""A command of the user's as a source of diagnostics: a compiler, a linter, a test runner, `make`."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from motet.diagnostics.checkers.finding import Finding
from motet.diagnostics.checkers.parse import UNDERSTOOD, read, translate
from motet.diagnostics.checkers.places import Places
from motet.diagnostics.render_lines import one_line
from motet.errors import MotetError, ProcessError, UsageError
from motet.permissions import Action, Effect, Origin
from motet.process import Output, own_bin, run
from motet.text import MAX_TEXT_BYTES, Diagnostic, TextFile

DEFAULT_TIMEOUT = 300.0
"""Seconds that a checker may take."""

_SHELL_SYNTAX = frozenset("|&;<>()$`*?[]{}~!#\n")
_ASSIGNMENT = re.compile(r"\s*[A-Za-z_]\w*=")
_RUNNERS = frozenset({"npx", "uvx", "pipx", "bunx", "uv", "poetry", "pdm", "hatch", "run", "exec", "env", "time"})
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_CHANGED_DIRECTORY = re.compile(r"\s*cd\s+([\w./+-]+)\s*&&\s*(.*)", re.DOTALL)
_ONE_STREAM = frozenset({"make", "gmake", "bmake", "ninja"})
"""They say on one stream in which directory the messages on the other arise."""
_NOT_FOUND = 127
"""What a shell returns when there is no such program."""
_NAME = re.compile(r"[\w.+-]+")


@dataclass(frozen=True, slots=True)
class Checker:
    """Runs `argv` in `root` and reads what it prints.

    `name` is the source of its diagnostics. `origin` says whose words the command is: ask the gate about
    `action` before `check`.
    """

    name: str
    argv: tuple[str, ...]
    root: Path
    origin: Origin = Origin.USER
    timeout: float = DEFAULT_TIMEOUT
    directory: str = ""
    """Where the command goes first, as in `cd sub && make`: its relative paths begin there."""

    @classmethod
    def from_text(
        cls, text: str, root: Path, *, origin: Origin = Origin.USER, timeout: float = DEFAULT_TIMEOUT
    ) -> Checker:
        """A checker from what the user typed, as in `--checker 'make -k'`.

        Split into words as a shell does and run without one; only a text with shell syntax (`|`, `&&`, `>`,
        `$`, `*`, …) goes to `sh -c`. The name is the program's. Raises `UsageError` for an empty text and for
        a quote that is not closed.
        """
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"checker {text!r}: {error}") from error
        if not words:
            raise UsageError("checker: the command is empty; give one such as --checker 'make'")
        shell = not _SHELL_SYNTAX.isdisjoint(text) or _ASSIGNMENT.match(text) is not None
        argv = ("sh", "-c", text) if shell else tuple(words)
        moved = _CHANGED_DIRECTORY.fullmatch(text)
        directory, rest = (moved[1], shlex.split(moved[2])) if moved is not None else ("", words)
        return cls(_name_of(rest), argv, root, origin, timeout, directory)

    @property
    def action(self) -> Action:
        """What the gate is asked: the command as one line."""
        command = self.argv[2] if self.argv[:2] == ("sh", "-c") else shlex.join(self.argv)
        return Action(Effect.RUN, command, self.origin, definition=command)

    async def check(self, files: Iterable[TextFile] = ()) -> list[Diagnostic]:
        """Run the command once and return what it says about existing files of the workspace.

        `files` are texts as the tool sees them, on disk; a file that is not among them is read when the output
        names it. Raises `ProcessError` when the command cannot be started, takes longer than `timeout`
        seconds, or fails without naming a place that can be understood.
        """
        root = self.root.resolve()
        output = await run(self._command(), cwd=root, timeout=self.timeout, env=_environment())
        found = read(_text(output.stdout)) + read(_text(output.stderr))
        diagnostics = translate(found, _places(root, self.directory, files), self.name)
        if output.code != 0 and not diagnostics:
            raise ProcessError(self._failure(output, found))
        return diagnostics

    def _command(self) -> tuple[str, ...]:
        words = (PurePosixPath(word).name for part in self.argv for word in part.split())
        if _ONE_STREAM.isdisjoint(words):
            return self.argv
        return ("sh", "-c", 'exec "$0" "$@" 2>&1', *self.argv)

    def _failure(self, output: Output, found: list[Finding]) -> str:
        how = f"exit code {output.code}" if output.code > 0 else f"ended by signal {-output.code}"
        lines = [line for line in (_text(output.stderr) or _text(output.stdout)).splitlines() if line.strip()]
        last = one_line(lines[-1])[:200] if lines else "nothing was printed"
        if output.code == _NOT_FOUND:
            return f"{self.name}: {last}; install what is missing or put it on PATH"
        if found:
            where = f"no place it names is a file of the workspace ({one_line(found[0].path)} is not)"
            return f"{self.name}: {how}; {where}; last line: {last}"
        cut = " (the output was cut)" if output.truncated else ""
        return f"{self.name}: {how} without a problem that names a place{cut}; last line: {last}; understood is {UNDERSTOOD}"


def _name_of(words: list[str]) -> str:
    """The program among `words`: behind assignments, runners such as `npx`, and `python -m`."""
    names = [PurePosixPath(word).name for word in words if not _ASSIGNMENT.match(word)]
    for index, name in enumerate(names):
        if _PYTHON.fullmatch(name) and names[index + 1 : index + 2] == ["-m"] and index + 2 < len(names):
            return names[index + 2]
        if name not in _RUNNERS and not name.startswith("-") and _NAME.fullmatch(name):
            return name
    return "checker"


def _environment() -> dict[str, str]:
    """This process's, with messages in English and motet's own programs as the last resort on PATH."""
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "LANGUAGE": "en", "PATH": f"{path}{os.pathsep}{own_bin()}"}


def _places(root: Path, directory: str, files: Iterable[TextFile]) -> Places:
    texts = {file.path: file for file in files}

    def exists(path: str) -> bool:
        place = root / path
        try:
            return place.is_file() and place.resolve().is_relative_to(root)
        except (OSError, ValueError):  # a name too long, or one that no file can have
            return False

    def text(path: str) -> TextFile | None:
        if path in texts:
            return texts[path]
        # Without the text columns stay as the tool counted them, which is right for most lines.
        try:
            with (root / path).open("rb") as file:
                return TextFile.decode(path, file.read(MAX_TEXT_BYTES + 1))
        except (OSError, MotetError):
            return None

    return Places(root, root / directory, text, exists, tuple(texts))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
