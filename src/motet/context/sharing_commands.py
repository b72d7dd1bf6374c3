"""The commands about context: each shares something at once, or says something."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from motet.context.attachment import item_id, text_attachment
from motet.context.commands import CHAT_COMMANDS, CommandCall, Commands
from motet.context.editor_variables import find_buffer, share_buffer
from motet.context.files import Paths, image_type, is_pdf, missing, read_bytes, share_part, share_path
from motet.context.mentions import share_url
from motet.context.rules import RuleGroup, find_rules
from motet.context.sources import Collected, Shared, Sources, notice
from motet.errors import FileMissing
from motet.messages import tags

Run = Callable[[CommandCall, Sources], Awaitable[Shared]]

_RANGE = re.compile(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?\Z")


@dataclass(frozen=True, slots=True)
class SharingCommand:
    """A command that is one function."""

    name: str
    description: str
    parameters: str
    run_it: Run
    asks: str = ""
    contains_code: bool = True
    by_chat: bool = False

    async def run(self, call: CommandCall, sources: Sources) -> Shared:
        """See `Command`."""
        return await self.run_it(call, sources)


async def _file(call: CommandCall, sources: Sources) -> Shared:
    paths = Paths(sources, await sources.workspace.list_files())
    shared = Collected()
    for written in _words(call.argument):
        lines = _RANGE.match(written)
        path = paths.resolve(written)
        if path is None and lines and (path := paths.resolve(lines[1])):
            first, last = int(lines[2]), int(lines[3] or lines[2])
            shared.add(await share_path(path, sources, lines=(max(first, 1), max(first, last)), source="/file"))
        elif path is None:
            shared.add(notice(await missing(written, sources)))
        else:
            shared.add(await share_path(path, sources, source="/file"))
    return Shared(tuple(shared.messages), notices=tuple(shared.notices))


async def _buffer(call: CommandCall, sources: Sources) -> Shared:
    if sources.editor is None:
        return notice("/buffer: there is no editor here; share a file instead: /file PATH")
    buffers = await sources.editor.buffers() or ()
    buffer = find_buffer(buffers, call.argument)
    if buffer is None:
        names = ", ".join(f"{each.number} {each.name}" for each in buffers[:10]) or "none"
        return notice(f"/buffer: there is no buffer {call.argument!r}; there are: {names}")
    return await share_buffer(buffer, sources, "/buffer")


async def _fetch(call: CommandCall, sources: Sources) -> Shared:
    address = call.argument if "://" in call.argument else f"https://{call.argument}"
    if re.search(r"\s", address) or not re.match(r"https?://[^/]", address):
        return notice(f"/fetch: {call.argument!r} is no address; it begins with https:// or http://")
    return await share_url(address, sources, address_only=call.bang, source="/fetch")


async def _symbols(call: CommandCall, sources: Sources) -> Shared:
    from motet.syntax import definitions, language_of

    path = Paths(sources, await sources.workspace.list_files()).resolve(call.argument)
    if path is None:
        return notice(await missing(call.argument, sources))
    file = await sources.read(path)
    found = definitions(file.text, language_of(path))
    if not found:
        return notice(f"/symbols: {path}: no definitions are found in it; share it whole: /file {path}")
    lines = [
        f"{'  ' * each.depth}{each.kind} {each.name} (lines {each.first_line}-{each.last_line})" for each in found
    ]
    item = item_id("symbols", path)
    message = text_attachment(
        "symbols",
        "\n".join(lines),
        tag=tags.SYMBOLS,
        item=item,
        attributes={"filepath": path},
        path=sources.absolute(path),
        source="/symbols",
    )
    return Shared((message,), f"the outline of `{path}`")


async def _image(call: CommandCall, sources: Sources) -> Shared:
    if re.match(r"https?://", call.argument):
        return await share_url(call.argument, sources, source="/image")
    path = Paths(sources, await sources.workspace.list_files()).resolve(call.argument)
    if path is None:
        return notice(await missing(call.argument, sources))
    try:
        data = await read_bytes(path, sources)
    except FileMissing:
        return notice(await missing(path, sources))
    if not image_type(data) and not is_pdf(data):
        return notice(f"/image: {path}: neither PNG, JPEG, GIF, WebP nor PDF")
    return await share_part(path, data, sources, source="/image")


def sharing_commands(help_text: Callable[[], str], groups: Iterable[RuleGroup] = ()) -> Commands:
    """All commands of a chat. `help_text` is what `/help` says; `groups` are the user's own groups of rules."""
    rule_groups = tuple(groups)

    async def rules(call: CommandCall, sources: Sources) -> Shared:
        paths = (call.argument,) if call.argument else sources.in_context
        found = await find_rules(paths, sources, groups=rule_groups, always=True)
        if not found.messages:
            return Shared(notices=("/rules: no rules apply here", *found.notices))
        names = ", ".join(message.context.id[7:-8] for message in found.messages if message.context)
        return Shared(found.messages, notices=(f"/rules: {names}", *found.notices))

    async def help_(call: CommandCall, sources: Sources) -> Shared:
        if not call.bang:
            return notice(help_text())
        message = text_attachment("help", help_text(), tag=tags.HELP, item="<help>motet</help>", source="/help")
        return Shared((message,), "the help of motet")

    return Commands(
        [
            SharingCommand("file", "share a file, a range of its lines, or the list of a directory", "PATH[:10-40]…", _file, "File to share"),
            SharingCommand("buffer", "share a buffer of the editor", "NUMBER|NAME", _buffer, "Buffer to share"),
            SharingCommand("fetch", "share a page as text; `/fetch!` its address alone", "URL", _fetch, "Address of the page", contains_code=False),
            SharingCommand("symbols", "share the outline of a file", "PATH", _symbols, "File to outline"),
            SharingCommand("image", "share a picture or a PDF", "PATH|URL", _image, "Picture to share", contains_code=False),
            SharingCommand("rules", "share the rules files that apply, to PATH or to what is shared", "[PATH]", rules),
            SharingCommand("help", "what can be done here; `/help!` shares it with the model", "", help_, contains_code=False),
            *CHAT_COMMANDS,
        ]
    )  # fmt: skip


def _words(argument: str) -> list[str]:
    """The paths in an argument: at blanks, where no quotes hold them together."""
    return [a or b or c for a, b, c in re.findall(r"\"([^\"]+)\"|'([^']+)'|(\S+)", argument)]
