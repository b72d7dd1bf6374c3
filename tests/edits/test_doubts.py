"""Edits that have a place and are refused all the same, because their new text could be meant in two ways."""

import pytest

from motet.edits import (
    Edit,
    Insert,
    Match,
    Move,
    Near,
    Outcome,
    Refusal,
    RefusalReason,
    Replace,
    Rung,
    Write,
    parse,
    plan,
)
from motet.text import TextFile

HALF_INDENTED = "a part of its new text is indented as in the file, another part as in its search text"
LESS = "its new lines are indented less than the line they would go to"
COPIED = "its new text was copied with line numbers, a fence or diff marks, its search text was not"
PART = "it is a part of a line, and its new text looks like more of that line: whole lines are needed"
ABSENT = "the search text does not stand in the file"


def outcome(text: str, edit: Edit) -> tuple[Outcome, str]:
    file = TextFile.decode(edit.path, text.encode())
    planned = plan({edit.path: file}, [edit]).files[0]
    assert planned.after is not None
    return planned.outcomes[0], planned.after.text


def refused(text: str, edit: Edit) -> str:
    found, after = outcome(text, edit)
    assert isinstance(found, Refusal)
    assert after == text
    return found.message


def applied(text: str, edit: Edit) -> str:
    found, after = outcome(text, edit)
    assert isinstance(found, Match), found
    return after


BODY = "def f():\n    a = 1\n    b = 2\n"


@pytest.mark.parametrize("new", ["a = 1\n    b = 3\n", "    a = 9\nb = 3\n", "a = 1\n    c = 2\n    b = 2\n"])
def test_new_text_indented_half_like_the_file_is_refused(new: str) -> None:
    assert refused(BODY, Replace("f.py", "a = 1\nb = 2\n", new)) == HALF_INDENTED


@pytest.mark.parametrize(
    ("new", "after"),
    [
        ("if a:\n    b = 3\n", "def f():\n    if a:\n        b = 3\n"),
        ("if a:  # why\n    b = 3\n", "def f():\n    if a:  # why\n        b = 3\n"),
        ("a = 1\nx = 1\nb = 2\n", "def f():\n    a = 1\n    x = 1\n    b = 2\n"),
    ],
)
def test_new_text_that_opens_a_block_is_indented_like_its_search_text(new: str, after: str) -> None:
    assert applied(BODY, Replace("f.py", "a = 1\nb = 2\n", new)) == after


@pytest.mark.parametrize(
    ("path", "text", "search", "new"),
    [
        ("a.rb", "class A\n  y = 1\n  p y\nend\n", "y = 1\np y\n", "y = 1\nif y\n  p y\nend\n"),
        (
            "a.lua",
            "if M then\n    y = 1\n    print(y)\nend\n",
            "y = 1\nprint(y)\n",
            "while y do\n    print(y)\nend\n",
        ),
        ("a.sh", "f() {\n    echo a\n    echo b\n}\n", "echo a\necho b\n", "if true; then\n    echo b\nfi\n"),
        ("a.ex", "def f(x) do\n  y = x\n  y\nend\n", "y = x\ny\n", "case x do\n  1 -> y\nend\n"),
        ("a.jl", "function f(x)\n    x\n    y\nend\n", "x\ny\n", "for i in x\n    y\nend\n"),
        (
            "a.f90",
            "program a\n  k = 1\n  print *, k\nend\n",
            "k = 1\nprint *, k\n",
            "do i = 1, 3\n  print *, i\nend do\n",
        ),
        ("a.js", "function f() {\n  a()\n  b()\n}\n", "a()\nb()\n", "a()\nif (x)\n  b()\n"),
        ("a.q", "wrap x\n  a\n  b\nwrap y\n  c\n", "a\nb\n", "wrap z\n  b\n"),
    ],
)
def test_blocks_may_open_with_a_word(path: str, text: str, search: str, new: str) -> None:
    [indent] = {line[: len(line) - len(line.lstrip())] for line in text.splitlines()[1:3]}
    wanted = text.replace(
        "".join(indent + line for line in search.splitlines(True)),
        "".join(indent + line for line in new.splitlines(True)),
    )
    assert applied(text, Replace(path, search, new)) == wanted


def test_one_line_that_lost_its_indentation_before_lines_that_kept_theirs_is_refused() -> None:
    edit = Replace("a.py", "go(1)\n", "stop()\n        go(2)\n")
    assert refused("class A:\n    def f():\n        go(1)\n", edit) == HALF_INDENTED


def test_a_level_and_one_blank_are_no_sign_of_the_indentation_of_the_file() -> None:
    edit = Replace("a.txt", " line1\n line2\n", " new_line1\n     new_line2\n")
    after = "    new_line1\n        new_line2\n    line3\n"
    assert applied("    line1\n    line2\n    line3\n", edit) == after


def test_new_text_that_mixes_tabs_into_spaces_is_refused() -> None:
    edit = Replace("a.txt", "\t\told\n", "\t\tnew\n  more\n")
    assert refused("x\n        old\n", edit) == "its new text mixes tabs and spaces, its search text does not"


@pytest.mark.parametrize(
    ("search", "new", "why"),
    [
        ("go()\n        stay()\n", "run()\nstay()\n", LESS),
        ("go()\n", "        run()\n", "its new text begins with white space, which its search text leaves out"),
    ],
)
def test_characters_behind_an_indentation_do_not_lose_it(search: str, new: str, why: str) -> None:
    text = "def f():\n    if x:\n        go()\n        stay()\n"
    assert refused(text, Replace("a.py", search, new, inline=True)) == why


def test_a_line_whose_whole_text_goes_takes_its_indentation_along() -> None:
    text = "def f():\n    go()\n    stay()\n"
    assert applied(text, Replace("a.py", "go()\n", "", inline=True)) == "def f():\n    stay()\n"


def test_a_line_that_was_cut_off_is_refused() -> None:
    edit = Replace("a.c", "total = price\n", "total = price * county\n")
    assert refused("total = price * count\n", edit) == PART


def test_a_line_that_was_cut_off_and_stands_there_whole_is_taken_for_applied() -> None:
    assert applied("lhs += rhs;\n", Replace("a.c", "lhs += rhs\n", "lhs += rhs;\n")) == "lhs += rhs;\n"


def test_a_part_of_a_line_that_gets_longer_itself_is_replaced() -> None:
    assert applied("x = foo(a) + 1\n", Replace("a.py", "foo(a)\n", "foo(a, b)\n")) == "x = foo(a, b) + 1\n"


@pytest.mark.parametrize(
    "new", ["1 | a = 2\n2 | b = 3\n", "  1→a = 2\n  2→b = 3\n", "```python\na = 2\nb = 3\n```\n", "+a = 2\n+b = 3\n"]
)
def test_new_text_that_alone_was_copied_with_a_decoration_is_refused(new: str) -> None:
    assert refused("a = 1\nb = 2\n", Replace("a.py", "a = 1\nb = 2\n", new)) == COPIED


def test_a_fence_put_around_lines_of_markdown_is_text() -> None:
    assert applied("a\nb\n", Replace("a.md", "a\nb\n", "```\na\nb\n```\n")) == "```\na\nb\n```\n"


def test_a_fence_of_the_file_is_not_taken_for_a_copied_one() -> None:
    text = "```bash\nls\n```\n\nend\n"
    edit = Replace("a.md", "```bash\nls\n```\n```\n", "```sh\nls -l\n```\n```\n")
    assert refused(text, edit) == ABSENT


def test_a_copied_fence_is_taken_off_where_the_place_stands_below_a_fence_alone_or_above_one() -> None:
    edit = Replace("a.md", "````\none\n````\n", "two\n")
    assert applied("```\none\nmore\n```\n", edit) == "```\ntwo\nmore\n```\n"
    assert applied("```\nmore\none\n```\n", edit) == "```\nmore\ntwo\n```\n"
    assert refused("```\none\n```\n", edit).startswith("its place stands between two fences")


@pytest.mark.parametrize("text", ["    a()\n=======\nTitle\n=======\n", "    a()\n\n=======\nTitle\n=======\n"])
def test_a_divider_given_twice_deletes_nothing_above_such_a_line(text: str) -> None:
    search = text[: text.index("=")]
    edits = parse(f"<<<<<<< SEARCH\n{search}=======\n=======\n>>>>>>> REPLACE\n", "replace_in_file", path="a.rst")
    [edit] = edits
    assert isinstance(edit, Replace)
    assert refused(text, edit) == "its block has two ======= lines, and such a line stands below its place"
    assert applied(f"{search}end\n", edit) == "end\n"


def test_a_gutter_without_a_space_keeps_the_spaces_of_blank_lines() -> None:
    edit = Replace("a.md", " 1│  \n 2│* one\n 3│* two\n", " 1│  \n 2│* one\n")
    assert applied("  \n* one\n* two\n", edit) == "  \n* one\n"


@pytest.mark.parametrize(
    ("text", "search", "new"),
    [
        ("# one\n\ndef f():\n", "# one\n\n\ndef f():\n", "# two\n# three\n\ndef f():\n"),
        ("a1\nb1\n", "\nb1\n", "new\nb1\n"),
        ("#endif\n\n#endif\n", "#endif\n#endif\n", "#endif\n#endif\n#endif_2\n"),
    ],
)
def test_other_blank_lines_than_the_file_has_are_not_changed(text: str, search: str, new: str) -> None:
    assert refused(text, Replace("a.c", search, new)) == ABSENT


@pytest.mark.parametrize(
    ("search", "new"),
    [("\nls\n---\n", "\n---\nls\nls -l\n"), ("---\nls\n\n", "---\nls\nls -l\n---\n\n")],
    ids=["before", "behind"],
)
def test_no_lines_are_added_beside_a_blank_line_that_is_not_there(search: str, new: str) -> None:
    assert refused("\n---\nls\n---\n", Replace("a.txt", search, new)) == ABSENT


def test_a_blank_line_between_changed_lines_stays_where_it_is() -> None:
    assert applied("one\n\ntwo\n", Replace("a.txt", "one\ntwo\n", "1\n2\n")) == "1\n\n2\n"


def test_a_blank_line_before_the_search_text_that_the_file_lacks_is_left_out() -> None:
    assert applied("    one\n    two\n", Replace("a.txt", "\n  one\n  two\n", "  1\n  2\n")) == "    1\n    2\n"


def test_an_elision_mark_that_is_text_of_the_file_stands_for_nothing() -> None:
    text = "...\na = 1\n...\nb = 1\nc = 1\n"
    assert refused(text, Replace("a.txt", "a = 1\n...\nc = 1\n", "a = 2\n...\nc = 2\n")) == ABSENT


def test_new_text_beside_a_line_that_was_to_go_is_not_taken_for_applied() -> None:
    assert refused("one\ntwo\nthree\n", Replace("a.txt", "one\nthree\n", "two\nthree\n")) == ABSENT


@pytest.mark.parametrize(
    ("text", "new", "after"),
    [("}\nend()\n", "}\nend()\n", "}\n}\nend()\n"), ("load()\nend()\n", "load()\nend()\n", "load()\nend()\n")],
)
def test_only_a_line_that_says_something_is_taken_for_added_before(text: str, new: str, after: str) -> None:
    assert applied(text, Replace("a.c", "end()\n", new)) == after


def test_a_line_number_decides_between_places_far_apart_when_the_hunk_is_whole() -> None:
    text = "x = 1\n" + "y\n" * 20 + "x = 1\n"
    diff = "--- a/a.py\n+++ b/a.py\n@@ -22 +22 @@\n-x = 1\n+x = 2\n"
    [edit] = parse(diff, "udiff")
    assert isinstance(edit, Replace)
    assert applied(text, edit) == "x = 1\n" + "y\n" * 20 + "x = 2\n"


@pytest.mark.parametrize("head", ["@@ -4 +4 @@", "@@ -4,3 +4,3 @@"])
def test_a_line_number_decides_nothing_between_close_places_or_with_wrong_counts(head: str) -> None:
    [edit] = parse(f"--- a/a.py\n+++ b/a.py\n{head}\n-x = 1\n+x = 2\n", "udiff")
    assert isinstance(edit, Replace)
    assert refused("x = 1\ny\nz\nx = 1\n", edit) == "the search text stands in 2 places"


def test_the_start_line_of_a_block_decides() -> None:
    edit = Replace("a.py", "x = 1\n", "x = 2\n", near=Near(3, apart=1))
    assert applied("x = 1\ny\nx = 1\n", edit) == "x = 1\ny\nx = 2\n"


@pytest.mark.parametrize(
    ("text", "hunk", "after"),
    [
        ("a\nb\n", "@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n", "a\nB"),
        ("a\nb\n", "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", "a\nb"),
        ("a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"),
        ("a\nb", "@@ -2 +2,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n", "a\nb\nc\n"),
        (
            "a\nb",
            "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
            "a\nB",
        ),
    ],
)
def test_a_diff_that_changes_only_or_also_the_last_line_end_is_done_as_it_says(
    text: str, hunk: str, after: str
) -> None:
    [edit] = parse(f"--- a/a.txt\n+++ b/a.txt\n{hunk}", "udiff")
    assert isinstance(edit, Replace)
    assert applied(text, edit) == after


def test_a_marker_that_was_escaped_is_meant() -> None:
    [edit] = parse("a.md\n<<<<<<< SEARCH\nold\n=======\n\\<<<<<<< SEARCH\n>>>>>>> REPLACE\n", "search_replace")
    assert isinstance(edit, Replace)
    assert applied("old\n", edit) == "<<<<<<< SEARCH\n"


def test_a_file_that_is_deleted_and_added_by_one_patch_is_written_anew() -> None:
    patch = "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: a.txt\n+new\n*** End Patch\n"
    file = TextFile.decode("a.txt", b"old\n")
    planned = plan({"a.txt": file}, parse(patch, "apply_patch")).files[0]
    assert planned.refusals == ()
    assert planned.after is not None
    assert planned.after.text == "new\n"


def test_a_guess_is_not_placed_in_a_text_that_another_edit_has_changed_meanwhile() -> None:
    text = "def area(radius):\n    return 3 * radius * radius\n\n\nprint(area(1))\n"
    edits = [
        Replace("a.py", "print(area(1))\n", "x = 1\nprint(area(2))\n"),
        Replace(
            "a.py", "def area(radius):\n    return 3.1 * radius * radius\n", "def area(r):\n    return 3 * r * r\n"
        ),
    ]
    planned = plan({"a.py": TextFile.decode("a.py", text.encode())}, edits, approximate="propose").files[0]
    assert planned.after is not None
    assert planned.after.text == "def area(r):\n    return 3 * r * r\n\n\nx = 1\nprint(area(2))\n"


@pytest.mark.parametrize(
    ("text", "search"), [("a\n\nb", "7\n"), ("handler,\nx\n", "404: handler,\n"), ("a\n\nb\n", "1\n2\n")]
)
def test_a_number_in_the_search_text_is_text_unless_it_numbers_lines(text: str, search: str) -> None:
    assert refused(text, Replace("a.txt", search, "x\n")) == ABSENT


TWO_CLASSES = "class A {\n  x = 1\n}\nclass B {\n  y = 1\n}\nclass C {\n  x = 1\n}\n"


@pytest.mark.parametrize("name", ["B", "class B {"])
def test_a_header_whose_block_lacks_the_text_names_no_other_block(name: str) -> None:
    edit = Replace("a.ts", "  x = 1\n", "  x = 2\n", near=Near(headers=(name,)))
    assert refused(TWO_CLASSES, edit) == "the search text stands in 2 places"


def test_a_header_and_an_exact_line_that_contradict_each_other_decide_nothing() -> None:
    edit = Replace("a.ts", "  x = 1\n", "  x = 2\n", near=Near(8, ("class A {",), apart=1))
    assert refused(TWO_CLASSES, edit) == "the search text stands in 2 places"


def test_an_anchor_with_a_wrong_hash_decides_nothing() -> None:
    edit = Replace("a.ts", "x = 1", "x = 2", near=Near(8, hash="zzz"), inline=True)
    assert refused(TWO_CLASSES, edit) == "the search text stands in 2 places"


def test_replace_all_of_a_tab_takes_every_tab() -> None:
    edit = Replace("a.c", "\t", "    ", inline=True, replace_all=True)
    assert applied("\t\tx\n\ty\n", edit) == "        x\n    y\n"


@pytest.mark.parametrize(
    "new",
    ["import a\n# ...\n", "import a\n// existing code\n", "import a\n# rest of the file remains the same\n", "...\n"],
)
def test_a_line_that_leaves_lines_out_is_no_new_text(new: str) -> None:
    message = refused("import a\nimport b\nimport c\n", Write("a.ts", new))
    assert message == f"the new text holds a placeholder: {new.splitlines()[-1]}"


def test_dots_may_become_the_body_of_a_function_in_python() -> None:
    assert applied("def f():\n    pass\n", Replace("a.py", "    pass\n", "    ...\n")) == "def f():\n    ...\n"


def test_a_comment_about_other_code_is_new_text_where_nothing_goes() -> None:
    assert applied("a()\n", Replace("a.ts", "a()\n", "// other imports\na()\n")) == "// other imports\na()\n"


def test_a_file_does_not_become_larger_than_any_that_can_be_read() -> None:
    found, _ = outcome("x\n", Write("a.txt", "x" * (17 << 20)))
    assert isinstance(found, Refusal)
    assert found.reason is RefusalReason.TOO_LARGE


@pytest.mark.parametrize("edit", [Write("a.txt", "\ufeffy\n"), Replace("a.txt", "x\n", "\ufeffy\n")])
def test_a_byte_order_mark_in_new_text_is_no_second_one(edit: Edit) -> None:
    file = TextFile.decode("a.txt", b"\xef\xbb\xbfx\n")
    [after] = [planned.after for planned in plan({"a.txt": file}, [edit]).files]
    assert after is not None
    assert after.data == b"\xef\xbb\xbfy\n"


def test_two_edits_of_one_answer_do_not_write_the_same_new_file() -> None:
    files = {name: TextFile.decode(name, name.encode()) for name in ("a", "b")}
    planned = plan(files, [Move("a", "c"), Move("b", "c")])
    assert [len(file.refusals) for file in planned.files] == [1, 1]
    assert [file.after for file in planned.files] == [files["a"], files["b"]]


def test_an_insertion_by_line_goes_where_that_line_stands_now() -> None:
    shown, now = (TextFile.decode("a", text) for text in (b"a\nb\nc\nd\n", b"new\na\nb\nc\nd\n"))
    [planned] = plan({"a": now}, [Insert("a", "here\n", Near(3))], shown={"a": shown}).files
    assert planned.after is not None
    assert planned.after.text == "new\na\nb\nhere\nc\nd\n"


def test_every_place_counts_however_many_there_are() -> None:
    edit = Replace("a.txt", "x\n", "y\n", replace_all=True)
    assert applied("x\n" * 50_001 + "ax\n", edit) == "y\n" * 50_001 + "ax\n"
    inline = Replace("a.txt", "1", "2", inline=True, replace_all=True)
    assert applied("1 " * 50_001 + "10 21\n", inline) == "2 " * 50_001 + "10 21\n"


def test_the_lines_of_a_refusal_are_those_of_the_file_before_the_answer() -> None:
    text = "one\ntwo\nthree(1)\n"
    edits = [Replace("a", "one\n", "0\n" * 9 + "one\n"), Replace("a", "three(2)\n", "four\n")]
    [planned] = plan({"a": TextFile.decode("a", text.encode())}, edits).files
    [refusal] = planned.refusals
    assert [(each.first_line, each.last_line) for each in refusal.candidates] == [(3, 3)]


def test_the_twin_of_a_refused_edit_is_refused_like_it() -> None:
    first = Replace("a", "x\ny\n", "1\n")
    edits = [first, Replace("a", "x\ny\n", "1\n"), Replace("a", "y\nz\n", "2\n")]
    [planned] = plan({"a": TextFile.decode("a", b"x\ny\nz\n")}, edits, partial=True).files
    assert [refusal.reason for refusal in planned.refusals] == [RefusalReason.OVERLAP] * 3


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("wont-fix: no\n", "fix: no"),
        ("v = 1,000\n", "v = 1"),
        ("color: red-ish\n", "color: red"),
        ("a = 0xAB\n", "a = 0xA"),
    ],
)
def test_a_part_of_a_longer_word_or_number_is_another_word(text: str, search: str) -> None:
    assert refused(text, Replace("a.txt", search + "\n", "new: text\n")) == ABSENT


def test_a_comment_that_the_search_text_left_out_is_not_kept_beside_a_new_one() -> None:
    edit = Replace("a.cpp", "}\n\n}", "}\n\n}  // namespace b", inline=True)
    assert refused("f() {\n}\n\n}  // namespace a\n", edit)
    assert applied("a = 1  # why\n", Replace("a.py", "a = 1", "a = 2", inline=True)) == "a = 2  # why\n"


def test_a_document_may_show_code_with_something_left_out() -> None:
    new = "## One\n\n```ts\n// ... other functions ...\n```\n"
    assert outcome("## One\n\nText.\n", Replace("a.md", "## One\n", new))[1] == f"{new}\nText.\n"
    assert isinstance(
        outcome("## One\n\nText.\n", Replace("a.md", "## One\n\nText.\n", "... rest of the text\n"))[0], Refusal
    )


@pytest.mark.parametrize(
    ("text", "search", "new"),
    [
        ("x = 1\n\nclass F:\n    doc 1\n", "\n    doc 1\n", "\nclass F:\n    doc 2\n"),
        (
            "x = 1\n\n# about f\ndef f():\n    pass\n",
            "\ndef f():\n    pass\n",
            "\n# about f\ndef f():\n    return 1\n",
        ),
        ("a: 1\nb: 2\n\nc: 3\nd: 4\n", "a: 1\n\nb: 2\n", "a: 1\n\nb: 2\nc: 3\n"),
        ("a: 1\nb: 2\nd: 4\n", "a: 1\n\nb: 2\n", "a: 1\n\nb: 3\nd: 4\n"),
    ],
)
def test_after_blank_lines_were_forgiven_no_line_is_doubled(text: str, search: str, new: str) -> None:
    assert isinstance(outcome(text, Replace("a.txt", search, new))[0], Refusal)


def test_an_insertion_below_a_header_that_breaks_the_syntax_is_refused() -> None:
    edit = Insert("a.py", "    x = 1\n", Near(headers=("def foo(",)))
    found, after = outcome("def foo(\n    a,\n):\n    pass\n", edit)
    assert isinstance(found, Refusal)
    assert found.reason is RefusalReason.SYNTAX
    assert after == "def foo(\n    a,\n):\n    pass\n"


WHOLE = "".join(f"def f{number}():\n    return {number}\n" for number in range(5))


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (
            "def f1():\n    return 2\n",
            "2 lines, the file has 10; lines 1-2 of the file, lines 4-5 of the file, lines 7-10 of the file would vanish",
        ),
        (WHOLE.replace("def f0():\n", ""), "9 lines, the file has 10; it begins inside a block"),
    ],
    ids=["short", "indented"],
)
def test_a_text_shown_under_a_files_name_that_may_be_a_piece_is_offered_and_never_applied(new: str, why: str) -> None:
    edit = Write("a.txt", new, shown=True)
    assert refused(WHOLE, edit) == f"this looks like a piece of the file: it has {why}"
    file = TextFile.decode("a.txt", WHOLE.encode())
    [planned] = plan({"a.txt": file}, [edit], approximate="propose").files
    assert [isinstance(outcome, Match) and outcome.rung for outcome in planned.outcomes] == [Rung.APPROXIMATE]


def test_a_text_shown_under_a_files_name_that_breaks_the_syntax_is_refused() -> None:
    edit = Write("a.py", WHOLE.replace("return 4", "return (4"), shown=True)
    found, after = outcome(WHOLE, edit)
    assert isinstance(found, Refusal)
    assert (found.reason, after) == (RefusalReason.SYNTAX, WHOLE)


def test_a_whole_text_shown_under_a_files_name_is_written() -> None:
    assert applied(WHOLE, Write("a.py", WHOLE + "print(f1())\n", shown=True)) == WHOLE + "print(f1())\n"


@pytest.mark.parametrize(
    ("text", "search", "news", "after"),
    [
        ("a\nb\n-\na\nb\n", "1 | a\n2 | b\n", ("1 | p\n2 | q\n", "1 | r\n2 | s\n"), "p\nq\n-\nr\ns\n"),
        ("if (f(1)) {}\nif (f(1)) {}\n", "f(1)\n", ("f(2)\n", "f(3)\n"), "if (f(2)) {}\nif (f(3)) {}\n"),
    ],
    ids=["gutter", "part of a line"],
)
def test_edits_that_look_for_the_same_lines_each_put_their_own_there(
    text: str, search: str, news: tuple[str, str], after: str
) -> None:
    edits = [Replace("a.txt", search, new) for new in news]
    [planned] = plan({"a.txt": TextFile.decode("a.txt", text.encode())}, edits).files
    assert planned.refusals == ()
    assert planned.after is not None
    assert planned.after.text == after
