"""The reference pages of `docs/`: settings from their schema, commands from their `--help`."""

from __future__ import annotations

import re
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import FieldInfo, fields

WIDTH = 100


def settings_page() -> str:
    """`docs/settings.md`: every table and key, its type, default and meaning."""
    from motet.settings import Settings

    lines = [
        "# Settings",
        "",
        "Written by `make docs` from `src/motet/settings/schema.py`.",
        "",
        "Later layers win: defaults, your `config.toml` (`motet config path`), the project's `.motet.toml`, `MOTET_*`",
        "variables (`MOTET_MODEL`, `MOTET_SEND_CODE`, all of `[fix]` and `[chat]`: `MOTET_CHAT_ROUNDS`), flags. A project's file can only restrict: lower a limit,",
        "raise the severity, ignore files, deny or ask. The servers and checkers it names wait for `motet trust`.",
        "`motet config show --origin` tells what is in force and where each value comes from.",
        "",
    ]
    return "\n".join([*lines, *_table(Settings, "")]).rstrip("\n") + "\n"


def commands_page() -> str:
    """`docs/commands.md`: the help of every command."""
    from motet.cli.app import group

    lines = ["# Commands", "", "Written by `make docs` from the commands' own `--help`.", ""]
    context = click.Context(group, info_name="motet", max_content_width=WIDTH, terminal_width=WIDTH)
    lines += ["## motet", "", "```", group.get_help(context), "```", ""]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        lines += _command(command, name, context, "##")
    return "\n".join(lines).rstrip("\n") + "\n"


def _command(command: click.Command, name: str, parent: click.Context, level: str) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH, terminal_width=WIDTH)
    lines = [f"{level} {context.command_path}", "", "```", command.get_help(context), "```", ""]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            inner = command.get_command(context, sub)
            assert inner is not None
            lines += _command(inner, sub, context, f"{level}#")
    return lines


def _table(model: type[Struct], prefix: str) -> list[str]:
    title = f"`[{prefix}]`" if prefix else "Top level"
    text = re.sub(r"^`\[[^]]*\]`: ", "", " ".join((model.__doc__ or "").split()))
    lines = [
        f"## {title}",
        "",
        f"{text[:1].upper()}{text[1:]}",
        "",
        "| key | type | default | meaning |",
        "|---|---|---|---|",
    ]
    nested: list[str] = []
    for field in fields(model):
        inner, several = _inner(field.type)
        if inner is not None:
            below = f"{prefix}.{field.name}" if prefix else field.name
            nested += _table(inner, f"{below}.NAME" if several else below)
            continue
        lines.append(f"| `{field.name}` | {_type(field.type)} | {_default(field)} | {_meaning(field.type)} |")
    if len(lines) == 6:
        lines = lines[:4]
    return [*lines, "", *nested]


def _inner(annotation: Any) -> tuple[type[Struct] | None, bool]:
    """The table behind a field, and whether it is one of several by name."""
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return annotation, False
    if get_origin(annotation) is dict and (value := get_args(annotation)[1]) and isinstance(value, type):
        return (value, True) if issubclass(value, Struct) else (None, False)
    return None, False


def _type(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0])
    if origin in (Union, UnionType):
        return " or ".join(_type(each) for each in arguments if each is not type(None))
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    names = {str: "text", int: "whole number", float: "number", bool: "true or false", list: "list", dict: "table"}
    return names.get(origin or annotation, str(annotation))


def _meaning(annotation: Any) -> str:
    said = [each.description for each in get_args(annotation) if isinstance(each, Meta) and each.description]
    return said[0] if said else ""


def _default(field: FieldInfo) -> str:
    if field.required:
        return "required"
    value = field.default_factory() if field.default is NODEFAULT else field.default
    if value is None:
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
