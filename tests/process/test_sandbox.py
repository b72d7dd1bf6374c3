"""The walls around a command: what it can read, write, reach and outlive."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from motet.process import Running
from motet.process.sandbox import Sandbox, Walls, ask_to_end, find_sandbox

Ends = Callable[[int], Callable[[], bool]]
ENV = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/")}


@pytest.fixture
async def sandbox() -> Sandbox:
    state = await find_sandbox()
    if state.sandbox is None:
        pytest.skip(f"needs bubblewrap: {state.text}")
    return state.sandbox


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


async def said(sandbox: Sandbox, walls: Walls, script: str) -> str:
    """What the shell `script` prints inside `walls`."""
    return await printed(sandbox, walls, ["/bin/sh", "-c", script])


async def printed(sandbox: Sandbox, walls: Walls, command: list[str]) -> str:
    """What `command` prints inside `walls`."""
    out: list[bytes] = []
    argv = sandbox.argv(command, walls, walls.workspace)
    running = await Running.start(
        argv, cwd=walls.workspace, env=ENV, on_output=out.append, max_bytes=2**20, ask_to_end=ask_to_end
    )
    assert await running.wait(30)
    await running.end()
    return b"".join(out).decode()


async def test_the_workspace_can_be_written_and_the_rest_only_read(sandbox: Sandbox, workspace: Path) -> None:
    script = "echo a > new; mkdir d; touch /etc/x 2>/dev/null || echo refused; head -c 4 /etc/passwd"
    assert await said(sandbox, Walls(workspace), script) == "refused\nroot"
    assert (workspace / "new").read_text() == "a\n"


async def test_temporary_places_are_empty_its_own_and_gone_afterwards(sandbox: Sandbox, workspace: Path) -> None:
    other = workspace.parent / "other"
    other.write_text("x")
    script = "ls /run /var/tmp; test -e ../other || echo unseen; echo x > /tmp/mine; cat /tmp/mine"
    assert await said(sandbox, Walls(workspace), script) == "/run:\n\n/var/tmp:\nunseen\nx\n"
    assert not Path("/tmp/mine").exists()


async def test_a_program_in_a_temporary_place_is_there_with_what_it_is_a_link_to(
    sandbox: Sandbox, workspace: Path
) -> None:
    here, behind = workspace.parent / "venv" / "bin", workspace.parent / "python" / "bin"
    here.mkdir(parents=True)
    behind.mkdir(parents=True)
    (behind / "real").write_text('#!/bin/sh\necho ran; ls "$1"\n')
    (behind / "real").chmod(0o755)
    (here / "middle").symlink_to("../../python/bin/real")
    (here / "program").symlink_to("middle")
    assert await printed(sandbox, Walls(workspace), [str(here / "program"), str(behind)]) == "ran\nreal\n"
    (workspace / "link").symlink_to(behind / "real")
    said = await printed(sandbox, Walls(workspace), [str(workspace / "link"), str(behind)])
    assert said == f"bwrap: execvp {workspace}/link: No such file or directory\n"


async def test_what_is_read_only_in_the_workspace_cannot_be_changed_or_moved_away(
    sandbox: Sandbox, workspace: Path
) -> None:
    (workspace / ".git" / "hooks").mkdir(parents=True)
    (workspace / ".git" / "config").write_text("[core]\n")
    walls = Walls(workspace, read_only=(workspace / ".git" / "hooks", workspace / ".git" / "config"))
    script = "(echo x > .git/config; echo x > .git/hooks/h; mv .git/hooks .git/h2; rm .git/config) 2>/dev/null; echo x > .git/HEAD"
    await said(sandbox, walls, script)
    assert (workspace / ".git" / "config").read_text() == "[core]\n"
    assert [path.name for path in sorted((workspace / ".git").iterdir())] == ["HEAD", "config", "hooks"]
    assert list((workspace / ".git" / "hooks").iterdir()) == []


async def test_hidden_files_and_directories_cannot_be_read_by_any_road(sandbox: Sandbox, workspace: Path) -> None:
    home = workspace / "home"
    (home / ".ssh").mkdir(parents=True)
    for name in (".env", "home/.ssh/id_rsa", "home/.netrc"):
        (workspace / name).write_text("CANARY")
    (workspace / "link").symlink_to(".env")
    hidden = tuple(workspace / name for name in (".env", "home/.ssh", "home/.netrc", "none"))
    script = (
        "cat .env link home/.ssh/id_rsa home/.netrc; cp -r . /tmp/copy; grep -r CANARY . /tmp/copy; tar c . | strings;"
        "mv .env env; rm -f .env; cat env; ls home/.ssh; dd if=.env; umount .env; cat .env;"
        "unshare -rm sh -c 'umount -l .env; cat .env'; cat /proc/*/root$PWD/.env; true"
    )
    assert "CANARY" not in await said(sandbox, Walls(workspace, hidden=hidden), f"({script}) 2>&1")
    assert (workspace / ".env").read_text() == "CANARY"


async def test_other_processes_and_their_environment_are_not_there(sandbox: Sandbox, workspace: Path) -> None:
    script = f"ls /proc | grep -c '^[0-9]'; kill -0 {os.getpid()} 2>/dev/null || echo unseen"
    numbers, unseen = (await said(sandbox, Walls(workspace), script)).split()
    assert (int(numbers) <= 5, unseen) == (True, "unseen")


CONNECT = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
    print("reached")
except OSError:
    print("closed")
"""


async def test_the_network_is_closed_unless_it_is_allowed(sandbox: Sandbox, workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-c", CONNECT, str(server.getsockname()[1])]
        assert await printed(sandbox, Walls(workspace), command) == "closed\n"
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
        assert await printed(sandbox, Walls(workspace, network=True), command) == "reached\n"


async def test_the_program_is_told_to_end_and_may_tidy_up(sandbox: Sandbox, workspace: Path) -> None:
    out: list[bytes] = []
    ready = asyncio.Event()

    def hear(data: bytes) -> None:
        out.append(data)
        ready.set()

    script = "trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    argv = sandbox.argv(["/bin/sh", "-c", script], Walls(workspace), workspace)
    running = await Running.start(
        argv, cwd=workspace, env=ENV, on_output=hear, max_bytes=2**20, ask_to_end=ask_to_end
    )
    await asyncio.wait_for(ready.wait(), 30)
    assert await running.end() == 5
    assert b"".join(out).replace(b"Terminated\n", b"") == b"ready\ntidy\n"


LEAVES = "setsid sh -c 'trap \"\" TERM; echo $$ > pid; : %s; while :; do sleep 1000; done' & "
PARENT = """
import asyncio, sys
from pathlib import Path
from motet.process import Running
from motet.process.sandbox import Walls, find_sandbox
from motet.process.sandbox import ask_to_end

async def main():
    here = Path.cwd()
    sandbox = (await find_sandbox()).sandbox
    argv = sandbox.argv(["/bin/sh", "-c", sys.argv[1]], Walls(here), here)
    await Running.start(argv, cwd=here, env={"PATH": "/usr/bin:/bin"}, on_output=lambda data: print(data, flush=True),
                        max_bytes=10**6, ask_to_end=ask_to_end)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def inside(marker: str) -> list[int]:
    """The processes of this machine whose command line holds `marker`."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in place.read_bytes():
                found.append(int(place.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("how", ["kill", "end"])
def test_even_one_that_leaves_its_group_and_ignores_signals_is_gone(
    sandbox: Sandbox, workspace: Path, ends: Ends, how: str
) -> None:
    marker = f"marker-{workspace.parent.name}-{how}"
    script = f"trap '' TERM HUP INT; {LEAVES % marker} while [ ! -s pid ]; do sleep 0.02; done; echo ready; while :; do sleep 1000; done"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, script], stdout=subprocess.PIPE, cwd=workspace)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"b'ready\\n'\n"
    children = [ends(pid) for pid in inside(marker) if pid != parent.pid]
    assert len(children) >= 4, "bubblewrap twice, the shell and the one that left"
    parent.kill() if how == "kill" else parent.terminate()
    parent.wait()
    assert [ended() for ended in children] == [True] * len(children)
    parent.stdout.close()


async def test_a_machine_without_bubblewrap_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    state = await find_sandbox()
    assert (state.sandbox, state.text) == (
        None,
        "none: install bubblewrap (bwrap); until then commands run without a second wall",
    )


async def test_a_bubblewrap_that_does_not_work_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'bubblewrap 9.9' && exit\necho 'no  namespaces\nhere' >&2; exit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    state = await find_sandbox()
    assert state.sandbox is None
    assert (
        state.text == "none: bubblewrap does not work here (no namespaces here); commands run without a second wall"
    )
    assert (await find_sandbox(avoid=tmp_path)).text != state.text
