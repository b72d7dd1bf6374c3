"""The process of one editor: its chats, and what the editor tells. Ends when the editor does."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from motet import __version__
from motet.chat import Chat
from motet.context import Excerpt
from motet.context.complete import Known
from motet.context.paths import Files
from motet.engine import Chats, Engine, Front
from motet.engine.acts import Acts, Reader
from motet.engine.faults import FaultLog
from motet.engine.names import known_names
from motet.errors import MotetError, UsageError
from motet.history import ChatInfo
from motet.models.protocol import Model
from motet.nvim.beside import Beside
from motet.nvim.changes import list_changes, undo
from motet.nvim.editor import NvimEditor
from motet.nvim.following import Following
from motet.nvim.picking import Picking, Row
from motet.nvim.questions import Questions
from motet.nvim.rpc import EditorGone, Peer, over_stdio
from motet.nvim.talk import Talk
from motet.nvim.talks import Talks
from motet.nvim.workspace import NvimWorkspace
from motet.nvim.writes import Writes
from motet.paths import state_dir
from motet.tasks import background
from motet.workspace import DiskWorkspace
from motet.workspace.unsaved import UnsavedEdits

if TYPE_CHECKING:  # a chat opens without, as the edit engine comes with it
    from motet.edits import Proposal
    from motet.nvim.board_host import BoardHost
    from motet.nvim.editing import Editing
    from motet.nvim.fixing import Fixing
    from motet.nvim.review import Reviews
    from motet.tools import Reviewer

_LAST_WORDS = 0.2
"""Seconds that an editor that ends has to say that it does."""


class _Said(logging.Handler):
    """Tells the editor what a store or the index has to say: that it was damaged, and what became of it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, warn: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._loop = loop
        self._warn = warn

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`; called in any thread."""
        with suppress(RuntimeError):  # the loop is closed: nobody is there
            self._loop.call_soon_threadsafe(self._warn, record.getMessage())


class Host:
    """What the editor is told by, and tells to. Nothing that is heard waits for anything else."""

    def __init__(self) -> None:
        self._gone = asyncio.Event()
        self._peer: Peer | None = None
        self._questions: Questions | None = None
        self._engine: Engine | None = None
        self._chats: Chats | None = None
        self._is_warm = False
        self._editor: NvimEditor | None = None
        self._following: Following | None = None
        self._fixing: Fixing | None = None
        self._editing: Editing | None = None
        self._files: list[str] | None = None
        self._known: tuple[Chat, Known] | None = None
        self._writes = Writes(self._note)
        self._here: NvimWorkspace | None = None

    def heard(self, name: str, arguments: Sequence[object]) -> None:
        """Take a notification of the editor."""
        match name, arguments:
            case "fix", [str(target), str(current)]:
                self._start(self._fix(target, current), 0)
            case "edit", [int(buffer), int(first), int(last), str(instruction)]:
                self._start(self._edit(Excerpt(buffer, first, last), instruction), 0)
            case "stop_fix", []:
                if self._fixing is not None:
                    self._fixing.stop()
                if self._editing is not None:
                    self._editing.stop()
            case "pick", [int(number), str(kind), str(query)]:
                self._start(self._pick(number, kind, query), 0)
            case "preview", [int(number), str(kind), str(value)]:
                self._start(self._preview(number, kind, value), 0)
            case "board", [str(act), *rest]:
                self._start(self._on_boards(act, rest), 0)
            case "review", [str(act), *rest]:
                self._reviews.heard(act, rest)
            case "undo", [] if self._here is not None:
                self._start(undo(self._here, self.peer), 0)
            case "changes", [] if self._here is not None:
                self._start(list_changes(self._here, self._writes, self.peer), 0)
            case "nvim_error_event", [_, str(text)]:
                self.peer.tell("notice", 0, "error", f"a defect of the plugin: {text}")
            case "hello", []:
                pass  # the editor asks whether the connection stands, until it is told `ready`
            case "leave", []:
                self._gone.set()
            case "answered", [int(number), answer] if self._questions is not None:
                self._questions.answered(number, answer)
            case _ if self._heard_of_chat(name, arguments):
                pass
            case _:
                self.peer.tell("notice", 0, "error", f"{name} means nothing here: are both halves of one version?")

    def _heard_of_chat(self, name: str, arguments: Sequence[object]) -> bool:
        """The same for what is about one chat; false when it is not."""
        match name, arguments:
            case "open", [int(buffer), str(chat), bool(lenient)]:
                self._talks.open(buffer, chat, lenient)
            case "send", [int(buffer), str(text), bool(is_draft)]:
                self._talks.send(buffer, text, is_draft)
            case "redraw", [int(buffer)]:
                self._talks.act(buffer, Talk.redraw)
            case "models", [int(buffer)]:
                self._talks.act(buffer, lambda talk: self._start(self._list_models(talk), buffer))
            case "stop", [int(buffer)]:
                self._talks.act(buffer, Talk.stop)
            case "retry", [int(buffer)]:
                self._talks.act(buffer, Talk.retry)
            case "draft", [int(buffer), str(text)]:
                self._talks.keep(buffer, text)
            case "complete", [int(buffer), int(number), str(text)]:
                self._talks.complete(buffer, number, text)
            case "add", [int(buffer), int(work), int(first), int(last)]:
                self._talks.act(buffer, lambda talk: talk.add(Excerpt(work, first, last)))
            case "inspect", [int(buffer), str(draft)]:
                self._talks.act(buffer, lambda talk: self._start(talk.inspect(draft), buffer))
            case "apply", [int(buffer), int(first), int(last)]:
                self._talks.act(buffer, lambda talk: talk.apply(first, last))
            case "fork", [int(buffer), int(turn)]:
                self._talks.act(buffer, lambda talk: talk.fork(turn))
            case "unfold", [int(buffer), int(turn), str(line)]:
                self._talks.act(buffer, lambda talk: talk.unfold(turn, line))
            case "request", [int(buffer), str(edited)]:
                self._talks.act(buffer, lambda talk: self._start(talk.change_request(edited), buffer))
            case "command", [int(buffer), str(text)]:
                self._talks.act(buffer, lambda talk: talk.command(text))
            case "close", [int(buffer), (str() | None) as draft]:
                self._talks.close(buffer, draft)
            case _:
                return False
        return True

    @property
    def peer(self) -> Peer:
        """The editor."""
        assert self._peer is not None  # it runs
        return self._peer

    async def run(self) -> None:
        """Serve the editor until it has gone."""
        self._peer = peer = await over_stdio(self.heard)
        self._questions = Questions(peer)
        logging.getLogger("motet").addHandler(_Said(asyncio.get_running_loop(), self._warn))
        FaultLog(state_dir()).catch("nvim", lambda line: peer.tell("notice", 0, "error", line), but=(EditorGone,))
        # An editor that quits ends its children at once; what it told before may still be on its way.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, lambda: loop.call_later(_LAST_WORDS, self._gone.set))
        reading = background(peer.run())
        reading.add_done_callback(lambda _: self._gone.set())
        try:
            engine = Engine(Path.cwd(), ask=self._questions.ask)
        except MotetError as error:
            peer.tell("failed", str(error))
            await self._gone.wait()
            return
        self._editor = editor = NvimEditor(peer, engine.root, engine.workspace.read)
        self._here, reviewer = self._in_editor(engine.workspace)
        self._following = Following(self._here, peer, self._writes, self._warn)
        front = Front(
            reviewer, self._questions, self._questions.ask, editor, self._in_editor, "Neovim", ":Motet apply"
        )
        async with engine.chats(front, titles=True) as chats:
            self._engine, self._chats = engine, chats
            peer.tell("ready", __version__, str(engine.root), engine.notices)
            await self._gone.wait()
            ending = [self._talks.end()]
            if "_board_host" in self.__dict__:
                ending.append(self._board_host.close())
            await asyncio.gather(*ending, return_exceptions=True)
            self._note(())

    def _in_editor(self, disk: DiskWorkspace) -> tuple[NvimWorkspace, Reviewer]:
        """The files as a chat sees them here, and who decides about its edits."""
        files = NvimWorkspace(disk, self.peer, self._writes, self._warn)
        return files, _Reviewer(lambda: self._reviews, files)

    @cached_property
    def _reviews(self) -> Reviews:
        from motet.nvim.review import Reviews

        return Reviews(self.peer, lambda level, text: self.peer.tell("notice", 0, level, text))

    @cached_property
    def _beside(self) -> Beside:
        assert self._chats is not None  # there is a chat
        return Beside(self._chats, self._warn)

    def _note(self, paths: Collection[str]) -> None:
        """Let an undo in a terminal know which edits it does not."""
        assert self._engine is not None  # there is a chat
        try:
            UnsavedEdits(self._engine.state, self._engine.root).note(paths)
        except (OSError, MotetError) as error:
            self._warn(f"`motet undo` in a terminal will not know of this edit: {error}")

    @cached_property
    def _board_host(self) -> BoardHost:
        from motet.nvim.board_host import BoardHost

        assert self._chats is not None  # the editor waits for `ready`
        return BoardHost(self.peer, self._chats.house.boarding, self._start)

    async def _on_boards(self, act: str, rest: Sequence[object]) -> None:
        self._board_host.heard(act, rest)

    def _warn(self, text: str) -> None:
        self.peer.tell("notice", 0, "warn", text)

    def _start(self, work: Coroutine[object, object, object], buffer: int) -> asyncio.Task[None]:
        async def safely() -> None:
            try:
                await work
            except MotetError as error:
                self.peer.tell("notice", buffer, "error", str(error))

        return background(safely())

    @cached_property
    def _talks(self) -> Talks:
        assert self._chats is not None  # the editor waits for `ready`
        return Talks(self.peer, self._chats, self._beside, self._start, self._talk, self._model, self._make_ready)

    async def _make_ready(self, chat: Chat) -> None:
        """Have what the human may do next in a chat be done at once."""
        self._tell_names(chat)
        await self._warm_up()
        await self._list_files()

    def _tell_names(self, chat: Chat) -> None:
        """The names that the editor completes by itself, because it may not wait."""
        for command in self._names(chat).commands:
            if command.values:
                self.peer.tell("names", f"{command.name}s", [one.name for one in command.values])

    def _talk(self, buffer: int, chat: Chat) -> Talk:
        assert self._questions is not None and self._here is not None  # it runs
        assert self._following is not None and self._chats is not None
        human, files, board = self._questions, self._here, self._chats.board_agent
        return Talk(
            self.peer, buffer, chat, self._names, self._acts, self._talks.go_on, human, files, self._following, board
        )

    def _acts(self, chat: Chat, reader: Reader) -> Acts:
        assert self._engine is not None and self._chats is not None and self._here is not None  # there is a chat
        return Acts(chat, self._chats, self._engine, reader, undo=self._here.undo)

    def _names(self, chat: Chat) -> Known:
        assert self._engine is not None  # there is a chat
        if self._known is None or self._known[0] is not chat:
            self._known = (chat, known_names(chat, self._engine.loaded.settings, lambda: self._files))
        return self._known[1]

    async def _edit(self, excerpt: Excerpt, instruction: str) -> None:
        assert self._engine is not None and self._editor is not None and self._chats is not None
        if self._editing is None:
            from motet.nvim.editing import Editing

            files = self._here or self._in_editor(self._engine.workspace)[0]
            self._editing = Editing(self.peer, self._engine, self._chats, self._editor, files)
        await self._editing.run(excerpt, instruction)

    async def _fix(self, target: str, current: str) -> None:
        assert self._engine is not None and self._editor is not None and self._questions is not None
        if self._fixing is None:
            from motet.nvim.fixing import Fixing

            self._fixing = Fixing(self.peer, self._engine, self._editor, self._questions, self._in_editor)
        if not target and not self._editor.path_of(current):
            raise UsageError("this buffer is no file of the project; name one, or `:Motet fix project`")
        await self._fixing.run(target, current)

    async def _pick(self, number: int, kind: str, query: str) -> None:
        if kind in ("agent", "told"):
            self._tell_rows(number, await self._board_host.rows(kind, query))
            return
        if self._files is None:
            await self._list_files()
        self._tell_rows(number, await self._picking.rows(kind, query))

    def _tell_rows(self, number: int, rows: Sequence[Row]) -> None:
        self.peer.tell("picked", number, [[row.value, row.shown, row.about, row.text] for row in rows])

    async def _preview(self, number: int, kind: str, value: str) -> None:
        rows = self._board_host if kind in ("agent", "told") else self._picking
        seen = await rows.preview(kind, value)
        self.peer.tell("previewed", number, value, seen.lines, seen.filetype, seen.line)

    @cached_property
    def _picking(self) -> Picking:
        assert self._engine is not None and self._chats is not None and self._chats.history is not None
        assert self._editor is not None and self._here is not None
        files = Files(lambda: self._files)
        return Picking(self._engine, self._chats.history, self._editor, files, self._chats.house, self._here)

    async def _list_files(self) -> None:
        assert self._engine is not None  # there is a chat
        with suppress(MotetError):  # completion works without
            self._files = await self._engine.workspace.list_files()
        self._talks.complete_again()

    async def _warm_up(self) -> None:
        """Import what the first request needs, while the human still types: that takes longer than sending it."""
        if not self._is_warm:
            self._is_warm = True
            await asyncio.to_thread(_import_all)

    async def _list_models(self, talk: Talk) -> None:
        """Tell which models can be used, that of the chat first."""
        assert self._engine is not None  # there is a chat
        names = [talk.chat.model.name, *(one.name for one in await self._engine.models() if one.usable)]
        self.peer.tell("models", talk.buffer, list(dict.fromkeys(names)))

    async def _model(self, stored: ChatInfo | None) -> Model:
        """A chat goes on with its own model, where that can be used."""
        assert self._engine is not None  # it is open
        if stored is not None and stored.model:
            with suppress(MotetError):
                return (await self._engine.choose_model(stored.model))[0]
        return (await self._engine.choose_model(work="chat"))[0]


@dataclass(frozen=True, slots=True)
class _Reviewer:
    """The reviewer of one chat. See `Reviewer`."""

    reviews: Callable[[], Reviews]
    files: NvimWorkspace

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        return await self.reviews().review(self.files, proposals)


_LATER = (
    "anyio._backends._asyncio", "motet.history.stack", "motet.history.chats", "motet.chat.naming", "motet.nvim.review"
)  # fmt: skip
"""What a turn needs, and opening a chat does not."""


def _import_all() -> None:
    import_module("motet.models.providers.http_model")
    httpx2 = import_module("httpx2")
    httpx2.AsyncClient(trust_env=False)  # with its transport, which is imported when the first one is made
    for name in _LATER:
        import_module(name)


def main() -> int:
    """`motet nvim`."""
    asyncio.run(Host().run())
    return 0
