"""What a text imports, as it is written there; which files that means is not asked here.

Lines that may import are found by a pattern, and the tree says whether they do: a look at every node costs four
times as much. `require` and `import()` count where their argument is a plain string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_IMPORTS = 5_000
"""More than any file of sense has; the rest is not read."""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, as written: `..a.b` in Python, `./x` in JavaScript, `crate::a` in Rust (`self::x` for
    `mod x;`), `x.h` or `<x.h>` in C, `net/http` in Go, `a.b` in Java. `names` are those taken from it, `*` for all;
    empty when the module itself is imported. `line` is 1-based."""

    module: str
    names: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class _Reader:
    """`pattern` finds words that may begin an import; `read` says what the node around such a word imports."""

    pattern: re.Pattern[bytes]
    read: Callable[[Node], Iterator[tuple[str, tuple[str, ...]]]]


def imports_below(root: Node, language: str) -> Iterator[Import]:
    """The imports of a tree, in the order of its lines, those inside functions as well."""
    reader = _READERS.get(language)
    source = root.text
    if reader is None or source is None:
        return
    count = 0
    for match in reader.pattern.finditer(source):
        begin, end = match.span(1)
        node = root.descendant_for_byte_range(begin, end)
        while node is not None and (node.start_byte, node.end_byte) == (begin, end):
            node = node.parent  # `import` in `import("x")` is a node in a node
        if node is None or node.is_error:
            continue
        for module, names in reader.read(node):
            if module:
                yield Import(module, names, node.start_point.row + 1)
                count += 1
        if count >= MOST_IMPORTS:
            return


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def _field(node: Node, name: str) -> str:
    return _text(node.child_by_field_name(name))


def _unquoted(node: Node | None) -> str:
    """The text of a string without escapes and expansions; empty for any other node."""
    text = _text(node)
    plain = len(text) > 1 and text[0] in "\"'`" and text[-1] == text[0] and "${" not in text
    return text[1:-1] if plain else ""


def _python(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    named = [_field(each, "name") or _text(each) for each in node.children_by_field_name("name")]
    if node.type == "import_statement":
        yield from ((name, ()) for name in named)
    elif node.type == "future_import_statement":
        yield "__future__", tuple(named)
    elif node.type == "import_from_statement":
        everything = any(each.type == "wildcard_import" for each in node.children)
        yield "".join(_field(node, "module_name").split()), ("*",) if everything else tuple(named)


def _javascript(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.type in ("import_statement", "export_statement", "import_require_clause"):
        yield _unquoted(node.child_by_field_name("source")), tuple(_taken(node))
    elif node.type == "call_expression":
        given = node.child_by_field_name("arguments")
        first = next((each for each in given.children if each.is_named), None) if given is not None else None
        yield _unquoted(first), ()


def _taken(statement: Node) -> Iterator[str]:
    for clause in statement.children:
        if clause.type in ("export_clause", "named_imports"):
            yield from (_field(each, "name") for each in clause.children if each.type.endswith("_specifier"))
        elif clause.type in ("*", "namespace_export", "namespace_import"):
            yield "*"
        elif clause.type == "import_clause":
            yield from (["default"] if any(each.type == "identifier" for each in clause.children) else [])
            yield from _taken(clause)


def _go(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.type != "import_declaration":
        return
    for child in node.children:
        for spec in child.children if child.type == "import_spec_list" else [child]:
            if spec.type == "import_spec":
                yield _unquoted(spec.child_by_field_name("path")), ()


def _rust(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.type == "mod_item" and node.child_by_field_name("body") is None:
        yield f"self::{_field(node, 'name')}", ()
    elif node.type == "use_declaration" and (used := node.child_by_field_name("argument")) is not None:
        yield from _used(used)


def _used(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The tree `a::{b, c::d}` as one path and name each."""
    waiting = [("", node)]
    while waiting:
        before, one = waiting.pop()
        match one.type:
            case "use_list" | "scoped_use_list":
                path = _joined(before, _field(one, "path"))
                inner = one if one.type == "use_list" else one.child_by_field_name("list")
                waiting.extend((path, each) for each in reversed(inner.children if inner is not None else ()))
            case "use_as_clause" if (path_node := one.child_by_field_name("path")) is not None:
                waiting.append((before, path_node))
            case "use_wildcard":
                yield _joined(before, _text(one.children[0])), ("*",)
            case "scoped_identifier":
                yield _joined(before, _field(one, "path")), (_field(one, "name"),)
            case "self":
                yield before, ()
            case "identifier" | "crate" | "super":
                yield (before, (_text(one),)) if before else (_text(one), ())
            case _:
                pass


def _joined(before: str, after: str) -> str:
    return "::".join(each for each in (before, "".join(after.split())) if each)


def _c(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.type == "preproc_include" and (path := node.child_by_field_name("path")) is not None:
        yield _text(path) if path.type == "system_lib_string" else _unquoted(path), ()


def _java(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.type != "import_declaration":
        return
    path = next((each for each in node.children if each.type in ("scoped_identifier", "identifier")), None)
    everything = any(each.type == "asterisk" for each in node.children)
    if path is None or everything or path.type == "identifier":
        yield "".join(_text(path).split()), ("*",) if everything else ()
    else:
        yield "".join(_field(path, "scope").split()), (_field(path, "name"),)


_SCRIPTS = _Reader(re.compile(rb"(?<![\w.$])(import|export|require)\b"), _javascript)
_INCLUDES = _Reader(re.compile(rb"^[ \t]*(#[ \t]*(?:include|import))\b", re.MULTILINE), _c)
_READERS: Mapping[str, _Reader] = {
    "python": _Reader(re.compile(rb"(?:^|[:;])[ \t]*(import|from)\b", re.MULTILINE), _python),
    "javascript": _SCRIPTS,
    "typescript": _SCRIPTS,
    "tsx": _SCRIPTS,
    "go": _Reader(re.compile(rb"^[ \t]*(import)\b", re.MULTILINE), _go),
    "rust": _Reader(re.compile(rb"\b(use|mod)\b"), _rust),
    "c": _INCLUDES,
    "cpp": _INCLUDES,
    "java": _Reader(re.compile(rb"^[ \t]*(import)\b", re.MULTILINE), _java),
}
