"""A stack is valid for every provider at every moment."""

import pytest

from motet.messages import Message, MessageStack, Role, ToolCall, ToolResult

CALL = Message(Role.ASSISTANT, calls=(ToolCall("1", "f", "{}"), ToolCall("2", "g", "{}")))


def result(call: str) -> Message:
    return Message.tool(ToolResult(call, "f"), "done", "tool_output")


@pytest.mark.acceptance("S0-040", "S2-010")
def test_every_call_is_answered_once_before_anything_else_is_said() -> None:
    stack = MessageStack(Message.user("hello"), CALL, result("1"))
    with pytest.raises(ValueError, match="calls without a result: g"):
        stack.append(Message.user("more"))
    stack.append(result("2"))
    stack.append(Message.user("more"))
    assert [message.role for message in stack] == ["user", "assistant", "tool", "tool", "user"]


def test_a_result_without_its_call_is_not_taken() -> None:
    stack = MessageStack(CALL, result("1"))
    for call in ("1", "9"):
        with pytest.raises(ValueError, match="must answer an open call"):
            stack.append(result(call))
