"""What `@/path`, `@file.ts`, links and `@https://…` share."""

from __future__ import annotations

from motet.context.attachment import url_attachment
from motet.context.files import missing, share_part, share_path
from motet.context.sources import Shared, Sources, notice
from motet.context.symbols import Kind, Symbol
from motet.errors import MotetError
from motet.messages import Document, Image


async def share_mention(symbol: Symbol, sources: Sources) -> Shared:
    """The file, directory or page that `symbol` names. A failure is a notice, and the symbol stays as written."""
    match symbol.kind:
        case Kind.URL:
            return await share_url(symbol.name, sources, source=f"@{symbol.name}")
        case Kind.FILE | Kind.LINK if symbol.found:
            shared = await share_path(symbol.name, sources, lines=symbol.lines, source=f"@{symbol.name}")
            # A link names its file already: it stays a link, wherever the text is copied.
            return shared if symbol.kind is Kind.FILE else Shared(shared.messages, notices=shared.notices)
        case _:
            return notice(await missing(symbol.name, sources))


async def share_url(url: str, sources: Sources, *, address_only: bool = False, source: str = "") -> Shared:
    """A page's text, or its address alone: when that was asked for, and when the page cannot be read or is empty."""
    words = f"<{url}>"
    alone = Shared((url_attachment(url, "", source=source),), words)
    if address_only:
        return alone
    if sources.fetch is None:
        return Shared(alone.messages, words, (f"{url}: pages cannot be read here; the address alone is shared",))
    try:
        page = await sources.fetch(url)
    except MotetError as error:
        return Shared(alone.messages, words, (f"{error}; the address alone is shared",))
    sources.gate.taint(f"page {url}")
    if isinstance(page.part, Image) or (isinstance(page.part, Document) and sources.reads_documents):
        shared = await share_part(url, page.part.data, sources, url=url, source=source)
        return Shared(shared.messages, words if shared.messages else "", (*shared.notices, *page.notes))
    if not page.text.strip():
        told = f"{url}: the page is empty or blocked; the address alone is shared"
        return Shared(alone.messages, words, (told, *page.notes))
    return Shared((url_attachment(url, page.text, title=page.title, source=source),), words, page.notes)
