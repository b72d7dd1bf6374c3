"""Tags: strings that stand in stored chats and are read by other programs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import motet
from motet.messages import tags

SOURCE = Path(motet.__file__).parent


@pytest.mark.acceptance("S2-043", "S2-044")
def test_a_tag_that_was_given_out_keeps_its_string() -> None:
    known = {name: value for name, value in vars(tags).items() if name.isupper() and name != "ALL"}
    assert frozenset(known.values()) == tags.ALL
    given_out = {
        "SYSTEM_PROMPT": "system_prompt_from_config",
        "TOOL_SYSTEM_PROMPT": "tool_system_prompt",
        "TOOL": "tool",
        "TOOL_OUTPUT": "tool_output",
        "RULES": "rules",
        "BUFFER": "buffer",
        "FILE": "file",
        "IMAGE": "image",
        "DOCUMENT": "document",
        "URL": "url",
        "SYMBOLS": "symbols",
        "HELP": "help",
        "VARIABLE": "variable",
        "SELECTION": "selection",
        "VIEWPORT": "viewport",
        "DIAGNOSTICS": "diagnostics",
        "DIFF": "diff",
        "QUICKFIX": "quickfix",
        "MESSAGES": "messages",
        "TERMINAL": "terminal",
        "EDITOR_CONTEXT": "editor_context",
        "CODEBASE": "codebase",
        "REVIEW": "review",
        "BOARD": "board",
        "COMPACT_SUMMARY": "compact_summary",
        "FROM_CUSTOM_PROMPT": "from_custom_prompt",
    }
    assert given_out.items() <= known.items()  # further ones may be added


def literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """String literals where a tag belongs: `tag="…"`, `x.tag == "…"`, `case Message(tag="…")`, and the last argument
    of `Message.system` and `Message.tool`."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="tag", value=ast.Constant() as value):
                yield value
            case ast.Compare(left=ast.Attribute(attr="tag"), comparators=comparators):
                yield from (one for each in comparators for one in ast.walk(each) if isinstance(one, ast.Constant))
            case ast.MatchClass(kwd_attrs=names, kwd_patterns=patterns) if "tag" in names:
                inside = ast.walk(patterns[names.index("tag")])
                yield from (one for one in inside if isinstance(one, ast.Constant))
            case ast.Call(
                func=ast.Attribute(attr="system" | "tool", value=ast.Name(id="Message" | "cls")), args=args
            ):
                yield from (one for one in args[-1:] if isinstance(one, ast.Constant) and len(args) > 1)
            case _:
                pass


@pytest.mark.acceptance("S2-023")
def test_the_strings_stand_in_one_module() -> None:
    found: set[tuple[str, str]] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        if path == Path(tags.__file__):
            continue
        tree, name = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(SOURCE).as_posix()
        found |= {(name, one.value) for one in literals(tree) if isinstance(one.value, str) and one.value in tags.ALL}
        constants = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant))
        # One word may mean many things (`file`, `diff`); several words joined are nothing but a tag.
        found |= {(name, one) for one in constants if isinstance(one, str) and one in tags.ALL and "_" in one}
    assert found == set()


@pytest.mark.parametrize(
    "code",
    [
        "Message.user(text, tag='rules')",
        "message.tag == 'rules'",
        "message.tag in ('file', 'rules')",
        "match m:\n case Message(tag='rules'): pass",
        "Message.system(text, 'rules')",
        "Message.tool(result, text, 'rules')",
    ],
)
def test_a_string_in_the_place_of_a_tag_is_found(code: str) -> None:
    assert "rules" in [one.value for one in literals(ast.parse(code))]
