"""`motet fix --json`: one event a line on stdout, each with the version of this schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from motet import __version__
from motet.cli import output
from motet.cli.output import write_json
from motet.edits import Proposal
from motet.edits.lines import join_lines
from motet.errors import MotetError
from motet.fix import Checked, Fixed, FixEvent, Notice, RoundFinished, RoundStarted, TakenBack, TurnHappened
from motet.models.protocol import Completed, Model, Retrying, TextDelta, Usage
from motet.text import Diagnostic
from motet.turn import AnswerStarted, ToolFinished, TurnEnded

SCHEMA = 1
"""Grows when a field changes its meaning or goes; new fields and events do not change it."""


class FixJson:
    """Writes events as JSON lines. The first is `started`, the last `fixed` or `error`."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def started(self, root: str, model: Model, why: str) -> None:
        """Write who will be asked about what."""
        where = model.destination
        host = where.host if where.remote else None
        _write("started", version=__version__, workspace=root, model=model.name, why=why, host=host)

    def __call__(self, event: FixEvent) -> None:
        """Write one event."""
        match event:
            case Notice(text):
                _write("notice", text=text)
            case Checked(diagnostics, sources, files):
                _write("checked", files=files, sources=sources, diagnostics=_diagnostics(diagnostics))
            case RoundStarted(number, requests):
                _write("round_started", round=number, requests=requests)
            case TurnHappened(files, AnswerStarted(number)):
                self._texts.clear()
                _write("asked", files=files, answer=number)
            case TurnHappened(_, TextDelta(text)):
                self._texts.append(text)
            case TurnHappened(files, Retrying(delay, attempt, reason)):
                _write("retrying", files=files, delay=delay, attempt=attempt, reason=reason)
            case TurnHappened(files, Completed() as completed):
                calls = [{"tool": call.name, "arguments": call.arguments} for call in completed.calls]
                tokens = _tokens(completed.usage)
                _write("answered", files=files, text="".join(self._texts), calls=calls, tokens=tokens)
            case TurnHappened(files, ToolFinished(call, output)):
                _write("tool_finished", files=files, tool=call.name, text=output.text, is_error=output.is_error)
            case TurnHappened(files, TurnEnded(limit)):
                _write("turn_ended", files=files, limit=limit)
            case TurnHappened():
                pass
            case RoundFinished():
                _write(
                    "round_finished",
                    round=event.number,
                    sources=event.sources,
                    diagnostics=_diagnostics(event.diagnostics),
                    solved=len(event.change.solved),
                    new=_diagnostics(event.change.new),
                    written=event.written,
                    is_worse=event.is_worse,
                )
            case TakenBack(files, diagnostics, _):
                _write("taken_back", files=files, diagnostics=_diagnostics(diagnostics))
            case Fixed():
                _write_end(event)


def write_proposals(proposals: Sequence[Proposal]) -> None:
    """Write proposals as they were decided: each hunk with its old and new lines."""
    for proposal in proposals:
        hunks = [
            {
                "line": hunk.hunk.line,
                "old": join_lines(list(hunk.hunk.old)),
                "new": join_lines(list(hunk.hunk.new)),
                "decision": str(hunk.decision),
                "remark": hunk.remark,
            }
            for hunk in proposal.hunks
        ]
        _write("proposal", path=proposal.path, created=proposal.before is None, hunks=hunks)


def _write_end(event: Fixed) -> None:
    _write(
        "fixed",
        reason=event.reason.name.lower(),
        detail=event.detail,
        summary=event.summary,
        changed=event.changed,
        proposed=event.proposed,
        failed=event.failed,
        denied=event.denied,
        remaining=[{**_diagnostic(found), "left_because": event.reasons.get(found)} for found in event.remaining],
        rounds=event.rounds,
        tokens=_tokens(event.usage),
        cost=event.cost,
        exit_code=event.exit_code,
    )


def write_error(error: MotetError) -> None:
    """Write the error that ended the run before it could end by itself."""
    output.write_error(error, SCHEMA)


def _tokens(usage: Usage) -> Mapping[str, object]:
    return {"input": usage.input, "output": usage.output, "cached_input": usage.cached_input}


def _diagnostics(diagnostics: Sequence[Diagnostic]) -> list[Mapping[str, object]]:
    return [_diagnostic(found) for found in diagnostics]


def _diagnostic(found: Diagnostic) -> Mapping[str, object]:
    return {
        "path": found.path,
        "line": found.range.start.line,
        "column": found.range.start.column,
        "end_line": found.range.end.line,
        "end_column": found.range.end.column,
        "severity": found.severity.label.lower(),
        "message": found.message,
        "source": found.source,
        "code": found.code,
    }


def _write(event: str, **fields: object) -> None:
    write_json({"schema": SCHEMA, "event": event, **fields})
