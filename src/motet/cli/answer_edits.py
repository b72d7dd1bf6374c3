"""Edits that a model wrote into its answer instead of calling the tool for them: read, reviewed and applied as
`motet apply` does."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from motet.cli.apply_view import ApplyView, Whole
from motet.cli.claims_told import ClaimsTold
from motet.cli.terminal import Terminal
from motet.edits import Edit, Write
from motet.edits.formats.auto import Understood, understand
from motet.edits.formats.paths import path_in_comment
from motet.engine import Engine
from motet.errors import EditFormatError, MotetError
from motet.tools import DeskReport, EditDesk, Reviewer
from motet.workspace import Workspace


def edits_in(answer: str, path: str) -> tuple[Understood, str]:
    """What `answer` holds, and in one line why nothing of it is an edit. `path`: the file meant where none is named."""
    try:
        found = understand(answer, path=path)
    except EditFormatError as error:
        return Understood([]), f"an edit in the answer cannot be understood: {error}"
    if found.edits:
        return found, ""
    if not found.left_out:
        return found, "the answer holds none"
    lines = ", ".join(str(one.line) for one in found.left_out)
    if len(found.left_out) == 1:
        return found, f"the fence in line {lines} of the answer names no file"
    return found, f"the fences in lines {lines} of the answer name no file"


async def apply_edits(
    engine: Engine,
    found: Understood,
    shown: Collection[str],
    reviewer: Reviewer,
    remembered: Callable[[Reviewer], Reviewer],
    terminal: Terminal,
    *,
    asks: bool,
) -> DeskReport:
    """Have the edits of an answer reviewed, and write what was accepted. `shown`: paths of the files that the model has
    seen. `remembered` is put around the reviewer. `asks`: `reviewer` is a human."""
    edits = await without_labels(engine.workspace, found.edits, found.loosely_named)
    view = ApplyView(terminal, None, asks=asks)
    view.started(edits, _whole(edits, found, engine.root))
    deciding = remembered(view.announcing(reviewer, ClaimsTold(engine, terminal)))
    desk = EditDesk(engine.workspace, deciding, approximate="propose" if asks else "refuse")
    for path in shown:
        with suppress(MotetError):
            desk.show(await engine.workspace.read(path))
    async with engine.checkpoint("motet edit"):
        report = await desk.submit(edits)
    wrote = any(file.was_written for file in report.files)
    view.finished(report, 0 if wrote else 1, dry_run=False)
    return report


async def without_labels(workspace: Workspace, edits: Sequence[Edit], loosely: Collection[int]) -> list[Edit]:
    """`edits`, without the comment that names a file where the file as it is has none: it was written for the reader
    of the answer."""
    without: list[Edit] = []
    for edit in edits:
        if isinstance(edit, Write) and edit.line in loosely:
            first, _, rest = edit.text.partition("\n")
            with suppress(MotetError):
                if path_in_comment(first) and first not in (await workspace.read(edit.path)).text.splitlines():
                    edit = replace(edit, text=rest.removeprefix("\n"))
        without.append(edit)
    return without


def _whole(edits: Sequence[Edit], found: Understood, root: Path) -> Whole:
    """The files whose whole text is given, by the paths that the workspace has for them."""
    writes = [edit for edit in edits if isinstance(edit, Write)]
    names = {edit.line: posixpath.normpath(edit.path.strip().removeprefix(f"{root}/")) for edit in writes}
    return Whole(frozenset(names.values()), frozenset(names[line] for line in found.loosely_named if line in names))
