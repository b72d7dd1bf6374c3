"""Editing a few lines in the user's own editor."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from pathlib import Path, PurePosixPath

from motet.errors import UsageError, WorkspaceError


async def edit_text(text: str, name: str) -> str:
    """`text` as the user leaves it in `$VISUAL` or `$EDITOR` (vi without either); `name` gives the file type.

    Raises `UsageError` when the editor cannot be started, `WorkspaceError` when it failed.
    """
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory(prefix="motet-") as directory:
        file = Path(directory) / f"hunk{PurePosixPath(name).suffix}"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            # The editor needs the terminal itself, so it is no child in a group of its own.
            process = await asyncio.create_subprocess_exec(*command, str(file))
        except OSError as error:
            raise UsageError(f"cannot start {command[0]}: {error.strerror}; set $EDITOR") from error
        if await process.wait() != 0:
            raise WorkspaceError(f"{command[0]} failed (exit {process.returncode}); the hunk is as it was")
        return file.read_bytes().decode("utf-8", "surrogatepass")
