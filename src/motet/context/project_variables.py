"""What the project itself can tell: diagnostics and what is not committed yet."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import TYPE_CHECKING

from motet.context.attachment import item_id, text_attachment
from motet.context.files import missing
from motet.context.passages import passage_attachment
from motet.context.sources import Shared, Sources, notice
from motet.errors import FileMissing, MotetError
from motet.messages import Message, tags
from motet.permissions import Origin
from motet.text import Diagnostic, TextFile
from motet.visible import one_line

if TYPE_CHECKING:
    from motet.index.packing import Passage

DIAGNOSTICS_TOKENS = 20_000
"""Tokens for one file and its problems; a longer file is shown in the parts that a repair needs."""
_SYMBOL = re.compile(r"#\{?codebase(?::[\w-]+)?\}?")


async def share_diagnostics(param: str | None, sources: Sources) -> Shared:
    """Files with their problems, in the text form that the fix loop uses too. `param` names one file; without it the
    files that the editor complains about or the chat shares. Raises `MotetError`."""
    from motet.diagnostics import render_file

    try:
        files, problems, notices = await _diagnose(param, sources)
    except FileMissing:
        return notice(f"#diagnostics: {await missing(param or '', sources)}")
    if not files and notices:
        return Shared(notices=notices)
    if not files:
        return notice("#diagnostics: for which file? Share one (@/src/a.py) or name it: #diagnostics{src/a.py}")
    root = sources.workspace.root
    messages: list[Message] = []
    for file in files:
        own = [each for each in problems if each.path == file.path]
        if own:
            rendered = await asyncio.to_thread(render_file, root, file, own, budget=DIAGNOSTICS_TOKENS)
            messages.append(_attachment(file.path, rendered.text, sources))
            notices += tuple(f"#diagnostics: {what}: left out, too long" for what in rendered.left_out)
    names = ", ".join(f"`{file.path}`" for file in files)
    if not messages:
        return Shared(words=f"the diagnostics of {names} (there are none)", notices=notices)
    return Shared(tuple(messages), f"the diagnostics of {names}", notices)


async def share_diff(param: str | None, sources: Sources) -> Shared:
    """What is not committed, or with `staged` what is staged. Raises `MotetError`."""
    wanted = (param or "").strip()
    if wanted not in ("", "staged"):
        return notice(f"#diff: {wanted!r} is not known; `#diff` or `#diff{{staged}}`")
    if sources.diff is None:
        return notice("#diff: the workspace is no git repository")
    text = await sources.diff(wanted == "staged")
    what = "the staged changes" if wanted else "the uncommitted changes"
    if not text.strip():
        return Shared(words=f"{what} (there are none)", notices=(f"#diff: {what.removeprefix('the ')}: none",))
    item = item_id("diff", wanted or "uncommitted")
    attributes = {"of": wanted or "uncommitted"}
    message = text_attachment("diff", text, tag=tags.DIFF, item=item, attributes=attributes, source="#diff")
    return Shared((message,), what)


async def share_codebase(param: str | None, sources: Sources, source: str = "") -> Shared:
    """The passages of the project, or of another `source`, that answer `param`, or else the text in which the symbol
    stands. Raises `MotetError`."""
    symbol = f"#codebase:{source}" if source else "#codebase"
    if sources.retrieve is None:
        return notice(f"{symbol}: switched off by your settings (`index.mode`)")
    question = (param or "").strip() or _SYMBOL.sub(" ", sources.asked).strip()
    if not question:
        return notice(f"{symbol}: for which question? Write it beside the symbol, or {symbol}{{where is X handled?}}")
    answer = await sources.retrieve(question, source)
    what = source or "the codebase"
    notices = () if answer.complete else (f"{symbol}: files are still being read; ask again for more",)
    if not answer.found:
        return Shared(words=f"{what} (nothing was found)", notices=(f"{symbol}: nothing was found", *notices))
    messages = tuple(passage_attachment(passage, sources, symbol) for passage in answer.found)
    files = len({passage.path for passage in answer.found if passage.path})
    of_files = f" of {files} file{'' if files == 1 else 's'}" if files else ""
    count = f"{len(messages)} passage{'' if len(messages) == 1 else 's'}{of_files}"
    told = f"{symbol}: {count}, about {answer.tokens:,} tokens: {', '.join(map(_where, answer.found[:3]))}"
    return Shared(messages, f"the passages of {what}", (told, *notices))


def _where(passage: Passage) -> str:
    if not passage.path:
        return passage.reasons[0]
    line = f":{passage.first}" if passage.first else ""
    return f"{one_line(passage.path)}{line} ({passage.reasons[0]})"


async def _diagnose(
    param: str | None, sources: Sources
) -> tuple[list[TextFile], tuple[Diagnostic, ...], tuple[str, ...]]:
    path = (param or "").strip().lstrip("/").removeprefix("./")
    from_editor = tuple(await sources.editor.diagnostics() or ()) if sources.editor else ()
    if path:
        paths = [path]
    elif from_editor:
        paths = list(dict.fromkeys(each.path for each in from_editor))
    else:
        paths = list(sources.in_context) or await _current(sources)
    files = [await sources.read(path)] if path else await _readable(paths, sources)
    if from_editor or sources.diagnoses is None or not files:
        told = () if sources.editor or not files else ("#diagnostics: no compiler or language server is set up here",)
        return ([] if told else files), tuple(each for each in from_editor if not path or each.path == path), told
    report = await sources.diagnoses.check(files)
    return files, report.diagnostics, tuple(f"#diagnostics: {line}" for line in report.advice)


async def _readable(paths: list[str], sources: Sources) -> list[TextFile]:
    """The files among `paths` that are text and may be read: nobody named them one by one."""
    files: list[TextFile] = []
    for path in paths:
        with contextlib.suppress(MotetError):
            files.append(await sources.read(path, Origin.BUILT_IN))
    return files


async def _current(sources: Sources) -> list[str]:
    if sources.editor is None:
        return []
    cursor = await sources.editor.cursor()
    buffers = await sources.editor.buffers() or ()
    return [each.path for each in buffers if cursor and each.number == cursor.buffer and each.path]


def _attachment(path: str, text: str, sources: Sources) -> Message:
    return text_attachment(
        "diagnostics",
        text,
        tag=tags.DIAGNOSTICS,
        item=item_id("diagnostics", path),
        attributes={"filepath": path},
        path=sources.absolute(path),
        source="#diagnostics",
    )
