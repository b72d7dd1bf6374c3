"""Chunks: along definitions, not too long, not too short, each line once."""

from __future__ import annotations

from motet.syntax import Chunk, chunks, definitions


def body(lines: int, indent: str = "    ") -> str:
    return f"{indent}value = compute(value)\n" * lines


def test_a_short_text_is_one_chunk() -> None:
    assert chunks("a = 1\n", []) == [Chunk(1, 1, ())]
    assert chunks("", []) == [Chunk(1, 1, ())]


def test_definitions_are_kept_whole_and_short_ones_join_what_is_before_them() -> None:
    text = "import a\n\n" + f"def one():\n{body(50)}" + f"def two():\n{body(60)}" + f"def three():\n{body(5)}"
    assert chunks(text, definitions(text, "python")) == [
        Chunk(1, 53, ()),
        Chunk(54, 120, ()),
    ]


def test_a_long_class_is_cut_at_its_methods_and_says_so() -> None:
    method = f"    def {{}}(self):\n{body(40, '        ')}"
    text = "class Shape:\n" + method.format("area") + method.format("draw") + method.format("move")
    found = chunks(text, definitions(text, "python"))
    assert found == [
        Chunk(1, 42, ("Shape",)),
        Chunk(43, 83, ("Shape", "draw")),
        Chunk(84, 124, ("Shape", "move")),
    ]


def test_what_defines_nothing_is_cut_at_empty_lines() -> None:
    paragraph = "some words of a text\n" * 50 + "\n"
    found = chunks(paragraph * 6, [])
    assert [(each.first_line, each.last_line) for each in found] == [(1, 102), (103, 204), (205, 306)]


def test_a_line_that_is_longer_than_a_chunk_stands_alone() -> None:
    assert chunks("a\n" * 300 + "x" * 5_000 + "\n" + "b\n" * 300, []) == [
        Chunk(1, 300, ()),
        Chunk(301, 301, ()),
        Chunk(302, 601, ()),
    ]
