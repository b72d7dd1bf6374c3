"""Calls of other programs' editing tools, as models write them in tags and logs hold them."""

from __future__ import annotations

import json

import pytest

from motet.edits import Delete, Edit, Insert, Move, Near, Replace, Write, parse
from motet.errors import EditFormatError, NoEdits

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-old\n+new\n*** End Patch"
HINTED = BLOCK.replace("old", ":start_line:3\n-------\nold")


def found(answer: str) -> list[Edit]:
    edits = parse(f"I will do that.\n\n{answer}\n\nDone.\n")
    assert all(edit.line >= 3 for edit in edits)
    return [type(edit)(**{name: getattr(edit, name) for name in edit.__slots__} | {"line": 1}) for edit in edits]


def invoke(name: str, prefix: str = "", **values: str) -> str:
    inner = "".join(f'<{prefix}parameter name="{key}">{value}</{prefix}parameter>\n' for key, value in values.items())
    return f'<{prefix}function_calls>\n<{prefix}invoke name="{name}">\n{inner}</{prefix}invoke>\n</{prefix}function_calls>'


def function(name: str, **values: str) -> str:
    inner = "".join(f"<parameter={key}>{value}</parameter>\n" for key, value in values.items())
    return f"<function={name}>\n{inner}</function>"


INLINE = Replace("a.py", "old", "new", inline=True)
ALL = Replace("a.py", "old", "new", inline=True, replace_all=True)
WHOLE = Write("a.py", "x = 1\n")
SHOWN = Write("a.py", "x = 1\n", shown=True)  # in prose, so that it may be a piece
CODE = "if a < b && c:\n    print('</p>')\n"


# --- tags ------------------------------------------------------------------------------------------------------

TAGS = {
    "roo diff": (f"<apply_diff>\n<path>a.py</path>\n<diff>\n{BLOCK}</diff>\n</apply_diff>", [Replace("a.py", "old\n", "new\n")]),
    "roo hint": (
        f"<apply_diff>\n<path>a.py</path>\n<diff>\n{HINTED}</diff>\n</apply_diff>",
        [Replace("a.py", "old\n", "new\n", near=Near(3, apart=1))],
    ),
    "roo lines": (
        f"<apply_diff>\n<path>a.py</path>\n<diff>\n{BLOCK}</diff>\n<start_line>1</start_line>\n<end_line>2</end_line>\n</apply_diff>",
        [Replace("a.py", "old\n", "new\n")],
    ),
    "roo files": (
        "<apply_diff>\n<args>\n"
        + "".join(
            f"<file>\n  <path>{name}</path>\n  <diff>\n    <content><![CDATA[\n{BLOCK}]]></content>\n"
            "    <start_line>1</start_line>\n  </diff>\n</file>\n"
            for name in ("a.py", "b.py")
        )
        + "</args>\n</apply_diff>",
        [Replace("a.py", "old\n", "new\n"), Replace("b.py", "old\n", "new\n")],
    ),
    "roo insert": (
        "<insert_content>\n<path>a.py</path>\n<line>3</line>\n<content>\nx = 1\n</content>\n</insert_content>",
        [Insert("a.py", "x = 1\n", Near(3))],
    ),
    "roo append": (
        "<insert_content>\n<path>a.py</path>\n<line>0</line>\n<content>\nx = 1\n</content>\n</insert_content>",
        [Insert("a.py", "x = 1\n", Near(at_end=True))],
    ),
    "roo search": (
        "<search_and_replace>\n<path>a.py</path>\n<search>old</search>\n<replace>new</replace>\n</search_and_replace>",
        [ALL],
    ),
    "cline": ("<write_to_file>\n<path>a.py</path>\n<content>\nx = 1\n</content>\n</write_to_file>", [SHOWN]),
    "cline counted": (
        "<write_to_file>\n<path>a.py</path>\n<content>x = 1\n</content>\n<line_count>1</line_count>\n</write_to_file>",
        [SHOWN],
    ),
    "claude": (invoke("Edit", file_path="a.py", old_string="old", new_string="new"), [INLINE]),
    "claude with its prefix": (invoke("Edit", "antml:", file_path="a.py", old_string="old", new_string="new"), [INLINE]),
    "claude all": (invoke("Edit", file_path="a.py", old_string="old", new_string="new", replace_all="true"), [ALL]),
    "claude set off": (invoke("Edit", file_path="a.py", old_string="\nold\n", new_string="\nnew\n"), [INLINE]),
    "claude as it stands": (
        invoke("Edit", file_path="a.py", old_string="\nold\n", new_string="new"),
        [Replace("a.py", "\nold\n", "new", inline=True)],
    ),
    "claude code": (
        invoke("Edit", file_path="a.py", old_string="old", new_string=CODE),
        [Replace("a.py", "old", CODE, inline=True)],
    ),
    "claude write": (invoke("Write", file_path="a.py", content="x = 1\n"), [SHOWN]),
    "claude multi": (
        invoke("MultiEdit", file_path="a.py", edits=json.dumps([{"old_string": "old", "new_string": "new"}])),
        [INLINE],
    ),
    "openhands": (
        function("str_replace_editor", command="str_replace", path="a.py", old_str="\nold\n", new_str="\nnew\n"),
        [INLINE],
    ),
    "openhands create": (
        function("str_replace_editor", command="create", path="a.py", file_text="\nx = 1\n"),
        [SHOWN],
    ),
    "openhands insert": (
        function("str_replace_editor", command="insert", path="a.py", insert_line="2", new_str="x = 1"),
        [Insert("a.py", "x = 1\n", Near(3))],
    ),
    "zed": (
        "a.py\n<edits>\n\n<old_text line=3>\nold\n</old_text>\n<new_text>\nnew\n</new_text>\n\n"
        "<old_text>old</old_text>\n<new_text>new</new_text>\n\n</edits>",
        [Replace("a.py", "old", "new", near=Near(3, apart=1), inline=True), INLINE],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAGS)
@pytest.mark.parametrize("fence", ["", "xml"])
def test_a_call_in_tags_is_read(name: str, fence: str) -> None:
    text, edits = TAGS[name]
    assert found(f"```{fence}\n{text}\n```" if fence else text) == edits


def test_tags_in_the_code_are_code() -> None:
    text = "<p>a</content>\n<p>b</p>\n"
    assert found(f"<write_to_file>\n<path>a.py</path>\n<content>\n{text}</content>\n</write_to_file>") == [
        Write("a.py", text, shown=True)
    ]
    assert found(invoke("Edit", file_path="a.py", old_string="b</parameter>\nc", new_string="d")) == [
        Replace("a.py", "b</parameter>\nc", "d", inline=True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        function("str_replace_editor", command="view", path="a.py"),
        invoke("Bash", command="ls"),
        "Use <write_to_file> to write a file, and <edits> to edit one.",
        "<edits> is what Zed wants.",
    ],
)
def test_what_edits_nothing_is_no_edit(text: str) -> None:
    with pytest.raises(NoEdits):
        found(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<write_to_file>\n<path>a.py</path>\n<content>\nx\n", "line 3: <write_to_file> is not closed"),
        (
            "<write_to_file>\n<path>a</path>\n<content>\nx</content>\n<path>b</path>\n</write_to_file>",
            "in the call of line 3: line 1: 'path' is given twice",
        ),
        (
            "<write_to_file>\n<path>a</path>\nx\n<content>y</content>\n</write_to_file>",
            "in the call of line 3: line 1: it is not clear what <write_to_file> holds",
        ),
        (
            "<search_and_replace>\n<path>a</path>\n<search>o.*</search>\n<replace>n</replace>\n<use_regex>true</use_regex>\n"
            "</search_and_replace>",
            "in the call of line 3: line 1: the call: 'use_regex' is not done: give the text as it stands in the file",
        ),
        (
            "<write_to_file>\n<content>\nx\n</content>\n</write_to_file>",
            "in the call of line 3: line 1: the call: no path says which file it is for",
        ),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused(text: str, message: str) -> None:
    with pytest.raises(EditFormatError) as caught:
        found(text)
    assert str(caught.value) == message


# --- JSON ------------------------------------------------------------------------------------------------------


def operation(kind: str, **values: str) -> dict[str, object]:
    return {"type": "apply_patch_call", "id": "1", "operation": {"type": kind, "path": "a.py", **values}}


def shell(*command: str) -> dict[str, object]:
    return {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": command})}


CHANGED = Replace("a.py", "old\n", "new\n")
UNIFIED = "@@ -1 +1 @@\n-old\n+new\n"
HUNK = Replace("a.py", "old\n", "new\n", near=Near(1, apart=10))

CALLS = {
    "update": (operation("update_file", diff="@@\n-old\n+new\n"), [CHANGED]),
    "create": (operation("create_file", diff="+x = 1\n"), [Write("a.py", "x = 1\n", create=True)]),
    "delete": (operation("delete_file"), [Delete("a.py")]),
    "in a response": ({"id": "r", "output": [operation("update_file", diff="@@\n-old\n+new")]}, [CHANGED]),
    "bare operation": ({"type": "update_file", "path": "a.py", "diff": "@@\n-old\n+new"}, [CHANGED]),
    "codex shell": (shell("apply_patch", PATCH), [CHANGED]),
    "codex here-document": (shell("bash", "-lc", f"cd . && apply_patch <<'EOF'\n{PATCH}\nEOF\n"), [CHANGED]),
    "codex bare": ({"command": ["apply_patch", PATCH]}, [CHANGED]),
    "codex custom": ({"type": "custom_tool_call", "name": "apply_patch", "input": PATCH}, [CHANGED]),
    "codex rollout": (
        {"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH}},
        [CHANGED],
    ),
    "codex changes": (
        {
            "type": "apply_patch_approval_request",
            "changes": {
                "a.py": {"update": {"unified_diff": UNIFIED, "move_path": None}},
                "b.py": {"add": {"content": "x = 1\n"}},
                "c.py": {"delete": {"content": "x"}},
            },
        },
        [HUNK, Write("b.py", "x = 1\n", create=True), Delete("c.py")],
    ),
    "codex moves": (
        {"changes": {"a.py": {"type": "update", "unified_diff": UNIFIED, "move_path": "b.py"}}},
        [Move("a.py", "b.py"), HUNK],
    ),
    "gemini": (
        {"name": "replace", "args": {"file_path": "a.py", "old_string": "old", "new_string": "new"}},
        [INLINE],
    ),
    "gemini write": ({"name": "write_file", "args": {"file_path": "a.py", "content": "x = 1\n"}}, [WHOLE]),
    "roo": ({"name": "apply_diff", "arguments": {"path": "a.py", "diff": BLOCK}}, [CHANGED]),
    "cline": ({"name": "write_to_file", "arguments": {"path": "a.py", "content": "x = 1\n"}}, [WHOLE]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_call_in_json_is_read(name: str, indent: int | None) -> None:
    value, edits = CALLS[name]
    assert found(json.dumps(value, indent=indent)) == edits


def test_a_list_of_calls_is_read() -> None:
    calls = [
        {"type": "tool_use", "name": "Edit", "input": {"file_path": f"{n}.py", "old_string": "a", "new_string": "b"}}
        for n in "xy"
    ]
    assert [edit.path for edit in found(json.dumps(calls))] == ["x.py", "y.py"]
    assert [edit.path for edit in found(json.dumps(calls[:1]))] == ["x.py"]


@pytest.mark.parametrize(
    "value",
    [
        shell("ls"),
        {"changes": {"a": 1}},
        {"name": "Bash", "arguments": {"command": "ls"}},
        {"operation": {"type": "add"}},
    ],
)
def test_other_json_is_no_edit(value: dict[str, object]) -> None:
    with pytest.raises(NoEdits):
        found(json.dumps(value))
