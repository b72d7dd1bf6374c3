"""Messages between human, model and tools, in a neutral form that each provider maps. No I/O."""

from motet.messages.message import (
    ContextRef,
    Document,
    Image,
    Message,
    Meta,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from motet.messages.stack import MessageStack
from motet.messages.tokens import estimate_tokens
from motet.messages.ulid import new_id

__all__ = [
    "ContextRef",
    "Document",
    "Image",
    "Message",
    "MessageStack",
    "Meta",
    "Part",
    "Reasoning",
    "Role",
    "Text",
    "ToolCall",
    "ToolResult",
    "estimate_tokens",
    "new_id",
]
