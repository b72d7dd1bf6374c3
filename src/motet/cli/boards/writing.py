"""`motet board post`, `edit`, `retract`: what a human writes on boards."""

from __future__ import annotations

from collections.abc import Sequence

import click

from motet.board import GENERAL, BoardError, BoardMissing, Posted, PostKind
from motet.cli.answer import STANDARD_INPUT, piped_text
from motet.cli.boards.events import post_fields, posted_fields, write_event
from motet.cli.boards.lines import posted_spans, told_line
from motet.cli.boards.place import JSON, Place, run
from motet.errors import ExitCode, UsageError


@click.command("post", options_metavar="[OPTIONS]")
@click.argument("words", nargs=-1, metavar="[BOARD] TEXT…|-")
@click.option(
    "--kind", type=click.Choice([str(kind) for kind in PostKind]), default="message", help="What it is for."
)
@click.option("--reply-to", default="", metavar="POST", help="Answer that post: its author gets this one.")
@click.option("--key", default="", metavar="KEY", help="Sent twice with the same key it is one post.")
@click.option("--new", is_flag=True, help="Make the board when there is none of that name.")
@JSON
def post(words: tuple[str, ...], kind: str, reply_to: str, key: str, new: bool, as_json: bool) -> None:
    """Write on a board: who is mentioned gets it.

    \b
    Examples:
      motet board post "@reviewer please look at src/auth/login.ts"
      motet board post review "@All status?"
      motet board post --new release "We begin today."
      make test 2>&1 | motet board post --kind request general -
      motet board post --reply-to 12 "Yes, do that."

    One argument is the text, for the board `general`; of several the first is the board. `-` reads standard input.
    The number of the post and who gets it are printed; a mention that reaches nobody is told, with the nearest names.
    You join the board with that.

    Exit code 0: stored, 1: not stored, 2: usage, 3: what came through the pipe is no text, 4: refused by a rule.
    """

    name, text = _meant(words)
    body = piped_text("the post") if text == STANDARD_INPUT else text

    async def work(place: Place) -> None:
        board, answered = name, ""
        if reply_to:
            to = await place.post(reply_to)
            board, answered = (await place.names())[to.board], to.id
            if len(words) > 1 and (await place.board(name)).id != to.board:
                raise UsageError(f"--reply-to: that post is on the board {board}, not on {name}")
        elif name != GENERAL and not new:
            await _require(place, name)
        seat = await place.seat(board)
        if answered:
            posted = await seat.reply(answered, body, PostKind(kind), key=key)
        else:
            posted = await seat.post(body, board, PostKind(kind), key=key)
        _tell(place, posted, board, as_json)

    run(work, as_json=as_json, makes=True)


def _meant(words: Sequence[str]) -> tuple[str, str]:
    """The board and the text. Raises `UsageError` when there is nothing to post."""
    if not words:
        raise UsageError('say what to post, as in: motet board post "@reviewer please look"; - reads standard input')
    board, text = (GENERAL, words) if len(words) == 1 else (words[0], words[1:])
    return board, " ".join(text)


async def _require(place: Place, name: str) -> None:
    try:
        await place.board(name)
    except BoardMissing as error:
        raise BoardMissing(f"{error}; put a text of several words into quotes") from error


def _tell(place: Place, posted: Posted, board: str, as_json: bool) -> None:
    if as_json:
        write_event("posted", **posted_fields(posted, board))
        return
    place.out.spans(*posted_spans(posted, board), hang=2)
    for one in posted.unknown:
        place.terminal.line(told_line(one), "yellow", hang=2)


@click.command("edit")
@click.argument("which", metavar="POST")
@click.argument("words", nargs=-1, required=True, metavar="TEXT…|-")
@JSON
def edit(which: str, words: tuple[str, ...], as_json: bool) -> None:
    """Give a post of yours another text.

    \b
    Examples:
      motet board edit 12 "@reviewer please look at src/auth/session.ts"
      motet board edit review#3 - < text.md

    Who is newly mentioned gets it; who is mentioned no more and has not read it does not. `export --json` keeps the
    earlier text. Exit code 4: it is somebody else's.
    """

    body = piped_text("the post") if words == (STANDARD_INPUT,) else " ".join(words)

    async def work(place: Place) -> None:
        post = await place.post(which)
        posted = await place.boards.edit(post.id, await _author(place), body)
        _tell(place, posted, (await place.names())[post.board], as_json)

    run(work, as_json=as_json)


@click.command("retract")
@click.argument("which", nargs=-1, required=True, metavar="POST…")
@JSON
def retract(which: tuple[str, ...], as_json: bool) -> int:
    """Take posts of yours back: they stay in the log, marked, and who has not read them does not get them.

    \b
    Examples:
      motet board retract 12
      motet board retract review#3 review#4

    Exit code 1: one of them could not be taken back; the others were. 4: it was the only one, and somebody else's.
    """

    async def work(place: Place) -> int:
        author, names = await _author(place), await place.names()
        failed: list[BoardError] = []
        for one in which:
            try:
                post = await place.post(one)
                taken = await place.boards.retract(post.id, author)
            except BoardError as error:
                if len(which) == 1:
                    raise
                failed.append(error)
                continue
            if as_json:
                write_event("post", **post_fields(taken, names[taken.board]))
            else:
                place.terminal.line(f"{names[taken.board]}#{taken.seq}: taken back")
        for error in failed:
            place.terminal.line(f"motet: {error}", hang=7)
        return ExitCode.PROBLEMS_REMAIN if failed else ExitCode.DONE

    return run(work, as_json=as_json)


async def _author(place: Place) -> str:
    """The human's address; empty for one who never wrote: nothing is his."""
    me = await place.me()
    return me.address if me else ""
