"""What happens in a chat, as values: whoever draws, records or tests it only has to know these."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from motet.errors import MotetError
from motet.tools.kit import Told
from motet.turn import TurnEvent


class Level(StrEnum):
    """How much a notice matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for the human; never sent to a model. `about`: for programs, what it says: `edits_left` and
    `edits_in_doubt` (the answer holds edits that nobody took), `no_edit` (it claims one that was not made); else
    empty."""

    text: str
    level: Level = Level.INFO
    about: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """An item is shared with the model from this message on: its line in the context block, and what it costs. `why`: of
    one that nobody asked for."""

    line: str
    tokens: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """The human's message is kept, and the turn begins. `tokens`: estimated, of the whole request."""

    message_id: str
    cycle: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Said:
    """What the human said while the model worked has joined the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class Compacted:
    """Messages of which only a summary is sent from now on, and tokens that a request needed before and after."""

    messages: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Titled:
    """The chat has a name."""

    title: str


class End(StrEnum):
    """Why a turn is over."""

    DONE = "done"
    STOPPED = "stopped"
    LIMIT = "limit"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Ended:
    """The turn is over, the last event. `detail`: which limit, or what failed, in one line with what to do.

    `can_go_on`: the model has more to do and `Chat.go_on` lets it; `is_partial`: an answer broke off; `error`: what
    ended the turn, where something failed.
    """

    reason: End
    detail: str = ""
    can_go_on: bool = False
    is_partial: bool = False
    error: MotetError | None = None


ChatEvent = TurnEvent | Told | Notice | Shared | Sent | Said | Compacted | Titled | Ended
