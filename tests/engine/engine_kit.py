"""A workspace opened as a library, with a provider over real HTTP that the user's settings name."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import motet
from motet.engine.api import Motet
from motet.models.scripted import ScriptedServer, Step
from motet.models.scripted.answers import Answering
from motet.paths import state_dir
from motet.permissions import Action, Answer, Denial
from motet.permissions.egress import Egress, EgressLog

KEY = "sk-canary-0123456789abcdefghij"
SETTINGS = """
model = "acme/m-1"
[providers.acme]
base_url = "{url}"
dialect = "{dialect}"
key = "env:ACME_SECRET"
context_tokens = 100000
{more}
"""


@dataclass
class House:
    """What a program has in hand."""

    m: Motet
    server: ScriptedServer
    root: Path

    @property
    def log(self) -> list[Egress]:
        return list(EgressLog(state_dir(os.environ)).read())


class Answers:
    """A human who gives the same answer to every question; `asked` are the questions."""

    def __init__(self, answer: Answer | Denial) -> None:
        self.asked: list[Action] = []
        self._answer = answer

    async def __call__(self, action: Action) -> Answer | Denial:
        self.asked.append(action)
        return self._answer


@asynccontextmanager
async def house(
    tmp_path: Path,
    script: Sequence[Step] | Answering,
    *,
    dialect: str = "openai",
    more: str = "[chat]\ntitles = false",
    allow: Sequence[str] = ("send",),
    ask: Answers | None = None,
    yes: bool = False,
    titles: bool = False,
) -> AsyncGenerator[House]:
    """The workspace `tmp_path/project`, opened."""
    root = tmp_path / "project"
    root.mkdir(exist_ok=True)
    os.environ["ACME_SECRET"] = KEY  # the home of each test takes it away again
    async with ScriptedServer(script) as server:
        url = server.url if dialect == "anthropic" else f"{server.url}/v1"
        place = Path(os.environ["XDG_CONFIG_HOME"]) / "motet" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(SETTINGS.format(url=url, dialect=dialect, more=more))
        async with motet.open(root, allow=allow, ask=ask, yes=yes) as m:
            m._opened.titles = titles
            yield House(m, server, root)
        assert server.refused == []
