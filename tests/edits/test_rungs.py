"""The ladder from rung 5 on: what copying and retyping do to a text is forgiven, and only where one place is left."""

import pytest

from motet.edits import Match, Refusal, RefusalReason, Replace, Rung, parse, plan
from motet.text import TextFile


def planned(before: str, search: str, replace: str, path: str = "a.txt") -> tuple[Match | Refusal, str]:
    file = plan({path: TextFile.decode(path, before.encode())}, [Replace(path, search, replace)]).files[0]
    assert file.after is not None
    return file.outcomes[0], file.after.text


def taken(before: str, search: str, replace: str, path: str = "a.txt") -> tuple[Rung, str]:
    outcome, after = planned(before, search, replace, path)
    assert isinstance(outcome, Match), outcome.describe()
    return outcome.rung, after


def refused(before: str, search: str, replace: str, path: str = "a.txt") -> RefusalReason:
    outcome, after = planned(before, search, replace, path)
    assert isinstance(outcome, Refusal)
    assert after == before
    return outcome.reason


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    "shape", ["{n} | {t}", "{n}| {t}", "  {n}│ {t}", "{n}:a3│ {t}", "{n}→{t}", "{n}\t{t}", "{n}: {t}"]
)
def test_line_numbers_copied_from_a_listing_are_taken_off(shape: str) -> None:
    def listed(number: int, text: str) -> str:
        return shape.format(n=number, t=text) + "\n"

    search = listed(2, "two") + listed(3, "  three")
    replace = listed(2, "TWO") + listed(3, "  three")
    assert taken("one\ntwo\n  three\n", search, replace) == (Rung.DECORATIONS, "one\nTWO\n  three\n")


def test_numbers_that_do_not_count_up_are_text() -> None:
    assert refused("one\ntwo\n", "1 | one\n7 | two\n", "x\n") is RefusalReason.NOT_FOUND


def test_new_text_of_which_only_some_lines_are_numbered_is_refused() -> None:
    assert refused("one\ntwo\n", "1 | one\n2 | two\n", "1 | one\nnew\n2 | two\n") is RefusalReason.NOT_FOUND


def test_a_fence_copied_with_the_text_is_taken_off() -> None:
    assert taken("a\nb\n", "```python\na\nb\n```\n", "```python\nA\nb\n```\n") == (Rung.DECORATIONS, "A\nb\n")


def test_escaped_entities_are_read_as_the_characters_they_stand_for() -> None:
    before = "if a < b && c:\n"
    assert taken(before, "if a &lt; b &amp;&amp; c:\n", "if a &gt; b:\n") == (Rung.DECORATIONS, "if a > b:\n")


def test_entities_that_the_file_has_are_left_alone() -> None:
    assert taken("<p>a &lt; b</p>\n", "<p>a &lt; b</p>\n", "<p>a &gt; b</p>\n") == (Rung.EXACT, "<p>a &gt; b</p>\n")


def test_quotes_escaped_once_too_often_are_unescaped() -> None:
    before = 'print("a")\n'
    assert taken(before, 'print(\\"a\\")\n', 'print(\\"b\\")\n') == (Rung.DECORATIONS, 'print("b")\n')


def test_a_text_encoded_twice_is_decoded() -> None:
    assert taken("a\nb\nc\n", "a\\nb\n", "A\\nB\n") == (Rung.DECORATIONS, "A\nB\nc\n")


@pytest.mark.parametrize(
    ("before", "search"),
    [
        ("say “hello”\n", 'say "hello"\n'),
        ('say "hello"\n', "say “hello”\n"),
        ("it’s – fine\n", "it's - fine\n"),
        ("a\u00a0b\n", "a b\n"),
        ("cafe\u0301\n", "caf\u00e9\n"),
        ("wait…\n", "wait...\n"),
        ("zero\u200bwidth\n", "zerowidth\n"),
    ],
)
def test_look_alike_characters_are_compared_as_one(before: str, search: str) -> None:
    assert taken("“keep” – me\n" + before, search, "new\n") == (Rung.LOOK_ALIKES, "“keep” – me\nnew\n")


def test_a_line_that_survives_keeps_its_own_look_alikes() -> None:
    before = "say “hello”\nsay “bye”\n"
    assert taken(before, 'say "hello"\nsay "bye"\n', 'say "hello"\nend\n')[1] == "say “hello”\nend\n"


def test_two_lines_that_only_look_alike_are_two_places() -> None:
    assert refused("it’s\nitʼs\nit‘s\n", "it's\n", "new\n") is RefusalReason.AMBIGUOUS


def test_letters_of_other_alphabets_are_no_look_alikes() -> None:
    assert refused("sсore = 1\n", "score = 1\n", "score = 2\n") is RefusalReason.NOT_FOUND


def test_the_width_of_white_space_inside_a_line_is_folded() -> None:
    assert taken("    x =   1  # one\n", "    x = 1 # one\n", "    x = 2 # two\n") == (
        Rung.FOLDED,
        "    x = 2 # two\n",
    )


def test_white_space_where_the_file_has_none_is_not_folded() -> None:
    assert refused("x=1\n", "x = 1\n", "x = 2\n") is RefusalReason.NOT_FOUND


def test_blank_lines_more_or_fewer_are_folded_and_stay_between_lines_that_stay() -> None:
    before = "a\n\nb\nc\n"
    assert taken(before, "a\nb\n\nc\n", "a\nb\n\nC\n") == (Rung.FOLDED, "a\n\nb\nC\n")


def test_folded_lines_still_need_one_common_change_of_indentation() -> None:
    assert refused("  a  1\n      b  2\n", "a 1\nb 2\n", "x\n") is RefusalReason.NOT_FOUND


@pytest.mark.parametrize(
    "elision",
    ["...", "# ...", "    # ... existing code ...", "// …", "<!-- ... -->", "# ... rest of the function ..."],
)
def test_an_elision_stands_for_lines_that_stay(elision: str) -> None:
    before = "def f():\n    a = 1\n    b = 2\n    return a\n"
    search = f"def f():\n{elision}\n    return a\n"
    replace = f"def g():\n{elision}\n    return a + 1\n"
    assert taken(before, search, replace, "a.py") == (
        Rung.ELISION,
        "def g():\n    a = 1\n    b = 2\n    return a + 1\n",
    )


def test_an_elision_with_a_part_that_stands_twice_is_refused() -> None:
    before = "start\nx\nend\ny\nend\n"
    assert refused(before, "start\n...\nend\n", "START\n...\nend\n") is RefusalReason.NOT_FOUND


def test_an_elision_that_the_new_text_lacks_is_refused() -> None:
    assert refused("a\nb\nc\n", "a\n...\nc\n", "A\nC\n") is RefusalReason.NOT_FOUND


def test_an_ellipsis_that_is_code_is_found_as_it_is() -> None:
    before = "def f(): ...\nclass A:\n    ...\n"
    assert taken(before, "class A:\n    ...\n", "class B:\n    ...\n", "a.pyi") == (
        Rung.EXACT,
        "def f(): ...\nclass B:\n    ...\n",
    )


@pytest.mark.acceptance("T-24")
def test_first_and_last_line_alone_are_no_place() -> None:
    before = "begin\n  other\n  middle\nend\n"
    assert refused(before, "begin\n  quite\n  different\nend\n", "x\n") is RefusalReason.NOT_FOUND


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    ("stands", "asked"),
    [
        ("timeout = 30", "timeout = 90"),
        ("user_id = 1", "user_ids = 1"),
        ("if a < b:", "if a <= b:"),
        ("Name", "name"),
    ],
)
def test_a_number_a_name_an_operator_or_a_case_that_differs_is_another_text(stands: str, asked: str) -> None:
    before = f"# first\n{stands}\n# last\n"
    assert refused(before, f"# first\n{asked}\n# last\n", "# first\nnew\n# last\n") is RefusalReason.NOT_FOUND


def test_an_approximate_place_is_refused_unless_somebody_reviews_it() -> None:
    before = "def total(prices):\n    return sum(prices)\n\n\nprint(total([1]))\n"
    search = "def total(pricse):\n    return sum(prices)\n"
    edit = Replace("a.py", search, "def total(prices):\n    return sum(prices, 0)\n")
    files = {"a.py": TextFile.decode("a.py", before.encode())}
    assert [refusal.reason for refusal in plan(files, [edit]).refusals] == [RefusalReason.NOT_FOUND]
    offered = plan(files, [edit], approximate="propose")
    assert (offered.files[0].is_approximate, offered.proposals()[0].approximate) == (True, True)
    assert offered.files[0].after is not None
    assert offered.files[0].after.text == before.replace("sum(prices)", "sum(prices, 0)")


def test_at_an_approximate_place_the_one_of_two_equal_lines_stays_that_the_hunk_keeps() -> None:
    before = "alpha one two three\nx = 1;\r\nx = 1;\nomega four five six\nlast line of all\n"
    diff = "@@\n alpha one two thred\n-x = 1;\n x = 1;\n omega four five six\n last line of all\n"
    files = {"a.txt": TextFile.decode("a.txt", before.encode())}
    [offered] = plan(files, parse(diff, "udiff", path="a.txt"), approximate="propose").files
    assert offered.is_approximate
    assert offered.after is not None
    assert offered.after.text == before.replace("x = 1;\r\n", "")


@pytest.mark.parametrize(
    ("signs", "after"), [("- ", None), (" -", "a\nsame\nb  c\n")], ids=["the first", "the second"]
)
def test_a_blank_line_that_is_not_there_matters_beside_the_one_of_two_equal_lines_that_goes(
    signs: str, after: str | None
) -> None:
    before = "a\nsame\nsame\nb  c\n"
    diff = f"@@\n a\n \n{signs[0]}same\n{signs[1]}same\n b c\n"
    files = {"a.txt": TextFile.decode("a.txt", before.encode())}
    [planned] = plan(files, parse(diff, "udiff", path="a.txt")).files
    assert planned.after is not None
    assert (planned.after.text, bool(planned.refusals)) == (after or before, after is None)


def test_a_line_of_a_hunk_with_a_carriage_return_in_it_is_two_lines_of_the_file() -> None:
    files = {"a.txt": TextFile.decode("a.txt", b"x\na\rb\ny\n")}
    [planned] = plan(files, parse("@@\n x\n-a\rb\n+c\n y\n", "udiff", path="a.txt")).files
    assert planned.after is not None
    assert planned.after.text == "x\nc\ry\n"


def test_a_shift_is_refused_when_the_new_text_is_indented_by_another_rule() -> None:
    before = "if a:\n        call()\n"
    assert refused(before, "    call()\n", "        other()\n", "a.c") is RefusalReason.NOT_FOUND


def test_a_line_of_five_megabytes_takes_only_the_strict_rungs() -> None:
    before = "x" * 5_000_000 + " “y”\n"
    assert refused(before, before.replace("“y”", '"y"'), "z\n") is RefusalReason.NOT_FOUND
    assert taken(before + "end\n", before, "z\n") == (Rung.EXACT, "z\nend\n")
