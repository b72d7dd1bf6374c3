"""`motet board list`, `show`, `search`, `export`: what stands on boards."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from motet.board import Board, DeliveryState, Fate, Post, PostKind, Query, entry, page
from motet.cli.boards.events import (
    agent_fields,
    board_fields,
    glance_fields,
    notice_fields,
    post_fields,
    whole_fields,
    write_event,
)
from motet.cli.boards.lines import draw_post, glance_spans, post_spans
from motet.cli.boards.place import ALL_PROJECTS, BOARD, COUNT, JSON, NUMBER, SCHEMA, Place, run
from motet.cli.boards.times import When
from motet.cli.columns import widest
from motet.cli.output import write_line
from motet.errors import MotetError, UsageError
from motet.visible import as_json as safe_json
from motet.visible import visible

_AT_ONCE = 500
"""Posts that are read in one go."""
_NEWEST = 50
SINCE = click.option("--since", type=When(), metavar="TIME", help="Not older: 2h, today, 18:00, 2026-01-11.")
UNTIL = click.option("--until", type=When(), metavar="TIME", help="Older than that.")
STATE = click.option(
    "--state", type=click.Choice([str(state) for state in DeliveryState]), help="With a delivery in that state."
)


@click.command("list")
@ALL_PROJECTS
@JSON
def list_boards(everywhere: bool = False, as_json: bool = False) -> int:
    """List boards: posts, the time of the newest, who is on it, what you have not read.

    \b
    Examples:
      motet board list
      motet board list --all-projects --json | jq .name

    Exit code 1: there is none.
    """

    async def work(place: Place) -> int:
        me = await place.me()
        found = await place.boards.glances(place.scope(everywhere), me.address if me else "")
        width = widest([glance.board.name for glance in found])
        for glance in found:
            if as_json:
                write_event("board", **glance_fields(glance))
                continue
            place.out.spans(*glance_spans(glance, width, everywhere), hang=width)
        if not found and not as_json:
            place.terminal.line("There is no board in this project; --all-projects shows others.", hang=2)
        return 0 if found else 1

    return run(work, as_json=as_json)


@click.command("show")
@BOARD
@click.option("-n", "--limit", type=COUNT, metavar="N", help=f"The newest N ({_NEWEST}).")
@click.option("--after", type=NUMBER, metavar="N", help="All behind post number N.")
@click.option("--all", "whole", is_flag=True, help="The whole page.")
@click.option("--author", default="", metavar="WHO", help="Only of this one, by address or name.")
@JSON
def show_board(board: str, limit: int | None, after: int | None, whole: bool, author: str, as_json: bool) -> int:
    """Show the newest posts: drawn at a terminal, as Markdown in a pipe.

    \b
    Examples:
      motet board show
      motet board show review --all | less
      motet board show --after 12 --author reviewer

    In a pipe each head says whom the post was for and what became of it: (#1; reviewer-yz2mg answered #2).
    What is drawn at a terminal counts as read by you. Times of the Markdown page are in UTC. Exit code 1: no such post.
    """
    if sum((whole, after is not None, limit is not None)) > 1:
        raise UsageError("only one of -n, --after and --all can be meant")

    async def work(place: Place) -> int:
        found = await place.board(board)
        address = await address_of(place, author)
        show = _shower(place, found, as_json)
        many = 0
        is_page = place.out.width is None and not as_json
        async for posts in _chosen(place, found, limit, 0 if whole else after, address):
            fates = await place.boards.fates(post.id for post in posts) if is_page else {}
            for post in posts:
                show(post, fates.get(post.id, ()))
            many += len(posts)
            await _seen(place, found, posts, is_drawn=place.out.width is not None and not as_json)
        if not many and not as_json:
            place.terminal.line(f"There is no such post on {found.name}; its last is {found.last}.")
        return 0 if many else 1

    return run(work, as_json=as_json)


async def _chosen(
    place: Place, board: Board, limit: int | None, after: int | None, address: str
) -> AsyncGenerator[list[Post]]:
    """The posts that are meant, in order, some at a time."""
    if after is None:
        many = limit or _NEWEST
        if not address:
            yield await place.boards.last_posts(board.id, many)
        else:
            yield (await place.boards.search(Query(author=address), [board.id], many))[::-1]
        return
    while posts := await place.boards.posts(board.id, after, _AT_ONCE):
        after = posts[-1].seq
        yield [post for post in posts if not address or post.author == address]


def _shower(place: Place, board: Board, as_json: bool) -> Callable[[Post, Sequence[Fate]], None]:
    """How a post is shown here."""
    if as_json:
        return lambda post, _: write_event("post", **post_fields(post, board.name))
    if place.out.width is not None:
        return lambda post, _: draw_post(place.out, post)
    write_line(visible(page(board, [])).removesuffix("\n"))
    return lambda post, fates: write_line("\n" + visible(entry(post, fates)).removesuffix("\n"))


async def _seen(place: Place, board: Board, posts: list[Post], *, is_drawn: bool) -> None:
    """What a human was shown is read."""
    if is_drawn and posts and (me := await place.me()):
        with place.noting():
            await place.boards.shown(me.address, board.id, [post.seq for post in posts], to=posts[-1].seq)


@click.command("search")
@click.argument("words", nargs=-1)
@click.option("-b", "--board", default="", metavar="BOARD", help="Only on this one.")
@click.option("--author", default="", metavar="WHO", help="Written by this one.")
@click.option("--mention", default="", metavar="WHO", help="Delivered to this one.")
@click.option("--kind", type=click.Choice([str(kind) for kind in PostKind]), help="For this purpose.")
@click.option("--path", default="", metavar="PART", help="With this in it, letter by letter.")
@click.option("--thread", default="", metavar="POST", help="Of what this post belongs to.")
@SINCE
@UNTIL
@STATE
@click.option("-n", "--limit", type=COUNT, default=20, metavar="N", help="At most so many (20).")
@ALL_PROJECTS
@JSON
def search_boards(words: tuple[str, ...], limit: int, everywhere: bool, as_json: bool, **asked: Any) -> int:
    """Find posts, the newest first, by words and by all else that is known of them.

    \b
    Examples:
      motet board search login done
      motet board search 排他制御 --author reviewer --since 2d
      motet board search --mention reviewer --state queued
      motet board search --path src/auth/login.ts --kind request
      motet board search --thread 12 --json

    All words have to stand in the post, quoted ones next to each other. Posts that were taken back are not found.
    Exit code 1: nothing was found.
    """
    wish = _Asked(" ".join(words).strip(), **asked)
    if wish == _Asked("", board=wish.board):
        raise UsageError("say what to look for, as in: motet board search login")

    async def work(place: Place) -> int:
        names = await place.names()
        if wish.board:
            among = [(await place.board(wish.board)).id]
        else:
            among = [one.id for one in await place.boards.boards(place.scope(everywhere))]
        query = await wish.query(place)
        if query.mention:
            with place.noting():
                await place.boards.waiting(query.mention)  # posts to everyone become deliveries
        found = await place.boards.search(query, among, limit)
        for post in found:
            if as_json:
                write_event("post", **post_fields(post, names[post.board]))
                continue
            place.out.spans(*post_spans(post, names[post.board], wish.words), hang=4)
        if not found and not as_json:
            place.terminal.line("Nothing was found.")
        return 0 if found else 1

    return run(work, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, as it was typed."""

    words: str
    board: str = ""
    author: str = ""
    mention: str = ""
    kind: str | None = None
    path: str = ""
    thread: str = ""
    since: float | None = None
    until: float | None = None
    state: str | None = None

    async def query(self, place: Place) -> Query:
        """The query that is meant. Raises `AgentMissing`, `BoardMissing`, `UsageError`."""
        return Query(
            words=self.words,
            author=await address_of(place, self.author),
            mention=await address_of(place, self.mention),
            kind=PostKind(self.kind) if self.kind else None,
            chain=(await place.post(self.thread)).chain if self.thread else "",
            path=self.path,
            after=self.since,
            before=self.until,
            state=self.state or "",
        )


async def address_of(place: Place, who: str) -> str:
    """The address of the one that is meant; empty for nobody. Raises `AgentMissing`."""
    return (await place.agent(who)).address if who else ""


@click.command("export")
@BOARD
@click.option("-o", "--output", metavar="FILE", help="Write there; must not exist. Without: standard output.")
@click.option("--json", "as_json", is_flag=True, help="One JSON event a line: nothing is left out.")
def export_board(board: str, output: str | None, as_json: bool) -> int:
    """Write a whole board, as Markdown or as JSON lines.

    \b
    Examples:
      motet board export -o general.md
      motet board export review --json > review.jsonl

    The JSON lines hold what Markdown cannot: earlier texts, posts that were taken back, deliveries and what became of
    each, budgets, who is on the board, and what humans were told.
    """

    async def work(place: Place) -> int:
        found = await place.board(board)
        with _writer(output) as write:
            if as_json:
                await _export_json(place, found, write)
            else:
                await _export_page(place, found, write)
        if output is not None:
            place.terminal.line(f"Written to {output}.")
        return 0

    return run(work, as_json=as_json)


async def _export_page(place: Place, board: Board, write: Callable[[str], None]) -> None:
    write(visible(page(board, [])).removesuffix("\n"))
    async for posts in _chosen(place, board, None, 0, ""):
        fates = await place.boards.fates(post.id for post in posts)
        for post in posts:
            write("\n" + visible(entry(post, fates.get(post.id, ()))).removesuffix("\n"))


async def _export_json(place: Place, board: Board, write: Callable[[str], None]) -> None:
    def event(name: str, /, **fields: object) -> None:
        write(safe_json({"schema": SCHEMA, "event": name, **fields}))

    event("board", **board_fields(board))
    for agent in await place.boards.agents(board.id, with_closed=True):
        event("agent", **agent_fields(agent))
    after = many = 0
    while some := await place.boards.whole(board.id, after, _AT_ONCE):
        for one in some:
            event("post", **whole_fields(one, board.name))
        after, many = some[-1].post.seq, many + len(some)
    last = 0
    while notices := await place.boards.notices(last):
        for notice in notices:
            if notice.board == board.id:
                event("notice", **notice_fields(notice, board.name))
        last = notices[-1].id
    event("end", posts=many)


@contextmanager
def _writer(output: str | None) -> Generator[Callable[[str], None]]:
    """Takes lines, for a new file or standard output."""
    if output is None:
        yield write_line
        return
    try:
        with Path(output).open("x", encoding="utf-8", newline="") as file:
            yield lambda line: print(line, file=file)
    except FileExistsError:
        raise UsageError(f"{output}: exists already; choose another name") from None
    except OSError as error:
        raise MotetError(f"{output}: {error.strerror}") from error
