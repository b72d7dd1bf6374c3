"""What is shared with a model, and how.

`expand` reads the symbols in what a human typed (`#buffer`, `@editor`, `@/src/a.py`, `@https://…`) and makes hidden
messages of what they stand for. `Commands` does the same for `/name` while the message is being written, `find_rules`
adds what the project says about its files, `refresh` keeps pinned and watched files fresh, and `load_library` reads
prompts. Everything is handed in through `Sources`; what cannot be shared is a notice, never an exception.
"""

from motet.context.attachment import file_attachment, text_attachment, url_attachment, without_repeats
from motet.context.commands import Command, CommandCall, Commands, OwnCommand, Parsed, own_command, prompt_commands
from motet.context.editor import Buffer, Cursor, Editor, Excerpt, QuickfixEntry
from motet.context.expand import Expanded, Known, Order, expand
from motet.context.files import share_path
from motet.context.greeting import greeting
from motet.context.library import Condition, Library, PromptEntry, PromptKind, load_library, read_prompt
from motet.context.own import Feature
from motet.context.passages import is_suggested, lines_in, suggested_attachment
from motet.context.pins import ContextItem, Reconciled, Refreshed, State, item_of, read_line, reconcile, refresh
from motet.context.placeholders import PLACEHOLDERS, NothingToFill, fill, gather
from motet.context.project_map import MAP_ITEM, DrawMap, map_attachment
from motet.context.rules import FoundRules, RuleGroup, find_rules
from motet.context.sharing_commands import sharing_commands
from motet.context.sources import Diagnoses, Diff, Fetch, Group, Page, Retrieve, Shared, Sources, Suggest
from motet.context.symbols import Kind, Names, Symbol, find_symbols, split
from motet.context.variables import (
    CodebaseVariable,
    OwnVariable,
    Variable,
    Variables,
    built_in_variables,
    own_variable,
)

__all__ = [
    "MAP_ITEM",
    "PLACEHOLDERS",
    "Buffer",
    "CodebaseVariable",
    "Command",
    "CommandCall",
    "Commands",
    "Condition",
    "ContextItem",
    "Cursor",
    "Diagnoses",
    "Diff",
    "DrawMap",
    "Editor",
    "Excerpt",
    "Expanded",
    "Feature",
    "Fetch",
    "FoundRules",
    "Group",
    "Kind",
    "Known",
    "Library",
    "Names",
    "NothingToFill",
    "Order",
    "OwnCommand",
    "OwnVariable",
    "Page",
    "Parsed",
    "PromptEntry",
    "PromptKind",
    "QuickfixEntry",
    "Reconciled",
    "Refreshed",
    "Retrieve",
    "RuleGroup",
    "Shared",
    "Sources",
    "State",
    "Suggest",
    "Symbol",
    "Variable",
    "Variables",
    "built_in_variables",
    "expand",
    "file_attachment",
    "fill",
    "find_rules",
    "find_symbols",
    "gather",
    "greeting",
    "is_suggested",
    "item_of",
    "lines_in",
    "load_library",
    "map_attachment",
    "own_command",
    "own_variable",
    "prompt_commands",
    "read_line",
    "read_prompt",
    "reconcile",
    "refresh",
    "share_path",
    "sharing_commands",
    "split",
    "suggested_attachment",
    "text_attachment",
    "url_attachment",
    "without_repeats",
]
