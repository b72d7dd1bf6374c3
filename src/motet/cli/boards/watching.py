"""`motet board watch`: a board, live."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import click

from motet.board import Board, BoardError, BoardMissing, BoardTooNew, Fate, Hint, Post, Seat, Watch, entry
from motet.board.store import LOOK
from motet.cli.boards.events import notice_fields, post_fields, write_event
from motet.cli.boards.lines import draw_post, notice_spans
from motet.cli.boards.place import BOARD, JSON, NUMBER, Place, run
from motet.cli.boards.ruling import thread_of
from motet.cli.output import write_line
from motet.visible import visible

_AT_ONCE = 200
_KEPT = 200
"""Newest posts whose changes are shown; how many of them are remembered."""
_NEWEST = 10


@click.command("watch")
@BOARD
@click.option("-n", "--limit", type=NUMBER, metavar="N", help=f"Begin with the newest N ({_NEWEST}).")
@click.option("--after", type=NUMBER, metavar="N", help="Begin behind post number N.")
@click.option("--bell", is_flag=True, help="Ring the terminal's bell for what calls you.")
@JSON
def watch(board: str, limit: int | None, after: int | None, bell: bool, as_json: bool) -> None:
    """Show a board as it grows, until Ctrl-C. You join it with that; what calls you counts as read.

    \b
    Examples:
      motet board watch
      motet board watch review --bell
      motet board watch --after 12 --json | jq -r .body

    In a pipe it is Markdown, as `motet board show` writes it: each head says what has become of the post by then. A store
    that is busy for a while is waited for. Ends with the exit code 130.
    """

    async def work(place: Place) -> None:
        seat = None
        with place.noting():
            seat = await place.seat(board)
        found = await place.board(board)
        place.tell_unnoted()
        start = after if after is not None else max(found.last - (_NEWEST if limit is None else limit), 0)
        view = BoardView(place, seat, found, start, as_json=as_json, bell=bell)
        await view.run()

    run(work, as_json=as_json, makes=True)


@dataclass(slots=True)
class BoardView:
    """What was shown, in constant memory: up to `last`, and the newest posts by number, version and whether they were
    taken back. Without a `seat`, where nothing can be noted, nothing calls the human."""

    place: Place
    seat: Seat | None
    board: Board
    last: int
    as_json: bool
    bell: bool
    told: int = -1
    _shown: dict[int, tuple[int, bool]] = field(default_factory=dict[int, tuple[int, bool]])
    _failed: bool = False

    async def run(self) -> None:
        """Show what is there and what comes, for ever."""
        async with self.place.boards.watching() as watch:
            while True:
                try:
                    await self._look([])
                    self._failed = False
                    while True:
                        await self._look(await watch.next(LOOK))
                except (BoardTooNew, BoardMissing):
                    raise
                except BoardError as error:
                    await self._wait_out(error, watch)

    async def catch_up(self) -> None:
        """Show what there is and was not shown."""
        await self._look([])

    async def _wait_out(self, error: BoardError, watch: Watch) -> None:
        if not self._failed:
            self.place.terminal.line(f"{error}; still trying", "yellow", hang=2)
        self._failed = True
        await asyncio.sleep(LOOK)

    async def _look(self, hints: Sequence[Hint]) -> None:
        while posts := await self.place.boards.posts(self.board.id, self.last, _AT_ONCE):
            await self._show(posts)
        if any(hint.what == "changes" and hint.board == self.board.id for hint in hints):
            await self._changes()
        await self._notices()

    async def _show(self, posts: Sequence[Post]) -> None:
        boards, address = self.place.boards, self.seat.address if self.seat else ""
        calls = await boards.calling(address, self.board.id, [post.seq for post in posts])
        fates = await self._fates(posts)
        for post in posts:
            self._draw("post", post, "for you" if post.seq in calls else "", fates.get(post.id, ()))
            self.last = post.seq
            self._shown[post.seq] = (post.version, post.retracted)
        for seq in list(self._shown)[:-_KEPT]:
            del self._shown[seq]
        if calls and self.bell and self.place.out.moves:
            self.place.out.control("\a")
        if address:
            with self.place.noting():
                await boards.shown(address, self.board.id, calls, to=self.last)
            self.place.tell_unnoted()

    async def _changes(self) -> None:
        if not self._shown:
            return
        found = await self.place.boards.posts(self.board.id, min(self._shown) - 1, _KEPT)
        now = {post.seq: (post.version, post.retracted) for post in found}
        changed = [post for post in found if self._shown.get(post.seq, now[post.seq]) != now[post.seq]]
        fates = await self._fates(changed)
        for post in changed:
            self._shown[post.seq] = now[post.seq]
            self._draw("changed", post, "", fates.get(post.id, ()))

    async def _fates(self, posts: Sequence[Post]) -> Mapping[str, Sequence[Fate]]:
        """What became of the posts, by their ids, where heads say so."""
        if self.as_json or self.place.out.width is not None:
            return {}
        return await self.place.boards.fates(post.id for post in posts)

    async def _notices(self) -> None:
        if self.told < 0:
            self.told = await self.place.boards.last_notice()
            return
        while notices := await self.place.boards.notices(self.told):
            self.told = notices[-1].id
            for notice in notices:
                if notice.board != self.board.id:
                    continue
                if self.as_json:
                    write_event("notice", **notice_fields(notice, self.board.name))
                    continue
                thread = await thread_of(self.place, notice, self.board.name)
                self.place.terminal.spans(*notice_spans(notice, "", thread), hang=2)

    def _draw(self, event: str, post: Post, note: str, fates: Sequence[Fate]) -> None:
        if self.as_json:
            write_event(event, **post_fields(post, self.board.name))
        elif self.place.out.width is not None:
            draw_post(self.place.out, post, note)
        else:
            write_line(visible(entry(post, fates)))
