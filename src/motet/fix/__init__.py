"""The loop of `motet fix`: collect what the compilers complain about, ask a model, review, apply, look again.

A front end subscribes to `FixEvent`s and brings a `Reviewer`; it decides nothing else.
"""

from motet.fix.diagnoser import Diagnoser
from motet.fix.events import (
    Checked,
    EndReason,
    Fixed,
    FixEvent,
    Notice,
    RoundFinished,
    RoundStarted,
    TakenBack,
    TurnHappened,
)
from motet.fix.loop import FixLoop, FixOptions
from motet.fix.review import RoundReviewer
from motet.tools import AcceptAll, ProposeOnly

__all__ = [
    "AcceptAll",
    "Checked",
    "Diagnoser",
    "EndReason",
    "FixEvent",
    "FixLoop",
    "FixOptions",
    "Fixed",
    "Notice",
    "ProposeOnly",
    "RoundFinished",
    "RoundReviewer",
    "RoundStarted",
    "TakenBack",
    "TurnHappened",
]
