"""`motet config`."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from pathlib import Path

import click
from msgspec import to_builtins

from motet.cli.editor import editor_command, run_editor
from motet.cli.help import Group
from motet.cli.interrupts import Interrupts
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.engine import load
from motet.engine.models import model_config
from motet.errors import ModelError, ModelErrorKind, UsageError
from motet.models.catalog import check_key, choose, known_provider
from motet.models.config import ModelConfig
from motet.models.key_store import KeyFile, has_keyring, key_file, keyring_put, keyring_remove
from motet.models.keys import KEPT, KeySource, may_be_key
from motet.models.settings_file import set_values, unset, values_in
from motet.paths import config_file
from motet.settings.load import dotted
from motet.settings.schema import ModelSettings
from motet.visible import as_json as to_json
from motet.visible import one_line

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


@click.group("config", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show or edit the settings, with the origin of each value.

    \b
    Examples:
      motet config show --origin   what is in force, and why
      motet config path            where your settings file is
      motet config edit            open it in $EDITOR
      motet config key anthropic   give motet a key, which is checked
      motet config model openai    what is used where no model is named
    """
    if context.invoked_subcommand is None:
        context.invoke(show)


@command.command()
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(origin: bool = False, as_json: bool = False) -> None:
    """Print the settings that are in force here."""
    loaded = load(Path.cwd(), {})
    values = dotted(to_builtins(loaded.settings))
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
    editor_command()  # before a file is made for it
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


@command.command()
@click.argument("name")
@click.option(
    "--for", "work", type=click.Choice(list(ModelSettings.__struct_fields__)), help="Only for this kind of work."
)
def model(name: str, work: str | None) -> None:
    """Choose the model that is used where none is named.

    \b
    Examples:
      motet config model anthropic                 that provider's usual model
      motet config model openai/gpt-5-mini         this one
      motet config model --for title groq          a small one names the chats
      motet config unset model                     the first usable one again
    """
    terminal = Terminal()
    try:
        chosen, _ = asyncio.run(choose(name, _models(), os.environ))
        remark = ("", "") if chosen.name == name else (f"it stands for {chosen.name}", "")
    except ModelError as error:
        remark = (f"it cannot be used yet: {error}", "yellow")
    key = f"models.{work}" if work else "model"
    set_values(config_file(), {key: name})
    terminal.line(f"{key} = {to_json(name)}, in {config_file()}", hang=2)
    if remark[0]:
        terminal.line(*remark, hang=2)


@command.command(context_settings={"allow_extra_args": True})
@click.argument("provider")
@click.option("--from", "source", metavar="SOURCE", help="env:NAME, cmd:COMMAND, keyring or file (default).")
@click.option("--no-check", is_flag=True, help="Store it without asking the provider whether it works.")
@click.pass_context
def key(context: click.Context, provider: str, source: str | None, no_check: bool) -> None:
    """Give motet the key of a provider, and check that it works.

    The key is asked for, without showing it, or read from standard input. It is kept in a file that only you can
    read, or with --from keyring in the system's keyring. With env:NAME and cmd:COMMAND only this reference is kept.

    \b
    Examples:
      motet config key anthropic
      motet config key openai --from env:WORK_OPENAI_KEY
      motet config key openai --from "cmd:pass show openai"
      motet config unset providers.openai.key
    """
    if context.args:
        # It would be the key, which is not repeated.
        raise UsageError(
            "the key is not given on the command line, where others can see it: it is asked for; if this was one, "
            "make a new one at the provider"
        )
    config = _models()
    known_provider(provider, config)
    source = source or "file"
    KeySource(source, os.environ, provider)  # wrong ones end here
    if source == "keyring" and not has_keyring():
        raise UsageError("--from keyring: the Python package keyring is not installed; leave it out to use a file")
    given = _ask_for_key(provider) if source in KEPT else ""
    terminal = Terminal()
    if not no_check:
        terminal.line(_checked(provider, config, source, given), hang=2)
    _store(provider, source, given)
    where = {"file": key_file(os.environ), "keyring": "the system's keyring"}.get(source, config_file())
    terminal.line(f"Stored in {where}; providers.{provider}.key = {to_json(source)}", hang=2)


@command.command("unset")
@click.argument("name", metavar="KEY")
def unset_value(name: str) -> None:
    """Take a value out of your settings file; a key that motet keeps is forgotten, too.

    \b
    Examples:
      motet config unset model
      motet config unset providers.anthropic.key
    """
    file = config_file()
    found = unset(file, name)
    if found is None:
        there = ", ".join(values_in(file)) or "nothing"
        raise UsageError(f"{file} does not set {name}; it sets {there}")
    terminal = Terminal()
    for provider, kept in _kept_keys(name, found):
        _forget(provider, kept)
        terminal.line(f"forgot the key of {provider}")
    terminal.line(f"{name} is no longer set in {file}", hang=2)


def _models() -> ModelConfig:
    return model_config(load(Path.cwd(), {}).settings, Path.cwd())


def _ask_for_key(provider: str) -> str:
    if sys.stdin.isatty():
        try:
            given = getpass.getpass(f"Key of {provider} (not shown): ", sys.stderr)
        except EOFError:
            given = ""
    else:
        given = sys.stdin.readline()
    given = given.strip()
    if not given:
        raise UsageError("no key was given; nothing was changed")
    if not may_be_key(given):
        raise UsageError("what was given holds characters that no key has; nothing was changed")
    return given


def _checked(provider: str, config: ModelConfig, source: str, given: str) -> str:
    """What the provider says to the key. Raises `ModelError` when it does not take it."""
    new = KeySource("env:the key that was given", {"the key that was given": given}, provider) if given else None
    check = asyncio.run(check_key(provider, config, os.environ, new or KeySource(source, os.environ, provider)))
    if check.works is False:
        raise ModelError(f"{check.text}; nothing was changed (--no-check stores it anyway)", ModelErrorKind.AUTH)
    return check.text


def _store(provider: str, source: str, given: str) -> None:
    setting = f"providers.{provider}.key"
    before = str(values_in(config_file()).get(setting, ""))
    match source:
        case "file":
            KeyFile(key_file(os.environ)).put(provider, given)
        case "keyring":
            keyring_put(provider, given)
        case _:
            pass
    set_values(config_file(), {setting: source})
    if before != source:
        _forget(provider, before)


def _forget(provider: str, kept: str) -> None:
    match kept:
        case "file":
            KeyFile(key_file(os.environ)).remove(provider)
        case "keyring" if has_keyring():
            keyring_remove(provider)
        case _:
            pass


def _kept_keys(name: str, value: object) -> list[tuple[str, str]]:
    """The providers whose keys motet keeps, and where, in the value or table `name` that was taken out."""
    values = dotted({name: value})
    parts = ((key.split("."), kept) for key, kept in values.items())
    return [
        (words[1], str(kept))
        for words, kept in parts
        if words[0] == "providers" and words[2:] == ["key"] and kept in KEPT
    ]
