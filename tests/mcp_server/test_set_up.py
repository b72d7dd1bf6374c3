"""What docs/mcp.md tells one to set up a client with is read as it is meant, and starts a server that answers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp_server.mcp_kit import MOTET, raw

from motet.cli.app import group

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mcp.md"
ROWS = dict(
    re.findall(r"^\| (\S[^|]*?) \| (.*) \|$", PAGE.read_text("utf-8").partition("## What an agent")[0], re.MULTILINE)
)
CLIENTS = ("Claude Code", "Codex", "Gemini CLI", "opencode", "opencode 1", "others")


def shown(client: str) -> list[str]:
    """What is to be typed, in the order of its row."""
    return re.findall(r"`([^`]+)`", ROWS[client])


def added(client: str) -> list[list[str]]:
    """The commands of servers that are added: by a command line, or by settings in JSON."""
    found: list[list[str]] = []
    for text in shown(client):
        if text.startswith("{"):
            found += [one for one in _servers(json.loads(text)) if one]
        elif match := re.match(r"\w+ mcp add motet (?:-- )?(.*)", text):
            found.append(shlex.split(match[1]))
    return found


def _servers(settings: dict[str, Any]) -> list[list[str]]:
    (_, servers), *others = settings.items()
    assert not others
    server = servers.get("servers", servers)["motet"]
    command = server["command"]
    return [command if isinstance(command, list) else [command, *server["args"]]]


def test_the_table_names_each_client_once() -> None:
    assert [name for name in ROWS if name not in ("client", "---")] == list(CLIENTS)


@pytest.mark.parametrize("client", CLIENTS)
async def test_what_a_client_is_told_to_start_is_a_server(client: str, place: Path) -> None:
    commands = added(client)
    assert commands
    assert all(command == ["motet", "mcp"] for command in commands)
    async with raw(place, command=(MOTET, *commands[0][1:])) as ann:
        assert (await ann.ask("ping", {}))["result"] == {}


def test_the_help_shows_the_commands_of_the_page() -> None:
    said = CliRunner().invoke(group, ["mcp", "--help"]).output
    lines = re.findall(r"^ +((?:claude|codex|gemini) mcp add .*?)  ", said, re.MULTILINE)
    assert len(lines) == 3
    of_page = [text for client in CLIENTS for text in shown(client)]
    assert [line for line in lines if line.removesuffix(" --role reviewer") not in of_page] == []


def test_for_gemini_there_is_each_way_to_trust_the_folder() -> None:
    """Its documentation of "Trusted Folders": the question, the command, the variable for one session."""
    assert "*Disabled* in a folder that Gemini does not trust" in ROWS["Gemini CLI"]
    assert shown("Gemini CLI")[-2:] == ["/permissions", "GEMINI_CLI_TRUST_WORKSPACE=true"]
