"""`motet config`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from motet.cli.editor import run_editor
from motet.cli.interrupts import Interrupts
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.cli.visible import as_json as to_json
from motet.cli.visible import one_line
from motet.engine import load
from motet.errors import UsageError
from motet.paths import config_file
from motet.settings.load import dotted

_TEMPLATE = """\
# motet's settings. docs/settings.md explains each; `motet config show --origin` tells what is in force.
#
# model = "anthropic"            # provider/model, provider, or offline
#
# [fix]
# severity = "warning"           # the mildest problem to fix
# rounds = 5
# max_cost = 1.00                # US dollars for one run
#
# [permissions]
# allow = ["send:anthropic *"]   # code may go there without a question
"""


@click.group("config", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show or edit the settings, with the origin of each value.

    \b
    Examples:
      motet config show --origin   what is in force, and why
      motet config path            where your settings file is
      motet config edit            open it in $EDITOR
    """
    if context.invoked_subcommand is None:
        context.invoke(show)


@command.command()
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(origin: bool = False, as_json: bool = False) -> None:
    """Print the settings that are in force here."""
    loaded = load(Path.cwd(), {})
    values = dotted(loaded.settings.model_dump())
    if as_json:
        rows = {key: {"value": value, "origin": loaded.origins.get(key, "default")} for key, value in values.items()}
        write_json(rows if origin else values, indent=1)
        return
    for key, value in values.items():
        text = f"{one_line(key)} = {to_json(value)}"
        write_line(f"{text}  # {one_line(loaded.origins.get(key, 'default'))}" if origin else text)
    for notice in loaded.notices:
        Terminal().line(notice, "yellow", hang=2)


@command.command()
def path() -> None:
    """Print where your settings file is, or would be."""
    write_line(str(config_file()))


@command.command()
def edit() -> None:
    """Open your settings file in $VISUAL or $EDITOR, and check it afterwards."""
    file = config_file()
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.write_text(_TEMPLATE, "utf-8")
            file.chmod(0o600)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    asyncio.run(_edit(file))
    load(Path.cwd(), {})


async def _edit(file: Path) -> None:
    interrupts = Interrupts()
    with interrupts.installed(), interrupts.held():
        await run_editor(file)
