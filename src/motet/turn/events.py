"""What happens in a turn, as values for whoever draws, records or counts it."""

from __future__ import annotations

from dataclasses import dataclass

from motet.messages import ToolCall
from motet.models.protocol import ModelEvent
from motet.tools import ToolOutput


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """A request goes out; `number` counts the turn's requests from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class ToolsCalled:
    """The answer is whole, and these calls in it are run now, in order."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has its result."""

    call: ToolCall
    output: ToolOutput


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `limit` says which limit ended it; empty when the model was done."""

    limit: str = ""


TurnEvent = AnswerStarted | ModelEvent | ToolsCalled | ToolFinished | TurnEnded
