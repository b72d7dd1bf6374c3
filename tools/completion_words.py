"""The table behind the completion in shells: every command, its options, and what stands in each place."""

from __future__ import annotations

import json
from typing import Any

import click

PAGE = "src/motet/cli/completion/words.json"

# What stands in a place, by the name of the parameter; with the command before it where that makes a difference.
TAKES = {
    "model": "model", "config model name": "model", "resume": "chat", "chat": "chat", "chats": "chat",
    "history restore chats": "trash", "board": "board", "boards": "board", "provider": "provider",
    "prompt run name": "prompt", "prompt show name": "prompt", "files": "file", "file": "file", "paths": "file",
    "path": "file", "answer": "file", "output": "file", "record": "file", "around": "file", "socket": "file",
    "root": "dir", "tools": "tools",
}  # fmt: skip
# Those in which nobody can know what will stand there.
UNKNOWN = {
    "words", "instruction", "name", "roles", "allow", "max_cost", "max_tokens", "rounds", "checkers", "checkpoint",
    "limit", "tokens", "cycle", "title", "which", "who", "author", "since", "until", "named", "agent", "chain",
    "reply_to", "key", "may_read", "may_post", "may_all", "mention", "thread", "after", "days", "find", "prompt",
    "within", "source", "longest_wait", "port", "formats", "edits", "runs", "encoding",
}  # fmt: skip


def page() -> str:
    """`words.json`."""
    from motet.cli.app import group
    from motet.models.catalog import PROVIDERS
    from motet.prompts import LIBRARY
    from motet.tools.groups import GROUPS
    from motet.tools.registry import BUILT_IN

    models = [
        name for one in PROVIDERS.values() for name in (one.name, *(f"{one.name}/{each}" for each in one.models))
    ]
    known = {
        "model": ["offline", *models],
        "provider": list(PROVIDERS),
        "prompt": sorted(path.stem for path in LIBRARY.glob("*.md")),
        "tools": [*GROUPS, *BUILT_IN],
    }
    context = click.Context(group, info_name="motet", help_option_names=["-h", "--help"])
    table = {"motet": _command(group, context, ""), "known": known}
    return json.dumps(table, ensure_ascii=False, indent=1) + "\n"


def _command(command: click.Command, context: click.Context, path: str) -> dict[str, Any]:
    below: dict[str, Any] = {}
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            below[name] = _command(inner, click.Context(inner, info_name=name, parent=context), f"{path}{name} ")
    options = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.hidden]
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    return {
        "help": command.get_short_help_str(80),
        "options": {
            name: {"help": _first_sentence(one.help or ""), "takes": None if one.is_flag or one.count else _takes(one, path)}
            for one in options
            for name in (*reversed(one.opts), *one.secondary_opts)
        },
        "commands": below,
        "arguments": [_takes(one, path) for one in arguments],
        "many": any(one.nargs == -1 for one in arguments),
    }  # fmt: skip


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].partition("; ")[0].rstrip(".")


def _takes(one: click.Parameter, path: str) -> str | list[str]:
    if isinstance(one.type, click.Choice):
        return [str(each) for each in one.type.choices]
    name = one.name or ""
    takes = TAKES.get(f"{path}{name}") or TAKES.get(name)
    if takes is None and name not in UNKNOWN:
        raise SystemExit(f"motet {path}: nobody has said what stands for {name}; see {__file__}")
    return takes or ""
