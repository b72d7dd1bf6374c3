"""From the bytes of an answer to text that a model can read.

`read` is what is done; `read_apart` does it where it cannot harm. Parsers of HTML and PDF are given whatever the
Internet holds, so they run in a process of their own with limits of time and memory:
`python -P -m motet.web.reading` takes a line of JSON and the body on standard input and writes a line of JSON.
"""

from __future__ import annotations

import asyncio
import codecs
import gc
import json
import os
import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import cast

from motet.errors import ProcessError
from motet.web.charset import decode
from motet.web.errors import FetchError, FetchErrorKind
from motet.web.invisible import only_visible

MAX_CHARACTERS = 200_000
"""A page's text is cut to this many characters: what one attachment holds."""
READ_SECONDS = 30.0
READ_MEMORY = 2 * 2**30
"""Address space of the reading process in bytes."""


_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
"""All of the environment that a reading process gets: what reads a stranger's bytes holds no keys."""


class Kind(StrEnum):
    """How a body is read."""

    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"
    JSON = "json"
    PDF = "pdf"
    IMAGE = "image"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Raw:
    """What came: `cut` when it is only the head."""

    url: str
    content_type: str
    body: bytes
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a human would read of it."""

    title: str
    text: str
    notes: tuple[str, ...] = ()
    truncated: bool = False


def kind_of(content_type: str, head: bytes) -> Kind:
    """How to read a body that begins with `head`; the bytes count where the server says nothing of use."""
    mime = content_type.partition(";")[0].strip().lower()
    if head.lstrip()[:5] == b"%PDF-":
        return Kind.PDF
    match mime:
        case "text/html" | "application/xhtml+xml":
            return Kind.HTML
        case "text/markdown" | "text/x-markdown":
            return Kind.MARKDOWN
        case "application/pdf" | "application/x-pdf":
            return Kind.PDF
        case _ if mime == "application/json" or mime.endswith("+json"):
            return Kind.JSON
        case _ if mime == "image/svg+xml" or mime.startswith("image/"):
            return Kind.IMAGE
        case _ if mime.startswith("text/") or mime.endswith(("+xml", "/xml", "/javascript", "/yaml", "/toml")):
            return Kind.OTHER if _is_binary(head) else Kind.TEXT
        case "" | "application/octet-stream" | "binary/octet-stream" | "application/x-sh":
            return _by_bytes(head)
        case _:
            return Kind.OTHER


def _is_binary(head: bytes) -> bool:
    return b"\0" in head[:4096] and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _by_bytes(head: bytes) -> Kind:
    start = head[:1024].lstrip().lower()
    if _is_binary(head):
        return Kind.OTHER
    if start.startswith((b"<!doctype html", b"<html")) or b"<head" in start:
        return Kind.HTML
    return Kind.TEXT


def read(raw: Raw, kind: Kind) -> Reading:
    """What a human would read of `raw`; invisible characters are taken out, and a note says so."""
    title, text, notes, whole = _plain(raw, kind)
    seen, heading = only_visible(text), only_visible(title)
    if removed := seen.removed + heading.removed:
        notes.append(f"{removed} invisible characters were taken out")
    whole = whole and len(seen.text) <= MAX_CHARACTERS
    if not whole and kind is not Kind.PDF:
        notes.append(f"only the first {min(len(seen.text), MAX_CHARACTERS):,} characters of the text are here")
    text = seen.text[:MAX_CHARACTERS].strip("\n")
    return Reading(" ".join(heading.text.split())[:300], text, tuple(notes), truncated=not whole)


def _plain(raw: Raw, kind: Kind) -> tuple[str, str, list[str], bool]:
    """Title, text and notes, and whether that is all of it."""
    if kind is Kind.PDF:
        from motet.web.pdf import text_of_pdf

        return text_of_pdf(raw.body, MAX_CHARACTERS)
    decoded = decode(raw.body, raw.content_type, cut=raw.cut)
    notes = [decoded.note] if decoded.note else []
    match kind:
        case Kind.HTML:
            from motet.web.markup import markdown_of

            page = markdown_of(decoded.text, raw.url, MAX_CHARACTERS)
            return page.title, page.text, notes, page.whole
        case Kind.JSON:
            return "", _indented(decoded.text), notes, True
        case _:
            return "", decoded.text, notes, True


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


async def read_apart(raw: Raw, kind: Kind) -> Reading:
    """As `read`, without harm to this process. Raises `FetchError` when it takes too long or too much memory."""
    if kind not in {Kind.HTML, Kind.PDF}:
        return await asyncio.to_thread(read, raw, kind)
    from motet.process import run

    head = {"url": raw.url, "content_type": raw.content_type, "cut": raw.cut, "kind": kind}
    try:
        output = await run(
            [sys.executable, "-P", "-m", "motet.web.reading"],
            cwd=Path("/"),
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            timeout=READ_SECONDS,
            max_bytes=16 * MAX_CHARACTERS,
            stdin=json.dumps(head).encode() + b"\n" + raw.body,
        )
    except ProcessError as error:
        raise FetchError(f"{raw.url}: the page cannot be read ({error})", FetchErrorKind.TOO_BIG) from error
    try:
        answer = cast("dict[str, object]", json.loads(output.stdout))
        notes = cast("list[str]", answer["notes"])
        return Reading(str(answer["title"]), str(answer["text"]), tuple(notes), bool(answer["truncated"]))
    except (ValueError, LookupError, TypeError) as error:
        raise FetchError(
            f"{raw.url}: the page cannot be read: its reader ended with {output.code}", FetchErrorKind.NOT_TEXT
        ) from error


def main() -> None:
    """The reading process."""
    import resource

    for limit, most in ((resource.RLIMIT_AS, READ_MEMORY), (resource.RLIMIT_CPU, int(READ_SECONDS) + 5)):
        try:
            resource.setrlimit(limit, (most, most))
        except (ValueError, OSError):  # a lower limit holds already
            continue
    head = cast("dict[str, object]", json.loads(sys.stdin.buffer.readline()))
    raw = Raw(str(head["url"]), str(head["content_type"]), sys.stdin.buffer.read(), cut=bool(head["cut"]))
    reading = read(raw, Kind(str(head["kind"])))
    sys.stdout.buffer.write(json.dumps(asdict(reading)).encode("ascii"))
    gc.freeze()  # as `motet` does it: the end would look for cycles in all there is


if __name__ == "__main__":
    main()
