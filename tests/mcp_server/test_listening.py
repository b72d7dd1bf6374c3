"""Boards need no service on the network, and nothing of motet listens that was not asked to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcp_server.mcp_kit import stdio

from motet.board import Seat

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "motet"
LISTENS = re.compile(r"\.bind\(\(?[^)]|start_server|start_unix_server|create_server|TCPServer|\bHTTPServer")


def _sockets(process: int) -> set[str]:
    """The sockets of the network that a process holds."""
    links = [path.readlink() for path in Path(f"/proc/{process}/fd").iterdir() if path.is_symlink()]
    own = {found[1] for link in links if (found := re.fullmatch(r"socket:\[(\d+)\]", str(link)))}
    tables = [Path(f"/proc/{process}/net/{name}") for name in ("tcp", "tcp6", "udp", "udp6")]
    return own & {
        line.split()[9] for table in tables if table.exists() for line in table.read_text().splitlines()[1:]
    }


@pytest.mark.acceptance("S4-067")
async def test_agents_in_three_processes_talk_and_none_of_them_has_a_socket_of_the_network(
    place: Path, human: Seat
) -> None:
    async with stdio(place) as ann, stdio(place, name="ben") as ben:
        await ann.text("post", body=f"@{ben.address} @mia Is anything open?")
        assert await ben.bodies() == [f"@{ben.address} @mia Is anything open?"]
        assert [one.post.seq for one in await human.wait(20)] == [1]
        children = Path("/proc/self/task").glob("*/children")
        servers = [int(word) for path in children for word in path.read_text().split()]
        assert len(servers) >= 2
        assert [_sockets(process) for process in servers] == [set()] * len(servers)


@pytest.mark.acceptance("T-16")
def test_who_listens_is_known() -> None:
    """Wakers in a directory of mode 0700, the server that guards itself, and the fake provider for tests."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if LISTENS.search(path.read_text("utf-8"))
    }
    assert found == {"board/sockets.py", "mcp/http.py", "models/scripted/server.py"}


@pytest.mark.acceptance("S4-093")
def test_what_boards_build_upon_is_stated_and_is_there() -> None:
    text = (ROOT / "docs" / "decisions" / "012-mcp.md").read_text("utf-8")
    rows = text.partition("## What boards build upon")[2].strip().splitlines()[2:]
    rooms = [re.findall(r"`(motet\.[\w.]+)`", row) for row in rows]
    assert rooms == [
        ["motet.engine.chats", "motet.turn"],
        ["motet.board.sqlite", "motet.board.sockets"],
        ["motet.mcp"],
    ]
    places = [SOURCE.parent / name.replace(".", "/") for row in rooms for name in row]
    assert [path for path in places if not (path.is_dir() or path.with_suffix(".py").is_file())] == []
