"""What an empty chat says about itself, made from what is registered; `/help` shows it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from motet.context.library import PromptEntry


class Described(Protocol):
    """Something with a name and one line about it."""

    @property
    def name(self) -> str:
        """As it is written behind its sign."""
        ...

    @property
    def description(self) -> str:
        """One line."""
        ...


def greeting(
    variables: Iterable[Described],
    commands: Iterable[Described],
    tools: Mapping[str, str],
    prompts: Iterable[PromptEntry] = (),
) -> str:
    """An overview in Markdown: the same for the same registries, whatever was typed. `tools` are names and what each is
    for."""
    parts = [
        "I am motet, a pair programmer in your project. Write what you want in your own words, and share what I "
        "should see:",
        _table("Share beside your words", "#", [(each.name, each.description) for each in variables]),
        "\n".join(
            (
                "**Share files and pages**",
                "- `@/src/a.py`, `@/src/a.py:10-40`, `@a.py`: a file, some of its lines",
                "- `@/src`: the list of a directory's files",
                "- `@https://…`: a page",
            )
        ),
        _table("Hand tools over (I have none until you do)", "@", tools.items()),
        _table("Commands", "/", [(each.name, each.description) for each in commands]),
        _table("Prompts", "/", [(each.name, each.description) for each in prompts]),
        "I propose edits; you take or refuse each of them. Nothing is written, run or sent without your yes.",
    ]
    return "\n\n".join(part for part in parts if part)


def _table(title: str, sign: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"- `{sign}{name}`: {description}" if description else f"- `{sign}{name}`" for name, description in rows]
    return "\n".join((f"**{title}**", *lines)) if lines else ""
