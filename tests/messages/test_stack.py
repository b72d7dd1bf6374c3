"""A stack is valid for every provider at every moment."""

import pytest

from motet.messages import ContextRef, Message, MessageStack, Role, Text, ToolCall, ToolResult

CALL = Message(Role.ASSISTANT, calls=(ToolCall("1", "f", "{}"), ToolCall("2", "g", "{}")))


def result(call: str) -> Message:
    return Message.tool(ToolResult(call, "f"), "done", "tool_output")


@pytest.mark.acceptance("S0-040")
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


def test_two_calls_with_one_id_are_not_taken() -> None:
    stack = MessageStack(Message.user("hello"))
    with pytest.raises(ValueError, match="same id"):
        stack.append(Message(Role.ASSISTANT, calls=(ToolCall("1", "f", "{}"), ToolCall("1", "g", "{}"))))
    assert len(stack) == 1
    stack.append(Message.user("more"))


def test_a_message_is_replaced_by_one_of_the_same_kind_only() -> None:
    said = Message.user("hello")
    stack = MessageStack(said, CALL, result("1"), result("2"))
    stack.replace(said.with_meta(sent=True))
    assert next(iter(stack)).meta.sent
    for other in (Message.system("s", "").with_meta(id=said.id), CALL.with_meta(id=said.id)):
        with pytest.raises(ValueError, match="same role, calls and result"):
            stack.replace(other)
    with pytest.raises(KeyError):
        stack.replace(Message.user("unknown"))


def test_a_branch_begins_nowhere_between_a_call_and_its_result() -> None:
    messages = (Message.user("hello"), CALL, result("1"), result("2"), Message.user("more"))
    stack = MessageStack(*messages)
    assert list(stack.branch(messages[4].id)) == list(messages[:4])
    assert list(stack.branch(messages[1].id)) == [messages[0]]
    for inside in messages[2:4]:
        with pytest.raises(ValueError, match="no branch"):
            stack.branch(inside.id)
    with pytest.raises(KeyError):
        stack.branch("unknown")
    assert len(stack) == 5


def test_what_is_removed_by_its_line_leaves_the_rest_in_order() -> None:
    shared = Message.attachment(Text("x"), context=ContextRef("<file>a</file>"))
    again = Message.attachment(Text("y"), context=ContextRef("<file>a</file>"))
    stack = MessageStack(shared, Message.user("hello"), again, CALL, result("1"), result("2"))
    assert stack.remove_context(["<file>a</file>", "<file>b</file>"]) == [shared, again]
    assert [message.role for message in stack] == ["user", "assistant", "tool", "tool"]
    assert stack.since(shared.id) == list(stack)
