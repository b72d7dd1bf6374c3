"""Definitions of real code in each language: names, kinds, lines, and what is around a place."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motet.diagnostics.finder import DefinitionFinder, FoundDefinition
from motet.syntax import LANGUAGES, MAX_PARSED_CHARACTERS, definitions, enclosing, language_of, syntax_errors
from motet.syntax.grammars import GRAMMARS
from motet.text import TextFile


def outline(text: str, language: str) -> list[str]:
    return [
        f"{'  ' * each.depth}{each.kind} {each.name} {each.first_line}-{each.signature_last_line}-{each.last_line}"
        for each in definitions(text, language)
    ]


def file(path: str, text: str) -> TextFile:
    return TextFile.new(path).with_text(text)


PYTHON = """\
import os

LIMIT: int = 3

@decorated
@twice(1)
def function(
    a: int,
) -> None:
    # about the first statement
    local = 1
    def inner(): pass

class Shape(Base):
    edges = 0

    async def draw(self):
        return 1

if os:
    class Conditional: ...
"""


@pytest.mark.acceptance("S3-034")
def test_python() -> None:
    assert outline(PYTHON, "python") == [
        "variable LIMIT 3-3-3",
        "function function 5-9-12",
        "  function inner 12-12-12",
        "class Shape 14-14-18",
        "  variable edges 15-15-15",
        "  method draw 17-17-18",
        "class Conditional 21-21-21",
    ]


C = """\
#include <stdio.h>
#define LIMIT 3
#define TWICE(x) \\
    ((x) * 2)
struct point { int x; };
typedef struct node {
    struct node *next;
} Node;
enum colour { RED };
typedef int (*callback)(int);
int prototype(
    int a);
static int *
function(void)
{
    return 0;
}
#ifdef X
int table[3];
#endif
struct point only_used;
"""


@pytest.mark.acceptance("S3-034")
def test_c() -> None:
    assert outline(C, "c") == [
        "macro LIMIT 2-2-2",
        "macro TWICE 3-3-4",
        "struct point 5-5-5",
        "type Node 6-6-8",
        "struct node 6-6-8",
        "enum colour 9-9-9",
        "type callback 10-10-10",
        "declaration prototype 11-12-12",
        "function function 13-14-17",
        "variable table 19-19-19",
        "variable only_used 21-21-21",
    ]


TYPESCRIPT = """\
export interface Props {
  name: string;
}
export type Alias = Props & { x: number };
export abstract class Shape extends Base {
  #secret = 1;
  area(
    scale: number,
  ): number {
    const local = 1;
    return local;
  }
  draw = () => {
    return 1;
  };
}
export const show = (a: number) => {
  return a;
};
const plain = 1;
enum Colour { Red }
declare function outside(a: number): void;
namespace Deep {
  export function inner() {}
}
export default function () {}
"""


@pytest.mark.acceptance("S3-034")
def test_typescript() -> None:
    assert outline(TYPESCRIPT, "typescript") == [
        "interface Props 1-1-3",
        "type Alias 4-4-4",
        "class Shape 5-5-16",
        "  variable #secret 6-6-6",
        "  method area 7-9-12",
        "  method draw 13-13-15",
        "function show 17-17-19",
        "variable plain 20-20-20",
        "enum Colour 21-21-21",
        "declaration outside 22-22-22",
        "namespace Deep 23-23-25",
        "  function inner 24-24-24",
        "function default 26-26-26",
    ]


def test_tsx_and_javascript() -> None:
    component = "export function App() {\n  return <div>{x}</div>;\n}\n"
    assert outline(component, "tsx") == ["function App 1-1-3"]
    assert outline(component, "javascript") == ["function App 1-1-3"]
    assert outline("class A {\n  m() {}\n}\n", "javascript") == ["class A 1-1-3", "  method m 2-2-2"]


def test_a_language_is_known_by_the_suffix() -> None:
    paths = ["a.py", "a.PYI", "x/a.c", "a.h", "a.ts", "a.mts", "a.tsx", "a.js", "a.jsx", "a.zig", "Makefile", ".py"]
    assert [language_of(path) for path in paths] == [
        "python", "python", "c", "c", "typescript", "typescript", "tsx", "javascript", "javascript", None, None, None,
    ]  # fmt: skip


def test_unknown_languages_and_texts_that_are_too_large_have_no_definitions() -> None:
    assert definitions("fn main() {}", None) == []
    assert definitions("fn main() {}", "zig") == []
    large = "def f(): pass\n" * (MAX_PARSED_CHARACTERS // 14 + 1)
    assert definitions(large, "python") == []
    assert syntax_errors(large, "python") is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_alike_whatever_ends_them(end: str) -> None:
    assert outline(PYTHON.replace("\n", end), "python") == outline(PYTHON, "python")


def test_broken_code_shows_what_can_be_recognised() -> None:
    broken = "def whole():\n    return 1\n\ndef broken(:\n    x = (\n\nclass After:\n    pass\n"
    assert "function whole 1-1-2" in outline(broken, "python")


def test_what_is_around_a_line_is_told_from_the_inside_out() -> None:
    found = definitions(PYTHON, "python")
    assert [each.name for each in enclosing(found, 12)] == ["inner", "function"]
    assert [each.name for each in enclosing(found, 17)] == ["draw", "Shape"]
    assert [each.name for each in enclosing(found, 5)] == ["function"]
    assert enclosing(found, 3) == []


def test_syntax_errors_are_counted() -> None:
    assert syntax_errors("x = 1\n", "python") == 0
    assert syntax_errors("int main(void) { return 0 }\n", "c") == 1
    assert syntax_errors("const x = ;\nconst y = ;\n", "typescript") == 2
    assert syntax_errors("x", None) is None


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(GRAMMARS)),
    st.lists(
        st.one_of(
            st.text(max_size=8),
            st.sampled_from(["def ", "class A", "{", "}", "(", ")", ":", "\n", "\n  ", "struct ", "typedef ", "=>", ";", "`", "#define X"]),
        ),
        max_size=30,
    ).map("".join),
)  # fmt: skip
def test_no_text_makes_it_raise_and_lines_are_inside_the_text(language: str, text: str) -> None:
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for each in definitions(text, language):
        assert 1 <= each.first_line <= each.signature_last_line <= each.last_line <= last
    count = syntax_errors(text, language)
    assert (count is not None and count >= 0) == LANGUAGES[language].counts_errors


def test_deeply_nested_code_is_no_problem() -> None:
    depth = 3000
    text = "".join(f"{' ' * level}def f{level}():\n" for level in range(depth)) + " " * depth + "pass\n"
    begin = time.process_time()
    definitions(text[:MAX_PARSED_CHARACTERS], "python")
    definitions("(" * 50_000, "c")
    syntax_errors("[" * 50_000, "typescript")
    assert time.process_time() - begin < 20


def test_the_finder_finds_top_level_definitions_over_files_real_ones_first() -> None:
    header = file("shape.h", "struct shape;\nint area(struct shape *s);\n")
    source = file("shape.c", "int area(struct shape *s)\n{\n    return 0;\n}\n")
    user = file("user.py", "from x import area\narea = 3\nclass A:\n    def area(self): ...\n")
    finder = DefinitionFinder([header, user, source])
    assert finder.find("area") == [
        FoundDefinition(source, 1, 4),
        FoundDefinition(header, 2, 2),
        FoundDefinition(user, 2, 2),
    ]
    assert finder.find("are") == []
    assert finder.find("s.x(") == []
    assert [found.file.path for found in finder.find("area", limit=1)] == ["shape.c"]


def test_the_finder_reads_no_file_before_it_is_asked_and_parses_only_files_that_may_define_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    parsed: list[str] = []

    def files() -> Iterator[TextFile]:
        for name in ("a.py", "b.py", "c.txt", "d.py"):
            read.append(name)
            text = "class Wanted: pass\n" if name == "b.py" else "from b import Wanted\nx = f(Wanted)\n"
            yield file(name, text)

    def counting(text: str, language: str | None) -> list[object]:
        parsed.append(text)
        return real(text, language)  # pyright: ignore[reportReturnType]

    import motet.diagnostics.finder as finder_module

    real = definitions
    monkeypatch.setattr(finder_module, "definitions", counting)
    finder = DefinitionFinder(files())
    assert read == []
    assert [found.file.path for found in finder.find("Wanted", limit=1)] == ["b.py"]
    assert read == ["a.py", "b.py"]
    finder.find("Wanted")
    assert parsed == ["class Wanted: pass\n"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.c", "typedef struct {\n    int x;\n} Name;\n"),
        ("a.c", "typedef int (*Name)(int);\n"),
        ("a.c", "static int *\nName(void)\n{\n}\n"),
        ("a.c", "unsigned long Name(void)\n{\n}\n"),
        ("a.c", "#define Name 1\n"),
        ("a.h", "struct Name;\nextern int Name(int);\n"),
        ("a.py", "if True:\n    class Name: pass\n"),
        ("a.py", "Name = 1\n"),
        ("a.py", "Name: int = 1\n"),
        ("a.ts", "export default abstract class Name {}\n"),
        ("a.ts", "export const Name = () => 1;\n"),
        ("a.ts", "export async function* Name() {}\n"),
        ("a.ts", "declare module 'x' {}\nexport type Name = {};\n"),
    ],
)
def test_the_finder_knows_every_shape_of_a_definition(path: str, text: str) -> None:
    assert len(DefinitionFinder([file(path, text)]).find("Name")) == 1


def test_the_finder_is_quick_over_many_files() -> None:
    body = "".join(f"def function_{number}(value):\n    return other(value)\n\n\n" for number in range(200))
    files = [file(f"{number}.py", body) for number in range(1000)]
    finder = DefinitionFinder([*files, file("last.py", "class Wanted:\n    pass\n")])
    begin = time.process_time()
    for name in ("value", "other", "return", "Wanted"):
        finder.find(name)
    assert finder.find("Wanted")[0].file.path == "last.py"
    assert time.process_time() - begin < 10


def test_the_finder_stops_parsing_at_its_bound() -> None:
    files = [file(f"{number}.py", "class A: pass\n") for number in range(5)]
    finder = DefinitionFinder(files, max_characters=30)
    assert len(finder.find("A", limit=9)) == 2
    assert len(finder.find("A", limit=9)) == 2
