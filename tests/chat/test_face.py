"""What is done with a chat goes through one class in one file."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import motet
from motet.chat import Chat

SOURCE = Path(motet.__file__).parent
ENTRY = SOURCE / "chat" / "chat.py"


def behind(tree: ast.AST) -> set[str]:
    """The private parts of a chat: what `self._name = …` makes in its class."""
    (made,) = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Chat"]
    parts = [node for node in ast.walk(made) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return {node.attr for node in parts if node.attr.startswith("_")}


@pytest.mark.acceptance("S2-008")
def test_everything_that_is_done_to_a_chat_is_a_method_of_one_file() -> None:
    public = {name: value for name, value in vars(Chat).items() if not name.startswith("_")}
    functions = [value.fget if isinstance(value, property) else value for value in public.values()]
    assert {inspect.getsourcefile(function) for function in functions} == {str(ENTRY)}
    assert Chat.__mro__ == (Chat, object)  # nothing comes from elsewhere
    private = behind(ast.parse(ENTRY.read_text(encoding="utf-8")))
    assert "_conversation" in private
    reached = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {node.attr}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.parent != ENTRY.parent
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in private
        if not (isinstance(node.value, ast.Name) and node.value.id == "self")
    ]
    assert reached == []  # the other rooms use the methods
