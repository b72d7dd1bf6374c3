"""The text of a PDF, page by page."""

from __future__ import annotations

import io
import logging

_SLIPS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What pypdf raises besides its own errors when a document is damaged."""


def text_of_pdf(body: bytes, most: int) -> tuple[str, str, list[str], bool]:
    """Title, text and notes of a document, and whether that is all of it; each page begins with `[page N]`.

    No more than about `most` characters are read. What cannot be read is left empty, and a note says why.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    damage = (PyPdfError, *_SLIPS)
    damaged = 0
    pages: list[str] = []
    size = 0
    try:
        reader = PdfReader(io.BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            return "", "", ["the PDF is encrypted: its text cannot be read without the password"], True
        title = str((reader.metadata.title if reader.metadata else None) or "")
        count = len(reader.pages)
    except damage as error:
        return "", "", [f"the PDF cannot be read ({_brief(error)})"], True
    for number in range(count):
        try:
            text = reader.pages[number].extract_text().strip()
        except damage:
            text, damaged = "", damaged + 1
        pages.append(f"[page {number + 1}]\n{text}".rstrip())
        size += len(text)
        if size > most:
            break
    return title, "\n\n".join(pages) if size else "", _notes(count, len(pages), damaged, size), len(pages) == count


def _notes(count: int, read: int, damaged: int, size: int) -> list[str]:
    notes: list[str] = []
    if damaged:
        notes.append(f"{damaged} of {count} pages are damaged and left empty")
    if not size:
        notes.append(f"the PDF holds no text on its {count} pages; they may be scanned pictures")
    if read < count:
        notes.append(f"only the first {read} of {count} pages are here")
    return notes


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
