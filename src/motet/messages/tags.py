"""Tags: what kind of thing a message is. The strings are stored in chats and read by other programs: adding one is
safe, renaming one is a breaking change, and they stand nowhere else.
"""

from __future__ import annotations

SYSTEM_PROMPT = "system_prompt_from_config"
TOOL_SYSTEM_PROMPT = "tool_system_prompt"
TOOL = "tool"
"""A tool's or a group's own prompt."""
TOOL_OUTPUT = "tool_output"
RULES = "rules"
MAP = "map"
"""The map of the project."""

BUFFER = "buffer"
FILE = "file"
IMAGE = "image"
DOCUMENT = "document"
URL = "url"
SYMBOLS = "symbols"
HELP = "help"
VARIABLE = "variable"
"""What a user's own variable or command shares."""

SELECTION = "selection"
VIEWPORT = "viewport"
DIAGNOSTICS = "diagnostics"
DIFF = "diff"
QUICKFIX = "quickfix"
MESSAGES = "messages"
TERMINAL = "terminal"

EDITOR_CONTEXT = "editor_context"
"""Only read, from older stored chats."""
CODEBASE = "codebase"
REVIEW = "review"
BOARD = "board"
COMPACT_SUMMARY = "compact_summary"
FROM_CUSTOM_PROMPT = "from_custom_prompt"

ALL = frozenset(value for name, value in globals().items() if name.isupper() and isinstance(value, str))
"""Every tag."""
