"""A kit of real parts: a workspace on the disk with a real gate, a desk, and a human who answers as told."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tools.desk_kit import Deciding

from motet.messages import ToolCall
from motet.permissions import Action, Answer, Gate, GrantStore, Rule, RuleSet
from motet.process.sandbox import SandboxState
from motet.tools import EditDesk, Tool, Toolbox, ToolOutput
from motet.tools.kit import Kit, Question, Told
from motet.workspace import Checkpoints, DiskWorkspace

BARE = SandboxState(None, "none: a test without it")


class Answering:
    """A human who gives these answers, or none at all; remembers what was asked."""

    def __init__(self, *answers: str, present: bool = True) -> None:
        self.asked: list[Question] = []
        self._answers = answers
        self._present = present

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        self.asked += questions
        return self._answers if self._present else None


class Project:
    """A directory with a kit around it. `asked` are the questions of the gate, which are answered with `allow`."""

    def __init__(
        self,
        tmp_path: Path,
        *,
        rules: Iterable[Rule] = (),
        human: Answering | None = None,
        allow: bool | None = None,
        encoding: str = "",
    ) -> None:
        self.root = tmp_path / "project"
        self.root.mkdir(exist_ok=True)
        self.state = tmp_path / "state"
        self.asked: list[Action] = []
        self.told: list[Told] = []
        self.allow = allow
        self.human = human or Answering(present=False)
        self.reviewer = Deciding()
        ask = self._ask if allow is not None else None
        self.gate = Gate(self.root, RuleSet(rules), GrantStore(self.state), ask)
        self.workspace = DiskWorkspace(
            self.root, gate=self.gate, checkpoints=Checkpoints(self.state, self.root), encoding=encoding
        )
        self.desk = EditDesk(self.workspace, self.reviewer)
        self.kit = Kit(
            self.workspace,
            lambda: self.desk,
            self.gate,
            tmp_path / "outputs",
            human=self.human,
            tell=self.told.append,
        )

    async def _ask(self, action: Action) -> Answer:
        self.asked.append(action)
        return Answer.ONCE if self.allow else Answer.NO

    def write(self, path: str, text: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    @property
    def files(self) -> list[str]:
        found = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in found if path.parts[0] != ".git")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)
        return done.stdout.decode()

    def commit(self, message: str = "one") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    async def call(self, make: Callable[[Kit], Tool] | Tool, **arguments: object) -> ToolOutput:
        """What one call to a tool comes to, by the road that a model's call takes."""
        [output] = await self.calls(make, arguments)
        return output

    async def calls(self, make: Callable[[Kit], Tool] | Tool, *many: dict[str, object]) -> list[ToolOutput]:
        """What several calls of one answer come to."""
        made: Tool = make(self.kit) if isinstance(make, type) else make  # type: ignore[assignment]
        calls = [ToolCall(str(at), made.spec.name, json.dumps(one)) for at, one in enumerate(many)]
        return await Toolbox([made]).run(calls)


def sparse(path: Path, size: int) -> None:
    """A file of `size` bytes that takes no room on the disk."""
    with path.open("wb") as file:
        os.truncate(file.fileno(), size)
