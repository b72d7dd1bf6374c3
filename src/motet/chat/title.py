"""A chat's title: asked of a model after the first exchange, or taken from what the human wrote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice

from motet.messages import Message, Role, Text, tags
from motet.models.protocol import ModelRequest
from motet.prompts import prompt

WIDTH = 60
"""Columns of a title at most; Japanese characters and most emoji take two."""
UNTITLED = "New chat"
"""The title of a chat in which nothing was written."""

_MOST_TOKENS = 200
"""Of the answer: room for a model that thinks a little first, and nothing against the price of a turn."""
_MOST_TURNS = 6
_MOST_CHARACTERS = 1_500
"""Of one turn: its head says what it is about."""


def title_request(messages: Iterable[Message]) -> ModelRequest:
    """The request that asks for a title.

    It holds the first turns as human and model wrote them, each cut to 1,500 characters: no system prompts, rules,
    attachments, images, documents, reasoning, tool calls or tool output.
    """
    names = {Role.USER: "person", Role.ASSISTANT: "programmer"}
    turns = islice(_turns(messages), _MOST_TURNS)
    said = "".join(f"<{names[role]}>\n{_head(text)}\n</{names[role]}>\n" for role, text in turns)
    return ModelRequest(
        (
            Message.system(prompt("title"), tags.SYSTEM_PROMPT),
            Message.user(f"<conversation>\n{said}</conversation>\n\nThe title:"),
        ),
        max_output_tokens=_MOST_TOKENS,
    )


def clean_title(text: str) -> str:
    """A model's answer as a title: one line of at most 60 columns, without quotes, Markdown and characters that
    cannot be seen. Empty when nothing is left: then `fallback_title` is better."""
    text = _THINKING.sub("", text[:_LONGEST])
    return next((line for line in map(_clean, text.splitlines()) if line), "")


def fallback_title(text: str) -> str:
    """A title from the first thing that the human wrote, without asking a model: its first line that says
    something."""
    return clean_title(text) or UNTITLED


def _turns(messages: Iterable[Message]) -> Iterator[tuple[Role, str]]:
    """Who said what. What came from the prompt library counts only where the human wrote nothing."""
    own: list[tuple[Role, str]] = []
    prompted: list[tuple[Role, str]] = []
    for message in messages:
        text = _plain(message)
        if not message.visible or not text:
            continue
        if message.role is Role.ASSISTANT or (message.role is Role.USER and message.tag == ""):
            own.append((message.role, text))
        elif message.role is Role.USER and message.tag == tags.FROM_CUSTOM_PROMPT:
            prompted.append((message.role, text))
    if any(role is Role.USER for role, _ in own):
        yield from own
    else:
        yield from prompted[:1]
        yield from own


def _plain(message: Message) -> str:
    """What was typed; else the text, without what stands for images and documents."""
    if message.typed is not None:
        return message.typed.strip()
    return "\n\n".join(part.text for part in message.parts if isinstance(part, Text)).strip()


def _head(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"


_LONGEST = 20_000
"""Characters of an answer that are looked at."""
_THINKING = re.compile(r"\A\s*<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+.-]*\s*")
_LEAD = re.compile(r"\A(?:#{1,6}\s+|>\s*|[-*+]\s+|\d{1,2}[.)]\s+|\[[ xX]\]\s+)+")
_LABEL = re.compile(r"\W*(?:title|タイトル|題名|件名)\W*[:：]", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_EMPHASIS = re.compile(r"\*+(?=\S)|(?<=\S)\*+|`+|~~")
_ITALIC = re.compile(r"(?<!\w)_([^\W_](?:[^_]*[^\W_])?)_(?!\w)")
_QUOTES = "\"'“”„‟‘’‚«»‹›「」『』《》〈〉＂＇ \t"
_END = ".。．"
_SIGNS = frozenset({"So", "Sk", "Lo", "Mn", "Mc", "Me"})
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Drawn as nothing, or as a blank, although their category says letter, mark or symbol.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U000e0100-\U000e01ef]")


def _clean(line: str) -> str:
    if _FENCE.fullmatch(line):
        return ""
    line = _seen(line)
    line = _LEAD.sub("", line.strip())
    line = _LABEL.sub("", line, count=1) if _LABEL.match(line) else line
    line = _ITALIC.sub(r"\1", _EMPHASIS.sub("", _LINK.sub(r"\1", line)))
    line = " ".join(line.split()).strip(_QUOTES)
    if not line.endswith(("..", "。。")):
        line = line.rstrip(_END).strip(_QUOTES)
    return _fit(line) if any(character.isalnum() for character in line) else ""


def _seen(line: str) -> str:
    """Without characters that cannot be seen; a joiner stays where it makes one sign of two."""
    if line.isascii() and line.isprintable():
        return line
    kept: list[str] = []
    for at, character in enumerate(line):
        if character == "\t":
            kept.append(" ")
        elif character in "\u200c\u200d":
            joins = 0 < at < len(line) - 1 and unicodedata.category(line[at - 1]) in _SIGNS
            kept.append(character if joins else "")
        elif unicodedata.category(character) not in _UNSEEN and not _BLANK.match(character):
            kept.append(character)
    return "".join(kept)


def _fit(line: str) -> str:
    """Cut to the width, between words where that costs little, with `…` for the rest."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(line) <= WIDTH:
        return line
    cut = set_cell_size(line, WIDTH - 1).rstrip()
    words = cut.rpartition(" ")[0]
    if cell_len(words) >= WIDTH * 2 // 3:
        cut = words
    return cut.rstrip("、，,;:：- ") + "…"
