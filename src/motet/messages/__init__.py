"""Messages between human, model and tools, in a neutral form that each provider maps. No I/O."""

from motet.messages.message import Message, Part, Reasoning, Role, ToolCall, ToolResult
from motet.messages.stack import MessageStack
from motet.messages.tokens import estimate_tokens

__all__ = [
    "Message",
    "MessageStack",
    "Part",
    "Reasoning",
    "Role",
    "ToolCall",
    "ToolResult",
    "estimate_tokens",
]
