"""What counts as a definition in each language, as data about its tree-sitter grammar.

The names are node types of the grammars that `languages` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Grammar:
    """The definitions of one language.

    `kinds` maps the node type of a definition to our word for it. `wrappers` stand around a definition and are
    part of it (decorators, `export`). `containers` are looked into and are no part of it. Into a definition's
    own body we look as well when its kind is in `nesting`.
    """

    kinds: Mapping[str, str]
    wrappers: frozenset[str]
    containers: frozenset[str]
    nesting: frozenset[str] = frozenset()
    needs_body: frozenset[str] = field(default=frozenset())
    """Node types that are only a mention, not a definition, when they have no body."""


_PYTHON = Grammar(
    kinds={
        "class_definition": "class",
        "function_definition": "function",
        "type_alias_statement": "type",
        "assignment": "variable",
    },
    wrappers=frozenset({"decorated_definition", "expression_statement"}),
    containers=frozenset({
        "module", "block", "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause",
        "finally_clause", "with_statement", "for_statement", "while_statement", "match_statement", "case_clause",
    }),
    nesting=frozenset({"class", "function"}),
)  # fmt: skip

_C = Grammar(
    kinds={
        "function_definition": "function",
        "struct_specifier": "struct",
        "union_specifier": "union",
        "enum_specifier": "enum",
        "type_definition": "type",
        "declaration": "variable",
        "preproc_def": "macro",
        "preproc_function_def": "macro",
    },
    wrappers=frozenset(),
    containers=frozenset({
        "translation_unit", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "linkage_specification",
        "declaration_list", "ERROR",
    }),
    needs_body=frozenset({"struct_specifier", "union_specifier", "enum_specifier"}),
)  # fmt: skip

_JAVASCRIPT = Grammar(
    kinds={
        "class_declaration": "class",
        "abstract_class_declaration": "class",
        "class": "class",
        "function_declaration": "function",
        "generator_function_declaration": "function",
        "function_signature": "declaration",
        "function_expression": "function",
        "method_definition": "method",
        "abstract_method_signature": "method",
        "method_signature": "method",
        "public_field_definition": "variable",
        "field_definition": "variable",
        "interface_declaration": "interface",
        "type_alias_declaration": "type",
        "enum_declaration": "enum",
        "internal_module": "namespace",
        "module": "namespace",
        "variable_declarator": "variable",
    },
    wrappers=frozenset({
        "export_statement", "ambient_declaration", "lexical_declaration", "variable_declaration",
        "expression_statement",
    }),
    containers=frozenset({
        "program", "statement_block", "class_body", "if_statement", "else_clause", "try_statement", "catch_clause",
        "finally_clause", "for_statement", "for_in_statement", "while_statement",
    }),
    nesting=frozenset({"class", "function", "method", "namespace"}),
)  # fmt: skip

_CPP = Grammar(
    kinds={
        **_C.kinds,
        "class_specifier": "class",
        "namespace_definition": "namespace",
        "alias_declaration": "type",
        "field_declaration": "variable",
        "concept_definition": "type",
    },
    wrappers=frozenset({"template_declaration"}),
    containers=_C.containers | {"field_declaration_list"},
    nesting=frozenset({"class", "struct", "namespace"}),
    needs_body=_C.needs_body | {"class_specifier"},
)

_GO = Grammar(
    kinds={
        "function_declaration": "function",
        "method_declaration": "method",
        "type_spec": "type",
        "type_alias": "type",
        "const_spec": "variable",
        "var_spec": "variable",
    },
    wrappers=frozenset(),
    containers=frozenset({
        "source_file", "type_declaration", "const_declaration", "var_declaration", "var_spec_list", "ERROR",
    }),
)  # fmt: skip

_RUST = Grammar(
    kinds={
        "function_item": "function",
        "function_signature_item": "function",
        "struct_item": "struct",
        "enum_item": "enum",
        "union_item": "union",
        "trait_item": "interface",
        "impl_item": "class",
        "mod_item": "namespace",
        "type_item": "type",
        "const_item": "variable",
        "static_item": "variable",
        "macro_definition": "macro",
    },
    wrappers=frozenset(),
    containers=frozenset({"source_file", "declaration_list", "foreign_mod_item", "ERROR"}),
    nesting=frozenset({"class", "interface", "namespace"}),
    needs_body=frozenset({"mod_item"}),
)

_JAVA = Grammar(
    kinds={
        "class_declaration": "class",
        "record_declaration": "class",
        "interface_declaration": "interface",
        "annotation_type_declaration": "interface",
        "enum_declaration": "enum",
        "method_declaration": "method",
        "constructor_declaration": "method",
        "field_declaration": "variable",
        "constant_declaration": "variable",
    },
    wrappers=frozenset(),
    containers=frozenset({
        "program", "class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body",
        "ERROR",
    }),
    nesting=frozenset({"class", "interface", "enum"}),
)  # fmt: skip

GRAMMARS: Mapping[str, Grammar] = {
    "python": _PYTHON,
    "c": _C,
    "cpp": _CPP,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
}
