"""A human in a chat: the `motet` program in a terminal of a given size, and what its screen shows."""

from __future__ import annotations

from cli.chat.chat_kit import Typist
from cli.kit import BIN, MAY_SEND, Project

from motet.models.scripted import Answer

QUIET = MAY_SEND + "[chat]\ntitles = false\n"
"""Settings under which the only requests are those of the conversation."""
WELCOME = "scripted/one (set in the settings). /help shows what can be done here."


class Talker(Typist):
    """A `Typist` who knows when the chat waits for a text, and says one."""

    def says(self, text: str) -> None:
        """Wait for the line, type `text` and send it."""
        self.is_ready()
        self.presses(text)
        self.sees(text.split("\n")[-1][-8:])
        self.presses("\r")


def talker(project: Project, *arguments: str, columns: int = 80, rows: int = 24, **env: str) -> Talker:
    """`motet ARGUMENTS` in a terminal."""
    return Talker([str(BIN / "motet"), *arguments], project.root, project.env(env), columns, rows)


def answer(text: str, **how: object) -> Answer:
    """An answer that is text."""
    return Answer(text=text, **how)  # type: ignore[arg-type]
