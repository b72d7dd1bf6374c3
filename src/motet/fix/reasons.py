"""Why a model leaves a problem: read from its answers, to be told with what is left at the end."""

from __future__ import annotations

import re

from motet.text import Diagnostic

_LEFT = re.compile(r"\s*[-*]\s+`?(?P<path>[^`]+?):(?P<line>\d+)`?:\s+(?P<rest>.+)")
_LONGEST = 2000
"""Characters of a line that may be a reason; longer ones would only take time."""


class Reasons:
    """Collects lines of the form `- path:line: message (reason)`, as the prompt asks for, while answers stream."""

    def __init__(self) -> None:
        self._line = ""
        self._heard: dict[str, list[str]] = {}

    def hear(self, text: str) -> None:
        """The next piece of an answer."""
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._note(line)

    def end(self) -> None:
        """The answer is over."""
        self._note(self._line)
        self._line = ""

    def of(self, found: Diagnostic) -> str:
        """The last reason that was given for leaving `found`, wherever its line has moved to; empty without one."""
        message = _plain(found.message)
        for rest in reversed(self._heard.get(found.path, ())):
            if rest.startswith(message) and (reason := _inner(rest[len(message) :])):
                return reason
        return ""

    def _note(self, line: str) -> None:
        found = _LEFT.fullmatch(line.rstrip()) if len(line) <= _LONGEST else None
        if found is not None:
            self._heard.setdefault(found["path"], []).append(_plain(found["rest"]))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _inner(text: str) -> str:
    """What stands in the brackets that are all of `text`."""
    text = text.strip(" .")
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else ""
