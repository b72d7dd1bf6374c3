"""Functions of the user's own around a turn: they see it, change what is said, stop it, and never break it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from engine.engine_kit import house

from motet.chat import Cancelled, End, Ended, Level, Notice, Sent, Shared
from motet.errors import SettingsError
from motet.models.protocol import TextDelta
from motet.models.scripted import Answer

YES = Answer(text="Yes.")
HOOKS = """
from pathlib import Path
ENDED = Path(__file__).with_name("ended")

def shout(text): return text.upper() if text != "as it is" else None
async def refuse(text): return "SECRET" not in text
def stop(text): raise GeneratorExit
def speak(text): print("LOUD")
def note(ended): ENDED.write_text(ended.reason)
def fail(text): raise LookupError("no such ticket")
"""


@pytest.fixture
def hooks() -> Path:
    place = Path(os.environ["XDG_CONFIG_HOME"]) / "motet" / "my_hooks.py"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(HOOKS)
    return place


def table(**named: str) -> str:
    rows = "\n".join(f'{name} = ["my_hooks.py:{function}"]' for name, function in named.items())
    return f"[chat]\ntitles = false\n[hooks]\n{rows}\n"


async def test_what_is_said_may_be_changed_before_it_is_sent(tmp_path: Path, hooks: Path) -> None:
    async with house(tmp_path, [YES, YES], more=table(before_submit="shout", completed="note")) as place:
        chat = await place.m.chat().ready()
        for text in ("hello", "as it is"):
            assert [event async for event in chat.send(text)][-1] == Ended(End.DONE)
        said = [message.text for message in chat.messages if message.role == "user"]
        assert said == ["HELLO", "as it is"]
        assert hooks.with_name("ended").read_text() == "done"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("refuse", "refuse did not let it be sent"),
        ("fail", "a hook failed, and nothing was sent: LookupError: no such ticket ({hooks}, line 10)"),
    ],
)
async def test_what_may_not_be_sent_is_not_sent_and_nothing_is_kept(
    tmp_path: Path, hooks: Path, function: str, why: str
) -> None:
    async with house(tmp_path, [], more=table(before_submit=function)) as place:
        chat = await place.m.chat().ready()
        with pytest.raises(Cancelled) as caught:
            _ = [event async for event in chat.send("a SECRET")]
        assert str(caught.value) == why.format(hooks=hooks)
        assert (place.server.requests, [one for one in chat.messages if one.visible]) == ([], [])


async def test_one_that_would_end_the_program_only_cancels(tmp_path: Path, hooks: Path) -> None:
    async with house(tmp_path, [], more=table(before_submit="stop")) as place:
        chat = await place.m.chat().ready()
        with pytest.raises(Cancelled, match=r"^a hook failed, and nothing was sent: _Ended: GeneratorExit "):
            _ = [event async for event in chat.send("hello")]


async def test_what_one_prints_is_not_in_the_answer(
    tmp_path: Path, hooks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with house(tmp_path, [YES], more=table(before_submit="speak")) as place:
        chat = await place.m.chat().ready()
        _ = [event async for event in chat.send("hello")]
    assert capsys.readouterr() == ("", "LOUD\n")


@pytest.mark.acceptance("S0-039")
async def test_others_hear_every_event_of_a_chat_as_its_reader_does(tmp_path: Path) -> None:
    async with house(tmp_path, [YES]) as place:
        heard: list[object] = []
        place.m.listen(heard.append)
        ended: list[Ended] = []

        @place.m.completed
        async def done(event: Ended) -> None:
            ended.append(event)

        chat = await place.m.chat().ready()
        drawn = [event async for event in chat.send("hello")]
        assert heard == drawn
        assert {Sent, TextDelta, Ended} <= {type(event) for event in heard}
        assert ended == [Ended(End.DONE)]


async def test_one_that_fails_is_told_once_and_hears_no_more(tmp_path: Path) -> None:
    async with house(tmp_path, [YES, YES]) as place:
        calls: list[object] = []

        @place.m.listen
        def broken(event: object) -> None:
            calls.append(event)
            raise ValueError("oh")

        chat = await place.m.chat().ready()
        told = []
        for _ in range(2):
            events = [event async for event in chat.send("hello")]
            assert events[-1] == Ended(End.DONE)
            told.append([event.text for event in events if isinstance(event, Notice)])
        line = broken.__code__.co_firstlineno + 3
        assert told == [[f"hook {broken.__qualname__}: ValueError: oh ({__file__}, line {line})"], []]
        assert len(calls) == 1


async def test_one_that_fails_at_the_end_is_a_notice_with_its_line(tmp_path: Path) -> None:
    async with house(tmp_path, [YES]) as place:

        @place.m.completed
        def broken(ended: Ended) -> None:
            raise ValueError("oh")

        chat = await place.m.chat().ready()
        notices = [event async for event in chat.send("hello") if isinstance(event, Notice)]
        line = broken.__code__.co_firstlineno + 2
        name = broken.__qualname__
        assert notices == [Notice(f"hook {name}: ValueError: oh ({__file__}, line {line})", Level.WARNING)]


async def test_one_that_is_not_there_is_named_with_its_setting(tmp_path: Path, hooks: Path) -> None:
    async with house(tmp_path, [], more=table(event="nothing")) as place:
        with pytest.raises(
            SettingsError, match=r"^hooks.event: my_hooks.py:nothing cannot be loaded: AttributeError: "
        ):
            await place.m.chat().ready()


async def test_those_of_a_project_are_ignored(tmp_path: Path) -> None:
    from motet.engine import Engine

    (tmp_path / ".motet.toml").write_text('[hooks]\nevent = ["evil.py:steal"]\n')
    engine = Engine(tmp_path, root=tmp_path)
    assert engine.loaded.settings.hooks.event == []
    assert list(engine.notices) == [".motet.toml: hooks ignored: a project's file can only restrict"]


# --- what enters by itself -------------------------------------------------------------------------------------

CHOOSE = """
def choose(text, files):
    if "typo" in text: return None
    return ["#diff", "@/docs/style.md:1-1"] + ["@/docs/more.md" for name in files if name == "a.py"]
def tools(text, files): return "@cmd @/docs/style.md"
def wrong(text, files): return 7
async def fails(text, files): raise LookupError("no index")
"""


def choosing(function: str) -> str:
    return f'[chat]\ntitles = false\n[hooks]\ncontext = "my_hooks.py:{function}"\n'


@pytest.fixture
def project(tmp_path: Path, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the chats below are about; a map of it would go along if nobody chose."""
    hooks.write_text(CHOOSE)
    monkeypatch.delenv("MOTET_CHAT_MAP_TOKENS")
    monkeypatch.setattr("motet.engine.maps._PATIENCE", 30)
    for path, text in {
        "a.py": "x = 1\n",
        "docs/style.md": "Be brief.\nBe kind.\n",
        "docs/more.md": "More.\n",
    }.items():
        (tmp_path / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / path).write_text(text)
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=tmp_path / "project", check=True, timeout=60)
    (tmp_path / "project" / "a.py").write_text("def total(prices):\n    return 2\n")
    return tmp_path / "project"


def lines(events: Sequence[object]) -> list[str]:
    """The lines of what was shared."""
    return [event.line for event in events if isinstance(event, Shared)]


@pytest.mark.acceptance("S0-128")
async def test_one_function_chooses_what_enters_by_itself(tmp_path: Path, project: Path) -> None:
    async with house(tmp_path, [YES, YES, YES], more=choosing("choose")) as place:
        chat = await place.m.chat().ready()
        first = [event async for event in chat.send("Is this @/a.py right?")]
        assert lines(first) == [
            "<diff>uncommitted</diff>",
            "<file>docs/style.md:1-1</file>",
            "<file>docs/more.md</file>",
            "<file>a.py</file>",
        ]
        asked = place.server.requests[0].text
        assert "+    return 2" in asked and "Be brief." in asked and "Be kind." not in asked and "<map>" not in asked
        again = [event async for event in chat.send("And now?")]
        assert lines(again) == []  # what has not changed is not sent again
        assert lines([event async for event in chat.send("There is a typo.")]) == []


@pytest.mark.acceptance("S0-128")
async def test_what_the_human_has_taken_out_does_not_enter_again(tmp_path: Path, project: Path) -> None:
    async with house(tmp_path, [YES, YES], more=choosing("choose")) as place:
        chat = await place.m.chat().ready()
        _ = [event async for event in chat.send("Look.")]
        assert chat.share.forget("<file>docs/style.md:1-1</file>")
        (project / "docs" / "style.md").write_text("Be clear.\n")
        (project / "a.py").write_text("def total(prices):\n    return 3\n")
        assert lines([event async for event in chat.send("Again.")]) == ["<diff>uncommitted</diff>"]


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("tools", "@cmd was not handed over: hooks.context only shares"),
        ("wrong", "hook wrong gave int: texts such as `#diff` or `@/path` are needed"),
        ("fails", "hook fails, so nothing goes along by itself: LookupError: no index ({hooks}, line 7)"),
    ],
)
async def test_one_that_is_wrong_is_told_and_the_message_goes(
    tmp_path: Path, project: Path, hooks: Path, function: str, told: str
) -> None:
    async with house(tmp_path, [YES], more=choosing(function)) as place:
        chat = await place.m.chat().ready()
        events = [event async for event in chat.send("Hello.")]
        assert Notice(told.format(hooks=hooks), Level.WARNING) in events and events[-1] == Ended(End.DONE)
        assert "tools" not in place.server.requests[0].body


async def test_a_program_chooses_with_a_decorator_and_may_take_the_map(tmp_path: Path, project: Path) -> None:
    async with house(tmp_path, [YES]) as place:

        @place.m.context
        def choose(text: str, files: tuple[str, ...]) -> list[str]:
            return ["map", "@/docs/more.md"]

        chat = await place.m.chat().ready()
        events = [event async for event in chat.send("Hello.")]
        assert lines(events) == ["<map>project</map>", "<file>docs/more.md</file>"]
