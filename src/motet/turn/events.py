"""What happens in a turn, as values for whoever draws, records or counts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from motet.messages import ToolCall
from motet.models.protocol import ModelEvent
from motet.tools import ToolOutput

if TYPE_CHECKING:
    from motet.edits import Edit


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
    """The turn is over. `limit` says which limit ended it; empty when the model was done.

    `left`: edits in the text of the last answer that holds any, where no tool for edits was handed over, and `broken`
    why they cannot be understood; `doubtful`: texts there that may be those of whole files; `repeated`: edits there
    that were decided in this turn already; `quoted`: edits that it only quotes. `unmade`: the answer says that a file was changed, and none was, though one
    could have been.
    """

    limit: str = ""
    left: tuple[Edit, ...] = ()
    broken: str = ""
    doubtful: tuple[Edit, ...] = ()
    repeated: tuple[Edit, ...] = ()
    quoted: tuple[Edit, ...] = ()
    unmade: bool = False


TurnEvent = AnswerStarted | ModelEvent | ToolsCalled | ToolFinished | TurnEnded
