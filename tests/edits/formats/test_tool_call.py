"""Tool calls whose arguments are still arriving: the lines are seen as they come, the edits are those of the whole."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Anchor, Delete, EditPreview, Near, Replace, ReplaceAnchored, Write
from motet.edits.formats.reader import Piece, edits_of
from motet.edits.formats.tool_call import TOOL_CALL_FORMATS, ToolCallReader
from motet.errors import EditFormatError

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-old\n+new\n*** Delete File: b.py\n*** End Patch\n"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-old\n+new\n"

CALLS: list[tuple[str, dict[str, object], list[Piece]]] = [
    (
        "replace_in_file",
        {"path": "a.py", "diff": BLOCK + BLOCK},
        [Replace("a.py", "old\n", "new\n", "c", 1), Replace("a.py", "old\n", "new\n", "c", 6)],
    ),
    (
        "edit_file",
        {"path": "a.py", "edits": [{"old": "x\ny", "new": "é😀\n"}, {"old": "1", "new": "2", "near": 7}]},
        [
            Replace("a.py", "x\ny", "é😀\n", "c", inline=True),
            Replace("a.py", "1", "2", "c", near=Near(7), inline=True),
        ],
    ),
    ("whole_file", {"path": "a.py", "content": "a\r\n\n  b"}, [Write("a.py", "a\r\n\n  b", call="c")]),
    (
        "apply_patch",
        {"patch": PATCH},
        [Replace("a.py", "old\n", "new\n", "c", 3, Near(headers=("def f():",))), Delete("b.py", "c", 6)],
    ),
    ("udiff", {"diff": DIFF}, [Replace("a.py", "old\n", "new\n", "c", 3, Near(3, apart=10))]),
    (
        "anchored",
        {
            "path": "a.py",
            "edits": [
                {"replace": "12:a3f..15:f0z", "text": "one\ntwo"},
                {"insert_after": "15:f0z", "text": "\n"},
                {"insert_after": 0, "text": "x\n"},
                {"delete": "3:abc"},
            ],
        },
        [
            ReplaceAnchored("a.py", Anchor(12, "a3f"), Anchor(15, "f0z"), "one\ntwo\n", "c"),
            ReplaceAnchored("a.py", Anchor(15, "f0z"), None, "\n", "c"),
            ReplaceAnchored("a.py", Anchor(0, ""), None, "x\n", "c"),
            ReplaceAnchored("a.py", Anchor(3, "abc"), Anchor(3, "abc"), "", "c"),
        ],
    ),
]


def pieces(format: str, *chunks: str, path: str = "") -> list[Piece]:
    reader = ToolCallReader(format, path=path, call="c")
    return [piece for chunk in chunks for piece in reader.feed(chunk)] + reader.finish()


def refused(format: str, arguments: object) -> str:
    with pytest.raises(EditFormatError) as caught:
        pieces(format, json.dumps(arguments))
    assert caught.value.line is not None
    return str(caught.value)


def shown(found: list[Piece]) -> dict[tuple[str, int, str], list[str]]:
    """All lines of each part, by path, number and part."""
    lines: dict[tuple[str, int, str], list[str]] = {}
    for piece in found:
        if isinstance(piece, EditPreview):
            lines.setdefault((piece.path, piece.number, piece.part), []).extend(piece.lines)
    return lines


def cut(text: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    chunks: list[str] = []
    while text:
        size = rng.randint(1, rng.choice((1, 3, 40)))
        chunks.append(text[:size])
        text = text[size:]
    return chunks


def test_every_format_of_a_call_is_tried_here() -> None:
    assert {format for format, _, _ in CALLS} == set(TOOL_CALL_FORMATS)


@pytest.mark.acceptance("S3-015", "S3-016", "S1-014", "SP-05", "S0-118")
@pytest.mark.parametrize(("format", "arguments", "edits"), CALLS)
def test_a_call_that_is_whole_gives_its_edits(format: str, arguments: object, edits: list[Piece]) -> None:
    assert edits_of(pieces(format, json.dumps(arguments))) == edits


@pytest.mark.acceptance("S1-015", "SP-04")
@pytest.mark.parametrize(("format", "arguments", "edits"), CALLS)
@pytest.mark.parametrize("is_late", [False, True])
def test_the_same_lines_and_edits_come_whatever_the_pieces_and_the_order_of_keys(
    format: str, arguments: dict[str, object], edits: list[Piece], is_late: bool
) -> None:
    ordered = dict(reversed(arguments.items())) if is_late else arguments
    text = json.dumps(ordered)
    whole = pieces(format, text)
    assert edits_of(whole) == edits
    for chunks in (list(text), cut(text, 1), cut(text, 2)):
        streamed = pieces(format, *chunks)
        assert edits_of(streamed) == edits
        assert shown(streamed) == shown(whole)


def test_a_line_is_shown_within_one_event_of_its_end() -> None:
    reader = ToolCallReader("edit_file")
    assert reader.feed('{"path": "a.py", "edits": [{"old": "first li') == []
    assert reader.feed("ne\\") == []
    assert reader.feed("nsecond") == [EditPreview("a.py", 1, "search", ("first line",))]
    assert reader.feed('", "new": "x\\ny') == [
        EditPreview("a.py", 1, "search", ("second",)),
        EditPreview("a.py", 1, "replace", ("x",)),
    ]
    assert reader.feed('"}') == [
        EditPreview("a.py", 1, "replace", ("y",)),
        Replace("a.py", "first line\nsecond", "x\ny", inline=True),
    ]
    assert reader.feed(', {"old": "1\\n') == [EditPreview("a.py", 2, "search", ("1",))]


def test_lines_wait_until_their_path_is_known() -> None:
    reader = ToolCallReader("whole_file")
    assert reader.feed('{"content": "a\\nb\\n", ') == []
    assert reader.feed('"path": "a.py"') == [
        EditPreview("a.py", 1, "replace", ("a", "b")),
        Write("a.py", "a\nb\n"),
    ]
    assert reader.feed("}") == []
    assert reader.finish() == []


def test_an_edit_comes_before_the_call_is_over() -> None:
    reader = ToolCallReader("apply_patch")
    begun = '{"patch": "*** Begin Patch\\n*** Delete File: a\\n*** Add File: b\\n+x\\n'
    assert reader.feed(begun) == [Delete("a", line=2), EditPreview("b", 2, "replace", ("x",))]


def test_the_path_given_outside_counts_when_the_call_names_none() -> None:
    assert edits_of(pieces("whole_file", '{"content": "x"}', path="a.py")) == [Write("a.py", "x", call="c")]
    assert edits_of(pieces("whole_file", '{"content": "x", "path": "b.py"}', path="a.py")) == [
        Write("b.py", "x", call="c")
    ]
    hunk = json.dumps({"diff": "@@ -1 +1 @@\n-a\n+b\n"})
    assert edits_of(pieces("udiff", hunk, path="a.py")) == [
        Replace("a.py", "a\n", "b\n", "c", near=Near(1, apart=10))
    ]


@pytest.mark.parametrize("name", ["input", "patchText", "patch_text"])
def test_the_names_that_models_use_are_known(name: str) -> None:
    assert len(edits_of(pieces("apply_patch", json.dumps({name: PATCH})))) == 2


def test_an_unknown_format_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no tool call has the format 'poem'"):
        ToolCallReader("poem")


@pytest.mark.parametrize(
    ("format", "arguments", "message"),
    [
        ("whole_file", {"path": "a"}, "line 1: the call: 'content' is missing"),
        ("whole_file", {"content": "x"}, "line 1: the call: no path says which file it is for"),
        ("whole_file", {"content": ["x"], "path": "a"}, "line 1: the call: 'content' has to be a string"),
        ("whole_file", {"content": "x", "text": "y", "path": "a"}, "line 1: the call has both 'content' and 'text'"),
        ("whole_file", {"path": "a", "file": "b", "content": "x"}, "line 1: the call: 'path' and 'file' are both given and differ"),
        ("apply_patch", {"patch": "bad"}, "line 1: there is no *** Begin Patch"),
        ("apply_patch", {}, "line 1: the call: 'patch' is missing"),
        ("anchored", {"path": "a", "edits": [{"text": "x"}]}, "line 1: edit 1: exactly one of 'replace', 'insert_after' and 'delete' is needed"),
        ("anchored", {"path": "a", "edits": [{"replace": "1:abc", "delete": "1:abc"}]}, "line 1: edit 1: exactly one of 'replace', 'insert_after' and 'delete' is needed"),
        ("anchored", {"path": "a", "edits": [{"replace": "1:abc"}]}, "line 1: edit 1: 'text' is missing"),
        ("anchored", {"path": "a", "edits": [{"replace": "5", "text": ""}]}, "line 1: edit 1: one anchor or two are needed, such as \"12:a3f..15:f0z\""),
        ("anchored", {"path": "a", "edits": [{"delete": "1:abc", "text": "x"}]}, "line 1: edit 1: 'delete' takes no text; use 'replace'"),
        ("anchored", {"path": "a", "edits": [{"insert_after": "1:abc", "text": ""}]}, "line 1: edit 1: 'insert_after' needs an anchor such as \"12:a3f\", and new lines in 'text'"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused(format: str, arguments: object, message: str) -> None:
    assert refused(format, arguments) == message


def test_arguments_that_end_too_early_are_refused() -> None:
    with pytest.raises(EditFormatError) as caught:
        pieces("whole_file", '{"path": "a", "content": "x\\ny')
    assert str(caught.value) == "line 1: the JSON ends before its object does (character 31 of the arguments)"


NAMES = [
    "path",
    "file_path",
    "edits",
    "old",
    "new",
    "search",
    "replace",
    "text",
    "diff",
    "content",
    "patch",
    "delete",
]
VALUES = st.recursive(
    st.sampled_from(["a.py", "x\ny\n", "", BLOCK, PATCH, DIFF, "1:abc", 3, None, True]) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.sampled_from(TOOL_CALL_FORMATS),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5),
    st.sampled_from(["", "p"]),
    st.integers(),
)
def test_whatever_the_arguments_are_there_are_edits_or_a_format_error_in_any_pieces(
    format: str, arguments: dict[str, object], path: str, seed: int
) -> None:
    def outcome(chunks: list[str]) -> object:
        try:
            found = pieces(format, *chunks, path=path)
        except EditFormatError as error:
            return str(error), error.line
        assert all(piece.path for piece in found)
        return edits_of(found), shown(found)

    text = json.dumps(arguments)
    assert outcome([text]) == outcome(list(text)) == outcome(cut(text, seed))
