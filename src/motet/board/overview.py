"""What front ends show of boards, read in few steps: all boards at a glance, a whole page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from motet.board.addresses import key
from motet.board.agents import AGENT, agent_of
from motet.board.chains import Chain, ChainState
from motet.board.database import Tx, marks
from motet.board.directory import boards, set_read
from motet.board.errors import AgentMissing
from motet.board.inbox import expand
from motet.board.members import known_of
from motet.board.mentions import preferred
from motet.board.reading import posts
from motet.board.rows import JOINED, delivery_of
from motet.board.values import Agent, Board, Delivery, DeliveryState, Fate, NewAgent, Post

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Glance:
    """One board: how many take part, when its newest post was written (None: there is none), and how many posts the
    one who looks has not read; None when it is not on the board."""

    board: Board
    members: int
    newest: float | None
    unread: int | None


@dataclass(frozen=True, slots=True)
class Whole:
    """A post with all that the store keeps of it: its earlier texts with the times at which they were replaced, its
    deliveries, whether it went to everyone, and the chain that it began, if it began one."""

    post: Post
    versions: tuple[tuple[float, str], ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    everyone: bool = False
    chain: Chain | None = None


def glances(tx: Tx, project: str | None, address: str) -> list[Glance]:
    """The boards of a project, or all, as the agent `address` sees them (empty: nobody)."""
    members = {str(board): int(many) for board, many in tx.all("SELECT board, count(*) FROM members GROUP BY board")}
    read = {
        str(board): int(seq) for board, seq in tx.all("SELECT board, read_to FROM members WHERE address = ?", address)
    }
    found: list[Glance] = []
    for board in boards(tx, project):
        row = tx.one("SELECT at FROM posts WHERE board = ? AND seq = ?", board.id, board.last)
        unread = None
        if board.id in read:
            (unread,) = tx.one(
                "SELECT count(*) FROM posts WHERE board = ? AND seq > ? AND author <> ?",
                *(board.id, read[board.id], address),
            ) or (0,)
        found.append(Glance(board, members.get(board.id, 0), float(row[0]) if row else None, unread))
    return found


def known(tx: Tx, new: NewAgent) -> Agent | None:
    """The agent with this kind and identity, if it was ever registered."""
    row = tx.one(f"SELECT {AGENT} FROM agents WHERE kind = ? AND identity = ?", new.kind, new.identity)
    return agent_of(tx, row) if row else None


def named(tx: Tx, text: str, project: str = "") -> Agent:
    """The agent with this address, or with this name on the boards of `project` (empty: anywhere), of those who share it
    the human, else the one who is there; closed ones too. Raises `AgentMissing` that names those it could be."""
    wanted = key(text.removeprefix("@"))
    agents = [agent_of(tx, row) for row in tx.all(f"SELECT {AGENT} FROM agents ORDER BY address")]
    if found := [one for one in agents if key(one.address) == wanted]:
        return found[0]
    so_called = [one for one in agents if key(one.name) == wanted]
    sql = "SELECT address FROM members WHERE board IN (SELECT id FROM boards WHERE project = ?)"
    here = {str(address) for (address,) in tx.all(sql, project)} if project else {one.address for one in agents}
    meant = {one.address for one in preferred([known_of(one) for one in so_called if one.address in here])}
    found = [one for one in so_called if one.address in meant]
    if len(found) == 1:
        return found[0]
    if found:
        raise AgentMissing(f"several agents are named {text!r}: {_listed(found)}; say which by its address")
    if so_called:
        raise AgentMissing(
            f"there is no agent {text!r} on the boards of this project; elsewhere: {_listed(so_called)}"
        )
    from rapidfuzz import fuzz, process

    words = [one.address for one in agents]
    nearest = [
        word for word, *_ in process.extract(wanted, words, scorer=fuzz.WRatio, limit=_NEAREST, score_cutoff=60)
    ]
    there = f"did you mean {', '.join(nearest)}?" if nearest else "`motet agents list` shows all"
    raise AgentMissing(f"there is no agent {text!r}; {there}")


def _listed(agents: Sequence[Agent]) -> str:
    return ", ".join(f"{one.address} ({one.state}{f', {one.workspace}' if one.workspace else ''})" for one in agents)


def whole(tx: Tx, board: str, after: int, limit: int) -> list[Whole]:
    """The posts behind number `after` with all that is kept of them, the oldest first."""
    found = posts(tx, board, after, limit)
    if not found:
        return []
    first, last, ids = found[0].seq, found[-1].seq, [post.id for post in found]
    versions: dict[str, list[tuple[float, str]]] = {}
    for post, at, body in tx.all(
        f"SELECT post, at, body FROM versions WHERE post IN ({marks(ids)}) ORDER BY post, version", *ids
    ):
        versions.setdefault(str(post), []).append((float(at), str(body)))
    deliveries: dict[str, list[Delivery]] = {}
    for row in tx.all(
        f"{JOINED} WHERE deliveries.board = ? AND deliveries.seq >= ? AND deliveries.seq <= ? ORDER BY deliveries.id",
        *(board, first, last),
    ):
        one = delivery_of(row)
        deliveries.setdefault(one.post.id, []).append(one)
    everyone = {
        int(seq)
        for (seq,) in tx.all(
            "SELECT seq FROM broadcasts WHERE board = ? AND seq >= ? AND seq <= ?", board, first, last
        )
    }
    chains = {chain.id: chain for chain in _chains(tx, ids)}
    return [
        Whole(
            *(post, tuple(versions.get(post.id, ())), tuple(deliveries.get(post.id, ()))),
            *(post.seq in everyone, chains.get(post.id)),
        )
        for post in found
    ]


def _chains(tx: Tx, ids: Sequence[str]) -> Iterable[Chain]:
    columns = "id, board, state, tokens, cost, most_tokens, most_cost"
    for row in tx.all(f"SELECT {columns} FROM chains WHERE id IN ({marks(ids)})", *ids):
        yield Chain(row[0], row[1], ChainState(row[2]), *row[3:])


def numbers(tx: Tx, ids: Iterable[str]) -> dict[str, int]:
    """The number, on its board, of each post of `ids` that is there."""
    wanted = sorted({one for one in ids if one})
    found: dict[str, int] = {}
    for at in range(0, len(wanted), 500):
        some = wanted[at : at + 500]
        rows = tx.all(f"SELECT id, seq FROM posts WHERE id IN ({marks(some)})", *some)
        found |= {str(id): int(seq) for id, seq in rows}
    return found


def fates(tx: Tx, ids: Sequence[str]) -> dict[str, tuple[Fate, ...]]:
    """What became of each of these posts, by its id; nothing for one that is for nobody."""
    found: dict[str, tuple[Fate, ...]] = {}
    for at in range(0, len(ids), 500):
        some = ids[at : at + 500]
        everyone, delivered = tx.several(
            [
                (
                    "SELECT posts.id FROM posts JOIN broadcasts ON broadcasts.board = posts.board "
                    f"AND broadcasts.seq = posts.seq WHERE posts.id IN ({marks(some)})",
                    some,
                ),
                (
                    "SELECT deliveries.post, recipient, role, state, answers.seq FROM deliveries "
                    "LEFT JOIN posts AS answers ON answers.id = deliveries.answer "
                    f"WHERE deliveries.post IN ({marks(some)}) ORDER BY deliveries.at, recipient, role",
                    some,
                ),
            ]
        )
        found |= {str(post): (Fate("everyone"),) for (post,) in everyone}
        for post, recipient, role, state, answer in delivered:
            fate = Fate(recipient or f"role:{role}", DeliveryState(state), answer)
            found[post] = (*found.get(post, ()), fate)
    return found


def calling(tx: Tx, address: str, board: str, seqs: Sequence[int]) -> list[int]:
    """Which of these posts of a board wait for an agent, posts to everyone that it has not looked at included."""
    if not seqs:
        return []
    rows = tx.all(
        "SELECT seq FROM deliveries WHERE recipient = ? AND board = ? AND state IN ('queued', 'leased') "
        f"AND seq IN ({marks(seqs)})",
        *(address, board, *seqs),
    )
    rows += tx.all(
        "SELECT broadcasts.seq FROM members JOIN broadcasts ON broadcasts.board = members.board "
        "AND broadcasts.seq > members.expanded AND broadcasts.seq > members.joined "
        "JOIN posts ON posts.board = broadcasts.board AND posts.seq = broadcasts.seq "
        "WHERE members.address = ? AND members.board = ? AND posts.author <> ? AND posts.retracted = 0 "
        f"AND broadcasts.seq IN ({marks(seqs)})",
        *(address, board, address, *seqs),
    )
    return sorted({int(seq) for (seq,) in rows})


def shown(tx: Tx, address: str, board: str, seqs: Sequence[int], now: float, to: int | None = None) -> int:
    """These posts of a board stood before a human's eyes: what was delivered of them waits no more. With `to` the board
    is read up to there. Returns how many deliveries were settled."""
    if to is not None:
        set_read(tx, board, address, to)
    if not seqs:
        return 0
    expand(tx, agent_of(tx, address), now)
    return tx.run(
        "UPDATE deliveries SET state = 'acked', rule = 'shown', changed = ? WHERE recipient = ? AND board = ? "
        f"AND state IN ('queued', 'leased', 'in_context') AND seq IN ({marks(seqs)})",
        *(now, address, board, *seqs),
    )
