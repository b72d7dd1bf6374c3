"""Variables that an editor knows: buffers, selection, what is on the screen, its lists and messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from motet.context.attachment import item_id, numbered, text_attachment, wrap
from motet.context.editor import Buffer, Editor, Excerpt
from motet.context.files import file_name
from motet.context.sources import Shared, Sources, notice
from motet.context.symbols import LineRange
from motet.messages import ContextRef, Message, Text, tags

Expand = Callable[[str | None, Editor, Sources], Awaitable[Shared]]


@dataclass(frozen=True, slots=True)
class EditorVariable:
    """One variable that needs an editor; without one it says so."""

    name: str
    description: str
    run: Expand
    contains_code: bool = True
    has_params: bool = False

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        """See `Variable`."""
        if sources.editor is None:
            return notice(f"#{self.name}: there is no editor here; name a file instead, as in @/src/a.py")
        return await self.run(param, sources.editor, sources)


def buffer_attachment(
    buffer: Buffer, sources: Sources, *, lines: LineRange | None = None, tag: str = tags.BUFFER, source: str = ""
) -> Message:
    """A buffer, or lines of it: number, name, path, file type, and its text with line numbers."""
    attributes = {
        "filepath": buffer.path or buffer.name,
        "buffer": buffer.number,
        "name": PurePosixPath(buffer.name).name if buffer.path else "",
        "filetype": buffer.filetype,
    }
    kind = "buf" if tag == tags.BUFFER else tag
    shown = buffer.path or buffer.name or f"buffer {buffer.number}"
    context = ContextRef(item_id(kind, file_name(shown, lines)), path=sources.absolute(buffer.path))
    text = wrap("attachment", numbered(buffer.text, lines), attributes)
    return Message.attachment(Text(text), context=context, tag=tag, source=source)


def buffer_words(buffer: Buffer) -> str:
    """How a sentence speaks of it: ``buffer 7 (`server.ts`)``."""
    name = PurePosixPath(buffer.name).name
    return f"buffer {buffer.number} (`{name}`)" if name else f"buffer {buffer.number} (without a name)"


async def share_buffer(buffer: Buffer, sources: Sources, source: str) -> Shared:
    """One buffer, when the gate lets its file be shared. Raises `PermissionDenied`."""
    if file := buffer.path or buffer.name:
        await sources.ask(file)
    return Shared((buffer_attachment(buffer, sources, source=source),), buffer_words(buffer))


def find_buffer(buffers: Sequence[Buffer], wanted: str) -> Buffer | None:
    """The buffer of this number, path or name; of several with one name the first."""
    for buffer in buffers:
        if wanted in (str(buffer.number), buffer.path, buffer.name, PurePosixPath(buffer.name).name):
            return buffer
    return None


async def _buffer(param: str | None, editor: Editor, sources: Sources) -> Shared:
    buffers = await editor.buffers() or ()
    if param:
        buffer = find_buffer(buffers, param.strip())
        if buffer is None:
            names = ", ".join(f"{each.number} {PurePosixPath(each.name).name}" for each in buffers[:10]) or "none"
            return notice(f"#buffer: there is no buffer {param.strip()!r}; there are: {names}")
    else:
        cursor = await editor.cursor()
        buffer = next((each for each in buffers if cursor and each.number == cursor.buffer), None)
        if buffer is None:
            return notice("#buffer: no buffer is open")
    return await share_buffer(buffer, sources, "#buffer")


async def _buffers(param: str | None, editor: Editor, sources: Sources) -> Shared:
    buffers = await editor.buffers() or ()
    shared = [each for each in buffers if not sources.is_secret(each.path or each.name)]
    secret = (each.path or each.name for each in buffers if each not in shared)
    left_out = tuple(f"#buffers: {name} left out, by name a secret" for name in secret)
    if not shared:
        return Shared(notices=left_out or ("#buffers: no buffer is open",))
    messages = tuple(buffer_attachment(each, sources, source="#buffers") for each in shared)
    words = "the open buffers: " + ", ".join(f"{each.number} (`{PurePosixPath(each.name).name}`)" for each in shared)
    return Shared(messages, words, left_out)


async def share_lines(excerpt: Excerpt, sources: Sources) -> Shared:
    """These lines of a buffer, as a selection. Raises `PermissionDenied`."""
    assert sources.editor is not None  # it told of the lines
    found = await _excerpt(excerpt, sources.editor, sources, tags.SELECTION)
    return Shared((found[0],), found[1]) if found else notice("that buffer holds no text to be shared")


async def _excerpt(excerpt: Excerpt, editor: Editor, sources: Sources, tag: str) -> tuple[Message, str] | None:
    buffer = next((each for each in await editor.buffers() or () if each.number == excerpt.buffer), None)
    if buffer is None:
        return None
    if file := buffer.path or buffer.name:
        await sources.ask(file)
    lines = (excerpt.first, excerpt.last)
    message = buffer_attachment(buffer, sources, lines=lines, tag=tag, source=f"#{tag}")
    return message, f"lines {lines[0]}-{lines[1]} of {buffer_words(buffer)}"


async def _selection(param: str | None, editor: Editor, sources: Sources) -> Shared:
    selection = await editor.selection()
    found = await _excerpt(selection, editor, sources, tags.SELECTION) if selection else None
    if found is None:
        return notice("#selection: nothing is selected")
    return Shared((found[0],), f"the selection ({found[1]})")


async def _viewport(param: str | None, editor: Editor, sources: Sources) -> Shared:
    found = [
        one
        for excerpt in await editor.viewport() or ()
        if (one := await _excerpt(excerpt, editor, sources, tags.VIEWPORT)) is not None
    ]
    if not found:
        return notice("#viewport: no window shows a buffer")
    return Shared(tuple(message for message, _ in found), f"what is on the screen ({'; '.join(w for _, w in found)})")


async def _quickfix(param: str | None, editor: Editor, sources: Sources) -> Shared:
    entries = await editor.quickfix()
    if not entries:
        return notice("#quickfix: the quickfix list is empty")
    lines = [
        f"{each.path}:{each.line}:{each.column}: {each.kind} {each.text}".replace(":  ", ": ") for each in entries
    ]
    return Shared((_listing(tags.QUICKFIX, "\n".join(lines)),), "the quickfix list")


async def _messages(param: str | None, editor: Editor, sources: Sources) -> Shared:
    text = await editor.messages()
    if not text:
        return notice("#messages: the editor has no messages")
    return Shared((_listing(tags.MESSAGES, text),), "the editor's messages")


async def _terminal(param: str | None, editor: Editor, sources: Sources) -> Shared:
    text = await editor.terminal()
    if not text:
        return notice("#terminal: no terminal is open in the editor, or it is empty")
    return Shared((_listing(tags.TERMINAL, text),), "the terminal's newest output")


def _listing(tag: str, text: str) -> Message:
    return text_attachment(tag, text, tag=tag, item=f"<{tag}></{tag}>", source=f"#{tag}")


EDITOR_VARIABLES: tuple[EditorVariable, ...] = (
    EditorVariable("buffer", "the current buffer; `#buffer{7}` or `#buffer{name}` another", _buffer, has_params=True),
    EditorVariable("buffers", "all open buffers", _buffers),
    EditorVariable("selection", "what is selected", _selection),
    EditorVariable("viewport", "what the windows show", _viewport),
    EditorVariable("quickfix", "the quickfix list", _quickfix),
    EditorVariable("messages", "the editor's messages", _messages, contains_code=False),
    EditorVariable("terminal", "the newest output of the terminal", _terminal),
)
"""In the order of help."""
