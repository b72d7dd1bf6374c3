"""Many clients over HTTP: each session is an agent, and nobody gets in whom this user does not know."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp_server.mcp_kit import MOTET, Doomed, Door, over_http, serving

from motet.board import AgentState, Seat

GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "eve", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(params=["socket", "port"])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """On a socket, and on a port."""
    return ["--socket", str(tmp_path / "s")] if request.param == "socket" else ["--port", "0"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.acceptance("PY-15")
async def test_each_session_is_an_agent_of_its_own(place: Path, options: list[str], mode: str) -> None:
    with serving(place, *options) as door:
        async with over_http(door, mode=mode) as ann, over_http(door, "ben", mode) as ben, over_http(door, mode=mode):
            waiting = asyncio.create_task(ben.bodies(40))
            await ann.text("post", body=f"@{ben.address} Are you there?")
            assert await waiting == [f"@{ben.address} Are you there?"]
            await ben.text("reply", post="#1", body="I am.")
            assert await ann.bodies() == ["I am."]
            people = [line.split(",")[0] for line in (await ann.text("agents")).splitlines()[1:]]
            assert [name[: name.rindex("-")] for name in people] == ["- @ann", "- @ann", "- @ben"]
            first = ann.address
        async with over_http(door, mode=mode) as again:
            assert again.address == first


async def test_a_killed_client_comes_back_as_the_same_agent_and_gets_once_more_what_it_had_not_proven(
    place: Path, human: Seat, options: list[str]
) -> None:
    with serving(place, *options) as door:
        socket = str(door.socket) if door.socket else None
        doomed = Doomed({"url": door.url, "socket": socket, "token": door.token})
        (address,) = await doomed.line()
        await human.post(f"@{address} Only once, please.")
        assert await doomed.line() == [f"@{address} Only once, please."]
        doomed.kill()
        async with over_http(door) as again:
            assert again.address == address
            assert await again.bodies() == [f"@{address} Only once, please."]
            assert await again.bodies(1) == []


async def test_sessions_end_with_the_server(place: Path, human: Seat, tmp_path: Path) -> None:
    with serving(place, "--socket", str(tmp_path / "s")) as door:
        async with door.http() as http:
            assert (await _greet(http, door.url)).status_code == 200
    assert not (tmp_path / "s").exists()
    eve = next(agent for agent in await human.boards.agents() if agent.name == "eve")
    assert (eve.state, eve.why) == (AgentState.GONE, "its session ended")


async def _greet(http: httpx2.AsyncClient, url: str, **headers: str) -> httpx2.Response:
    return await http.post(url, json=GREETING, headers=ACCEPT | headers)


# --- strangers ---------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("T-16")
async def test_a_port_answers_nobody_without_the_token(place: Path, human: Seat) -> None:
    with serving(place, "--port", "0") as door:
        assert door.file is not None
        assert (stat.S_IMODE(door.file.stat().st_mode), door.file.stat().st_uid) == (0o600, os.getuid())
        assert not any(door.token.encode() in argument for argument in _command_line(door.process.pid))
        async with httpx2.AsyncClient(trust_env=False) as http:
            for shown in ("", "Bearer", "Bearer wrong", f"Basic {door.token}", f"Bearer {door.token[:-1]}"):
                got = await _greet(http, door.url, **({"Authorization": shown} if shown else {}))
                assert (got.status_code, got.headers["www-authenticate"], got.json()) == (
                    401, "Bearer", {"error": "show the token: Authorization: Bearer …"},
                )  # fmt: skip
            assert (await http.get(f"{door.url}?token={door.token}")).status_code == 401
        async with door.http() as http:
            assert (await _greet(http, door.url)).status_code == 200
            assert (await http.get(door.url.removesuffix("mcp"))).status_code == 404
    assert not door.file.exists()
    assert [agent.name for agent in await human.boards.agents()] == ["eve", "mia"]


def _command_line(process: int) -> list[bytes]:
    return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")


@pytest.mark.acceptance("T-16")
async def test_no_page_of_a_browser_gets_in_not_even_with_the_token(
    place: Path, human: Seat, options: list[str]
) -> None:
    with serving(place, *options) as door:
        async with door.http() as http:
            for page in ("https://evil.example", "null", door.url.removesuffix("/mcp"), "http://localhost:3000"):
                got = await _greet(http, door.url, Origin=page)
                assert (got.status_code, got.json()) == (403, {"error": "this server is not for pages in a browser"})
            got = await http.get(door.url, headers={"Sec-Fetch-Site": "cross-site"})
            assert got.status_code == 403
            got = await http.options(door.url, headers={"Origin": "https://evil.example"})
            assert (got.status_code, "access-control-allow-origin" in got.headers) == (403, False)
    assert [agent.name for agent in await human.boards.agents()] == ["mia"]


@pytest.mark.acceptance("T-16")
async def test_a_page_that_has_its_own_name_turned_into_this_machine_is_refused(place: Path, human: Seat) -> None:
    with serving(place, "--port", "0") as door:
        port = door.url.split(":")[2].partition("/")[0]
        async with door.http() as http:
            for name in (
                "evil.example",
                f"evil.example:{port}",
                "127.0.0.1",
                f"127.0.0.1.evil.example:{port}",
                "[::1]",
            ):
                got = await _greet(http, door.url, Host=name)
                assert (got.status_code, got.json()) == (
                    421, {"error": "this server is called by the name 127.0.0.1 or localhost only"},
                )  # fmt: skip
            assert (await _greet(http, door.url, Host=f"LOCALHOST:{port}")).status_code == 200
        listening = Path(f"/proc/{door.process.pid}/net/tcp").read_text().splitlines()[1:]
        addresses = [line.split()[1] for line in listening if line.split()[1].endswith(f":{int(port):04X}")]
        assert addresses
        assert {address.partition(":")[0] for address in addresses} == {"0100007F"}
    assert [agent.name for agent in await human.boards.agents()] == ["eve", "mia"]


# Asks as the user argv[2] for an answer on the socket argv[1].
STRANGER = """
import os, socket, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(30)
try:
    connection.connect(sys.argv[1])
    connection.sendall(b"GET /mcp HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    print(connection.recv(1000))
except (PermissionError, ConnectionResetError, BrokenPipeError) as error:
    print(type(error).__name__)
"""


@pytest.mark.acceptance("T-16")
async def test_no_other_user_gets_in_by_the_socket(tmp_path: Path) -> None:
    """The second time the mode of the socket is lost: then the system is asked who it is. Without root there is no
    other user to be: then the server is made to be one (`SERVED_AS_ANOTHER`)."""
    base = Path(f"/tmp/motet-{os.getpid()}")  # the directories of pytest are closed to others
    base.mkdir()
    base.chmod(0o755)
    path = base / "s"
    try:
        if os.getuid() == 0:
            with serving(tmp_path, "--socket", str(path)):
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
                assert _stranger(path) == "PermissionError"
                path.chmod(0o666)
                assert _stranger(path) in ("b''", "ConnectionResetError", "BrokenPipeError")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVED_AS_ANOTHER, str(path), cwd=tmp_path, stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        await process.stderr.readline()
        async with Door(None, "http://localhost/mcp", path).http() as http:  # type: ignore[arg-type]
            with pytest.raises((httpx2.ReadError, httpx2.RemoteProtocolError, httpx2.WriteError)):
                await _greet(http, "http://localhost/mcp")
        process.terminate()
        assert await process.wait() == 0
    finally:
        path.unlink(missing_ok=True)
        base.rmdir()


def _stranger(path: Path) -> str:
    command = ["/usr/bin/env", "-i", _python(), "-c", STRANGER, str(path), "65534"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def _python() -> str:
    return os.path.realpath(sys.executable)


SERVED_AS_ANOTHER = """
import os, sys
from pathlib import Path
real = os.getuid()
from motet.mcp import Asked, http
from motet.mcp.main import main
http.os = type(os)("os")
http.os.__dict__.update(os.__dict__, getuid=lambda: real + 1)
sys.exit(main(Asked(socket=Path(sys.argv[1])), Path.cwd()))
"""


async def test_a_socket_that_serves_is_not_taken_away_and_a_dead_one_is(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with serving(place, "--socket", str(path)) as door:
        code, said = await _refused(place, "--socket", str(path))
        assert (code, said) == (
            2,
            f"motet: --socket {path}: another motet serves there; use it, or take another path",
        )
        async with over_http(door) as ann:
            assert ann.address
    doomed = await asyncio.create_subprocess_exec(
        MOTET, "mcp", "--socket", path, cwd=place, stderr=asyncio.subprocess.PIPE
    )
    assert doomed.stderr is not None
    await doomed.stderr.readline()
    doomed.kill()
    await doomed.wait()
    assert path.is_socket()
    with serving(place, "--socket", str(path)) as door:
        async with over_http(door) as ann:
            assert ann.address
    path.write_text("mine")
    code, said = await _refused(place, "--socket", str(path))
    assert (code, said) == (2, f"motet: --socket {path}: Address already in use; take another path")
    assert path.read_text() == "mine"


async def test_a_socket_or_a_port(place: Path) -> None:
    code, said = await _refused(place, "--socket", "s", "--port", "0")
    assert (code, said) == (2, "motet: --socket and --port: take one of them")


async def _refused(place: Path, *options: str) -> tuple[int, str]:
    done = await asyncio.to_thread(
        subprocess.run, [MOTET, "mcp", *options], cwd=place, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, " ".join(done.stderr.split())


async def test_versions_without_sessions_are_refused_with_those_that_have_them(place: Path, tmp_path: Path) -> None:
    with serving(place, "--socket", str(tmp_path / "s")) as door:
        async with door.http() as http:
            got = await _greet(http, door.url, **{"MCP-Protocol-Version": "2026-07-28"})
            assert (got.status_code, got.json()["error"]["data"]["requested"]) == (400, "2026-07-28")
            assert "2025-06-18" in got.json()["error"]["data"]["supported"]
            got = await _greet(http, door.url, **{"Mcp-Session-Id": "made-up"})
            assert (got.status_code, got.json()["error"]["message"]) == (
                404, "there is no such session; begin a new one",
            )  # fmt: skip
