"""Fixes across sources: what one knows helps another that complains about the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from motet.diagnostics.names import UnknownName, named_in_message, unknown_name
from motet.text import Diagnostic, LineIndex, Range, SuggestedFix, TextFile


def has_edits(fixes: Iterable[SuggestedFix]) -> bool:
    """Whether one of `fixes` can be applied as it is."""
    return any(fix.edits for fix in fixes)


def with_shared_fixes(diagnostics: Sequence[Diagnostic], files: Mapping[str, TextFile]) -> list[Diagnostic]:
    """Each problem without a usable fix gets what its own message says, else what another source has for it.

    Another source speaks of the same when it calls the same name at the same place unknown.
    """
    texts = _Texts(files)
    names = {at: name for at, one in enumerate(diagnostics) if (name := texts.name(one)) is not None}
    known: dict[tuple[str, Range, str], tuple[SuggestedFix, ...]] = {}
    for at, name in names.items():
        if has_edits(diagnostics[at].fixes):
            known.setdefault((diagnostics[at].path, *name.key), diagnostics[at].fixes)
    shared: list[Diagnostic] = []
    for at, one in enumerate(diagnostics):
        if not has_edits(one.fixes):
            said = texts.said(one)
            name = names.get(at)
            lent = known.get((one.path, *name.key), ()) if name is not None else ()
            own = (said,) if said is not None else lent
            one = replace(one, fixes=(*own, *one.fixes)) if own else one
        shared.append(one)
    return shared


class _Texts:
    """Line indexes of the files that problems are in, made when needed."""

    def __init__(self, files: Mapping[str, TextFile]) -> None:
        self._files = files
        self._indexes: dict[str, LineIndex] = {}

    def name(self, one: Diagnostic) -> UnknownName | None:
        """The name that `one` calls unknown."""
        index = self._index(one.path)
        return None if index is None else unknown_name(one, index)

    def said(self, one: Diagnostic) -> SuggestedFix | None:
        """The fix in the message of `one`."""
        index = self._index(one.path)
        return None if index is None else named_in_message(one, index)

    def _index(self, path: str) -> LineIndex | None:
        if path not in self._indexes and path in self._files:
            self._indexes[path] = LineIndex(self._files[path].text)
        return self._indexes.get(path)
