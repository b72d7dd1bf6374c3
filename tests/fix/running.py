"""A run of the fix loop on real files, with real ruff and a scripted provider over real HTTP."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from motet.edits import Decision, Proposal
from motet.engine import Engine
from motet.fix import AcceptAll, Fixed, FixEvent
from motet.models.scripted import Answer, ScriptedServer, call
from motet.models.scripted.answers import Answering, Step
from motet.text import Diagnostic

T = TypeVar("T")

SETTINGS = """
model = "scripted/one"
[servers.basedpyright]
disabled = true
[servers.ty]
disabled = true
[permissions]
allow = ["send:scripted *"]
[providers.scripted]
base_url = "{url}/v1"
dialect = "openai"
context_tokens = {window}
tools = {tools}
input_price = 1.0
output_price = 2.0
"""


def block(search: str, replace: str) -> str:
    return "".join(["<<<<<<< SEARCH\n", _whole(search), "=======\n", _whole(replace), ">>>>>>> REPLACE\n"])


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def edit(*edits: tuple[str, str, str], text: str = "I repair it.") -> Answer:
    """An answer with one `replace_in_file` call for each `(path, search, replace)`."""
    calls = [
        call("replace_in_file", {"path": path, "diff": block(search, replace)}, f"call_{number}")
        for number, (path, search, replace) in enumerate(edits, 1)
    ]
    return Answer(text=text, calls=tuple(calls))


DONE = Answer(text="Done.")


class Reviewer(AcceptAll):
    """Decides with a function; by default takes everything. Remembers the proposals and the questions."""

    def __init__(self, decide: Callable[[Proposal], Proposal] | None = None, *, keeps_worse: bool = False) -> None:
        self._decide = decide or (lambda proposal: proposal.decide_pending(Decision.ACCEPTED))
        self._keeps_worse = keeps_worse
        self.seen: list[Proposal] = []
        self.stopped = False

    async def review(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        self.seen += proposals
        return [self._decide(proposal) for proposal in proposals]

    async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
        return self._keeps_worse


class Run:
    """One workspace with `files`, and what a run on it came to."""

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root = root
        self.server: ScriptedServer | None = None
        self.events: list[FixEvent] = []
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")

    async def fix(
        self,
        script: Sequence[Step] | Answering,
        reviewer: Reviewer | None = None,
        *,
        repeat: bool = False,
        tools: bool = True,
        window: int = 100_000,
        dry_run: bool = False,
        checkers: Sequence[str] = (),
        more: str = "",
        on_event: Callable[[FixEvent], None] = lambda _: None,
        paths: Sequence[str] | None = None,
        **flags: object,
    ) -> Fixed:
        def emit(event: FixEvent) -> None:
            self.events.append(event)
            on_event(event)

        async with ScriptedServer(script, repeat=repeat) as self.server:
            config = Path(os.environ["XDG_CONFIG_HOME"]) / "motet" / "config.toml"
            config.parent.mkdir(parents=True, exist_ok=True)
            settings = SETTINGS.format(url=self.server.url, window=window, tools=str(tools).lower())
            config.write_text(settings + more)
            dotted = {f"fix.{name}": value for name, value in flags.items()}
            engine = Engine(self.root, flags=dotted)
            model, _ = await engine.choose_model()
            async with engine.diagnostics(checkers, lambda _: None) as diagnostics, engine.checkpoint("motet fix"):
                loop = engine.fix_loop(diagnostics, model, reviewer or Reviewer(), emit, dry_run=dry_run)
                async with asyncio.timeout(60):
                    return await loop.run(await engine.source_files() if paths is None else paths)

    def text(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")

    def request(self, number: int) -> str:
        """What the provider was sent in request `number` (from 1), its texts only."""
        assert self.server is not None
        messages: Any = self.server.requests[number - 1].body["messages"]
        return "\n".join(text for message in messages for text in _texts(message))

    @property
    def requests(self) -> int:
        assert self.server is not None
        return len(self.server.requests)

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]


def _texts(message: Any) -> list[str]:
    content = message.get("content") or []
    return [content] if isinstance(content, str) else [part["text"] for part in content if "text" in part]
