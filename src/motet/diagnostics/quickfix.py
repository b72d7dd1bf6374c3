"""Quick fixes of a server, as suggestions: what repairs the code, without what only silences the message."""

from __future__ import annotations

import re

from lsprotocol import types

from motet.diagnostics.client import Client, Document
from motet.diagnostics.convert import Translator, structured
from motet.diagnostics.json_value import list_of, object_of, text_of
from motet.text import LineIndex, SuggestedFix, TextEdit

_MOST_FIXES = 8
_SILENCERS = re.compile(
    r"noqa|(?:pyright|type|ty|mypy|pyrefly|pylint|ruff|rubocop|shellcheck|phpcs|eslint|biome|deno-lint|tslint|oxlint"
    r"|stylelint|markdownlint)[-: ]+(?:file-)?(?:ignore|disable|allow|expect)"
    r"|@ts-(?:ignore|expect-error|nocheck)|nolint|nosec|noinspection|@suppress|#!?\[(?:allow|expect)\(",
    re.IGNORECASE,
)
_SILENCING_TITLE = re.compile(
    r"(?:disable|ignore|suppress|silence)\b.*\b(?:line|file|rule|warnings?|comment|check|project|workspace)\b",
    re.IGNORECASE,
)
_ONLY_DECLARED = re.compile(r"'[^']+' declared here")


async def quick_fixes(
    client: Client, document: Document, raw: object, translator: Translator
) -> tuple[SuggestedFix, ...]:
    """The fixes that the server offers for its diagnostic `raw` of `document`, in its order."""
    if not client.abilities.fixes:
        return ()
    context = {"diagnostics": [raw], "only": ["quickfix"], "triggerKind": types.CodeActionTriggerKind.Invoked.value}
    where = {"textDocument": {"uri": document.uri}, "range": object_of(raw).get("range")}
    answer = await client.ask("textDocument/codeAction", {**where, "context": context})
    fixes: list[SuggestedFix] = []
    for offered in map(object_of, list_of(answer)):
        if len(fixes) < _MOST_FIXES and _is_quickfix(offered) and _is_about(offered, raw):
            fix = await _suggestion(client, document, offered, translator)
            if fix is not None and fix not in fixes:
                fixes.append(fix)
    return tuple(fixes)


def _is_quickfix(offered: dict[str, object]) -> bool:
    """Not a bare command (its `command` is a text), not disabled, of the kind that was asked for."""
    kind = offered.get("kind")
    right = kind is None or text_of(kind).partition(".")[0] == "quickfix"
    return right and not isinstance(offered.get("command"), str) and not offered.get("disabled")


def _is_about(offered: dict[str, object], raw: object) -> bool:
    """Servers also give what they offer for others that overlap."""
    named = list_of(offered.get("diagnostics"))
    return not named or any(_same(one, raw) for one in named)


def _same(one: object, other: object) -> bool:
    keys = ("range", "message", "code")
    return [object_of(one).get(key) for key in keys] == [object_of(other).get(key) for key in keys]


async def _suggestion(
    client: Client, document: Document, offered: dict[str, object], translator: Translator
) -> SuggestedFix | None:
    if "edit" not in offered and client.abilities.resolves_fixes:
        offered = object_of(await client.ask("codeAction/resolve", offered)) or offered
    if "edit" not in offered:
        return None
    # Only what is used is structured: `data` and `command` may be anything.
    title, edit = text_of(offered.get("title")), structured(offered["edit"], types.WorkspaceEdit)
    said = _own_edits(edit, document)
    edits = translator.edits(said) if said is not None else ()
    if _silences(title, edits, translator.index):
        return None
    return SuggestedFix(_title(title, edits, translator.index), edits, offered.get("isPreferred") is True)


def _own_edits(edit: types.WorkspaceEdit, document: Document) -> list[types.TextEdit] | None:
    """The edits when all of them are of `document`, else None."""
    edits: list[types.TextEdit] = []
    for uri, of_file in (edit.changes or {}).items():
        if not document.is_at(uri):
            return None
        edits += of_file
    for change in edit.document_changes or ():
        if not isinstance(change, types.TextDocumentEdit) or not document.is_at(change.text_document.uri):
            return None
        for one in change.edits:
            # A snippet has places to fill in, and nobody would fill them.
            if not isinstance(one, types.TextEdit | types.AnnotatedTextEdit):
                return None
            edits.append(types.TextEdit(one.range, one.new_text))
    return edits


def _silences(title: str, edits: tuple[TextEdit, ...], index: LineIndex) -> bool:
    """Whether the fix only tells a tool to be quiet."""
    if _SILENCING_TITLE.match(title):
        return True
    added = sum(len(_SILENCERS.findall(edit.new_text)) for edit in edits)
    return added > sum(len(_SILENCERS.findall(index.slice(edit.range))) for edit in edits)


def _title(title: str, edits: tuple[TextEdit, ...], index: LineIndex) -> str:
    """The server's, but for a fix that says where a name is declared instead of what it does."""
    if len(edits) == 1 and _ONLY_DECLARED.fullmatch(title):
        return f"change '{index.slice(edits[0].range)}' to '{edits[0].new_text}'"
    return title
