"""What a prompt of the library may ask for: `${context.NAME}`.

Values come in the wrappers of attachments, so that file text cannot be taken for the prompt's own words. They are put
in once: a placeholder inside a value stays text.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import PurePosixPath

from motet.context.attachment import plain, wrap
from motet.context.files import share_path
from motet.context.project_variables import share_diagnostics
from motet.context.sources import Shared, Sources
from motet.context.variables import built_in_variables
from motet.errors import UsageError

PLACEHOLDERS: Mapping[str, str] = {
    "file": "the current file: the one shared last, else the editor's current buffer",
    "selection": "what is selected in the editor",
    "code": "the selection, else the current file",
    "filename": "the path of the current file",
    "filetype": "the language of the current file, as in `python`",
    "diagnostics": "the current file with its problems",
    "diff": "what is not committed",
    "staged_diff": "what is staged",
    "files": "the paths of all shared files, one a line",
    "input": "what was written behind the prompt's name; may be empty",
    "workspace": "the name of the workspace's directory",
}
"""Each name, and what stands in its place."""

_PLACEHOLDER = re.compile(r"\$\{context\.([^{}\s]+)\}")


class NothingToFill(UsageError):
    """A prompt asks for something that is not there now; the message says what and how to give it."""


def names_in(text: str) -> list[tuple[str, int]]:
    """The names that `text` asks for, each with the offset where it stands."""
    return [(found[1], found.start()) for found in _PLACEHOLDER.finditer(text)]


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with each placeholder replaced. Raises `KeyError` for one without a value."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)


async def gather(names: Collection[str], sources: Sources, *, given: str = "") -> dict[str, str]:
    """The values of `names` now; `given` is the human's own text. Raises `NothingToFill`, and `KeyError` for a name that
    is not in `PLACEHOLDERS`."""
    return {name: await _VALUES[name](sources, given) for name in dict.fromkeys(names)}


async def _file(sources: Sources, given: str) -> str:
    if sources.in_context:
        return _text(await share_path(sources.in_context[-1], sources, source="prompt"), "the file")
    return await _variable("buffer", sources, "no file is shared; name one, as in @/src/a.py")


async def _selection(sources: Sources, given: str) -> str:
    return await _variable("selection", sources, "nothing is selected")


async def _code(sources: Sources, given: str) -> str:
    if sources.editor is not None and await sources.editor.selection() is not None:
        return await _selection(sources, given)
    return await _file(sources, given)


async def _filename(sources: Sources, given: str) -> str:
    if sources.in_context:
        return sources.in_context[-1]
    cursor = await sources.editor.cursor() if sources.editor else None
    buffers = await sources.editor.buffers() or () if sources.editor else ()
    found = [each.path or each.name for each in buffers if cursor and each.number == cursor.buffer]
    if not found:
        raise NothingToFill("no file is shared; name one, as in @/src/a.py")
    return found[0]


async def _filetype(sources: Sources, given: str) -> str:
    from motet.syntax import language_of

    name = await _filename(sources, given)
    return language_of(name) or PurePosixPath(name).suffix.removeprefix(".") or "text"


async def _diagnostics(sources: Sources, given: str) -> str:
    shared = await share_diagnostics(sources.in_context[-1] if sources.in_context else None, sources)
    return "there are none" if "(there are none)" in shared.words else _text(shared, "the diagnostics")


async def _diff(sources: Sources, given: str) -> str:
    return await _changes(sources, False)


async def _staged_diff(sources: Sources, given: str) -> str:
    return await _changes(sources, True)


async def _changes(sources: Sources, staged: bool) -> str:
    if sources.diff is None:
        raise NothingToFill("the workspace is no git repository: there is no diff")
    text = await sources.diff(staged)
    if not text.strip():
        raise NothingToFill(
            "nothing is staged; stage with git add" if staged else "nothing is changed since the last commit"
        )
    return wrap("diff", plain(text), {"of": "staged" if staged else "uncommitted"})


async def _files(sources: Sources, given: str) -> str:
    return "\n".join(sources.in_context)


async def _input(sources: Sources, given: str) -> str:
    return given


async def _workspace(sources: Sources, given: str) -> str:
    return sources.workspace.root.name


async def _variable(name: str, sources: Sources, otherwise: str) -> str:
    if sources.editor is None:
        raise NothingToFill(otherwise)
    return _text(await built_in_variables().expand(name, None, sources), otherwise)


def _text(shared: Shared, otherwise: str) -> str:
    if not shared.messages:
        raise NothingToFill("; ".join(shared.notices) or otherwise)
    return "\n".join(message.text for message in shared.messages)


_VALUES: Mapping[str, Callable[[Sources, str], Awaitable[str]]] = {
    "file": _file,
    "selection": _selection,
    "code": _code,
    "filename": _filename,
    "filetype": _filetype,
    "diagnostics": _diagnostics,
    "diff": _diff,
    "staged_diff": _staged_diff,
    "files": _files,
    "input": _input,
    "workspace": _workspace,
}
