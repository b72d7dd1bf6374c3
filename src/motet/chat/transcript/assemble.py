"""From the blocks of a transcript to turns, and from those to messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from motet.chat.events import Level, Notice
from motet.chat.transcript.context import read_context
from motet.chat.transcript.markers import Kind, Marker
from motet.chat.transcript.values import Answer, Aside, Asked, ContextLine, Draft, Output, Parsed, Turn
from motet.messages import Message, Meta, Reasoning, Role, Text, ToolCall, ToolResult, new_id, tags


@dataclass(slots=True)
class _Open:
    """The turn, answer or draft that may still grow."""

    kind: Kind
    id: str
    texts: list[str] = field(default_factory=list[str])
    lines: list[ContextLine] = field(default_factory=list[ContextLine])
    reasoning: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    tag: str = ""
    model: str = ""
    partial: bool = False

    @property
    def text(self) -> str:
        """Its texts; more than one only where a human has moved things."""
        return "\n\n".join(text for text in self.texts if text) if len(self.texts) > 1 else "".join(self.texts)


class Assembler:
    """Takes the blocks of a document one after the other."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._open: _Open | None = None
        self._model = ""
        self.draft = Draft()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far; the last one does not grow any more."""
        self._close()
        return tuple(self._turns)

    def add(self, marker: Marker, text: str) -> bool:
        """Take a block. False when its kind is unknown."""
        id, name = marker.attributes.get("id", ""), marker.attributes.get("name", "")
        match marker.kind:
            case Kind.ME | Kind.DRAFT:
                self._begin(_Open(Kind(marker.kind), id, [text], tag=marker.attributes.get("tag", "")))
            case Kind.CONTEXT:
                said = self._said(id)
                lines, rest = read_context(text)
                said.lines += lines
                said.texts += [rest] if rest else []
            case Kind.TEXT:
                self._said(id).texts.append(text)
            case Kind.MOTET:
                self._close()
                self._model = marker.attributes.get("model", "")
                if text or "id" in marker.attributes:
                    self._answer(id).texts.append(text)
            case Kind.REASONING:
                self._answer(id).reasoning.append(text)
            case Kind.RESPONSE:
                self._answer(id).texts.append(text)
            case Kind.CALL:
                self._answer(id).calls.append(ToolCall(marker.attributes.get("call", ""), name, text))
            case Kind.INTERRUPTED:
                self._interrupted(id, text)
            case _:
                return self._other(marker, text, id, name)
        return True

    def _other(self, marker: Marker, text: str, id: str, name: str) -> bool:
        match marker.kind:
            case Kind.RESULT:
                turn = Output(text, marker.attributes.get("call", ""), name, "error" in marker.attributes, id)
            case Kind.OUTPUT:
                turn = Aside(text, tags.TOOL_OUTPUT, id)
            case Kind.ASIDE:
                turn = Aside(text, marker.attributes.get("tag", ""), id)
            case Kind.NOTICE:
                turn = Notice(text, _level(marker.attributes.get("level", "")))
            case _:
                return False
        self._close()
        self._turns.append(turn)
        return True

    def _interrupted(self, id: str, text: str) -> None:
        answer = self._answer(id)
        answer.partial = True
        if text:  # a human wrote below it
            answer.texts.append(text)

    def _said(self, id: str) -> _Open:
        if self._open and self._open.kind in {Kind.ME, Kind.DRAFT}:
            return self._open
        return self._begin(_Open(Kind.ME, id))

    def _answer(self, id: str) -> _Open:
        if self._open and (self._open.kind, self._open.id) == (Kind.MOTET, id):
            return self._open
        return self._begin(_Open(Kind.MOTET, id, model=self._model))

    def _begin(self, turn: _Open) -> _Open:
        self._close()
        self._open = turn
        return turn

    def _close(self) -> None:
        match self._open:
            case None:
                return
            case _Open(kind=Kind.DRAFT) as turn:
                self.draft = Draft(turn.text, tuple(turn.lines))
            case _Open(kind=Kind.ME) as turn:
                self._turns.append(Asked(turn.text, tuple(turn.lines), turn.id, turn.tag))
            case turn:
                reasoning = "\n\n".join(turn.reasoning)
                calls = tuple(turn.calls)
                self._turns.append(Answer(turn.text, reasoning, calls, turn.model, turn.partial, turn.id))
        self._open = None


def _level(name: str) -> Level:
    return Level(name) if name in set(Level) else Level.INFO


def to_messages(parsed: Parsed, attachments: Mapping[str, Sequence[Message]] | None = None) -> list[Message]:
    """The messages of a new chat that begins with these turns, with new ids; a valid stack.

    `attachments` are what the items of the context blocks hold now, by the line's id; each goes before the turn that
    it was shared with. Notices are not messages. A call whose output is missing gets one that says so; an output
    whose call is missing becomes a message of its own. A turn without text and calls is left out: no provider takes
    it. Reasoning comes without the provider's signature, so it is not sent again.
    """
    return list(_messages(parsed, attachments or {}))


def _messages(parsed: Parsed, attachments: Mapping[str, Sequence[Message]]) -> Iterator[Message]:
    cycle = 0
    open_calls: dict[str, tuple[str, str]] = {}
    for turn in parsed.turns:
        if not isinstance(turn, Output | Notice):
            yield from _unanswered(open_calls, cycle)
            open_calls = {}
        match turn:
            case Asked(text, lines):
                cycle += 1
                for line in lines:
                    for message in attachments.get(line.id, ()):
                        yield message.with_meta(id=new_id(), cycle=cycle)
                if text:
                    yield _in(cycle, Message.user(text, tag=turn.tag))
            case Answer(text="", calls=()):
                pass
            case Answer():
                calls, open_calls = _calls(turn)
                yield _answer(turn, calls, cycle)
            case Output(text, call_id, name, is_error):
                new, _ = open_calls.pop(call_id, ("", ""))
                if new:
                    yield _in(cycle, Message.tool(ToolResult(new, name, is_error), text, tags.TOOL_OUTPUT))
                else:
                    yield from _unanswered(open_calls, cycle)
                    open_calls = {}
                    yield _in(cycle, Message.user(text, tag=tags.TOOL_OUTPUT))
            case Aside(text, tag):
                yield _in(cycle, Message.user(text, tag=tag))
            case Notice():
                pass
    yield from _unanswered(open_calls, cycle)


def _calls(answer: Answer) -> tuple[tuple[ToolCall, ...], dict[str, tuple[str, str]]]:
    """The calls with ids that differ, and their ids and names by the ids that stand in the transcript."""
    calls: list[ToolCall] = []
    waiting: dict[str, tuple[str, str]] = {}
    taken: set[str] = set()
    for call in answer.calls:
        id = call.id if call.id and call.id not in taken else f"call_{new_id()}"
        taken.add(id)
        calls.append(replace(call, id=id))
        waiting[call.id if call.id not in waiting else id] = (id, call.name)
    return tuple(calls), waiting


def _answer(answer: Answer, calls: tuple[ToolCall, ...], cycle: int) -> Message:
    parts = (Text(answer.text),) if answer.text else ()
    reasoning = (Reasoning(answer.reasoning, {}),) if answer.reasoning else ()
    meta = Meta(cycle=cycle, source=answer.model, partial=answer.partial)
    return Message(Role.ASSISTANT, parts, reasoning, calls, meta=meta)


def _unanswered(calls: Mapping[str, tuple[str, str]], cycle: int) -> Iterator[Message]:
    for id, name in calls.values():
        result = ToolResult(id, name, is_error=True)
        yield _in(cycle, Message.tool(result, "The output of this call is not in the transcript.", tags.TOOL_OUTPUT))


def _in(cycle: int, message: Message) -> Message:
    return message.with_meta(cycle=cycle)
