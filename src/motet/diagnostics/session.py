"""One server over many checks: which documents it sees, what it has answered, how often it may fail."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass

from motet.diagnostics.changes import ChangeKind, Changes, FileChange
from motet.diagnostics.client import Client, Document
from motet.diagnostics.connection import ResponseError
from motet.diagnostics.locate import Launch, Surroundings, start
from motet.diagnostics.progress import Doing, Progress
from motet.diagnostics.question import Question, T
from motet.errors import ProcessError, ServerError
from motet.process import Child
from motet.text import Diagnostic, Severity, TextFile

_LOG = logging.getLogger(__name__)
_MOST_PASSES = 3
"""Times that a check is repeated because the server says its answers have become out of date."""
_MOST_ADVICE = 3
_AT_ONCE = 64
"""Documents asked about at the same time: enough to keep a server busy, few enough that answers keep coming."""
_MOST_PATIENCE = 10
"""Times the patience that a server has which only gives signs of life."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one server said in one check. Not `complete`: it failed, and `advice` says how."""

    diagnostics: tuple[Diagnostic, ...] = ()
    complete: bool = True
    advice: tuple[str, ...] = ()


@dataclass(slots=True)
class _State:
    """One file as this session knows it.

    `answer` is what the server said last, which holds up to the `moment` of the workspace; `due` when it has to be
    asked (again); `shown` when it sees the text of `file`.
    """

    file: TextFile
    document: Document
    answer: tuple[Diagnostic, ...] = ()
    moment: int = 0
    due: bool = True
    shown: bool = False


class _NoAnswer(ServerError):
    """The server lives but is silent; a new one would be silent as long again."""


class Session:
    """One server. `timeout` is in seconds: for the first answer, and half of it for each later one."""

    def __init__(
        self,
        launch: Launch,
        around: Surroundings,
        changes: Changes,
        *,
        child: Child,
        severity: Severity,
        timeout: float,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._launch = launch
        self._spec = launch.spec
        self._around = around
        self._changes = changes
        self._severity = severity
        self._timeout = timeout * launch.spec.patience
        self._on_progress = on_progress
        self._child: Child | None = child
        self._client: Client | None = None
        self._initialized = False
        self._states: dict[str, _State] = {}
        self._open: dict[str, None] = {}
        self._unanswered: list[str] = []
        self._restarted = False
        self._gone = ""

    def is_for(self, file: TextFile) -> bool:
        """Whether `file` is of one of its languages."""
        return self._spec.language_of(file.path) is not None

    async def check(self, files: Sequence[TextFile], changes: Sequence[FileChange]) -> Answer:
        """What the server says about `files`, all of its languages; `changes` are what happened since.

        A server that dies is started once more, then left out for good; so is one that does not answer.
        """
        if self._gone:
            return Answer(complete=False, advice=(self._gone,))
        self._adopt(files)
        self._unanswered = []
        while not self._gone:
            try:
                await self._answer_for(files, changes)
                break
            except ProcessError as error:
                _LOG.debug("%s: %s", self._spec.name, error)
                await self._end()
                if self._restarted or isinstance(error, _NoAnswer):
                    self._gone = f"{self._spec.name}: {error}; what it would say is missing"
                self._restarted = True
        states = [self._states[file.path] for file in files]
        found = tuple(one for state in states if not state.due for one in state.answer)
        complete = not self._gone and (not states or any(not state.due for state in states))
        return Answer(found, complete, tuple(self._advice()))

    async def ask(self, question: Question[T], patience: float) -> T | None:
        """Its answer, given in sight of the texts as the question has them. None: that it does not do, or none of
        them is for it. Once the server runs it takes at most `patience` seconds; raises `TimeoutError`,
        `ProcessError`."""
        if self._gone:
            raise ServerError(self._gone)
        files = list({file.path: file for file in question.files if self.is_for(file)}.values())
        client = await self._ready()
        if not files or not client.abilities.answers.issuperset(question.needs):
            return None
        async with asyncio.timeout(patience):
            self._adopt(files)
            states = [self._states[file.path] for file in files]
            busy = states[: min(self._spec.open_limit, _AT_ONCE)]
            for state in busy:  # so that it knows them as they are in an editor
                if not (state.shown and state.document.is_open):
                    await self._show(client, state, busy)
            for state in states[len(busy) :]:  # and none as it was there before
                if state.document.is_open and not state.shown:
                    self._hide(client, state)
            documents = {state.file.path: state.document for state in states}
            return await question.put(client, documents, patience)

    async def close(self) -> None:
        """End the server."""
        await self._end()

    def _advice(self) -> Iterable[str]:
        yield from self._unanswered[:_MOST_ADVICE]
        if len(self._unanswered) > _MOST_ADVICE:
            yield f"{self._spec.name}: no answer about {len(self._unanswered) - _MOST_ADVICE} more files"
        if self._gone:
            yield self._gone

    def _adopt(self, files: Sequence[TextFile]) -> None:
        """Take over the new versions and mark what has to be asked."""
        for file in files:
            state = self._states.get(file.path)
            if state is None:
                uri = (self._around.root / file.path).as_uri()
                language = self._spec.language_of(file.path) or ""
                self._states[file.path] = _State(file, Document(uri, language, file.text))
            elif state.file.data != file.data:
                state.file, state.document.text = file, file.text
                state.due, state.shown = True, False
        old = [state for file in files if not (state := self._states[file.path]).due and self._is_old(state)]
        if old and self._spec.by_file:
            concerned = self._changes.concerned(files, min(state.moment for state in old))
            old = [state for state in old if state.file.path in concerned]
        for state in old:
            state.due = True

    def _is_old(self, state: _State) -> bool:
        return state.moment < self._changes.moment

    async def _answer_for(self, files: Sequence[TextFile], changes: Sequence[FileChange]) -> None:
        running = self._client is not None
        self._forget([one.path for one in changes if one.kind is ChangeKind.DELETED])
        client = await self._ready()
        if running:  # a new one has read the disk as it is
            client.tell_changes([((self._around.root / one.path).as_uri(), one.kind) for one in changes])
        states = [self._states[file.path] for file in files]
        due = [state for state in states if state.due]
        for _ in range(_MOST_PASSES):
            await self._pass(client, due)
            due = [
                state for state in states if client.abilities.pulls and state.document.refreshes < client.refreshes
            ]
            if not due:
                break

    async def _ready(self) -> Client:
        """The running server, started when needed."""
        if self._client is not None and not self._initialized:  # a start that was cancelled half way
            await self._end()
        if self._client is None:
            self._on_progress(Progress(self._spec.name, Doing.STARTING))
            child = self._child or await start(self._launch, self._around)
            self._child, self._initialized = None, False
            self._client = Client(self._launch, self._around.root, child)
            try:
                async with asyncio.timeout(self._timeout):
                    await self._client.initialize()
            except TimeoutError as error:
                raise _NoAnswer(f"it did not start within {self._timeout:g} s") from error
            self._initialized = True
        return self._client

    def _forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            state = self._states.pop(path, None)
            self._open.pop(path, None)
            if state is not None and state.document.is_open and self._client is not None:
                self._client.hide(state.document)

    async def _pass(self, client: Client, due: Sequence[_State]) -> None:
        """Ask about all of `due`, as many at once as may be open."""
        waiting = deque(due)
        running: dict[asyncio.Task[None], _State] = {}
        finished: asyncio.Queue[asyncio.Task[None]] = asyncio.Queue()
        patience, doing = self._timeout, Doing.WAITING
        try:
            while waiting or running:
                fresh: list[_State] = []
                while waiting and len(running) + len(fresh) < min(self._spec.open_limit, _AT_ONCE):
                    fresh.append(waiting.popleft())
                    await self._show_within(patience, client, fresh[-1], [*running.values(), *fresh])
                for state in fresh:
                    task = asyncio.create_task(self._ask(client, state))
                    running[task] = state
                    task.add_done_callback(finished.put_nowait)
                self._report(doing, len(due) - len(waiting) - len(running), len(due))
                path = next(iter(running.values())).file.path
                task = await self._next(client, finished, path, patience)
                del running[task]
                task.result()
                patience, doing = self._timeout / 2, Doing.CHECKING
            self._report(doing, len(due), len(due))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _next(
        self, client: Client, finished: asyncio.Queue[asyncio.Task[None]], path: str, patience: float
    ) -> asyncio.Task[None]:
        """The next answer. A server that reports on its work without answering is given more time, not forever."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        while True:
            until = min(max(begun, client.heard_at) + patience, begun + _MOST_PATIENCE * patience)
            try:
                async with asyncio.timeout_at(until):
                    return await finished.get()
            except TimeoutError as error:
                if client.heard_at + patience <= loop.time() or until == begun + _MOST_PATIENCE * patience:
                    raise _NoAnswer(f"no answer about {path} within {loop.time() - begun:.0f} s") from error

    def _report(self, doing: Doing, done: int, total: int) -> None:
        if total:
            self._on_progress(Progress(self._spec.name, doing, done, total))

    async def _show_within(self, patience: float, client: Client, state: _State, busy: Sequence[_State]) -> None:
        try:
            async with asyncio.timeout(patience):
                await self._show(client, state, busy)
        except TimeoutError as error:
            raise _NoAnswer(f"it did not take {state.file.path} within {patience:g} s") from error

    async def _show(self, client: Client, state: _State, busy: Sequence[_State]) -> None:
        """Let the server see `state`, and no more documents than may be open."""
        path, document = state.file.path, state.document
        if not document.is_open:
            while len(self._open) >= self._spec.open_limit:
                self._hide_one(client, {one.file.path for one in busy})
        again = state.shown and document.is_open
        # Noted first: when this is cancelled, the server may see it or not, and is shown it again.
        self._open.pop(path, None)
        self._open[path] = None
        if again and client.abilities.pulls:
            return
        if again:
            client.hide(document)  # nothing else makes a pushing server speak again
        await client.show(document)
        state.shown = True

    def _hide_one(self, client: Client, busy: set[str]) -> None:
        """Close a document that nobody waits for: one without problems if there is one, else the oldest."""
        free = [path for path in self._open if path not in busy]
        path = next((path for path in free if not self._states[path].answer), free[0])
        self._hide(client, self._states[path])

    def _hide(self, client: Client, state: _State) -> None:
        del self._open[state.file.path]
        client.hide(state.document)

    async def _ask(self, client: Client, state: _State) -> None:
        moment = self._changes.moment
        try:
            said = await client.diagnose(state.document, self._severity)
        except ResponseError as error:
            self._unanswered.append(f"{self._spec.name}: no answer about {state.file.path}: {error}")
            state.document.refreshes = client.refreshes  # not a reason to ask again at once
            return
        if said is not None:
            state.answer = await self._understand(client, state, said) if said else ()
        state.moment, state.due = moment, False

    async def _understand(self, client: Client, state: _State, said: list[object]) -> tuple[Diagnostic, ...]:
        understand = await asyncio.to_thread(_understanding)
        return await understand(client, self._spec.name, state.document, state.file, said)

    async def _end(self) -> None:
        """End the server; whoever asks again starts a new one, which has seen nothing."""
        client, child = self._client, self._child
        self._client = self._child = None
        self._open.clear()
        for state in self._states.values():
            state.document.is_open = state.shown = False
            state.document.result_id = ""
        if client is not None:
            await client.close()
        elif child is not None:
            await child.terminate()


def _understanding() -> Callable[..., Coroutine[None, None, tuple[Diagnostic, ...]]]:
    """Imported in a thread and only when there is something to understand: it takes a third of a second."""
    from motet.diagnostics.understand import understand

    return understand
