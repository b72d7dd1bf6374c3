"""An edit is right or it is refused: exact places, exact texts, exact refusals."""

import pytest

from motet.edits import Match, Refusal, RefusalReason, Replace, Rung, plan
from motet.text import TextFile


def file(text: str, path: str = "a.py") -> TextFile:
    return TextFile.decode(path, text.encode())


def apply(text: str, *edits: tuple[str, str], path: str = "a.py", partial: bool = False) -> str:
    result = plan(
        {path: file(text, path)}, [Replace(path, s, r, line=i) for i, (s, r) in enumerate(edits)], partial=partial
    )
    after = result.files[0].after
    assert after is not None
    return after.text


def outcome(text: str, search: str, replace: str, path: str = "a.py") -> Match | Refusal:
    return plan({path: file(text, path)}, [Replace(path, search, replace)]).files[0].outcomes[0]


def test_an_exact_block_replaces_its_lines() -> None:
    assert apply("a = 1\nb = 2\nc = 3\n", ("b = 2", "b = 20\nbb = 21")) == "a = 1\nb = 20\nbb = 21\nc = 3\n"


@pytest.mark.acceptance("S1-010", "SP-01")
def test_a_search_text_that_stands_twice_is_refused_with_both_places() -> None:
    refusal = outcome("x = 1\ny = 2\nx = 1\n", "x = 1", "x = 3")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.AMBIGUOUS
    assert [(c.first_line, c.last_line) for c in refusal.candidates] == [(1, 1), (3, 3)]


@pytest.mark.acceptance("S1-011", "SP-01")
def test_a_neighbouring_line_makes_the_same_search_text_unique() -> None:
    assert apply("x = 1\ny = 2\nx = 1\n", ("y = 2\nx = 1", "y = 2\nx = 3")) == "x = 1\ny = 2\nx = 3\n"


@pytest.mark.acceptance("SP-02", "S1-009")
def test_misspellings_and_double_spaces_are_matched_verbatim_and_the_rest_is_untouched() -> None:
    before = "# teh  value\nx  =  1  \ny =  2\n"
    assert apply(before, ("# teh  value", "# the value")) == "# the value\nx  =  1  \ny =  2\n"


def test_line_ends_of_untouched_and_surviving_lines_stay_and_new_lines_take_their_neighbours() -> None:
    before = "a\r\nb\nc\r\nd"
    after = apply(before, ("b\nc", "b\nnew\nc"), path="x.txt")
    assert after == "a\r\nb\nnew\nc\r\nd"


def test_a_file_with_carriage_returns_keeps_them() -> None:
    assert apply("a\r\nb\r\nc\r\n", ("b", "B\nB2"), path="x.txt") == "a\r\nB\r\nB2\r\nc\r\n"


def test_a_missing_final_newline_stays_missing() -> None:
    assert apply("a\nb", ("b", "B\nC"), path="x.txt") == "a\nB\nC"


def test_text_added_behind_a_last_line_without_newline_does_not_join_it() -> None:
    assert apply("a\nb", ("b", "b\nc"), path="x.txt") == "a\nb\nc"


def test_trailing_white_space_is_ignored_and_kept_where_a_line_survives() -> None:
    before = "def f():   \n    return 1\n"
    assert apply(before, ("def f():\n    return 1", "def f():\n    return 2")) == "def f():   \n    return 2\n"


def test_a_common_indentation_change_is_applied_to_the_new_text_too() -> None:
    before = "class A:\n    def f(self):\n        return 1\n"
    after = apply(
        before, ("def f(self):\n    return 1", "def f(self):\n    if self:\n        return 2\n    return 1")
    )
    assert after == "class A:\n    def f(self):\n        if self:\n            return 2\n        return 1\n"


def test_spaces_for_tabs_are_exchanged_in_the_new_text_too() -> None:
    before = "if (a) {\n\tf();\n\tg();\n}\n"
    after = apply(before, ("    f();\n    g();", "    f();\n    if (b)\n        g();"), path="a.c")
    assert after == "if (a) {\n\tf();\n\tif (b)\n\t\tg();\n}\n"


def test_new_text_that_cannot_be_unindented_is_refused() -> None:
    refusal = outcome("x = 1\ny = 2\n", "    x = 1\n    y = 2", "    x = 1\nz = 3")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NOT_FOUND


def test_a_shifted_edit_that_breaks_the_syntax_is_refused() -> None:
    refusal = outcome("def f():\n    x = 1\n    return x\n", "  x = 1", "  x = (1")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.SYNTAX


@pytest.mark.parametrize("search", ["X = 1", "x=1", "x = 1  y"])
def test_case_and_inner_white_space_are_never_ignored(search: str) -> None:
    refusal = outcome("x = 1\n", search, "z")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NOT_FOUND


@pytest.mark.acceptance("SP-03", "S1-007", "S3-018")
def test_five_edits_that_change_line_counts_land_in_any_order() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 11))
    edits = [
        ("line 1", "one\nuno"),
        ("line 3", ""),
        ("line 5", "five\ncinque\nfünf"),
        ("line 8", "eight"),
        ("line 10", "x\ny"),
    ]
    expected = "one\nuno\nline 2\nline 4\nfive\ncinque\nfünf\nline 6\nline 7\neight\nline 9\nx\ny\n"
    assert apply(before, *edits, path="t.txt") == expected
    assert apply(before, *reversed(edits), path="t.txt") == expected


@pytest.mark.acceptance("SP-03")
def test_overlapping_edits_are_both_refused_and_the_file_is_untouched() -> None:
    result = plan(
        {"a.py": file("a\nb\nc\n")}, [Replace("a.py", "a\nb", "x", line=1), Replace("a.py", "b\nc", "y", line=2)]
    )
    assert [o.reason for o in result.files[0].refusals] == [RefusalReason.OVERLAP] * 2
    assert not result.files[0].changes_something


def test_an_edit_may_search_for_what_an_earlier_edit_wrote() -> None:
    assert apply("a = 1\n", ("a = 1", "a = 1\nb = 2"), ("b = 2", "b = 3")) == "a = 1\nb = 3\n"


def test_one_refused_edit_holds_back_the_others_of_its_file_but_not_of_other_files() -> None:
    files = {"a.py": file("a = 1\n"), "b.py": file("b = 1\n", "b.py")}
    edits = [
        Replace("a.py", "a = 1", "a = 2", line=1),
        Replace("a.py", "nope", "x", line=2),
        Replace("b.py", "b = 1", "b = 2"),
    ]
    first, second = plan(files, edits).files
    assert not first.changes_something
    assert second.after is not None
    assert second.after.text == "b = 2\n"


def test_with_partial_the_good_edits_of_a_file_are_kept() -> None:
    assert apply("a = 1\n", ("a = 1", "a = 2"), ("nope", "x"), partial=True) == "a = 2\n"


def test_new_text_that_stands_there_already_is_a_success_that_changes_nothing() -> None:
    result = outcome("a = 2\n", "a = 1", "a = 2")
    assert isinstance(result, Match)
    assert result.already_applied


def test_the_same_edit_twice_is_applied_once() -> None:
    result = plan(
        {"a.py": file("a = 1\n")},
        [Replace("a.py", "a = 1", "a = 2", line=1), Replace("a.py", "a = 1", "a = 2", line=9)],
    )
    assert result.files[0].after is not None
    assert result.files[0].after.text == "a = 2\n"


def test_an_edit_without_change_is_refused() -> None:
    refusal = outcome("a = 1\n", "a = 1", "a = 1")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NO_CHANGE


def test_an_edit_without_change_does_not_hold_others_back() -> None:
    edits = [Replace("a.py", "b = 2", "b = 2"), Replace("a.py", "a = 1", "a = 9"), Replace("b.py", "c = 3", "c = 3")]
    planned = plan({"a.py": file("a = 1\nb = 2\n"), "b.py": file("c = 3\n", "b.py")}, edits)
    assert [one.after.text for one in planned.files if one.after] == ["a = 9\nb = 2\n", "c = 3\n"]
    notes = [one.note for each in planned.files for one in each.outcomes if isinstance(one, Match)]
    assert notes == ["old and new text are the same, nothing was changed", "", notes[0]]


def test_an_edit_without_change_beside_a_refused_one_changes_nothing() -> None:
    edits = [Replace("a.py", "a = 1", "a = 1"), Replace("a.py", "gone", "here")]
    [planned] = plan({"a.py": file("a = 1\n")}, edits).files
    assert planned.after is planned.before
    assert [one.reason for one in planned.refusals] == [RefusalReason.NO_CHANGE, RefusalReason.NOT_FOUND]


def test_a_unique_part_of_a_line_is_taken_with_a_note() -> None:
    result = plan({"a.py": file("total = count(items)\n")}, [Replace("a.py", "count(items)", "len(items)")]).files[0]
    assert result.after is not None
    assert result.after.text == "total = len(items)\n"
    assert isinstance(result.outcomes[0], Match)
    assert result.outcomes[0].note == "the search text is a unique part of that line; give whole lines next time"


def test_a_part_of_a_word_is_not_taken() -> None:
    refusal = outcome("recount = 1\n", "count", "len")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NOT_FOUND


def test_a_text_that_is_stale_is_refused_as_such() -> None:
    shown = {"a.py": file("a = 1\n")}
    refusal = plan({"a.py": file("a = 7\n")}, [Replace("a.py", "a = 1", "a = 2")], shown=shown).files[0].outcomes[0]
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.STALE


@pytest.mark.parametrize(
    "line", ["// ... rest of the code", "# … existing code unchanged", "... remaining lines ..."]
)
def test_a_placeholder_for_code_left_out_is_refused(line: str) -> None:
    refusal = outcome("a = 1\n", "a = 1", f"a = 2\n{line}")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.BAD_FORMAT


def test_an_ellipsis_that_is_code_is_not_a_placeholder() -> None:
    assert apply("a = 1\n", ("a = 1", "def f():\n    ...")) == "def f():\n    ...\n"


def test_an_empty_search_text_creates_a_file_and_never_overwrites_one() -> None:
    created = plan({}, [Replace("new.py", "", "x = 1")]).files[0]
    assert created.before is None
    assert created.after is not None
    assert created.after.data == b"x = 1\n"
    refusal = outcome("y = 1\n", "", "x = 1")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.BAD_FORMAT


def test_a_refusal_shows_the_nearest_text_and_its_place() -> None:
    refusal = outcome(
        "import os\n\n\ndef area(width, height):\n    return width * height\n",
        "def area(width, heigth):\n    return width * height",
        "pass",
    )
    assert isinstance(refusal, Refusal)
    assert refusal.describe() == (
        "a.py: refused (not_found): the search text does not stand in the file\n"
        "candidates: lines 4-5\n"
        "nearest text (- your search text, + the file):\n"
        "-def area(width, heigth):\n"
        "+def area(width, height):\n"
        "     return width * height\n"
        "advice: copy the lines from the file exactly as they are, white space and misspellings included"
    )


@pytest.mark.acceptance("CC-10")
@pytest.mark.parametrize("text", ["a < b && c", "]]>", "```py", "\tx", "日本語の文", "🙂 = 1", "&lt;", "\\n"])
def test_special_characters_reach_the_file_byte_for_byte(text: str) -> None:
    assert apply(f"before\r\n{text}\r\nafter\r\n", (text, text + " " + text), path="t.txt") == (
        f"before\r\n{text} {text}\r\nafter\r\n"
    )


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    latin = TextFile.decode("a.py", "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    refusal = plan({"a.py": latin}, [Replace("a.py", "x = 'é'", "x = '日'")]).files[0].outcomes[0]
    assert isinstance(refusal, Refusal)
    assert refusal.message == "a.py: '日' does not exist in iso8859-1"


def test_the_rung_tells_how_exactly_the_text_was_taken() -> None:
    assert [
        result.rung
        for search in ("    x = 1", "x = 1")
        if isinstance(result := outcome("if a:\n    x = 1\n", search, "y"), Match)
    ] == [Rung.EXACT, Rung.INDENTATION]


def test_a_line_that_is_replaced_keeps_its_own_line_end() -> None:
    assert apply("a\nb\r\nc\n", ("a\nb\nc", "a\nB\nc"), path="a.txt") == "a\nB\r\nc\n"


def test_several_new_lines_for_a_part_of_a_line_are_refused_for_want_of_an_indentation() -> None:
    refusal = outcome("def f():\n    x = foo(a)\n", "foo(a)", "foo(a)\nbar()")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NOT_FOUND


@pytest.mark.parametrize(
    ("line", "search", "new"), [("x = 1 + y", "x = 1", "x = 1 + y"), ("f(a, b)", "a, b", "f(a, b)")]
)
def test_a_part_of_a_line_that_already_stands_in_its_new_text_is_not_replaced_again(
    line: str, search: str, new: str
) -> None:
    match = outcome(f"{line}\n", search, new)
    assert isinstance(match, Match)
    assert match.already_applied
    assert apply(f"{line}\n", (search, new)) == f"{line}\n"


def test_new_text_that_stands_somewhere_is_no_success_for_an_edit_of_quite_another_text() -> None:
    refusal = outcome("def g():\n    return None\n", "hallucinated(1, 2)", "    return None")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NOT_FOUND


def test_a_file_that_is_created_twice_with_the_same_text_is_created_once() -> None:
    result = plan({}, [Replace("n.txt", "", "a\nb", "1"), Replace("n.txt", "", "a\nb", "2")]).files[0]
    assert result.after is not None
    assert (result.after.text, [isinstance(each, Match) for each in result.outcomes]) == ("a\nb\n", [True, True])


def test_a_file_that_is_created_twice_with_different_texts_is_refused() -> None:
    result = plan({}, [Replace("n.txt", "", "a", "1"), Replace("n.txt", "", "b", "2")]).files[0]
    assert result.after is None
    assert [refusal.reason for refusal in result.refusals] == [RefusalReason.OVERLAP] * 2


def test_a_file_whose_text_only_looks_the_same_is_not_already_there() -> None:
    refusal = outcome("a\x0cb", "", "a\nb", path="a.txt")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.BAD_FORMAT


def test_an_ideographic_space_at_the_front_is_text_and_no_indentation() -> None:
    refusal = outcome("\u3000一段落\n次\n", "一段落\n次", "二段落\n次", path="a.txt")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.NOT_FOUND


def test_shifted_edits_that_only_together_make_sense_are_applied_together() -> None:
    before = "void f(void)\n{\n    start();\n    end();\n}\n"
    after = "void f(void)\n{\n    if (a) {\n    start();\n    end();\n    }\n}\n"
    edits = ("\tstart();", "\tif (a) {\n\tstart();"), ("\tend();", "\tend();\n\t}")
    assert apply(before, *edits, path="a.c") == after


def test_of_shifted_edits_the_one_that_breaks_the_file_is_named() -> None:
    before = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    edits = [Replace("a.py", "return 1", "return 10", line=1), Replace("a.py", "return 2", "return (", line=2)]
    outcomes = plan({"a.py": file(before)}, edits).files[0].outcomes
    assert isinstance(outcomes[0], Match)
    assert isinstance(outcomes[1], Refusal)
    assert outcomes[1].reason is RefusalReason.SYNTAX


def test_a_thousand_edits_of_a_long_file_find_their_places() -> None:
    before = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(4000))
    edits = [Replace("a.py", f"    return {n}", f"    return -{n}", line=n) for n in range(1000)]
    result = plan({"a.py": file(before)}, edits).files[0]
    assert result.refusals == ()
    assert result.after is not None
    assert result.after.text == "".join(
        f"def f{n}():\n    return {'-' if n < 1000 else ''}{n}\n\n" for n in range(4000)
    )


def test_a_long_run_of_spaces_in_new_text_takes_no_time() -> None:
    wide = " " * 200_000 + "x"
    assert apply("a\n", ("a", wide)) == f"{wide}\n"
