"""Whole files in fences: which file it is, and where its text ends."""

import pytest

from motet.edits import RefusalReason, Replace, Write, parse, plan
from motet.errors import EditFormatError
from motet.text import TextFile


def found(answer: str, path: str = "") -> list[tuple[str, str]]:
    edits = parse(answer, "whole_file", path=path)
    return [(edit.path, edit.text) for edit in edits if isinstance(edit, Write)]


def error(answer: str, path: str = "") -> str:
    with pytest.raises(EditFormatError) as caught:
        parse(answer, "whole_file", path=path)
    return str(caught.value)


@pytest.mark.acceptance("S1-018")
@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("src/a.py\n```python\n", "```"),
        ("**src/a.py**\n\n```\n", "```"),
        ("```python src/a.py\n", "```"),
        ("```python:src/a.py\n", "```"),
        ("### File: `src/a.py` (new)\n~~~~~python\n", "~~~~~"),
        ("src/a.py\n````\n", "`````"),
        ("src/a.py\n<source>python\n", "</source>"),
        ("- src/a.py:\n```python\n", "```  "),
    ],
)
def test_the_path_stands_before_the_fence_or_in_its_info_string(head: str, end: str) -> None:
    assert found(f"Here it is.\n\n{head}import os\n\nos.sep\n{end}\nDone.") == [("src/a.py", "import os\n\nos.sep\n")]


def test_several_files_come_in_order_with_the_lines_where_their_fences_open() -> None:
    answer = "a.py\n```\n1\n```\n\nb.py\n```\n2\n```\n"
    assert parse(answer, "whole_file", call="c") == [
        Write("a.py", "1\n", call="c", line=2),
        Write("b.py", "2\n", call="c", line=7),
    ]


def test_an_empty_fence_is_an_empty_file() -> None:
    assert found("a/__init__.py\n```python\n```") == [("a/__init__.py", "")]


def test_a_fence_that_is_indented_takes_its_indentation_with_it() -> None:
    assert found("1. a.py\n   ```python\n   if x:\n       y\n\n   ```\n") == [("a.py", "if x:\n    y\n\n")]


def test_fences_without_a_path_are_examples() -> None:
    answer = "Install it:\n```bash\npip install x\n```\na.py\n```python\nx\n```\n\nIt prints:\n\n```\nhello\n```\n"
    assert found(answer) == [("a.py", "x\n")]


@pytest.mark.parametrize("fence", ["```12:20:src/a.py", "```python src/a.py:12-20", "```py src/a.py#L3-L9"])
def test_a_fence_that_cites_lines_of_a_file_is_no_whole_file(fence: str) -> None:
    assert error(f"{fence}\nx\n```") == "the answer holds no edit in the format whole_file"


def test_a_longer_fence_holds_shorter_ones() -> None:
    text = "# Title\n```\nmake\n```\nmore\n"
    assert found(f"README.md\n````markdown\n{text}````\nDone.\n```\nx\n```") == [("README.md", text)]


def test_a_fence_with_an_info_string_within_the_text_takes_its_end_with_it() -> None:
    text = "# Title\n```bash\nmake\n```\nmore\n~~~\nx\n~~~\n"
    assert found(f"README.md\n```markdown\n{text}```\nDone.") == [("README.md", text)]


def test_an_indented_fence_does_not_end_the_text() -> None:
    text = '"""\n    ```\n    x\n    ```\n"""\n'
    assert found(f"a.py\n```python\n{text}```\n") == [("a.py", text)]


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    ("path", "text"), [("README.md", "# T\n\n```\n\nmake\n```\n\nmore\n"), ("a.py", '"""\n```\n>>> x\n```\n"""\n')]
)
def test_a_text_that_could_end_at_a_fence_within_it_is_refused(path: str, text: str) -> None:
    assert error(f"{path}\n```\n{text}```\n").endswith(" or goes on; put a longer fence around it")


def test_an_example_after_a_markdown_file_is_told_by_its_info_string() -> None:
    assert found("README.md\n```\n# T\n```\nTry:\n```bash\nmake\n```\n") == [("README.md", "# T\n")]


@pytest.mark.acceptance("T-24")
def test_a_file_that_was_cut_off_is_refused() -> None:
    assert error("a.py\n```python\nx = 1\n") == "line 2: the fence around the text of a.py is not closed"


def test_the_path_given_beside_the_answer_belongs_to_its_only_fence() -> None:
    assert found("Here:\n```python\nx\n```\nRun it:\n```bash\npython a.py\n```", "a.py") == [("a.py", "x\n")]
    assert found("```bash\nmake\n```", "run.sh") == [("run.sh", "make\n")]


@pytest.mark.acceptance("T-24")
def test_two_fences_for_one_given_path_are_refused() -> None:
    assert error("```python\nx\n```\n```python\ny\n```", "a.py") == (
        "line 4: it is not clear whether this fence or that of line 1 is a.py; name the file of each on the line before"
    )


def test_the_arguments_may_come_as_json() -> None:
    assert found(r'{"path": "a.py", "content": "x = 1\n"}') == [("a.py", "x = 1\n")]


# --- conflicts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"), [("HEAD", "updated"), ("ORIGINAL", "UPDATED"), ("SEARCH", "REPLACE"), ("a.css", "b c")]
)
def test_a_fence_of_conflicts_is_edits(ours: str, theirs: str) -> None:
    base = "||||||| base\nx {}\n"
    conflicts = [
        f"<<<<<<< {ours}\na{n} {{}}\n{base if n == 2 and ours == 'HEAD' else ''}=======\nb{n} {{}}\n>>>>>>> {theirs}\n"
        for n in (1, 2)
    ]
    edits = parse("a.css\n```css\n" + "\n".join(conflicts) + "```\n")
    assert [(type(edit), edit.path, edit.line) for edit in edits] == [
        (Replace, "a.css", 3),
        (Replace, "a.css", edits[1].line),
    ]
    assert [(edit.search, edit.replace) for edit in edits] == [(f"a{n} {{}}\n", f"b{n} {{}}\n") for n in (1, 2)]


def test_a_block_of_original_and_updated_needs_no_fence() -> None:
    assert parse("a.css\n<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n") == [
        Replace("a.css", "a\n", "b\n", line=2)
    ]


CONFLICT = "<<<<<<< HEAD\na {}\n=======\nb {}\n>>>>>>> updated\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{CONFLICT}more {{}}\n",
        f"more {{}}\n{CONFLICT}",
        CONFLICT.replace("a {}\n", ""),
        CONFLICT.replace(">>>>>>> updated\n", ""),
    ],
)
@pytest.mark.parametrize("before", ["", "a {}\n"])
def test_a_conflict_never_becomes_the_text_of_a_file(text: str, before: str) -> None:
    files = {"a.css": TextFile.decode("a.css", before.encode())} if before else {}
    [planned] = plan(files, parse(f"a.css\n```css\n{text}```\n")).files
    assert [one.reason for one in planned.refusals] == [RefusalReason.BAD_FORMAT]


def test_a_conflict_that_the_file_itself_holds_is_no_edit() -> None:
    [planned] = plan(
        {"a.css": TextFile.decode("a.css", CONFLICT.encode())}, parse(f"a.css\n```css\n{CONFLICT}```\n")
    ).files
    assert [one.reason for one in planned.refusals] == [RefusalReason.BAD_FORMAT]


def test_documents_may_show_a_conflict() -> None:
    text = f"So:\n{CONFLICT}"
    [planned] = plan({}, parse(f"a.md\n```\n{text}```\n")).files
    assert planned.after is not None
    assert planned.after.text == text
