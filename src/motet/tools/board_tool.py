"""The tools of boards. They work for whoever speaks on boards: a chat, or a program that is served them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motet.tools.speaker import Speaker  # comes with boards, of which most chats know nothing
    from motet.tools.tool import Tool

Speaking = Callable[[], "Speaker"]
"""Who speaks now. Raises `MotetError` when nobody does: the chat is on no board."""

BOARD_TOOLS: Mapping[str, str] = {
    "board_post": "BoardPost",
    "board_reply": "BoardReply",
    "board_read": "BoardRead",
    "board_wait": "BoardWait",
    "board_claim": "BoardClaim",
    "board_release": "BoardRelease",
    "board_agents": "BoardAgents",
}
"""By name, which is that of its module, the class of each."""


def board_tool(name: str, speaking: Speaking) -> Tool:
    """The tool of that name."""
    make: Callable[[Speaking], Tool] = getattr(import_module(f"motet.tools.builtin.{name}"), BOARD_TOOLS[name])
    return make(speaking)


def board_tools(speaking: Speaking) -> dict[str, Callable[[object], Tool]]:
    """By name what makes each, for a registry; what it is given there is not needed."""
    return {name: lambda _, name=name: board_tool(name, speaking) for name in BOARD_TOOLS}
