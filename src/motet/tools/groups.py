"""Groups of tools, and what a chat was handed: a tool that nobody handed over is never told of and never run.

Handing over a name adds prompts to the conversation, taking it away removes exactly these: each prompt is linked to a
line of the context block (`<group>files</group>`, `<tool>fetch_url</tool>`), as attachments are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from motet.errors import SettingsError, UsageError
from motet.messages import ContextRef, Message, tags
from motet.prompts import prompt
from motet.tools.board_tool import BOARD_TOOLS
from motet.tools.registry import EDIT, ToolRegistry, unknown
from motet.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools that are handed over together. With `replaces_system`, `prompt` takes the place of the system prompt."""

    name: str
    description: str
    tools: tuple[str, ...]
    prompt: str = ""
    replaces_system: bool = False


_READING = (
    "read_file", "list_files", "find_files", "search_text", "search_code", "outline", "find_symbol",
    "find_references", "get_diagnostics", "changed_files",
)  # fmt: skip
_FILES = ("create_file", "delete_file", "move_file")
_TALKING = ("ask_user", "update_plan")

GROUPS: Mapping[str, ToolGroup] = {
    group.name: group
    for group in (
        ToolGroup("editor", "read and edit code", ("read_file", EDIT, "get_diagnostics")),
        ToolGroup(
            "files",
            "find, read, edit, create, move and delete files",
            ("read_file", "list_files", "find_files", "search_text", EDIT, *_FILES),
        ),
        ToolGroup("cmd", "run commands", ("run_command",)),
        ToolGroup("web", "read pages of the web and search it", ("fetch_url", "web_search")),
        ToolGroup(
            "agent",
            "all that a task needs: read, edit, run, ask",
            (*_READING, EDIT, *_FILES, "run_command", "fetch_url", "web_search", *_TALKING, "remember"),
            prompt("group_agent"),
        ),
        ToolGroup("readonly", "look at everything, change nothing", (*_READING, *_TALKING), prompt("group_readonly")),
        ToolGroup("board", "talk with other agents on a board", tuple(BOARD_TOOLS), prompt("group_board")),
        ToolGroup(
            "plan",
            "look and plan; while it is there nothing can be written",
            (*_READING, "run_command", *_TALKING),
            prompt("group_plan"),
        ),
        ToolGroup(
            "rag", "search the project", ("search_code", "search_text", "find_symbol", "find_references", "read_file")
        ),
    )
}
"""The groups that come with motet. A tool that is not set up is left out of its group."""

_GUIDELINES = "<tools>motet</tools>"
_LINE = re.compile(r"<(group|tool)>(.+)</\1>")


class ToolSet:
    """What one chat was handed, in order. `groups` are the user's own, besides the built-in ones.

    `handed` are names that were handed over before, whose prompts the conversation holds already: see `names_in`.
    """

    def __init__(
        self, registry: ToolRegistry, groups: Mapping[str, ToolGroup] | None = None, handed: Iterable[str] = ()
    ) -> None:
        self._registry = registry
        self._own = dict(groups or {})
        self.groups: Mapping[str, ToolGroup] = {**GROUPS, **(groups or {})}
        for name in groups or {}:
            if name in registry:
                raise SettingsError(f"groups.{name}: there is a tool of that name; choose another one")
        # What was handed over once and is not set up any more is left out, not an error.
        self._handed = [name for name in dict.fromkeys(handed) if name in self.groups or name in registry]

    @property
    def names(self) -> tuple[str, ...]:
        """The tools and groups that were handed over, in that order."""
        return tuple(self._handed)

    @property
    def known(self) -> dict[str, str]:
        """What can be handed over, for completion: by name what it is for."""
        tools = {name: _first_sentence(self._registry.about(name)) for name in self._registry.names}
        return {**{name: group.description for name, group in self.groups.items()}, **tools}

    @property
    def system_prompt(self) -> str | None:
        """What takes the place of the system prompt: of the last such group that was handed over; None: nothing."""
        handed = [self.groups[name] for name in self._handed if name in self.groups]
        return next((group.prompt for group in reversed(handed) if group.replaces_system), None)

    @property
    def plans(self) -> bool:
        """Plan mode: the group `plan` was handed over, and with it every tool that changes something is away."""
        return any(self.groups.get(name) is GROUPS["plan"] for name in self._handed)

    def edit_in(self, format: str) -> None:
        """Let edits be written in `format` from now on."""
        self._registry.edit_format = format

    def handed_over(self) -> list[Tool]:
        """The tools themselves, each once, in the order in which they were handed over; in plan mode only those that
        fit it."""
        tools = [self._registry.tool(each) for name in self._handed for each in self._members(name)]
        if self.plans:
            tools = [tool for tool in tools if tool.spec.fits_a_plan]
        return list({tool.spec.name: tool for tool in tools}.values())

    def hand_over(self, name: str) -> list[Message]:
        """Hand over a tool or a group (`files` or `@files`); the prompts to add to the conversation for it.

        Nothing when it was handed over before. Raises `UsageError` for a name that there is not, and for a group of
        which no tool is set up.
        """
        name = name.removeprefix("@")
        if name in self._handed:
            return []
        if name not in self.groups and name not in self._registry:
            raise unknown(name, (*self.groups, *self._registry.names), "tool or group")
        if not self._members(name):
            raise UsageError(f"{name}: none of its tools is set up here ({', '.join(self.groups[name].tools)})")
        first = not self._handed
        self._handed.append(name)
        guidelines = [_linked(prompt("tool_guidelines"), tags.TOOL_SYSTEM_PROMPT, _GUIDELINES)] if first else []
        return [*guidelines, _linked(self._prompt(name), tags.TOOL, self._line(name))]

    def take_away(self, name: str) -> list[str]:
        """Take a tool or a group away: the lines of the context block whose messages go with it, for
        `MessageStack.remove_context`. Nothing when it was not handed over. Tools that another name hands over stay.
        """
        name = name.removeprefix("@")
        if name not in self._handed:
            return []
        self._handed.remove(name)
        return [self._line(name), *([] if self._handed else [_GUIDELINES])]

    def copy(self) -> ToolSet:
        """The same, to try something with: what that is handed does not count here."""
        return ToolSet(self._registry, self._own, self._handed)

    async def close(self) -> None:
        """End what tools have running."""
        await self._registry.close()

    def _members(self, name: str) -> tuple[str, ...]:
        if name not in self.groups:
            return (name,)
        return tuple(each for each in self.groups[name].tools if each in self._registry)

    def _prompt(self, name: str) -> str:
        tools = ", ".join(f"`{self._registry.tool(each).spec.name}`" for each in self._members(name))
        handed = (
            f"The human has handed you tools: {tools}."
            if name in self.groups
            else f"The human has handed you the tool {tools}."
        )
        group = self.groups.get(name)
        return handed if group is None or group.replaces_system else "\n\n".join(filter(None, (handed, group.prompt)))

    def _line(self, name: str) -> str:
        kind = "group" if name in self.groups else "tool"
        return f"<{kind}>{name}</{kind}>"


def names_in(messages: Iterable[Message]) -> list[str]:
    """The tools and groups that a conversation was handed, by the prompts in it: for a chat that is opened again."""
    lines = [message.context.id for message in messages if message.tag == tags.TOOL and message.context]
    return [name for line in dict.fromkeys(lines) if (name := tool_name(line))]


def tool_name(line: str) -> str:
    """The tool or group that a line of the context block stands for; empty when it stands for something else."""
    found = _LINE.fullmatch(line)
    return found[2] if found else ""


def own_group(
    name: str,
    tools: Sequence[str],
    known: Sequence[str],
    *,
    description: str = "",
    prompt: str = "",
    replaces_system: bool = False,
) -> ToolGroup:
    """A group of the user's; among its `tools` may be built-in groups, and tools that are not set up here. `known`:
    the names of all tools that are.

    Raises `SettingsError` for a name that there is not, for no tools, and for no prompt where one is needed.
    """
    setting, names = f"groups.{name}", [each.removeprefix("@") for each in tools]
    if not names:
        raise SettingsError(f"{setting}.tools: name one tool at least, as in ['read_file', 'search_text']")
    if replaces_system and not prompt.strip():
        raise SettingsError(f"{setting}.prompt: there is none to replace the system prompt")
    others = {one for group in GROUPS.values() for one in group.tools}
    for each in names:
        if each not in known and each not in GROUPS and each not in others:
            raise SettingsError(f"{setting}.tools: {unknown(each, (*known, *GROUPS), 'tool or group')}")
    members = [one for each in names for one in (GROUPS[each].tools if each in GROUPS else (each,))]
    unique = tuple(dict.fromkeys(members))
    return ToolGroup(name, description or ", ".join(names), unique, prompt, replaces_system)


def _linked(text: str, tag: str, line: str) -> Message:
    return replace(Message.system(text, tag), context=ContextRef(line))


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:])\s", text, maxsplit=1)[0].rstrip(".:")
