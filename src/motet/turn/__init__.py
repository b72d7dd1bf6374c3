"""One turn: ask the model, run the tools it calls, give it the results, until it is done or a limit is met.

The only loop of its kind; chat and fix both use it. Limits are small values with a verdict, outside the loop.
"""

from motet.turn.answer import AnswerUnderWay
from motet.turn.conversation import Conversation, InMemory
from motet.turn.events import AnswerStarted, ToolFinished, ToolsCalled, TurnEnded, TurnEvent
from motet.turn.limits import (
    CostLimit,
    Limit,
    ProgressLimit,
    RepeatLimit,
    RoundLimit,
    Spending,
    TimeLimit,
    TokenLimit,
    TurnState,
    WindowLimit,
    require_price,
)
from motet.turn.run import ask_to_send, estimate_request, propose, run_turn
from motet.turn.text_calls import read_text, tools_in_text
from motet.turn.whole import to_the_end

__all__ = [
    "AnswerStarted",
    "AnswerUnderWay",
    "Conversation",
    "CostLimit",
    "InMemory",
    "Limit",
    "ProgressLimit",
    "RepeatLimit",
    "RoundLimit",
    "Spending",
    "TimeLimit",
    "TokenLimit",
    "ToolFinished",
    "ToolsCalled",
    "TurnEnded",
    "TurnEvent",
    "TurnState",
    "WindowLimit",
    "ask_to_send",
    "estimate_request",
    "propose",
    "read_text",
    "require_price",
    "run_turn",
    "to_the_end",
    "tools_in_text",
]
