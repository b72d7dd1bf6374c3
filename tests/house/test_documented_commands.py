"""Every command that the pages show is one that the program takes, with those options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from motet.cli.app import group

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_SHELL = ("|", ">", "<", "&&", ";", "2>")


def _shown(page: Path) -> list[str]:
    """The lines of a page's blocks in which `motet` is called."""
    blocks = [block for _, block in _FENCE.findall(page.read_text(encoding="utf-8"))]
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [line for line in lines if line == "motet" or line.startswith("motet ")]


def _taken(line: str) -> None:
    """Have the program read a command line, and run nothing. Raises what it raises."""
    words = shlex.split(line, comments=True)[1:]
    words = words[: next((at for at, word in enumerate(words) if word in _SHELL), len(words))]
    command: click.Command = group
    context = click.Context(group, info_name="motet", **group.context_settings)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, below, words = command.resolve_command(context, words)
        assert below is not None
        context, command = click.Context(below, info_name=name, parent=context), below
    command.make_context(context.info_name, [*words], parent=context.parent)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_command_of_a_page_can_be_typed(page: Path) -> None:
    for line in _shown(page):
        try:
            _taken(line)
        except click.exceptions.Exit:
            pass  # it asked for help
        except click.ClickException as error:
            pytest.fail(f"{page.name}: {line}: {error.format_message()}")


def test_the_page_of_boards_shows_its_commands() -> None:
    assert len(_shown(ROOT / "docs" / "boards.md")) > 20
