"""Where a text defines what: classes, functions, types, found by tree-sitter.

A text in a language without a grammar, or one too large to parse quickly, has no definitions; who shows parts of
it falls back to the lines around a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from motet.syntax.grammars import GRAMMARS, Grammar
from motet.syntax.tree import parse

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_CLASS_VALUES = frozenset({"class"})
_TYPE_VALUES = {"struct_type": "struct", "interface_type": "interface"}  # Go
_HOLDING_METHODS = frozenset({"class", "struct", "interface", "enum"})
_NAMES = frozenset({
    "identifier", "type_identifier", "field_identifier", "property_identifier", "private_property_identifier",
    "string_fragment", "destructor_name", "operator_name", "namespace_identifier", "nested_namespace_specifier",
})  # fmt: skip
_AROUND_NAMES = frozenset({"type", "parenthesized_declarator", "string", "reference_declarator"})
_QUALIFIED = frozenset({"qualified_identifier", "variable_declarator", "generic_type", "scoped_type_identifier"})


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition. Lines are 1-based and inclusive; decorators and `export` belong to it.

    `kind` is one of class, function, method, struct, union, enum, interface, type, namespace, variable, macro,
    declaration. The lines from `first_line` to `signature_last_line` say what it is without its body. `depth` is
    0 at the top of the file, 1 inside one definition, and so on. `line` is where it begins without decorators.
    """

    name: str
    kind: str
    first_line: int
    last_line: int
    signature_last_line: int
    depth: int
    line: int


def definitions(text: str, language: str | None) -> list[Definition]:
    """All definitions of `text` in the order of their first lines, outer ones before inner ones.

    Empty for an unknown language and for one too long to be parsed. Broken code gives what can be
    recognised.
    """
    root = parse(text, language)
    return [] if root is None or language is None else definitions_below(root, language)


def definitions_below(root: Node, language: str) -> list[Definition]:
    """The same for a tree that is there already."""
    found = _walk(root, GRAMMARS[language])
    return sorted(found, key=lambda each: (each.first_line, -each.last_line, each.depth))


def enclosing(found: Sequence[Definition], line: int) -> list[Definition]:
    """The definitions with a body of their own around 1-based `line`, innermost first."""
    around = [each for each in found if each.first_line <= line <= each.last_line and each.kind in OUTLINE_KINDS]
    return sorted(around, key=lambda each: (each.last_line - each.first_line, -each.depth))


def signature(lines: Sequence[str], one: Definition, *, most: int = 120) -> str:
    """What `one` is, without its body and decorators, on one line of at most `most` characters; a longer one ends
    in `…`. `lines` are those of its text."""
    text = " ".join(" ".join(lines[one.line - 1 : max(one.signature_last_line, one.line)]).split())
    text = text.rstrip("{ ") if one.kind != "variable" else text + "…" * text.endswith(("(", "[", "{", "="))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


OUTLINE_KINDS = frozenset({
    "class", "function", "method", "struct", "union", "enum", "interface", "type", "namespace",
})  # fmt: skip
"""Kinds that an outline lists; the others are found by name only."""


def _walk(root: Node, grammar: Grammar) -> Iterator[Definition]:
    """Look into containers and bodies only: expressions hold most nodes and define nothing of interest."""
    waiting: list[_Visit] = [_Visit(root, None, 0, "")]
    while waiting:
        node, outer, depth, inside = waiting.pop()
        if node.type in grammar.containers or node is root:  # asked for its parent, a node looks for it from the root
            waiting.extend(_Visit(child, None, depth, inside) for child in reversed(node.children))
        elif node.type in grammar.wrappers:
            waiting.extend(_Visit(child, outer or node, depth, inside) for child in reversed(node.children))
        elif node.type in grammar.kinds:
            kind, name, body = _refined(node, grammar.kinds[node.type], inside), _name(node), _body(node)
            if body is not None and kind in grammar.nesting:
                waiting.append(_Visit(body, None, depth + 1, kind))
            specifier = node.child_by_field_name("type")
            if specifier is not None and specifier.type in grammar.needs_body:
                waiting.append(_Visit(specifier, outer or node, depth, inside))
            if node.type in grammar.needs_body and (body is None or not name):
                continue
            if kind == "variable" and (not name or inside in ("function", "method")):
                continue
            yield _definition(node, outer or node, name or "default", kind, body, depth)


class _Visit(NamedTuple):
    """A node to look at; `outer` is the wrapper around it, `inside` the kind of the definition around it."""

    node: Node
    outer: Node | None
    depth: int
    inside: str


def _refined(node: Node, kind: str, inside: str) -> str:
    """The kind once the place and the value are known: a method, a function in a variable, a prototype."""
    value = node.child_by_field_name("value")
    if kind == "type" and (held := node.child_by_field_name("type")) is not None:
        return _TYPE_VALUES.get(held.type, kind)
    if kind == "variable" and value is not None and value.type in _FUNCTION_VALUES:
        kind = "function"
    elif kind == "variable" and value is not None and value.type in _CLASS_VALUES:
        kind = "class"
    elif node.type == "declaration" and _is_prototype(node):
        kind = "declaration"
    return "method" if kind == "function" and inside in _HOLDING_METHODS else kind


def _is_prototype(node: Node) -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type == "pointer_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return declarator is not None and declarator.type == "function_declarator"


def _definition(node: Node, outer: Node, name: str, kind: str, body: Node | None, depth: int) -> Definition:
    first, last = outer.start_point.row + 1, _last_line(outer)
    if body is None:
        signature = last if kind in ("declaration", "method") else node.start_point.row + 1
    else:
        before = body.prev_sibling
        while before is not None and before.type == "comment":
            before = before.prev_sibling
        signature = _last_line(before) if before is not None else body.start_point.row + 1
    own = min(node.start_point.row + 1, last)
    return Definition(name, kind, first, last, max(first, min(signature, last)), depth, own)


def _body(node: Node) -> Node | None:
    for holder in (node, node.child_by_field_name("value"), node.child_by_field_name("type")):
        body = holder.child_by_field_name("body") if holder is not None else None
        if body is not None:
            return body
    return None


def _last_line(node: Node) -> int:
    end = node.end_point
    # Some nodes of the C preprocessor end after their line end, at the start of the next line.
    return end.row if end.column == 0 and end.row > node.start_point.row else end.row + 1


def _name(node: Node) -> str:
    """The defined name, empty when there is none; C hides it inside pointers, arrays and parameter lists."""
    for field in ("name", "declarator", "left", *(("type",) if node.type == "impl_item" else ())):
        inner = node.child_by_field_name(field)
        while inner is not None and inner.type not in _NAMES:
            deeper = inner.child_by_field_name("declarator")
            if inner.type in _QUALIFIED:
                deeper = inner.child_by_field_name("name") or inner.child_by_field_name("type")
            if deeper is None and inner.type in _AROUND_NAMES:
                deeper = next((child for child in inner.children if child.is_named), None)
            inner = deeper
        if inner is not None and inner.text is not None:
            return inner.text.decode("utf-8", "replace")
    return ""
