"""What happens in a run, as values. The order is: Checked, then per round RoundStarted, TurnHappened…,
RoundFinished, perhaps TakenBack; at the end Fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from motet.diagnostics import Change
from motet.errors import ExitCode
from motet.models.protocol import Usage
from motet.text import Diagnostic
from motet.turn import TurnEvent


class EndReason(StrEnum):
    """Why the loop ended."""

    CLEAN = "nothing left"
    CHECKER = "a checker failed"
    NO_PROGRESS = "no progress"
    ROUNDS = "round limit"
    BUDGET = "budget limit"
    HUMAN = "stopped by you"
    DRY_RUN = "dry run"
    UNREADABLE = "no file could be read"
    MODEL = "the model failed"
    DENIED = "not permitted"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Notice:
    """One line of advice for the human: a missing server, a file that was left out."""

    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The first look: what is wrong in the workspace before anything is done."""

    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[str, ...]
    files: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round begins: `requests` are the groups of files that are asked about together."""

    number: int
    requests: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TurnHappened:
    """Something in the turn about `files`."""

    files: tuple[str, ...]
    event: TurnEvent


@dataclass(frozen=True, slots=True)
class RoundFinished:
    """A round is over and its files were looked at again. `is_worse`: more problems than before."""

    number: int
    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[str, ...]
    change: Change
    written: tuple[str, ...]
    is_worse: bool


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What a round wrote to `files` was taken back; `diagnostics` is what stands now."""

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The end. `changed` of `proposed` files (distinct) hold something new; `failed` names, by path, why an edit
    to that file was not applied; `remaining` is what is left; `denied` are files that a rule kept from being
    written. `cost` is None when the price is unknown. `reasons` say why the model left what it spoke of."""

    reason: EndReason
    detail: str
    changed: tuple[str, ...]
    proposed: tuple[str, ...]
    failed: dict[str, str]
    remaining: tuple[Diagnostic, ...]
    rounds: int
    usage: Usage
    cost: float | None
    denied: tuple[str, ...] = ()
    reasons: Mapping[Diagnostic, str] = field(default_factory=dict[Diagnostic, str])

    @property
    def summary(self) -> str:
        """`Applied changes to X of N files.`, counting distinct files."""
        total = len(self.proposed)
        return f"Applied changes to {len(self.changed)} of {total} {'file' if total == 1 else 'files'}."

    @property
    def exit_code(self) -> int:
        """What the command line returns."""
        match self.reason:
            case EndReason.INTERRUPTED:
                return ExitCode.INTERRUPTED
            case EndReason.MODEL | EndReason.UNREADABLE:
                return ExitCode.MODEL
            case EndReason.DENIED:
                return ExitCode.PERMISSION
            case EndReason.CHECKER if not self.denied:
                return ExitCode.PROBLEMS_REMAIN
            case _ if self.denied:
                return ExitCode.PERMISSION
            case _:
                return ExitCode.PROBLEMS_REMAIN if self.remaining else ExitCode.DONE


FixEvent = Notice | Checked | RoundStarted | TurnHappened | RoundFinished | TakenBack | Fixed
