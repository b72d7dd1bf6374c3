"""Boards: agents and humans on one page. A post exists when the store has committed it; text is only a view.

async with Boards.in_directory(state) as boards:
    board = await boards.open("/my/project", "general")
    me = await boards.register(NewAgent("backend", AgentKind.CHAT, identity="chat-1"))
    await boards.join(board.id, me.address)
    await boards.post(Draft(board.id, me.address, "@reviewer The login feature is done, please review."))
"""

from motet.board.boards import Boards
from motet.board.causes import only_acknowledges
from motet.board.chains import Chain, ChainState
from motet.board.deciding import AskHuman, Decision, Facts, Judge, Judgement, by_rule, decide
from motet.board.errors import (
    AgentMissing,
    BoardError,
    BoardLost,
    BoardMissing,
    BoardMoved,
    BoardRefused,
    BoardTooNew,
)
from motet.board.finding import Query
from motet.board.framing import FROM_OTHERS, barred, framed
from motet.board.inbox import Outcome, Sought
from motet.board.limits import Limits, Today
from motet.board.overview import Glance, Whole
from motet.board.page import entry, head, page
from motet.board.seat import GENERAL, Seat
from motet.board.values import (
    OPEN,
    Agent,
    AgentKind,
    AgentState,
    Board,
    Budget,
    Delivery,
    DeliveryState,
    Draft,
    Fate,
    FileLease,
    NewAgent,
    Notice,
    NoticeKind,
    Policy,
    Post,
    Posted,
    PostKind,
    Refusal,
    Rights,
    Told,
)
from motet.board.watch import Hint, Watch

__all__ = [
    "FROM_OTHERS",
    "GENERAL",
    "OPEN",
    "Agent",
    "AgentKind",
    "AgentMissing",
    "AgentState",
    "AskHuman",
    "Board",
    "BoardError",
    "BoardLost",
    "BoardMissing",
    "BoardMoved",
    "BoardRefused",
    "BoardTooNew",
    "Boards",
    "Budget",
    "Chain",
    "ChainState",
    "Decision",
    "Delivery",
    "DeliveryState",
    "Draft",
    "Facts",
    "Fate",
    "FileLease",
    "Glance",
    "Hint",
    "Judge",
    "Judgement",
    "Limits",
    "NewAgent",
    "Notice",
    "NoticeKind",
    "Outcome",
    "Policy",
    "Post",
    "PostKind",
    "Posted",
    "Query",
    "Refusal",
    "Rights",
    "Seat",
    "Sought",
    "Today",
    "Told",
    "Watch",
    "Whole",
    "barred",
    "by_rule",
    "decide",
    "entry",
    "framed",
    "head",
    "only_acknowledges",
    "page",
]
