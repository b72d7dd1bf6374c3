"""Editing a few lines in the user's own editor."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
from pathlib import Path, PurePosixPath

from motet.cores import as_before
from motet.errors import UsageError, WorkspaceError
from motet.paths import state_dir


def editor_command() -> list[str]:
    """`$VISUAL`, else `$EDITOR`, else vi, as words. Raises `UsageError` when it cannot be understood, or it is vi and
    there is no terminal."""
    text = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not text and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("there is no terminal for an editor; set $EDITOR to one that needs none")
    text = text or "vi"
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"editor {text!r}: {error}; set $EDITOR") from error
    return words or ["vi"]


async def run_editor(file: Path) -> None:
    """Open `file` and wait. Raises `UsageError` when the editor cannot be started, `WorkspaceError` when it failed."""
    command = editor_command()
    try:
        # The editor needs the terminal itself, so it is no child in a session of its own.
        process = await asyncio.create_subprocess_exec(*command, str(file), preexec_fn=as_before)
    except OSError as error:
        raise UsageError(f"cannot start the editor {command[0]}: {error.strerror}; set $EDITOR") from error
    try:
        code = await process.wait()
    except asyncio.CancelledError:
        process.terminate()
        await process.wait()
        raise
    if code != 0:
        raise WorkspaceError(f"the editor {command[0]} failed (exit code {code})")


async def edit_text(text: str, name: str) -> str:
    """`text` as the user leaves it in the editor; `name` gives the file type. Errors as in `run_editor`."""
    state = state_dir()
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix="edit-", dir=state) as directory:
            file = Path(directory) / f"hunk{PurePosixPath(name).suffix}"
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            await run_editor(file)
            return file.read_bytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise WorkspaceError("what the editor saved is not UTF-8") from error
    except OSError as error:
        raise WorkspaceError(f"{error.filename or state}: {error.strerror}") from error
