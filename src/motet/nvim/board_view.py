"""One board in one buffer, with the draft below it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

from motet.board import Post, Posted
from motet.engine.board_drafts import Typed
from motet.engine.human_boards import HumanBoard
from motet.errors import MotetError
from motet.nvim.board_page import BoardPage
from motet.nvim.rpc import Peer
from motet.tasks import background


class BoardView:
    """The page of `board` in `buffer`, as it comes."""

    def __init__(self, peer: Peer, buffer: int, board: HumanBoard) -> None:
        self.buffer = buffer
        self.board = board
        self._peer = peer
        self._page = BoardPage(peer, buffer, board)
        self._following: asyncio.Task[None] | None = None
        self._older = asyncio.Lock()
        self._names: list[str] = []
        self._warned: set[str] = set()  # of what cannot be stored
        self._shown = 0  # the number of the newest post that is drawn: what is not cannot have been seen

    async def show(self) -> None:
        """Draw the newest posts, give what was typed here before, and read along from now on."""
        self._tell_names()
        kept = self.board.draft.kept
        self._tell("attached", self._status(), self.board.board.id)
        self._page.show()
        if kept.typed.text:
            typed = kept.typed
            self._tell("typed", typed.text, typed.key, typed.edits, typed.under)
        await self._page.drawn()
        self._shown = self.board.following.last
        self._tell("status", self._status())
        self._following = background(self._follow())
        self._tell_only_read()

    async def send_again(self) -> None:
        """Post what was sent by a process that ended before it knew that it was stored."""
        for sent in self.board.draft.kept.sent:
            await self.post(sent)

    def redraw(self) -> None:
        """Draw all of it anew: somebody else changed what was drawn."""
        self._page.show()

    async def older(self) -> None:
        """Show some older posts, above the others."""
        async with self._older:
            if posts := await self.board.following.read_older():
                self._page.put_above(posts)
                await self._page.drawn()
            self._tell("status", self._status())

    async def seen(self, to: int) -> None:
        """The human has seen the page up to post `to`."""
        await self.board.seen(to)
        self._tell("status", self._status())
        self._tell_only_read()

    async def post(self, typed: Typed) -> None:
        """Post what was typed; what cannot be posted is typed again."""
        try:
            posted = await self.board.post(typed)
        except MotetError as error:
            self._tell("returned", typed.key)
            self._peer.tell("notice", self.buffer, "error", str(error))
            return
        except Exception:
            self._tell("returned", typed.key)
            raise
        self._tell("posted", typed.key, _said_of(posted.post))
        if told := _unreached(posted):
            self._peer.tell("notice", self.buffer, "warn", told)

    async def keep(self, typed: Typed) -> None:
        """Keep what is typed; where that cannot be stored, it is told once."""
        try:
            await self.board.keep(typed)
        except MotetError as error:
            self._warn_once(str(error))
            return
        self._tell("kept", typed.text)

    async def edit(self) -> None:
        """Have the human's last post changed in the draft. Raises `MotetError`."""
        post = await self.board.last_own()
        self._tell("edit", post.id, post.seq, post.body)

    async def retract(self) -> None:
        """Take the human's last post back. Raises `MotetError`."""
        post = await self.board.retract()
        self._peer.tell("notice", self.buffer, "info", f"post {post.seq} on {self.board.board.name} was taken back")

    async def complete(self, number: int, text: str) -> None:
        """Tell what can stand at the end of `text`, the draft up to the cursor, as the answer to question `number`."""
        await self.board.look_around()
        found = self.board.completions(text)
        replaced = len(text[found[0].start :].encode("utf-8", "surrogateescape")) if found else 0
        rows = [[one.text, one.display, one.description] for one in found]
        self._peer.tell("completed", self.buffer, number, replaced, rows)

    async def close(self) -> None:
        """Read along no more."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait({self._following})
        await self.board.close()

    async def _follow(self) -> None:
        try:
            async with aclosing(self.board.following.news()) as news:
                async for one in news:
                    await self.board.look_around()
                    self._tell_names()
                    for post in one.changed:
                        self._page.change(post)
                    if one.new:
                        self._page.add(one.new)
                    for post in one.delivered:
                        self._page.change_state(post)
                    await self._page.drawn()
                    self._shown = self.board.following.last
                    self._tell("news", [*map(_said_of, one.new)], [*map(_said_of, one.changed)], self._status())
        except MotetError as error:
            self._tell("stopped", str(error))
        except Exception as error:
            self._tell("stopped", f"a defect of motet: {error!r}")
            raise

    def _tell_only_read(self) -> None:
        """Say that nothing is noted of what the human reads, and why."""
        if self.board.only_read:
            self._warn_once(f"only read, nothing is noted: {self.board.only_read}")
        else:
            self._warned.clear()

    def _warn_once(self, line: str) -> None:
        if line not in self._warned:
            self._warned.add(line)
            self._peer.tell("notice", self.buffer, "warn", line)

    def _tell_names(self) -> None:
        """The names that the editor completes by itself, because it may not wait."""
        others = [one.address for one in self.board.people if one.address != self.board.me.address]
        if others != self._names:
            self._names = others
            self._peer.tell("names", "agents", others)

    def _status(self) -> dict[str, object]:
        board = self.board
        return {
            "board": board.board.name, "me": board.me.address, "last": self._shown,
            "older": board.following.older, "unread": board.unread,
            "people": sum(one.state not in ("gone", "closed") for one in board.people),
        }  # fmt: skip

    def _tell(self, what: str, *arguments: object) -> None:
        self._peer.tell("board", what, self.buffer, *arguments)


def _said_of(post: Post) -> dict[str, object]:
    """What an event of the editor carries."""
    return {
        "id": post.id, "seq": post.seq, "author": post.author, "kind": str(post.kind), "at": post.at,
        "retracted": post.retracted,
    }  # fmt: skip


def _unreached(posted: Posted) -> str:
    """Which mentions reached nobody, and what to write instead."""
    lines: Sequence[str] = [
        f"{one.text}: {one.why}" + (f" (@{', @'.join(one.nearest)}?)" if one.nearest else "")
        for one in posted.unknown
    ]
    return "; ".join(lines)
