"""What the bytes of a picture or a document say about themselves, and how they go to a provider. Pure.

Providers compare the bytes with the type that is declared and refuse what differs, so only the bytes count here.
Signatures: W3C PNG 3 §5.2, ISO 10918-1 (JPEG) B.1, GIF89a §17, RFC 9649 (WebP) §2.3, ISO 32000-1 (PDF) §7.5.2.
"""

from __future__ import annotations

import base64

PDF = "application/pdf"
_PDF_HEAD = 1_024
"""Bytes in which readers look for the header of a PDF."""


def picture_type(data: bytes) -> str:
    """`image/png`, `image/jpeg`, `image/gif` or `image/webp`, which all providers take; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def is_pdf(data: bytes) -> bool:
    """Whether `data` begins as a PDF does."""
    return b"%PDF-" in data[:_PDF_HEAD]


def data_url(kind: str, data: bytes) -> str:
    """`data` of the media type `kind` as an address that holds it (RFC 2397)."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def document_name(name: str) -> str:
    """What a document called `name` is called at a provider, which takes none without a name."""
    return name if name.strip() else "document.pdf"
