"""What a chat of one workspace can share: variables, groups of files, pages, changes, commands, prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from motet.chat import Context
from motet.context import (
    Diagnoses,
    Feature,
    Group,
    Known,
    Page,
    Sources,
    built_in_variables,
    greeting,
    load_library,
    own_command,
    own_variable,
    prompt_commands,
    sharing_commands,
)
from motet.permissions import Gate, Origin
from motet.settings import PluginSettings, Settings
from motet.tools.groups import ToolSet
from motet.workspace import Workspace


def context_of(
    workspace: Workspace,
    gate: Gate,
    tools: ToolSet,
    names: Sequence[str],
    settings: Settings,
    prompts: Path,
    diagnoses: Diagnoses | None = None,
) -> Context:
    """The context of one chat. `names`: of tools and groups that can be handed over. `prompts`: the user's own prompts. Raises `SettingsError`."""
    groups = [
        Group(name, tuple(group.files), group.description) for name, group in settings.groups.items() if group.files
    ]
    variables = built_in_variables(groups)
    for name, plugin in settings.variables.items():
        variables.add(own_variable(name, _feature(plugin)))
    library = load_library(prompts)

    def help_text() -> str:
        return greeting(variables, commands, tools.known, library)

    commands = sharing_commands(help_text)
    for command in prompt_commands(library):
        if command.name not in commands:
            commands.add(command)
    for name, plugin in settings.commands.items():
        commands.add(own_command(name, _feature(plugin)))
    sources = Sources(
        workspace,
        gate,
        diagnoses=diagnoses,
        diff=_diff(workspace.root),
        fetch=_fetch(gate),
        may_share_code=settings.send_code,
    )
    return Context(Known(variables, dict.fromkeys(names, "")), sources, (), commands, library)


def _diff(root: Path) -> Callable[[bool], Awaitable[str]]:
    async def diff(staged: bool) -> str:
        from motet.tools.changes import diff

        return await diff(root, ["."], staged=staged)

    return diff


def _fetch(gate: Gate) -> Callable[[str], Awaitable[Page]]:
    async def page(url: str) -> Page:
        from motet.web import fetch

        found = await fetch(url, gate=gate, origin=Origin.USER)
        gate.taint(f"page {found.final_url}")
        return Page(found.final_url, found.text, found.title, notes=found.notes)

    return page


def _feature(plugin: PluginSettings) -> Feature:
    return Feature(plugin.callback, plugin.description, plugin.contains_code)
