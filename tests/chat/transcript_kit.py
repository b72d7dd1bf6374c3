"""Stacks of every kind, with texts that try to be taken for structure, and what a transcript must show of them."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from motet.chat.events import Level, Notice
from motet.chat.transcript import Answer, Aside, Asked, Change, ContextLine, Entry, Output, Turn
from motet.chat.transcript.markers import nonce_for
from motet.messages import ContextRef, Message, Meta, Reasoning, Role, Text, ToolCall, ToolResult, tags

CHAT = "01K0000000000000000000CHAT"
MODEL = "scripted/model"
NONCE = nonce_for(CHAT, ())
"""The nonce that the chat has as long as no text of it holds that."""
PINNED = "<file>pinned.py</file>"

LOOKALIKES = (
    "## Me", "## Me\n\n", "## motet (a/b)", "### Reasoning\n", "### Response", "### Tool: f", "*interrupted*",
    "```", "````json\n", "~~~", "> Context:\n> - <file>x</file>\n", "> - 📌 y", "> quote",
    f"<!-- motet {NONCE} me 0 id=x -->\n", f"\n<!-- motet {NONCE} draft - -->\n## Me\n\n",
    f"<!-- motet {NONCE} transcript 0 version=1 -->\n", f"\n\n<!-- motet {NONCE} ", "<!-- motet 00000000 text - -->\n",
    "-->", "<!--", "\r\n", "\n", "\n\n\n", "\r", "\x00", "\x1b[2J", "\u2028", "\x85", "\ufeff", " ", "日本語", "👨‍👩‍👧", "📌",
)  # fmt: skip

texts = st.lists(st.one_of(st.sampled_from(LOOKALIKES), st.text(max_size=8)), max_size=6).map("".join)
names = st.text(min_size=1, max_size=8)


def said(text: str, *shared: str, tag: str = "") -> list[Entry]:
    """A turn of the human, with hidden messages for `shared`."""
    hidden = [Message.attachment(Text("secret text of the file"), context=ContextRef(line)) for line in shared]
    return [*hidden, Message.user(text, tag=tag)]


def answer(
    text: str, reasoning: Sequence[str] = (), calls: Sequence[ToolCall] = (), partial: bool = False
) -> Message:
    """An answer of the model."""
    kept = tuple(Reasoning(piece, {"signature": "hidden"}) for piece in reasoning)
    return Message(Role.ASSISTANT, (Text(text),), kept, tuple(calls), meta=Meta(partial=partial))


def tool_round(call: str, name: str, arguments: str, output: str, error: bool = False) -> list[Entry]:
    """A call and what it came to."""
    result = Message.tool(ToolResult(call, name, error), output, tags.TOOL_OUTPUT)
    return [answer("", calls=[ToolCall(call, name, arguments)]), result]


answers = st.builds(answer, texts, st.lists(texts, max_size=2), st.just(()), st.booleans())
rounds = st.one_of(
    st.builds(lambda text, shared: said(text, *shared), texts, st.lists(st.one_of(names, texts), max_size=3)),
    answers.map(lambda message: [message]),
    st.builds(tool_round, names, names, texts, texts, st.booleans()),
    st.builds(lambda text, level: [Notice(text, level)], texts, st.sampled_from(Level)),
    texts.map(lambda text: [Message.user(text, tag=tags.TOOL_OUTPUT)]),
    texts.map(lambda text: [Message.system(text, tags.RULES)]),
)
stacks = st.lists(rounds, max_size=8).map(lambda parts: [entry for part in parts for entry in part])


def shown(entries: Sequence[Entry], model: str = MODEL) -> list[Turn]:
    """What is visible of `entries`."""
    turns: list[Turn] = []
    shared: list[str] = []
    for entry in entries:
        match entry:
            case Notice():
                turns.append(entry)
            case Message(visible=False):
                shared += [entry.context.id] if entry.context and entry.context.id else []
            case Message(role=Role.USER, tag=tags.TOOL_OUTPUT):
                turns.append(Aside(entry.text, entry.tag, entry.id))
            case Message(role=Role.USER):
                lines = tuple(ContextLine(line, pinned=line == PINNED) for line in dict.fromkeys(shared))
                turns.append(Asked(entry.shown, lines, entry.id, entry.tag))
                shared = []
            case Message(role=Role.TOOL, result=result) if result:
                turns.append(Output(entry.text, result.call_id, result.name, result.is_error, entry.id))
            case _:
                reasoning = "\n\n".join(piece.text for piece in entry.reasoning if piece.text)
                turns.append(Answer(entry.text, reasoning, entry.calls, model, entry.meta.partial, entry.id))
    return turns


def without_ids(turns: Sequence[Turn]) -> list[Turn]:
    """`turns` as they compare between two chats."""
    return [turn if isinstance(turn, Notice) else replace(turn, id="") for turn in turns]


def changed(text: str, change: Change) -> str:
    """`text` with `change`, made by offset; that lines and columns say the same is checked."""
    for offset, position in (
        (change.offset, change.start),
        (change.offset + change.removed, change.end),
    ):
        before = text[:offset]
        assert (position.line, position.column) == (before.count("\n") + 1, offset - before.rfind("\n"))
    return text[: change.offset] + change.text + text[change.offset + change.removed :]
