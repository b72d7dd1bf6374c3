"""The guard: a tiny shell that outlives motet by a moment and ends the groups motet leaves behind.

The kernel's parent-death signal reaches a direct child only. A `make` that motet started has children of its
own; when motet is killed, the guard reads the end of its input and kills every group it was told of.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import threading

# `set --` holds the groups. The shell never starts a program: it only reads, remembers and kills.
_SCRIPT = """
trap '' HUP INT TERM QUIT PIPE
groups=' '
while read -r word group; do
  case $word in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
"""


class _Guard:
    """One per motet process; started with the first child, safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """End `group` when this process dies."""
        with self._lock:
            self._groups.add(group)
            self._tell(f"+ {group}\n")

    def forget(self, group: int) -> None:
        """`group` has ended; its number may be used again by others."""
        with self._lock:
            if group in self._groups:
                self._groups.discard(group)
                self._tell(f"- {group}\n")

    def _tell(self, line: str) -> None:
        shell = self._shell
        if shell is None or shell.poll() is not None:
            self._start()
        elif shell.stdin is not None:
            # A shell that died this very moment is replaced at the next word.
            with contextlib.suppress(BrokenPipeError):
                os.write(shell.stdin.fileno(), line.encode())

    def _start(self) -> None:
        # Without a shell the parent-death signal and the end of the input remain.
        with contextlib.suppress(OSError):
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
            atexit.register(_dismiss, self._shell)
            if self._shell.stdin is not None:
                os.write(self._shell.stdin.fileno(), "".join(f"+ {group}\n" for group in self._groups).encode())


def _dismiss(shell: subprocess.Popen[bytes]) -> None:
    """At the end of this process: let the guard do its last duty, and leave no zombie."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        shell.communicate(timeout=1)


guard = _Guard()
