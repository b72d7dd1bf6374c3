"""One client, call by call, where a moment matters that no process can be stopped at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.client import Client
from mcp.shared.message import SessionMessage

from motet.board import Board, BoardError, Boards, Delivery, DeliveryState, Seat
from motet.errors import MotetError
from motet.mcp import Asked, server
from motet.mcp.caller import Caller, Place
from motet.mcp.identity import take_identity
from motet.paths import state_dir
from motet.tools import ToolOutput


@pytest.fixture
async def caller(place: Path, boards: Boards) -> AsyncIterator[Caller]:
    found = Caller(Place(boards, str(place), place, str(place), state_dir(), Asked(patience=30)), "s")
    yield found
    await found.close("over")


async def test_a_wait_that_is_given_up_just_as_something_was_leased_gives_it_back(
    caller: Caller, boards: Boards, human: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    leased = asyncio.Event()
    pull = boards.pull

    async def stuck(address: str, limit: int = 20) -> list[Delivery]:
        found = await pull(address, limit)
        if found:
            leased.set()
            await asyncio.Event().wait()
        return found

    address = (await caller.sit("ann")).seat.address
    monkeypatch.setattr(boards, "pull", stuck)
    waiting = asyncio.create_task(_answered(caller, "ann", "board_wait", {"seconds": 30}, "0"))
    await human.post(f"@{address} now")
    await leased.wait()
    monkeypatch.setattr(boards, "pull", pull)
    waiting.cancel()
    await asyncio.wait([waiting])
    output = await _answered(caller, "ann", "board_wait", {"seconds": 30}, "1")
    assert output.text.endswith(f"\n│ @{address} now")


async def test_a_call_proves_what_was_answered_before_and_nothing_that_is_still_on_its_way(
    caller: Caller, boards: Boards, human: Seat
) -> None:
    address = (await caller.sit("ann")).seat.address

    async def states() -> Sequence[tuple[DeliveryState, str]]:
        return [(one.state, one.turn) for one in await boards.deliveries(recipient=address)]

    waiting = asyncio.create_task(_answered(caller, "ann", "board_wait", {"seconds": 30}, "0"))
    await caller.came("1")
    await human.post(f"@{address} now")
    await waiting
    assert await states() == [(DeliveryState.LEASED, "")]
    await caller.came("2")
    assert await states() == [(DeliveryState.IN_CONTEXT, "mcp:s:2")]
    await caller.came("3")
    assert await states() == [(DeliveryState.IN_CONTEXT, "mcp:s:2")]


async def test_an_answer_that_was_never_sent_gives_nothing_away(
    caller: Caller, human: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, cancelled = caller.call, asyncio.Event()

    async def late(client: str, name: str, arguments: Mapping[str, object], request: str) -> ToolOutput:
        output = await answer(client, name, arguments, request)
        if request == "0":  # it is cancelled when nothing is left to be waited for
            with anyio.CancelScope(shield=True):
                await wire.cancel(0)
                await anyio.wait_all_tasks_blocked()
            cancelled.set()
        return output

    monkeypatch.setattr(caller, "call", late)
    async with _wired(caller) as wire:
        await human.post(f"@{caller.address} now")
        await wire.send("tools/call", 0, {"name": "board_wait", "arguments": {"seconds": 30}})
        await cancelled.wait()
        await wire.send("tools/call", 1, {"name": "board_wait", "arguments": {"seconds": 30}})
        number, text = await wire.answer()
        assert (number, text.endswith(f"\n│ @{caller.address} now")) == (1, True)


async def test_what_an_answer_on_its_way_holds_is_not_given_again(caller: Caller, human: Seat) -> None:
    await human.post(f"@{(await caller.sit('ann')).seat.address} now")
    with caller.answering("0"):
        first = await caller.call("ann", "board_wait", {"seconds": 30}, "0")
        await caller.came("1")
        second = await _answered(caller, "ann", "board_wait", {"seconds": 0.1}, "1")
    assert ("│" in first.text, "│" in second.text) == (True, False)


async def _answered(caller: Caller, client: str, tool: str, arguments: dict[str, object], request: str) -> ToolOutput:
    """As the server does it."""
    with caller.answering(request):
        return await caller.call(client, tool, arguments, request)


@dataclass(slots=True)
class _Wire:
    """What a client and the server of `_wired` say to each other."""

    to: MemoryObjectSendStream[SessionMessage | Exception]
    back: MemoryObjectReceiveStream[SessionMessage]

    async def send(self, method: str, id: int | None, params: Mapping[str, object]) -> None:
        said = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if id is None else {"id": id})
        await self.to.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(said)))

    async def cancel(self, id: int) -> None:
        await self.send("notifications/cancelled", None, {"requestId": id})

    async def answer(self) -> tuple[object, str]:
        """The number of the request that is answered next, and the text of the answer."""
        message = (await self.back.receive()).message
        assert isinstance(message, types.JSONRPCResponse), message
        return message.id, "".join(part["text"] for part in message.result.get("content", ()))


@asynccontextmanager
async def _wired(caller: Caller) -> AsyncGenerator[_Wire]:
    to, there = anyio.create_memory_object_stream[SessionMessage | Exception](9)
    here, back = anyio.create_memory_object_stream[SessionMessage](9)
    served = server.serving(caller)
    async with to, back, anyio.create_task_group() as group:
        group.start_soon(served.run, there, here, served.create_initialization_options())
        wire = _Wire(to, back)
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "ann", "version": "1"}}
        await wire.send("initialize", 9, about)
        await wire.answer()
        await wire.send("notifications/initialized", None, {})
        yield wire
        group.cancel_scope.cancel()


async def test_an_answer_that_is_an_error_gives_nothing_away(
    caller: Caller, boards: Boards, human: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = (await caller.sit("ann")).seat.address
    await human.post(f"@{address} now")

    async def lost(address: str) -> list[Board]:
        raise BoardError("the server is gone")

    with monkeypatch.context() as broken:
        broken.setattr(boards, "boards_of", lost)
        failed = await _answered(caller, "ann", "board_wait", {"seconds": 30}, "0")
    assert (failed.is_error, failed.text) == (True, "board_wait: the server is gone")
    await caller.came("1")
    again = await _answered(caller, "ann", "board_wait", {"seconds": 30}, "1")
    assert again.text.endswith(f"\n│ @{address} now")


async def test_two_waits_of_one_client_share_nothing(caller: Caller, human: Seat) -> None:
    address = (await caller.sit("ann")).seat.address
    waits = [
        asyncio.create_task(_answered(caller, "ann", "board_wait", {"seconds": 5}, str(one))) for one in range(2)
    ]
    await human.post(f"@{address} once")
    texts = sorted(output.text.splitlines()[-1] for output in await asyncio.gather(*waits))
    assert texts == [
        "Nothing came within 5 s. Go on with something else; what comes is kept for you: call `board_wait` again when you "
        "have time.",
        f"│ @{address} once",
    ]


async def test_a_client_that_asked_for_progress_hears_that_a_wait_goes_on(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PULSE", 0.05)
    heard: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with Client(server.serving(caller)) as client:
        await client.call_tool("board_wait", {"seconds": 1}, progress_callback=progress)
    assert len(heard) >= 3
    assert set(heard) == {"waiting for posts"}


def test_identities_are_held_one_by_one_and_given_again(tmp_path: Path) -> None:
    one, two = (take_identity(tmp_path, "claude code", "", "/here") for _ in range(2))
    other = take_identity(tmp_path, "claude code", "", "/there")
    assert ([one.name, two.name], len({one.id, two.id, other.id})) == (["claude-code", "claude-code"], 3)
    one.lease.close()
    assert take_identity(tmp_path, "claude code", "", "/here").id == one.id
    assert take_identity(tmp_path, "@@ 🙂", "", "/here").name == "mcp"
    assert take_identity(tmp_path, "All", "", "/here").name == "mcp"
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(MotetError, match=r"cannot be written: Not a directory; make the directory writable$"):
        take_identity(blocked, "ann", "", "/here")
