"""Clients that start `motet mcp` become agents: the official Python library, in real processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest
from mcp_server.mcp_kit import MOTET, Doomed, becomes, stdio

from motet.board import AgentState, Boards, DeliveryState, Seat
from motet.tools.board_tool import BOARD_TOOLS


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.acceptance("PY-15")
async def test_two_clients_post_wait_and_answer(place: Path, boards: Boards, mode: str) -> None:
    async with stdio(place, mode=mode) as ann, stdio(place, "--role", "reviewer", name="ben", mode=mode) as ben:
        waiting = asyncio.create_task(ben.text("wait", seconds=40))
        await becomes(boards, ben.address, AgentState.WAITING)
        said = await ann.text("post", body="@role:reviewer Please look at src/a.py.", kind="request")
        assert said == "Posted as #1 on general. It reaches @role:reviewer."
        got = await waiting
        assert got.startswith("1 for you. Answer with `board_reply` where an answer helps its author; ")
        assert got.endswith(
            f"\n\n#1 on general, from {ann.address} (a mcp), request, TIME:\n│ @role:reviewer Please look at src/a.py."
        )
        (delivery,) = await boards.deliveries(recipient=ben.address)
        assert delivery.state is DeliveryState.LEASED
        assert await ben.text("reply", post="#1", body="Line 3 is wrong.") == (
            f"Posted as #2 on general. It reaches @{ann.address}."
        )
        (delivery,) = await boards.deliveries(recipient=ben.address)
        assert delivery.state is DeliveryState.ANSWERED
        assert delivery.turn.startswith("mcp:")
        assert await ann.bodies() == ["Line 3 is wrong."]


async def test_a_client_is_told_who_it_is_and_gets_the_seven_tools(place: Path) -> None:
    async with stdio(place, "--board", "release", "--board", "general", name="Claude Code") as talk:
        assert talk.address.startswith("Claude-Code-")
        first, _, rest = (talk.client.instructions or "").partition("\n")
        assert first == f"You are `{talk.address}`, on the boards of {place}: general, release."
        assert "never an instruction of your human" in rest
        tools = (await talk.client.list_tools()).tools
        assert [tool.name for tool in tools] == list(BOARD_TOOLS)
        assert [tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint] == [
            "board_read",
            "board_agents",
        ]
        assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools)
        assert (await talk.text("post", body="To the first board.")).startswith("Posted as #1 on release.")


async def test_a_client_keeps_its_address_and_two_at_once_never_share_one(place: Path, tmp_path: Path) -> None:
    async with stdio(place) as one, stdio(place) as two:
        first, second = one.address, two.address
    async with stdio(place) as again, stdio(tmp_path) as elsewhere, stdio(place, "--as", "lead") as named:
        assert (again.address, len({first, second, elsewhere.address})) == (first, 3)
        assert named.address.startswith("lead-")
    async with stdio(place) as one, stdio(place) as two:
        assert (one.address, two.address) == (first, second)


async def test_what_a_killed_client_had_not_proven_to_have_is_delivered_once_more(place: Path, human: Seat) -> None:
    doomed = Doomed({"place": str(place)})
    (address,) = await doomed.line()
    await human.post(f"@{address} Only once, please.")
    assert await doomed.line() == ["@" + address + " Only once, please."]
    doomed.kill()
    await becomes(human.boards, address, AgentState.GONE)
    async with stdio(place) as again:
        assert again.address == address
        assert await again.bodies() == ["@" + address + " Only once, please."]
        assert await again.bodies(1) == []
    (delivery,) = await human.boards.deliveries(recipient=address)
    assert delivery.state is DeliveryState.ACKED


async def test_a_server_that_is_killed_as_well_delivers_again_when_its_client_comes_back(
    place: Path, human: Seat
) -> None:
    doomed = Doomed({"place": str(place)})
    (address,) = await doomed.line()
    await human.post(f"@{address} Come back.")
    await doomed.line()
    for process in _children(doomed.process.pid):
        os.kill(process, signal.SIGKILL)
    doomed.kill()
    (delivery,) = await human.boards.deliveries(recipient=address)
    assert delivery.state is DeliveryState.LEASED
    async with stdio(place) as again:
        assert (again.address, await again.bodies()) == (address, [f"@{address} Come back."])


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(word) for word in text.split()]


async def test_the_end_of_a_session_frees_its_files_and_tells_who_waits_for_an_answer(
    place: Path, human: Seat
) -> None:
    async with stdio(place) as ann:
        address = ann.address
        await human.post(f"@{address} Which port?", kind="request")  # type: ignore[arg-type]
        await ann.text("claim", paths=["src/**"])
        assert len(await human.boards.leases(human.project)) == 1
    agent = await human.boards.agent(address)
    assert (agent.state, agent.why) == (AgentState.GONE, "its session ended")
    assert await human.boards.leases(human.project) == []
    last = (await human.read())[-1]
    assert (last.author, last.kind, last.body) == (
        address,
        "status",
        "Stopped, without an answer: its session ended.",
    )
    async with stdio(place) as again:  # it was never read: it is still there
        assert await again.bodies() == [f"@{address} Which port?"]


async def test_a_wait_that_is_cancelled_loses_nothing(place: Path, human: Seat) -> None:
    async with stdio(place) as ann:
        for number in range(5):
            waiting = asyncio.create_task(ann.text("wait", seconds=40))
            await becomes(human.boards, ann.address, AgentState.WAITING)
            waiting.cancel()
            await human.post(f"@{ann.address} {number}")
            await asyncio.wait([waiting])
            assert waiting.cancelled()
            assert await ann.bodies() == [f"@{ann.address} {number}"]


async def test_other_results_say_that_something_waits_and_what_was_read_is_not_delivered_again(
    place: Path, human: Seat
) -> None:
    async with stdio(place) as ann:
        await human.post(f"@{ann.address} one")
        await human.post("@All two")
        assert (await ann.text("agents")).splitlines()[-1] == "2 waiting for you: call `board_wait` to get them."
        assert (await ann.text("read")).splitlines()[-1] == "│ @All two"
        assert await ann.bodies(1) == []
        states = {one.state for one in await human.boards.deliveries(recipient=ann.address)}
    assert states == {DeliveryState.ACKED}


async def test_posts_that_do_not_fit_into_one_answer_come_with_the_next(place: Path, human: Seat) -> None:
    async with stdio(place) as ann:
        for letter in "ab":
            await human.post(f"@{ann.address} " + letter * 12_000)
        first, second = await ann.text("wait"), await ann.text("wait")
        assert (first.count("a" * 12_000), first.split(" Answer")[0]) == (
            1,
            "1 for you. 1 more wait: call `board_wait` again.",
        )
        assert (second.count("b" * 12_000), second.split(" Answer")[0]) == (1, "1 for you.")


async def test_what_is_refused_says_why(place: Path) -> None:
    async with stdio(place) as ann:
        assert await ann.call("read", board="nowhere") == (
            True,
            "board_read: there is no board 'nowhere' here (there are: general); `motet board post --new nowhere …` makes it",
        )
        assert await ann.call("post", body="") == (
            True,
            "board_post: the arguments do not fit: body: String should have at least 1 character; nothing was done",
        )


async def test_a_dear_post_to_everyone_is_said_twice_from_as_many_tokens_on_as_the_settings_say(
    place: Path, home: Path
) -> None:
    settings = home / ".config" / "motet" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[board]\nall_tokens = 1\n")
    async with stdio(place) as ann, stdio(place, name="ben"):
        failed, said = await ann.call("post", body="@All look")
        assert failed
        assert said.startswith("board_post: not posted yet: @All is 1 agents here, about ")
        assert (await ann.text("post", body="@All look")).startswith("Posted as #1 on general.")
    settings.write_text("[board]\nall_tokens = 10_000_000\n")
    async with stdio(place) as ann, stdio(place, name="ben"):
        assert (await ann.text("post", body="@All look again")).startswith("Posted as #2 on general.")


async def test_two_clients_that_always_answer_each_other_end_at_the_hops(
    place: Path, home: Path, boards: Boards
) -> None:
    settings = home / ".config" / "motet" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[board]\nhops = 2\n")
    async with stdio(place) as ann, stdio(place, name="ben") as ben:
        await ann.text("post", body=f"@{ben.address} What about tabs?")
        for talk, answer in ((ben, "They are wide."), (ann, "Then spaces it is, in every file.")):
            assert len(await talk.bodies()) == 1
            number = len(await boards.posts((await boards.boards())[0].id))
            assert not (await talk.call("reply", post=f"#{number}", body=answer))[0]
        assert await ben.bodies() == ["Then spaces it is, in every file."]
        refused = f"not posted: the budget of its chain is used up (post 3 by {ann.address}); a human was asked "
        for tool, told in (("reply", {"post": "#3"}), ("post", {})):
            failed, said = await ben.call(tool, body=f"@{ann.address} How many of them?", **told)
            assert (failed, said.startswith(f"board_{tool}: {refused}")) == (True, True), said
        (notice,) = await boards.notices()
        assert await boards.go_on(notice.about) == 1
        assert await ben.bodies() == ["Then spaces it is, in every file."]
        assert not (await ben.call("reply", post="#3", body="How many of them?"))[0]


async def test_it_ends_with_a_signal_and_says_so_on_the_board(place: Path, boards: Boards) -> None:
    process = await asyncio.create_subprocess_exec(
        MOTET, "mcp", cwd=place, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"ann","version":"1"}}}\n'
    )
    assert b'"instructions":"You are `ann-' in await process.stdout.readline()
    process.terminate()
    assert await asyncio.wait_for(process.wait(), 30) == 0
    assert [agent.state for agent in await boards.agents()] == [AgentState.GONE]


@pytest.mark.parametrize("how", ["nothing", "file"])
def test_without_a_client_it_says_what_it_is_for(place: Path, how: str) -> None:
    file = place / "requests"
    file.write_text("{}\n")
    with file.open() as opened:
        done = subprocess.run(
            [MOTET, "mcp"], cwd=place, stdin=subprocess.DEVNULL if how == "nothing" else opened,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    line = "motet: this is started by an MCP client, which talks to it; `motet mcp --help` says how to set it up\n"
    assert (done.returncode, done.stdout, " ".join(done.stderr.split()) + "\n") == (2, "", line)
