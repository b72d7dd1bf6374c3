"""`remember`: a note for later chats about this project, if the human agrees to it word for word."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import BaseModel, Field

from motet.errors import UsageError
from motet.paths import state_dir
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.kit import Kit, Question
from motet.tools.notes import Notes, visible
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec

_YES, _NO = "keep it", "no"


class RememberInput(BaseModel):
    """Arguments of one call."""

    note: str = Field(min_length=1, max_length=1_000, description="what to remember, in one or two sentences")


class Remember(OneByOne):
    """The tool. `state`: the state directory, by default the user's."""

    spec = ToolSpec("remember", prompt("remember"), RememberInput, frozenset({Effect.WRITE}))

    def __init__(self, kit: Kit, state: Path | None = None) -> None:
        self._human = kit.human
        self._gate = kit.gate
        self._project = kit.workspace.root
        self._notes = Notes(state or state_dir(), self._project)

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, RememberInput)
        if not value.note.strip():
            raise UsageError("the note is empty")
        # What is asked about is what is stored: the lines are made once.
        entry = self._notes.entry(value.note)
        answers = await self._human.answer([Question(self._question(entry), (_YES, _NO), safe=_NO)])
        if answers is None:
            return ToolOutput("not kept: nobody is there to agree, and no note is kept without a yes", is_error=True)
        if answers[0].strip() != _YES:
            said = answers[0].strip()
            return ToolOutput(f"not kept: the human said {said if said not in ('', _NO) else 'no'}", is_error=True)
        await asyncio.to_thread(self._notes.add, entry)
        return ToolOutput(
            "kept: later chats about this project are given this note, for half a year", shown=entry.rstrip("\n")
        )

    def _question(self, entry: str) -> str:
        added = "".join(f"+{line}\n" for line in entry.rstrip("\n").split("\n"))
        untrusted = ", ".join(visible(one) for one in self._gate.untrusted)
        origin = f"It has read untrusted text before: {untrusted}.\n" if untrusted else ""
        return (
            f"The model wants to keep this note. For half a year every chat about {self._project} is given it.\n{origin}"
            f"+++ {self._notes.path}\n{added}"
        )
