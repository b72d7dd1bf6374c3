"""A process that is not our child, known for sure: by its number and the moment it began, so that no other one that was
given the number later is taken for it, or ended in its place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STARTED = 19
"""Of the fields behind the name in `/proc/PID/stat` (proc(5), `starttime`)."""
_LOOK = 0.05
"""Seconds between two looks where the system cannot tell that a process has ended."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One process. `started` means something on this machine only."""

    pid: int
    started: str

    @classmethod
    def of(cls, pid: int) -> Mark | None:
        """The process that has this number now; None when there is none, or it has ended and nobody has asked how."""
        started = _started(pid) if pid > 0 else ""
        return cls(pid, started) if started else None

    @property
    def is_there(self) -> bool:
        """Whether it runs."""
        return Mark.of(self.pid) == self

    def signal(self, number: signal.Signals) -> bool:
        """Send it a signal; false when it has ended, whoever has its number by now."""
        if not hasattr(os, "pidfd_open"):
            if self.is_there:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, number)
                    return True
            return False
        try:
            handle = os.pidfd_open(self.pid)
        except OSError:
            return False
        try:
            if not self.is_there:  # what the handle stands for is what was looked at
                return False
            signal.pidfd_send_signal(handle, number)
            return True
        except ProcessLookupError:
            return False
        finally:
            os.close(handle)

    async def ended(self, within: float) -> bool:
        """Wait at most `within` seconds for its end; whether it has come."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                while self.is_there:
                    await self._wait()
                return True
        return not self.is_there

    async def _wait(self) -> None:
        try:
            handle = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # not Linux, or it has just ended
            await asyncio.sleep(_LOOK)
            return
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(handle, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(handle)
            os.close(handle)


def _started(pid: int) -> str:
    """When a process began, in words of the system's own; empty when it does not run."""
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            boot = _BOOT.read_text("ascii").strip()
        except OSError:
            return ""
        return "" if fields[0] in (b"Z", b"X") else f"{boot} {fields[_STARTED].decode()}"
    said = subprocess.run(
        ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, check=False, env={"LC_ALL": "C"}
    )
    state, _, started = said.stdout.decode("utf-8", "replace").strip().partition(" ")
    return "" if state.startswith("Z") else started.strip()
