"""Chat events as JSON lines on stdout, each with the version of this schema."""

from __future__ import annotations

from motet import __version__
from motet.chat import Chat, ChatEvent, Compacted, Ended, Notice, Said, Sent, Shared, Titled
from motet.cli import output
from motet.cli.output import write_json
from motet.errors import MotetError
from motet.models.protocol import Completed, Price, ReasoningDelta, Retrying, TextDelta, Usage
from motet.tools.kit import Told
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled

SCHEMA = 1
"""Grows when a field changes its meaning or goes; new fields and events do not change it."""


class ChatJson:
    """Writes events as JSON lines. The first is `started`, the last `ended` or `error`."""

    def __init__(self) -> None:
        self._usage = Usage()
        self._price: Price | None = None

    def started(self, chat: Chat, why: str) -> None:
        """Write which chat it is, and who answers."""
        self._price = chat.model.price
        where = chat.model.destination
        host = where.host if where.remote else None
        _write("started", version=__version__, chat=chat.id, model=chat.model.name, why=why, host=host)

    def __call__(self, event: ChatEvent) -> None:
        """Write one event."""
        match event:
            case TextDelta(text):
                _write("text", text=text)
            case ReasoningDelta(text):
                _write("reasoning", text=text)
            case AnswerStarted(number):
                _write("asked", answer=number)
            case Retrying(delay, attempt, reason):
                _write("retrying", delay=delay, attempt=attempt, reason=reason)
            case Completed():
                self._usage += event.usage
            case ToolsCalled(calls):
                called = [{"id": call.id, "tool": call.name, "arguments": call.arguments} for call in calls]
                _write("tools_called", calls=called)
            case Told(tool, kind, text):
                _write("tool_told", tool=tool, kind=kind, text=text)
            case ToolFinished(call, output):
                _write("tool_finished", id=call.id, tool=call.name, text=output.text, is_error=output.is_error)
            case Shared(line, tokens, why):
                _write("shared", item=line, tokens=tokens, **({"why": why} if why else {}))
            case Sent(message_id, cycle, tokens):
                _write("sent", message=message_id, cycle=cycle, tokens=tokens)
            case Said(text):
                _write("said", text=text)
            case Notice(text, level, about):
                _write("notice", text=text, level=level, **({"about": about} if about else {}))
            case Compacted(messages, before, after):
                _write("compacted", messages=messages, before=before, after=after)
            case Titled(title):
                _write("titled", title=title)
            case Ended(reason, detail, can_go_on, is_partial):
                used = {"input": self._usage.input, "output": self._usage.output}
                cost = self._usage.cost(self._price) if self._price is not None else None
                _write(
                    "ended", reason=reason, detail=detail, can_go_on=can_go_on, partial=is_partial, tokens=used,
                    cost=cost,
                )  # fmt: skip
            case _:
                pass


def write_error(error: MotetError) -> None:
    """Write the error that ended the run before it could end by itself."""
    output.write_error(error, SCHEMA)


def _write(event: str, **fields: object) -> None:
    write_json({"schema": SCHEMA, "event": event, **fields})
