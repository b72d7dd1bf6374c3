"""A human in a chat: the `motet` program in a terminal of a given size, and what its screen shows."""

from __future__ import annotations

import re
import signal
import time

from cli.chat.chat_kit import Typist
from cli.kit import BIN, DEADLINE, MAY_SEND, Project

QUIET = MAY_SEND + "[chat]\ntitles = false\n"
"""Settings under which the only requests are those of the conversation."""
WELCOME = "scripted/one (set in the settings). /help shows what can be done here."
OWN = WELCOME.replace("set in the settings", "the chat's own")
_FILLED = re.compile(r"· [\d.k]+/100k")


class Talker(Typist):
    """A `Typist` who knows when the chat waits for a text, and says one."""

    def says(self, text: str) -> None:
        """Wait for the line, type `text` and send it."""
        self.is_ready()
        self.presses(text)
        self.sees(text.split("\n")[-1][-8:])
        self.presses("\r")

    def is_killed(self) -> None:
        """Kill it, so that it can do nothing about it."""
        self.signals(signal.SIGKILL)
        self.child.wait()
        assert self.child.signalstatus == signal.SIGKILL

    def shows(self, *lines: str) -> None:
        """Wait until the screen ends with these lines; how full the window is stands there as `N/100k`."""
        end = time.monotonic() + DEADLINE
        while [_FILLED.sub("· N/100k", line) for line in self.lines[-len(lines) :]] != list(lines):
            assert time.monotonic() < end and self._read(end), f"the screen is\n{self.text}"

    def writes(self, *lines: str) -> None:
        """Wait until these lines stand above the last one, which is the status below what is written."""
        end = time.monotonic() + DEADLINE
        while self.lines[-len(lines) - 1 : -1] != list(lines):
            assert time.monotonic() < end and self._read(end), f"the screen is\n{self.text}"


def talker(project: Project, *arguments: str, columns: int = 80, rows: int = 24, **env: str) -> Talker:
    """`motet ARGUMENTS` in a terminal."""
    return Talker([str(BIN / "motet"), *arguments], project.root, project.env(env), columns, rows)
