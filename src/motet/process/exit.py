"""The moment a child exits, as a future; the child stays unreaped, so that its number stays its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading


def exit_of(pid: int) -> asyncio.Future[int]:
    """Resolves to the exit status of child `pid`, or minus the number of the signal that ended it."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[int] = loop.create_future()
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or a sandbox that forbids it
        threading.Thread(target=_wait_in_thread, args=(pid, loop, done), daemon=True).start()
        return done

    def exited() -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        _tell(done, _status(pid, os.WNOHANG))

    loop.add_reader(descriptor, exited)
    return done


def _wait_in_thread(pid: int, loop: asyncio.AbstractEventLoop, done: asyncio.Future[int]) -> None:
    status = _status(pid, 0)
    with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
        loop.call_soon_threadsafe(_tell, done, status)


def _status(pid: int, flags: int) -> int:
    with contextlib.suppress(ChildProcessError):
        state = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | flags)
        if state is not None and state.si_code == os.CLD_EXITED:
            return state.si_status
        if state is not None:
            return -state.si_status
    return -signal.SIGKILL  # already reaped: only `Child.kill` does that before the exit was seen


def _tell(done: asyncio.Future[int], status: int) -> None:
    if not done.done():
        done.set_result(status)
