"""The call edit_file: pairs of old and new text, under whatever names a model gives them."""

import json

import pytest

from motet.edits import Near, Replace
from motet.edits.formats.reader import edits_of
from motet.edits.formats.tool_call import ToolCallReader
from motet.errors import EditFormatError


def found(arguments: object, path: str = "") -> list[object]:
    reader = ToolCallReader("edit_file", path=path, call="c")
    return [*edits_of(reader.feed(json.dumps(arguments)) + reader.finish())]


def refused(arguments: object) -> str:
    with pytest.raises(EditFormatError) as caught:
        found(arguments)
    return str(caught.value)


def pair(old: str, new: str, **more: object) -> Replace:
    return Replace("a.py", old, new, "c", inline=True, **more)  # type: ignore[arg-type]


@pytest.mark.acceptance("S1-008", "S1-014", "S3-017")
def test_each_pair_is_a_replacement_of_characters() -> None:
    edits = [{"old": "a = 1", "new": "a = 2"}, {"old": "x\n", "new": "", "replace_all": True}]
    assert found({"path": "a.py", "edits": edits}) == [pair("a = 1", "a = 2"), pair("x\n", "", replace_all=True)]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("path", "old", "new"),
        ("file_path", "old_string", "new_string"),
        ("filePath", "oldString", "newString"),
        ("filename", "oldText", "newText"),
        ("path", "search", "replace"),
        ("path", "old_str", "new_str"),
        ("target_file", "find", "replacement"),
    ],
)
def test_the_names_that_models_use_are_known(path: str, old: str, new: str) -> None:
    assert found({path: "a.py", "edits": [{old: "x", new: "y"}]}) == [pair("x", "y")]
    assert found({path: "a.py", old: "x", new: "y"}) == [pair("x", "y")]


@pytest.mark.parametrize("name", ["edits", "replacements", "changes"])
def test_a_list_may_be_one_object_or_come_as_a_string(name: str) -> None:
    one = {"old": "x", "new": "y"}
    assert found({"path": "a.py", name: one}) == [pair("x", "y")]
    assert found({"path": "a.py", name: json.dumps([one])}) == [pair("x", "y")]
    assert found({"path": "a.py", name: json.dumps(one)}) == [pair("x", "y")]


def test_an_entry_may_name_a_file_of_its_own() -> None:
    edits = [{"path": "b.py", "old": "x", "new": "y"}, {"old": "1", "new": "2"}]
    assert found({"path": "a.py", "edits": edits}) == [
        Replace("b.py", "x", "y", "c", inline=True),
        pair("1", "2"),
    ]
    assert found({"edits": edits[:1]}) == [Replace("b.py", "x", "y", "c", inline=True)]


def test_the_path_given_outside_counts_when_the_call_names_none() -> None:
    assert found({"edits": [{"old": "x", "new": "y"}]}, "a.py") == [pair("x", "y")]
    assert found({"old": "x", "new": "y", "path": "a.py"}, "b.py") == [pair("x", "y")]


@pytest.mark.parametrize(
    ("near", "meant"),
    [
        (12, Near(12)),
        (12.0, Near(12)),
        ("12", Near(12)),
        ("line 12", Near(12)),
        ("near line 12", Near(12)),
        ("lines 12-14", Near(12)),
        ("L12", Near(12)),
        ("12:a3f", Near(12, hash="a3f")),
        ("def f():", Near(headers=("def f():",))),
        ("class A", Near(headers=("class A",))),
        (["class A", "def f"], Near(headers=("class A", "def f"))),
        (None, Near()),
        ("", Near()),
        (False, Near()),
    ],
)
def test_near_is_a_line_an_anchor_or_what_stands_above(near: object, meant: Near) -> None:
    assert found({"path": "a.py", "edits": [{"old": "x", "new": "y", "near": near}]}) == [pair("x", "y", near=meant)]


@pytest.mark.parametrize(
    ("given", "meant"), [(True, True), ("true", True), (1, True), (False, False), ("false", False), (None, False)]
)
def test_replace_all_is_true_or_false(given: object, meant: bool) -> None:
    assert found({"path": "a.py", "old": "x", "new": "y", "replace_all": given}) == [
        pair("x", "y", replace_all=meant)
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "a"}, "line 1: the call: there is no edit in it"),
        ({"path": "a", "edits": []}, "line 1: the call: there is no edit in it"),
        ({"edits": [{"old": "x", "new": "y"}]}, "line 1: the call: no path says which file it is for"),
        ({"path": "a", "edits": [{"old": "x"}]}, "line 1: edit 1: 'new' is missing"),
        ({"path": "a", "edits": [{"old": "x", "new": None}]}, "line 1: edit 1: 'new' is missing"),
        ({"path": "a", "old": 1, "new": "y"}, "line 1: the call: 'old' has to be a string"),
        ({"path": 1, "old": "x", "new": "y"}, "line 1: the call: 'path' has to be a string"),
        ({"path": "a", "edits": ["x"]}, "line 1: the call: 'edits' has to be a list of objects"),
        (
            {"path": "a", "old": "x", "old_string": "z", "new": "y"},
            "line 1: the call: 'old' and 'old_string' are both given and differ",
        ),
        (
            {"path": "a", "edits": [{"old": "x", "new": "y"}], "old": "z"},
            "line 1: the call: an edit stands beside the list of edits",
        ),
        (
            {"path": "a", "old": "x", "new": "y", "replace_all": "twice"},
            "line 1: the call: 'replace_all' has to be true or false",
        ),
        (
            {"path": "a", "old": "x", "new": "y", "near": {"x": 1}},
            "line 1: the call: 'near' has to be a line number, an anchor or a line above the place",
        ),
    ],
)
def test_what_cannot_be_understood_is_refused(arguments: object, message: str) -> None:
    assert refused(arguments) == message
