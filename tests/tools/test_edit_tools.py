"""One tool a format: what a model is told about it, and what its calls come to."""

import json
from typing import Any

import pytest
from tools.desk_kit import Place

from motet.edits import Delete, Replace, Write
from motet.edits.formats.anchors import anchor_of
from motet.errors import UsageError
from motet.messages import ToolCall
from motet.tools import EditCall, Toolbox
from motet.tools.builtin import EDIT_TOOLS, edit_tool

TEN = "".join(f"line {n}\n" for n in range(1, 11))
BLOCK = "<<<<<<< SEARCH\nline 2\n=======\ntwo\n>>>>>>> REPLACE\n"
PATCH = """\
*** Begin Patch
*** Update File: a.py
*** Move to: b.py
@@
 line 1
-line 2
+two
 line 3
*** Add File: new.py
+x = 1
*** Delete File: old.py
*** End Patch
"""


def anchor(line: int) -> str:
    return f"{line}:{anchor_of(f'line {line}', line).hash}"


def box(place: Place, format: str) -> Toolbox:
    return Toolbox([edit_tool(format, place.desk())])


def call(place: Place, format: str, arguments: object, id: str = "1") -> ToolCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(id, edit_tool(format, place.desk()).spec.name, text)


@pytest.mark.parametrize(
    ("format", "arguments"),
    [
        ("replace_in_file", {"path": "a.py", "diff": BLOCK}),
        ("edit_file", {"path": "a.py", "edits": [{"old": "line 2", "new": "two"}]}),
        ("edit_file", {"path": "a.py", "edits": [{"old": "line 2\n", "new": "two\n", "near": 2}]}),
        ("edit_file", {"file_path": "./a.py", "old_string": "line 2", "new_string": "two"}),
        ("whole_file", {"path": "a.py", "content": TEN.replace("line 2", "two")}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Update File: a.py\n@@\n-line 2\n+two\n*** End Patch"}),
        ("anchored", {"path": "a.py", "edits": [{"replace": anchor(2), "text": "two\n"}]}),
    ],
)
@pytest.mark.acceptance("SP-05", "S1-014", "S1-002")
async def test_the_same_edit_in_every_format(place: Place, format: str, arguments: object) -> None:
    place.write("a.py", TEN)
    (output,) = await box(place, format).run([call(place, format, arguments)])
    assert place.files == {"a.py": TEN.replace("line 2", "two").encode()}
    assert (output.text, output.is_error) == ("a.py: applied 1 of 1 hunk", False)


async def test_one_patch_changes_several_files_and_is_reported_as_a_whole(place: Place) -> None:
    place.write("a.py", TEN)
    place.write("old.py", "old\n")
    (output,) = await box(place, "apply_patch").run([call(place, "apply_patch", {"patch": PATCH})])
    assert place.files == {"b.py": TEN.replace("line 2", "two").encode(), "new.py": b"x = 1\n"}
    assert (output.text, output.is_error) == (
        "a.py: moved to b.py, applied 1 of 1 hunk\n\n"
        "new.py: created, applied 1 of 1 hunk\n\n"
        "old.py: deleted\n\n"
        "Applied changes to 3 of 3 files.",
        False,
    )


@pytest.mark.acceptance("CL-03")
async def test_a_patch_of_which_one_file_does_not_fit_says_which(memory: Place) -> None:
    memory.write("a.py", TEN)
    (output,) = await box(memory, "apply_patch").run([call(memory, "apply_patch", {"patch": PATCH})])
    assert memory.files == {"b.py": TEN.replace("line 2", "two").encode(), "new.py": b"x = 1\n"}
    assert output.is_error
    assert "\n\nold.py: refused (not_found): there is no such file\n" in output.text
    assert output.text.endswith("\n\nApplied changes to 2 of 3 files.")


async def test_calls_of_several_files_are_each_told_about_their_own(memory: Place) -> None:
    memory.write("a.py", TEN)
    calls = [
        call(memory, "edit_file", {"path": "a.py", "edits": [{"old": "line 2", "new": "two"}]}),
        call(memory, "edit_file", {"path": "b.py", "edits": [{"old": "line 2", "new": "two"}]}),
        call(memory, "edit_file", {"path": "./a.py", "edits": [{"old": "line 9", "new": "nine"}]}),
    ]
    outputs = await box(memory, "edit_file").run(calls)
    assert memory.files == {"a.py": TEN.replace("line 2", "two").replace("line 9", "nine").encode()}
    assert [(output.text.splitlines()[0], output.is_error) for output in outputs] == [
        ("a.py: applied 2 of 2 hunks", False),
        ("b.py: refused (not_found): there is no such file", True),
        ("a.py: applied 2 of 2 hunks", False),
    ]


async def test_edits_that_were_read_from_text_go_to_whatever_edit_tool_there_is(memory: Place) -> None:
    memory.write("a.py", TEN)
    memory.write("b.py", TEN)
    edits = [Replace("a.py", "line 2\n", "=======\n"), Write("c.py", "c\n")]
    calls = [EditCall("1", "replace_in_file", "{}", tuple(edits)), EditCall("2", "x", "{}", (Delete("b.py"),))]
    outputs = await box(memory, "anchored").run(calls)
    assert memory.files == {"a.py": TEN.replace("line 2", "=======").encode(), "c.py": b"c\n"}
    assert [output.text.splitlines()[-1] for output in outputs] == [
        "Applied changes to 3 of 3 files.",
        "b.py: deleted",
    ]


async def test_without_any_edit_tool_edits_in_text_are_refused(memory: Place) -> None:
    (output,) = await Toolbox().run([EditCall("1", "replace_in_file", "{}", (Delete("b.py"),))])
    assert (output.text, output.is_error) == ("there is no tool 'replace_in_file' here; the tools are: none", True)


@pytest.mark.parametrize(
    ("format", "name", "arguments", "required"),
    [
        ("replace_in_file", "replace_in_file", ["path", "diff"], ["path", "diff"]),
        ("edit_file", "edit_file", ["path", "edits"], ["path", "edits"]),
        ("whole_file", "write_file", ["path", "content"], ["path", "content"]),
        ("apply_patch", "apply_patch", ["patch"], ["patch"]),
        ("anchored", "edit_anchored", ["path", "edits"], ["path", "edits"]),
    ],
)
def test_what_a_model_is_told_about_each_tool(
    memory: Place, format: str, name: str, arguments: list[str], required: list[str]
) -> None:
    definition = edit_tool(format, memory.desk()).spec.definition
    schema: Any = definition.schema
    assert (definition.name, list(schema["properties"]), schema["required"]) == (name, arguments, required)
    assert all(schema["properties"][argument]["description"] for argument in arguments)
    assert "The human reviews every change." in definition.description


def test_an_edit_of_the_edit_file_tool_needs_only_the_old_and_the_new_text(memory: Place) -> None:
    schema: Any = edit_tool("edit_file", memory.desk()).spec.definition.schema
    pair = schema["$defs"]["TextPair"]
    assert (list(pair["properties"]), pair["required"]) == (["old", "new", "replace_all", "near"], ["old", "new"])


@pytest.mark.parametrize("format", ["search_replace", "udiff", "xml", "nonsense"])
def test_a_format_without_a_tool_is_refused_with_those_that_have_one(memory: Place, format: str) -> None:
    with pytest.raises(
        UsageError, match=f"'{format}' is no edit format with a tool; choose one of replace_in_file, "
    ):
        edit_tool(format, memory.desk())
    assert format not in EDIT_TOOLS
