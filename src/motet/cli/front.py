"""What the commands that talk with a model share: one terminal, its keys, its signals, and who decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from motet import engine
from motet.cli.ask import ask_in_terminal
from motet.cli.interrupts import Interrupts
from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.terminal import Terminal
from motet.engine.faults import FaultLog
from motet.paths import state_dir
from motet.permissions import Ask
from motet.tasks import background
from motet.tools import AcceptAll, ProposeOnly
from motet.tools.kit import Human, Nobody, Question

if TYPE_CHECKING:
    from motet.chat import Chat
    from motet.edits import Proposal
    from motet.tools import Reviewer


@dataclass(slots=True)
class Front:
    """The terminal in front of one run. `yes`: every proposed edit is taken without asking."""

    terminal: Terminal
    yes: bool = False
    keyboard: Keyboard = field(default_factory=Keyboard)
    interrupts: Interrupts = field(default_factory=Interrupts)

    @property
    def ask(self) -> Ask | None:
        """Who answers the gate's questions; None: nobody."""
        return ask_in_terminal(self.terminal, self.keyboard) if self.terminal.can_ask else None

    @property
    def human(self) -> Human:
        """Who answers what tools ask."""
        return TerminalHuman(self.terminal, self.keyboard) if self.terminal.can_ask else Nobody()

    @property
    def of_chats(self) -> engine.Front:
        """The same, as chats know it."""
        return engine.Front(self.reviewer(), self.human, self.ask)

    def reviewer(self) -> Reviewer:
        """Who decides about edits: `--yes`, the human, or nobody, and then nothing is written."""
        if self.yes:
            return AcceptAll()
        if self.terminal.can_ask:
            return HunkReview(self)
        return ProposeOnly()


@asynccontextmanager
async def in_front(terminal: Terminal, *, yes: bool = False) -> AsyncGenerator[Front]:
    """Heed signals and draw the moving line until the run is over; leave a clean line behind."""
    front = Front(terminal, yes)
    terminal.on_lost = front.interrupts.stop
    tell_faults(terminal)
    with front.interrupts.installed():
        ticking = background(_tick(terminal))
        try:
            yield front
        finally:
            ticking.cancel()
            terminal.close()


def tell_faults(terminal: Terminal) -> None:
    """Log what goes wrong beside the run, and tell it in one line."""
    FaultLog(state_dir()).catch("motet", lambda line: terminal.line(f"motet: {line}", "red", hang=7, always=True))


def tell_notes(chat: Chat, terminal: Terminal) -> None:
    """Say what is to be known of a chat before anything is asked in it: a plug-in that fails, a damaged message."""
    for note in chat.notes:
        terminal.line(note, "yellow", hang=2)


class HunkReview:
    """Shows the human each hunk of what is proposed; imported with the first one. See `Reviewer`."""

    def __init__(self, front: Front) -> None:
        self._front = front

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        from motet.cli.diff_view import NO_PROBLEMS
        from motet.cli.review import TerminalReviewer

        front = self._front
        reviewer = TerminalReviewer(front.terminal, front.keyboard, lambda _: NO_PROBLEMS, front.interrupts.held)
        return await reviewer.review(proposals)


class TerminalHuman:
    """Asks in the terminal what a tool wants to know. See `Human`."""

    def __init__(self, terminal: Terminal, keyboard: Keyboard) -> None:
        self._terminal = terminal
        self._keyboard = keyboard

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """See `Human`; Ctrl-D answers nothing."""
        answers: list[str] = []
        for question in questions:
            for line in question.text.splitlines():
                self._terminal.line(line, "bold", hang=2, always=True)
            for number, option in enumerate(question.options, 1):
                self._terminal.spans((f"  {number}  ", "bold"), (option, ""), hang=5, always=True)
            self._terminal.ask(_prompt(question))
            try:
                typed = await self._keyboard.line(self._terminal.typed)
            except EndOfInput:
                self._terminal.answered()
                return None
            self._terminal.line_typed()
            answers.append(_chosen(question, typed.strip()))
        return answers


def _prompt(question: Question) -> str:
    if not question.options:
        return "Your answer:"
    numbers = "numbers with commas" if question.many else "a number"
    return f"Your choice ({numbers}, or words of your own):"


def _chosen(question: Question, typed: str) -> str:
    """The options whose numbers were typed, on lines of their own; else what was typed."""
    numbers = [word.strip() for word in typed.split(",")] if question.many else [typed]
    if not question.options or not all(word.isascii() and word.isdecimal() for word in numbers):
        return typed
    chosen = [int(word) for word in numbers]
    if not all(1 <= number <= len(question.options) for number in chosen):
        return typed
    return "\n".join(question.options[number - 1] for number in chosen)


async def _tick(terminal: Terminal) -> None:
    while True:
        await asyncio.sleep(0.1)
        terminal.tick()
