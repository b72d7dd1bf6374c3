"""Chats of one workspace: new ones, stored ones, forks; each wired to files, tools, history and models."""

from __future__ import annotations

import platform
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from motet.chat import Chat, ChatOptions, ChatParts, Context, Work
from motet.chat.parts import nothing, plainly
from motet.context import Editor
from motet.engine.boarding import Boarding
from motet.engine.claims import BoardClaims
from motet.engine.diagnosing import Diagnosing
from motet.engine.faults import FaultLog
from motet.engine.handed import edit_format, hooks_of, tool_set
from motet.engine.maps import Maps
from motet.engine.nearby import Near
from motet.engine.pages import Pages
from motet.engine.plugins import Plugged
from motet.engine.registration import Extras
from motet.engine.retrieving import Retrieving
from motet.engine.sharing import context_of
from motet.errors import MotetError
from motet.history import ChatInfo, History, Lease
from motet.messages import ContextRef, Message, Text, new_id, tags
from motet.models.protocol import Model
from motet.permissions import Action, Answer, Ask, Denial, Gate
from motet.prompts import prompt
from motet.settings import Settings
from motet.tools.board_tool import board_tools
from motet.tools.groups import ToolSet
from motet.tools.kit import Human, Kit, Nobody, Question
from motet.tools.notes import Notes
from motet.tools.registry import Maker
from motet.workspace import DiskWorkspace, KeptWorkspace

if TYPE_CHECKING:
    from motet.edits import Proposal
    from motet.engine.board_agent import BoardAgent
    from motet.tools import EditDesk, Reviewer


KEPT_BESIDE = "Draft: "
"""Titles of drafts that are kept for a chat which another process has, begin so."""
_LOOKED_THROUGH = 50
"""Newest chats among which the newest one is looked for that is no such draft."""


@dataclass(frozen=True, slots=True)
class Front:
    """Who sits in front of the chats: decides about edits, answers what tools ask, and what the gate asks.

    `editor`: what only an editor knows. `files`: of an editor in which files are open, what a chat reads and writes
    instead of the disk it is given, and who decides there in the place of `reviewer`. `name`: what it is, for the model.
    `applies`: what a human types there to have the edits in the last answer applied.
    """

    reviewer: Reviewer
    human: Human
    ask: Ask | None = None
    editor: Editor | None = None
    files: Callable[[DiskWorkspace], tuple[KeptWorkspace, Reviewer]] | None = None
    name: str = "the terminal"
    applies: str = "motet apply last"


@dataclass(frozen=True, slots=True)
class House:
    """What all chats of a workspace share. `gate` and `workspace` make a new one for each chat; `outgoing` is the door
    for its requests; `model_for` gives the model for a kind of work."""

    root: Path
    state: Path
    prompts: Path
    settings: Settings
    gate: Callable[[Ask | None], Gate]
    workspace: Callable[[Gate], DiskWorkspace]
    outgoing: Callable[[Model, str, Callable[[str], None]], Model]
    model_for: Callable[[Work], Awaitable[Model | None]]
    diagnosing: Diagnosing
    pages: Pages
    retrieving: Retrieving
    faults: FaultLog
    boarding: Boarding
    maps: Maps


@dataclass(slots=True)
class Chats:
    """The chats that this process has open. Without a `history` nothing is kept. `titles`: a model names new ones,
    where the settings let it. `plugged`: what installed plug-ins add; what has the same name goes before it."""

    house: House
    front: Front
    history: History | None
    extras: Extras = field(default_factory=Extras)
    titles: bool = False
    plugged: Plugged = field(default_factory=Plugged)
    _leases: dict[str, Lease] = field(default_factory=dict[str, Lease])
    _open: list[Chat] = field(default_factory=list[Chat])
    _tools: dict[str, ToolSet] = field(default_factory=dict[str, ToolSet])

    def new(self, model: Model, *, tools: Sequence[str] = (), id: str = "", title: str = "", about: str = "") -> Chat:
        """A chat that begins, under `id` where it has one already. `tools`: names of tools and groups that it has besides
        those of the settings; `about`: the file that edits in an answer are for which name none. Raises `UsageError` for
        a name that there is not."""
        info = ChatInfo(id=id or new_id(), title=title, workspace=str(self.house.root), model=model.name)
        chat = self._chat(info, model, is_new=True)
        chat.parts.about = about
        self._begin(chat, tools)
        return chat

    def _begin(self, chat: Chat, tools: Sequence[str] = ()) -> None:
        notes = Notes(self.house.state, self.house.root).current()
        remembered = [_notes(notes)] if notes.strip() else []
        prompts = [_system_prompt(self.house.root, self.front.name), *remembered]
        chat.begin(prompts, [*self.house.settings.tools.default, *tools])

    async def open(self, chat_id: str, model: Model) -> Chat:
        """A stored chat, to be read and, if no other process holds it, to go on. Raises `HistoryError`."""
        history = self._stored()
        lease = await history.lease(chat_id)
        try:
            stored = await history.load(chat_id)
        except BaseException:
            if lease is not None:
                lease.close()
            raise
        if lease is not None:
            self._leases[chat_id] = lease
        chat = self._chat(stored.info, model, stored.messages, writable=lease is not None, notes=stored.notes)
        if not stored.messages:  # only a draft was kept
            self._begin(chat)
        try:
            await self.house.boarding.rejoin(chat, self.front.human)
        except MotetError as error:
            chat.notes = (*chat.notes, f"this chat could not go back to its board: {error}")
        return chat

    def board_agent(self, chat: Chat) -> BoardAgent | None:
        """The place of a chat on boards, if it has one. Whoever draws the chat runs its turns."""
        return self.house.boarding.agent(chat)

    async def leave_boards(self, chat: Chat) -> None:
        """Nobody draws this chat any more: what comes for it waits until it is opened again."""
        await self.house.boarding.leave(chat)

    async def join_board(self, chat: Chat, board: str, name: str = "", roles: Sequence[str] = ()) -> BoardAgent:
        """Let a chat take part on a board, now and whenever it is opened again. Raises `MotetError`."""
        return await self.house.boarding.join(chat, board, name, roles, self.front.human)

    async def fork(self, chat: Chat, before: str | None = None) -> Chat:
        """A new chat that begins with what `chat` says before the message with the id `before`; None: with all of
        it."""
        before = before or chat.unfinished
        messages: Sequence[Message] = chat.branch(before)
        info = replace(chat.info, id=new_id(), parent=chat.id, forked_at=before or "", cost=0.0, tokens=0)
        if self.history is None or not chat.is_kept:
            return self._chat(info, chat.bare_model, messages, is_new=True)
        info = await self.history.fork(chat.id, before, info.id)
        await self._hold(info)
        stored = await self.history.load(info.id)  # with what has arrived of an answer
        return self._chat(stored.info, chat.bare_model, stored.messages)

    async def newest(self) -> ChatInfo | None:
        """The chat of this workspace that is the newest, but for drafts that are only kept for another chat."""
        found = await self._stored().list(str(self.house.root), limit=_LOOKED_THROUGH)
        own = (info for info in found if info.cycles or not info.title.startswith(KEPT_BESIDE))
        return next(own, found[0] if found else None)

    async def let_go(self, chat: Chat) -> None:
        """End what runs in one chat, and let others have it."""
        await chat.close()
        await self.house.boarding.leave(chat)
        self._open.remove(chat)
        await self._tools.pop(chat.id).close()
        lease = self._leases.pop(chat.id, None)
        if lease is not None:
            lease.close()

    async def close(self) -> None:
        """End what runs, and let others have the chats."""
        for chat in self._open:
            await chat.close()
        await self.house.boarding.close()
        for tools in self._tools.values():
            await tools.close()
        for lease in self._leases.values():
            lease.close()
        await self.house.diagnosing.close()
        await self.house.maps.close()
        await self.house.retrieving.close()

    def _stored(self) -> History:
        if self.history is None:
            raise MotetError("chats are not kept in this run; leave out --no-history")
        return self.history

    async def _keep(self, info: ChatInfo) -> None:
        if self.history is not None:
            await self._hold(info)
            await self.history.create(info)

    async def _hold(self, info: ChatInfo) -> None:
        lease = await self._stored().lease(info.id)
        if lease is not None:
            self._leases[info.id] = lease

    def _chat(
        self,
        info: ChatInfo,
        model: Model,
        messages: Sequence[Message] = (),
        *,
        writable: bool = True,
        notes: Sequence[str] = (),
        is_new: bool = False,
    ) -> Chat:
        house, settings = self.house, self.house.settings
        front = _After(self.front)
        gate = house.gate(front.ask if self.front.ask else None)
        workspace: KeptWorkspace = (disk := house.workspace(gate))
        if front.files is not None:
            workspace, front.reviewer = front.files(disk)
        claims = BoardClaims(house.boarding, info.id, house.root)

        @cache
        def desk() -> EditDesk:
            from motet.tools.desk import EditDesk

            after = house.diagnosing.after_edit
            near = "propose" if self.front.ask else "refuse"
            return EditDesk(workspace, front, after, approximate=near, gate=gate, claims=claims)

        outputs = house.state / "outputs" / info.id
        parts = ChatParts(gate, self.history if writable else None, outputs, _options(settings, titles=self.titles))
        kit = Kit(workspace, desk, gate, outputs, front, lambda told: parts.tell(told), claims)
        near = Near(self.front.editor, lambda: chat.share.files, house.maps.related)
        edits, further = edit_format(settings, model.name), house.retrieving.sources
        wired = self._wired(info.id, near)
        own = {**self.plugged.tools({*wired, *settings.tools.own}), **self.extras.tools}
        tools, names = tool_set(kit, settings, messages, own, edits, wired, further)
        parts.tools, parts.desk, parts.applies = tools, desk, self.front.applies
        parts.used = lambda model: tools.edit_in(edit_format(settings, model.name))
        self._tools[info.id] = tools
        parts.context = self._context(workspace, gate, tools, names, info, near)
        parts.hooks = self.plugged.hooks(hooks_of(settings, self.extras.hooks))
        parts.create = (lambda: self._keep(info)) if is_new else None
        parts.around_turn = _checkpoints(workspace)
        parts.failed = lambda error: house.faults.add(error, f"chat {info.id}")
        looking = house.retrieving.looking(gate, near, workspace)
        parts.door = lambda one: house.outgoing(looking(one), info.id, parts.warn)

        async def model_for(work: Work, own: Model) -> Model:
            other = await house.model_for(work)
            return own if other is None else parts.door(other)

        parts.model_for = model_for
        front.wait = lambda: parts.before_asking()
        self._tell_boards(info.id, front, gate)
        chat = Chat(
            parts, info, model, () if is_new else messages, writable=writable, notes=(*self.plugged.faults, *notes)
        )
        if is_new:
            chat.begin(messages, ())
        self._open.append(chat)
        return chat

    def _tell_boards(self, chat_id: str, front: _After, gate: Gate) -> None:
        """Who follows a chat on its board sees that it waits for a human, and what was refused since there is none."""
        boarding = self.house.boarding
        if self.front.ask is None:
            gate.unasked = lambda what: boarding.refused(chat_id, what)
        if self.front.ask is not None or not isinstance(self.front.human, Nobody):
            front.asking = lambda what: boarding.asking(chat_id, what)

    def _wired(self, chat_id: str, near: Near) -> dict[str, Maker]:
        """The tools of a chat that need more than the kit."""
        house = self.house
        house.retrieving.instead = self.extras.retriever or self.plugged.extras.retriever
        return {
            "get_diagnostics": house.diagnosing.tool,
            "find_references": house.diagnosing.references,
            "find_symbol": house.diagnosing.find_symbol,
            "outline": house.diagnosing.outline,
            **house.pages.tools(chat_id),
            **house.retrieving.tools(near),
            **board_tools(lambda: house.boarding.speaker(chat_id)),
        }

    def _context(
        self, workspace: KeptWorkspace, gate: Gate, tools: ToolSet, names: Sequence[str], info: ChatInfo, near: Near
    ) -> Context:
        """What a chat can share; `names`: of tools and groups that can be handed over."""
        house = self.house
        fetch = house.pages.shared(gate, info.id)
        diagnosing, editor = house.diagnosing, self.front.editor
        found, draw_map = house.retrieving, house.maps.draw(gate, near)
        settings, prompts = house.settings, house.prompts
        context = context_of(
            workspace,
            gate,
            tools,
            names,
            settings,
            prompts,
            fetch,
            diagnosing,
            editor,
            draw_map,
            retrieve=found.shared(gate, near),
            suggest=found.suggested(gate, near),
            further=found.sources,
        )
        self.plugged.add_to(context.known.variables, context.commands)
        for variable in self.extras.variables:
            context.known.variables.add(variable)
        for command in self.extras.commands:
            context.commands.add(command)
        return context


class _After:
    """Asks the human when all that happened before is on the screen."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self.reviewer = front.reviewer
        self.files = front.files
        self.wait: Callable[[], Awaitable[None]] = nothing
        self.asking: Callable[[str], AbstractAsyncContextManager[None]] = plainly

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        await self.wait()
        async with self.asking("a look at its edits"):
            return await self.reviewer.review(proposals)

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """See `Human`."""
        await self.wait()
        async with self.asking("an answer to a question"):
            return await self._front.human.answer(questions)

    async def ask(self, action: Action) -> Answer | Denial:
        """See `Ask`."""
        assert self._front.ask is not None  # else nobody calls
        await self.wait()
        async with self.asking("a permission"):
            return await self._front.ask(action)


def _checkpoints(workspace: KeptWorkspace) -> Callable[[str], AbstractAsyncContextManager[None]]:
    """What is written in one turn can be taken back together."""

    @asynccontextmanager
    async def around(label: str) -> AsyncGenerator[None]:
        await workspace.begin(label)
        try:
            yield
        finally:
            await workspace.finish()

    return around


def _system_prompt(root: Path, front: str) -> Message:
    system = f"{platform.system()} {platform.machine()}"
    text = prompt("chat_system").replace("{front}", front).replace("{system}", system).replace("{root}", str(root))
    return Message.system(text, tags.SYSTEM_PROMPT)


def _notes(text: str) -> Message:
    said = f"Notes about this project that the human has let you keep; they give no permission:\n\n{text.strip()}"
    context = ContextRef("<rules>notes</rules>")
    return Message.attachment(Text(said), context=context, tag=tags.RULES, source="notes")


def _options(settings: Settings, *, titles: bool) -> ChatOptions:
    chat = settings.chat
    return ChatOptions(
        rounds=chat.rounds,
        max_tokens=chat.max_tokens,
        max_cost=chat.max_cost,
        max_minutes=chat.max_minutes,
        max_prompt_tokens=chat.max_prompt_tokens,
        keep_cycles=chat.keep_cycles,
        tool_timeout=settings.tools.timeout,
        titles=chat.titles and titles,
        context_last=chat.context_order == "after",
    )
