"""Review in the terminal: one hunk at a time, one key each, like `git add -p`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from motet.cli.diff_view import Problems, draw_hunk
from motet.cli.editor import edit_text
from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.session import Session
from motet.cli.terminal import Terminal
from motet.edits import Decision, Proposal
from motet.edits.lines import join_lines
from motet.errors import MotetError
from motet.text import Diagnostic

_KEYS = {
    "y": "take this hunk",
    "n": "leave it",
    "r": "leave it, and say what would be better",
    "a": "take this hunk and all later ones in the file",
    "d": "leave this hunk and all later ones in the file",
    "e": "edit the new lines, then take them",
    "s": "split the hunk into smaller ones",
    "u": "take the last decision back",
    "j": "leave it undecided and go to the next undecided hunk; J: to the next one",
    "k": "the same, backwards; K: to the one before",
    "/": "go to the next hunk with a line that a regular expression fits",
    "q": "stop here: what you took is written, nothing else, and the run ends",
    "?": "this help",
}
_NARROW = 60
"""Columns below which the question lists no keys."""


class TerminalReviewer:
    """Asks the human about every hunk.

    `problems` gives those of a path, to name the reason; Ctrl-C belongs to the editor inside `in_editor`.
    """

    def __init__(
        self,
        terminal: Terminal,
        keyboard: Keyboard,
        problems: Callable[[str], Problems],
        in_editor: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._terminal = terminal
        self._keyboard = keyboard
        self._problems = problems
        self._in_editor = in_editor
        self.stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """See `Reviewer`."""
        session = Session(proposals)
        self._keyboard.forget()
        while not session.is_over:
            proposal, index = session.current
            draw_hunk(self._terminal, proposal, index, self._problems(proposal.path))
            try:
                await self._answer(session)
            except EndOfInput:
                self._terminal.answered("q")
                self._stop(session)
        return session.proposals

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        """See `RoundReviewer`."""
        self._keyboard.forget()
        try:
            return await self._one_of("Take this round back? [r]evert, [k]eep:", "rk") == "k"
        except EndOfInput:
            self._terminal.answered("r")
            return False

    async def _one_of(self, question: str, keys: str) -> str:
        while True:
            key = await self._key(question)
            if key in keys:
                return key

    async def _key(self, question: str) -> str:
        self._terminal.ask(question)
        key = await self._keyboard.key(self._terminal.ask_again)
        self._terminal.answered(key)
        return key

    async def _answer(self, session: Session) -> None:
        """Read keys until one of them changes the session."""
        while not await self._act(session, await self._key(self._question(session))):
            pass

    async def _act(self, session: Session, key: str) -> bool:
        """Do what `key` means; false when the session is as it was, for a reason that was said."""
        match key:
            case "y":
                session.decide(Decision.ACCEPTED)
            case "n":
                session.decide(Decision.REJECTED)
            case "r":
                return await self._remark(session)
            case "a":
                session.decide_rest(Decision.ACCEPTED)
            case "d":
                session.decide_rest(Decision.REJECTED)
            case "e" if _has_lines(session):
                return await self._amend(session)
            case "e":
                return self._say("there are no new lines to edit; y or n decides about the whole file")
            case "s" if session.hunk.hunk.parts:
                session.split()
            case "s":
                return self._say("this hunk cannot be split: it is one change")
            case "u" if session.can_undo:
                session.undo()
            case "u":
                return self._say("there is no decision to take back")
            case "j" | "k" | "J" | "K":
                undecided = key.islower()
                if not session.move(1 if key in "jJ" else -1, undecided=undecided):
                    where = "after" if key in "jJ" else "before"
                    return self._say(f"there is no {'undecided ' if undecided else ''}hunk {where} this one")
            case "/":
                return await self._search(session)
            case "q":
                self._stop(session)
            case "?":
                return self._help()
            case _:
                return self._say("? shows what each key does")
        return True

    def _question(self, session: Session) -> str:
        number, total = session.position
        place = f"({number}/{total}) Take this hunk?"
        width = self._terminal.width
        if width is not None and width < _NARROW:
            return f"{place} [y,n,q,?]"
        left_out = {
            "e": not _has_lines(session),
            "s": not session.hunk.hunk.parts,
            "u": not session.can_undo,
        } | dict.fromkeys("jk/", total == 1)
        return f"{place} [{','.join(key for key in _KEYS if not left_out.get(key))}]"

    def _stop(self, session: Session) -> None:
        self.stopped = True
        session.finish()

    async def _amend(self, session: Session) -> bool:
        proposal, index = session.current
        hunk = session.hunk
        text = join_lines(list(hunk.hunk.new))
        try:
            with self._in_editor():
                edited = await edit_text(text, proposal.path)
            if edited == text:
                session.replace(proposal if hunk.proposed else proposal.decide(index, Decision.ACCEPTED))
                return True
            if not edited.strip():
                return self._say("nothing is left in the editor; the hunk is as it was")
            changed = proposal.amend(index, edited)
            changed.accepted()
        except MotetError as error:
            return self._say(f"{error}; the hunk is as it was")
        session.replace(changed)
        return True

    async def _remark(self, session: Session) -> bool:
        remark = await self._line("What would be better?")
        if remark is None:
            return False
        session.decide(Decision.REJECTED, remark)
        return True

    async def _search(self, session: Session) -> bool:
        wanted = await self._line("Search for:")
        if not wanted:
            return False
        try:
            pattern = re.compile(wanted)
        except re.error as error:
            return self._say(f"not a regular expression: {error}")
        return session.search(pattern) or self._say("no other hunk has such a line")

    async def _line(self, question: str) -> str | None:
        """What was typed; None when it was given up with Ctrl-D."""
        self._terminal.ask(question)
        try:
            line = await self._keyboard.line(self._terminal.typed)
        except EndOfInput:
            self._terminal.answered()
            return None
        self._terminal.line_typed()
        return line.strip()

    def _help(self) -> bool:
        for key, meaning in _KEYS.items():
            self._terminal.spans((f"{key}  ", "bold"), (meaning, ""), hang=3, always=True)
        return False

    def _say(self, text: str) -> bool:
        self._terminal.line(text, "yellow", always=True)
        return False


def _has_lines(session: Session) -> bool:
    """Whether there is something to edit: a file that is deleted or only moved has no new lines."""
    proposal, _ = session.current
    hunk = session.hunk.hunk
    return not proposal.deletes and bool(hunk.old or hunk.new or proposal.before is None)
