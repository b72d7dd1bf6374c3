"""The transcript: a chat as Markdown, and back. It is a view; the message stack is the truth.

`render` writes it and `parse` reads it, `Blocks` keeps one up to date in a buffer, and `to_messages` begins a new chat
with one that was read. What others wrote is never read for structure: see `markers`.
"""

from motet.chat.transcript.assemble import to_messages
from motet.chat.transcript.blocks import Blocks, Change, Placed
from motet.chat.transcript.context import is_said, read_context, read_line, unfold, write_context
from motet.chat.transcript.markers import Kind
from motet.chat.transcript.parse import parse
from motet.chat.transcript.render import Block, render
from motet.chat.transcript.values import (
    Answer,
    Aside,
    Asked,
    ContextLine,
    Draft,
    Entry,
    Output,
    Parsed,
    Turn,
)

__all__ = [
    "Answer",
    "Aside",
    "Asked",
    "Block",
    "Blocks",
    "Change",
    "ContextLine",
    "Draft",
    "Entry",
    "Kind",
    "Output",
    "Parsed",
    "Placed",
    "Turn",
    "is_said",
    "parse",
    "read_context",
    "read_line",
    "render",
    "to_messages",
    "unfold",
    "write_context",
]
