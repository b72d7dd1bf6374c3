"""Review in the terminal: one hunk at a time, one key each, like `git add -p`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from motet.cli.diff_view import CONTEXT, Problems, draw_hunk
from motet.cli.editor import edit_text
from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.session import Session
from motet.cli.terminal import Terminal
from motet.edits import Decision, Hunk, Proposal
from motet.edits.hunks import apply_hunks
from motet.edits.lines import split_lines
from motet.edits.match import lines_of
from motet.errors import InputError, MotetError
from motet.syntax.languages import language_of
from motet.syntax.tree import syntax_errors
from motet.text import Diagnostic

_KEYS = {
    "y": "take this hunk",
    "n": "leave it",
    "r": "leave it, and say what would be better",
    "a": "take this hunk and all later ones in the file",
    "d": "leave this hunk and all later ones in the file",
    "A": "take all that is left in all files",
    "e": "edit the new lines; what comes of it is shown, and taken with y",
    "s": "split the hunk into smaller ones",
    "u": "take the last decision back",
    "j": "leave it undecided and go to the next hunk; J: to the next undecided one",
    "k": "the same, backwards; K: to the undecided one before",
    "g": "go to a file of the list",
    "/": "go to the next hunk with a line that a regular expression fits",
    "p": "print the hunk again",
    "q": "stop here: what you took is written, nothing else, and the run ends",
    "?": "this help",
}
_RULES = (f"# {'-' * 30} >8 {'-' * 30}", f"# {'-' * 30} 8< {'-' * 30}")
"""Above and below the new lines of a hunk that is edited."""
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
            if session.went_back:
                self._say("back to what is undecided further up")
                session.went_back = False
            if session.edited is not None:
                self._say("as you edited it: y takes it")
            draw_hunk(self._terminal, session.shown, index, self._problems(proposal.path))
            try:
                await self._answer(session)
            except EndOfInput:
                self._terminal.answered("q")
                self._stop(session)
            except asyncio.CancelledError:
                self._say(_unwritten(session.proposals))
                raise
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
            case "A":
                self._take_all(session)
            case "p":
                return True
            case "g":
                return await self._go_to_file(session)
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
                return self._move(session, 1 if key in "jJ" else -1, undecided=key.isupper())
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
        left_out |= dict.fromkeys("Ag", len(session.proposals) == 1)
        return f"{place} [{','.join(key for key in _KEYS if not left_out.get(key))}]"

    def _stop(self, session: Session) -> None:
        self.stopped = True
        if session.edited is not None:
            self._say("what you edited last was not taken")
        session.finish()

    async def _amend(self, session: Session) -> bool:
        """Have the new lines edited. What comes of it is shown, and still to be decided."""
        proposal, index = session.current
        now = (session.edited or proposal).hunks[index].hunk
        text = _sheet(proposal, now)
        try:
            with self._in_editor():
                sheet = await edit_text(text, proposal.path)
            edited = _between_rules(sheet)
            if edited == _between_rules(text):
                is_shown = session.edited is not None or session.hunk.proposed is not None
                session.replace(
                    session.edited or (proposal if is_shown else proposal.decide(index, Decision.ACCEPTED))
                )
                return True
            if not edited.strip():
                return self._say("nothing is left in the editor; the hunk is as it was")
            changed = proposal.amend(index, edited)
            changed.accepted()
        except MotetError as error:
            return self._say(f"{error}; the hunk is as it was")
        session.edit(changed)
        if _errors_with(changed, changed.hunks[index].hunk) > _errors_with(proposal, now):
            self._say("with your lines the file has a syntax error more")
        return True

    async def _remark(self, session: Session) -> bool:
        remark = await self._line("What would be better?")
        if remark is None:
            return False
        session.decide(Decision.REJECTED, remark)
        return True

    def _take_all(self, session: Session) -> None:
        session.decide_all(Decision.ACCEPTED)
        if not session.is_over:
            self._say("a place that is only nearly right is still asked about")

    def _move(self, session: Session, step: int, *, undecided: bool) -> bool:
        where = "after" if step > 0 else "before"
        return session.move(step, undecided=undecided) or self._say(
            f"there is no {'undecided ' if undecided else ''}hunk {where} this one"
        )

    async def _go_to_file(self, session: Session) -> bool:
        paths = [one.path for one in session.proposals if one.hunks]
        for number, one in enumerate((one for one in session.proposals if one.hunks), 1):
            left = sum(hunk.decision is Decision.PENDING for hunk in one.hunks)
            state = f"{left} of {len(one.hunks)} undecided" if left else "decided"
            self._terminal.spans(
                (f"{number:>3}  ", "bold"), (f"{one.path}  ", ""), (state, "dim"), hang=5, always=True
            )
        wanted = await self._line("Go to the file (its number, or a part of its name):")
        if not wanted:
            return False
        named = [path for path in paths if wanted == path] or [path for path in paths if wanted in path]
        if wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted) <= len(paths):
            named = [paths[int(wanted) - 1]]
        if len(named) != 1:
            return self._say(f"{'several files have' if named else 'no file has'} {wanted!r} in the name")
        session.go_to_file(named[0])
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


def _unwritten(proposals: Sequence[Proposal]) -> str:
    """What a review that is broken off leaves: files are written when it is over."""
    hunks = sum(len(one.hunks) for one in proposals)
    taken = sum(one.taken for one in proposals)
    files = [one.path for one in proposals if one.taken]
    of = f" in {files[0]}" if len(files) == 1 else f" in {len(files)} files" if files else ""
    had = f": you had taken {taken} of {hunks} {'hunk' if hunks == 1 else 'hunks'}{of}" if taken else ""
    return f"nothing of this review is written{had}"


def _sheet(proposal: Proposal, hunk: Hunk) -> str:
    """What the editor shows of a hunk: its new lines between two rules, and as comments what they stand for and what is
    around them."""
    before = split_lines(proposal.base.text)
    above, below = before[max(hunk.first - CONTEXT, 0) : hunk.first], before[hunk.last : hunk.last + CONTEXT]
    lines = [
        f"# {proposal.path}:{hunk.line}: the lines between the rules are taken as you leave them, once you have seen them.",
        *(f"#   {line.text}" for line in above),
        *(f"# - {line.text}" for line in hunk.old),
        _RULES[0],
        *(line.text for line in hunk.new),
        _RULES[1],
        *(f"#   {line.text}" for line in below),
    ]
    return "".join(f"{line}\n" for line in lines)


def _between_rules(sheet: str) -> str:
    """The new lines of what `_sheet` gave. Raises `InputError` when a rule is missing."""
    lines = lines_of(sheet)
    if not lines:
        return ""
    try:
        first, last = lines.index(_RULES[0]) + 1, len(lines) - 1 - lines[::-1].index(_RULES[1])
    except ValueError:
        raise InputError("the rules around the new lines are no longer there") from None
    return "".join(f"{line}\n" for line in lines[first:last])


def _errors_with(proposal: Proposal, hunk: Hunk) -> int:
    """How many syntax errors the file has with this hunk; 0 where that cannot be said."""
    return syntax_errors(apply_hunks(proposal.base.text, [hunk]), language_of(proposal.path)) or 0
