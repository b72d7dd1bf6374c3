"""`find_references` with a real language server, with one that is slow, and without."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.diagnostics import BUILT_IN, DiagnosticsService, Place, References, Uses
from motet.permissions import Rule, Verdict
from motet.text import Position, Range, TextFile
from motet.tools.builtin.find_references import Ask, FindReferences

SHAPES = """\
class Area:
    def size(self) -> int:
        return 1


class Shoe:
    def size(self) -> int:
        return 42
"""
SHOP = '''\
from shapes import Area, Shoe


def both(area: Area, shoe: Shoe) -> int:
    """The size of both."""
    return area.size() + 1 + len("🎻") + \\
        shoe.size()
'''


async def asked(
    service: DiagnosticsService, at: Sequence[tuple[TextFile, Position]], files: Sequence[TextFile]
) -> Uses:
    return Uses.of(await service.ask(References(at, files), 60.0))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write("shapes.py", SHAPES)
    made.write("shop.py", SHOP)
    made.write("README.md", "What size is.\n")
    return made


@pytest.fixture
async def ask(project: Project, need: Callable[[str], Path]) -> AsyncIterator[Ask]:
    """Asks basedpyright."""
    spec = next(spec for spec in BUILT_IN if spec.name == "basedpyright")
    need(spec.argv[0])
    service = DiagnosticsService(project.root, [spec], gate=project.gate)

    async def uses(at: Sequence[tuple[TextFile, Position]], files: Sequence[TextFile]) -> Uses:
        return await asked(service, at, files)

    yield uses
    await service.close()


async def test_uses_of_one_method_are_told_from_those_of_another_of_that_name(project: Project, ask: Ask) -> None:
    output = await project.call(FindReferences(project.kit, ask), name="Area.size")
    assert output.text == (
        "uses of size as basedpyright knows them\n"
        "\nArea.size (method, shapes.py:2): 2 lines in 2 files"
        "\nshapes.py\nin class Area > method size:\n   2│     def size(self) -> int:\n"
        '\nshop.py\nin function both:\n   6│     return area.size() + 1 + len("🎻") + \\\n\n'
        "(4 other lines with the text size, no use known to basedpyright: README.md:1, shapes.py:7, shop.py:5, shop.py:7)"
    )


async def test_a_bare_name_gives_the_uses_of_each_thing_that_has_it(project: Project, ask: Ask) -> None:
    output = await project.call(FindReferences(project.kit, ask), name="size", paths=["shop.py"])
    assert output.text == (
        "uses of size as basedpyright knows them\n"
        "\nArea.size (method, shapes.py:2): 1 line in 1 file"
        '\nshop.py\nin function both:\n   6│     return area.size() + 1 + len("🎻") + \\\n'
        "\nShoe.size (method, shapes.py:7): 1 line in 1 file"
        "\nshop.py\nin function both:\n   7│         shoe.size()\n\n"
        "(1 other line with the text size, no use known to basedpyright: shop.py:5)"
    )


async def test_what_a_rule_forbids_is_never_told(tmp_path: Path, need: Callable[[str], Path]) -> None:
    spec = next(spec for spec in BUILT_IN if spec.name == "basedpyright")
    need(spec.argv[0])
    project = Project(tmp_path, rules=[Rule.parse("read:shop.py", Verdict.DENY)])
    project.write("shapes.py", SHAPES)
    project.write("shop.py", SHOP)
    service = DiagnosticsService(project.root, [spec], gate=project.gate)

    async def uses(at: Sequence[tuple[TextFile, Position]], files: Sequence[TextFile]) -> Uses:
        assert [file.path for file in files] == ["shapes.py"]
        return await asked(service, at, files)

    output = await project.call(FindReferences(project.kit, uses), name="Area.size")
    await service.close()
    assert "1 line in 1 file" in output.text
    assert "shop" not in output.text


async def test_a_server_that_a_rule_asks_about_is_not_started(tmp_path: Path, need: Callable[[str], Path]) -> None:
    spec = next(spec for spec in BUILT_IN if spec.name == "basedpyright")
    need(spec.argv[0])
    project = Project(tmp_path, rules=[Rule.parse("run:basedpyright-langserver *", Verdict.ASK)], allow=True)
    file = TextFile.decode("shapes.py", SHAPES.encode())
    service = DiagnosticsService(project.root, [spec], gate=project.gate)
    assert await asked(service, [(file, Position(2, 9))], [file]) == Uses(why="no language server for it")
    assert project.asked == []


async def test_what_the_text_does_not_bear_out_is_left_out(project: Project) -> None:
    async def wrong(at: Sequence[tuple[TextFile, Position]], files: Sequence[TextFile]) -> Uses:
        def place(path: str, line: int, column: int) -> Place:
            return Place(path, Range(Position(line, column), Position(line, column + 4)))

        said = place("shop.py", 6, 17), place("shop.py", 6, 16), place("shop.py", 99, 1), place("/etc/passwd", 1, 1)
        return Uses("liar", (said,))

    output = await project.call(FindReferences(project.kit, wrong), name="Area.size", paths=["shop.py"])
    assert output.text.split("\n")[2] == "Area.size (method, shapes.py:2): 1 line in 1 file"
    assert "passwd" not in output.text


async def test_without_a_server_the_text_is_searched_and_that_is_said(project: Project) -> None:
    service = DiagnosticsService(project.root, [], gate=project.gate)

    async def uses(at: Sequence[tuple[TextFile, Position]], files: Sequence[TextFile]) -> Uses:
        return await asked(service, at, files)

    output = await project.call(FindReferences(project.kit, uses), name="Area.size")
    assert output.text.split("\n")[0] == "6 lines with size in 3 files; by text alone: no language server for it"


async def test_a_server_that_does_not_start_soon_is_not_waited_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from motet.diagnostics import ServerSpec
    from motet.engine import diagnosing

    monkeypatch.setattr(diagnosing, "_START", 0.3)
    silent = ServerSpec(
        name="silent", argv=(sys.executable, "-c", "import sys; sys.stdin.buffer.read()"), languages={".py": "python"}
    )
    house = diagnosing.Diagnosing(lambda: DiagnosticsService(project.root, [silent], gate=project.gate))
    try:
        output = await project.call(house.references(project.kit), name="Area.size")
    finally:
        await house.close()
    assert output.text.split("\n")[0] == (
        "6 lines with size in 3 files; by text alone: the language server is busy or still starting: ask again later"
    )
