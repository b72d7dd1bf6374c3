"""Writing to boards, as steps of a transaction: many posts at once, each stored with its deliveries, or refused.

A post exists when the transaction has been committed. Numbers have no gaps: they are given out in it, by one row, and
writers take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from motet.board import causes, chains, finding
from motet.board.agents import AGENT, agent_of
from motet.board.database import Asked, Tx, marks
from motet.board.directory import BOARD, board_of
from motet.board.errors import BoardError
from motet.board.limits import Limits, Rates, agent_rate, board_rate, pair_rate
from motet.board.members import REGISTRY, Members, Membership
from motet.board.mentions import Called
from motet.board.notices import is_told, notify, refused
from motet.board.reached import Reached
from motet.board.rows import POST, delivery_values, post_of, post_values
from motet.board.schema import ROW
from motet.board.screening import checked_body, kind_of, screen
from motet.board.values import Agent, AgentKind, Board, Budget, Draft, NoticeKind, Post, Posted, PostKind, Told
from motet.errors import MotetError
from motet.messages import new_id

_QUIET_KINDS = frozenset({PostKind.STATUS, PostKind.ACK})
_ALERT_EVERY = 600.0
"""Seconds between two alerts about the same busy board."""


@dataclass(slots=True)
class _Planned:
    """A draft that will be a post."""

    draft: Draft
    author: Agent
    board: Board
    kind: PostKind
    id: str
    budget: Budget
    chain: str
    called: Called
    reached: Reached

    @property
    def is_counted(self) -> bool:
        return self.author.kind is not AgentKind.HUMAN and self.kind not in _QUIET_KINDS


@dataclass(slots=True)
class Posting:
    """One transaction's posts. `members` remembers who is on which board."""

    tx: Tx
    now: float
    limits: Limits
    members: Members
    _authors: dict[str, Agent] = field(default_factory=dict[str, Agent])
    _boards: dict[str, Board] = field(default_factory=dict[str, Board])
    _there: dict[str, Membership] = field(default_factory=dict[str, Membership])
    _rates: Rates = field(default_factory=lambda: Rates(0))
    _given: frozenset[str] = frozenset()

    def append(self, drafts: Sequence[Draft]) -> list[Posted | MotetError]:
        """Store `drafts` in order; what cannot be posted is the error that says why."""
        if not drafts:
            return []
        known = self._look_up(drafts)
        outcomes: list[Posted | MotetError | _Planned] = []
        made: dict[tuple[str, str], _Planned] = {}
        for draft in drafts:
            key = (draft.author, draft.key)
            if draft.key and key in known:
                outcomes.append(Posted(known[key], was_new=False))
            elif draft.key and key in made:
                outcomes.append(made[key])
            else:
                planned = self._planned(draft)
                if isinstance(planned, _Planned):
                    made[key] = planned
                outcomes.append(planned)
        posts = self._store([planned for planned in outcomes if isinstance(planned, _Planned)])
        answers: list[Posted | MotetError] = []
        for outcome in outcomes:
            if isinstance(outcome, _Planned):
                answers.append(posts.pop(outcome.id, None) or self._again(outcome))
            else:
                answers.append(outcome)
        return answers

    # --- what may be posted ------------------------------------------------------------------------------------

    def _look_up(self, drafts: Sequence[Draft]) -> dict[tuple[str, str], Post]:
        """Ask all that the drafts need, at once; answers the posts that have keys of theirs, by author and key."""
        authors, boards = sorted({draft.author for draft in drafts}), sorted({draft.board for draft in drafts})
        keys = sorted({draft.key for draft in drafts if draft.key})
        asked: list[Asked] = [
            (f"SELECT {AGENT} FROM agents WHERE address IN ({marks(authors)})", authors),
            (f"SELECT {BOARD} FROM boards WHERE id IN ({marks(boards)})", boards),
            REGISTRY,
            causes.asks_given(authors, self.now),
            Rates.asks([*map(agent_rate, authors), *map(board_rate, boards)], self.now),
        ]
        if keys:
            asked.append((f"SELECT {POST}, send_key FROM posts WHERE send_key IN ({marks(keys)})", keys))
        found_authors, found_boards, registry, given, rates, *known = self.tx.several(asked)
        self._authors = {agent.address: agent for agent in (agent_of(self.tx, row) for row in found_authors)}
        self._boards = {board.id: board for board in map(board_of, found_boards)}
        self.members.check(registry)
        self._there = {board: self.members.of(self.tx, board, is_checked=True) for board in self._boards}
        self._given = frozenset(str(row[0]) for row in given)
        self._rates = Rates.found(rates, self.now)
        return {(str(row[4]), str(row[-1])): post_of(row) for rows in known for row in rows}

    def _planned(self, draft: Draft) -> _Planned | MotetError:
        try:
            return self._plan(draft)
        except MotetError as error:
            if draft.author in self._authors:
                refused(self.tx, draft.author, draft.board, "post", str(error), self.now)
            return error

    def _plan(self, draft: Draft) -> _Planned:
        author, board = self._authors.get(draft.author), self._boards.get(draft.board)
        if author is None or board is None:
            what = f"agent {draft.author!r}" if author is None else f"board with the id {draft.board!r}"
            raise BoardError(f"there is no {what}")
        body = checked_body(draft.body, self.limits)
        kind = kind_of(draft)
        members = self._there[board.id]
        called = members.called(body, author.address)
        caused = causes.of(self.tx, draft, author, self.now, was_given=author.address in self._given)
        answered = causes.answered(self.tx, draft.reply_to, board.id)
        reached = Reached.of(called, answered, author.address)
        screen(self.tx, author, board, kind, called, self.now, is_member=author.address in members.addresses)
        if author.kind is not AgentKind.HUMAN and kind not in _QUIET_KINDS:
            causes.refuse_ended(self.tx, author, caused, self.now)
            causes.refuse_empty_words(self.tx, author.address, board.id, body, caused, self.now)
            pairs = self._refuse_fast(author.address, board.id, reached)
            budget, chain = causes.budget(self.tx, caused, draft, self.limits, self.now)
            self._rates.add([agent_rate(author.address), board_rate(board.id), *pairs], board_rate(board.id))
        else:
            budget, chain = causes.budget(self.tx, caused, draft, self.limits, self.now)
            if author.kind is AgentKind.HUMAN:
                self._rates.human(board_rate(board.id))
        post = new_id()
        return _Planned(replace(draft, body=body), author, board, kind, post, budget, chain or post, called, reached)

    def _refuse_fast(self, author: str, board: str, reached: Reached) -> list[str]:
        """Raises `BoardRefused` for one post too many; else the names of the pairs that it counts for."""
        limits, rates = self.limits, self._rates
        pairs = [pair_rate(author, one) for one in reached.named] if limits.pair_posts is not None else []
        new = [pair for pair in pairs if pair not in rates.before]
        if new:
            sql, values = Rates.asks(new, self.now)
            rates.before |= Rates.found(self.tx.all(sql, *values), self.now).before
        causes.refuse_fast(rates, author, board, pairs, limits)
        return pairs

    # --- storing -----------------------------------------------------------------------------------------------

    def _store(self, planned: Sequence[_Planned]) -> dict[str, Posted]:
        if not planned:
            return {}
        posts = self._number(planned)
        self.tx.many(
            f"INSERT INTO posts ({POST}, row, send_key) VALUES ({marks(post_values(posts[0]))}, ?, ?)",
            [
                (*post_values(post), self.members.number(self.tx, post.board) * ROW + post.seq, one.draft.key)
                for one, post in zip(planned, posts, strict=True)
            ],
        )
        finding.add(
            self.tx, [(self.members.number(self.tx, post.board) * ROW + post.seq, post.body) for post in posts]
        )
        begun = [(one.chain, one.board.id) for one in planned if one.chain == one.id]
        chains.begin(self.tx, begun, self.limits, self.now)
        deliveries: list[tuple[object, ...]] = []
        stored = {one.id: self._deliver(one, post, deliveries) for one, post in zip(planned, posts, strict=True)}
        if deliveries:
            self.tx.many(f"INSERT INTO deliveries VALUES ({marks(deliveries[0])})", deliveries)
        for one in planned:
            if one.draft.answers:
                causes.mark_answered(self.tx, one.draft.answers, one.author.address, one.id, self.now)
        self._rates.write(self.tx)
        self._alert([one for one in planned if one.is_counted])
        return stored

    def _number(self, planned: Sequence[_Planned]) -> list[Post]:
        """The posts with the next numbers of their boards."""
        last = {board: found.last for board, found in self._boards.items()}
        posts: list[Post] = []
        for one in planned:
            last[one.board.id] += 1
            deadline, within = one.draft.deadline, one.draft.within
            if deadline is None and (one.kind is PostKind.REQUEST or within is not None):
                deadline = round(self.now + (self.limits.request_seconds if within is None else within), 3)
            posts.append(
                Post(
                    *(one.id, one.board.id, last[one.board.id], self.now, one.author.address, one.kind),
                    *(one.draft.body, one.draft.reply_to, one.chain, one.budget),
                    deadline=deadline,
                )
            )
        self.tx.many("UPDATE boards SET last = ? WHERE id = ?", [(seq, board) for board, seq in last.items()])
        return posts

    def _deliver(self, one: _Planned, post: Post, deliveries: list[tuple[object, ...]]) -> Posted:
        """Tell whom a post reaches; `deliveries` get the rows that are to be stored."""
        called, reached = one.called, one.reached
        there = self._there[post.board]  # humans use up nothing
        among = len(there.addresses - there.humans - {post.author}) if called.everyone else 0
        share = post.budget.share(max(reached.many(there.humans), among))
        values = [
            delivery_values(new_id(), post, share, recipient=address, high=high, mentioned=True, now=self.now)
            for address, high in reached.named.items()
        ]
        values += [
            delivery_values(new_id(), post, share, role=role, high=high, mentioned=True, now=self.now)
            for role, high in reached.roles.items()
        ]
        deliveries += values
        if called.everyone:
            self.tx.run(
                "INSERT INTO broadcasts (board, seq, high, among) VALUES (?, ?, ?, ?)",
                *(post.board, post.seq, int(called.everyone_high), among),
            )
        reaches = bool(values) or called.everyone
        if (
            reaches
            and one.author.kind is not AgentKind.HUMAN
            and one.kind not in _QUIET_KINDS
            and (what := post.budget.at_zero(self._reckoned(post)))
        ):
            chains.spent(self.tx, post.chain, what, self.now)
        unknown = tuple(Told(told.text, told.why, told.nearest) for told in called.unknown)
        whom = (*reached.named, *(f"role:{role}" for role in reached.roles))
        return Posted(post, whom, called.everyone, unknown)

    def _reckoned(self, post: Post) -> float:
        """What time it is for the budget of a post's chain."""
        return self.tx.reckoned(f"chain {post.chain}", post.budget.until, self.limits.seconds, self.now)

    def _again(self, planned: _Planned) -> Posted:
        """A draft whose key stood twice in one transaction."""
        row = self.tx.one(f"SELECT {POST} FROM posts WHERE id = ?", planned.id)
        assert row is not None
        return Posted(post_of(row), was_new=False)

    def _alert(self, planned: Sequence[_Planned]) -> None:
        """Agents that write fast are told to the human, once in a while; and which of them may write no more."""
        boards = {one.board.id: one.board for one in planned}
        for what, whose in self._rates.used_up(self.limits):
            board = next(
                one.board for one in planned if whose in (board_rate(one.board.id), agent_rate(one.author.address))
            )
            name = board.name if whose == board_rate(board.id) else whose.partition(":")[2]
            notify(self.tx, board.id, NoticeKind.STOPPED, f"{name}: {what}", self.now, about=whose)
        for board in boards.values():
            many = self._rates.count(board_rate(board.id))
            since = self.now - _ALERT_EVERY
            if many >= self.limits.alert and not is_told(self.tx, NoticeKind.BUSY, board.id, since):
                text = f"agents have written {many} posts on {board.name} within a minute"
                notify(self.tx, board.id, NoticeKind.BUSY, text, self.now, about=board.id)
