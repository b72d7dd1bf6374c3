"""What a question to the human shows: the whole of it, so that nothing in it can hide.

Pure text, for every front end. What cannot be seen is spelled out, runs of blanks are counted, letters that look
like others are named, and what is too long for one look says so and can be seen in full.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from motet.permissions.action import Action, Answer, Effect, Origin
from motet.permissions.commands import destroys
from motet.permissions.patterns import shell_text
from motet.permissions.protected import is_protected
from motet.permissions.secrets import is_secret

HEAD_LINES, TAIL_LINES = 24, 12
"""Of a longer question these many first and last lines are shown at first."""
LINE_CHARACTERS = 200
"""A longer line is shown as several."""

_SHORT_LINES, _SHORT_CHARACTERS = 4, 300
"""A command up to this long stands before what is said about it."""

PROTECTED = "a protected place"


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that the question says: `label` is empty where the text goes on from the row before."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as lines: what is wanted by whom, then the facts. Every text is plainly visible."""

    head: str
    rows: tuple[Row, ...]

    @property
    def is_long(self) -> bool:
        """Whether `brief` leaves something out."""
        return len(self.rows) > HEAD_LINES + TAIL_LINES

    @property
    def brief(self) -> tuple[Row, ...]:
        """The rows; of very many the first and the last, and between them how many are not shown."""
        if not self.is_long:
            return self.rows
        left_out = self.rows[HEAD_LINES : len(self.rows) - TAIL_LINES]
        size = sum(len(row.text) for row in left_out)
        between = Row("", f"[… {len(left_out)} more lines, {size} characters, are not shown here …]")
        return (*self.rows[:HEAD_LINES], between, *self.rows[-TAIL_LINES:])


def question(action: Action, asker: str = "") -> AskedQuestion:
    """What the human is asked. `asker`: who wants it, if it is not the origin that the action names."""
    asker = readable(asker) or f"the {action.origin}"
    head, facts = _facts(action, asker)
    facts += [("beware", text) for text in _warnings(action)]
    rows = tuple(row for label, text in facts if text for row in _rows(label, text))
    return AskedQuestion(head, rows)


def choices(action: Action) -> tuple[Answer, ...]:
    """The yeses that a human can give to `action`; a wider one counts for once only."""
    match action.effect:
        case Effect.WRITE if is_protected(action.subject):
            return (Answer.ONCE,)
        case Effect.READ if is_secret(action.subject):
            return (Answer.ONCE, Answer.CHAT)
        case Effect.SEND:
            return (Answer.PROJECT, Answer.CHAT)
        case Effect.RUN if destroys(action.words) and action.origin is Origin.MODEL:
            return (Answer.ONCE,)
        case Effect.RUN if action.origin is Origin.PROJECT:
            return (Answer.ONCE, Answer.CHAT, Answer.PROJECT)
        case _:
            return (Answer.ONCE, Answer.CHAT, Answer.PROJECT, Answer.ALWAYS)


def _facts(action: Action, asker: str) -> tuple[str, list[tuple[str, str]]]:
    because = ("because", action.detail)
    match action.effect:
        case Effect.SEND:
            provider, _, host = action.subject.partition(" ")
            facts = [("provider", provider), ("host", host), ("sent", action.detail)]
            return "Code of this project is about to leave this machine for the first time.", facts
        case Effect.WRITE if is_protected(action.subject):
            detail = action.detail if action.detail != PROTECTED else ""
            return f"A write to {PROTECTED}, asked for by {asker}.", [("file", action.subject), ("because", detail)]
        case Effect.WRITE:
            return f"A file is to be written, asked for by {asker}.", [("file", action.subject), because]
        case Effect.READ if is_secret(action.subject):
            head = f"A file of secrets is to be read and shown to the model, asked for by {asker}."
            return head, [("file", action.subject), because]
        case Effect.READ:
            head = f"A file outside this workspace is to be read, asked for by {asker}."
            return head, [("file", action.subject), because]
        case Effect.NET:
            return f"Something is to be fetched from the network, asked for by {asker}.", [
                ("host", action.subject),
                because,
            ]
        case Effect.RUN if action.argv:
            return _command(action, asker)
        case Effect.RUN:
            head = f"Something is about to happen outside motet, asked for by {asker}."
            return head, [("run", action.subject), because]


def _command(action: Action, asker: str) -> tuple[str, list[tuple[str, str]]]:
    text = shell_text(action.argv)
    how = ("with", action.detail)
    if text is None:
        return f"A command is to be run, asked for by {asker}.", _with_text(("run", shlex.join(action.argv)), how)
    # The shell itself is shown with its other words, so that none of them goes unseen.
    frame = shlex.join("TEXT" if word == text else word for word in action.argv)
    head = f"A text is to be run by a shell, asked for by {asker}."
    return head, [("shell", frame), *_with_text(("text", text), how)]


def _with_text(text: tuple[str, str], how: tuple[str, str]) -> list[tuple[str, str]]:
    """Both; a long text goes last, so that it cannot push out of sight where it is to run."""
    is_long = text[1].count("\n") >= _SHORT_LINES or len(text[1]) > _SHORT_CHARACTERS
    return [how, text] if is_long else [text, how]


def _warnings(action: Action) -> Iterator[str]:
    if action.untrusted:
        yield f"text that nobody vouches for is in this turn: {'; '.join(action.untrusted)}"
    if action.effect is Effect.RUN and action.network:
        yield "it may reach any host of the network"
    if action.effect is Effect.RUN and destroys(action.words):
        yield "it can destroy what cannot be brought back"
    if odd := lookalikes(action.subject):
        yield f"letters that look like others: {odd}"


def _rows(label: str, text: str) -> Iterator[Row]:
    for line in _counted(text.split("\n")):
        shown = readable(line)
        for start in range(0, max(len(shown), 1), LINE_CHARACTERS):
            yield Row(label, shown[start : start + LINE_CHARACTERS])
            label = ""


def _counted(lines: list[str]) -> Iterator[str]:
    """`lines`, of more than three blank ones in a row only their number."""
    blank = 0
    for line in [*lines, None]:
        if line is not None and not line.strip():
            blank += 1
            continue
        yield from [f"<{blank} empty lines>"] if blank > 3 else [""] * (blank if line is not None else 0)
        blank = 0
        if line is not None:
            yield line


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_RUN = re.compile(r"( {9,}|\t{9,})")


def readable(text: str) -> str:
    """`text` on one line, every character of it to be seen: `␛` for a control character, `<U+202E>` for one that
    draws nothing, joins or turns its neighbours, `<500 blanks>` for a long run.

    Stricter than what is drawn elsewhere: no joiner and no variant selector is harmless in a path or a command.
    """
    text = _RUN.sub(lambda run: f"<{len(run[0])} {'blanks' if run[0][0] == ' ' else 'tabs'}>", text)
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    base = " "
    for character in text:
        is_mark = unicodedata.category(character) in {"Mn", "Me"}
        # A mark on a plain character can strike it out or make another one of it.
        shown.append(f"<U+{ord(character):04X}>" if is_mark and base.isascii() else _shown(character))
        base = base if is_mark else character
    return "".join(shown)


def _shown(character: str) -> str:
    code = ord(character)
    if " " <= character <= "~":
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    hidden = unicodedata.category(character) in _HIDDEN or _BLANK.match(character)
    return f"<U+{code:04X}>" if hidden and character != "\u3000" else character


_OTHER_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL", "MODIFIER",
                  "SUBSCRIPT", "SUPERSCRIPT", "DESERET", "WARANG", "OGHAM", "RUNIC")  # fmt: skip
_LOOKALIKE_SIGNS = frozenset(
    "\u2010\u2011\u2012\u2013\u2014\u2212\u2044\u2215\u29f8\uff0f\u2024\uff0e\u3002\uff1a\u02d0\ua789\uff5c\uff1b\u037e"
)


def lookalikes(text: str) -> str:
    """The letters and signs of `text` that stand among plain ones and look like plain ones, by name; or empty."""
    found: dict[str, str] = {}
    for word in re.findall(r"\S+", text):
        plain = any(character.isascii() and character.isalnum() for character in word)
        for character in word if plain and not word.isascii() else ():
            name = unicodedata.name(character, "")
            if name.startswith(_OTHER_SCRIPTS) or character in _LOOKALIKE_SIGNS:
                found[character] = f"{character} (U+{ord(character):04X} {name.lower()})"
    return ", ".join(list(found.values())[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
