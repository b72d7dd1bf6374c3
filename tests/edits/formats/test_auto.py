"""An answer in any format, or in several."""

import json

import pytest

from motet.edits import Anchor, Edit, EditPreview, Insert, Near, Replace, ReplaceAnchored, StreamParser, Write, parse
from motet.errors import EditFormatError

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
ELEMENT = "<replace_file>\n<path>x.py</path>\n<search>\nold\n</search>\n<replace>\nnew\n</replace>\n</replace_file>\n"
DIFF = "--- a/d.py\n+++ b/d.py\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"
PATCH = "*** Begin Patch\n*** Update File: p.py\n@@\n-old\n+new\n*** End Patch\n"
WHOLE = "src/w.py\n```python\nimport os\n```\n"
ANCHORED = "file n.py\nreplace 12:a3f..13:b1k\nnew\nend replace\n"
CALL = json.dumps({"path": "c.py", "diff": BLOCK}, indent=1)

EXPECTED = {
    "block": (f"b.py\n{BLOCK}", Replace("b.py", "old\n", "new\n")),
    "element": (ELEMENT, Replace("x.py", "old\n", "new\n")),
    "diff": (DIFF, Replace("d.py", "same\nold\n", "same\nnew\n", near=Near(line=1, apart=10))),
    "patch": (PATCH, Replace("p.py", "old\n", "new\n")),
    "whole": (WHOLE, Write("src/w.py", "import os\n")),
    "anchored": (ANCHORED, ReplaceAnchored("n.py", Anchor(12, "a3f"), Anchor(13, "b1k"), "new\n")),
    "call": (f"{CALL}\n", Replace("c.py", "old\n", "new\n")),
}
FENCED = {"block", "element", "diff", "patch", "anchored", "call"}


def without_lines(edits: list[Edit]) -> list[object]:
    return [type(edit)(**{name: getattr(edit, name) for name in edit.__slots__} | {"line": 1}) for edit in edits]


def error(answer: str) -> str:
    with pytest.raises(EditFormatError) as caught:
        parse(answer)
    return str(caught.value)


@pytest.mark.acceptance("SP-05", "S1-013", "S1-017", "S1-018")
@pytest.mark.parametrize("name", EXPECTED)
def test_every_format_is_known_by_its_first_lines(name: str) -> None:
    text, edit = EXPECTED[name]
    assert without_lines(parse(text)) == [edit]
    assert without_lines(parse(f"Sure, I will.\n\n{text}\nDone, I hope.\n")) == [edit]


@pytest.mark.parametrize("name", sorted(FENCED))
@pytest.mark.parametrize("fence", ["```", "~~~~", "```diff"])
def test_a_fence_may_stand_around_an_edit(name: str, fence: str) -> None:
    text, edit = EXPECTED[name]
    end = fence.removesuffix("diff")
    answer = f"Like so:\n{fence}\n{text}{end}\nThen run:\n```bash\nmake\n```\n"
    assert without_lines(parse(answer)) == [edit]


@pytest.mark.parametrize("first", EXPECTED)
@pytest.mark.parametrize("second", EXPECTED)
def test_one_format_may_follow_another(first: str, second: str) -> None:
    answer = f"{EXPECTED[first][0]}\n{EXPECTED[second][0]}"
    assert without_lines(parse(answer)) == [EXPECTED[first][1], EXPECTED[second][1]]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_lines_of_edits_are_those_of_the_answer(name: str) -> None:
    alone = parse(EXPECTED[name][0])
    below = parse("\n\n" + EXPECTED[name][0])
    assert [edit.line + 2 for edit in alone] == [edit.line for edit in below]


@pytest.mark.parametrize("name", EXPECTED)
def test_previews_count_the_edits_of_the_whole_answer(name: str) -> None:
    parser = StreamParser()
    pieces = [*parser.feed(f"b.py\n{BLOCK}\n{EXPECTED[name][0]}"), *parser.finish()]
    numbers = {piece.number for piece in pieces if isinstance(piece, EditPreview)}
    assert numbers == {1, 2}


@pytest.mark.parametrize(
    "answer",
    [
        "Nothing to do here.",
        "Run this:\n```bash\npip install motet\n```\n",
        "For example:\n```python\nimport os\n```\n",
        "### Node.js\n```js\nrun()\n```\n",
        "See the lines:\n```12:20:src/a.py\ncode\n```\n",
        'As JSON:\n```json\n{\n  "path": "a.py",\n  "name": "x"\n}\n```\n',
        '{"a": 1}',
        "{ not json }",
        "> src/a.py\n> ```python\n> import os\n> ```\n",
        "--- Notes ---\nA rule:\n---\n\n+++ more\n",
        "Title\n=======\ntext\n",
        "Write `<replace_file>` around it, then *** Begin Patch\n",
        "Delete 3 lines, replace 12 by 13.\n",
        "",
        "\n \n",
    ],
)
def test_prose_and_examples_are_no_edits(answer: str) -> None:
    assert error(answer).startswith("no edit was understood in the answer; known forms are SEARCH/REPLACE blocks, ")


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (f"Use this form:\n{BLOCK}", "line 2: no path before this block says which file it is for"),
        (">>>>>>> REPLACE", "line 1: REPLACE marker without a SEARCH marker"),
        (
            f"test_a.py\n```\nx = 1\n{BLOCK}```\n",
            "line 4: it is not clear whether this fence holds the text of test_a.py or SEARCH/REPLACE blocks",
        ),
        ("a.py\n```python\nx", "line 2: the fence around the text of a.py is not closed"),
        ("a.py\n```python", "line 2: the fence around the text of a.py is not closed"),
        ("a.py\n```diff\n same\n```", "line 2: there is no unified diff here"),
        (
            "</replace_file>",
            "line 1: </replace_file> without an opening tag; the code of the edit before may hold tags",
        ),
        (
            '\n{"path": "a.py", "diff": "<<<',
            "line 2: this looks like the arguments of an edit tool, but: it does not end",
        ),
    ],
)
def test_what_began_like_an_edit_and_is_none_is_refused(answer: str, message: str) -> None:
    assert error(answer) == message


@pytest.mark.parametrize(
    "head", ["```python src/a.py\n", "src/a.py\n```python\n\n", "```csharp\nsrc/a.py\n", "src/a.py\n```\nsrc/a.py\n"]
)
def test_a_fence_with_a_path_may_hold_blocks(head: str) -> None:
    assert without_lines(parse(f"{head}{BLOCK}```\n")) == [Replace("src/a.py", "old\n", "new\n")]


def test_a_fence_with_a_path_may_hold_a_diff() -> None:
    hunk = "@@ -1,2 +1,2 @@\n same\n-old\n+new\n"
    expected = [Replace("d.py", "same\nold\n", "same\nnew\n", near=Near(line=1, apart=10))]
    assert without_lines(parse(f"d.py\n```diff\n{hunk}```\n")) == expected
    assert without_lines(parse(f"d.py\n```\n{hunk}```\n")) == expected
    assert without_lines(parse(f"d.py\n```\n{DIFF}```\n")) == expected


def test_a_hunk_without_a_file_is_for_the_file_given_beside_the_answer() -> None:
    assert parse("```diff\n--- a\n+++ b\n@@ -3,0 +4 @@\n+new\n```", path="x.py") == [
        Insert("b", "new\n", Near(line=4), line=4)
    ]


@pytest.mark.parametrize("first", ["--- # a document\n", "src/b.py\n", "\n\n"])
def test_a_whole_file_may_begin_with_what_could_begin_an_edit(first: str) -> None:
    assert parse(f"k.yaml\n```yaml\n{first}a: 1\n```\n") == [Write("k.yaml", f"{first}a: 1\n", line=2)]


def test_json_that_a_fence_holds_for_a_path_is_the_text_of_that_file() -> None:
    assert parse(f"config.json\n```json\n{CALL}\n```\n") == [Write("config.json", f"{CALL}\n", line=2)]


@pytest.mark.parametrize(
    ("call", "edit"),
    [
        ({"path": "c.py", "edits": [{"old": "a", "new": "b"}]}, Replace("c.py", "a", "b", inline=True)),
        ({"path": "c.py", "old_string": "a", "new_string": "b"}, Replace("c.py", "a", "b", inline=True)),
        ({"path": "d.py", "diff": DIFF}, EXPECTED["diff"][1]),
        ({"patch": PATCH}, EXPECTED["patch"][1]),
        ({"name": "whole_file", "arguments": {"path": "c.py", "content": "x\n"}}, Write("c.py", "x\n")),
        ({"name": "whole_file", "arguments": '{"path": "c.py", "content": "x\\n"}'}, Write("c.py", "x\n")),
        (
            {"path": "c.py", "edits": [{"delete": "3:abc"}]},
            ReplaceAnchored("c.py", Anchor(3, "abc"), Anchor(3, "abc"), ""),
        ),
    ],
)
def test_the_calls_of_every_edit_tool_are_known_by_their_arguments(call: object, edit: object) -> None:
    assert without_lines(parse(f"I call:\n```json\n{json.dumps(call, indent=2)}\n```\n")) == [edit]


def test_a_block_goes_to_the_file_of_the_edit_before() -> None:
    assert [edit.path for edit in parse(f"{DIFF}\n{BLOCK}")] == ["d.py", "d.py"]


def test_line_ends_may_be_those_of_windows() -> None:
    answer = "".join(text for text, _ in EXPECTED.values())
    assert parse(answer.replace("\n", "\r\n")) == parse(answer)
