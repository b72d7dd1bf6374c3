"""The source can be read and adapted: small files, functions that fit a screen, and words that say what is promised."""

from __future__ import annotations

import ast
from importlib import import_module
from inspect import isfunction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "motet"
SCREEN = 60
"""Lines of a function at most."""
FILE, USUAL = 500, 400
"""Lines of a file at most, and of all but one in twenty."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> dict[str, ast.Module]:
    """Each module by its path."""
    paths = sorted(SOURCE.rglob("*.py"))
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@pytest.mark.acceptance("S0-006")
def test_files_are_small_and_functions_fit_a_screen() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py")}
    assert [str(path) for path, count in lines.items() if count > FILE] == []
    assert sum(count > USUAL for count in lines.values()) * 20 < len(lines)
    functions = [(path, node) for path, tree in modules().items() for node in ast.walk(tree)]
    assert [
        f"{path}:{node.lineno} {node.name}"
        for path, node in functions
        if isinstance(node, Function) and (node.end_lineno or 0) - node.lineno >= SCREEN
    ] == []


@pytest.mark.acceptance("S0-006")
def test_every_module_every_class_and_every_function_that_a_room_offers_says_what_it_promises() -> None:
    found = modules()
    assert [path for path, tree in found.items() if not ast.get_docstring(tree)] == []
    classes = [(path, node) for path, tree in found.items() for node in tree.body if isinstance(node, ast.ClassDef)]
    assert [
        f"{path}:{node.lineno} {node.name}"
        for path, node in classes
        if not node.name.startswith("_") and not ast.get_docstring(node)
    ] == []
    rooms = [import_module(f"motet.{path.parent.name}") for path in sorted(SOURCE.glob("*/__init__.py"))]
    offered = [(room.__name__, getattr(room, name)) for room in rooms for name in getattr(room, "__all__", ())]
    assert [f"{room}.{each.__name__}" for room, each in offered if isfunction(each) and not each.__doc__] == []
