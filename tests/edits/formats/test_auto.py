"""An answer in any format, or in several."""

import json

import pytest

from motet.edits import Anchor, Edit, EditPreview, Insert, Near, Replace, ReplaceAnchored, StreamParser, Write, parse
from motet.edits.formats.answer import understand
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
    "whole": (WHOLE, Write("src/w.py", "import os\n", shown=True)),
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
        ("a.py\n```diff\n same\n```", "line 3: no hunk of this file adds or removes a line"),
        ("a.py\n```diff\nsame\n```", "line 2: there is no unified diff here"),
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
    assert parse(f"k.yaml\n```yaml\n{first}a: 1\n```\n") == [Write("k.yaml", f"{first}a: 1\n", line=2, shown=True)]


def test_json_that_a_fence_holds_for_a_path_is_the_text_of_that_file() -> None:
    assert parse(f"config.json\n```json\n{CALL}\n```\n") == [Write("config.json", f"{CALL}\n", line=2, shown=True)]


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


# --- files that are not named right before their fence ------------------------------------------------------------

CODE = "```python\nimport os\n```\n"


def files(answer: str) -> list[tuple[str, str]]:
    return [(edit.path, edit.text) for edit in understand(answer).edits if isinstance(edit, Write)]


def left_out(answer: str) -> list[str]:
    return [one.describe() for one in understand(answer).left_out]


@pytest.mark.acceptance("S1-018")
@pytest.mark.parametrize(
    "head",
    [
        "### `src/w.py`\n\nImport it:\n\n",
        "### 2. **src/w.py**\n\nImport it:\n\n",
        "**src/w.py**\n\nIn `w.py` one module is missing.\nHere is all of it:\n\n",
        "`src/w.py`\n\nInstall first:\n\n```bash\nmake\n```\n\nThen write:\n\n",
    ],
)
def test_the_file_may_be_named_above_the_sentence_before_its_fence(head: str) -> None:
    answer = f"Sure.\n\n{head}{CODE}\n### b.py\n\nAnd:\n\n```py\nx\n```\n"
    assert files(answer) == [("src/w.py", "import os\n"), ("b.py", "x\n")]
    assert parse(answer) == understand(answer).edits
    assert left_out(answer) == []


@pytest.mark.parametrize(
    ("head", "info", "first"),
    [
        ("", "yaml", "# conf/w.yaml"),
        ("", "ts", "// src/w.ts"),
        ("", "html", "<!-- w.html -->"),
        ("", "css", "/* File: a/w.css */"),
        ("", "dockerfile", "# Dockerfile"),
        ("### other.py\n\nAdd this:\n\n", "sql", "-- w.sql"),
    ],
)
def test_a_comment_that_is_the_first_line_may_name_the_file_and_stays_in_it(head: str, info: str, first: str) -> None:
    [(path, text)] = files(f"{head}```{info}\n{first}\na b\n```\n")
    assert path in first
    assert text == f"{first}\na b\n"


def test_in_json_the_comment_that_names_the_file_is_no_part_of_it() -> None:
    assert files('```json\n// conf/a.json\n{"a": 1}\n```\n') == [("conf/a.json", '{"a": 1}\n')]


@pytest.mark.parametrize("head", ["Create `src/w.py`:", "### Step 6: src/w.py", "**src/w.py** – a new helper"])
def test_a_sentence_names_a_file_only_for_who_looks_whether_it_is_a_piece(head: str) -> None:
    assert files(f"{head}\n\n{CODE}") == [("src/w.py", "import os\n")]
    assert understand(f"{head}\n\n{CODE}").loosely_named == {3}
    assert error(f"{head}\n\n{CODE}").startswith("no edit was understood")


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    ("head", "fence"),
    [
        ("### src/w.py\n\nRun it:\n\n", "```bash\npython src/w.py\n```\n"),
        ("### src/w.py\n\nIt prints:\n\n", "```\nhello\n```\n"),
        ("### src/w.py\n\nFor example:\n\n", CODE),
        ("### src/w.py\n\nThe response:\n\n", "```json\n{}\n```\n"),
        ("### src/w.py\n\nLike in `src/b.py`:\n\n", CODE),
        ("### src/w.py\n\nIt is fine.\n\n### Usage\n\nSo:\n\n", CODE),
        ("- src/w.py\n- src/b.py\n\nBoth get:\n\n", CODE),
        ("### src/w.py\n\none\ntwo\nthree\nfour\n\n", CODE),
        ("### src/w.py\n\nReplace this:\n\n", CODE),
        ("", "```bash\n# src/w.py\npython\n```\n"),
        ("", "```python\n# os.path\nimport os\n```\n"),
        ("", "```js\n// console.log\nrun()\n```\n"),
        ("", "```python\n# config.json\nimport json\n```\n"),
        ("For example:\n\n", "```python\n# src/w.py\nimport os\n```\n"),
        ("", "```python\n# Build\nimport os\n```\n"),
    ],
)
def test_samples_and_what_a_shell_prints_become_no_files(head: str, fence: str) -> None:
    assert understand(head + fence).edits == []


@pytest.mark.acceptance("T-24")
def test_of_two_fences_that_could_be_the_file_none_is() -> None:
    answer = f"### src/w.py\n\nChange it from\n\n{CODE}\nto\n\n{CODE}\n### b.py\n\nNew:\n\n{CODE}"
    assert files(answer) == [("b.py", "import os\n")]
    assert left_out(answer) == [
        "line 5: a python fence was left out: it is not the only one that could be src/w.py",
        "line 11: a python fence was left out: it is not the only one that could be src/w.py",
    ]
    named = "```ts\n// a.ts\nold\n```\nbecomes\n```ts\n// a.ts\nnew\n```\n"
    assert (files(named), len(left_out(named))) == ([], 2)


def test_a_usage_example_below_a_file_does_not_make_it_doubtful() -> None:
    answer = f"### src/w.py\n\nNew:\n\n{CODE}\nUsage:\n\n```python\nimport w\n```\n"
    assert files(answer) == [("src/w.py", "import os\n")]
    assert left_out(answer) == ["line 11: a python fence that names no file was left out (an example, as it seems)"]


def test_edits_keep_their_order_when_one_has_waited() -> None:
    answer = f"### src/w.py\n\nNew:\n\n{CODE}\n{EXPECTED['block'][0]}"
    assert [edit.path for edit in parse(answer)] == ["src/w.py", "b.py"]


def test_a_fence_around_an_edit_is_not_left_out() -> None:
    call = f"I call:\n```json\n{CALL}\n```\n"
    assert left_out(f"b.py\n```\n{BLOCK}```\n```diff\n{DIFF}```\n{call}") == []


def test_a_diff_without_any_head_is_for_the_file_named_before_its_fence() -> None:
    expected = [Replace("d.py", "same\nold\n", "same\nnew\n")]
    lines = " same\n-old\n+new\n"
    assert without_lines(parse(f"**d.py**\n\n```diff\n{lines}```\n")) == expected
    assert without_lines(parse(f"### d.py\n\nSay new:\n\n```diff\n@@\n{lines}```\n")) == expected


@pytest.mark.acceptance("T-24")
def test_markers_copied_out_of_the_source_of_a_page_do_not_become_a_file() -> None:
    assert error("a.py\n```\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\nx\n```\n") == (
        "line 3: it is not clear whether this fence holds the text of a.py or SEARCH/REPLACE blocks"
    )


# --- calls of other programs' tools -------------------------------------------------------------------------------

OLD = {"path": "c.py", "old_str": "a", "new_str": "b"}
REPLACED = Replace("c.py", "a", "b", inline=True)


def used(name: str, **arguments: object) -> dict[str, object]:
    return {"type": "tool_use", "id": "t", "name": name, "input": arguments}


@pytest.mark.parametrize(
    ("call", "edit"),
    [
        ({"command": "str_replace", **OLD}, REPLACED),
        ({"command": "str_replace", "path": "c.py", "old_str": "a"}, Replace("c.py", "a", "", inline=True)),
        ({"command": "create", "path": "c.py", "file_text": "x\n"}, Write("c.py", "x\n")),
        (
            {"command": "insert", "path": "c.py", "insert_line": 2, "insert_text": "x"},
            Insert("c.py", "x\n", Near(line=3)),
        ),
        ({"command": "insert", "path": "c.py", "insert_line": 0, "new_str": "x\n"}, Insert("c.py", "x\n", Near(1))),
        ({"file_path": "c.py", "old_string": "a", "new_string": "b", "replace_all": False}, REPLACED),
        ({"file_path": "c.py", "edits": [{"old_string": "a", "new_string": "b"}]}, REPLACED),
        ({"file_path": "c.py", "content": "x\n"}, Write("c.py", "x\n")),
        (used("str_replace_based_edit_tool", command="str_replace", **OLD), REPLACED),
        (used("Edit", file_path="c.py", old_string="a", new_string="b"), REPLACED),
        (used("Write", file_path="c.py", content="x\n"), Write("c.py", "x\n")),
        ({"content": [{"type": "text", "text": "So:"}, used("edit_file", path="c.py", old="a", new="b")]}, REPLACED),
        (
            {
                "choices": [
                    {
                        "message": {
                            "tool_calls": [
                                {"type": "function", "function": {"name": "edit_file", "arguments": json.dumps(OLD)}}
                            ]
                        }
                    }
                ]
            },
            REPLACED,
        ),
        ({"output": [{"type": "function_call", "name": "Edit", "arguments": json.dumps(OLD)}]}, REPLACED),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_calls_of_other_programs_tools_are_known(call: object, edit: object, indent: int | None) -> None:
    assert without_lines(parse(f"{json.dumps(call, indent=indent)}\n")) == [edit]


def test_all_calls_of_a_response_are_taken_in_order_and_others_passed_over() -> None:
    blocks = [used("Edit", **OLD), used("Bash", command="rm x"), used("Write", file_path="d.py", content="")]
    assert [edit.path for edit in parse(json.dumps({"content": blocks}))] == ["c.py", "d.py"]


@pytest.mark.parametrize(
    "value",
    [
        used("Bash", command="make"),
        used("str_replace_based_edit_tool", command="view", path="c.py"),
        {"command": "view", "path": "c.py"},
        {"messages": [{"role": "assistant", "content": [used("Write", file_path="c.py", content="x")]}]},
        {"path": "c.py", "content": "x"},
        {"file_path": "c.py", "content": "x", "language": "python"},
    ],
)
def test_other_json_is_no_edit(value: object) -> None:
    assert error(json.dumps(value)).startswith("no edit was understood")


@pytest.mark.acceptance("T-24")
def test_a_call_of_an_edit_tool_that_lacks_something_is_refused() -> None:
    call = {"command": "insert", "path": "c.py", "insert_text": "x"}
    assert error(f"\n{json.dumps(call)}") == (
        "in the call of line 2: line 1: the call: 'insert' needs a line number in 'insert_line', and new lines in "
        "'insert_text'"
    )
    assert error(json.dumps(used("Write", file_path="c.py"))) == (
        "in the call of line 1: line 1: the call: 'content' is missing"
    )


@pytest.mark.parametrize("before", ["> ", "      ", "\t"])
def test_a_block_in_a_quotation_or_deep_in_a_list_is_never_left_out_in_silence(before: str) -> None:
    lines = ("<<<<<<< SEARCH", "a", "=======", "b", ">>>>>>> REPLACE")
    quoted = "".join(f"{before}{line}\n" for line in lines)
    with pytest.raises(EditFormatError) as caught:
        parse(f"a.py\n{quoted}")
    assert str(caught.value) == (
        "line 2: this block is quoted or indented; give it without what stands before its lines"
    )


def test_who_reads_a_chat_passes_over_quotations() -> None:
    block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    quoted = "".join(f"> {line}\n" for line in f"a.py\n{block}".splitlines())
    found = understand(f"{quoted}\nSo:\n\nb.py\n{block}", quotes=True)
    assert found.edits == [Replace("b.py", "a\n", "b\n", line=11)]


@pytest.mark.parametrize("path", ["src/a.py:10-12", "`src/a.py:10`", "src/a.py#L10-L12"])
def test_a_path_with_lines_before_a_fence_names_a_piece(path: str) -> None:
    assert files(f"{path}\n```python\nx = 1\n```\n") == []


# --- a fence within a fence ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "named", ["```ruby\nw.rb\n", "### w.rb\n\n```ruby\nw.rb\n", "w.rb\n```ruby\n", "w.rb\n```\n"]
)
@pytest.mark.parametrize("end", ["```\n", "```\n```\n"])
def test_a_fence_may_be_opened_twice(named: str, end: str) -> None:
    after = "\nThen:\n\nx.rb\n```ruby\nputs 2\n```\n"
    found = understand(f"{named}```ruby\n{BLOCK}{end}{after}")
    assert without_lines(found.edits) == [Replace("w.rb", "old\n", "new\n"), Write("x.rb", "puts 2\n", shown=True)]
    whole = understand(f"{named}```ruby\nputs 1\n{end}{after}")
    assert without_lines(whole.edits) == [
        Write(f"{name}.rb", f"puts {n}\n", shown=True) for name, n in zip("wx", "12", strict=True)
    ]
    assert found.left_out == whole.left_out == []


def test_in_markdown_a_fence_at_the_beginning_is_text() -> None:
    text = "```ruby\nputs 1\n```\n"
    assert without_lines(parse(f"a.md\n````ruby\n{text}````\n")) == [Write("a.md", text, shown=True)]


def test_a_fence_that_holds_only_a_path_names_the_file() -> None:
    found = understand(f"```\nw.rb\n```\n```ruby\n{BLOCK}```\n")
    assert (without_lines(found.edits), found.left_out) == ([Replace("w.rb", "old\n", "new\n")], [])


def test_a_fence_that_lists_files_names_none() -> None:
    found = understand("```\nsrc/a.py\nsrc/b.py\n```\n\n```python\nprint(1)\n```\n")
    assert found.edits == []


def test_a_sentence_may_name_a_file_of_windows_without_its_folders() -> None:
    answer = f"src\\ui\\a.rb\n\nIn `a.rb` this goes:\n\n```ruby\n{BLOCK}```\n"
    assert without_lines(parse(answer)) == [Replace("src\\ui\\a.rb", "old\n", "new\n")]


# --- what outranks what ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["### `s.rb`\n\nIt is now:\n", "s.rb\n\nIt is now:\n", "In `lib/s.rb`:\n"])
def test_a_block_outranks_a_fence_that_may_show_its_file(named: str) -> None:
    found = understand(f"{named}\n```ruby\nold\n```\n\nlib/s.rb\n```ruby\n{BLOCK}```\n")
    assert without_lines(found.edits) == [Replace("lib/s.rb", "old\n", "new\n")]
    assert [one.describe() for one in found.left_out if one.beside]


def test_two_fences_that_may_show_a_file_do_not_matter_beside_a_block() -> None:
    fence = "```ruby\nold\n```\n"
    found = understand(f"s.rb\n\nIt was:\n\n{fence}\nIt is:\n\n{fence}\ns.rb\n{BLOCK}")
    assert without_lines(found.edits) == [Replace("s.rb", "old\n", "new\n")]
    assert [(one.rivals, one.beside) for one in found.left_out] == [("", "s.rb")] * 2
