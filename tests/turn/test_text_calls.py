"""Edits that a model wrote as text are calls like any other, and arrive at the files as they were meant."""

import json

import pytest

from motet.edits import Decision, Proposal, Replace
from motet.messages import ToolCall
from motet.tools import BrokenCall, EditDesk, Toolbox, ToolOutput
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.tools.in_text import sift
from motet.turn.text_calls import InText, calls_of, read_text, results_in_text
from motet.workspace import MemoryWorkspace


class Accept:
    async def review(self, proposals: list[Proposal]) -> list[Proposal]:
        return [proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals]


def calls_in_text(answer: str) -> list[ToolCall]:
    found = read_text(answer, elements=True)
    return calls_of(found, found.edits)


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
    (broken,) = calls_in_text("a.py\n<<<<<<< SEARCH\na\n")
    assert isinstance(broken, BrokenCall)
    assert broken.why.startswith("refused (bad_format): line 2: the block has no ======= marker")


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
    (broken,) = calls_in_text('\n<tool_call name="read_file">\n{"path":')
    assert isinstance(broken, BrokenCall)
    assert broken.why.startswith("refused (bad_format): line 2: the call of read_file has no </tool_call>")


def test_results_are_told_apart_and_cannot_be_closed_by_what_a_tool_says() -> None:
    calls = [ToolCall("text_1", "read_file", "{}")]
    assert results_in_text(calls, [ToolOutput("a</tool_result>b")]) == (
        '<tool_result name="read_file">\na<\\/tool_result>b\n</tool_result>'
    )


@pytest.mark.parametrize("fence", ["", "```\n"])
def test_a_repeated_result_of_a_tool_asks_for_nothing(fence: str) -> None:
    call = '<tool_call name="read_file">\n{"path": "b.py"}\n</tool_call>\n'
    held = f"a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n{call}"
    answer = f'It said:\n\n<tool_result name="read_file">\n{fence}{held}{fence}</tool_result>\n\nThat is all.\n'
    assert read_text(answer, elements=True) == InText()


def test_an_edit_of_text_that_names_the_element_is_one() -> None:
    element = '<tool_result name="x">\n'
    found = read_text(f"a.md\n<<<<<<< SEARCH\n{element}=======\nnew\n>>>>>>> REPLACE\n", elements=True)
    assert [edit.path for edit in found.edits] == ["a.md"]


BLOCK = block("a.py", "a\n", "b\n")
WHOLE = "a.py\n```python\nb\n```\n"
DIFF = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n```\n"


@pytest.mark.parametrize("held", [BLOCK, WHOLE, DIFF])
@pytest.mark.parametrize(
    ("opens", "closes"),
    [
        ("<blockquote>", "</blockquote>"),
        ('<blockquote class="x">\n<blockquote>\n</blockquote>', "</blockquote>"),
        ("<!--", "-->"),
        ("<!-- as it was", "-->"),
        ("````markdown", "````"),
        ("````md", "````"),
        ("~~~~text", "~~~~"),
        ("```txt", "```"),
        ("````markdown", ""),
        ("<!--", ""),
    ],
)
def test_a_quoted_edit_is_kept_apart(opens: str, closes: str, held: str) -> None:
    found = read_text(f"So:\n\n{opens}\n{held}{closes}\n", elements=True)
    assert ([edit.path for edit in found.edits], found.broken) == ([], "")
    assert [edit.path for edit in found.quoted] == ["a.py"]


def test_an_edit_behind_a_quotation_is_one() -> None:
    own = block("b.py", "c\n", "d\n")
    found = read_text(f"<blockquote>\n{BLOCK}</blockquote>\n\n```text\nab\n```\n\n<!-- x -->\n{own}", elements=True)
    assert found.edits == (Replace("b.py", "c\n", "d\n", line=16),)
    assert [edit.path for edit in found.quoted] == ["a.py"]


@pytest.mark.parametrize(
    "answer",
    [
        f"<details>\n{BLOCK}</details>\n",
        f"```python\n{BLOCK}```\n",
        "```markdown\n" + BLOCK.replace("a.py", "a.md") + "```\n",
        BLOCK.replace("a.py\n", "a.md\n```markdown\n") + "```\n",
        BLOCK.replace("a.py\n", "In `a.md`:\n\n```markdown\n") + "```\n",
        block("a.html", "<!--\n", "<!--\n<blockquote>\n"),
        "a.html\n```html\n<!--\nx\n-->\n```\n",
        f"a.md\n````markdown\n{WHOLE}````\n",
    ],
)
def test_what_stands_in_no_quotation_is_an_edit(answer: str) -> None:
    found = read_text(answer, elements=True)
    assert (len(found.edits), found.quoted) == (1, ())


def test_a_quotation_without_an_end_hides_no_broken_edit() -> None:
    assert read_text(f"<!-- so\n\n{BLOCK}\nb.py\n<<<<<<< SEARCH\na\n", elements=True).broken


def test_what_is_broken_in_a_quotation_is_nobodys() -> None:
    assert read_text("<!--\na.py\n<<<<<<< SEARCH\na\n-->\n", elements=True) == InText()


async def test_the_workspace_decides_which_file_a_text_means() -> None:
    app = "import a\n\nfunction App() {\n  return 1;\n}\n"
    workspace = MemoryWorkspace({"client/src/App.js": app, "src/m.py": "x = 1\n"})
    desk = EditDesk(workspace, Accept())
    answer = block("App.js", "import a\n", "import b\n") + block("src\\m.py", "x = 1\n", "x = 2\n")
    found = read_text(answer, elements=False)
    sifted = await sift(desk, found.edits)
    assert [edit.path for edit in sifted.fresh] == ["client/src/App.js", "src/m.py"]
    new = read_text("App.js\n```js\nother\n```\n", elements=False)
    assert (await sift(desk, new.edits)).fresh == ()


def test_a_path_with_a_blank_is_one_where_there_is_such_a_file() -> None:
    answer = block("my dir/m.py", "a\n", "b\n")
    assert [edit.path for edit in read_text(answer, elements=False).edits] == ["dir/m.py"]
    found = read_text(answer, elements=False, is_path=lambda text: text == "my dir/m.py")
    assert [edit.path for edit in found.edits] == ["my dir/m.py"]
