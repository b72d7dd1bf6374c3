"""The offline model answers questions about the code from the index, and says that nobody has read what it quotes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import motet

WHO = "I am the offline model: I apply suggested fixes and close names, I do not reason."
END = "An index has found them by their words; no language model has read them. For an answer choose another model: `motet models`."
CLIENT = "class Client:\n    def send(self, request):\n        # a failed request is tried again after a pause\n        return retry(request)\n"


def settings(more: str = "") -> None:
    place = Path(os.environ["XDG_CONFIG_HOME"]) / "motet" / "config.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f'model = "offline"\n{more}')


def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/client.py").write_text(CLIENT)
    (root / "src/paint.py").write_text("def paint(colour): ...\n")
    (root / ".env").write_text("RETRY=failed request\n")
    return root


async def asked(root: Path, question: str) -> str:
    async with motet.open(root) as m:
        return await m.chat().ask(question)


@pytest.mark.acceptance("CU-01", "AV-03")
async def test_a_question_about_the_code_is_answered_with_places_and_reasons(tmp_path: Path) -> None:
    settings()
    said = await asked(project(tmp_path), "where is a failed request tried again?")
    assert said == (
        f"{WHO} The question speaks of these places most:\n\n"
        "`src/client.py:1-4` (has again, failed, request, tried; the file as a whole speaks of it)\n"
        f"```py\n{CLIENT}```\n\n{END}"
    )


async def test_the_command_says_the_same(tmp_path: Path) -> None:
    settings()
    argv = [sys.executable, "-m", "motet", "ask", "-m", "offline", "where is retry handled?"]
    done = await asyncio.to_thread(
        subprocess.run, argv, cwd=project(tmp_path), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert "`src/client.py:2-4` (has retry" in done.stdout and END in done.stdout


@pytest.mark.parametrize("said", ["hello", "thanks", "go on"])
async def test_small_talk_is_not_looked_for(tmp_path: Path, said: str) -> None:
    settings()
    assert "```" not in await asked(project(tmp_path), said)


async def test_what_is_not_there_is_said_not_to_be(tmp_path: Path) -> None:
    settings()
    said = await asked(project(tmp_path), "where are the zebra crossings painted over?")
    assert "src/client.py" not in said
    nothing = await asked(project(tmp_path / "other"), "where is the zyxomma quenelle?")
    assert nothing == f"{WHO} The index of this project has found nothing that speaks of the question."


async def test_what_is_denied_or_switched_off_is_not_looked_at(tmp_path: Path) -> None:
    root = project(tmp_path)
    settings("[permissions]\ndeny = ['read:src/client.py']\n")
    assert "tried again" not in (await asked(root, "where is a failed request tried again?"))
    for more in ("[index]\nmode = 'off'\n", "send_code = false\n"):
        settings(more)
        assert "Nothing is shared with me yet" in await asked(root, "where is a failed request tried again?")
