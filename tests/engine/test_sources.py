"""What is searched can be named, and the way context is chosen can be replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from engine.engine_kit import House, house

from motet.chat import Notice, Shared
from motet.errors import SettingsError
from motet.index.packing import Passage
from motet.models.scripted import Answer, call

QUIET = "[chat]\ntitles = false\nmap_tokens = 0\n"
PAGE = "# Deploying\n\nThe release is rolled back with the blue lever.\n"
PROGRAM = """#!/usr/bin/env python3
import json, sys
assert sys.argv[1:] == ["query", "--pipe", "how is the release rolled back?"], sys.argv
print(json.dumps([{"path": "lever.py", "chunk": "def pull(): ...", "start_line": 7, "end_line": 7}, {"document": "See the manual."}]))
"""


def write(place: House) -> None:
    wiki = place.root.parent / "wiki"
    wiki.mkdir(exist_ok=True)
    (wiki / "deploy.md").write_text(PAGE)
    (wiki / ".env").write_text("ROLLBACK=blue lever release\n")
    (place.root / "app.py").write_text("def release(): ...  # rolled back by nobody\n")


def texts(place: House) -> str:
    return str(place.server.requests[-1].body["messages"])


@pytest.mark.acceptance("S1-040")
async def test_a_folder_of_the_settings_is_searched_where_it_is_named(tmp_path: Path) -> None:
    more = f"{QUIET}[index.sources.wiki]\ndirectory = '{tmp_path}/wiki'\ndescription = 'how we work'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask("#codebase:wiki how is the release rolled back?")
        [one] = [message for message in chat.messages if message.tag == "codebase"]
        assert one.context is not None and one.context.id == "<codebase>wiki:deploy.md:1-3</codebase>"
        assert (one.context.path, one.meta.source) == ("", "#codebase:wiki")
        assert "blue lever" in texts(place) and "app.py" not in texts(place) and "ROLLBACK" not in texts(place)
        assert "the passages of wiki how is the release" in texts(place)


async def test_a_folder_of_the_settings_gives_nothing_that_is_denied(tmp_path: Path) -> None:
    rule = f"[permissions]\ndeny = ['read:{tmp_path}/wiki/private/*']\n"
    more = f"{QUIET}{rule}[index.sources.wiki]\ndirectory = '{tmp_path}/wiki'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        write(place)
        (tmp_path / "wiki/private").mkdir()
        (tmp_path / "wiki/private/release.md").write_text(PAGE)
        chat = place.m.chat()
        await chat.ask("#codebase:wiki how is the release rolled back?")
        assert [one.context and one.context.id for one in chat.messages if one.tag == "codebase"] == [
            "<codebase>wiki:deploy.md:1-3</codebase>"
        ]


@pytest.mark.acceptance("S1-040")
async def test_a_model_is_handed_one_source(tmp_path: Path) -> None:
    more = f"{QUIET}[index.sources.wiki]\ndirectory = '{tmp_path}/wiki'\ndescription = 'how we work'\n"
    script = [Answer(calls=(call("search_wiki", {"query": "release rolled back"}),)), Answer(text="There.")]
    async with house(tmp_path, script, more=more) as place:
        write(place)
        await place.m.chat().ask("@rag:wiki how is the release rolled back?")
        assert [tool["function"]["name"] for tool in place.server.requests[0].body["tools"]] == ["search_wiki"]
        assert "wiki:deploy.md:1-3  (has " in texts(place) and "blue lever" in texts(place)


@pytest.mark.acceptance("VC-02", "S0-129")
async def test_an_installed_code_index_is_a_source(tmp_path: Path) -> None:
    program = tmp_path / "vectors"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    more = f"{QUIET}[index.sources.vectors]\ncommand = '{program} query --pipe {{question}}'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        (place.root / "lever.py").write_text("\n" * 6 + "def pull(): ...\n")
        chat = place.m.chat()
        await chat.ask("#{codebase:vectors:how is the release rolled back?}")
        found = [message for message in chat.messages if message.tag == "codebase"]
        assert [one.text for one in found] == [
            '<codebase filepath="lever.py" lines="7-7" why="found by vectors">\n7│ def pull(): ...\n</codebase>',
            '<codebase why="found by vectors">\nSee the manual.\n</codebase>',
        ]


@pytest.mark.acceptance("VC-02")
async def test_a_source_that_is_not_installed_is_told_and_no_error(tmp_path: Path) -> None:
    more = f"{QUIET}[index.sources.vectors]\ncommand = 'no-such-vectorcode query {{question}}'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        chat = place.m.chat()
        events = [event async for event in chat.send("#codebase:vectors where?")]
        [told] = [event.text for event in events if isinstance(event, Notice)]
        assert told.startswith("#codebase:vectors: vectors: no-such-vectorcode: ")
        assert chat.messages[-1].text == "There."


@pytest.mark.acceptance("S0-128")
async def test_a_function_of_the_users_takes_the_place_of_the_index(tmp_path: Path) -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "motet" / "chosen.py"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(
        "def find(question):\n    return [{'path': 'app.py', 'first': 1, 'text': question.upper(), 'why': 'my own way'}]\n"
    )
    more = f"{QUIET}[index]\nsource = 'mine'\n[index.sources.mine]\ncallback = 'chosen.py:find'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask("#codebase which way?")
        [one] = [message for message in chat.messages if message.tag == "codebase"]
        assert one.text == '<codebase filepath="app.py" lines="1-1" why="my own way">\n1│ WHICH WAY?\n</codebase>'


@pytest.mark.acceptance("S0-128")
async def test_a_program_hands_in_its_own_way(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")], more=QUIET.strip() + "\n[index]\nmode = 'auto'\n") as place:
        write(place)

        @place.m.retriever
        async def find(question: str, tokens: int) -> list[str]:
            return [f"Room for {tokens}: {question}", "word " * 9000]

        chat = place.m.chat()
        await chat.ask("#codebase which way?")
        assert [one.text for one in chat.messages if one.tag == "codebase"] == [
            '<codebase why="found">\nRoom for 6000: which way?\n</codebase>'
        ]


async def test_a_source_gives_no_secret_and_nothing_that_is_denied(tmp_path: Path) -> None:
    more = QUIET.strip() + "\n[permissions]\ndeny = ['read:private/*']\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        (place.root / "open.py").write_text("x = 1\n")

        @place.m.retriever
        def find(_: str) -> list[dict[str, str]]:
            return [{"path": path, "text": path} for path in (".env", "private/a.py", "open.py", "/etc/shadow")]

        chat = place.m.chat()
        await chat.ask("#codebase what?")
        assert [one.context and one.context.id for one in chat.messages if one.tag == "codebase"] == [
            "<codebase>open.py</codebase>"
        ]


async def test_a_source_that_fails_is_told_with_file_and_line(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")], more=QUIET) as place:

        @place.m.retriever
        def find(_: str) -> object:
            raise KeyError("lever")

        events = [event async for event in place.m.chat().send("#codebase what?")]
        [told] = [event.text for event in events if isinstance(event, Notice)]
        assert told.startswith("#codebase: the retriever: KeyError: 'lever' (") and "test_sources.py" in told


async def test_a_folder_takes_the_place_of_the_index_where_the_settings_say_so(tmp_path: Path) -> None:
    more = f"{QUIET}[index]\nsource = 'wiki'\n[index.sources.wiki]\ndirectory = '{tmp_path}/wiki'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask("#codebase how is the release rolled back?")
        assert [one.context and one.context.id for one in chat.messages if one.tag == "codebase"] == [
            "<codebase>wiki:deploy.md:1-3</codebase>"
        ]


SHELL = "[index.sources.notes]\ncommand = '''sh -c \"{word}\" sh {{question}}'''\n"


async def test_a_shell_never_reads_the_question_as_commands(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    more = QUIET + SHELL.format(word="grep {question} /dev/null; echo []")
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        events = [event async for event in place.m.chat().send(f"#codebase:notes x; touch {taken}")]
        assert [event.text for event in events if isinstance(event, Notice)] == [
            "#codebase:notes: index.sources.notes.command: sh would run what is asked; let it be an argument, as in "
            """`sh -c 'search "$1"' sh {question}`"""
        ]
    assert not taken.exists()


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("/bin/sh -ec {question}", "/bin/sh"),
        ("env bash -c 'search {question}'", "bash"),
        ("perl -e {question}", "perl"),
        ("php -r {question}", "php"),
    ],
)
async def test_no_program_is_run_whose_text_the_question_would_be(tmp_path: Path, command: str, runs: str) -> None:
    more = f'{QUIET}[index.sources.notes]\ncommand = "{command}"\n'
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        events = [event async for event in place.m.chat().send("#codebase:notes what?")]
    assert [event.text for event in events if isinstance(event, Notice)] == [
        f"#codebase:notes: index.sources.notes.command: {runs} would run what is asked; let it be an argument, as in "
        """`sh -c 'search "$1"' sh {question}`"""
    ]


async def test_a_question_is_never_an_option_of_a_program(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("import json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    more = f"{QUIET}[index.sources.notes]\ncommand = 'python3 {script} {{question}}'\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        chat = place.m.chat()
        await chat.ask("#codebase:notes --output=/etc/motd x")
        [one] = [message for message in chat.messages if message.tag == "codebase"]
        assert one.text == '<codebase why="found by notes">\noutput=/etc/motd x\n</codebase>'


async def test_a_shell_may_have_the_question_as_its_argument(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('printf \'["%s"]\' "$1"\n')
    more = QUIET + SHELL.format(word=f". {script}")
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        chat = place.m.chat()
        await chat.ask("#codebase:notes x; exit 1")
        [one] = [message for message in chat.messages if message.tag == "codebase"]
        assert one.text == '<codebase why="found by notes">\nx; exit 1\n</codebase>'


@pytest.mark.parametrize(
    ("source", "asked", "told"),
    [
        ("directory = '~nobody-at-all/wiki'", "what?", "~nobody-at-all/wiki is no directory"),
        ("command = 'echo {question}'", "wh\0at?", "echo: cannot be started (embedded null byte)"),
        ("command = 'printf %s {}'", "what?", "printf printed no JSON: maximum recursion depth"),
    ],
)
async def test_what_a_source_cannot_do_is_told(tmp_path: Path, source: str, asked: str, told: str) -> None:
    more = f"{QUIET}[index.sources.odd]\n{source.replace('{}', '[' * 100_000)}\n"
    async with house(tmp_path, [Answer(text="There.")], more=more) as place:
        chat = place.m.chat()
        events = [event async for event in chat.send(f"#codebase:odd {asked}")]
        [notice] = [event.text for event in events if isinstance(event, Notice)]
        assert notice.startswith(f"#codebase:odd: odd: {told}")
        assert chat.messages[-1].text == "There."


async def test_passages_that_are_odd_are_taken_as_far_as_they_say_something(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="There.")], more=QUIET) as place:
        (place.root / "a.py").write_text("\n\nx = 1\n")

        @place.m.retriever
        def find(_: str) -> list[object]:
            return [
                {"path": "a\0b", "text": "nowhere"},
                {"path": "a.py", "first": 1, "text": "\n\nx = 1\n\n"},
                Passage("../a.py", 1, 1, "outside", 1, ()),
                Passage("a.py", 1, 1, "no reason", 1, ()),
                "One.",
                "Two.",
            ]

        chat = place.m.chat()
        events = [event async for event in chat.send("#codebase what?")]
        assert [one.text for one in chat.messages if one.tag == "codebase"] == [
            '<codebase filepath="a.py" lines="3-3" why="found">\n3│ x = 1\n</codebase>',
            '<codebase filepath="a.py" lines="1-1" why="found">\n1│ no reason\n</codebase>',
            '<codebase why="found">\nOne.\n</codebase>',
            '<codebase why="found">\nTwo.\n</codebase>',
        ]
        assert [event.text for event in events if isinstance(event, Notice)] == [
            "#codebase: 4 passages of 1 file, about 9 tokens: a.py:3 (found), a.py:1 (found), found"
        ]
        lines = [event.line for event in events if isinstance(event, Shared)]
        assert len(set(lines)) == 4, lines


async def test_a_source_takes_no_tool_its_name(tmp_path: Path) -> None:
    more = f"{QUIET}[index.sources.text]\ndirectory = '{tmp_path}'\n"
    async with house(tmp_path, [], more=more) as place:
        with pytest.raises(SettingsError) as refused:
            await place.m.chat().ready()
    assert str(refused.value) == (
        "index.sources.text: there is a tool `search_text` already; choose another name for the source"
    )
