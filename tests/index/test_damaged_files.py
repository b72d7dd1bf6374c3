"""Each file of an index damaged, one at a time: answers are those of a fresh one, and it is said."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from index_kit import put

from motet.index.project import ProjectIndex

QUESTIONS = ("zyxomma wing", "how is function 7 named", "rename the wing")
DAMAGES: dict[str, Callable[[Path], None]] = {
    "removed": Path.unlink,
    "truncated": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "emptied": lambda path: path.write_bytes(b""),
}
NO_MATTER = (".lock", ".managed.json", "-wal", "-shm")
"""Ends of files without which the index is as good."""


def fill(project: Path) -> None:
    for name, value in (("user.name", "A"), ("user.email", "a@example.invalid")):
        subprocess.run(["git", "config", "--global", name, value], check=True)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    for turn in range(3):
        put(
            project,
            {
                f"f{n}.py": f"def function_{n}():\n    return zyxomma + {turn}\n\n\ndef wing_{n}():\n    pass\n"
                for n in range(8)
            },
        )
        subprocess.run(["git", "add", "."], cwd=project, check=True)
        subprocess.run(["git", "commit", "-qm", f"Rename the wing of zyxomma, {turn}"], cwd=project, check=True)


def answers(project: Path, home: Path) -> list[object]:
    async def ask() -> list[object]:
        index = ProjectIndex(project, home)
        await index.update()
        found = [(await index.search(one, 100, patience=60)).found for one in QUESTIONS]
        passages = await index.passages(QUESTIONS[0], 2000, patience=60)
        status = await index.status()
        await index.close()
        return [found, passages.found, status.files, status.chunks, status.commits]

    return asyncio.run(ask())


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_file_changes_no_answer(
    how: str, project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(project)
    whole = answers(project, tmp_path / "whole")
    assert answers(project, tmp_path / "whole") == whole
    (place,) = (tmp_path / "whole").iterdir()
    names = sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())
    assert len(names) > 15
    wrong: list[object] = []
    for name in names:
        home = tmp_path / "damaged"
        shutil.copytree(tmp_path / "whole", home)
        DAMAGES[how](home / place.name / name)
        caplog.clear()
        found = answers(project, home)
        told = [line for line in caplog.messages if "made anew" in line]
        if found != whole or (len(told) != 1 and not name.endswith(NO_MATTER)):
            wrong.append((name, found == whole, caplog.messages))
        caplog.clear()
        if answers(project, home) != whole or caplog.messages:
            wrong.append((name, "again", caplog.messages))
        shutil.rmtree(home)
    assert wrong == []


@pytest.mark.parametrize("part", ["catalog.sqlite", "chunks", "files", "commits"])
def test_a_part_of_another_index_is_told_and_made_anew(
    part: str, project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(project)
    other = tmp_path / "other"
    other.mkdir()
    put(other, {f"g{n}.py": "def elsewhere():\n    pass\n" for n in range(5)})
    answers(other, tmp_path / "others")
    whole = answers(project, tmp_path / "whole")
    (here,), (there,) = (tmp_path / "whole").iterdir(), (tmp_path / "others").iterdir()
    if (here / part).is_dir():
        shutil.rmtree(here / part)
        shutil.copytree(there / part, here / part)
    else:
        shutil.copy(there / part, here / part)
    assert answers(project, tmp_path / "whole") == whole
    assert len([line for line in caplog.messages if "made anew" in line]) == 1
