"""From messages to blocks: the one place that decides what of a message is seen, and how.

    <!-- motet 5f3a9c01 me 11 id=01K… -->
    ## Me

    a question?

    <!-- motet 5f3a9c01 motet 0 model=anthropic/claude-sonnet-4-5 -->
    ## motet (anthropic/claude-sonnet-4-5)

    <!-- motet 5f3a9c01 reasoning 5 id=01K… -->
    ### Reasoning

    hm, a

    <!-- motet 5f3a9c01 response 6 id=01K… -->
    ### Response

    answer

- Behind the first marker stands the text of each block as it is, and one blank line.
- `### Response` stands only behind reasoning, tools or notices; else the answer follows its turn's header.
- `### Tool: NAME`, `### Output: NAME` and `### Output` hold their text in a fence longer than any in it.
- A fence that a text leaves open is closed behind it, for the eye only; the marker names it (`close`).
- An answer that broke off ends with `*interrupted*`; `### Notice` was said to the human alone.
- At the end, below one more blank line, stands the draft, `## Me`, up to the end of the document.
- No text of others reaches the first or last five lines, where editors look for commands ("modelines").

Hidden messages appear only as lines of a context block. Texts are kept as they are, control characters included:
whoever draws them on a terminal makes them visible first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from motet.chat.events import Notice
from motet.chat.transcript.context import context_lines, contexts, ids_of, is_said, write_context
from motet.chat.transcript.fences import fence_around, open_fence
from motet.chat.transcript.markers import VERSION, Kind, Marker, nonce_for
from motet.chat.transcript.values import ContextLine, Draft, Entry
from motet.messages import Message, Role, tags

FENCED = frozenset({Kind.CALL, Kind.RESULT, Kind.OUTPUT})
"""Kinds whose text stands in a fence."""
HEADINGS = {
    Kind.ME: "## Me",
    Kind.DRAFT: "## Me",
    Kind.MOTET: "## motet",
    Kind.REASONING: "### Reasoning",
    Kind.RESPONSE: "### Response",
    Kind.CALL: "### Tool: ",
    Kind.RESULT: "### Output",
    Kind.OUTPUT: "### Output",
    Kind.ASIDE: "### ",
    Kind.NOTICE: "### Notice",
    Kind.INTERRUPTED: "*interrupted*",
}
"""How the heading of a kind begins."""

_MOST_CLOSED = 80
"""Characters of a fence that is closed: it stands in the marker, too."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a transcript: `head` (marker and heading), `text`, `tail` (fence, blank line), in this order.

    `id` is that of the message it shows, if it shows one.
    """

    kind: Kind
    text: str
    head: str
    tail: str
    id: str = ""

    def __str__(self) -> str:
        return f"{self.head}{self.text}{self.tail}"

    @property
    def size(self) -> int:
        """Its characters, altogether."""
        return len(self.head) + len(self.text) + len(self.tail)


def render(
    entries: Iterable[Entry],
    *,
    chat: str = "",
    title: str = "",
    model: str = "",
    pinned: Collection[str] = (),
    watched: Collection[str] = (),
    draft: Draft | None = None,
) -> str:
    """The transcript of a chat as Markdown, with `draft`, if only an empty one, at its end.

    `chat` is the chat's id, `title` its title; `model` stands over answers whose message does not name one (`meta.source`). `pinned` and
    `watched` are ids of context lines. Takes time in proportion to the length. To be written to a file as UTF-8,
    without translation of line ends.
    """
    entries = tuple(entries)
    draft = draft or Draft()
    writer = Writer(nonce_of(chat, entries, draft), model, pinned, watched)
    pieces = [writer.top(title), *writer.blocks(entries), *writer.draft(draft)]
    return "".join(map(str, pieces))


def nonce_of(chat: str, entries: Sequence[Entry], draft: Draft) -> str:
    """The nonce of the document that shows these."""
    messages = [entry for entry in entries if isinstance(entry, Message)]
    texts = [message.shown for message in messages if message.visible]
    texts += [piece.text for message in messages for piece in message.reasoning]
    texts += [call.arguments for message in messages for call in message.calls]
    texts += [entry.text for entry in entries if isinstance(entry, Notice)]
    return nonce_for(chat or next((message.id for message in messages), ""), [*texts, draft.text])


@dataclass(slots=True)
class Writer:
    """Turns entries into blocks, and remembers which turn is open and what stands in it."""

    nonce: str
    model: str = ""
    pinned: Collection[str] = ()
    watched: Collection[str] = ()
    speaker: str | None = None
    """The model whose turn is open; None after a turn of the human."""
    _shared: list[str] = field(default_factory=list[str])
    """Context of no turn yet."""

    def top(self, title: str = "") -> Block:
        """The head of the document."""
        block = self.block(Kind.TRANSCRIPT, version=str(VERSION), title=title)
        return Block(Kind.TRANSCRIPT, "", block.head + "\n", "")

    def blocks(self, entries: Sequence[Entry]) -> Iterator[Block]:
        """The blocks of `entries`, which follow those of earlier calls."""
        shared, rest = contexts(entries)
        for index, entry in enumerate(entries):
            if is_said(entry):
                ids = ids_of(shared.get(index, ()))
                assert isinstance(entry, Message)
                yield from self._said(entry, context_lines([*self._shared, *ids], self.pinned, self.watched))
                self._shared.clear()
            elif isinstance(entry, Notice):
                yield from self.turn()
                yield self.block(Kind.NOTICE, entry.text, level=entry.level.value)
            elif entry.visible:
                yield from self._message(entry)
        self._shared += ids_of(rest)

    def turn(self, model: str = "") -> Iterator[Block]:
        """The header of a turn of the model, unless it stands already."""
        model = model or self.speaker or self.model
        if model != self.speaker:
            self.speaker = model
            yield self.block(Kind.MOTET, model=model)

    def answer(self, id: str, model: str, reasoning: str, text: str | None, known: bool = True) -> Iterator[Block]:
        """Reasoning and text of an answer. Its length stays open unless `known`; without text (None) it ends
        before it."""
        model = model or self.speaker or self.model
        if model == self.speaker or reasoning or text is None:
            yield from self.turn(model)
        if reasoning:
            yield self.block(Kind.REASONING, reasoning, known=known, id=id)
        if text is None:
            return
        if model != self.speaker:
            self.speaker = model
            yield self.block(Kind.MOTET, text, known=known, id=id, model=model)
        else:
            yield self.block(Kind.RESPONSE, text, known=known, id=id)

    def draft(self, draft: Draft) -> Iterator[Block]:
        """The region at the end; items that wait for their turn join those of the draft."""
        own = {line.id for line in draft.context}
        waiting = context_lines(self._shared, self.pinned, self.watched)
        block = write_context([*draft.context, *(line for line in waiting if line.id not in own)])
        tail = "\n" if draft.text else ""
        if block:
            heading = self.block(Kind.DRAFT)
            yield Block(Kind.DRAFT, "", "\n" + heading.head, "")
            yield self.block(Kind.CONTEXT, block)
            head = f"{Marker(self.nonce, Kind.TEXT, None, {})}\n"
            yield Block(Kind.TEXT, draft.text, head, tail)
        else:
            head = f"\n{Marker(self.nonce, Kind.DRAFT, None, {})}\n{HEADINGS[Kind.DRAFT]}\n\n"
            yield Block(Kind.DRAFT, draft.text, head, tail)

    def block(self, kind: Kind, text: str = "", known: bool = True, **attributes: str) -> Block:
        """One block. Attributes without a value are left out, but for the id."""
        kept = {name: value for name, value in attributes.items() if value or name == "id"}
        fence = fence_around(text) if kind in FENCED else open_fence(text) if known else ""
        if kind not in FENCED:
            fence = fence if len(fence) <= _MOST_CLOSED else ""
            kept |= {"close": fence} if fence else {}
        head = f"{Marker(self.nonce, kind, len(text) if known else None, kept)}\n"
        tail = f"\n{fence}\n\n" if fence else "\n\n" if text else ""
        if kind in HEADINGS:
            head += f"{_heading(kind, attributes)}\n\n"
        if kind in FENCED:
            head += f"{fence}{'json' if kind is Kind.CALL else ''}\n"
        return Block(kind, text, head, tail, attributes.get("id", ""))

    def _said(self, message: Message, lines: Sequence[ContextLine]) -> Iterator[Block]:
        self.speaker = None
        if not lines:
            yield self.block(Kind.ME, message.shown, id=message.id, tag=message.tag)
            return
        yield self.block(Kind.ME, id=message.id, tag=message.tag)
        yield self.block(Kind.CONTEXT, write_context(lines), id=message.id)
        if message.shown:
            yield self.block(Kind.TEXT, message.shown, id=message.id)

    def _message(self, message: Message) -> Iterator[Block]:
        match message:
            case Message(role=Role.ASSISTANT):
                yield from self._answer(message)
                return
            case Message(role=Role.TOOL, result=result) if result:
                yield from self.turn()
                error = "yes" if result.is_error else ""
                call, name = result.call_id, result.name
                yield self.block(Kind.RESULT, message.shown, id=message.id, call=call, name=name, error=error)
            case Message(tag=tags.TOOL_OUTPUT):
                yield from self.turn()
                yield self.block(Kind.OUTPUT, message.shown, id=message.id)
            case _:
                yield from self.turn()
                yield self.block(Kind.ASIDE, message.shown, id=message.id, tag=message.tag or message.role)

    def _answer(self, message: Message) -> Iterator[Block]:
        reasoning = "\n\n".join(piece.text for piece in message.reasoning if piece.text)
        text = message.shown if message.shown or not (reasoning or message.calls) else None
        yield from self.answer(message.id, message.meta.source, reasoning, text)
        for call in message.calls:
            yield self.block(Kind.CALL, call.arguments, id=message.id, call=call.id, name=call.name)
        if message.meta.partial:
            yield self.block(Kind.INTERRUPTED, id=message.id)


def _heading(kind: Kind, attributes: dict[str, str]) -> str:
    heading = HEADINGS[kind]
    name = _one_line(attributes.get("name", ""))
    match kind:
        case Kind.MOTET:
            model = _one_line(attributes.get("model", ""))
            return f"{heading} ({model})" if model else heading
        case Kind.CALL:
            return heading + name
        case Kind.RESULT:
            return f"{heading}: {name}" + (" (failed)" if attributes.get("error") else "")
        case Kind.ASIDE:
            return heading + _one_line(attributes["tag"].replace("_", " ").capitalize())
        case _:
            return heading


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "�" for character in text[:100])
