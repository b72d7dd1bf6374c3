"""An answer as it was copied: quoted as a whole, out of a page's source, or with labels before its parts."""

from __future__ import annotations

import html

import pytest

from motet.edits import Replace
from motet.edits.formats.answer import Understood, understand
from motet.errors import EditFormatError

BLOCK = "<<<<<<< SEARCH\nif a < b:\n=======\nif a > b && c:\n>>>>>>> REPLACE\n"


def found(answer: str, *, quotes: bool = False) -> list[tuple[object, ...]]:
    understood: Understood = understand(answer, quotes=quotes)
    return [
        (edit.path, edit.search, edit.replace)
        if isinstance(edit, Replace)
        else (edit.path, getattr(edit, "text", ""))
        for edit in understood.edits
    ]


WANTED = [("a.py", "if a < b:\n", "if a > b && c:\n")]


@pytest.mark.parametrize("marks", ["> ", ">", "> > ", ">> "])
def test_an_answer_that_is_quoted_as_a_whole_is_read(marks: str) -> None:
    answer = f"Do this:\n\na.py\n```python\n{BLOCK}```\nDone.\n"
    quoted = "\n".join(f"{marks}{line}".rstrip() for line in answer.splitlines())
    assert found(quoted) == WANTED
    assert found(f"{quoted}\n\n") == WANTED


def test_in_a_chat_what_is_quoted_is_only_quoted() -> None:
    assert found("".join(f"> {line}\n" for line in f"a.py\n{BLOCK}".splitlines()), quotes=True) == []


def test_a_quotation_within_an_answer_is_not_read() -> None:
    quoted = "".join(f"> {line}\n" for line in BLOCK.splitlines())
    with pytest.raises(EditFormatError):
        understand(f"a.py\n{quoted}")


@pytest.mark.parametrize(
    "answer",
    [
        f"a.py\n{BLOCK}",
        f"a.py\n```\n{BLOCK}```\n",
        f"<replace_in_file>\n<path>a.py</path>\n<diff>\n{BLOCK}</diff>\n</replace_in_file>\n",
        f"<apply_diff>\n<path>a.py</path>\n<diff>\n{BLOCK}</diff>\n</apply_diff>\n",
    ],
)
@pytest.mark.parametrize("quote", [True, False])
def test_an_answer_out_of_the_source_of_a_page_is_read_as_the_page_shows_it(answer: str, quote: bool) -> None:
    assert found(html.escape(answer, quote=quote)) == WANTED


def test_entities_that_the_page_shows_stay() -> None:
    block = "<<<<<<< SEARCH\n&lt;p&gt;\n=======\n&lt;b&gt;\n>>>>>>> REPLACE\n"
    assert found(html.escape(f"a.html\n{block}")) == [("a.html", "&lt;p&gt;\n", "&lt;b&gt;\n")]
    assert found(f"a.html\n{block}") == [("a.html", "&lt;p&gt;\n", "&lt;b&gt;\n")]


def test_where_only_the_markers_are_escaped_the_code_stays() -> None:
    block = "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n<p>&amp;\n=======\n<b>&lt;\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n"
    assert found(f"a.html\n{block}") == [("a.html", "<p>&amp;\n", "<b>&lt;\n")]


@pytest.mark.parametrize("label", ["diff: ", "  diff:  ", "content: "])
def test_a_label_may_stand_before_the_first_marker(label: str) -> None:
    assert found(f"replace_in_file\npath: a.py\n{label}{BLOCK}") == WANTED


@pytest.mark.parametrize(
    "line",
    [
        "編集ファイル: a.py", "**編集ファイル:** `a.py`", "ファイル名：a.py", "修正文件：a.py", "文件: `a.py`", "파일: a.py",
        "Файл: a.py", "Fichier : a.py", "Datei: a.py", "Archivo: a.py", "### 対象ファイル: a.py",
    ],
)  # fmt: skip
def test_a_file_may_be_named_in_other_languages(line: str) -> None:
    assert found(f"{line}\n```diff\n@@ -1 +1 @@\n-old\n+new\n```\n") == [("a.py", "old\n", "new\n")]
    assert found(f"{line}\n```diff\n-old\n+new\n```\n") == [("a.py", "old\n", "new\n")]
    assert found(f"{line}\n```python\nx = 1\n```\n") == [("a.py", "x = 1\n")]


@pytest.mark.parametrize("line", ["注意: a.py", "例: a.py", "出力: a.py", "実行: a.py"])
def test_other_words_before_a_colon_name_no_file(line: str) -> None:
    assert found(f"{line}\n```python\nx = 1\n```\n") == []
