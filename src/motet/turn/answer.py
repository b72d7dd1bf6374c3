"""An answer while it streams."""

from __future__ import annotations

from motet.errors import ModelError, ModelErrorKind
from motet.messages import Message, Role, Text, estimate_tokens
from motet.models.protocol import Completed, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta, Usage


class AnswerUnderWay:
    """An answer while it streams."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._arguments: list[str] = []
        self._completed: Completed | None = None

    def add(self, event: ModelEvent) -> None:
        """The next event."""
        match event:
            case TextDelta(text):
                self._texts.append(text)
            case ToolCallDelta(_, arguments):
                self._arguments.append(arguments)
            case ReasoningDelta(text):
                self._thoughts.append(text)
            case Completed():
                self._completed = event
            case _:
                pass

    @property
    def has_begun(self) -> bool:
        """Whether anything of it has arrived."""
        return bool(self._texts or self._thoughts or self._arguments)

    @property
    def text(self) -> str:
        """What it says so far."""
        return "".join(self._texts)

    @property
    def thoughts(self) -> str:
        """The reasoning so far."""
        return "".join(self._thoughts)

    @property
    def arguments(self) -> str:
        """The arguments of its calls so far."""
        return "".join(self._arguments)

    def usage(self, tokens: int | None) -> Usage:
        """What it used, as the provider said; where it said nothing, an estimate for a request of `tokens` (None:
        nothing), so that budgets hold all the same, also for an answer that broke off."""
        completed = self._completed
        if completed is not None and completed.usage.total:
            return completed.usage
        if tokens is None or (completed is None and not self.has_begun):
            return Usage()
        return Usage(tokens, estimate_tokens(self.thoughts + self.text + self.arguments))

    def completed(self, name: str) -> Completed:
        """Its end. Raises `ModelError` when that did not come from the model `name`."""
        if self._completed is None:
            raise ModelError(f"{name}: the answer ended without its end", ModelErrorKind.BAD_RESPONSE)
        return self._completed

    def message(self, completed: Completed) -> Message:
        """The whole answer."""
        parts = (Text(self.text),) if self.text else ()
        return Message(Role.ASSISTANT, parts, completed.reasoning, completed.calls)
