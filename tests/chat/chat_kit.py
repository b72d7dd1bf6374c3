"""A chat of real parts: a provider over real HTTP that refuses what real ones refuse, a history on the disk, files."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.desk_kit import Deciding

from motet.chat import Chat, ChatEvent, ChatOptions, ChatParts, Ended
from motet.chat.parts import Context
from motet.context import Known, Sources, built_in_variables, sharing_commands
from motet.history import ChatInfo, History
from motet.messages import Message, MessageStack, tags
from motet.models import Limits
from motet.models.keys import KeySource
from motet.models.protocol import Model, Price
from motet.models.providers.anthropic import AnthropicMessages
from motet.models.providers.dialect import Dialect
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.http_model import HttpModel
from motet.models.providers.openai_compatible import ChatCompletions
from motet.models.providers.openai_responses import OpenAIResponses
from motet.models.providers.pydantic_ai.model import PydanticModel
from motet.models.providers.pydantic_ai.service import Service
from motet.models.providers.retry import RetryPolicy
from motet.models.scripted import ScriptedServer, Step
from motet.models.scripted.answers import Answering
from motet.permissions import Ask, Gate, GrantStore, Rule, RuleSet, Verdict
from motet.tools import EditDesk, Tool
from motet.tools.groups import ToolSet, names_in
from motet.tools.kit import Kit
from motet.tools.registry import ToolRegistry
from motet.workspace import Checkpoints, DiskWorkspace


@dataclass
class Talk:
    """One chat with its surroundings; `events` are those of the last turn."""

    chat: Chat
    server: ScriptedServer
    root: Path
    events: list[ChatEvent] = field(default_factory=list)

    async def say(self, text: str) -> Ended:
        """A whole turn; how it ended."""
        return await self.hear(self.chat.send(text))

    async def hear(
        self, turn: AsyncGenerator[ChatEvent], on_event: Callable[[ChatEvent], None] = lambda _: None
    ) -> Ended:
        """All events of a turn; how it ended."""
        self.events = []
        async with aclosing(turn) as events:
            async for event in events:
                self.events.append(event)
                on_event(event)
        ended = self.events[-1]
        assert isinstance(ended, Ended)
        return ended

    @property
    def told(self) -> list[tuple[str, str]]:
        """Who said what, as the stack has it, without prompts."""
        hidden = (tags.SYSTEM_PROMPT, tags.TOOL, tags.TOOL_SYSTEM_PROMPT)
        return [(message.role.value, message.text) for message in self.chat.messages if message.tag not in hidden]


def scripted_model(
    server: ScriptedServer, dialect: str, limits: Limits | None = None, price: Price | None = None
) -> Model:
    """A model of `server` that speaks `dialect`, and does not wait before it tries again."""

    async def sleep(_: float) -> None:
        return

    mappings: dict[str, Dialect] = {
        "anthropic": AnthropicMessages("acme", "m-1", 4_096),
        "openai": ChatCompletions("acme", "m-1"),
        "openai-responses": OpenAIResponses("acme", "m-1"),
    }
    endpoint = Endpoint.parse("acme", server.url if spoken(dialect) == "anthropic" else f"{server.url}/v1", 30.0)
    limits = limits or Limits(100_000, 4_096)
    key = KeySource("env:ACME_API_KEY", {"ACME_API_KEY": "sk-canary-0123456789abcdef"}, "acme")
    retry = RetryPolicy(retries=2, longest_delay=60.0, sleep=sleep, jitter=lambda: 1.0, now=lambda: 0.0)
    if dialect == "pydantic-ai":
        service = Service("acme", "anthropic", "m-1", endpoint.base_url, 30.0)
        return PydanticModel(service, endpoint, limits, price, key, {}, retry)
    return HttpModel(
        model="m-1", dialect=mappings[dialect], endpoint=endpoint, limits=limits, price=price, key=key, retry=retry
    )


def spoken(dialect: str) -> str:
    """What is spoken on the wire."""
    return "anthropic" if dialect == "pydantic-ai" else dialect


@asynccontextmanager
async def talking(
    tmp_path: Path,
    script: Sequence[Step] | Answering,
    dialect: str = "openai",
    *,
    tools: Sequence[str] = (),
    options: ChatOptions | None = None,
    limits: Limits | None = None,
    stored: str = "",
    shares: bool = False,
    rules: Sequence[Rule] = (Rule.parse("send", Verdict.ALLOW),),
    own: Sequence[Tool] = (),
    ask: Ask | None = None,
    door: Callable[[Model], Model] | None = None,
    price: Price | None = None,
) -> AsyncGenerator[Talk]:
    """A chat with a provider that follows `script`; `stored`: the chat with this id, opened again. `own` tools can be
    handed over by name; `ask` puts questions; requests go through `door`."""
    root, state = tmp_path / "project", tmp_path / "state"
    root.mkdir(exist_ok=True)
    async with ScriptedServer(script) as server, History.open(state) as history:
        gate = Gate(root, RuleSet(rules), GrantStore(state), ask)
        workspace = DiskWorkspace(root, gate=gate, checkpoints=Checkpoints(state, root))
        desk = EditDesk(workspace, Deciding())
        kit = Kit(workspace, lambda: desk, gate, state / "outputs")
        registry = ToolRegistry(kit, own={tool.spec.name: tool for tool in own}, edit_format="replace_in_file")
        parts = ChatParts(gate, history, state / "outputs", options or ChatOptions(titles=False))
        parts.door = door or parts.door
        if shares:
            known, sources = Known(built_in_variables()), Sources(workspace, gate)
            parts.context = Context(known, sources, (), sharing_commands(lambda: "help"))
        model = scripted_model(server, dialect, limits, price)
        if stored:
            kept = await history.load(stored)
            parts.tools = ToolSet(registry, handed=names_in(kept.messages))
            chat = Chat(parts, kept.info, model, kept.messages, notes=kept.notes)
            if not kept.messages:  # killed before the first of them, or only a draft was kept
                chat.begin([Message.system("You are motet.", tags.SYSTEM_PROMPT)], tools)
        else:
            parts.tools = ToolSet(registry)
            info = ChatInfo(workspace=str(root))

            async def create() -> None:
                await history.create(info)

            parts.create = create
            chat = Chat(parts, info, model)
            chat.begin([Message.system("You are motet.", tags.SYSTEM_PROMPT)], tools)
        yield Talk(chat, server, root)
        await chat.close()
        MessageStack(*chat.messages)  # valid, whatever happened
        if chat.messages[-1].meta.cycle:
            kept = await history.load(chat.id)
            assert kept.messages == chat.messages
        assert server.refused == []
