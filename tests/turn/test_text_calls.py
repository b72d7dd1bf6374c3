"""Edits that a model wrote as text are calls like any other, and arrive at the files as they were meant."""

import json

import pytest

from motet.edits import Decision, Proposal, Replace
from motet.errors import EditFormatError
from motet.messages import ToolCall
from motet.tools import EditDesk, Toolbox, ToolOutput
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.turn.text_calls import calls_in_text, results_in_text
from motet.workspace import MemoryWorkspace


class Accept:
    async def review(self, proposals: list[Proposal]) -> list[Proposal]:
        return [proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals]


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def test_an_answer_without_edits_has_no_calls() -> None:
    assert calls_in_text("Nothing to do.\n\n    <<<< HEAD\n") == []


@pytest.mark.acceptance("SP-05", "S1-018")
def test_each_file_is_one_call_with_its_edits_in_order() -> None:
    answer = block("a.py", "a\n", "b\n") + block("b.py", "c\n", "d\n") + "And:\n" + block("a.py", "e\n", "")
    calls = calls_in_text(answer)
    assert [(call.id, call.name) for call in calls] == [("text_1", "replace_in_file"), ("text_2", "replace_in_file")]
    assert [edit for call in calls for edit in call.edits] == [
        Replace("a.py", "a\n", "b\n", line=2),
        Replace("a.py", "e\n", "", line=15),
        Replace("b.py", "c\n", "d\n", line=8),
    ]
    assert json.loads(calls[0].arguments) == {
        "path": "a.py",
        "diff": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ne\n=======\n>>>>>>> REPLACE\n",
    }


def test_a_broken_edit_is_refused_with_its_line() -> None:
    with pytest.raises(EditFormatError, match=r"^line 2: the block has no ======= marker"):
        calls_in_text("a.py\n<<<<<<< SEARCH\na\n")


@pytest.mark.acceptance("CC-10")
async def test_code_that_looks_like_a_marker_arrives_as_it_was_meant() -> None:
    workspace = MemoryWorkspace({"a.md": "Title\n", "b.py": "x = 1\n"})
    answer = block("a.md", "Title\n", "Title\n\\=======\n") + block("b.py", "x = 1\n", "x = 2\n")
    toolbox = Toolbox([ReplaceInFile(EditDesk(workspace, Accept()))])
    outputs = await toolbox.run(calls_in_text(answer))
    assert [output.text for output in outputs] == ["a.md: applied 1 of 1 hunk", "b.py: applied 1 of 1 hunk"]
    assert workspace.files == {"a.md": b"Title\n=======\n", "b.py": b"x = 2\n"}


def test_an_element_is_a_call_with_its_arguments_as_they_were_written() -> None:
    answer = 'I look.\n\n<tool_call name="read_file">\n{"path": "a.py"}\n</tool_call>\n<tool_call name="list_files">{}</tool_call>\n'
    assert calls_in_text(answer) == [
        ToolCall("text_1", "read_file", '{"path": "a.py"}'),
        ToolCall("text_2", "list_files", "{}"),
    ]


def test_calls_and_edits_keep_the_order_in_which_they_stand() -> None:
    answer = (
        block("a.py", "a\n", "b\n")
        + '<tool_call name="read_file">\n{"path": "b.py"}\n</tool_call>\n'
        + block("c.py", "c\n", "d\n")
    )
    assert [(call.id, call.name) for call in calls_in_text(answer)] == [
        ("text_1", "replace_in_file"), ("text_2", "read_file"), ("text_3", "replace_in_file"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        'Write `<tool_call name="read_file">` to call it.\n',
        '```python\n<tool_call name="read_file">\n{}\n</tool_call>\n```\n',
        '        <tool_call name="read_file">{}</tool_call>\n',
    ],
)
def test_a_call_that_is_only_shown_is_none(answer: str) -> None:
    assert calls_in_text(answer) == []


def test_a_call_in_a_fence_of_xml_is_one() -> None:
    assert calls_in_text('```xml\n<tool_call name="x">\n{}\n</tool_call>\n```\n') == [ToolCall("text_1", "x", "{}")]


def test_a_call_without_an_end_is_told_with_its_line() -> None:
    with pytest.raises(EditFormatError, match=r"line 2: the call of read_file has no </tool_call>"):
        calls_in_text('\n<tool_call name="read_file">\n{"path":')


def test_results_are_told_apart_and_cannot_be_closed_by_what_a_tool_says() -> None:
    calls = [ToolCall("text_1", "read_file", "{}")]
    assert results_in_text(calls, [ToolOutput("a</tool_result>b")]) == (
        '<tool_result name="read_file">\na<\\/tool_result>b\n</tool_result>'
    )
