"""`motet apply --json`: one event a line on stdout, each with the version of this schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from motet.cli.output import write_json
from motet.edits import Delete, Edit, Insert, Match, Move, Refusal, Write
from motet.edits.formats.whole_file import LeftOut
from motet.errors import EditFormatError, ExitCode, MotetError
from motet.tools import DeskReport, FileReport

SCHEMA = 1
"""Grows when a field changes its meaning or goes; new fields and events do not change it."""


class ApplyJson:
    """Writes events as JSON lines. The first is `understood`, the last `applied` or `error`."""

    def understood(self, edits: Sequence[Edit]) -> None:
        """Write what the answer holds."""
        _write("understood", edits=[{"path": edit.path, **_edit(edit)} for edit in edits])

    def left_out(self, message: str, fence: LeftOut | None = None) -> None:
        """Write that a part of the answer, where it is known the `fence`, is no edit, and why."""
        line, language = (fence.line, fence.language) if fence else (None, "")
        _write("left_out", answer_line=line, language=language or None, message=message)

    def applied(
        self, report: DeskReport, exit_code: int, *, dry_run: bool, doubts: Mapping[str, str] | None = None
    ) -> None:
        """Write what became of each file and each of its edits; `doubts` say by path why one was not taken unasked."""
        for file in report.files:
            _write("file", **_file(file, (doubts or {}).get(file.path, "")))
        _write("applied", summary=report.summary, dry_run=dry_run, exit_code=exit_code)

    def failed(self, error: MotetError) -> None:
        """Write the error that ended the run before it could end by itself."""
        line = error.line if isinstance(error, EditFormatError) else None
        _write("error", message=str(error), answer_line=line, exit_code=error.exit_code)

    def interrupted(self) -> None:
        """Write that the human ended the run."""
        _write("error", message="interrupted", answer_line=None, exit_code=ExitCode.INTERRUPTED)


def _file(file: FileReport, doubt: str) -> Mapping[str, object]:
    return {
        "path": file.path,
        "written": file.was_written,
        "would_change": file.plan.changes_something,
        "problem": file.problem or doubt or None,
        "edits": [_outcome(outcome) for outcome in file.plan.outcomes],
    }


def _outcome(outcome: Match | Refusal) -> Mapping[str, object]:
    match outcome:
        case Match():
            return {
                **_edit(outcome.edit),
                "state": "already_applied" if outcome.already_applied else "fits",
                "rung": outcome.rung.name.lower(),
                "lines": [[place.first_line, place.last_line] for place in outcome.places],
                "note": outcome.note or None,
            }
        case Refusal():
            return {
                **_edit(outcome.edit),
                "state": "refused",
                "reason": str(outcome.reason),
                "message": outcome.message,
                "candidates": [[one.first_line, one.last_line] for one in outcome.candidates],
                "nearest": outcome.nearest or None,
                "advice": outcome.advice,
            }


def _edit(edit: Edit) -> Mapping[str, object]:
    return {"kind": _kind(edit), "answer_line": edit.line}


def _kind(edit: Edit) -> str:
    match edit:
        case Write():
            return "write"
        case Delete():
            return "delete"
        case Move():
            return "move"
        case Insert():
            return "insert"
        case _:
            return "replace"


def _write(event: str, **fields: object) -> None:
    write_json({"schema": SCHEMA, "event": event, **fields})
