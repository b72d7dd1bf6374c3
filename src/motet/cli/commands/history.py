"""`motet history`."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from motet.cli.help import Group
from motet.cli.numbers import COUNT, Whole
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.engine.chat_names import Among, find_chat, short_id, shown_title
from motet.errors import InputError, MotetError, UsageError
from motet.history import ChatInfo, History, Hit
from motet.history.values import StoredChat
from motet.paths import state_dir
from motet.visible import one_line, visible
from motet.workspace import find_workspace

_MOST_HITS = 2_000
"""Hits that are looked at to find the chats that they are in."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the user stands, and what was kept."""

    history: History
    workspace: Path
    terminal: Terminal

    def scope(self, everywhere: bool) -> str | None:
        """The workspace that is meant; None: all."""
        return None if everywhere else str(self.workspace)

    async def find(self, name: str, among: Among = "kept") -> ChatInfo:
        """The chat that `name` means."""
        return await find_chat(self.history, name, str(self.workspace), among)


def _run(work: Callable[[_Place], Awaitable[None]]) -> None:
    asyncio.run(_with_history(work))


async def _with_history(work: Callable[[_Place], Awaitable[None]]) -> None:
    terminal = Terminal()
    async with History.open(state_dir(), lambda line: terminal.line(line, "yellow", hang=2)) as history:
        await work(_Place(history, find_workspace(Path.cwd()), terminal))


def _readable(transcript: str) -> str:
    """A transcript for people: without the markers that programs read, and without the empty draft at its end."""
    lines = visible(transcript).split("\n")
    shown = "\n".join(line for line in lines if not line.startswith("<!-- motet ")).strip("\n")
    return re.sub(r"\n\n\n+", "\n\n", shown.removesuffix("## Me"))


def _transcript(stored: StoredChat) -> str:
    """A chat as Markdown, with its draft."""
    from motet.chat.draft import without_marks
    from motet.chat.transcript import ContextLine, Draft, render
    from motet.context import State

    text, marks = without_marks(stored.info.draft)
    lines = (ContextLine(id, state is State.PINNED, state is State.WATCHED) for id, state in marks.items())
    return render(stored.messages, title=stored.info.title, draft=Draft(text, tuple(lines)))


def _line(chat: ChatInfo, everywhere: bool) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(chat.updated or chat.created))
    turns = f"{chat.cycles} turn{'' if chat.cycles == 1 else 's'}"
    where = f"  {one_line(chat.workspace)}" if everywhere else ""
    return f"{short_id(chat.id)}  {when}  {turns:>9}  {one_line(_title(chat))}{where}"


def _title(chat: ChatInfo) -> str:
    return chat.title or "(no title)"


_ALL = click.option("-a", "--all", "everywhere", is_flag=True, help="Chats of all workspaces.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Results as JSON lines.")


@click.group("history", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List, search, show and manage the chats that were kept.

    \b
    Examples:
      motet history                        the chats of this workspace, newest first
      motet history search "lease 期限"     in all that was said
      motet history show last              one chat as Markdown
      motet history resume 1rvcqs3n        go on with it
      motet history export last -o chat.md
      motet history rename 1rvcqs3n "The lease"
      motet history delete 1rvcqs3n        into the trash; `restore` brings it back

    CHAT is `last`, or the end of an id as lists show it.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_chats)


@command.command("list")
@click.option("-n", "--limit", type=COUNT, default=50, metavar="N", help="At most so many (50).")
@click.option("--trash", is_flag=True, help="Those in the trash.")
@_ALL
@_JSON
def list_chats(limit: int = 50, trash: bool = False, everywhere: bool = False, as_json: bool = False) -> None:
    """List chats, the last changed first.

    \b
    Examples:
      motet history list
      motet history list --all -n 10
      motet history list --trash
    """

    async def work(place: _Place) -> None:
        chats = await place.history.list(place.scope(everywhere), limit, trash=trash)
        for chat in chats:
            if as_json:
                write_json({"schema": 1, **asdict(chat)})
            else:
                named = replace(chat, title=await shown_title(place.history, chat))
                write_line(_line(named, everywhere))
        if not chats and not as_json:
            where = "the trash" if trash else "history" if everywhere else f"the history of {place.workspace}"
            place.terminal.line(f"There is no chat in {where}.")

    _run(work)


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="At most so many (20).")
@_ALL
@_JSON
def search_chats(words: tuple[str, ...], limit: int, everywhere: bool, as_json: bool) -> int:
    """Find what was said, in titles, questions and answers.

    \b
    Examples:
      motet history search fsync rename
      motet history search --all 排他制御

    All words have to stand in the same message. Each chat is listed once, with its newest hit and how many there are.
    Exit code 1: nothing was found.
    """
    found: list[Hit] = []
    if not " ".join(words).strip():
        raise UsageError("say what to look for, as in: motet history search fsync")

    async def work(place: _Place) -> None:
        hits = await place.history.search(" ".join(words), place.scope(everywhere), _MOST_HITS)
        chats: dict[str, list[Hit]] = {}
        for hit in hits:
            chats.setdefault(hit.chat.id, []).append(hit)
        # What was said tells more than a title, which may be the same words again.
        best = [[hit for hit in of_chat if hit.message_id] or of_chat for of_chat in chats.values()]
        for of_chat in sorted(best, key=lambda hits: hits[0].when, reverse=True)[:limit]:
            hit, count = of_chat[0], len(of_chat)
            found.append(hit)
            if as_json:
                write_json({"schema": 1, **asdict(hit), "hits": count})
            else:
                begin, end = hit.snippet[: hit.begin], hit.snippet[hit.end :]
                Terminal(sys.stdout).spans(
                    (f"{short_id(hit.chat.id)}  ", "cyan"),
                    (f"{_title(hit.chat)}  ", "bold"),
                    (begin, ""),
                    (hit.snippet[hit.begin : hit.end], "yellow"),
                    (end, ""),
                    (f"  {count} hits" if count > 1 else "", "dim"),
                    hang=10,
                )
        if not found and not as_json:
            place.terminal.line(
                "Nothing was found; --all looks in other workspaces too." if not everywhere else "Nothing was found."
            )

    _run(work)
    return 0 if found else 1


@command.command("show")
@click.argument("chat", default="last")
def show_chat(chat: str) -> None:
    """Show a chat as Markdown.

    \b
    Examples:
      motet history show last
      motet history show 1rvcqs3n | less
    """

    async def work(place: _Place) -> None:
        from motet.chat.transcript import render

        stored = await place.history.load((await place.find(chat)).id)
        for note in stored.notes:
            place.terminal.line(note, "yellow", hang=2)
        text = render(stored.messages)
        write_line((_readable(text) if sys.stdout.isatty() else text).rstrip("\n"))

    _run(work)


@command.command("export")
@click.argument("chat", default="last")
@click.option("-o", "--output", metavar="FILE", help="Write there; must not exist. Without: standard output.")
@click.option("--json", "as_json", is_flag=True, help="The whole stack, hidden messages included.")
def export_chat(chat: str, output: str | None, as_json: bool) -> None:
    """Write a chat as Markdown, or whole as JSON; `import` reads both.

    \b
    Examples:
      motet history export last -o chat.md
      motet history export 1rvcqs3n --json > chat.json
    """

    async def work(place: _Place) -> None:
        from motet.chat.export import to_json

        stored = await place.history.load((await place.find(chat)).id)
        text = to_json(stored.messages, title=stored.info.title) if as_json else _transcript(stored)
        if output is None:
            write_line(text.rstrip("\n"))
            return
        try:
            with Path(output).open("x", encoding="utf-8", newline="") as file:
                file.write(text)
        except FileExistsError:
            raise UsageError(f"{output}: exists already; choose another name") from None
        except OSError as error:
            raise MotetError(f"{output}: {error.strerror}") from error
        place.terminal.line(f"Written to {output}.")

    _run(work)


@command.command("import")
@click.argument("file")
def import_chat(file: str) -> None:
    """Begin a new chat with what an export holds, or a Markdown file with `## Me` headings.

    \b
    Examples:
      motet history import chat.md
      motet history import chat.json
    """

    async def work(place: _Place) -> None:
        from motet.chat.export import from_json
        from motet.chat.transcript import parse, to_messages

        try:
            data = Path(file).read_bytes()
            text = data.decode()
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{file}: not UTF-8 text; export the chat again") from error
        draft = ""
        if text.lstrip().startswith("{"):
            exported = from_json(text, file)
            title, messages = exported.title, exported.messages
        else:
            parsed = parse(text)
            for note in parsed.notes:
                place.terminal.line(note, "yellow", hang=2)
            from motet.cli.imported import kept_draft, read_again

            title, draft = parsed.title or Path(file).stem, kept_draft(parsed.draft)
            messages = to_messages(parsed, await read_again(parsed, place.terminal))
        if not messages and not draft.strip():
            raise InputError(f"{file}: holds no message; nothing was imported")
        info = await place.history.create(ChatInfo(title=" ".join(title.split()), workspace=str(place.workspace)))
        await place.history.append(info.id, list(messages))
        await place.history.set_draft(info.id, draft)
        write_line(f"{short_id(info.id)}  {one_line(title)}")

    _run(work)


@command.command("fork")
@click.argument("chat", default="last")
@click.option("--at", "cycle", type=Whole(1), metavar="N", help="Without turn N and what follows.")
def fork_chat(chat: str, cycle: int | None) -> None:
    """Make a new chat that begins like another one.

    \b
    Examples:
      motet history fork last
      motet history fork 1rvcqs3n --at 3
    """

    async def work(place: _Place) -> None:
        info = await place.find(chat)
        before = None
        if cycle is not None:
            messages = (await place.history.load(info.id)).messages
            before = next((message.id for message in messages if message.meta.cycle == cycle), None)
            if before is None:
                turns = f"{info.cycles} turn{'' if info.cycles == 1 else 's'}"
                raise UsageError(f"--at {cycle}: the chat has {turns}")
        forked = await place.history.fork(info.id, before)
        write_line(f"{short_id(forked.id)}  {one_line(_title(forked))}")

    _run(work)


@command.command("resume")
@click.argument("chat", default="last")
@click.pass_context
def resume_chat(context: click.Context, chat: str) -> int:
    """Go on with a chat, in the terminal: `motet chat -r CHAT`.

    \b
    Examples:
      motet history resume
      motet history resume 1rvcqs3n
    """
    from motet.cli.commands.chat import command as talk

    return context.invoke(talk, resume=chat)


@command.command("rename")
@click.argument("chat")
@click.argument("title")
def rename_chat(chat: str, title: str) -> None:
    """Give a chat another title.

    \b
    Examples:
      motet history rename last "The lease that never ended"
    """

    async def work(place: _Place) -> None:
        if not title.strip():
            raise UsageError("the title is empty")
        await place.history.rename((await place.find(chat)).id, " ".join(title.split()))

    _run(work)


@command.command("delete")
@click.argument("chats", nargs=-1, required=True)
@click.option("--purge", is_flag=True, help="For good, the text overwritten; not into the trash.")
def delete_chats(chats: tuple[str, ...], purge: bool) -> None:
    """Put chats into the trash.

    \b
    Examples:
      motet history delete 1rvcqs3n
      motet history delete --purge 1rvcqs3n    gone for good
    """

    async def work(place: _Place) -> None:
        infos = [await place.find(chat, "both" if purge else "kept") for chat in chats]
        for info in infos:
            await (place.history.purge(info.id) if purge else place.history.delete(info.id))
            how = (
                "gone for good"
                if purge
                else f"in the trash; `motet history restore {short_id(info.id)}` brings it back"
            )
            place.terminal.line(f"{short_id(info.id)}  {_title(info)}: {how}", hang=10)

    _run(work)


@command.command("restore")
@click.argument("chats", nargs=-1, required=True)
def restore_chats(chats: tuple[str, ...]) -> None:
    """Take chats out of the trash.

    \b
    Examples:
      motet history restore 1rvcqs3n
      motet history restore last         what changed last of those in the trash
    """

    async def work(place: _Place) -> None:
        for chat in chats:
            info = await place.find(chat, "trash")
            await place.history.restore(info.id)
            write_line(_line(info, everywhere=False))

    _run(work)
