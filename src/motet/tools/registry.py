"""All tools that there are, by name: those that come with motet, those that need more than the kit, the user's own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Protocol, runtime_checkable

from motet.errors import SettingsError, UsageError
from motet.prompts import prompt
from motet.tools.board_tool import BOARD_TOOLS
from motet.tools.builtin import EDIT_TOOLS, edit_tool
from motet.tools.edit_tool import EditTool
from motet.tools.kit import Kit
from motet.tools.tool import Tool

Maker = Callable[[Kit], Tool]
"""Makes a tool that works with a kit."""


def _built_in(module: str, tool: str) -> Maker:
    """Makes the tool of that class; its module is imported when the first one is made, as most chats have few."""

    def make(kit: Kit) -> Tool:
        maker: Maker = getattr(import_module(f"motet.tools.builtin.{module}"), tool)
        return maker(kit)

    return make


_CLASSES = {
    "read_file": "ReadFile",
    "list_files": "ListFiles",
    "find_files": "FindFiles",
    "search_text": "SearchText",
    "outline": "Outline",
    "find_symbol": "FindSymbol",
    "find_references": "FindReferences",
    "changed_files": "ChangedFiles",
    "create_file": "CreateFile",
    "delete_file": "DeleteFile",
    "move_file": "MoveFile",
    "run_command": "RunCommand",
    "fetch_url": "FetchUrl",
    "ask_user": "AskUser",
    "update_plan": "UpdatePlan",
    "remember": "Remember",
}
BUILT_IN: Mapping[str, Maker] = {name: _built_in(name, tool) for name, tool in _CLASSES.items()}
"""By its name, which is that of its module, each tool that needs nothing but a kit. What others need
(`get_diagnostics` somebody who knows, `web_search` an address) is handed to the registry by whoever has it."""

_TOLD = frozenset({*BUILT_IN, "get_diagnostics", "web_search", "search_code", *BOARD_TOOLS})
"""The tools that a prompt of their own name describes."""

EDIT = "edit"
"""Stands for the tool that edits in the format of the model at hand, whatever that tool's own name is."""


@runtime_checkable
class _RunsOn(Protocol):
    """A tool that has something running between its calls."""

    async def close(self) -> None: ...


class ToolRegistry:
    """The tools of one chat, each made when it is first asked for.

    `wired` are tools that need more than the kit; they go before built-in ones of that name. `own` are the user's,
    which may not have the name of another one: `SettingsError`. `edit_format` may change when the model does; without
    one, or with one that is written as text, there is no tool for edits.
    """

    def __init__(
        self,
        kit: Kit,
        *,
        wired: Mapping[str, Maker] | None = None,
        own: Mapping[str, Tool] | None = None,
        edit_format: str | None = None,
    ) -> None:
        self._kit = kit
        self._makers = {**BUILT_IN, **(wired or {})}
        self._own = dict(own or {})
        self._made: dict[str, Tool] = dict(self._own)
        self._edit_tools: dict[str, EditTool] = {}
        self.edit_format = edit_format
        for name in self._own:
            if is_taken(name, self._makers):
                raise SettingsError(f"tools.own.{name}: there is a tool of that name already; choose another name")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools; of the tools for edits the one that is used now."""
        edit = self._edit_name
        return (*self._makers, *([edit] if edit else []), *self._own)

    def __contains__(self, name: str) -> bool:
        edit = self._edit_name
        return name in self._makers or name in self._made or (edit is not None and name in (EDIT, edit))

    def tool(self, name: str) -> Tool:
        """The tool of that name. Raises `UsageError` with names that are close."""
        edit = self._edit_name
        if edit is not None and name in (EDIT, edit):
            return self._edit_tool()
        if name not in self._made:
            if name not in self._makers:
                raise unknown(name, self.names, "tool")
            self._made[name] = self._makers[name](self._kit)
        return self._made[name]

    def about(self, name: str) -> str:
        """What `tool(name).spec.description` says. For that no tool of motet's own is made: to make them all imports
        most of motet. Raises as `tool` does."""
        if self._edit_name is not None and name in (EDIT, self._edit_name):
            return prompt(self.edit_format or "")
        if name in _TOLD and name in self._makers:
            return prompt(name)
        return self.tool(name).spec.description

    async def close(self) -> None:
        """End what tools have running, such as sessions of commands."""
        for tool in self._made.values():
            if isinstance(tool, _RunsOn):
                await tool.close()

    @property
    def _edit_name(self) -> str | None:
        """The name of the tool for edits that is used now."""
        return EDIT_TOOLS.get(self.edit_format or "")

    def _edit_tool(self) -> EditTool:
        format = self.edit_format or ""
        if format not in self._edit_tools:
            self._edit_tools[format] = edit_tool(format, self._kit.desk)
        return self._edit_tools[format]


def is_taken(name: str, names: Collection[str] = ()) -> bool:
    """Whether a tool that is not the user's has this name, or one of `names` is it."""
    return name in (EDIT, *BUILT_IN, *EDIT_TOOLS.values()) or name in names


def unknown(name: str, names: tuple[str, ...], what: str) -> UsageError:
    """The error for a name that there is not, with those that are close, else with all."""
    close = get_close_matches(name, names, n=3, cutoff=0.7)
    hint = f"did you mean {', '.join(close)}?" if close else f"there is {', '.join(names) or 'none'}"
    return UsageError(f"{name}: there is no such {what}; {hint}")
