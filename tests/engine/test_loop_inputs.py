"""What goes into the loop of a chat and what comes out of it: files that are read meanwhile, names of functions, tools of
one's own, files that are made, moved and deleted, and commands."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest
from engine.engine_kit import house
from pydantic import BaseModel

from motet.history import History
from motet.messages import Message, Role, ToolCall
from motet.models.scripted import Answer, ScriptedRequest, call
from motet.paths import state_dir
from motet.permissions import Effect
from motet.tools import ToolOutput
from motet.tools.tool import OneByOne, ToolSpec

QUIET = "[chat]\ntitles = false\n"


def results(request: ScriptedRequest, dialect: str = "openai") -> list[str]:
    """What the calls of the last answer came to, as the request tells it."""
    messages = request.body["input" if dialect == "openai-responses" else "messages"]
    assert isinstance(messages, list)
    if dialect == "openai-responses":
        return [one["output"] for one in messages if one["type"] == "function_call_output"]
    if dialect == "anthropic":
        return [
            part["content"] if isinstance(part["content"], str) else part["content"][0]["text"]
            for part in messages[-1]["content"]
        ]
    return [one["content"] for one in messages if one["role"] == "tool"]


@pytest.mark.acceptance("S3-028")
async def test_what_a_model_reads_and_the_names_of_functions_are_in_its_next_request(tmp_path: Path) -> None:
    look = (
        call("read_file", {"path": "price.py"}, "c1"),
        call("outline", {"path": "cart.py"}, "c2"),
        call("find_symbol", {"name": "pay"}, "c3"),
    )
    async with house(tmp_path, [Answer(calls=look), Answer(text="I see.")]) as place:
        (place.root / "price.py").write_text("TAX = 19\n")
        (place.root / "cart.py").write_text("def pay(cart):\n    return 1\n\n\ndef leave(cart):\n    return 2\n")
        assert await place.m.chat(tools=["readonly"]).ask("what is there?") == "I see."
        read, outlined, found = results(place.server.requests[1])
        assert "   1│ TAX = 19" in read
        assert "pay" in outlined and "leave" in outlined
        assert found.startswith("1 definition of pay") and "\n\ncart.py: function, lines 1-2\n" in found


@pytest.mark.acceptance("S3-035", "S3-036", "S0-103")
async def test_a_model_makes_changes_moves_and_deletes_files_and_runs_a_command_over_them(tmp_path: Path) -> None:
    change = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    acts = (
        call("create_file", {"path": "new/a.txt", "content": "one\n"}, "c1"),
        call("replace_in_file", {"path": "new/a.txt", "diff": change}, "c2"),
        call("move_file", {"path": "new/a.txt", "to": "b.txt"}, "c3"),
        call("delete_file", {"path": "old.txt"}, "c4"),
        call("run_command", {"argv": ["grep", "-rc", "two", "b.txt"]}, "c5"),
    )
    script = [Answer(calls=(one,)) for one in acts]
    async with house(tmp_path, [*script, Answer(text="Done.")], allow=("send", "run:grep *"), yes=True) as place:
        (place.root / "old.txt").write_text("old\n")
        assert await place.m.chat(tools=["files", "cmd"]).ask("tidy up") == "Done."
        files = {path.name: path.read_text() for path in place.root.rglob("*") if path.is_file()}
        assert files == {"b.txt": "two\n"}
        told = results(place.server.requests[-1])
        assert [each.splitlines()[0].partition(" after ")[0] for each in told] == [
            "new/a.txt: created, applied 1 of 1 hunk", "new/a.txt: applied 1 of 1 hunk", told[2].splitlines()[0],
            "old.txt: deleted", "exit code 0",
        ]  # fmt: skip
        assert told[4].splitlines()[1:] == ["1"]


class Number(BaseModel):
    """Arguments."""

    number: int


class Ticket(OneByOne):
    """A tool as a class of one's own."""

    spec = ToolSpec("ticket", "Look a ticket up.", Number, frozenset({Effect.READ}))

    async def call(self, value: BaseModel) -> ToolOutput:
        assert isinstance(value, Number)
        return ToolOutput(f"ticket {value.number}: it leaks")


@pytest.mark.acceptance("S3-020")
@pytest.mark.parametrize("dialect", ["openai", "anthropic", "openai-responses"])
async def test_a_tool_of_the_settings_and_a_class_of_ones_own_go_along_with_the_request(
    tmp_path: Path, dialect: str
) -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "motet" / "mine.py"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(
        'def weather(town: str) -> str:\n    """Say how the weather is."""\n    return f"rain in {town}"\n'
    )
    settings = f'{QUIET}[tools.own.weather]\ncallback = "mine.py:weather"\neffects = ["read"]\n'
    calls = (call("weather", {"town": "Ulm"}, "c1"), call("ticket", {"number": 7}, "c2"))
    script = [Answer(calls=calls), Answer(text="It rains.")]
    async with house(tmp_path, script, dialect=dialect, more=settings) as place:
        place.m._extras.tools["ticket"] = Ticket()
        assert await place.m.chat(tools=["weather", "ticket"]).ask("how is it?") == "It rains."
        first, second = place.server.requests
        tools = first.body["tools"]
        assert isinstance(tools, list)
        faces = [one["function"] if dialect == "openai" else one for one in tools]
        schema = "input_schema" if dialect == "anthropic" else "parameters"
        assert [(one["name"], one["description"], one[schema]["required"]) for one in faces] == [
            ("weather", "Say how the weather is.", ["town"]), ("ticket", "Look a ticket up.", ["number"])
        ]  # fmt: skip
        assert results(second, dialect) == ["rain in Ulm", "ticket 7: it leaks"]


@pytest.mark.acceptance("S0-073")
@pytest.mark.parametrize("dialect", ["openai", "anthropic", "openai-responses"])
async def test_calls_are_stored_in_one_form_before_they_run_whatever_the_provider_calls_them(
    tmp_path: Path, dialect: str
) -> None:
    seen: list[tuple[Message, ...]] = []
    script = [Answer(calls=(call("stored", {"say": "früh"}, "c1"),)), Answer(text="Done.")]
    async with house(tmp_path, script, dialect=dialect) as place:
        chat = await place.m.chat().ready()

        async def stored(say: str) -> str:
            """Look at what is stored now."""
            async with History.open(state_dir(os.environ)) as history:
                seen.append((await history.load(chat.id)).messages)
            return say

        place.m.tool(stored)
        talk = place.m.chat(tools=["stored"])
        chat = await talk.ready()
        assert await talk.ask("do it") == "Done."
        ((*_, human, answer, unanswered),) = seen
        assert (human.role, human.text) == (Role.USER, "do it")
        assert (answer.role, answer.text) == (Role.ASSISTANT, "")
        assert answer.calls == (ToolCall("c1", "stored", '{"say": "früh"}'),)
        assert unanswered.text == "motet ended before this call had a result"  # as whoever opens it would read


@pytest.mark.acceptance("S0-099")
async def test_what_is_not_the_projects_own_goes_nowhere_unless_it_is_named(tmp_path: Path) -> None:
    theirs = (
        "node_modules/lib/a.py", "vendor/lib/a.py", "third_party/a.py", ".venv/lib/python3/site-packages/a.py", "build/a.py",
        "sub/node_modules/a.py", "ignored/a.py", "made_pb2.py", "dist/a.py",
    )  # fmt: skip
    look = (
        call("list_files", {}, "c1"), call("find_files", {"pattern": "**/*.py"}, "c2"),
        call("search_text", {"pattern": "CANARY|OWN"}, "c3"), call("find_symbol", {"name": "answer"}, "c4"),
        call("find_references", {"name": "answer"}, "c5"), call("changed_files", {}, "c6"),
    )  # fmt: skip
    settings = f'{QUIET}[groups.all]\nfiles = ["**"]\n'
    async with house(
        tmp_path, [Answer(calls=look), Answer(text="One."), Answer(text="Two.")], more=settings
    ) as place:
        for name in theirs:
            (place.root / name).parent.mkdir(parents=True, exist_ok=True)
            (place.root / name).write_text("def answer():\n    return 'CANARY'\n")
        (place.root / ".venv" / "pyvenv.cfg").touch()
        (place.root / ".gitignore").write_text("ignored/\n")
        (place.root / "own.py").write_text("def answer():\n    return 'OWN'\n")
        await asyncio.to_thread(subprocess.run, ["git", "init", "-q"], cwd=place.root, check=True)
        talk = place.m.chat(tools=["readonly"])
        assert await talk.ask("what is here? #group:all @/ @./sub") == "One."
        sent = "".join(request.text for request in place.server.requests)
        assert "OWN" in sent
        assert [name for name in theirs if name in results(place.server.requests[1])[1]] == []
        assert "CANARY" not in sent.replace("CANARY|OWN", "")
        assert await talk.ask("and @/vendor/lib/a.py ?") == "Two."
        assert "CANARY'" in place.server.requests[2].text
