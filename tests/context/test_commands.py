"""Slash commands: parsed, completed, run, asked for what they need, and the user's own."""

from __future__ import annotations

import pytest
from context.context_kit import FakeEditor, Place, Web

from motet.context import (
    Buffer,
    Commands,
    Feature,
    Page,
    RuleGroup,
    Shared,
    load_library,
    own_command,
    prompt_commands,
    sharing_commands,
)
from motet.errors import SettingsError
from motet.messages import tags
from motet.permissions import Answer

COMMANDS = sharing_commands(lambda: "what I can do")


async def run(place: Place, line: str, commands: Commands = COMMANDS, **parts: object) -> Shared:
    parsed = commands.parse(line)
    assert parsed is not None
    return await commands.run(parsed, place.using(**parts))


def items(shared: Shared) -> list[str]:
    return [message.context.id for message in shared.messages if message.context]


@pytest.mark.parametrize(
    ("line", "name", "argument", "bang"),
    [
        ("/file src/a.py", "file", "src/a.py", False),
        ("  /fetch!   https://x.example/ ", "fetch", "https://x.example/", True),
        ("/help", "help", "", False),
        ("/rename 日本語の 題", "rename", "日本語の 題", False),
        ("/file　全角.py", "file", "全角.py", False),
    ],
)
def test_a_line_that_begins_with_a_known_name_is_a_command(line: str, name: str, argument: str, bang: bool) -> None:
    parsed = COMMANDS.parse(line)
    assert parsed is not None
    assert (parsed.command.name, parsed.call.argument, parsed.call.bang) == (name, argument, bang)


@pytest.mark.parametrize("line", ["/usr/bin/env", "/unknown x", "file a", "", "/", "a /file b", "/filex", "//file"])
def test_any_other_line_is_a_message(line: str) -> None:
    assert COMMANDS.parse(line) is None


@pytest.mark.acceptance("S0-019")
async def test_file_shares_files_at_once_with_ranges_quotes_and_short_forms(place: Place) -> None:
    place.write("src/a.py", "one\ntwo\n")
    place.write("my notes.md", "x\n")
    shared = await run(place, '/file a.py:2 "my notes.md" nope.py')
    assert items(shared) == ["<file>src/a.py:2-2</file>", "<file>my notes.md</file>"]
    assert shared.notices == ("nope.py: no such file in the workspace",)
    assert shared.messages[0].meta.source == "/file"


@pytest.mark.acceptance("S0-024")
async def test_fetch_asks_for_the_address_and_shares_the_text_of_the_page(place: Place) -> None:
    parsed = COMMANDS.parse("/fetch")
    assert parsed is not None
    assert parsed.asks == "Address of the page"
    assert (await COMMANDS.run(parsed, place.sources)).notices == ("/fetch: needs URL",)
    url = "https://x.example/doc"
    web = Web({url: Page(url, "The answer is 42.")})
    shared = await run(place, f"/fetch {url}", fetch=web)
    assert "The answer is 42." in shared.messages[0].text
    assert items(shared) == [f"<url>{url}</url>"]


@pytest.mark.acceptance("S0-089")
async def test_fetch_with_a_bang_shares_the_address_alone_and_reads_nothing(place: Place) -> None:
    web = Web()
    shared = await run(place, "/fetch! https://x.example/doc", fetch=web)
    assert shared.messages[0].text == (
        '<url href="https://x.example/doc"></url>\nThe address alone is shared; its page was not read.'
    )
    assert web.asked == []


@pytest.mark.parametrize("line", ["/fetch file:///etc/passwd", "/fetch https://", "/fetch a b", "/fetch ftp://x"])
async def test_fetch_takes_only_addresses(place: Place, line: str) -> None:
    assert "is no address" in (await run(place, line, fetch=Web())).notices[0]


async def test_symbols_shares_the_outline_of_a_file(place: Place) -> None:
    place.write("a.py", "class A:\n    def f(self):\n        return 1\n\ndef g():\n    pass\n")
    shared = await run(place, "/symbols a.py")
    assert shared.messages[0].text == (
        '<symbols filepath="a.py">\nclass A (lines 1-3)\n  method f (lines 2-3)\nfunction g (lines 5-6)\n</symbols>'
    )
    assert shared.messages[0].tag == tags.SYMBOLS
    place.write("b.txt", "words\n")
    assert "no definitions" in (await run(place, "/symbols b.txt")).notices[0]


@pytest.mark.acceptance("S2-031")
async def test_image_shares_pictures_and_refuses_other_files(place: Place) -> None:
    place.write("p.png", b"\x89PNG\r\n\x1a\n\0")
    place.write("a.py", "x")
    shared = await run(place, "/image p.png")
    assert (items(shared), shared.messages[0].tag) == (["<image>p.png</image>"], tags.IMAGE)
    assert (await run(place, "/image a.py")).notices == ("/image: a.py: neither PNG, JPEG, GIF, WebP nor PDF",)


@pytest.mark.acceptance("S2-024")
async def test_buffer_shares_a_buffer_of_the_editor(place: Place) -> None:
    editor = FakeEditor(open=(Buffer(3, "b.py", "x\n", "b.py"),))
    shared = await run(place, "/buffer 3", editor=editor)
    assert (items(shared), shared.messages[0].tag) == (["<buf>b.py</buf>"], tags.BUFFER)
    assert (await run(place, "/buffer 4", editor=editor)).notices == (
        "/buffer: there is no buffer '4'; there are: 3 b.py",
    )
    assert "no editor" in (await run(place, "/buffer 3")).notices[0]


@pytest.mark.acceptance("S2-047")
async def test_rules_shares_the_rules_that_apply(place: Place) -> None:
    place.write("AGENTS.md", "Use tabs.\n")
    place.write("mine.md", "Be kind.\n")
    commands = sharing_commands(lambda: "", [RuleGroup("kind", ("mine.md",), ("*.py",))])
    shared = await run(place, "/rules", commands, in_context=("a.py",))
    assert items(shared) == ["<rules>AGENTS.md</rules>", "<rules>mine.md</rules>"]
    assert shared.notices == ("/rules: AGENTS.md, mine.md",)


async def test_rules_without_any_says_so(place: Place) -> None:
    assert (await run(place, "/rules")).notices == ("/rules: no rules apply here",)


async def test_help_is_for_the_human_and_with_a_bang_for_the_model(place: Place) -> None:
    assert await run(place, "/help") == Shared(notices=("what I can do",))
    shared = await run(place, "/help!")
    assert (shared.messages[0].tag, items(shared)) == (tags.HELP, ["<help>motet</help>"])


@pytest.mark.parametrize("name", ["compact", "fork", "rename", "undo", "model", "prompt", "edit", "context"])
def test_commands_on_the_chat_are_declared_and_done_by_the_chat(name: str) -> None:
    command = COMMANDS.get(name)
    assert command is not None
    assert command.by_chat
    assert command.description


def test_completion_finds_commands_by_their_beginning() -> None:
    assert [command.name for command in COMMANDS.starting_with("fo")] == ["fork"]
    assert [command.name for command in COMMANDS.starting_with("r")] == ["rules", "rename", "retry"]


async def test_code_that_may_not_leave_is_not_shared_by_a_command(place: Place) -> None:
    place.write("a.py", "x\n")
    shared = await run(place, "/file a.py", may_share_code=False)
    assert shared == Shared(notices=("/file: not shared: your settings forbid that code leaves",))


async def test_a_secret_is_asked_about(place: Place) -> None:
    place.write(".env", "KEY=1\n")
    assert (await run(place, "/file .env")).messages == ()
    place.human.answer = Answer.ONCE
    assert "KEY=1" in (await run(place, "/file .env")).messages[0].text
    assert place.human.asked == ["read:.env", "read:.env"]


def ticket(number: str) -> str:
    """The text of a ticket."""
    if number == "0":
        raise LookupError("no such ticket")
    return f"ticket {number}"


@pytest.mark.acceptance("S0-079", "S0-077", "CC-16")
async def test_a_function_is_a_command_and_its_error_a_notice_with_file_and_line(place: Place) -> None:
    commands = Commands([own_command("ticket", Feature(ticket, contains_code=False))])
    [command] = commands
    assert (command.name, command.description, command.asks) == (
        "ticket",
        "The text of a ticket.",
        "Text for /ticket",
    )
    shared = await run(place, "/ticket 7", commands, may_share_code=False)
    assert shared.messages[0].text == '<command name="ticket:7">\nticket 7\n</command>'
    line = ticket.__code__.co_firstlineno + 3
    assert (await run(place, "/ticket 0", commands)).notices == (
        f"/ticket: LookupError: no such ticket ({__file__}, line {line})",
    )


@pytest.mark.acceptance("S0-019")
def test_prompts_of_the_library_are_commands() -> None:
    commands = {command.name: command for command in prompt_commands(load_library())}
    assert commands["explain"].description == "explain what a piece of code does"
    assert commands["ex"].by_chat


def test_a_name_that_cannot_be_typed_is_refused() -> None:
    with pytest.raises(SettingsError):
        Commands([own_command("a b", Feature(ticket))])
