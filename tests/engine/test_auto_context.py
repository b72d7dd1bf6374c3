"""Mode `auto`: two or three passages come along with a message that is about the project, and only then."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from engine.engine_kit import House, house

from motet.chat import Shared
from motet.engine import Engine
from motet.messages import Message
from motet.models.scripted import Answer
from motet.paths import PROJECT_FILE

AUTO = "[chat]\ntitles = false\nmap_tokens = 0\n[index]\nmode = 'auto'\n"
RETRY = (
    "def retry_request(request):\n    '''Sends a failed request again, after a pause.'''\n    return send(request)\n"
)
QUESTION = "where is a failed request sent again after a pause?"


def write(place: House, **more: str) -> None:
    files = {
        "src/retry.py": RETRY,
        "src/paint.py": "def paint(colour):\n    return colour\n",
        ".env": "FAILED_REQUEST_PAUSE=again sent\n",
        **more,
    }
    for path, text in files.items():
        (place.root / path).parent.mkdir(parents=True, exist_ok=True)
        (place.root / path).write_text(text)


def found(messages: tuple[Message, ...]) -> list[str]:
    return [one.context.id for one in messages if one.tag == "codebase" and one.context]


@pytest.mark.acceptance("SP-09", "S1-041", "CU-01", "S0-096", "S0-098", "S0-005")
async def test_passages_come_along_each_with_its_reason_and_its_tokens(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")], more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        shared = [event async for event in chat.send(QUESTION) if isinstance(event, Shared)]
        assert [event.line for event in shared] == ["<codebase>src/retry.py:1-3</codebase>"]
        [one] = [message for message in chat.messages if message.tag == "codebase"]
        assert shared[0].tokens == one.meta.estimated_tokens > 0
        assert shared[0].why == one.meta.source
        assert one.meta.source.startswith("by itself: has ")
        assert one.meta.source.endswith("; off: index.mode = mention")
        assert "def retry_request" in str(place.server.requests[0].body["messages"])
        assert "FAILED_REQUEST_PAUSE" not in str(place.server.requests[0].body["messages"])


@pytest.mark.acceptance("S1-039")
@pytest.mark.parametrize(
    "said", ["thanks", "yes, please go on", "はい", "ok, great, do it again", "why?", "is it good?"]
)
async def test_a_message_with_nothing_to_look_for_gets_none(tmp_path: Path, said: str) -> None:
    async with house(tmp_path, [Answer(text="Well.")], more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask(said)
        assert found(chat.messages) == []


async def test_a_message_about_something_else_gets_none(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="Well.")], more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask("write me a poem about the pause between two seasons")
        assert found(chat.messages) == []


async def test_by_default_nothing_comes_by_itself(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="Well.")], more="[chat]\ntitles = false\nmap_tokens = 0") as place:
        write(place)
        chat = place.m.chat()
        await chat.ask(QUESTION)
        assert found(chat.messages) == []


async def test_what_is_there_already_is_not_sent_again(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")] * 3, more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask(QUESTION)
        await chat.ask(f"once more: {QUESTION}")
        assert found(chat.messages) == ["<codebase>src/retry.py:1-3</codebase>"]
        other = place.m.chat()
        await other.ask(f"@/src/retry.py {QUESTION}")
        assert found(other.messages) == []


async def test_what_the_human_takes_out_does_not_come_back(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")] * 2, more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask(QUESTION)
        assert await (await chat.ready()).remove("<codebase>src/retry.py:1-3</codebase>")
        await chat.ask(f"once more: {QUESTION}")
        assert found(chat.messages) == []
        assert "def retry_request" not in str(place.server.requests[1].body["messages"])


async def test_what_was_asked_for_takes_its_place(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")], more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask(f"#codebase {QUESTION}")
        [one] = [message for message in chat.messages if message.tag == "codebase"]
        assert one.meta.source == "#codebase"


async def test_nothing_comes_where_little_room_is_left(tmp_path: Path) -> None:
    script = [Answer(text="There.")] * 2
    async with house(tmp_path, script, more=AUTO) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask(QUESTION)
        tokens = sum(one.estimated().meta.estimated_tokens for one in chat.messages)
    more = AUTO.replace("map_tokens", f"max_prompt_tokens = {tokens + 20}\nmap_tokens")
    async with house(tmp_path, script, more=more) as place:
        chat = place.m.chat()
        await chat.ask(QUESTION)
        assert found(chat.messages) == []


@pytest.mark.acceptance("CU-01", "S0-099")
async def test_what_is_ignored_or_denied_never_comes_by_itself(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / PROJECT_FILE).write_text("ignore = ['drafts/']\n")
    more = f"{AUTO}[permissions]\ndeny = ['read:src/retry.py']\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        write(place, **{"drafts/retry.py": RETRY, "vendor/retry.py": RETRY, "id_rsa": RETRY})
        chat = place.m.chat()
        await chat.ask(QUESTION)
        assert found(chat.messages) == []


@pytest.mark.acceptance("SP-09")
async def test_motet_context_shows_what_would_come(tmp_path: Path) -> None:
    async with house(tmp_path, [], more=AUTO) as place:
        write(place)
        argv = [sys.executable, "-m", "motet", "context", "--json", QUESTION]
        done = await asyncio.to_thread(
            subprocess.run, argv, cwd=place.root, capture_output=True, check=True, timeout=120
        )
        [row] = [one for one in map(json.loads, done.stdout.splitlines()) if one.get("tag") == "codebase"]
        assert (row["item"], row["tokens"] > 0) == ("<codebase>src/retry.py:1-3</codebase>", True)
        assert row["reason"].startswith("by itself: has ")


@pytest.mark.parametrize("rule", ["!", "\\\\"])
async def test_a_line_of_a_project_that_is_no_rule_is_passed_over(tmp_path: Path, rule: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / PROJECT_FILE).write_text(f'ignore = ["{rule}", "drafts/"]\n')
    async with house(tmp_path, [Answer(text="There.")], more=AUTO) as place:
        write(place, **{"drafts/retry.py": RETRY})
        chat = place.m.chat()
        await chat.ask(QUESTION)
        assert found(chat.messages) == ["<codebase>src/retry.py:1-3</codebase>"]
    assert [path for path in await Engine(root).source_files() if path.endswith(".py")] == [
        "src/paint.py",
        "src/retry.py",
    ]
