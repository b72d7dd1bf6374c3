"""What a chat of one workspace can share: variables, groups of files, pages, changes, commands, prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from motet.chat import Context
from motet.context import (
    CodebaseVariable,
    Diagnoses,
    DrawMap,
    Editor,
    Feature,
    Fetch,
    Group,
    Known,
    Retrieve,
    RuleGroup,
    Sources,
    Suggest,
    built_in_variables,
    greeting,
    load_library,
    own_command,
    own_variable,
    prompt_commands,
    sharing_commands,
)
from motet.permissions import Action, Effect, Gate, Origin
from motet.settings import PluginSettings, Settings
from motet.tools.groups import ToolSet
from motet.workspace import Workspace

_OF_EDITORS = frozenset({"buffer", "buffers", "selection", "viewport", "quickfix", "messages", "terminal"})
"""What only an editor can share."""


def context_of(
    workspace: Workspace,
    gate: Gate,
    tools: ToolSet,
    names: Sequence[str],
    settings: Settings,
    prompts: Path,
    fetch: Fetch,
    diagnoses: Diagnoses | None = None,
    editor: Editor | None = None,
    draw_map: DrawMap | None = None,
    retrieve: Retrieve | None = None,
    suggest: Suggest | None = None,
    further: Mapping[str, str] | None = None,
) -> Context:
    """The context of one chat. `names`: of tools and groups that can be handed over. `fetch` reads pages.
    `prompts`: the user's own prompts. `editor`: what only an editor knows. `draw_map`: of the project. `retrieve` finds
    passages in it, `suggest` such that come along by themselves; `further`: the names of further sources, and what they
    are. Raises `SettingsError`."""
    groups = [
        Group(name, tuple(group.files), group.description) for name, group in settings.groups.items() if group.files
    ]
    variables = built_in_variables(groups)
    for name, about in (further or {}).items():
        variables.add(CodebaseVariable(name, about))
    for name, plugin in settings.variables.items():
        variables.add(own_variable(name, _feature(plugin)))
    library = load_library(prompts)

    def help_text() -> str:
        of_prompts = {name for entry in library for name in (entry.name, entry.alias)}
        absent = _OF_EDITORS if editor is None else frozenset[str]()
        here = [one for one in variables if one.name not in absent]
        done = [one for one in commands if one.name not in of_prompts | absent]
        known = tools.known
        groups = {name: about for name, about in known.items() if name in tools.groups}
        return greeting(here, done, groups, library)

    rules = tuple(RuleGroup(name, tuple(one.rules), tuple(one.files)) for name, one in settings.rules.items())
    commands = sharing_commands(help_text, rules)
    for command in prompt_commands(library):
        if command.name not in commands:
            commands.add(command)
    for name, plugin in settings.commands.items():
        commands.add(own_command(name, _feature(plugin)))
    sources = Sources(
        workspace,
        gate,
        editor=editor,
        diagnoses=diagnoses,
        diff=_diff(workspace.root, gate),
        fetch=fetch,
        may_share_code=settings.send_code,
        draw_map=draw_map,
        retrieve=retrieve,
        suggest=suggest,
    )
    return Context(Known(variables, dict.fromkeys(names, "")), sources, rules, commands, library)


def _diff(root: Path, gate: Gate) -> Callable[[bool], Awaitable[str]]:
    async def diff(staged: bool) -> str:
        from motet.tools.changes import readable_diff

        return await readable_diff(root, may_see, staged=staged)

    def may_see(path: str) -> bool:
        return gate.allows(Action(Effect.READ, path, Origin.USER))

    return diff


def _feature(plugin: PluginSettings) -> Feature:
    return Feature(plugin.callback, plugin.description, plugin.contains_code)
