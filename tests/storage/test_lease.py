"""Waiting for a lease that another one holds."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from motet.storage.lease import Lease

_HOLD = (
    "import sys; from pathlib import Path; from motet.storage.lease import Lease\n"
    "lease = Lease.take(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
)


def _holds(path: Path) -> subprocess.Popen[str]:
    """A process that holds the lease."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


async def test_whoever_waits_gets_it_when_its_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a" / "lock"
    holder = _holds(path)
    waiting = asyncio.create_task(Lease.wait(path))
    done, _ = await asyncio.wait({waiting}, timeout=0.2)
    assert not done
    holder.kill()
    holder.communicate()
    async with asyncio.timeout(10):
        lease = await waiting
    assert Lease.take(path) is None
    lease.close()


async def test_of_many_who_wait_each_gets_it_once_and_alone(tmp_path: Path) -> None:
    path, held, most = tmp_path / "lock", 0, 0

    async def one() -> None:
        nonlocal held, most
        with await Lease.wait(path):
            held += 1
            most = max(most, held)
            await asyncio.sleep(0)
            held -= 1

    async with asyncio.timeout(30):
        await asyncio.gather(*(one() for _ in range(20)))
    assert (held, most) == (0, 1)


async def test_one_that_gave_up_waiting_keeps_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = Lease.take(path)
    assert first is not None
    waiting = asyncio.create_task(Lease.wait(path))
    await asyncio.wait({waiting}, timeout=0.1)
    waiting.cancel()
    await asyncio.wait({waiting})
    first.close()
    async with asyncio.timeout(10):
        (await Lease.wait(path)).close()


_TAKE_LATE = """
import os, sys
from pathlib import Path
from motet.storage.lease import Lease

real = os.open
def slow(path, *how, **more):
    handle = real(path, *how, **more)
    if str(path) == sys.argv[1] and not told:
        told.append(1)
        print("opened", flush=True)
        sys.stdin.readline()  # meanwhile its holder lets go, and another one takes it
    return handle
told = []
os.open = slow
lease = Lease.take(Path(sys.argv[1]))
print("free" if lease is None else "held", flush=True)
sys.stdin.readline()
"""


def test_a_lock_on_a_file_that_nobody_finds_is_none(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = Lease.take(path)
    assert first is not None
    late = subprocess.Popen(
        [sys.executable, "-c", _TAKE_LATE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert late.stdin is not None
    assert late.stdout is not None
    assert late.stdout.readline() == "opened\n"  # the file of the first one, whose name goes now
    first.close()
    holder = _holds(path)  # another file of that name
    late.stdin.write("\n")
    late.stdin.flush()
    assert late.stdout.readline() == "free\n"
    assert Lease.holder(path) == holder.pid
    for process in (holder, late):
        process.communicate("\n", timeout=40)


def test_a_lock_whose_name_is_gone_is_taken_anew(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = Lease.take(path)
    assert first is not None
    late = subprocess.Popen(
        [sys.executable, "-c", _TAKE_LATE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert late.stdin is not None
    assert late.stdout is not None
    assert late.stdout.readline() == "opened\n"
    first.close()
    late.stdin.write("\n")
    late.stdin.flush()
    assert late.stdout.readline() == "held\n"
    assert Lease.take(path) is None  # it holds what is found under that name
    late.communicate("\n", timeout=40)
