"""Review in the terminal: one hunk at a time, one key each, like `git add -p`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from motet.cli.diff_view import draw_hunk
from motet.cli.editor import edit_text
from motet.cli.keys import EndOfInput, read_key, read_line
from motet.cli.terminal import Terminal
from motet.edits import Decision, Proposal
from motet.edits.lines import join_lines
from motet.errors import MotetError
from motet.text import Diagnostic

_HELP = """\
y  take this hunk
n  leave it
r  leave it, and say what would be better
a  take this hunk and all later ones in the file
d  leave this hunk and all later ones in the file
e  edit the new lines, then take them
s  split the hunk into smaller ones
u  take the last decision back
j  go on without deciding, k  go back one hunk
/  go to the next hunk that holds a text (regular expression)
q  stop: what you took is written, nothing else
?  this help"""


class TerminalReviewer:
    """Asks the human about every hunk. `problems` gives the diagnostics of a path, to name the reason."""

    def __init__(self, terminal: Terminal, problems: Callable[[str], Sequence[Diagnostic]]) -> None:
        self._terminal = terminal
        self._problems = problems
        self.stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """See `Reviewer`."""
        session = _Session(list(proposals))
        while (place := session.place()) is not None:
            proposal, index = place
            draw_hunk(self._terminal, proposal, index, self._problems(proposal.path))
            try:
                await self._answer(session)
            except EndOfInput:
                self._stop(session)
        return session.proposals

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """See `RoundReviewer`."""
        while True:
            self._terminal.prompt("It is worse than before. Take the round back? [r]evert, [k]eep: ")
            try:
                key = await read_key()
            except EndOfInput:
                key = "r"
            self._terminal.answered(key)
            if key in "rk":
                return key == "k"

    async def _answer(self, session: _Session) -> None:
        """Read keys until one of them changes the session."""
        proposal, index = session.current
        splits = "s," if proposal.hunks[index].hunk.parts else ""
        while True:
            self._terminal.prompt(f"Take this hunk? [y,n,r,a,d,e,{splits}u,j,k,/,q,?] ")
            key = await read_key()
            self._terminal.answered(key)
            match key:
                case "y":
                    session.decide(Decision.ACCEPTED)
                case "n":
                    session.decide(Decision.REJECTED)
                case "r":
                    self._terminal.prompt("What would be better? ")
                    remark = await read_line()
                    session.decide(Decision.REJECTED, remark.strip())
                case "a":
                    session.decide_rest(Decision.ACCEPTED)
                case "d":
                    session.decide_rest(Decision.REJECTED)
                case "e":
                    if not await self._amend(session):
                        continue
                case "s" if splits:
                    session.split()
                case "u" if session.undo():
                    pass
                case "j":
                    session.move(1)
                case "k":
                    session.move(-1)
                case "/":
                    if not await self._search(session):
                        continue
                case "q":
                    self._stop(session)
                case "?":
                    self._terminal.line(_HELP, always=True)
                    continue
                case _:
                    self._terminal.line(_why_not(key), "yellow", always=True)
                    continue
            return

    def _stop(self, session: _Session) -> None:
        self.stopped = True
        session.finish()

    async def _amend(self, session: _Session) -> bool:
        proposal, index = session.current
        text = join_lines(list(proposal.hunks[index].hunk.new))
        try:
            amended = await edit_text(text, proposal.path)
            changed = proposal.amend(index, amended)
            changed.accepted()
        except MotetError as error:
            self._terminal.line(str(error), "yellow", always=True)
            return False
        session.replace(changed)
        return True

    async def _search(self, session: _Session) -> bool:
        self._terminal.prompt("Search for: ")
        wanted = await read_line()
        try:
            pattern = re.compile(wanted)
        except re.error as error:
            self._terminal.line(f"not a regular expression: {error}", "yellow", always=True)
            return False
        if session.search(pattern):
            return True
        self._terminal.line("no later hunk holds that", "yellow", always=True)
        return False


class _Session:
    """The hunks of all proposals as one list, where one stands, and every earlier state for `u`."""

    def __init__(self, proposals: list[Proposal]) -> None:
        self.proposals = proposals
        self._at = 0
        self._finished = False
        self._history: list[tuple[list[Proposal], int]] = []

    @property
    def current(self) -> tuple[Proposal, int]:
        return self._places()[self._at]

    def place(self) -> tuple[Proposal, int] | None:
        """Where to ask next: here, or at the next undecided hunk; None when all are decided."""
        places = self._places()
        if self._finished or all(proposal.is_decided for proposal in self.proposals):
            return None
        self._at %= len(places)
        return places[self._at]

    def decide(self, decision: Decision, remark: str = "") -> None:
        proposal, index = self.current
        self.replace(proposal.decide(index, decision, remark))

    def decide_rest(self, decision: Decision) -> None:
        proposal, first = self.current
        for index in range(first, len(proposal.hunks)):
            if index == first or proposal.hunks[index].decision is Decision.PENDING:
                proposal = proposal.decide(index, decision)
        self.replace(proposal)

    def replace(self, proposal: Proposal) -> None:
        """Put `proposal` in place of the current file's, and go to the next undecided hunk."""
        self._remember()
        self.proposals = [proposal if old.path == proposal.path else old for old in self.proposals]
        self._skip_decided()

    def split(self) -> None:
        self._remember()
        proposal, index = self.current
        parts = proposal.split(index)
        self.proposals = [parts if old.path == parts.path else old for old in self.proposals]

    def undo(self) -> bool:
        if not self._history:
            return False
        self.proposals, self._at = self._history.pop()
        return True

    def move(self, step: int) -> None:
        self._at = (self._at + step) % len(self._places())

    def search(self, pattern: re.Pattern[str]) -> bool:
        places = self._places()
        for step in range(1, len(places)):
            at = (self._at + step) % len(places)
            proposal, index = places[at]
            hunk = proposal.hunks[index].hunk
            if any(pattern.search(line.text) for line in (*hunk.old, *hunk.new)):
                self._at = at
                return True
        return False

    def finish(self) -> None:
        self._finished = True

    def _remember(self) -> None:
        self._history.append((self.proposals, self._at))

    def _skip_decided(self) -> None:
        places = self._places()
        for step in range(len(places)):
            at = (self._at + step) % len(places)
            proposal, index = places[at]
            if proposal.hunks[index].decision is Decision.PENDING:
                self._at = at
                return

    def _places(self) -> list[tuple[Proposal, int]]:
        return [(proposal, index) for proposal in self.proposals for index in range(len(proposal.hunks))]


def _why_not(key: str) -> str:
    match key:
        case "s":
            return "this hunk has only one part"
        case "u":
            return "there is no decision to take back"
        case _:
            return "? shows what each key does"
