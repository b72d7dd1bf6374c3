"""The next request in the user's own editor: what is saved there is what will be sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from motet.chat import CannotChange, Chat
from motet.cli.editor import edit_text
from motet.engine.acts import changes_made
from motet.errors import WorkspaceError
from motet.messages import new_id
from motet.paths import state_dir
from motet.visible import one_line


async def edit_request(chat: Chat, text: str, in_editor: Callable[[], AbstractContextManager[None]]) -> str:
    """Have the next request of `chat`, with the message `text`, changed; what came of it, in one line.

    What cannot be is opened again, its reason in the first line. Who leaves it so has changed nothing, and what was
    written is kept in a file. Raises `UsageError` when the editor cannot be started, `MotetError`.
    """
    inspection = await chat.inspect(text)
    shown = inspection.text
    while True:
        with in_editor():
            edited = await edit_text(shown, "request.md")
        if edited == shown:
            return "Nothing was changed." if shown == inspection.text else _given_up(edited)
        if edited.startswith("── "):
            edited = f"\n{edited}"  # the line for a reason
        try:
            return changes_made(await chat.change(inspection, edited))
        except CannotChange as error:
            _, _, rest = edited.partition("\n")
            shown = f"{one_line(str(error))}; mend it, or leave it so, and nothing is changed\n{rest}"


def _given_up(edited: str) -> str:
    """Keep what was written; says where."""
    file = state_dir() / f"request-{new_id()}.md"
    try:
        file.touch(mode=0o600)
        file.write_bytes(edited.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise WorkspaceError(f"{file}: {error.strerror}; what you wrote is not kept") from error
    return f"Nothing was changed; what you wrote is in {file}."
