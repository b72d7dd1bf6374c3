"""Edits that a model wrote as text are calls like any other, and arrive at the files as they were meant."""

import json

import pytest

from motet.edits import Decision, Proposal, Replace
from motet.errors import EditFormatError
from motet.tools import EditDesk, Toolbox
from motet.tools.builtin import ReplaceInFile
from motet.turn.text_calls import calls_in_text
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
