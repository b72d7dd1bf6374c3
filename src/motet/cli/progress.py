"""The moving line while servers and checkers work: one short word for each that is not done."""

from __future__ import annotations

from motet.cli.terminal import Terminal
from motet.diagnostics import Doing, Progress


class ServerProgress:
    """Shows what all servers are doing; where nothing moves, one line for each server that starts."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._busy: dict[str, str] = {}
        self._started: set[str] = set()

    def __call__(self, step: Progress) -> None:
        """Note one step of one server."""
        match step.doing:
            case Doing.STARTING if step.server not in self._started:
                self._started.add(step.server)
                self._terminal.step(f"{step.server}: starting")
                self._busy[step.server] = f"{step.server} starts"
            case Doing.CHECKING if step.total and step.done >= step.total:
                self._busy.pop(step.server, None)
            case Doing.CHECKING if step.done:
                self._busy[step.server] = f"{step.server} {step.done}/{step.total}"
            case _:
                self._busy[step.server] = step.server
        if self._busy:
            self._terminal.progress(f"looking: {', '.join(self._busy.values())}")

    def clear(self) -> None:
        """Everybody has answered."""
        self._busy.clear()
        self._terminal.progress("")
