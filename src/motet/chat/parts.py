"""What a chat works with; the engine puts it together, tests put together their own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from motet.chat.events import ChatEvent, Ended, Level, Notice
from motet.chat.hooks import Hooks
from motet.context import Commands, Known, Library, RuleGroup, Sources
from motet.errors import MotetError
from motet.history import ChatInfo, History
from motet.messages import Message
from motet.models.protocol import Model
from motet.permissions import Gate
from motet.tools import Tool, Toolbox
from motet.turn import (
    CostLimit,
    Limit,
    ProgressLimit,
    RepeatLimit,
    RoundLimit,
    Spending,
    TimeLimit,
    TokenLimit,
    require_price,
)

if TYPE_CHECKING:
    from motet.tools import EditDesk


class Work(StrEnum):
    """Kinds of work that may each have a model of its own."""

    CHAT = "chat"
    EDIT = "edit"
    TITLE = "title"
    COMPACT = "compact"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Limits and habits of a chat.

    `rounds`: answers in a turn. `repeats`: times that a model may make the same call in a turn. `fruitless`: answers in a
    row that lead to nothing. `max_tokens`, `max_cost` (dollars), `max_minutes`: of a turn. `max_prompt_tokens`: of a request, besides the model's window. `keep_cycles`:
    newest turns that no summary takes in. `tool_timeout`: seconds. `titles`: whether a model names chats.
    `context_last`: what is shared comes behind the human's text.
    """

    rounds: int = 50
    repeats: int = 3
    fruitless: int = 8
    max_minutes: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_prompt_tokens: int | None = None
    keep_cycles: int = 3
    tool_timeout: float = 600.0
    titles: bool = True
    context_last: bool = False

    @property
    def limits(self) -> list[Limit]:
        """The limits of a turn."""
        limits: list[Limit] = [RoundLimit(self.rounds), RepeatLimit(self.repeats), ProgressLimit(self.fruitless)]
        limits += [TimeLimit(self.max_minutes)] if self.max_minutes else []
        limits += [TokenLimit(self.max_tokens)] if self.max_tokens else []
        limits += [CostLimit(self.max_cost)] if self.max_cost else []
        return limits

    def require_price(self, model: Model) -> None:
        """Raises `UsageError` where a turn may cost so many dollars and nobody knows what `model` costs."""
        if self.max_cost is not None:
            require_price(model, "chat.max_cost", "chat.max_tokens")


@dataclass(frozen=True, slots=True)
class Context:
    """What can be shared: the names that are `known` in a text, the `sources` of what they stand for, the user's own rules,
    slash commands, and prompts."""

    known: Known
    sources: Sources
    rules: tuple[RuleGroup, ...] = ()
    commands: Commands = field(default_factory=Commands)
    library: Library = field(default_factory=Library)


class Tools(Protocol):
    """The tools that a chat may be handed."""

    def handed_over(self) -> list[Tool]:
        """Those that it was handed, in order."""
        ...

    def hand_over(self, name: str) -> list[Message]:
        """Hand over a tool or a group; its prompts, if it has any that the conversation does not hold yet."""
        ...

    def take_away(self, name: str) -> list[str]:
        """Take it away again; the lines of the context block that go with it."""
        ...

    def copy(self) -> Tools:
        """The same, to try something with."""
        ...

    @property
    def system_prompt(self) -> str | None:
        """What takes the place of the system prompt; None: nothing."""
        ...

    @property
    def plans(self) -> bool:
        """Plan mode: nothing that a model wants to write or run happens."""
        ...

    @property
    def known(self) -> Mapping[str, str]:
        """What can be handed over: by name what it is for."""
        ...


class NoTools:
    """A chat without tools."""

    def handed_over(self) -> list[Tool]:
        """See `Tools`."""
        return []

    def hand_over(self, name: str) -> list[Message]:
        """See `Tools`."""
        return []

    def take_away(self, name: str) -> list[str]:
        """See `Tools`."""
        return []

    def copy(self) -> Tools:
        """See `Tools`."""
        return self

    @property
    def system_prompt(self) -> str | None:
        """See `Tools`."""
        return None

    @property
    def plans(self) -> bool:
        """See `Tools`."""
        return False

    @property
    def known(self) -> Mapping[str, str]:
        """See `Tools`."""
        return {}


class Arrivals(Protocol):
    """What others send to a chat: it opens a turn, or joins one between two rounds of the model."""

    @property
    def limits(self) -> Sequence[Limit]:
        """Limits of the turn that runs, besides the chat's own."""
        ...

    async def opening(self) -> Sequence[Message] | None:
        """What opens a turn; nothing where one that broke off is to go on. None: there is nothing to do."""
        ...

    async def begun(self) -> None:
        """A turn has begun: what opens it is kept."""
        ...

    async def joining(self, spending: Spending) -> Sequence[Message]:
        """What joins the turn that runs, which has used `spending` so far. Called before each request."""
        ...

    async def kept(self, messages: Sequence[Message]) -> Sequence[ChatEvent]:
        """These of `opening` or `joining` are stored; what the human is told."""
        ...

    async def held(self) -> str:
        """Why nothing more may be done in this turn; empty when it may go on. Called before each tool call."""
        ...

    async def ended(self, ended: Ended, spending: Spending) -> Sequence[ChatEvent]:
        """A turn that had begun is over; what the human is told."""
        ...


class NoArrivals:
    """A chat to which nobody sends anything."""

    limits: Sequence[Limit] = ()

    async def opening(self) -> Sequence[Message] | None:
        """See `Arrivals`."""
        return None

    async def begun(self) -> None:
        """See `Arrivals`."""

    async def joining(self, spending: Spending) -> Sequence[Message]:
        """See `Arrivals`."""
        return ()

    async def kept(self, messages: Sequence[Message]) -> Sequence[ChatEvent]:
        """See `Arrivals`."""
        return ()

    async def held(self) -> str:
        """See `Arrivals`."""
        return ""

    async def ended(self, ended: Ended, spending: Spending) -> Sequence[ChatEvent]:
        """See `Arrivals`."""
        return ()


ModelFor = Callable[[Work, Model], Awaitable[Model]]
"""The model for a kind of work; the chat's own, which is given, where the user named no other."""


async def same_model(work: Work, model: Model) -> Model:
    """One model for everything."""
    return model


def same(model: Model) -> Model:
    """Requests go out as they are."""
    return model


def unheard(_: ChatEvent) -> None:
    """No turn runs: nobody listens."""


def same_tools(_: Model) -> None:
    """Every model gets the same tools."""


def unlogged(_: MotetError) -> None:
    """What ended a turn is told, and nothing more."""


def plainly(_: str) -> AbstractAsyncContextManager[None]:
    """Nothing is done around a turn."""
    return nullcontext()


async def nothing() -> None:
    """Nothing has to happen."""


@dataclass(slots=True)
class ChatParts:
    """`outputs`: a private directory for outputs that are too long for a model; None: they are cut. `desk`: the one that
    all edits of the chat pass; None where there are no files. `about`: the file that edits are for which name none.
    `applies`: what a human types to have the edits of an answer applied."""

    gate: Gate
    history: History | None = None
    outputs: Path | None = None
    options: ChatOptions = ChatOptions()
    model_for: ModelFor = same_model
    context: Context | None = None
    tools: Tools = field(default_factory=NoTools)
    desk: Callable[[], EditDesk] | None = None
    about: str = ""
    applies: str = "motet apply last"
    hooks: Hooks = field(default_factory=Hooks)
    arrivals: Arrivals = field(default_factory=NoArrivals)
    create: Callable[[], Awaitable[None]] | None = None
    """Makes a new chat known to the history; None: it is known."""
    around_turn: Callable[[str], AbstractAsyncContextManager[None]] = plainly
    """Around each turn, with the first words of what the human said: what it writes can be taken back together."""
    door: Callable[[Model], Model] = same
    """The way out for the requests to a model."""
    used: Callable[[Model], None] = same_tools
    """Hears which other model goes on."""
    failed: Callable[[MotetError], None] = unlogged
    """Hears what ended a turn: the events have the one line, this has where it came from."""
    before_asking: Callable[[], Awaitable[None]] = nothing
    """Set by the chat; to be awaited before a human is asked anything: all that happened is on the screen then."""
    tell: Callable[[ChatEvent], None] = unheard
    """Set by the chat: the next event of its turn."""

    def warn(self, line: str) -> None:
        """Tell the human `line` as a warning."""
        self.tell(Notice(line, Level.WARNING))

    def toolbox(self, timeout: float, tools: Tools | None = None) -> Toolbox:
        """The tools of a turn: those that were handed over, or those of `tools`."""
        held = None if isinstance(self.arrivals, NoArrivals) else self.arrivals.held
        handed = (tools or self.tools).handed_over()
        return Toolbox(
            handed, outputs=self.outputs, timeout=timeout, plans=self.gate.plans, held=held, about=self.about
        )

    async def rename(self, info: ChatInfo, title: str) -> ChatInfo:
        """The chat with a new title, kept."""
        if self.history is not None:
            await self.history.rename(info.id, title)
        return replace(info, title=title)

    async def update(self, info: ChatInfo, model: str, cycles: int, messages: int, spent: Spending) -> ChatInfo:
        """The chat with what a turn of `model` has `spent` added, kept."""
        info = replace(
            info,
            model=model,
            cycles=cycles,
            messages=messages,
            cost=info.cost + spent.cost,
            tokens=info.tokens + spent.usage.total,
        )
        if self.history is not None:
            await self.history.update(info.id, model=info.model, cost=info.cost, tokens=info.tokens)
        return info
