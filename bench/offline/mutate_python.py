"""The eight kinds in Python, placed with Python's own parser."""

from __future__ import annotations

import ast
import io
import random
import re
import sys
import tokenize
from collections.abc import Iterator

from offline.mutation import VARIABLES, Change, Mutate, dropped, line_starts, misspelling

Place = tuple[int, str]


class _Text:
    """A text, its tree, and offsets out of what the tree counts in (lines, and columns in UTF-8)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.starts = list(line_starts(text))
        self.lines = text.split("\n")

    def offset(self, line: int, column: int) -> int:
        before = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(before)

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)


def unused_import(rng: random.Random, text: str) -> Change | None:
    """A further `import` beside the others, or a further name in a `from … import` of one line."""
    parsed = _Text(text)
    imports = [node for node in parsed.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    if not imports:
        return None
    node = rng.choice(imports)
    if isinstance(node, ast.ImportFrom) and node.lineno == node.end_lineno and rng.random() < 0.5:
        names = [
            name
            for name in dir(sys.modules.get(node.module or "", None))
            if name.isidentifier() and not name.startswith("_") and not re.search(rf"\b{name}\b", text)
        ]
        if not names or text[parsed.end(node) - 1] in ")*":
            return None
        name = rng.choice(names)
        return Change(parsed.end(node), parsed.end(node), f", {name}", f"from {node.module} import {name}")
    if (node.end_lineno or 0) >= len(parsed.starts) or parsed.lines[(node.end_lineno or 1) - 1].count(";"):
        return None
    module = rng.choice(sorted(name for name in sys.stdlib_module_names if name.isalpha() and name not in text))
    at = parsed.starts[node.end_lineno or 0]
    return Change(at, at, f"import {module}\n", f"import {module}")


def misspelt_name(rng: random.Random, text: str) -> Change | None:
    """A name that is used, not one of a type."""
    parsed = _Text(text)
    types = {id(node) for node in _type_names(parsed.tree)}
    places = [
        (parsed.start(node), node.id)
        for node in ast.walk(parsed.tree)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and len(node.id) > 3
        and id(node) not in types
    ]
    return misspelling(rng, text, _standing(text, places))


def misspelt_member(rng: random.Random, text: str) -> Change | None:
    """An attribute that is read."""
    parsed = _Text(text)
    places = [
        (parsed.end(node) - len(node.attr), node.attr)
        for node in ast.walk(parsed.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and len(node.attr) > 3
    ]
    return misspelling(rng, text, _standing(text, places))


def wrong_type_name(rng: random.Random, text: str) -> Change | None:
    """A name in an annotation, an `except`, an `isinstance` or among base classes."""
    parsed = _Text(text)
    places = [(parsed.start(node), node.id) for node in _type_names(parsed.tree) if len(node.id) > 2]
    return misspelling(rng, text, _standing(text, places))


def equals_none(rng: random.Random, text: str) -> Change | None:
    """`x is None` as `x == None`, `x is not None` as `x != None`."""
    parsed = _Text(text)
    found: list[tuple[int, int, str]] = []
    for node in ast.walk(parsed.tree):
        match node:
            case ast.Compare(
                left=left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[ast.Constant(value=None) as none]
            ):
                between = text[parsed.end(left) : parsed.start(none)]
                wanted = "is" if isinstance(operator, ast.Is) else "is not"
                if between == f" {wanted} ":
                    found.append((parsed.end(left), parsed.start(none), " == " if wanted == "is" else " != "))
            case _:
                pass
    if not found:
        return None
    start, end, new = rng.choice(found)
    return Change(start, end, new, f"{text[start:end].strip()} → {new.strip()}")


def unused_variable(rng: random.Random, text: str) -> Change | None:
    """An assignment before one of the statements of a function; its value is a literal, a parameter or a call."""
    parsed = _Text(text)
    functions = [node for node in ast.walk(parsed.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not functions:
        return None
    function = rng.choice(functions)
    statement = rng.choice(function.body)
    indent = parsed.lines[statement.lineno - 1][: statement.col_offset]
    decorated = getattr(statement, "decorator_list", [])
    if indent.strip() or decorated or (statement is function.body[0] and ast.get_docstring(function) is not None):
        return None
    name = rng.choice([name for name in VARIABLES if name not in text])
    parameters = [one.arg for one in function.args.args]
    values = [
        "0",
        "None",
        "''",
        "[]",
        *(f"{one}" for one in parameters[-1:]),
        *(f"repr({one})" for one in parameters[-1:]),
    ]
    value = rng.choice(values)
    at = parsed.starts[statement.lineno - 1]
    return Change(at, at, f"{indent}{name} = {value}\n", f"{name} = {value}")


def missing_bracket(rng: random.Random, text: str) -> Change | None:
    """A closing bracket left out."""
    starts = list(line_starts(text))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    offsets = [
        starts[token.start[0] - 1] + token.start[1]
        for token in tokens
        if token.type == tokenize.OP and token.string in ")]}"
    ]
    return dropped(rng, text, offsets)


def duplicate_key(rng: random.Random, text: str) -> Change | None:
    """An entry of a dict once more after itself or a later one: as it is, or with the value of another."""
    parsed = _Text(text)
    dicts = [node for node in ast.walk(parsed.tree) if isinstance(node, ast.Dict) and len(node.keys) > 1]
    dicts = [node for node in dicts if all(isinstance(key, ast.Constant) for key in node.keys)]
    if not dicts:
        return None
    node = rng.choice(dicts)
    index = rng.randrange(len(node.keys))
    key, value = node.keys[index], rng.choice((node.values[index], rng.choice(node.values)))
    behind = node.values[rng.randrange(index, len(node.values))]
    assert key is not None
    entry = f"{text[parsed.start(key) : parsed.end(key)]}: {text[parsed.start(value) : parsed.end(value)]}"
    own_line = text[parsed.starts[key.lineno - 1] : parsed.start(key)]
    joint = f",\n{own_line}" if not own_line.strip() else ", "
    at = parsed.end(behind)
    if "\n" in entry or text[at : at + 1] not in (",", "\n", "}"):
        return None
    return Change(at, at, f"{joint}{entry}", entry)


def _type_names(tree: ast.Module) -> Iterator[ast.Name]:
    for node in ast.walk(tree):
        found: list[ast.expr | None] = []
        match node:
            case ast.AnnAssign():
                found = [node.annotation]
            case ast.arg():
                found = [node.annotation]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found = [node.returns]
            case ast.ClassDef():
                found = list(node.bases)
            case ast.ExceptHandler():
                found = [node.type]
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kind]):
                found = [kind]
            case _:
                pass
        for each in found:
            if each is not None:
                yield from (name for name in ast.walk(each) if isinstance(name, ast.Name))


def _standing(text: str, places: list[Place]) -> list[Place]:
    """Without those whose name is not there: inside f-strings the parser's columns may be wrong."""
    return [(start, name) for start, name in places if text.startswith(name, start)]


MUTATIONS: dict[str, Mutate] = {
    "unused import": unused_import,
    "misspelt name": misspelt_name,
    "misspelt member": misspelt_member,
    "== None": equals_none,
    "unused variable": unused_variable,
    "missing ; or bracket": missing_bracket,
    "wrong type name": wrong_type_name,
    "duplicate key": duplicate_key,
}
