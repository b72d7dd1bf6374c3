"""What servers say that files define, in every form that they have for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from motet.diagnostics import DiagnosticsService, Named, Outlined, Symbols
from motet.syntax import Definition
from motet.text import TextFile

Write = Callable[[str, str], TextFile]
Make = Callable[..., DiagnosticsService]

METHOD, NAMESPACE, CLASS, FUNCTION, VARIABLE, SECTION, TYPE_PARAMETER = 6, 3, 5, 12, 13, 15, 26


def place(first: int, last: int, end: int = 1) -> dict[str, Any]:
    """From 0-based line to 0-based line."""
    return {"start": {"line": first, "character": 0}, "end": {"line": last, "character": end}}


def tree(name: object, kind: object, lines: tuple[int, int], *children: object) -> dict[str, Any]:
    """A `DocumentSymbol`; its name stands in its first line."""
    return {
        "name": name, "kind": kind, "range": place(*lines), "selectionRange": place(lines[0], lines[0]),
        "children": list(children),
    }  # fmt: skip


def flat(name: str, kind: int, uri: str, line: int, around: str = "") -> dict[str, Any]:
    """A `SymbolInformation`."""
    return {"name": name, "kind": kind, "containerName": around, "location": {"uri": uri, "range": place(line, line)}}


def told(found: Symbols, path: str = "a.txt") -> list[str]:
    """Each symbol as `kind full.name first-last depth`."""
    each = ((one.definition, one.full) for one in found.by_path.get(path, ()))
    return [f"{one.kind} {full} {one.first_line}-{one.last_line} {one.depth}" for one, full in each]


async def test_a_tree_is_read_with_what_is_around_each_and_without_what_lives_in_a_function(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    size = tree(
        "Area::size(int) const", METHOD, (2, 3), tree("local", VARIABLE, (2, 2)), tree("deep", FUNCTION, (3, 3))
    )
    hidden = tree("(anonymous namespace)", NAMESPACE, (1, 3), size)
    said = [tree("shop", NAMESPACE, (0, 4), hidden, tree("T", TYPE_PARAMETER, (4, 4)), tree("x", VARIABLE, (4, 4)))]
    found = Symbols.of(await service(fake(symbols=said).spec).ask(Outlined(write("a.txt", "line\n" * 5)), 60.0))
    assert (found.server, found.why) == ("fake", "")
    assert told(found) == [
        "namespace shop 1-5 0",
        "method shop.Area.size 3-4 2",
        "function shop.Area.size.deep 4-4 3",
        "variable shop.x 5-5 1",
    ]


async def test_a_list_is_read_with_the_container_of_each(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    said = [flat("Area", CLASS, "", 0), flat("size", METHOD, "", 1, "shop::Area")]
    found = Symbols.of(await service(fake(symbols=said).spec).ask(Outlined(write("a.txt", "line\n" * 5)), 60.0))
    assert told(found) == ["class Area 1-1 0", "method shop.Area.size 2-2 1"]


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("size", "size"),
        ("(*Area).Size", "Area.Size"),
        ("Area<int>::size", "Area.size"),
        ("impl Display for Area", "Area"),
        ("-scale:by:", "scale"),
        ("operator()", "operator()"),
        ("shop::operator<", "operator<"),
        ("~Area", "~Area"),
        ("面積", "面積"),
    ],
)
async def test_names_lose_what_servers_put_around_them(
    service: Make, fake: Callable[..., Any], write: Write, name: str, full: str
) -> None:
    found = Symbols.of(
        await service(fake(symbols=[tree(name, METHOD, (0, 0))]).spec).ask(Outlined(write("a.txt", "x\n")), 60.0)
    )
    assert told(found) == [f"method {full} 1-1 0"]


async def test_a_heading_is_a_section_with_its_whole_name_that_ends_where_the_next_line_begins(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    said = [{**tree("How to: 1.2 begin", SECTION, (0, 2)), "range": place(0, 2, end=0)}]
    found = Symbols.of(await service(fake(symbols=said).spec).ask(Outlined(write("a.txt", "x\n" * 5)), 60.0))
    assert told(found) == ["section How to: 1.2 begin 1-2 0"]


@pytest.mark.parametrize(
    "said",
    [
        None,
        {"name": "x"},
        [None, 1, "x", [], {}],
        [
            tree(None, CLASS, (0, 0)),
            tree("", CLASS, (0, 0)),
            tree("  ", SECTION, (0, 0)),
            tree("a b-", CLASS, (0, 0)),
        ],
        [
            tree("a", CLASS, (0, 99)),
            tree("b", CLASS, (-3, 0)),
            tree("c", CLASS, (1, 0)),
            {"name": "d", "kind": CLASS},
        ],
    ],
    ids=["nothing", "an object", "no objects", "no names", "no places"],
)
async def test_what_makes_no_sense_is_left_out(
    service: Make, fake: Callable[..., Any], write: Write, said: object
) -> None:
    found = Symbols.of(await service(fake(symbols=said).spec).ask(Outlined(write("a.txt", "x\n")), 60.0))
    assert (found.server, told(found)) == ("fake", [])


async def test_a_tree_without_end_is_cut(service: Make, fake: Callable[..., Any], write: Write) -> None:
    made = fake(symbols=[tree("pot", CLASS, (0, 0))], times=20_005)
    found = Symbols.of(await service(made.spec).ask(Outlined(write("a.txt", "x\n")), 60.0))
    assert len(found.by_path["a.txt"]) == 20_000


async def test_a_server_that_does_not_do_it_is_not_asked(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    made = fake()
    found = await service(made.spec).ask(Outlined(write("a.txt", "x\n")), 60.0)
    assert Symbols.of(found) == Symbols(why="no language server for it")
    assert made.params("textDocument/documentSymbol") == []


async def test_a_name_is_told_in_the_file_that_answers_and_by_the_workspace_for_those_that_do_not(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    everywhere = [
        flat("pot", FUNCTION, "ROOT/b.txt", 1, "kitchen"),
        flat("pots", FUNCTION, "ROOT/b.txt", 0),  # another name
        flat("pot", FUNCTION, "ROOT/b.txt", 2),  # that line does not hold it
        flat("pot", FUNCTION, "ROOT/c.txt", 0),  # nobody asked about that file
        flat("pot", FUNCTION, "ROOT/a.txt", 3),  # this one has told all that it has
    ]
    made = fake(
        symbols=[tree("lid", CLASS, (0, 0)), tree("pot", CLASS, (1, 2))], of_workspace=everywhere, mute="hush"
    )
    files = [write("a.txt", "lid\npot\n\npot\n"), write("b.txt", "pots\na pot\nhush\n")]
    found = Symbols.of(await service(made.spec).ask(Named("pot", files), 2.0))
    assert told(found) == ["class pot 2-3 0"]
    assert told(found, "b.txt") == ["function kitchen.pot 2-2 1"]
    assert made.params("workspace/symbol") == [{"query": "pot"}]


async def test_the_workspace_is_not_searched_where_each_file_answers(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    made = fake(symbols=[tree("pot", CLASS, (0, 0))], of_workspace=[])
    await service(made.spec).ask(Named("pot", [write("a.txt", "pot\n")]), 60.0)
    assert made.params("workspace/symbol") == []


async def test_no_answer_in_time_is_not_the_answer_that_there_is_nothing(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    made = fake(symbols=[], of_workspace=[], mute="hush")
    found = Symbols.of(await service(made.spec).ask(Named("pot", [write("a.txt", "pot, hush\n")]), 0.5))
    assert found == Symbols(why="fake: no answer within 0.5 s")


async def test_text_that_is_newer_than_the_disk_is_what_is_told_and_older_text_is_not_answered_from(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    made = fake(spec={"open_limit": 1}, symbols=[tree("pot", CLASS, (1, 1))], of_workspace=[])
    diagnostics = service(made.spec)
    old = write("a.txt", "x\ny\n")
    await diagnostics.ask(Outlined(old), 60.0)
    typed = TextFile.decode("a.txt", b"x\npot\n")
    found = Symbols.of(await diagnostics.ask(Named("pot", [typed]), 60.0))
    assert found.by_path["a.txt"][0].definition == Definition("pot", "class", 2, 2, 2, 0, 2)
    assert [each["contentChanges"] for each in made.params("textDocument/didChange")] == [[{"text": "x\npot\n"}]]
    newer = [write("b.txt", "pot\npot\n"), TextFile.decode("a.txt", b"pot\nx\n")]
    await diagnostics.ask(Named("pot", newer), 60.0)
    closed = [each["textDocument"]["uri"].rpartition("/")[2] for each in made.params("textDocument/didClose")]
    assert closed == ["a.txt"]
