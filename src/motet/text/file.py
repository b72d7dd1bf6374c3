"""A text file as bytes first: what is not edited keeps its bytes."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from motet.errors import FileTooLarge, NotText
from motet.text.utf8 import bytes_of, characters_of

MAX_TEXT_BYTES = 16 * 1024 * 1024
"""Files larger than this many bytes are refused: no model reads them and no human reviews them."""

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PLAIN = bytes(range(32, 127)) + b"\t\r\n"
# PEP 263 and the forms that Emacs and Vim read; only the first two lines count.
_DECLARED = re.compile(rb"^[ \t\f]*(?:#|//|/\*|<!--).*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)", re.MULTILINE)

_GUESSED = {"cp1252": "cp1252", "latin_1": "cp1252", "cp932": "cp932", "euc_jp": "euc_jp", "gb18030": "gb18030"}
"""Python's names for the encodings that a file without a declaration may be in, by those of charset-normalizer."""
_FOREIGN = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_KANA = re.compile("[\u3041-\u30fe]")
_C1 = re.compile(rb"[\x80-\x9f]")
_MOST_LOOKED_AT = 65_536
"""Bytes of the lines that are looked at."""
_HELP = "declare its encoding in the first line, or name it with --encoding or the setting `encoding`"

_FEW = 100
"""Changes up to which it takes less time to find their bytes than to encode the whole text."""

Replaced = tuple[int, int, str]
"""Characters `start` up to `end` become `new`."""
_Text = TypeVar("_Text", str, memoryview)


@dataclass(frozen=True, slots=True)
class TextFile:
    """One version of a file: its bytes and the characters they stand for.

    `path` is relative to the workspace, with `/`. For every instance `encode(text) == data`: decoding lost nothing.
    `unsure`: another encoding that the bytes may as well be in, if nobody has said which.
    """

    path: str
    data: bytes
    _text: str | None = field(repr=False, compare=False)
    encoding: str = "utf-8"
    bom: bytes = b""
    _has_cr: bool | None = field(default=None, repr=False, compare=False)
    unsure: str = field(default="", compare=False)

    @property
    def has_cr(self) -> bool:
        """Whether there is any CR in the text, so that a line may end with another line end than LF."""
        if self._has_cr is not None:
            return self._has_cr
        has_cr = "\r" in self.text
        object.__setattr__(self, "_has_cr", has_cr)  # known from now on; the value stays the same
        return has_cr

    @property
    def text(self) -> str:
        """The characters: every line end as it is in the file, only the byte order mark left out."""
        if self._text is not None:
            return self._text
        text = self.data[len(self.bom) :].decode(self.encoding)
        object.__setattr__(self, "_text", text)  # known from now on; the value stays the same
        return text

    @classmethod
    def decode(cls, path: str, data: bytes, encoding: str | None = "") -> TextFile:
        """Decode by byte order mark, else by declaration, else as UTF-8, else as `encoding`; where that is empty, as
        the bytes look (see `guess`), where it is None, not at all.

        Raises `NotText` for binary data and for bytes that do not fit, `FileTooLarge` above `MAX_TEXT_BYTES`.
        """
        if len(data) > MAX_TEXT_BYTES:
            raise too_large(path, len(data))
        bom, said = next(((b, e) for b, e in _BOMS if data.startswith(b)), (b"", ""))
        body = data[len(bom) :] if bom else data
        holds_nul = b"\0" in body
        if not said:
            if holds_nul and not _may_hold_nul(encoding):
                raise NotText(f"{path}: binary file")
            said = _declared_encoding(body)
        name = said or "utf-8"
        if name == "utf-8" and body.isascii() and not holds_nul:
            return cls(path, data, None, name, bom, b"\r" in body)  # decoded when somebody reads it
        text = None if not said and holds_nul else _decoded(body, name)
        unsure = ""
        if text is None and not said:
            name, unsure = guess(body) if encoding == "" else (encoding or "", "")
            text = _decoded(body, name) if name else None
        if text is None:
            raise NotText(f"{path}: not valid {name or 'utf-8'}; {_HELP}")
        return cls(path, data, text, name, bom, "\r" in text, unsure)

    def again(self, data: bytes) -> TextFile:
        """These bytes, decoded as the next version of this file: nothing is guessed anew. Raises as `decode` does."""
        says_it = self.encoding == "utf-8" or self.bom or _declared_encoding(self.data)
        after = TextFile.decode(self.path, data, None if says_it else self.encoding)
        return replace(after, unsure=self.unsure) if after.encoding == self.encoding else after

    @classmethod
    def new(cls, path: str) -> TextFile:
        """The empty UTF-8 text that a file to be created starts from."""
        return cls(path, b"", "")

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's encoding and with its byte order mark.

        Raises `NotText` when a character does not exist in that encoding.
        """
        return self.bom + self._encoded(text)

    def with_text(self, text: str) -> TextFile:
        """The next version of this file, holding `text`."""
        return TextFile(self.path, self.encode(text), text, self.encoding, self.bom, None, self.unsure)

    def with_changes(self, changes: Sequence[Replaced]) -> TextFile:
        """The next version of this file, with `changes` that do not overlap, in order.

        In UTF-8 all other bytes are taken as they are, if there are not too many changes. Raises `NotText` as `encode` does.
        """
        if self.encoding != "utf-8" or len(changes) > _FEW:
            return self.with_text("".join(spliced(self.text, changes)))
        places = [place for start, end, _ in changes for place in (start, end)]
        offsets = bytes_of(self.text, self.data, len(self.bom), places)
        pieces = [(next(offsets), next(offsets), memoryview(self._encoded(new))) for _, _, new in changes]
        return TextFile(self.path, b"".join(spliced(memoryview(self.data), pieces)), None, self.encoding, self.bom)

    def characters_of(self, offsets: Sequence[int]) -> list[int]:
        """The characters of `text` whose bytes begin at `offsets` of `data`, ascending. Only for UTF-8."""
        return list(characters_of(self.text, self.data, len(self.bom), offsets))

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            character = text[error.start]
            raise NotText(f"{self.path}: {character!r} does not exist in {self.encoding}") from error

    @property
    def is_plain_utf8(self) -> bool:
        """Whether these bytes are UTF-8, and their beginning says nothing else to whoever reads them anew."""
        if self.encoding != "utf-8":
            return False
        return bool(self.bom) or not (
            any(self.data.startswith(bom) for bom, _ in _BOMS) or _declared_encoding(self.data) not in ("", "utf-8")
        )

    @property
    def hash(self) -> str:
        """SHA-256 of the bytes, in hex: the identity of this version."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def newline(self) -> str:
        """The line end that most lines have; LF for a file without any."""
        crlf = self.text.count("\r\n")
        lf = self.text.count("\n") - crlf
        cr = self.text.count("\r") - crlf
        return max((lf, "\n"), (crlf, "\r\n"), (cr, "\r"), key=lambda pair: pair[0])[1]


def codec_name(encoding: str) -> str:
    """Python's name of an encoding of text; of several forms the one without a byte order mark, which says itself what it
    is. Raises `LookupError` for none."""
    try:
        "a".encode(encoding)
    except UnicodeError as error:  # `undefined`
        raise LookupError(encoding) from error
    name = codecs.lookup(encoding).name
    return {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(name, name)


def _may_hold_nul(encoding: str | None) -> bool:
    """Whether plain text in this encoding, unlike in all that begin as ASCII does, is full of NUL."""
    return (encoding or "").lower().replace("_", "-").startswith(("utf-16", "utf-32"))


def _decoded(body: bytes, encoding: str) -> str | None:
    """The text; None unless it can be encoded again to the same bytes."""
    try:
        text = body.decode(encoding)
        return text if encoding == "utf-8" or text.encode(encoding) == body else None
    except UnicodeError:
        return None


def guess(body: bytes) -> tuple[str, str]:
    """The encoding that `body`, no UTF-8, is in by the look of it, and another one that is as likely, if there is one;
    empty for none. Only those that sources are still written in are looked for."""
    if _CONTROL.search(body):
        return "", ""
    from charset_normalizer import from_bytes  # 30 ms, for the few files that are no UTF-8

    lines: dict[bytes, None] = {}
    size = 0
    for found in _FOREIGN.finditer(body):
        line = found[0].strip()
        if line not in lines:
            lines[line] = None
            size += len(line)
        if size > _MOST_LOOKED_AT:
            break
    # Code around it is ASCII in all of them alike, and would drown what differs.
    matches = from_bytes(b"\n".join(lines), cp_isolation=list(_GUESSED), preemptive_behaviour=False)
    likely = [(_GUESSED[one.encoding], (one.chaos, -one.coherence)) for one in matches if one.encoding in _GUESSED]
    if _C1.search(body) is None:
        likely = [("iso8859-1" if name == "cp1252" else name, score) for name, score in likely]
    likely = [(name, score) for name, score in likely if _decoded(body, name) is not None]
    if {"euc_jp", "gb18030"} <= {name for name, _ in likely} and _KANA.search(body.decode("euc_jp")):
        likely = [
            one for one in likely if one[0] != "gb18030"
        ]  # which has kana at the same place, for no Chinese text
    if not likely:
        return "", ""
    name, score = likely[0]
    return name, next((other for other, rival in likely if other != name and rival <= score), "")


def too_large(path: str, size: int) -> FileTooLarge:
    """The error for a file of `size` bytes, more than `MAX_TEXT_BYTES`."""
    return FileTooLarge(f"{path}: {size / 1e6:.1f} MB is more than motet edits ({MAX_TEXT_BYTES // 1024**2} MiB)")


def spliced(old: _Text, changes: Iterable[tuple[int, int, _Text]]) -> Iterator[_Text]:
    """The pieces of `old` with `changes`, which do not overlap, in order."""
    at = 0
    for start, end, new in changes:
        yield old[at:start]
        yield new
        at = end
    yield old[at:]


def _declared_encoding(body: bytes) -> str:
    head = b"\n".join(body[:1024].splitlines()[:2])
    found = _DECLARED.search(head)
    if found is None:
        return ""
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
        # Not every codec turns bytes into text, and those that read plain ASCII as something else hide code.
        return name if _PLAIN.decode(name) == _PLAIN.decode("ascii") else ""
    except (LookupError, UnicodeError):
        return ""
