"""One chat of a workspace from the first message on: what is sent first, what a message sets off, what an agent does."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from engine.engine_kit import House, house

from motet.chat import End, Ended, Shared
from motet.history import History
from motet.messages import Role, tags
from motet.models.scripted import Answer, ScriptedRequest, call
from motet.paths import state_dir

NO_SERVERS = "[chat]\ntitles = false\n" + "".join(
    f"[servers.{name}]\ndisabled = true\n" for name in ("basedpyright", "ty", "ruff")
)
PRICE = "def total(prices):\n    return sum(prices)\n"
CART = "from shop.price import total\n\n\ndef pay(cart):\n    return total(cart)\n"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_SECRET", "")


def write(place: House) -> None:
    """A project of two files."""
    (place.root / "shop").mkdir(exist_ok=True)
    (place.root / "shop" / "price.py").write_text(PRICE)
    (place.root / "shop" / "cart.py").write_text(CART)


def functions(request: ScriptedRequest) -> list[str]:
    """The names of the functions that a request declares."""
    return [tool["function"]["name"] for tool in request.body.get("tools", [])]


# --- what is sent ----------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-069", "S2-010")
async def test_every_message_has_its_turn_id_role_tag_and_whether_it_is_visible(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="It adds."), Answer(text="Yes.")]) as place:
        write(place)
        chat = place.m.chat()
        await chat.ask("what is @/shop/price.py for?")
        await chat.ask("sure?")
        assert [(one.meta.cycle, one.role.value, one.tag, one.visible) for one in chat.messages] == [
            (0, "system", "system_prompt_from_config", False),
            (1, "user", "file", False),
            (1, "user", "", True),
            (1, "assistant", "", True),
            (2, "user", "", True),
            (2, "assistant", "", True),
        ]
        assert len({one.id for one in chat.messages}) == 6
        assert {len(one.id) for one in chat.messages} == {26}


@pytest.mark.acceptance("S0-070")
async def test_the_system_prompt_comes_first_and_all_that_was_said_follows_it(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="One."), Answer(text="Two.")]) as place:
        chat = place.m.chat()
        await chat.ask("first")
        await chat.ask("second")
        system = chat.messages[0].text
        assert [(one["role"], one["content"]) for one in place.server.requests[1].body["messages"]] == [
            ("system", system),
            ("user", "first"),
            ("assistant", "One."),
            ("user", "second"),
        ]
        assert system.startswith("You are motet, a pair programmer.")
        assert f"\nWorkspace: {place.root}\n" in system


# --- what a message sets off -----------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-049", "S0-053", "S0-054", "S0-075")
async def test_sending_replaces_what_is_named_keeps_every_message_and_then_asks_the_model(tmp_path: Path) -> None:
    held: list[list[str]] = []

    def answering(request: ScriptedRequest) -> Answer:
        held.append([message.id for message in chat.messages])
        return Answer(text="Done.")

    async with house(tmp_path, answering) as place:
        write(place)

        @place.m.variable
        def ticket() -> str:
            return "PROJ-7"

        @place.m.command
        def note(text: str) -> str:
            return f"noted: {text}"

        chat = await place.m.chat().ready()
        await chat.share.run("/note be brief", chat.model.limits)
        events = [event async for event in chat.send("do #ticket in @/shop/price.py with @read_file, please")]
        assert [(one.tag, one.context and one.context.id, one.visible) for one in chat.messages[1:]] == [
            (tags.TOOL_SYSTEM_PROMPT, "<tools>motet</tools>", False),
            (tags.TOOL, "<tool>read_file</tool>", False),
            (tags.VARIABLE, "<command>note:be brief</command>", False),
            (tags.VARIABLE, "<variable>ticket</variable>", False),
            (tags.FILE, "<file>shop/price.py</file>", False),
            ("", None, True),
            ("", None, True),
        ]
        own, answer = chat.messages[-2:]
        assert own.text == "do `ticket` in `shop/price.py` with read_file, please"
        assert own.typed == "do #ticket in @/shop/price.py with @read_file, please"
        assert held == [[message.id for message in chat.messages[:-1]]]
        assert [type(event).__name__ for event in events] == [
            "Shared", "Shared", "Shared", "Sent", "AnswerStarted", "TextDelta", "Completed", "TurnEnded", "Titled",
            "Ended",
        ]  # fmt: skip
        async with History.open(state_dir(os.environ)) as history:
            assert (await history.load(chat.id)).messages == chat.messages
        assert answer.text == "Done."


@pytest.mark.acceptance("S0-105", "S0-020", "S0-101")
async def test_a_name_in_a_message_hands_tools_over_from_that_message_on(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text=f"Answer {n}.") for n in (1, 2, 3)]) as place:
        chat = place.m.chat()
        for text in ("what is an editor?", "change it with @editorで", "and again"):
            await chat.ask(text)
        assert [functions(request) for request in place.server.requests] == [
            [],
            ["read_file", "replace_in_file", "get_diagnostics"],
            ["read_file", "replace_in_file", "get_diagnostics"],
        ]
        assert [message.text for message in chat.messages if message.role is Role.USER] == [
            "what is an editor?", "change it with editorで", "and again",
        ]  # fmt: skip


@pytest.mark.acceptance("S0-047")
async def test_a_chat_keeps_the_names_that_were_handed_over_and_the_tools_in_use(tmp_path: Path) -> None:
    in_use = ["read_file", "replace_in_file", "get_diagnostics", "run_command"]
    async with house(tmp_path, [Answer(text="One.")]) as place:
        chat = await place.m.chat(tools=["readonly", "editor"]).ready()
        await chat.hand_over("cmd")
        await chat.take_away("readonly")
        async for _ in chat.send("hello"):
            pass
        assert [tool.spec.name for tool in chat.share.tools()] == in_use
    async with house(tmp_path, [Answer(text="Two.")]) as place:
        again = await place.m.chat(resume=chat.id).ready()
        assert [message.context.id for message in again.messages if message.tag == tags.TOOL and message.context] == [
            "<group>editor</group>", "<group>cmd</group>",
        ]  # fmt: skip
        assert [tool.spec.name for tool in again.share.tools()] == in_use
        async for _ in again.send("and now?"):
            pass
        assert functions(place.server.requests[0]) == in_use


# --- an agent --------------------------------------------------------------------------------------------------

ROUND = "<<<<<<< SEARCH\n    return sum(prices)\n=======\n    return round(sum(prices), 2)\n>>>>>>> REPLACE\n"
AT_WORK = (
    Answer(calls=(call("find_symbol", {"name": "total"}), call("find_references", {"name": "total"}, "c2"))),
    Answer(calls=(call("replace_in_file", {"path": "shop/price.py", "diff": ROUND}),)),
    Answer(text="It rounds now; its one caller needs no change."),
)


@pytest.mark.acceptance("S0-003")
async def test_an_agent_finds_what_code_means_and_where_it_is_used_and_changes_it(tmp_path: Path) -> None:
    async with house(tmp_path, AT_WORK, more=NO_SERVERS, yes=True) as place:
        write(place)
        chat = place.m.chat()
        said = await chat.ask("make the total of prices round to cents @agent")
        assert said == "It rounds now; its one caller needs no change."
        assert [message.text for message in chat.messages if message.role is Role.TOOL] == [
            "1 definition of total; by syntax alone: no language server for it\n\n"
            "shop/price.py: function, lines 1-2\n   1│ def total(prices):",
            "3 lines with total in 2 files; by text alone: no language server for it\n\n"
            "shop/cart.py\n   1│ from shop.price import total\nin function pay:\n   5│     return total(cart)\n\n"
            "shop/price.py\nin function total:\n   1│ def total(prices):",
            "shop/price.py: applied 1 of 1 hunk\nThe compilers now: 0 solved, 0 left, 0 new in shop/price.py.",
        ]
        assert (place.root / "shop" / "price.py").read_text() == PRICE.replace("sum(prices)", "round(sum(prices), 2)")
        assert (place.root / "shop" / "cart.py").read_text() == CART


@pytest.mark.acceptance("S0-004")
async def test_the_same_answers_come_to_the_same_requests_and_files_in_every_run(tmp_path: Path) -> None:
    runs: list[tuple[list[object], dict[str, bytes]]] = []
    for _ in range(3):
        async with house(tmp_path, AT_WORK, more=NO_SERVERS, yes=True) as place:
            write(place)
            await place.m.chat().ask("make the total of prices round to cents @agent")
            files = {path.name: path.read_bytes() for path in sorted(place.root.rglob("*")) if path.is_file()}
            runs.append(([request.body for request in place.server.requests], files))
    assert [len(bodies) for bodies, _ in runs] == [3, 3, 3]
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.acceptance("S0-005")
async def test_no_file_is_picked_by_hand_where_a_model_may_look_for_itself(tmp_path: Path) -> None:
    look = (call("search_text", {"pattern": "def pay"}), call("read_file", {"path": "shop/cart.py"}, "c2"))
    async with house(tmp_path, [Answer(calls=look), Answer(text="It adds up the cart.")]) as place:
        write(place)
        chat = await place.m.chat().ready()
        events = [event async for event in chat.send("what does paying do? @readonly")]
        assert events[-1] == Ended(End.DONE)
        assert [event for event in events if isinstance(event, Shared)] == []
        assert place.server.requests[1].text.count("   4│ def pay(cart):") == 2


@pytest.mark.acceptance("S0-005")
async def test_one_name_shares_the_files_that_belong_together(tmp_path: Path) -> None:
    more = '[chat]\ntitles = false\n[groups.shop]\nfiles = ["shop/**"]\n'
    async with house(tmp_path, [Answer(text="A shop.")], more=more) as place:
        write(place)
        (place.root / "other.py").write_text("x = 1\n")
        chat = await place.m.chat().ready()
        shared = [event.line async for event in chat.send("what is #group:shop?") if isinstance(event, Shared)]
        assert shared == ["<file>shop/cart.py</file>", "<file>shop/price.py</file>"]
        assert "   1│ def total(prices):" in place.server.requests[0].text


# --- a page ----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def page(text: str) -> AsyncGenerator[str]:
    """The address of a page that says `text`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = f"<html><body><main>{text}</main></body></html>".encode()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@pytest.mark.acceptance("S0-026")
async def test_the_answer_to_a_question_about_a_page_rests_on_what_the_page_says(tmp_path: Path) -> None:
    more = "[chat]\ntitles = false\n[web]\nallow_private = true"
    text = "<h1>The bridge</h1><p>The bridge opens at seven.</p>" + "<p>Nothing of note happens here.</p>" * 30
    async with page(text) as url, house(tmp_path, [], more=more) as place:
        chat = await place.m.chat(model="offline").ready()
        await chat.share.run(f"/fetch {url}", chat.model.limits)
        async for _ in chat.send("when does the bridge open?"):
            pass
        quoted = chat.messages[-1].text.split("\n\n", 1)[1].rpartition("\n\n")[0]
        assert quoted == (
            f"`{url}`\n```\n# The bridge\n\nThe bridge opens at seven.\n\nNothing of note happens here.\n```"
        )
