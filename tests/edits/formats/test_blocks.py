"""What a SEARCH/REPLACE block holds, whatever its code looks like, or why it cannot be told."""

import pytest

from motet.edits import Near, Replace, parse, parse_replace_in_file
from motet.errors import EditFormatError


def only(diff: str) -> tuple[str, str]:
    (edit,) = parse(diff, "replace_in_file", path="a.py")
    assert isinstance(edit, Replace)
    return edit.search, edit.replace


def error(diff: str) -> str:
    with pytest.raises(EditFormatError) as caught:
        parse(diff, "replace_in_file", path="a.py")
    assert str(caught.value).startswith(f"line {caught.value.line}: ")
    return str(caught.value)


@pytest.mark.parametrize(
    ("open_", "middle", "close"),
    [
        ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        ("------- SEARCH", "=======", "+++++++ REPLACE"),
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
        ("<<<<<<< SEARCH>  ", "=======  ", ">>>>>>> REPLACE\t"),
        ("----------- SEARCH", "=====", "+++++++ REPLACE"),
        ("  <<<<<<< SEARCH", "   =======", " >>>>>>> REPLACE"),
        ("<<<<<<< SEARCH\r", "=======\r", ">>>>>>> REPLACE\r"),
    ],
)
def test_markers_are_taken_in_every_length_and_shape_that_models_write(open_: str, middle: str, close: str) -> None:
    assert only(f"{open_}\nold\n{middle}\nnew\n{close}\n") == ("old\n", "new\n")


def test_one_empty_line_differs_from_no_line() -> None:
    assert only("<<<<<<< SEARCH\n\n=======\n\n>>>>>>> REPLACE") == ("\n", "\n")
    assert only("<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE") == ("", "")


def test_a_block_says_in_which_line_of_the_answer_it_begins() -> None:
    diff = "text\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nb\n=======\n>>>>>>> REPLACE"
    assert [edit.line for edit in parse_replace_in_file("a.py", diff)] == [2, 7]


def test_the_line_under_a_heading_is_code_also_between_long_markers() -> None:
    code = "Title\n==========\n"
    assert only(f"<<<<<<<<< SEARCH\n{code}=======\nnew\n>>>>>>>>> REPLACE") == (code, "new\n")
    assert "not clear which divides" in error(f"<<<<<<<<<< SEARCH\n{code}=======\nnew\n>>>>>>>>>> REPLACE")
    assert "no ======= marker" in error(f"<<<<<<<<<< SEARCH\n{code}old\n==========\nnew\n>>>>>>>>>> REPLACE")
    wide = "----------- SEARCH\nold\n==========\nnew\n+++++++ REPLACE"
    assert error(wide) == "line 1: the block has no ======= marker"
    assert error("<<<<<<< SEARCH\nold\n==========\nnew\n>>>>>>> REPLACE") == (
        "line 1: the block has no ======= marker"
    )


def test_a_line_of_equals_signs_that_is_shorter_than_the_markers_or_within_another_block_is_code() -> None:
    open_, close = "<<<<<<<<<<<< SEARCH\n", ">>>>>>>>>>>> REPLACE\n"
    for old in ("Title\n==========\n", "<<<<<<<<<< SEARCH\na\n============\nb\n>>>>>>>>>> REPLACE\n"):
        assert only(f"{open_}{old}=======\nNew\n{close}") == (old, "New\n")


@pytest.mark.parametrize("width", [10, 12, 13])
def test_a_line_of_ten_equals_signs_and_more_divides_nothing(width: int) -> None:
    diff = f"<<<<<<<<<<<< SEARCH\na\n{'=' * width}\nb\n>>>>>>>>>>>> REPLACE\n"
    assert error(diff) == "line 1: the block has no ======= marker"


def test_a_divider_far_above_a_block_belongs_to_none() -> None:
    block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert only(f"=======\nThe change follows.\n\n{block}") == ("a\n", "b\n")
    assert error(f"=======\n{block}") == "line 1: ======= marker without a SEARCH marker"


def test_markers_that_are_too_short_are_none() -> None:
    with pytest.raises(EditFormatError):
        parse("<<< SEARCH\nold\n===\nnew\n>>> REPLACE", "replace_in_file", path="a.py")


def test_markers_may_have_no_space_before_their_word_and_white_space_behind() -> None:
    assert only("-------SEARCH\nold\n=======\nnew\n+++++++ REPLACE") == ("old\n", "new\n")
    assert only("------- SEARCH\nold\n======= \nnew\n+++++++REPLACE") == ("old\n", "new\n")


@pytest.mark.parametrize("number", ["12", "[12]", " [12]", " 12"])
def test_the_number_of_the_line_may_stand_in_brackets(number: str) -> None:
    diff = f"<<<<<<< SEARCH\n:start_line:{number}\n:end_line:{number}\n-------\na\n=======\nb\n>>>>>>> REPLACE"
    assert parse(diff, "replace_in_file", path="a.py") == [Replace("a.py", "a\n", "b\n", near=Near(12, apart=1))]


@pytest.mark.parametrize(
    "odd", ["# =======", "==========", "====", "a = b == c", "<<<<<<< HEAD", ">>>>>>> main", "    ======="]
)
def test_code_that_only_resembles_a_marker_is_code(odd: str) -> None:
    assert only(f"<<<<<<< SEARCH\n{odd}\n=======\n{odd}\n>>>>>>> REPLACE") == (f"{odd}\n", f"{odd}\n")


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("<<<<<<< SEARCH\na\n=======\nb\n", "line 1: the block has no REPLACE marker"),
        ("<<<<<<< SEARCH\na\n", "line 1: the block has no ======= marker"),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "line 1: the block has no ======= marker"),
        ("x\n>>>>>>> REPLACE\n", "line 2: REPLACE marker without a SEARCH marker"),
        ("<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "line 5: REPLACE marker without a SEARCH marker"),
        ("<<<<<<< SEARCH  >\na\n=======\nb\n>>>>>>> REPLACE\n", "line 5: REPLACE marker without a SEARCH marker"),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n",
            "line 5: a new SEARCH marker before the block of line 1 was closed",
        ),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
            "line 7: the block of line 1 holds 2 ======= lines; it is not clear which divides it",
        ),
        (
            "<<<<<<< SEARCH\ncontent\n=======\n=======\n>>>>>>> REPLACE\n",
            "line 5: the block of line 1 holds 2 ======= lines; it is not clear which divides it",
        ),
        (
            "<<<<<<<< SEARCH\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>> REPLACE\n",
            "line 6: it is not clear whether this ends the block of line 1, which holds another SEARCH marker",
        ),
    ],
)
def test_a_broken_block_is_refused_with_its_line(diff: str, message: str) -> None:
    assert error(diff) == message


def test_code_with_a_line_like_the_divider_is_taken_when_the_markers_are_of_another_length() -> None:
    diff = "<<<<<<<< SEARCH\nTitle\n=======\n========\nNew title\n=========\n>>>>>>>> REPLACE"
    assert only(diff) == ("Title\n=======\n", "New title\n=========\n")


def test_a_conflict_that_git_left_in_the_file_can_be_resolved() -> None:
    conflict = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
    assert only(f"<<<<<<< SEARCH\n{conflict}=======\nours\n>>>>>>> REPLACE") == (conflict, "ours\n")
    assert only(f"<<<<<<< SEARCH\nours\n=======\n{conflict}>>>>>>> REPLACE") == ("ours\n", conflict)


def test_a_block_within_the_code_is_code_when_its_markers_differ() -> None:
    example = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    diff = f"<<<<<<<<< SEARCH\nUse this:\n{example}=========\nnone\n>>>>>>>>> REPLACE"
    assert only(diff) == (f"Use this:\n{example}", "none\n")


@pytest.mark.parametrize(
    "marker", ["=======", "<<<<<<< SEARCH", ">>>>>>> REPLACE", "-------", ":start_line:5", ":end_line:9"]
)
def test_a_backslash_makes_a_marker_a_line_of_code(marker: str) -> None:
    diff = f"<<<<<<< SEARCH\nx\n\\{marker}\n=======\n  \\{marker}\n>>>>>>> REPLACE"
    assert only(diff) == (f"x\n{marker}\n", f"  {marker}\n")


@pytest.mark.parametrize("line", ["\\section{x}", "\\\\=======", "a \\=======", "\\n"])
def test_any_other_backslash_stays(line: str) -> None:
    assert only(f"<<<<<<< SEARCH\n{line}\n=======\n{line}\n>>>>>>> REPLACE") == (f"{line}\n", f"{line}\n")


@pytest.mark.parametrize(
    ("header", "near"),
    [
        (":start_line:12\n-------\n", Near(line=12, apart=1)),
        (":start_line: 12\n:end_line:14\n-------\n", Near(line=12, apart=1)),
        (":start_line:12\n", Near(line=12, apart=1)),
        (":end_line:14\n-------\n", Near()),
    ],
)
def test_lines_that_say_where_to_look_are_no_code(header: str, near: Near) -> None:
    diff = f"<<<<<<< SEARCH\n{header}old\n=======\nnew\n>>>>>>> REPLACE"
    assert parse_replace_in_file("a.py", diff) == [Replace("a.py", "old\n", "new\n", near=near)]


def test_a_rule_at_the_beginning_of_the_code_is_code() -> None:
    assert only("<<<<<<< SEARCH\n-------\nold\n=======\n-------\n>>>>>>> REPLACE") == ("-------\nold\n", "-------\n")


@pytest.mark.parametrize("header", [":start_line:5", ":end_line:10"])
def test_a_line_number_in_the_new_text_is_refused(header: str) -> None:
    diff = f"<<<<<<< SEARCH\nold\n=======\n{header}\nnew\n>>>>>>> REPLACE"
    assert error(diff) == f"line 4: {header} belongs into SEARCH; write \\ before it if it is code"


def test_a_second_divider_right_before_a_fence_ends_the_block() -> None:
    diff = (
        "```\n<<<<<<< SEARCH\na\n=======\nb\n=======\n```\n\n```\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n```"
    )
    edits = parse_replace_in_file("a.py", diff)
    assert [(edit.search, edit.replace, edit.line) for edit in edits] == [("a\n", "b\n", 2), ("c\n", "d\n", 10)]


def test_a_second_divider_below_indented_code_ends_the_block_when_nothing_else_does() -> None:
    assert only("<<<<<<< SEARCH\n  a\n=======\n  b\n=======\n\nThat is all.") == ("  a\n", "  b\n")


@pytest.mark.parametrize("new", ["b = 2", "b();", "}", "", "#endif", "// b", "f(a)\n"])
def test_in_code_a_second_divider_is_one_too_many_without_indentation_too(new: str) -> None:
    answer = f"a.c\n<<<<<<< SEARCH\na = 1;\n=======\n{new}\n=======\n>>>>>>> REPLACE\n"
    [edit] = parse(answer, "search_replace")
    assert (edit.search, edit.replace, edit.doubled) == ("a = 1;\n", f"{new}\n", True)
    with pytest.raises(EditFormatError):
        parse(answer.replace("a.c", "a.md"), "search_replace")


@pytest.mark.parametrize("heading", ["Title", "f(a, b)"])
def test_in_code_a_line_under_a_heading_may_be_meant(heading: str) -> None:
    block = f"<<<<<<< SEARCH\na = 1;\n=======\n{heading}\n=======\n>>>>>>> REPLACE\n"
    assert "holds 2 ======= lines" in error(block)


def test_a_line_under_a_heading_does_not_end_a_block_that_was_cut_off() -> None:
    diff = "<<<<<<< SEARCH\nOld\n=======\nNew\n=======\n\nThe text goes on and"
    assert error(diff) == "line 1: the block has no REPLACE marker"


def test_a_second_divider_right_before_the_end_of_a_block_is_one_too_many() -> None:
    block = "<<<<<<< SEARCH\n    a()\n=======\n    b()\n=======\n>>>>>>> REPLACE\n"
    assert only(block) == ("    a()\n", "    b()\n")
    for heading in (
        "<<<<<<< SEARCH\na\n=======\n    b()\n",
        "<<<<<<< SEARCH\n    a()\n=======\n    b\n",
        "<<<<<<< SEARCH\n    a()\n=======\nb()abcd\n",
    ):
        assert "holds 2 ======= lines" in error(f"{heading}=======\n>>>>>>> REPLACE\n")


@pytest.mark.parametrize("end", [">>>>>>> topic", ">>>>>>>"])
def test_a_divider_with_nothing_behind_it_deletes_a_conflict(end: str) -> None:
    conflict = f"<<<<<<< HEAD\n    a\n=======\n    b\n{end}\n"
    assert only(f"<<<<<<< SEARCH\n{conflict}=======\n>>>>>>> REPLACE\n") == (conflict, "")


def test_a_divider_behind_a_conflict_is_not_one_too_many() -> None:
    found = "<<<<<<< HEAD\n    f(a)\n=======\n    f(b)\n>>>>>>> topic\n    g(c)\n"
    assert only(f"<<<<<<< SEARCH\n{found}=======\n>>>>>>> REPLACE\n") == (found, "")


def test_a_divider_given_twice_below_a_blank_line_deletes() -> None:
    assert only("<<<<<<< SEARCH\nold\n\n=======\n=======\n>>>>>>> REPLACE") == ("old\n\n", "")
