"""`read_file`: the text of one file with line numbers, or a picture."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, Field

from motet.errors import FileTooLarge, MotetError, NotText, UsageError
from motet.messages import Document, Image, Part
from motet.permissions import Effect
from motet.prompts import prompt
from motet.text import TextFile
from motet.tools.kit import Kit
from motet.tools.reading import MOST_CHARACTERS, Place, counted, lines_of, numbered, permitted, read, read_bytes
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace import atomic
from motet.workspace.failures import shown, told
from motet.workspace.guard import Guard

_MOST_PICTURE_BYTES = 5 * 2**20
"""Bytes of one picture or document: no provider takes more."""
_HEADS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")


class ReadFileInput(BaseModel):
    """Arguments of one call."""

    path: str = Field(description="path of the file, relative to the workspace")
    first_line: int | None = Field(None, ge=1, description="first line to read, from 1; default: the first")
    last_line: int | None = Field(None, ge=1, description="last line to read, inclusive; default: the last")


class ReadFile(OneByOne):
    """The tool. What it shows, the desk is told: edits are then matched against that version."""

    spec = ToolSpec("read_file", prompt("read_file"), ReadFileInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, ReadFileInput)
        if value.path.lower().endswith(_SUFFIXES):
            picture = await self._picture(await permitted(self._kit, value.path))
            if picture is not None:
                return ToolOutput(f"{shown(value.path)}: attached as {_name(picture)}", parts=(picture,))
        try:
            file = await read(self._kit, value.path)
        except NotText as error:
            raise NotText(f"{error}; it cannot be read as text") from error
        except FileTooLarge as error:
            raise FileTooLarge(
                f"{error}; look for the part you need with a command, if you have that tool"
            ) from error
        output = _text(file, value)
        if file.path.startswith("/"):
            return output
        # Also when only a part was asked for: edits quote from this version, and only the newest one counts.
        self._kit.desk.show(file)
        return replace(output, files=(file.path,))

    async def _picture(self, place: Place) -> Part | None:
        """The picture or document at `place`; None when it is none by its first bytes, or cannot be read."""
        try:
            data = await asyncio.to_thread(_bytes_at, self._kit.workspace.root, place)
        except FileTooLarge as error:
            size = f"{_MOST_PICTURE_BYTES // 2**20} MiB"
            raise FileTooLarge(f"{shown(place.name)}: larger than {size}, which no model takes") from error
        except MotetError:
            return None  # reading it as text says why
        mime = next((mime for head, mime in _HEADS if data.startswith(head)), "")
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            mime = "image/webp"
        if mime == "application/pdf":
            return Document(data, mime, shown(place.name), await _plain(place.name, data))
        return Image(data, mime, shown(place.name)) if mime else None


def _bytes_at(root: Path, place: Place) -> bytes:
    if place.is_outside:
        return read_bytes(Path(place.real), place.name, _MOST_PICTURE_BYTES)
    with told(place.name), Guard(root).locate(place.real) as found:
        return atomic.read(found, _MOST_PICTURE_BYTES)


async def _plain(name: str, data: bytes) -> str:
    """The text of a PDF file, for models that cannot look at it; as much as a tool may say."""
    from motet.web.reading import Kind, Raw, read_apart

    try:
        text = (await read_apart(Raw(name, "application/pdf", data), Kind.PDF)).text
    except MotetError:
        return ""
    left_out = len(text) - MOST_CHARACTERS
    return text if left_out <= 0 else f"{text[:MOST_CHARACTERS]}\n({left_out} more characters)"


def _name(part: Part) -> str:
    return "a document" if isinstance(part, Document) else "an image"


def _text(file: TextFile, value: ReadFileInput) -> ToolOutput:
    lines, name = lines_of(file.text), shown(file.path)
    if not lines:
        return ToolOutput(f"{name}: empty file")
    first, last = value.first_line or 1, min(value.last_line or len(lines), len(lines))
    if first > len(lines):
        raise UsageError(f"{name}: has {counted(len(lines), 'line')}; there is no line {first}")
    if value.last_line is not None and value.last_line < first:
        raise UsageError(f"{name}: last_line {value.last_line} comes before first_line {first}")
    made = numbered(lines, first, last)
    head = f"{name}: {counted(len(lines), 'line')}"
    if (first, made.last) != (1, len(lines)):
        head = f"{name}: lines {first}-{made.last} of {len(lines)}"
    more = f"\n(cut here; read on with first_line {made.last + 1})" if made.last < last else ""
    return ToolOutput(f"{head}\n{made.text}{more}", shown=head)
