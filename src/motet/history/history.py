"""Chats that last: the async face of the room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from motet.history.errors import ChatHeld, HistoryError
from motet.history.values import ID, ChatInfo, Hit, StoredChat
from motet.history.worker import worker
from motet.messages import Message, ulid
from motet.paths import remedy
from motet.storage.lease import Lease
from motet.storage.worker import Kind

if TYPE_CHECKING:
    import sqlite3

    from motet.history.stack import Repairs

T = TypeVar("T")


class History:
    """The stored chats of one user, in `<state>/history.db`.

    Every method may raise `HistoryError`: the file cannot be opened, read or written; `ChatMissing`: no such chat.
    What stores messages is durable when it returns. `notices` has what the user should be told once; `notice`, when it
    is given, hears of it at once, in the event loop.
    """

    def __init__(self, state: Path, notice: Callable[[str], None] | None = None) -> None:
        self.notices: list[str] = []
        self._state = state
        self._notice = notice
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker = worker(state, self._hear)
        self._repairs: dict[str, Repairs] = {}
        self._written: set[str] = set()
        self._leases: dict[str, Lease] = {}

    @classmethod
    def open(cls, state: Path, notice: Callable[[str], None] | None = None) -> History:
        """The history in the directory `state`. Nothing is opened or made before it is used."""
        return cls(state, notice)

    async def close(self) -> None:
        """Finish what waits, and let go of the file and of all leases."""
        await self._worker.close()
        for lease in self._leases.values():
            lease.close()

    async def __aenter__(self) -> History:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- one chat ---------------------------------------------------------------------------------------------

    async def create(self, info: ChatInfo) -> ChatInfo:
        """Store a new chat; its counts begin at 0."""
        from motet.history import chats

        self._written.add(info.id)
        return await self._do(Kind.DURABLE, partial(chats.create, chat=info, now=time.time()))

    async def append(self, chat_id: str, messages: Sequence[Message]) -> None:
        """Add `messages` at the end, all or none. An assistant's message ends the answer under way."""
        from motet.history import stack

        await self._change(chat_id, partial(stack.append, chat_id=chat_id, messages=tuple(messages), now=time.time()))

    async def partial(self, chat_id: str, message: Message) -> None:
        """Keep what has arrived of an answer; there is at most one in a chat. Safe from crashes, not from power cuts."""
        from motet.history import stack

        await self._change(chat_id, partial(stack.partial, chat_id=chat_id, message=message), Kind.WRITE)

    async def settle(self, chat_id: str, message: Message | None = None) -> None:
        """The answer under way becomes `message`, in one step, or vanishes."""
        from motet.history import stack

        kind = Kind.DURABLE if message is not None else Kind.WRITE
        work = partial(stack.settle, chat_id=chat_id, message=message, now=time.time())
        await self._change(chat_id, work, kind)

    async def replace(self, chat_id: str, *messages: Message) -> None:
        """Put each of `messages` in the place of the one with its id. What it said before stays in the file."""
        from motet.history import stack

        await self._change(chat_id, partial(stack.replace, chat_id=chat_id, messages=messages))

    async def remove(self, chat_id: str, message_ids: Sequence[str]) -> None:
        """Take messages out of the chat. They stay in the file."""
        from motet.history import stack

        await self._change(chat_id, partial(stack.remove, chat_id=chat_id, message_ids=tuple(message_ids)))

    async def edit(self, chat_id: str, changed: Sequence[Message], removed: Sequence[str]) -> None:
        """`replace` and `remove`, both or neither."""
        from motet.history import stack

        work = partial(stack.edit, chat_id=chat_id, changed=tuple(changed), removed=tuple(removed), now=time.time())
        await self._change(chat_id, work)

    async def load(self, chat_id: str) -> StoredChat:
        """The chat, its messages valid as a `MessageStack`.

        What an earlier process left unfinished is repaired (`StoredChat.notes`), and stored so with the first write
        to this chat; loading writes nothing.
        """
        from motet.history import stack

        stored, repairs = await self._do(Kind.READ, partial(stack.load, chat_id=chat_id))
        if repairs is not None and chat_id not in self._written:
            self._repairs[chat_id] = repairs
        else:
            self._repairs.pop(chat_id, None)
        return stored

    async def info(self, chat_id: str) -> ChatInfo:
        """What is known about a chat, also about one in the trash."""
        from motet.history import chats

        return await self._do(Kind.READ, partial(chats.get, chat_id=chat_id))

    async def rename(self, chat_id: str, title: str) -> None:
        """Give it another title."""
        await self._set(chat_id, Kind.DURABLE, title=title)

    async def set_draft(self, chat_id: str, draft: str) -> None:
        """Keep what is typed and not sent. Safe from crashes, not from power cuts."""
        await self._set(chat_id, Kind.WRITE, draft=draft)

    async def update(
        self, chat_id: str, *, model: str | None = None, cost: float | None = None, tokens: int | None = None
    ) -> None:
        """Set what is given: the model, the cost so far (dollars), the tokens so far."""
        await self._set(chat_id, Kind.DURABLE, model=model, cost=cost, tokens=tokens)

    async def fork(self, chat_id: str, before: str | None = None, new_id: str = "") -> ChatInfo:
        """A new chat (with the id `new_id`, if given) with what this one holds before the message with the id `before`;
        None: all of it, with what has arrived of an answer. Raises `HistoryError` when no branch can begin there."""
        from motet.history import chats

        fresh = new_id or ulid.new_id()
        return await self._do(
            Kind.DURABLE, partial(chats.fork, chat_id=chat_id, before=before, new_id=fresh, now=time.time())
        )

    # --- all chats --------------------------------------------------------------------------------------------

    async def list(
        self, workspace: str | None = None, limit: int = 50, before: ChatInfo | None = None, *, trash: bool = False
    ) -> list[ChatInfo]:
        """Chats, of one workspace or of all, the last changed first; `before`: those after this one, for the next
        page. `trash`: those in the trash instead."""
        from motet.history import chats

        work = partial(chats.recent, workspace=workspace, limit=limit, before=before, trash=trash)
        return await self._do(Kind.READ, work)

    async def search(self, query: str, workspace: str | None = None, limit: int = 20) -> list[Hit]:
        """Titles and messages in which all words of `query` stand (`motet.text.terms.wanted`), the newest first."""
        from motet.history import search

        return await self._do(Kind.READ, partial(search.search, query=query, workspace=workspace, limit=limit))

    async def delete(self, chat_id: str) -> None:
        """Put a chat into the trash. Raises `ChatHeld` when another process has it."""
        from motet.history import chats

        with self._held(chat_id):
            await self._do(Kind.DURABLE, partial(chats.trash, chat_id=chat_id, when=time.time()))

    async def restore(self, chat_id: str) -> None:
        """Take a chat out of the trash."""
        from motet.history import chats

        await self._do(Kind.DURABLE, partial(chats.trash, chat_id=chat_id, when=None))

    async def purge(self, chat_id: str) -> None:
        """Remove a chat for good, its text overwritten. Raises `ChatHeld` when another process has it."""
        from motet.history import chats

        with self._held(chat_id):
            await self._do(Kind.DURABLE, partial(chats.purge, chat_id=chat_id))
            await self._do(Kind.ALONE, chats.forget_purged)

    # --- who writes -------------------------------------------------------------------------------------------

    async def lease(self, chat_id: str) -> Lease | None:
        """Hold a chat for writing; None when another holds it. It ends with `Lease.close`, with this history, or with
        the process, however that ends."""
        lease = _take(self._lock_file(chat_id))
        if lease is not None:
            self._leases[chat_id] = lease
        return lease

    async def holder(self, chat_id: str) -> int | None:
        """The process that holds a chat, when that can be said."""
        return Lease.holder(self._lock_file(chat_id))

    # ----------------------------------------------------------------------------------------------------------

    def _lock_file(self, chat_id: str) -> Path:
        if not ID.fullmatch(chat_id):
            from motet.history.columns import missing

            raise missing(chat_id)
        return self._state / "leases" / chat_id

    @contextmanager
    def _held(self, chat_id: str) -> Generator[None]:
        """Hold a chat for a moment, if this history does not hold it anyway."""
        path = self._lock_file(chat_id)
        own = self._leases.get(chat_id)
        lease = None if own is not None and own.is_open else _take(path)
        if lease is None and not (own is not None and own.is_open):
            holder = Lease.holder(path)
            by = f" (process {holder})" if holder else ""
            raise ChatHeld(f"chat {chat_id} is open in another motet{by}; close it there first")
        try:
            yield
        finally:
            if lease is not None:
                lease.close()

    async def _set(self, chat_id: str, kind: Kind, **values: str | float | None) -> None:
        from motet.history import chats

        await self._do(kind, partial(chats.change, chat_id=chat_id, **values))

    async def _change(
        self, chat_id: str, work: Callable[[sqlite3.Connection], None], kind: Kind = Kind.DURABLE
    ) -> None:
        """A write to a chat's messages; what was repaired when it was loaded is stored before."""
        from motet.history import stack

        repairs = self._repairs.get(chat_id)

        def both(connection: sqlite3.Connection) -> None:
            if repairs is not None:
                stack.repair(connection, chat_id, repairs)
            work(connection)

        await self._do(kind if repairs is None else Kind.DURABLE, both)
        self._repairs.pop(chat_id, None)
        self._written.add(chat_id)

    async def _do(self, kind: Kind, work: Callable[[sqlite3.Connection], T]) -> T:
        self._loop = asyncio.get_running_loop()
        return await self._worker.do(kind, work)

    def _hear(self, line: str) -> None:
        """Called in the worker's thread."""

        def tell() -> None:
            self.notices.append(line)
            if self._notice is not None:
                self._notice(line)
            else:
                from motet.storage.aside import tell as tell_all

                tell_all(line)

        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens any more
                self._loop.call_soon_threadsafe(tell)


def _take(path: Path) -> Lease | None:
    """The lease of a chat. Raises `HistoryError`."""
    try:
        return Lease.take(path)
    except OSError as error:
        raise HistoryError(f"{path}: a chat cannot be held: {error.strerror}; {remedy(error)}") from error
