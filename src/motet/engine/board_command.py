"""`/board`: a chat joins a board, leaves it, or says where it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from motet.chat import Chat
from motet.engine.boarding import memberships
from motet.engine.chats import Chats
from motet.errors import UsageError

_JOIN = re.compile(r"(?P<board>\S+)(?:\s+as\s+(?P<name>\S+))?(?:\s+in\s+(?P<roles>\S+(?:[\s,]+\S+)*))?")
_LEAVE = re.compile(r"leave(?:\s+(\S+))?")


async def board_command(chat: Chat, chats: Chats, argument: str) -> Sequence[str]:
    """What `/board ARGUMENT` did, a line each. Raises `MotetError`."""
    if not argument:
        return [await _where(chat, chats)]
    if leaves := _LEAVE.fullmatch(argument):
        left = await chats.house.boarding.forget(chat, leaves[1] or "")
        return [f"Left: {', '.join(left)}." if left else "This chat is on no such board."]
    found = _JOIN.fullmatch(argument)
    if found is None:
        raise UsageError("/board NAME, /board NAME as reviewer, /board NAME in ROLE, /board leave")
    roles = re.split(r"[\s,]+", found["roles"]) if found["roles"] else []
    agent = await chats.join_board(chat, found["board"], found["name"] or "", roles)
    return [
        f"On the board {found['board']} as @{agent.seat.address}. What others write to it reaches the model, also while "
        "it works; `/board leave` ends that."
    ]


async def _where(chat: Chat, chats: Chats) -> str:
    agent = chats.board_agent(chat)
    boards = ", ".join(one.board for one in memberships(chat))
    if agent is None or not boards:
        return "This chat is on no board; /board NAME joins one, and makes it where there is none."
    return f"On {boards} as @{agent.seat.address}; {await agent.seat.boards.waiting(agent.seat.address)} wait."
