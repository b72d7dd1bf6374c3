"""`outline` and `find_symbol` with real language servers, with one that is slow, and without."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.diagnostics import BUILT_IN, DiagnosticsService, Named, Outlined, ServerSpec, Symbols
from motet.engine import diagnosing
from motet.permissions import Rule, Verdict
from motet.text import TextFile
from motet.tools.builtin.find_symbol import FindSymbol
from motet.tools.builtin.outline import Outline

SHAPES = '''\
"""Shapes."""

PI = 3


class Area:
    """An area. 🎻"""

    def __init__(self) -> None:
        self.hint = 3

    @property
    def 面積(self) -> int:
        def inner(x: int) -> int:
            y = x
            return y

        return inner(PI)
'''
SHOP = """\
#define MAKE(name) \\
  struct name {}
namespace shop {
struct Area {
  int size() const;
};
int Area::size() const { return 1; }
#ifdef NEVER
int hidden(void) { return 1; }
#endif
}
MAKE(Bag);
"""
SHOE = """\
@interface Shoe
- (int)size;
@end

@implementation Shoe
- (int)size {
  return 42;
}
@end
"""


class Served(Project):
    """A project whose tools ask a service with these servers."""

    def __init__(self, tmp_path: Path, specs: Sequence[ServerSpec], **options: object) -> None:
        super().__init__(tmp_path, **options)
        self.service = DiagnosticsService(self.root, specs, gate=self.gate)

    async def outlined(self, file: TextFile) -> Symbols:
        return Symbols.of(await self.service.ask(Outlined(file), 240.0))

    async def named(self, name: str, files: Sequence[TextFile]) -> Symbols:
        return Symbols.of(await self.service.ask(Named(name, files), 240.0))

    async def outline(self, path: str) -> str:
        return (await self.call(Outline(self.kit, self.outlined), path=path)).text

    async def find(self, name: str, *paths: str) -> str:
        return (await self.call(FindSymbol(self.kit, self.named), name=name, paths=list(paths))).text


Serve = Callable[..., Served]


@pytest.fixture
async def serve(tmp_path: Path, need: Callable[[str], Path]) -> AsyncIterator[Serve]:
    """`serve("clangd", rules=…)`: a project with those servers, which end with the test."""
    made: list[Served] = []

    def make(*names: str, **options: object) -> Served:
        specs = [spec for spec in BUILT_IN if spec.name in names]
        for spec in specs:
            need(spec.argv[0])
        made.append(Served(tmp_path, specs, **options))
        made[-1].write("shapes.py", SHAPES)
        made[-1].write("shop.cpp", SHOP)
        made[-1].write("shoe.m", SHOE)
        return made[-1]

    yield make
    for each in made:
        await each.service.close()


async def test_an_outline_by_a_server_is_nested_and_has_whole_signatures(serve: Serve) -> None:
    assert await serve("basedpyright").outline("shapes.py") == (
        "shapes.py: 18 lines, as basedpyright and the syntax know it\n"
        "        3-3  PI = 3\n"
        "       6-18  class Area:\n"
        "       9-10    def __init__(self) -> None:\n"
        "      12-18    @property def 面積(self) -> int:\n"
        "      14-16      def inner(x: int) -> int:"
    )


async def test_an_outline_has_what_only_one_of_them_sees(serve: Serve) -> None:
    assert await serve("clangd").outline("shop.cpp") == (
        "shop.cpp: 12 lines, as clangd and the syntax know it\n"
        "        1-2  #define MAKE(name) \\\n"
        "       3-11  namespace shop {\n"
        "        4-6    struct Area {\n"
        "        5-5      int size() const;\n"  # by clangd: the grammar takes it for a field
        "        7-7    int Area::size() const { return 1; }\n"
        "        9-9    int hidden(void) { return 1; }\n"  # by the syntax: no compiler sees it
        "      12-12  MAKE(Bag);"
    )


async def test_a_server_outlines_a_language_without_a_grammar(serve: Serve) -> None:
    project = serve("clangd")
    assert await project.outline("shoe.m") == (
        "shoe.m: 9 lines, as clangd knows it\n"
        "        1-3  @interface Shoe\n"
        "        2-2    - (int)size;\n"
        "        5-9  @implementation Shoe\n"
        "        6-8    - (int)size {"
    )
    project.write("empty.m", "")
    assert await project.outline("empty.m") == "empty.m: 0 lines, nothing is defined in it, as clangd knows it"


async def test_a_file_too_long_to_be_parsed_is_outlined_by_a_server(serve: Serve) -> None:
    project = serve("clangd")
    project.write("long.c", "int one(void) {\n" + "  1;\n" * 210_000 + "  return 1;\n}\n")
    assert await project.outline("long.c") == (
        "long.c: 210003 lines, as clangd and the syntax know it\n   1-210003  int one(void) {"
    )


async def test_a_symbol_is_found_in_every_language_that_one_of_them_knows(serve: Serve) -> None:
    assert await serve("clangd", "basedpyright").find("size") == (
        "4 definitions of size, as clangd and the syntax know it\n"
        "\nshop.cpp: method, lines 5-5\n   5│   int size() const;\n"
        "\nshop.cpp: function, lines 7-7\n   7│ int Area::size() const { return 1; }\n"
        "\nshoe.m: method, lines 2-2\n   2│ - (int)size;\n"
        "\nshoe.m: method, lines 6-8\n   6│ - (int)size {"
    )


async def test_a_method_that_stands_outside_of_its_class_is_found_by_both_names(serve: Serve) -> None:
    project = serve("clangd")
    found = await project.find("Area.size", "shop.cpp")
    head, _, places = found.partition("\n")
    assert (await project.find("shop::Area::size", "shop.cpp")).endswith(places)
    assert head == "2 definitions of Area.size, as clangd and the syntax know it"
    assert await project.find("Shop.size") == (
        "no definition of Shop.size in 2 files with a known grammar, as clangd and the syntax know it; "
        "there is shop.Area.size, shop.size, Shoe.size"
    )


async def test_an_attribute_is_found_where_it_is_set_and_what_lives_in_a_function_is_not(serve: Serve) -> None:
    project = serve("basedpyright")
    assert await project.find("Area.hint") == (
        "1 definition of Area.hint, as basedpyright and the syntax know it\n"
        "\nshapes.py: variable, lines 10-10\n  10│         self.hint = 3"
    )
    assert (await project.find("y")).startswith("no definition of y in 2 files with a known grammar, as basedpyright")


async def test_what_is_changed_is_told_as_it_is_now(serve: Serve) -> None:
    project = serve("clangd")
    await project.outline("shoe.m")
    project.write("shoe.m", "int lace(void) {\n  return 1;\n}\n")
    assert (await project.outline("shoe.m")).endswith("\n        1-3  int lace(void) {")
    assert (await project.find("lace")).split("\n")[2] == "shoe.m: function, lines 1-3"
    assert await project.find("size", "shoe.m") == (
        "no definition of size in 0 files with a known grammar; search_text looks in every file"
    )


async def test_what_a_rule_forbids_is_never_told(serve: Serve) -> None:
    project = serve("clangd", rules=[Rule.parse("read:shoe.m", Verdict.DENY)])
    assert (await project.outline("shoe.m")).startswith("outline: read:shoe.m: ")
    assert "shoe" not in await project.find("size")


async def test_a_server_that_a_rule_asks_about_is_not_started(serve: Serve) -> None:
    project = serve("clangd", rules=[Rule.parse("run:clangd *", Verdict.ASK)], allow=True)
    assert (await project.outline("shoe.m")) == (
        "shoe.m: no grammar for this kind of file; by syntax alone: no language server for it; "
        "use read_file or search_text"
    )
    assert project.asked == []


async def test_without_a_server_the_syntax_answers_and_that_is_said(serve: Serve) -> None:
    project = serve()
    assert (await project.outline("shapes.py")).split("\n")[0] == (
        "shapes.py: 18 lines; by syntax alone: no language server for it"
    )
    assert (await project.find("Area")).split("\n")[0] == (
        "2 definitions of Area; by syntax alone: no language server for it"
    )
    assert await project.find("Shoe") == (
        "no definition of Shoe in 2 files with a known grammar; by syntax alone: no language server for it; "
        "similar names: shop"
    )


async def test_a_server_that_does_not_start_soon_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosing, "_START", 0.3)
    project = Project(tmp_path)
    project.write("shapes.py", SHAPES)
    silent = ServerSpec(
        name="silent", argv=(sys.executable, "-c", "import sys; sys.stdin.buffer.read()"), languages={".py": "python"}
    )
    house = diagnosing.Diagnosing(lambda: DiagnosticsService(project.root, [silent], gate=project.gate))
    busy = "; by syntax alone: the language server is busy or still starting: ask again later"
    try:
        first = await project.call(house.outline(project.kit), path="shapes.py")
        assert first.text.split("\n")[0] == f"shapes.py: 18 lines{busy}"
        monkeypatch.setattr(diagnosing, "_START", 600.0)  # whoever waits again, waits for ever
        again = await project.call(house.find_symbol(project.kit), name="Area")
        assert again.text.split("\n")[0] == f"1 definition of Area{busy}"
    finally:
        await house.close()
