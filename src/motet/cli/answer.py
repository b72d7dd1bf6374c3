"""Where the text of `motet apply` comes from: a file, a pipe, what is pasted into a terminal, or a chat."""

from __future__ import annotations

import os
import re
import select
import sys
from pathlib import Path

from motet.errors import InputError, UsageError
from motet.paths import state_dir
from motet.workspace import find_workspace

STANDARD_INPUT = "-"
_MOST_BYTES = 64 * 1024 * 1024
"""A larger answer was written by no model."""
_LOOKS_UP = 0.2
"""Seconds between two looks at whether the human has pressed Ctrl-C."""
_LINE_LIMIT = 1023 if sys.platform == "darwin" else 4095
"""Bytes of a line that a terminal keeps while it is typed or pasted; of a longer one it drops the rest in silence."""
_CHAT_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{8}|[0-9A-HJKMNP-TV-Z]{26}")
"""As lists show them, or whole."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def name_of(source: str) -> str:
    """What messages call `source`: a path, or `-`."""
    if is_chat(source):
        return "the last answer" if source == "last" else f"the last answer of {source}"
    return "standard input" if source == STANDARD_INPUT else source


def piped_text(typed: str = "the answer") -> str:
    """What comes through a pipe, after which the terminal can be asked; `typed` is what a human would paste there.
    Raises `InputError` when it is no text."""
    return _text(_read_standard_input(typed), name_of(STANDARD_INPUT), "what is piped")


def read_answer(source: str) -> str:
    """The text of the file `source`, or of standard input for `-`, after which the terminal can be asked.

    Raises `UsageError` when there is no such file and `InputError` when it is no text.
    """
    if not source:
        raise UsageError("an empty path was given; leave it out to read standard input")
    if source == STANDARD_INPUT:
        data = _read_standard_input()
    else:
        try:
            with Path(source).open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            raise UsageError(f"{source}: {getattr(error, 'strerror', None) or error}") from error
    return _text(data, name_of(source))


def is_chat(source: str) -> bool:
    """Whether `source` names a chat: `last`, or an id where there is no file of that name."""
    return source == "last" or (_CHAT_ID.fullmatch(source) is not None and not Path(source).exists())


async def answer_of_chat(name: str) -> str:
    """The last answer of a chat of this project, of several to one message the newest that holds edits. Raises
    `UsageError` where there is none, `HistoryError`."""
    from motet.chat.text_edits import answer_with_edits
    from motet.engine.chat_names import NoSuchChat, find_chat, short_id
    from motet.history import History

    root = str(find_workspace(Path.cwd()))
    async with History.open(state_dir()) as history:
        try:
            chat = await find_chat(history, name, root)
        except NoSuchChat as error:
            raise UsageError(
                f"{name}: there is neither such a file nor such a chat; `motet history list` shows the chats"
            ) from error
        if chat.workspace != root:
            raise UsageError(f"{short_id(chat.id)}: a chat of {chat.workspace}; go there to apply its edits")
        text = answer_with_edits((await history.load(chat.id)).messages)
    if not text:
        raise UsageError(f"{short_id(chat.id)}: no answer is in this chat yet; `motet history list` shows others")
    return text


def _read_standard_input(what: str = "the answer") -> bytes:
    is_typed = sys.stdin.isatty()
    if is_typed:
        print(f"Paste {what}, then press Enter and Ctrl-D.", file=sys.stderr)
    try:
        data = _typed(sys.stdin.fileno()) if is_typed else sys.stdin.buffer.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"standard input: {error.strerror}") from error
    if is_typed and any(len(line) >= _LINE_LIMIT for line in data.split(b"\n")):
        raise InputError("the terminal may have cut a long line of what was pasted; save the answer as a FILE")
    if not is_typed and sys.stderr.isatty():
        _turn_to_terminal()
    return data


def _typed(descriptor: int) -> bytes:
    """All that is typed or pasted up to Ctrl-D. A Ctrl-C in the moment before a read begins would else be heeded only
    when that ends, with the next line."""
    data = b""
    while len(data) <= _MOST_BYTES:
        while not select.select([descriptor], [], [], _LOOKS_UP)[0]:
            pass
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            break
        data += piece
    return data


def _turn_to_terminal() -> None:
    """Read keys from the terminal when the answer came through a pipe."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return  # there is none: nobody can be asked
    os.dup2(terminal, sys.stdin.fileno())
    os.close(terminal)


def _text(data: bytes, name: str, what: str = "the answer") -> str:
    if len(data) > _MOST_BYTES:
        raise InputError(f"{name}: more than {_MOST_BYTES // 1024**2} MiB; no model wrote that")
    is_utf16 = data.startswith(_UTF16)
    if not is_utf16 and b"\0" in data:
        raise InputError(f"{name}: binary data; give {what} as text")
    try:
        return data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeError as error:
        raise InputError(f"{name}: not UTF-8 text; convert it first, as in `iconv -f latin1 -t utf-8`") from error
