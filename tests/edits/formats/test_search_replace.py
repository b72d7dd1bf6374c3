"""Blocks in plain text, each for the file that the answer names."""

import pytest

from motet.edits import parse, parse_search_replace
from motet.errors import EditFormatError

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"


def found(answer: str) -> list[tuple[str, str, str]]:
    return [(edit.path, edit.search, edit.replace) for edit in parse_search_replace(answer)]


def paths(answer: str) -> list[str]:
    return [edit.path for edit in parse_search_replace(answer)]


def error(answer: str) -> str:
    with pytest.raises(EditFormatError) as caught:
        parse_search_replace(answer)
    assert str(caught.value).startswith(f"line {caught.value.line}: ")
    return str(caught.value)


@pytest.mark.acceptance("S0-114", "S1-018")
@pytest.mark.parametrize(
    "head",
    [
        "src/a.py\n```python\n",
        "src/a.py\n",
        "```python src/a.py\n",
        "**src/a.py**\n\n```\n",
        "**`src/a.py`:**\n```\n",
        "File: `src/a.py`\n~~~~\n",
        "**File:** src/a.py\n`````diff\n",
        "### src/a.py\n",
        "#### `src/a.py` (updated)\n```\n",
        "1. `src/a.py`:\n```\n",
        "```python:src/a.py\n",
        '```python title="src/a.py"\n',
        "```python\nsrc/a.py\n",
        "```python\n# src/a.py\n",
        "src/a.py\n<source>python\n",
        "src/a.py\n\nReplace this:\n\n```python\n",
        "In `src/a.py`:\n```\n",
    ],
)
def test_the_path_is_found_where_models_write_it(head: str) -> None:
    assert found(f"Here is the fix.\n\n{head}{BLOCK}\n```\nDone.") == [("src/a.py", "old\n", "new\n")]


@pytest.mark.parametrize(
    "path",
    [
        "Makefile",
        "docker/Dockerfile",
        ".gitignore",
        "src\\mycli\\__init__.py",
        "a-b_c.d.ts",
        "/etc/hosts.conf",
        "app/(group)/[id]/page.tsx",
        "bin/motet",
        "größe/naïve.py",
    ],
)
def test_a_path_is_taken_as_it_is_written(path: str) -> None:
    assert paths(f"{path}\n```\n{BLOCK}\n```") == [path]


def test_a_path_with_spaces_is_known_by_its_quotes_or_label() -> None:
    assert paths(f"`my file.py`\n{BLOCK}\nFile: your file.py\n{BLOCK}") == ["my file.py", "your file.py"]


def test_a_block_without_a_path_goes_to_the_file_before() -> None:
    assert found(f"a.py\n{BLOCK}\nand then:\n{BLOCK}\n") == [("a.py", "old\n", "new\n")] * 2


def test_a_sentence_may_name_the_file_before_again() -> None:
    assert paths(f"src/a.py\n{BLOCK}\nNow `a.py` once more:\n{BLOCK}") == ["src/a.py", "src/a.py"]


@pytest.mark.acceptance("S0-116", "T-24")
def test_a_block_whose_file_is_never_named_is_refused_with_its_line() -> None:
    assert error(f"I change this:\n{BLOCK}") == "line 2: no path before this block says which file it is for"


@pytest.mark.acceptance("T-24")
def test_a_block_below_a_sentence_about_another_file_is_refused() -> None:
    assert error(f"src/a.py\n{BLOCK}\nNow in src/b.py:\n{BLOCK}") == (
        "line 8: it is not clear whether this block is for src/a.py or src/b.py; name its file on the line before"
    )


@pytest.mark.acceptance("T-24")
def test_a_block_below_a_list_of_files_is_refused() -> None:
    assert error(f"Files:\n- src/a.py\n- src/b.py\n\nChange this:\n{BLOCK}") == (
        "line 6: several files are named before this block; name its file on the line before"
    )


def test_files_that_an_example_lists_are_not_meant() -> None:
    assert paths(f"a.py\n{BLOCK}\n```console\n$ ls\nb.py\n```\nAnd:\n{BLOCK}") == ["a.py", "a.py"]


@pytest.mark.parametrize("line", ["and/or", "Node.js", "v1.2.3", "https://x.org/a.py", "Please look.", "e.g."])
def test_what_only_looks_like_a_path_is_none(line: str) -> None:
    assert paths(f"a.py\n{BLOCK}\n**{line}**\n{BLOCK}") == ["a.py", "a.py"]


def test_only_blocks_count_in_a_chat_log() -> None:
    log = f"""
> aider/main.py
> Add these files? y

src/a.py
```python
{BLOCK}
```

> Tokens: 1,200 sent.
> The model did not conform:
> src/b.py
> ```python
> <<<<<<< SEARCH
> old
> =======
> new

^^^ Expected `>>>>>>> REPLACE` or `=======`

```bash
python -m pytest
```
"""
    assert found(log) == [("src/a.py", "old\n", "new\n")]


def test_a_block_in_an_indented_fence_loses_the_indentation_of_the_fence() -> None:
    lines = ["```python", "<<<<<<< SEARCH", "def f():", "    old", "", "=======", "new", ">>>>>>> REPLACE", "```"]
    for indent in ("   ", "      ", "\t"):
        answer = "1. `src/a.py`\n\n" + "\n".join(indent + line if line else line for line in lines)
        assert found(answer) == [("src/a.py", "def f():\n    old\n\n", "new\n")]


def test_a_block_keeps_the_indentation_of_its_code() -> None:
    answer = "src/a.py\n```\n  <<<<<<< SEARCH\n  old\n  =======\n    new\n  >>>>>>> REPLACE\n```"
    assert found(answer) == [("src/a.py", "  old\n", "    new\n")]


@pytest.mark.parametrize("fence", ["```", "`````", "~~~"])
def test_fences_within_the_code_are_code(fence: str) -> None:
    code = f"{fence}bash\nmake\n{fence}\n"
    answer = f"README.md\n```markdown\n<<<<<<< SEARCH\n{code}=======\n{code}text\n>>>>>>> REPLACE\n```"
    assert found(answer) == [("README.md", code, f"{code}text\n")]


def test_an_answer_without_blocks_has_no_edits() -> None:
    assert parse_search_replace("Everything is fine.\n```bash\nmake\n```\n") == []


def test_an_answer_that_should_hold_edits_and_holds_none_is_refused() -> None:
    with pytest.raises(EditFormatError) as caught:
        parse("Everything is fine.", "search_replace")
    assert str(caught.value) == "the answer holds no edit in the format search_replace"


def test_the_path_given_beside_the_answer_counts_until_the_answer_names_one() -> None:
    edits = parse(f"{BLOCK}\nb.py\n{BLOCK}", "search_replace", path="a.py")
    assert [edit.path for edit in edits] == ["a.py", "b.py"]
