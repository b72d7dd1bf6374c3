"""`completions` for prompt_toolkit."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from motet.context.complete import Known, completions


class ChatCompleter(Completer):
    """Offers what `known` holds at that moment."""

    def __init__(self, known: Callable[[], Known]) -> None:
        self._known = known

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """See `Completer`."""
        at = document.cursor_position
        for each in completions(document.text, at, self._known()):
            yield Completion(each.text, each.start - at, each.display, each.description)
