"""`motet chat`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from motet.cli.front import in_front
from motet.cli.keys import typed_unseen
from motet.engine import Chats, Engine, Front
from motet.engine.chat_names import find_chat
from motet.errors import ExitCode, MotetError, UsageError
from motet.history import ChatInfo
from motet.models.protocol import Model


@click.command("chat", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[TEXT]…")
@click.option(
    "-m", "--model", metavar="NAME", help="PROVIDER/MODEL, PROVIDER or offline; without, the first that works."
)
@click.option("-c", "--continue", "goes_on", is_flag=True, help="Go on with the last chat of this workspace.")
@click.option("-r", "--resume", metavar="CHAT", help="Go on with a chat of `motet history list`.")
@click.option(
    "-t", "--tools", "tools", multiple=True, metavar="NAME", help="Hand over a tool or a group: files, cmd, …"
)
@click.option("-b", "--board", metavar="NAME", help="Talk with other agents on this board of the project.")
@click.option("--as", "name", metavar="NAME", help="Under this name; without, that of the model.")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="Called by `@role:ROLE` there.")
@click.option("-y", "--yes", is_flag=True, help="Take every proposed edit without asking.")
@click.option("--allow", multiple=True, metavar="RULE", help="Allow without asking: send, 'run:pytest *', …")
@click.option("--record", metavar="FILE", help="Record the session, to be played with `-m replay:FILE`.")
@click.option("--no-history", is_flag=True, help="Do not keep this chat.")
def command(
    words: tuple[str, ...],
    model: str | None,
    goes_on: bool,
    resume: str | None,
    tools: tuple[str, ...],
    board: str | None,
    name: str | None,
    roles: tuple[str, ...],
    yes: bool,
    allow: tuple[str, ...],
    record: str | None,
    no_history: bool,
) -> int:
    """Talk with a model about this code, in the terminal.

    \b
    Examples:
      motet chat                     a new chat; plain `motet` is the same
      motet chat -c                  go on where you left
      motet chat -r 1rvcqs3n         go on with another one
      motet chat -t files "add a test for the parser"
      motet chat --board general --as reviewer --role review

    In the line: `#diff`, `@src/app.py`, `@https://…` share something, `@files` hands tools over, `/help` shows all of
    it. Tab completes. Ctrl-C stops the model, twice leaves. What you type is kept until you send it.

    Exit code 0: left, 2: usage, 3: no model, 130: interrupted.
    """
    flags = {"model": model} if model else {}
    if goes_on and resume:
        raise UsageError("--continue and --resume: choose one of them")
    if (name or roles) and not board:
        raise UsageError("--as and --role: on which board? Give --board NAME")
    chosen = "last" if goes_on else resume
    joins = (board, name or "", roles) if board else None
    kept = Path(record) if record else None
    return asyncio.run(
        _chat(" ".join(words), flags, chosen, tools, yes, allow, kept, joins=joins, keep=not no_history)
    )


async def _chat(
    first: str,
    flags: Mapping[str, object],
    resume: str | None,
    tools: Sequence[str],
    yes: bool,
    allow: Sequence[str],
    record: Path | None,
    *,
    joins: tuple[str, str, Sequence[str]] | None,
    keep: bool,
) -> int:
    from motet.cli.chat.plain_line import is_plain
    from motet.cli.chat.session import Alone, TerminalChat
    from motet.cli.chat.terminal import ChatTerminal

    terminal = ChatTerminal()
    if not terminal.can_ask:
        raise UsageError("not a terminal; `motet ask` answers one question in a pipe")
    async with in_front(terminal, yes=yes) as front:
        starting = ExitStack()
        try:
            early = "" if is_plain() else starting.enter_context(typed_unseen())
            if early and not early.endswith("\r"):
                terminal.line()  # the terminal has shown it
            alone = Alone(front)
            engine = Engine(Path.cwd(), flags=flags, allow=allow, ask=alone.ask)
            for notice in engine.notices:
                terminal.line(notice, "dim", hang=2)
            async with engine.chats(
                Front(alone, alone, alone.ask, applies="/apply"), keep=keep, record=record, titles=True
            ) as chats:
                stored = await _stored(chats, resume, engine.root) if resume is not None else None
                model, why = await _model(engine, stored, named="model" in flags)
                chat = chats.new(model, tools=tools) if stored is None else await chats.open(stored.id, model)
                terminal.line(f"{model.name} ({why}). /help shows what can be done here.", "dim", hang=2)
                if joins is not None:
                    agent = await chats.join_board(chat, *joins)
                    terminal.line(f"On the board {joins[0]} as @{agent.seat.address}.", "dim", hang=2)
                talk = TerminalChat(engine, chats, front, alone, chat, early)
                await talk.run(first)
                return ExitCode.DONE
        except asyncio.CancelledError:
            return ExitCode.INTERRUPTED
        finally:
            starting.close()


async def _model(engine: Engine, stored: ChatInfo | None, *, named: bool) -> tuple[Model, str]:
    """The model: a chat goes on with its own, where that can be used and no other was named."""
    if stored is not None and stored.model and not named:
        with suppress(MotetError):
            return (await engine.choose_model(stored.model))[0], "the chat's own"
    return await engine.choose_model(work="chat")


async def _stored(chats: Chats, name: str, root: Path) -> ChatInfo:
    if chats.history is None:
        raise UsageError("--no-history: then there is no chat to go on with")
    return await find_chat(chats.history, name, str(root))
