"""A process of the same user whose clock is wrong ends no agent that lives, and takes none of its files."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from mcp_server.mcp_kit import raw

from motet.board import AgentState, Boards

_WRONG = """
import sys, time
off, real, steady = float(sys.argv.pop(1)), time.time, time.monotonic
time.time, time.monotonic = (lambda: real() + off), (lambda: steady() + off)
from motet.__main__ import main
sys.exit(main())
"""


async def run(place: Path, seconds: float, *arguments: str) -> str:
    """What motet prints where the clock is so many seconds wrong."""
    command = [sys.executable, "-c", _WRONG, str(seconds), *arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=place, stdout=asyncio.subprocess.PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0
    return out.decode()


@pytest.mark.parametrize("seconds", [180, 86_400, -86_400])
async def test_a_wrong_clock_elsewhere_takes_nothing(place: Path, boards: Boards, seconds: float) -> None:
    async with raw(place, name="holder") as holder:
        assert (await holder.call("claim", paths=["src/**"], minutes=60)).startswith("Yours for 60 min")
        await run(place, seconds, "board", "post", "from there")
        (line,) = [line for line in (await run(place, seconds, "agents")).splitlines() if line.startswith("holder-")]
        assert "gone" not in line
        await run(place, seconds, "agents", "clean")
        (agent,) = [one for one in await boards.agents() if one.name == "holder"]
        assert agent.state in (AgentState.IDLE, AgentState.WORKING)
        assert [lease.glob for lease in await boards.leases(str(place))] == ["src/**"]
        wrong = [sys.executable, "-c", _WRONG, str(seconds), "mcp"]
        async with raw(place, name="other", command=wrong) as other:
            said = await other.call("claim", paths=["src/a.py"])
            assert said.startswith(f"board_claim: src/a.py is claimed by {agent.address} (as src/**, ")
