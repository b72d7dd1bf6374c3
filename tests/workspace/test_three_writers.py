"""A human types, an agent edits and a formatter runs over the same file: nothing that was accepted is lost.

Each reads, thinks, and writes with compare-and-swap; who comes too late merges with what stands there now, and gives
up where the same lines were changed. Every accepted act leaves a word of its own in the file, so that at the end it
can be counted what is there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import workspace_kit as kit

from motet.errors import StaleFile, UndoRefused
from motet.text import TextFile
from motet.text.merge import merge
from motet.workspace import MemoryWorkspace, Workspace

PATH = "shared.txt"
SECTIONS = 40
START = "".join(f"[section {number}]\nbody of {number}\n\n" for number in range(SECTIONS)).encode()


@dataclass
class Writer:
    """One who changes the file in steps: read, then write. `accepted` are the words that must be there at the end."""

    name: str
    workspace: Workspace
    chance: random.Random
    accepted: set[str] = field(default_factory=set[str])
    given_up: int = 0
    merged: int = 0
    _seen: TextFile | None = None
    _count: int = 0

    async def step(self) -> None:
        """The next half of an act. Between the halves, others may write."""
        if self._seen is None:
            self._seen = await self.workspace.read(PATH)
            return
        seen, self._seen = self._seen, None
        self._count += 1
        word = f"{self.name}{self._count};"
        await self._write(seen, self._changed(seen.text, word), word)

    async def _write(self, seen: TextFile, new: str, word: str) -> None:
        try:
            after = await self.workspace.write(seen, seen.encode(new))
        except StaleFile:
            now = await self.workspace.read(PATH)
            both = merge(seen.text, now.text, new)
            if both.conflicts:
                self.given_up += 1
                return
            self.merged += 1
            after = await self.workspace.write(now, now.encode(both.text))
        assert word in after.text
        self.accepted.add(word)

    def _changed(self, text: str, word: str) -> str:
        lines = text.splitlines(keepends=True)
        bodies = [index for index, line in enumerate(lines) if line.startswith("body")]
        match self.name:
            case "human":  # types at the end of a line
                index = self.chance.choice(bodies)
                lines[index] = f"{lines[index][:-1]} {word}\n"
            case "agent":  # replaces a line and puts another one below
                index = self.chance.choice(bodies)
                lines[index : index + 1] = [f"body{lines[index][4:]}", f"  note {word}\n"]
            case _:  # the formatter puts the words of some lines in order, and signs at the end
                for index in self.chance.sample(bodies, 3):
                    words = lines[index].split()
                    lines[index] = " ".join([*words[:3], *sorted(words[3:])]) + "\n"
                lines[-1] = f"{lines[-1][:-1]}{word}\n"
        return "".join(lines)


async def interleaved(workspace: Workspace, seed: int, steps: int) -> list[Writer]:
    """`steps` halves of acts in a random order; the file must hold every word accepted so far, once."""
    chance = random.Random(seed)
    writers = [Writer(name, workspace, random.Random(f"{seed}{name}")) for name in ("human", "agent", "formatter")]
    for _ in range(steps):
        await chance.choice(writers).step()
    text = (await workspace.read(PATH)).text
    for writer in writers:
        assert writer.accepted
        for word in writer.accepted:
            assert text.count(f"{word}") - text.count(f"1{word}") >= 1, f"{word} was lost"
    words = text.replace(";", "; ").split()
    assert sorted(word for word in words if word.endswith(";")) == sorted(set().union(*(w.accepted for w in writers)))
    assert [line for line in text.splitlines() if line.startswith("[")] == [f"[section {n}]" for n in range(SECTIONS)]
    return writers


@pytest.mark.acceptance("T-26")
@pytest.mark.parametrize("seed", range(2))
async def test_in_ten_thousand_interleaved_steps_no_accepted_word_is_lost(seed: int) -> None:
    writers = await interleaved(MemoryWorkspace({PATH: START}), seed, 10_000)
    assert sum(writer.merged for writer in writers) > 500
    assert sum(writer.given_up for writer in writers) > 50


@pytest.mark.acceptance("T-26")
@pytest.mark.usefixtures("no_waiting")
async def test_on_the_disk_no_accepted_word_is_lost_and_undo_takes_back_just_the_agents(
    project: Path, state: Path
) -> None:
    (project / PATH).write_bytes(START)
    disk = kit.open_workspace(project, state)
    writers = await interleaved(disk, 7, 600)
    assert sum(writer.merged for writer in writers) > 30
    before = (project / PATH).read_bytes()
    for info in await disk.history():
        try:
            await disk.undo(info.id, merge=True)
        except UndoRefused:
            assert (project / PATH).read_bytes() == before
        before = (project / PATH).read_bytes()
