"""`motet inspect`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import click

from motet.chat.view import name_of, tokens_of
from motet.cli.front import in_front
from motet.cli.output import write_json, write_line
from motet.cli.previewed import Previewed, previewed, require_text
from motet.cli.request_editor import edit_request
from motet.cli.terminal import Terminal
from motet.errors import UsageError
from motet.messages import Message
from motet.visible import one_line, visible


@click.command("inspect", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[CHAT] [TEXT]…")
@click.option(
    "-f", "--file", "files", multiple=True, metavar="PATH", help="Share a file; PATH:10-40 some lines of it."
)
@click.option("-m", "--model", metavar="NAME", help="The model it is meant for; without: the chat's own.")
@click.option("--json", "as_json", is_flag=True, help="The request as one JSON object, the same for every provider.")
@click.option("--wire", is_flag=True, help="The body as this model's provider would get it.")
@click.option(
    "-e", "--edit", is_flag=True, help="Open the next request of CHAT in $EDITOR, and keep what you change."
)
def command(
    words: tuple[str, ...], files: tuple[str, ...], model: str | None, as_json: bool, wire: bool, edit: bool
) -> None:
    """Show the next request exactly: every message, hidden ones too, and the tools.

    \b
    Examples:
      motet inspect "what is #diff about?"
      motet inspect last "go on"
      motet inspect -f src/app.py --json "why so slow?" | jq .messages
      motet inspect --wire -m anthropic hello
      motet inspect --edit last

    Nothing is sent, and without --edit nothing is kept. With it the chat says from now on what you made of it; as it
    was it stays in `motet history`. CHAT is `last`, or an id as `motet history` lists it; all else is the text of
    a message. What looks like a key is left out here as it would be on the way out.
    """
    if as_json and wire:
        raise UsageError("--json and --wire exclude each other")
    require_text(words)
    if edit:
        if as_json or wire or files or len(words) != 1:
            raise UsageError(
                "--edit changes a chat that is kept: it takes CHAT, and no text or file; `/inspect` does"
            )
        asyncio.run(_edit(words, model))
        return
    asyncio.run(_show(words, files, model, as_json=as_json, wire=wire))


async def _show(words: Sequence[str], files: Sequence[str], model: str | None, *, as_json: bool, wire: bool) -> None:
    terminal = Terminal()
    async with previewed(words, files, model, terminal) as found:
        if wire:
            write_json(_body(found), indent=2)
        elif as_json:
            write_json(_neutral(found))
        else:
            _draw(found)
        for note in found.notes:
            terminal.line(note, "yellow", hang=2)


async def _edit(words: Sequence[str], model: str | None) -> None:
    terminal = Terminal()
    async with in_front(terminal) as front, previewed(words, (), model, terminal) as found:
        if not found.chat.is_kept:
            raise UsageError(f"{words[0]}: there is no such chat; `motet history list` shows them")
        terminal.line(await edit_request(found.chat, "", front.interrupts.held), hang=2, always=True)


def _body(found: Previewed) -> Mapping[str, object]:
    from motet.models.providers.http_model import HttpModel

    if not isinstance(found.model, HttpModel):
        sent = found.model.destination.remote
        why = "gets its body from pydantic-ai" if sent else "has no provider, nothing of it is ever sent"
        raise UsageError(f"--wire: {found.model.name} {why}; use --json")
    return found.model.body(found.request)


def _draw(found: Previewed) -> None:
    for number, message in enumerate(found.request.messages, 1):
        what = f"  {message.tag}" if message.tag else ""
        hidden = "" if message.visible else "  hidden"
        head = f"── {number}  {message.role.value}{what}  {name_of(message)}  {tokens_of(message):,} tokens{hidden}"
        write_line(one_line(head))
        write_line(visible(message.text))
        for call in message.calls:
            write_line(visible(f"→ {call.name} {call.arguments}"))
        write_line("")
    for tool in found.request.tools:
        write_line(one_line(f"── tool  {tool.name}"))
        write_line(visible(tool.description))
        write_line("")
    window = found.model.limits.context_tokens
    write_line(f"── {found.tokens:,} of {window:,} tokens of {found.model.name}")


def _neutral(found: Previewed) -> Mapping[str, object]:
    request = found.request
    return {
        "schema": 1,
        "chat": found.chat.id,
        "model": found.model.name,
        "tokens": found.tokens,
        "window": found.model.limits.context_tokens,
        "max_output_tokens": request.max_output_tokens,
        "messages": [_message(message) for message in request.messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in request.tools
        ],
    }


def _message(message: Message) -> Mapping[str, object]:
    fields: dict[str, object] = {
        "id": message.id,
        "role": message.role.value,
        "tag": message.tag,
        "visible": message.visible,
        "cycle": message.meta.cycle,
        "tokens": tokens_of(message),
        "text": message.text,
    }
    if message.context is not None:
        fields["context"] = message.context.id
    if message.calls:
        fields["calls"] = [{"id": one.id, "name": one.name, "arguments": one.arguments} for one in message.calls]
    if message.result is not None:
        result = message.result
        fields["result"] = {"call": result.call_id, "name": result.name, "is_error": result.is_error}
    return fields
