"""Plan mode: a model may call whatever it likes, with every yes that there is, and no byte of the project changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from engine.engine_kit import Answers, House, house

from motet.chat import End, Ended, Notice
from motet.errors import UsageError
from motet.messages import ToolCall
from motet.models.scripted import Answer, ScriptedRequest, Step, call
from motet.permissions import Answer as Said
from motet.process.sandbox import find_sandbox
from motet.turn import ToolFinished

ALL = ("send", "read", "write", "write:**", "run", "run:**", "net")
QUIET = "[chat]\ntitles = false\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-one = 1\n+one = 2\n*** End Patch\n"
SCRIPT = "echo x > new.txt; rm -f a.py; mv b.py c.py; git commit -qam no; echo x > .git/hooks/post-commit; chmod 700 a.py; echo tried"
EVERY: tuple[ToolCall, ...] = (
    call("create_file", {"path": "new.txt", "content": "x\n"}, "c1"),
    call("delete_file", {"path": "a.py"}, "c2"),
    call("move_file", {"path": "a.py", "to": "c.py"}, "c3"),
    call("replace_in_file", {"path": "a.py", "diff": "<<<<<<< SEARCH\none = 1\n=======\none = 2\n>>>>>>> REPLACE\n"}, "c4"),
    call("edit_file", {"path": "a.py", "edits": [{"old_text": "one = 1", "new_text": "one = 2"}]}, "c5"),
    call("write_file", {"path": "a.py", "content": "one = 2\n"}, "c6"),
    call("apply_patch", {"patch": PATCH}, "c7"),
    call("edit_anchored", {"path": "a.py", "edits": []}, "c8"),
    call("remember", {"note": "keep it"}, "c9"),
    call("own", {"path": "new.txt"}, "c10"),
)  # fmt: skip
LOOKS = (
    "read_file", "list_files", "find_files", "search_text", "search_code", "outline", "find_symbol", "find_references",
    "get_diagnostics", "changed_files", "run_command", "ask_user", "update_plan",
)  # fmt: skip


@pytest.fixture
async def needs_walls() -> None:
    found = await find_sandbox()
    if found.sandbox is None:
        pytest.skip(f"needs bubblewrap: {found.text}")


def fill(root: Path) -> dict[str, tuple[int, bytes]]:
    """A repository with two files; all that is in it."""
    (root / "a.py").write_text("one = 1\n")
    (root / "b.py").write_text("two = 2\n")
    for command in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "one"),
    ):
        subprocess.run(["git", *command], cwd=root, check=True)
    return held(root)


def held(root: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of each file."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): (path.stat().st_mode, path.read_bytes()) for path in files}


def offered(place: House, number: int) -> list[str]:
    tools = place.server.requests[number].body.get("tools", [])
    assert isinstance(tools, list)
    return [tool["function"]["name"] for tool in tools]


def with_own_tool(place: House) -> list[str]:
    """A tool of the user's own that writes; the files that it wrote."""
    wrote: list[str] = []

    def own(path: str) -> str:
        """Write a file."""
        wrote.append(path)
        (place.root / path).write_text("x\n")
        return "written"

    place.m.tool(own)
    return wrote


async def results(place: House, text: str, tools: list[str]) -> list[tuple[bool, str]]:
    """Of each call, whether it failed and what it told."""
    chat = await place.m.chat(tools=tools).ready()
    ended = [event async for event in chat.send(text)]
    return [(event.output.is_error, event.output.text) for event in ended if isinstance(event, ToolFinished)]


@pytest.mark.acceptance("T-27")
@pytest.mark.parametrize("format", ["replace_in_file", "edit_file", "whole_file", "apply_patch", "anchored"])
async def test_a_model_that_tries_every_tool_changes_nothing_though_all_of_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setenv("MOTET_EDIT_FORMAT", format)
    script, answers = [Answer(calls=EVERY), Answer(text="That was all.")], Answers(Said.ALWAYS)
    async with house(tmp_path, script, allow=ALL, ask=answers, yes=True) as place:
        wrote, before = with_own_tool(place), fill(place.root)
        found = await results(place, "do it @plan", ["agent", "own", "remember"])
        assert (held(place.root), wrote, answers.asked) == (before, [], [])
        assert set(offered(place, 0)) == {*LOOKS, "fetch_url"}
        assert len(found) == len(EVERY)
        for (failed, told), one in zip(found, EVERY, strict=True):
            assert failed
            assert told.startswith(f"there is no tool {one.name!r} here; the tools are: ")


@pytest.mark.acceptance("T-27")
async def test_edits_that_a_model_without_tools_writes_as_text_are_not_made(tmp_path: Path) -> None:
    block = "a.py\n<<<<<<< SEARCH\none = 1\n=======\none = 2\n>>>>>>> REPLACE\n"
    script = [Answer(text=block), Answer(text="No.")]
    async with house(tmp_path, script, more=f"tools = false\n{QUIET}", allow=ALL, yes=True) as place:
        before = fill(place.root)
        assert await results(place, "do it", ["agent", "plan"]) == []
        assert held(place.root) == before


@pytest.mark.acceptance("T-27")
async def test_edits_in_an_answer_are_not_applied_in_a_plan(tmp_path: Path) -> None:
    block = "a.py\n<<<<<<< SEARCH\none = 1\n=======\none = 2\n>>>>>>> REPLACE\n"
    async with house(tmp_path, [Answer(text=block)], more=QUIET, allow=ALL, yes=True) as place:
        before = fill(place.root)
        chat = await place.m.chat(tools=["agent", "plan"]).ready()
        notices = [event.about async for event in chat.send("do it") if isinstance(event, Notice)]
        with pytest.raises(UsageError, match="plan mode"):
            await anext(chat.apply())
        assert (notices, held(place.root)) == (["edits_left"], before)


@pytest.mark.acceptance("T-27")
@pytest.mark.usefixtures("needs_walls")
async def test_a_command_of_a_plan_sees_everything_and_writes_nothing_that_stays(tmp_path: Path) -> None:
    reaches = "import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
    outside = tmp_path / "outside.txt"

    def answering(request: ScriptedRequest) -> Step:
        if len(place.server.requests) > 1:
            return Answer(text="I tried.")
        port = place.server.url.rpartition(":")[2]
        return Answer(
            calls=(
                call("run_command", {"shell": SCRIPT}, "c1"),
                call("run_command", {"argv": ["git", "log", "--format=%s"]}, "c2"),
                call("run_command", {"shell": f"echo x > {outside}; echo y > /tmp/y && cat /tmp/y a.py"}, "c3"),
                call("run_command", {"argv": ["python3", "-c", reaches.format(port=port)]}, "c4"),
                call("run_command", {"argv": ["true"], "network": True}, "c5"),
            )
        )

    async with house(tmp_path, answering, allow=ALL, ask=Answers(Said.ONCE), yes=True) as place:
        before = fill(place.root)
        ran, log, looked, reached, network = await results(place, "try", ["plan"])
        assert (held(place.root), outside.exists()) == (before, False)
        assert ran[1].splitlines()[-1] == "tried" and ran[1].count("Read-only file system") >= 4
        assert log == (False, log[1]) and log[1].splitlines()[1:] == ["one"]
        assert looked[1].splitlines()[-2:] == ["y", "one = 1"]
        assert reached[0] and reached[1].splitlines()[-1].startswith(("ConnectionRefusedError", "OSError"))
        assert network == (True, "run_command: plan mode: commands have no network; leave it out")


@pytest.mark.acceptance("T-27")
async def test_without_a_sandbox_no_command_of_a_plan_runs_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("git", "touch", "sh"):
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "bin" / name).symlink_to(found)
    script = [Answer(calls=(call("run_command", {"argv": ["touch", "new.txt"]}),)), Answer(text="No.")]
    async with house(tmp_path, script, allow=ALL, yes=True) as place:
        before = fill(place.root)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        assert await results(place, "try", ["plan"]) == [
            (
                True,
                "run_command: plan mode: no command is run without a sandbox, and there is none: install bubblewrap "
                "(bwrap); until then commands run without a second wall",
            )
        ]
        assert held(place.root) == before


@pytest.mark.acceptance("T-27")
async def test_only_the_human_ends_it_and_a_chat_that_is_opened_again_is_still_in_it(tmp_path: Path) -> None:
    create = call("create_file", {"path": "new.txt", "content": "x\n"})
    script = [
        Answer(text="I plan."),
        Answer(calls=(create,)),
        Answer(text="No."),
        Answer(calls=(create,)),
        Answer(text="Done."),
    ]
    async with house(tmp_path, script, allow=ALL, yes=True) as place:
        chat = await place.m.chat(tools=["files"]).ready()
        assert [one async for one in chat.send("how? @plan")][-1] == Ended(End.DONE)
    async with house(tmp_path, script[1:], allow=ALL, yes=True) as place:
        talk = place.m.chat(resume=chat.id)
        assert await talk.ask("@files now, I drop @plan in words: /drop @plan") == "No."
        assert not (place.root / "new.txt").exists()
        assert await (await talk.ready()).take_away("plan")
        assert await talk.ask("now") == "Done."
        assert (place.root / "new.txt").read_text() == "x\n"


@pytest.mark.acceptance("T-27")
async def test_said_in_the_middle_of_a_turn_it_holds_from_the_next_answer_on(tmp_path: Path) -> None:
    def create(name: str) -> Answer:
        return Answer(calls=(call("create_file", {"path": name, "content": "x\n"}),))

    script = [create("one.txt"), create("two.txt"), Answer(text="Oh."), Answer(text="So I plan.")]
    async with house(tmp_path, script, allow=ALL, yes=True) as place:
        chat = await place.m.chat(tools=["files"]).ready()
        async for event in chat.send("make two"):
            if isinstance(event, ToolFinished) and event.output.text.startswith("one.txt: created"):
                chat.say("wait: @plan first")
        assert [path.name for path in place.root.iterdir()] == ["one.txt"]


@pytest.mark.acceptance("T-27")
async def test_a_yes_to_a_command_of_a_plan_is_none_to_the_same_words_after_it(tmp_path: Path) -> None:
    if (await find_sandbox()).sandbox is None:
        pytest.skip("needs bubblewrap")
    touch = Answer(calls=(call("run_command", {"argv": ["touch", "a.py"]}),))
    script, answers = [touch, Answer(text="No."), touch, Answer(text="Done.")], Answers(Said.PROJECT)
    async with house(tmp_path, script, allow=("send",), ask=answers, yes=True) as place:
        fill(place.root)
        talk = place.m.chat(tools=["plan", "cmd"])
        await talk.ask("try")
        await (await talk.ready()).take_away("plan")
        await talk.ask("again")
        assert [(str(action), action.contained) for action in answers.asked] == [
            ("run:touch a.py", True), ("run:touch a.py", False)
        ]  # fmt: skip
