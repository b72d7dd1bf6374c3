"""Edits in the text of answers: what the human is told of those that nobody took, and how they are applied when the
human asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from motet.chat.errors import NothingToSend
from motet.chat.events import Level, Notice
from motet.chat.parts import ChatParts
from motet.errors import MotetError, UsageError
from motet.messages import Message, Role
from motet.tools import Toolbox
from motet.tools.builtin import edit_tool
from motet.turn import TurnEnded, read_text

if TYPE_CHECKING:
    from motet.edits import Edit


async def told_of_edits(ended: TurnEnded, parts: ChatParts) -> list[Notice]:
    """What the human should know about the edits in the texts of a turn that has ended."""
    told: list[Notice] = []
    if fresh := await _fresh(ended.left, parts):
        edits, them = ("an edit", "it") if len(fresh) == 1 else (f"{len(fresh)} edits", "them")
        text = f"the answer holds {edits}; `{parts.applies}` applies {them}"
        told.append(Notice(text, about="edits_left"))
    if quoted := await _fresh(ended.quoted, parts):
        edits, it = (
            ("an edit in a quotation", "it") if len(quoted) == 1 else (f"{len(quoted)} edits in quotations", "them")
        )
        text = f"the answer holds {edits}; `motet apply FILE` takes {it} from a file"
        told.append(Notice(text, about="edits_left"))
    if again := await _fresh(ended.repeated, parts):
        edits, are, them = ("an edit", "is", "it") if len(again) == 1 else (f"{len(again)} edits", "are", "them")
        text = f"the answer repeats {edits} that {are} not in the files; `{parts.applies}` applies {them}"
        told.append(Notice(text, about="edits_left"))
    if ended.broken:
        told.append(Notice(f"an edit in the answer cannot be understood: {ended.broken}", about="edits_left"))
    if ended.doubtful:
        paths = ", ".join(dict.fromkeys(edit.path for edit in ended.doubtful))
        text = f"the answer holds what may be the whole text of {paths}; `{parts.applies}` asks about it"
        told.append(Notice(text, Level.WARNING, "edits_in_doubt"))
    if ended.unmade:
        told.append(Notice("no edit was made: no file was changed in this turn", Level.WARNING, "no_edit"))
    return told


async def _fresh(edits: Sequence[Edit], parts: ChatParts) -> Sequence[Edit]:
    """Those that ask for something which the files do not say yet."""
    if not edits or parts.desk is None:
        return edits
    from motet.tools.in_text import sift

    return (await sift(parts.desk(), edits)).fresh


def answer_with_edits(messages: Sequence[Message]) -> str:
    """The text of the newest answer that holds edits, of those to what the human said last; else of the newest. Empty
    without any."""
    last = max((message.meta.cycle for message in messages), default=0)
    answers = [
        message.text
        for message in reversed(messages)
        if message.role is Role.ASSISTANT and message.meta.cycle == last and message.text.strip()
    ]
    return next((one for one in answers if _holds_edits(one)), answers[0] if answers else "")


def _holds_edits(answer: str) -> bool:
    found = read_text(answer, elements=False)
    return bool(found.edits or found.broken)


async def edits_to_apply(parts: ChatParts, answer: str, lines: tuple[int, int] | None = None) -> Sequence[Edit]:
    """The edits in `answer` that the human wants applied; with `lines`, those that begin in these, the first and the
    last, from 1. Raises `MotetError` where there is nothing to apply."""
    if parts.gate.plans():
        raise UsageError("nothing is written in plan mode; `/drop @plan` ends it")
    found = read_text(answer, elements=False, about=parts.about)
    if found.broken:
        raise MotetError(f"nothing is applied: {found.broken}")
    first, last = lines or (1, answer.count("\n") + 1)
    # What a human points at is meant, whoever is quoted there.
    edits = [edit for edit in (*found.edits, *(found.quoted if lines else ())) if first <= edit.line <= last]
    if not edits and found.quoted and not lines:
        raise NothingToSend("the last answer holds edits in quotations only")
    if not edits or parts.desk is None:
        raise NothingToSend("this block is no edit: it names no file" if lines else "the last answer holds no edit")
    from motet.tools.in_text import sift

    sifted = await sift(parts.desk(), edits)
    if not sifted.fresh and not sifted.doubtful:
        raise NothingToSend("nothing to apply: the files are so already")
    return (*sifted.fresh, *sifted.doubtful)


def edits_only(parts: ChatParts) -> Toolbox:
    """What takes edits that the human wants applied, whatever tools the chat was handed."""
    assert parts.desk is not None  # there are edits for it
    return Toolbox([edit_tool("replace_in_file", parts.desk())])
