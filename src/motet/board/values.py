"""What boards are made of, as values. Times are seconds since 1970 (UTC), to the millisecond; costs are US dollars."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PostKind(StrEnum):
    """What a post is for. Limits hold no status and no ack back; nothing answers them."""

    MESSAGE = "message"
    PROGRESS = "progress"
    REQUEST = "request"
    DECISION = "decision"
    STATUS = "status"
    ACK = "ack"


class AgentKind(StrEnum):
    """Who takes part."""

    HUMAN = "human"
    CHAT = "chat"
    ACP = "acp"
    MCP = "mcp"


class AgentState(StrEnum):
    """What an agent does. A `GONE` one keeps its address and its inbox; `CLOSED` is gone for good."""

    IDLE = "idle"
    WORKING = "working"
    WAITING = "waiting"
    GONE = "gone"
    CLOSED = "closed"


class Policy(StrEnum):
    """When an agent answers by itself."""

    NEVER = "never"
    MENTIONED = "mentioned"
    DECIDE = "decide"
    ASK = "ask"


class DeliveryState(StrEnum):
    """Where a delivery stands: queued → leased → in_context → acked, answered or declined; or expired, dead or
    withdrawn."""

    QUEUED = "queued"
    LEASED = "leased"
    IN_CONTEXT = "in_context"
    ACKED = "acked"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    DEAD = "dead"
    WITHDRAWN = "withdrawn"


OPEN = frozenset({DeliveryState.QUEUED, DeliveryState.LEASED, DeliveryState.IN_CONTEXT})
"""States of a delivery that somebody still has to do something about."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a post may cause before a human is asked: so many `hops` of replies, `tokens`, `cost`, and until when."""

    hops: int
    tokens: int
    cost: float
    until: float

    def at_zero(self, now: float) -> str:
        """What of it is used up ("hops"); empty when something of everything is left."""
        if self.hops <= 0:
            return "hops"
        if self.tokens <= 0:
            return "tokens"
        if self.cost <= 0:
            return "money"
        return "time" if now >= self.until else ""

    def share(self, among: int) -> Budget:
        """What each of `among` recipients may cause: tokens and money are split."""
        many = max(among, 1)
        return Budget(self.hops, self.tokens // many, self.cost / many, self.until)


@dataclass(frozen=True, slots=True)
class Rights:
    """Who may do what on a board: `everyone`, or only addresses and roles (`role:reviewer`) that are named here."""

    read: tuple[str, ...] = ("everyone",)
    post: tuple[str, ...] = ("everyone",)
    all: tuple[str, ...] = ("everyone",)


@dataclass(frozen=True, slots=True)
class Board:
    """One page. `last` is the number of its newest post; `stopped`: agents' posts cause no turns until it goes on."""

    id: str
    project: str
    name: str
    created: float
    last: int
    paused: bool = False
    rights: Rights = Rights()


@dataclass(frozen=True, slots=True)
class NewAgent:
    """Who wants to take part. `identity` is what stays the same when it comes back (a chat's id); `session`: what it
    is in right now."""

    name: str
    kind: AgentKind
    identity: str
    roles: tuple[str, ...] = ()
    model: str = ""
    workspace: str = ""
    policy: Policy = Policy.MENTIONED
    session: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """One who takes part. `why`: what its state comes from, in a few words. `unread` deliveries wait for it; `tokens`
    and `cost` are what boards have made it use today (UTC). These three are known where agents are listed."""

    address: str
    name: str
    kind: AgentKind
    identity: str
    roles: tuple[str, ...]
    model: str
    workspace: str
    policy: Policy
    state: AgentState
    why: str
    paused: bool
    created: float
    seen: float
    session: str
    unread: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Draft:
    """A post that is to be. `key` makes sending it twice the same as once: the same author's same key is one post.

    `answers` is the delivery that it replies to; `causes` are other deliveries of the turn that wrote it: a post
    that was caused has no more budget than they leave. `by_human`: a human's own words began that turn, in the
    agent's chat, so that the post begins something new. `deadline`, or `within` so many seconds, is for requests; None:
    what the limits say.
    """

    board: str
    author: str
    body: str
    kind: PostKind = PostKind.MESSAGE
    reply_to: str = ""
    key: str = ""
    answers: str = ""
    causes: tuple[str, ...] = ()
    by_human: bool = False
    deadline: float | None = None
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Post:
    """One entry of a board. `seq` counts from 1 without gaps. `version` counts its texts from 1; `chain` is the post
    that began what this one belongs to."""

    id: str
    board: str
    seq: int
    at: float
    author: str
    kind: PostKind
    body: str
    reply_to: str
    chain: str
    budget: Budget
    version: int = 1
    retracted: bool = False
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A mention that reached nobody, for its author: what was written, why, and what to write instead."""

    text: str
    why: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a draft. `was_new` is false when its key had been posted before: then nothing was done."""

    post: Post
    recipients: tuple[str, ...] = ()
    everyone: bool = False
    unknown: tuple[Told, ...] = ()
    was_new: bool = True


@dataclass(frozen=True, slots=True)
class Delivery:
    """One post for one recipient. `role` is set while a role was called and nobody has claimed it. `turn` is the
    message of the recipient's conversation that carries it: the proof that it was read."""

    id: str
    post: Post
    recipient: str
    state: DeliveryState
    high: bool
    mentioned: bool
    at: float
    changed: float
    budget: Budget
    role: str = ""
    turn: str = ""
    rule: str = ""
    reason: str = ""
    cost: float = 0.0
    answer: str = ""
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a post for one of those it is for: `whom` is an address, or `role:NAME` while nobody of that role has
    claimed it. `answer`: the number of the post that answers. For `everyone` there is no state: each who has looked
    has one."""

    whom: str
    state: DeliveryState | None = None
    answer: int | None = None


class NoticeKind(StrEnum):
    """What a human is told."""

    MENTION = "mention"
    BUDGET = "budget"
    STOPPED = "stopped"
    DEAD = "dead"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for humans. `about` is what can be continued or stopped: a chain, a delivery or an agent."""

    id: int
    at: float
    board: str
    kind: NoticeKind
    text: str
    about: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """That `actor` tried `what`, and why it was refused."""

    id: int
    at: float
    actor: str
    board: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class FileLease:
    """An exclusive claim of the paths that `glob` matches, in all work trees of one repository. `token` grows with
    every claim: a writer that shows an older one is refused."""

    project: str
    glob: str
    owner: str
    token: int
    until: float
    task: str = ""
