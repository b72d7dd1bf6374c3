"""What one server has said about one document, as values: problems, fixes, closest names.

Importing this imports the protocol's types, which takes a third of a second: only for those who have problems.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from motet.diagnostics.client import Client, Document
from motet.diagnostics.convert import Translator
from motet.diagnostics.fixes import has_edits
from motet.diagnostics.json_value import integer_of, list_of, object_of, text_of
from motet.diagnostics.names import candidates, closest, named_in_message, rename, unknown_name
from motet.diagnostics.quickfix import quick_fixes
from motet.text import Diagnostic, SuggestedFix, TextFile

_MOST_FIXED = 200
"""Problems of one file for which fixes are asked for."""
_AT_ONCE = 50
"""Problems that are converted before other tasks run."""


async def understand(
    client: Client, server: str, document: Document, file: TextFile, said: Sequence[object]
) -> tuple[Diagnostic, ...]:
    """The problems in what the server `said` about `file`, with fixes; what is said twice counts once.

    `document` shows the text of `file`. Raises `ServerError`.
    """
    translator = Translator(file.path, file.text, client.encoding)
    found: dict[tuple[object, ...], tuple[Diagnostic, object]] = {}
    for number, raw in enumerate(said):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
        one = translator.diagnostic(raw, server)
        found[_identity(one)] = one, raw
    pairs = list(found.values())
    fixed = await asyncio.gather(*(_with_fixes(client, document, translator, *pair) for pair in pairs[:_MOST_FIXED]))
    return (*fixed, *(one for one, _ in pairs[_MOST_FIXED:]))


def _identity(one: Diagnostic) -> tuple[object, ...]:
    return one.range, one.message, one.source, one.code


async def _with_fixes(
    client: Client, document: Document, translator: Translator, diagnostic: Diagnostic, raw: object
) -> Diagnostic:
    fixes = await quick_fixes(client, document, raw, translator)
    if not has_edits(fixes):
        said = named_in_message(diagnostic, translator.index)
        near = said or await _closest_name(client, document, translator, diagnostic)
        fixes = (near, *fixes) if near is not None else fixes
    return replace(diagnostic, fixes=fixes) if fixes else diagnostic


async def _closest_name(
    client: Client, document: Document, translator: Translator, diagnostic: Diagnostic
) -> SuggestedFix | None:
    if not client.abilities.completes:
        return None
    name = unknown_name(diagnostic, translator.index)
    if name is None:
        return None
    # At the start of the name, so that nothing typed narrows the answer.
    position = translator.place(name.range.start)
    where: dict[str, object] = {"textDocument": {"uri": document.uri}, "position": position}
    answer = await client.ask("textDocument/completion", where)
    items = list_of(answer) or list_of(object_of(answer).get("items"))
    known = candidates(_labels(map(object_of, items)))
    meant = closest(name, known, translator.index)
    return rename(name.text, meant, name.range) if meant is not None else None


def _labels(items: Iterable[dict[str, object]]) -> Iterable[tuple[str, int]]:
    return ((text_of(item.get("label")), integer_of(item.get("kind")) or 0) for item in items)
