"""The closest name, without a server: what counts as unknown, where it stands, what is close."""

from __future__ import annotations

import pytest

from motet.diagnostics.names import Candidate, UnknownName, candidates, closest, named_in_message, unknown_name
from motet.text import Diagnostic, LineIndex, Position, Range, Severity


def complaint(message: str, text: str, inside: str) -> Diagnostic:
    """A diagnostic about the first place of `inside` in `text`."""
    index, at = LineIndex(text), text.index(inside)
    place = Range(index.position(at), index.position(at + len(inside)))
    return Diagnostic("a", place, Severity.ERROR, message, "s")


def at(text: str, word: str) -> Range:
    """The last place of `word` in `text`."""
    index, place = LineIndex(text), text.rindex(word)
    return Range(index.position(place), index.position(place + len(word)))


@pytest.mark.parametrize(
    ("message", "text", "inside", "name"),
    [
        ('"pesr" is not defined', "print(pesr)", "pesr", "pesr"),
        ("Undefined name `pesr`", "print(pesr)", "pesr", "pesr"),
        ('Cannot access attribute "nmae" for class "Person*"', "self.nmae", "nmae", "nmae"),
        ('"pth" is not a known attribute of module "os"', "os.pth", "pth", "pth"),
        ("Module `os` has no member `pth`", "x = os.pth", "os.pth", "pth"),
        ("Object of type `Self@f` has no attribute `nmae`", "self.nmae", "self.nmae", "nmae"),
        ('Import "collection" could not be resolved', "import collection", "collection", "collection"),
        ("Property 'nmae' does not exist on type 'Component'.", "c.nmae", "nmae", "nmae"),
        ("Cannot find name 'shwo'.", "shwo()", "shwo", "shwo"),
        ("No member named 'yy' in 'struct point'", "p->yy", "yy", "yy"),
        ("Unknown type name 'strnig'", "strnig x;", "strnig", "strnig"),
        ("Variable has incomplete type 'struct pont'", "struct pont q;", "q", "pont"),
        ("Incomplete definition of type 'struct pont'", "int f(struct pont *p) {\n p->x; }", "->", "pont"),
        ("Field designator 'xx' does not refer to any field in type 'struct p'", "{ .xx = 1 }", ".xx = 1", "xx"),
        ("‘conut’ undeclared (first use in this function)", "  conut = 1;", "", "conut"),
        ("undefined: foo", "foo()", "foo", "foo"),
        ("cannot find value `countr` in this scope", "countr", "countr", "countr"),
    ],
)
def test_the_unknown_name_and_its_place_are_found(message: str, text: str, inside: str, name: str) -> None:
    found = unknown_name(complaint(message, text, inside), LineIndex(text))
    assert found is not None
    assert (found.text, found.range) == (name, at(text, name))


@pytest.mark.parametrize(
    ("message", "text", "inside"),
    [
        ("Type 'string' is not assignable to type 'number'.", "let z = 1", "z"),
        ('"append" is not a known attribute of "None"', "x.append", "append"),
        ("Cannot find module './b' or its corresponding type declarations.", 'from "./b"', '"./b"'),
        ("Variable has incomplete type 'struct pont'", "struct pont q, pont;", "q"),
        ("'nofile.h' file not found", '#include "nofile.h"', '"nofile.h"'),
        ("Local variable `x` is assigned to but never used", "x = 1", "x"),
    ],
)
def test_other_complaints_and_unclear_places_name_nothing(message: str, text: str, inside: str) -> None:
    assert unknown_name(complaint(message, text, inside), LineIndex(text)) is None


@pytest.mark.parametrize(
    ("message", "text", "inside", "title"),
    [
        ("Cannot find name 'Componnt'. Did you mean 'Component'?", "x: Componnt", "Componnt", "'Componnt' to 'Component'"),
        ("unknown type name 'sizet'; did you mean 'size_t'?", "sizet n;", "", "'sizet' to 'size_t'"),
        ("‘conut’ undeclared; did you mean ‘count’?", "a = conut;", "a", "'conut' to 'count'"),
        ('Module has no attribute "pth"; maybe "path"?', "os.pth", "os.pth", "'pth' to 'path'"),
    ],
)  # fmt: skip
@pytest.mark.acceptance("S3-013")
def test_a_did_you_mean_in_the_message_is_a_fix(message: str, text: str, inside: str, title: str) -> None:
    fix = named_in_message(complaint(message, text, inside), LineIndex(text))
    assert fix is not None
    assert fix.title == f"Change {title}"
    old, new = title.replace("'", "").split(" to ")
    assert [(edit.range, edit.new_text) for edit in fix.edits] == [(at(text, old), new)]


@pytest.mark.parametrize(
    "message",
    [
        'Module has no attribute "pth"; maybe "path" or "pathsep"?',
        "Cannot find name 'foo'. Did you mean the instance member 'this.foo'?",
        "Did you mean 'a'? Did you mean 'b'?",
        "Cannot find name 'foo'.",
    ],
)
def test_a_message_that_means_several_or_none_is_no_fix(message: str) -> None:
    assert named_in_message(complaint(message, "foo pth", "foo"), LineIndex("foo pth")) is None


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("nmae", ["name", "size", "main"], "name"),
        ("Name", ["name", "names"], "name"),
        ("strlne", ["strlen", "strcpy"], "strlen"),
        ("lenght", ["length", "width"], "length"),
        ("yy", ["x", "y"], "y"),
        ("x", ["y"], None),
        ("helper", ["main", "printf"], None),
        ("cat", ["car", "can"], None),
        ("name", ["name", "names"], None),
        ("NAME", ["name", "Name"], None),
        ("configuraton", ["configuration", "configured"], "configuration"),
        ("nmae", [], None),
    ],
)
def test_the_closest_name_is_taken_when_it_is_clear(name: str, known: list[str], meant: str | None) -> None:
    place = Range(Position(1, 1), Position(1, 1 + len(name)))
    assert closest(UnknownName(name, place), [Candidate(text) for text in known], LineIndex(name)) == meant


def test_of_two_equally_close_names_the_one_that_the_file_uses_is_taken() -> None:
    text = "cat = car + 1"
    name = UnknownName("cat", at(text, "cat"))
    assert closest(name, [Candidate("car"), Candidate("can")], LineIndex(text)) == "car"


def test_only_types_stand_where_a_type_is_meant() -> None:
    name = UnknownName("pont", at("struct pont p", "pont"), is_type=True)
    known = [Candidate("font", 3), Candidate("point", 7)]
    assert closest(name, known, LineIndex("struct pont p")) == "point"


def test_an_argument_is_compared_with_arguments_and_a_value_is_not() -> None:
    known = [Candidate("age", is_argument=True), Candidate("agee", is_argument=False), Candidate("ages")]
    call, value = "f(agge=1)", "f(agge)"
    assert closest(UnknownName("agge", at(call, "agge")), known, LineIndex(call)) == "age"
    assert closest(UnknownName("agge", at(value, "agge")), known[:1], LineIndex(value)) is None


def test_labels_lose_their_decoration_and_what_is_no_name_is_left_out() -> None:
    items = [
        (" main()", 3), ("•strlen(const char *s)", 3), ("age=", 6), ("name?", 5), ("True", 14), ("for", 14),
        ("os.path", 9), ("snippet", 15), ("word", 1), ("Map<K, V>", 7), ("日本", 6), ("$el", 6), ("", 6), ("123", 6),
    ]  # fmt: skip
    assert [(one.text, one.is_argument) for one in candidates(items)] == [
        ("main", False), ("strlen", False), ("age", True), ("name", False), ("True", False), ("Map", False),
        ("日本", False), ("$el", False),
    ]  # fmt: skip
