"""What boards hold, as JSON lines: each has `schema`, `event`, and the fields that `docs/boards.md` lists."""

from __future__ import annotations

from dataclasses import asdict

from motet.board import Agent, Board, Budget, Chain, Delivery, Glance, Notice, Post, Posted, Refusal, Whole
from motet.cli.boards.place import SCHEMA
from motet.cli.boards.times import iso
from motet.cli.output import write_json
from motet.money import known_cost

Fields = dict[str, object]


def write_event(name: str, /, **fields: object) -> None:
    """One event on a line."""
    write_json({"schema": SCHEMA, "event": name, **fields})


def board_fields(board: Board) -> Fields:
    """Of a board; `posts` is the number of its newest post."""
    rights = {name: list(who) for name, who in asdict(board.rights).items()}
    return {
        "id": board.id, "project": board.project, "name": board.name, "created": iso(board.created),
        "posts": board.last, "paused": board.paused, "rights": rights,
    }  # fmt: skip


def glance_fields(glance: Glance) -> Fields:
    """Of a board at a glance; `unread` is null when you are not on it."""
    return board_fields(glance.board) | {
        "members": glance.members,
        "newest": iso(glance.newest),
        "unread": glance.unread,
    }


def post_fields(post: Post, board: str) -> Fields:
    """Of a post on the board of that name. `thread` is the id of the post that began what it belongs to."""
    return {
        "id": post.id, "board": board, "seq": post.seq, "at": iso(post.at), "author": post.author,
        "kind": str(post.kind), "body": post.body, "reply_to": post.reply_to or None, "thread": post.chain,
        "budget": _budget(post.budget), "version": post.version, "retracted": post.retracted,
        "deadline": iso(post.deadline),
    }  # fmt: skip


def posted_fields(posted: Posted, board: str) -> Fields:
    """Of what became of a draft."""
    return {
        "post": post_fields(posted.post, board), "recipients": list(posted.recipients), "everyone": posted.everyone,
        "unknown": [asdict(told) | {"nearest": list(told.nearest)} for told in posted.unknown],
        "was_new": posted.was_new,
    }  # fmt: skip


def delivery_fields(one: Delivery, board: str) -> Fields:
    """Of a delivery, without the post itself. `answer` is the id of a post."""
    return {
        "id": one.id, "board": board, "seq": one.post.seq, "post": one.post.id, "author": one.post.author,
        "recipient": one.recipient or None, "role": one.role or None, "state": str(one.state), "high": one.high,
        "at": iso(one.at), "changed": iso(one.changed), "budget": _budget(one.budget), "turn": one.turn or None,
        "rule": one.rule or None, "reason": one.reason or None, "cost": one.cost, "answer": one.answer or None,
        "attempts": one.attempts,
    }  # fmt: skip


def whole_fields(whole: Whole, board: str) -> Fields:
    """Of a post with all that is kept of it."""
    return post_fields(whole.post, board) | {
        "everyone": whole.everyone,
        "versions": [
            {"version": number, "replaced": iso(at), "body": body}
            for number, (at, body) in enumerate(whole.versions, 1)
        ],
        "deliveries": [delivery_fields(one, board) for one in whole.deliveries],
        "chain": chain_fields(whole.chain) if whole.chain else None,
    }


def chain_fields(chain: Chain) -> Fields:
    """Of what a post caused."""
    return {
        "state": str(chain.state), "tokens": chain.tokens, "cost": known_cost(chain.cost, chain.tokens), "most_tokens": chain.most_tokens,
        "most_cost": chain.most_cost,
    }  # fmt: skip


def agent_fields(agent: Agent) -> Fields:
    """Of one who takes part."""
    fields: Fields = asdict(agent)
    return fields | {
        "kind": str(agent.kind), "roles": list(agent.roles), "policy": str(agent.policy), "state": str(agent.state),
        "created": iso(agent.created), "seen": iso(agent.seen), "cost": known_cost(agent.cost, agent.tokens),
    }  # fmt: skip


def notice_fields(notice: Notice, board: str) -> Fields:
    """Of what humans are told."""
    return {
        "id": notice.id, "at": iso(notice.at), "board": board or None, "kind": str(notice.kind), "text": notice.text,
        "about": notice.about or None, "settled": notice.settled or None,
    }  # fmt: skip


def refusal_fields(refusal: Refusal, board: str) -> Fields:
    """Of what somebody tried and may not do."""
    fields: Fields = asdict(refusal)
    return fields | {"at": iso(refusal.at), "board": board or None}


def _budget(budget: Budget) -> Fields:
    return {"hops": budget.hops, "tokens": budget.tokens, "cost": budget.cost, "until": iso(budget.until)}
