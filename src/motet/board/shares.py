"""What one of several recipients may use: its equal part, and its part of what the others leave.

A post to many splits its budget among all it may reach. Some of them are gone, or answer nothing, and most need less than
they have. So whoever begins to answer gets, besides its own share, a part of what is left when all who are there have
theirs: what is used and what is promised to them is never more than the chain has.
"""

from __future__ import annotations

from collections.abc import Sequence

from motet.board import chains
from motet.board.database import Tx, marks
from motet.board.rows import JOINED, delivery_of
from motet.board.values import Delivery

_THERE = (
    "agents.kind IN ('chat', 'acp') AND agents.state IN ('idle', 'working', 'waiting') AND agents.policy <> 'never' "
    "AND agents.paused = 0"
)
"""Agents that may answer now, and whose turns are counted."""
_PROMISED = (
    "SELECT state, deliveries.tokens, money FROM deliveries JOIN posts ON posts.id = deliveries.post "
    "WHERE posts.chain = ? AND deliveries.id <> ? AND deliveries.tokens > 0 AND"
)
_NAMED = (
    f"{_PROMISED} recipient IN (SELECT address FROM agents WHERE {_THERE}) "
    "AND state IN ('queued', 'leased', 'in_context')"
)
_ROLES = f"{_PROMISED} recipient = '' AND role <> '' AND state = 'queued'"
_UNSEEN = (
    "SELECT 'queued', posts.tokens / broadcasts.among, posts.cost / broadcasts.among FROM agents "
    "JOIN members ON members.address = agents.address JOIN broadcasts ON broadcasts.board = members.board "
    "AND broadcasts.seq > members.expanded AND broadcasts.seq > members.joined "
    "JOIN posts ON posts.board = broadcasts.board AND posts.seq = broadcasts.seq "
    f"WHERE posts.chain = ? AND posts.author <> members.address AND broadcasts.among > 0 AND {_THERE}"
)


def widen(tx: Tx, deliveries: Sequence[str]) -> None:
    """Give deliveries that are being read their part of what others leave."""
    if not deliveries:
        return
    for row in tx.all(f"{JOINED} WHERE deliveries.id IN ({marks(deliveries)})", *deliveries):
        one = delivery_of(row)
        if 0 < one.budget.tokens < one.post.budget.tokens:  # it is one of several
            _widen(tx, one)


def _widen(tx: Tx, one: Delivery) -> None:
    chain = chains.get(tx, one.post.chain)
    asked = [(_NAMED, (chain.id, one.id)), (_ROLES, (chain.id, one.id)), (_UNSEEN, (chain.id,))]
    promised = [row for rows in tx.several(asked) for row in rows]
    among = 1 + sum(state != "in_context" for state, _, _ in promised)
    tokens = chain.most_tokens - chain.tokens - one.budget.tokens - sum(int(row[1]) for row in promised)
    cost = chain.most_cost - chain.cost - one.budget.cost - sum(float(row[2]) for row in promised)
    tx.run(
        "UPDATE deliveries SET tokens = tokens + ?, money = money + ? WHERE id = ?",
        *(max(tokens, 0) // among, max(cost, 0.0) / among, one.id),
    )
