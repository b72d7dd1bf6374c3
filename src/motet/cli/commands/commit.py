"""`motet commit`."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from motet.chat import ChatEvent
from motet.cli.chat_lines import AnswerView, drawn
from motet.cli.editor import edit_text
from motet.cli.front import Front, in_front
from motet.cli.git_commit import git_commit
from motet.cli.keys import EndOfInput
from motet.cli.output import write_line
from motet.cli.prompts import prompt_entry
from motet.cli.terminal import Terminal
from motet.context import PromptEntry
from motet.context.attachment import plain, wrap
from motet.engine import Engine
from motet.engine.filling import filled
from motet.errors import ExitCode, ModelError, ModelErrorKind, MotetError
from motet.git import work_tree
from motet.messages import Message, tags
from motet.models.protocol import Limits, TextDelta
from motet.turn import AnswerStarted
from motet.visible import visible

_FENCED = re.compile(r"\s*```[^\n`]*\n(.*?)\n```\s*\Z", re.DOTALL)
_ACTING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for the tab, and those that turn text round."""
_SHARE = 0.6
"""Part of the model's window that a diff may take; the rest is for the prompt, the answer, and errors of counting."""
_BYTES = 3
"""Characters of a diff that count as one token here, on the low side."""
_MOST = 120_000
"""Characters of a diff that are sent at most: what is longer says no more about the commit."""


@dataclass(frozen=True, slots=True)
class _Staged:
    """What is staged in the repository around `root`."""

    root: Path
    diff: str
    paths: tuple[str, ...]


@click.command("commit", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[REMARK]…")
@click.option("-m", "--model", metavar="NAME", help="PROVIDER/MODEL or PROVIDER; without, the first that works.")
@click.option("-y", "--yes", is_flag=True, help="Commit with the message, without asking.")
@click.option("--allow", multiple=True, metavar="RULE", help="Allow without asking, as in --allow send.")
@click.option("-q", "--quiet", is_flag=True, help="Only the message, questions and errors.")
def command(words: tuple[str, ...], model: str | None, yes: bool, allow: tuple[str, ...], quiet: bool) -> int:
    """Commit what is staged, with a message that a model writes and you confirm.

    \b
    Examples:
      motet commit                       write it, show it, ask
      motet commit "mention issue 12"    with a remark for the model
      motet commit --yes                 without asking
      motet commit > message.txt         only write the message

    The diff of what is staged is sent, cut where it is too long for the model. You are asked before anything is
    committed: y commits, e opens the message in $EDITOR first, n leaves everything as it is. Where there is no
    terminal the message is printed and nothing is committed, unless --yes. `git commit` runs with your own hooks and
    settings. The prompt is `commit` of the library: `motet prompt show commit`.

    Exit code 0: committed or printed, 1: nothing staged, not committed, 2: usage, 3: model failed, 4: not permitted,
    130: interrupted.
    """
    flags = {"model": model} if model else {}
    return asyncio.run(_commit(" ".join(words), flags, allow, yes=yes, quiet=quiet))


async def _commit(remark: str, flags: Mapping[str, object], allow: Sequence[str], *, yes: bool, quiet: bool) -> int:
    async with in_front(Terminal(quiet=quiet)) as front:
        try:
            staged = await _staged()
            entry = prompt_entry("commit")
            engine = Engine(
                Path.cwd(),
                flags={"model": entry.model, **flags} if entry.model else flags,
                allow=allow,
                ask=front.ask,
            )
            message = await _message(engine, front, entry, staged, remark)
            if yes:
                write_line(message)
            elif not (front.terminal.can_ask and sys.stdout.isatty()):
                write_line(message)
                return ExitCode.DONE
            else:
                message = await _confirmed(front, message)
            await git_commit(Path.cwd(), message, front.terminal)
        except asyncio.CancelledError:
            front.terminal.line("Interrupted; nothing is committed.", always=True)
            return ExitCode.INTERRUPTED
    return ExitCode.DONE


async def _staged() -> _Staged:
    from motet.tools.changes import changes, diff

    root = work_tree(Path.cwd())
    if root is None:
        raise MotetError(f"{Path.cwd()}: in no git repository, so there is nothing to commit")
    text = await diff(root, ["."], staged=True)
    if not text.strip():
        raise MotetError("nothing is staged; stage what belongs together with `git add`, then try again")
    return _Staged(root, text, tuple(change.path for change in await changes(root, staged=True)))


async def _message(engine: Engine, front: Front, entry: PromptEntry, staged: _Staged, remark: str) -> str:
    terminal = front.terminal
    for notice in engine.notices:
        terminal.line(notice, "dim", hang=2)
    async with engine.chats(front.of_chats, keep=False) as chats:
        model, why = await engine.choose_model(work="chat")
        if model.name == "offline":
            raise ModelError(
                "the offline model writes no commit messages; name another with -m (`motet models` lists them)",
                ModelErrorKind.REFUSED,
            )
        terminal.line(f"Model: {model.name} ({why})", "dim", hang=2)
        chat = chats.new(model)
        if entry.system:
            chat.share.attach(Message.system(entry.system, tags.FROM_CUSTOM_PROMPT))
        body, note = _cut(staged, model.limits)
        if note:
            terminal.line(note, "yellow", hang=2)
        text = await filled(chat, entry.steps[0], "\n\n".join(filter(None, (remark, note))), {"staged_diff": body})
        heard = _Heard(AnswerView(terminal, model.name, writes=False))
        code = await drawn(chat.send("", text, tag=tags.FROM_CUSTOM_PROMPT), heard)
    if code == ExitCode.INTERRUPTED:
        raise asyncio.CancelledError
    message = clean(heard.text)
    if not message:
        raise ModelError(f"{model.name}: the answer holds no message", ModelErrorKind.BAD_RESPONSE)
    return message


def clean(answer: str) -> str:
    """The message in an answer: out of its fence, if it is one, without blanks at line ends, blank lines around, and
    characters that act on a terminal or turn text round."""
    fenced = _FENCED.match(answer)
    lines = (fenced[1] if fenced else answer).replace("\r\n", "\n").split("\n")
    return "\n".join(_ACTING.sub("", line).rstrip() for line in lines).strip("\n")


def _cut(staged: _Staged, limits: Limits) -> tuple[str, str]:
    """The diff in its wrapper, as much of it as a model with `limits` takes, and what to say where it was cut."""
    most = min(int(limits.context_tokens * _SHARE) * _BYTES, _MOST)
    body = plain(staged.diff, most)
    note = ""
    if body.left_out:
        names = ", ".join(staged.paths[:50]) + (
            f" and {len(staged.paths) - 50} more" if len(staged.paths) > 50 else ""
        )
        note = f"The diff is long: its last {body.left_out:,} lines are left out. It changes: {names}"
    return wrap("diff", body, {"of": "staged"}), note


async def _confirmed(front: Front, message: str) -> str:
    """The message as the human wants it. Raises `MotetError` when nothing is to be committed."""
    terminal, keyboard = front.terminal, front.keyboard
    keyboard.forget()
    while True:
        write_line(visible(message))
        while True:
            terminal.ask("Commit with this message? [y]es, [e]dit it, [n]o:")
            try:
                key = await keyboard.key(terminal.ask_again)
            except EndOfInput:
                key = "n"
            terminal.answered(key)
            if key in "yen":
                break
        if key == "y":
            return message
        if key == "n":
            raise MotetError("nothing is committed; what is staged stays so")
        try:
            with front.interrupts.held():
                edited = clean(await edit_text(f"{message}\n", "COMMIT_EDITMSG.txt"))
        except MotetError as error:
            terminal.line(f"{error}; the message is as it was", "yellow", hang=2, always=True)
            continue
        if not edited.strip():
            raise MotetError("the message is empty; nothing is committed, what is staged stays so")
        message = edited


class _Heard:
    """Draws a turn, and keeps the text of its last answer."""

    def __init__(self, view: AnswerView) -> None:
        self._view = view
        self.text = ""

    def __call__(self, event: ChatEvent) -> None:
        match event:
            case TextDelta(text):
                self.text += text
            case AnswerStarted():
                self.text = ""
            case _:
                pass
        self._view(event)
