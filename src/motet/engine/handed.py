"""What one chat is handed: tools, built in, made here and the user's own, and the user's hooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from motet.chat import Hooks
from motet.messages import Message
from motet.settings import Settings
from motet.settings.callback import Function, load
from motet.tools import Tool
from motet.tools.groups import ToolGroup, ToolSet, names_in, own_group
from motet.tools.kit import Kit
from motet.tools.registry import Maker, ToolRegistry

EDIT_FORMAT = "replace_in_file"
"""The format of models of which nothing better is known."""


def edit_format(settings: Settings, model: str) -> str:
    """How the model of that name (`provider/model`) writes edits."""
    own = settings.providers.get(model.partition("/")[0])
    return settings.edit_format or (own and own.edit_format) or EDIT_FORMAT


def tool_set(
    kit: Kit,
    settings: Settings,
    messages: Sequence[Message],
    extra: Mapping[str, Tool],
    edit_format: str | None,
    wired: Mapping[str, Maker],
    further: Mapping[str, str],
) -> tuple[ToolSet, list[str]]:
    """What a chat with these `messages` was handed, and the names of all that it can be handed. `further`: sources that
    can be searched besides the project. Raises `SettingsError`."""
    registry = ToolRegistry(kit, wired=wired, own={**_own(settings), **extra}, edit_format=edit_format)
    groups = {
        name: own_group(
            name,
            group.tools,
            registry.names,
            description=group.description,
            prompt=group.prompt,
            replaces_system=group.replaces_system,
        )
        for name, group in settings.groups.items()
        if group.tools
    }
    for name, about in further.items():
        groups[f"rag:{name}"] = ToolGroup(f"rag:{name}", about, (f"search_{name}",))
    tools = ToolSet(registry, groups, names_in(messages))
    return tools, [*tools.groups, *registry.names]


def hooks_of(settings: Settings, extra: Hooks) -> Hooks:
    """The hooks that settings name, and behind them those of a program. Raises `SettingsError`."""
    named = settings.hooks
    choose = extra.context or (load(named.context, "hooks.context") if named.context else None)
    return Hooks(
        [*_functions(named.before_submit, "hooks.before_submit"), *extra.before_submit],
        [*_functions(named.completed, "hooks.completed"), *extra.completed],
        [*_functions(named.event, "hooks.event"), *extra.event],
        choose,
    )


def _functions(references: Sequence[str], setting: str) -> list[Function]:
    return [load(reference, setting) for reference in references]


def _own(settings: Settings) -> dict[str, Tool]:
    """The functions of the user's that settings name. Raises `SettingsError`."""
    if not settings.tools.own:
        return {}
    from motet.tools.function_tool import load_tool

    return {
        name: load_tool(
            plugin.callback,
            f"tools.own.{name}.callback",
            name=name,
            description=plugin.description,
            effects=plugin.effects,
        )
        for name, plugin in settings.tools.own.items()
    }
