"""SEARCH/REPLACE blocks out of edits by line and column: applied by the edit engine they give exactly the edited
text, or there is no block."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from motet.edits import Refusal, Replace, parse_replace_in_file, plan
from motet.models.offline.blocks import blocks_of, regions_of
from motet.text import LineIndex, Position, Range, TextFile
from motet.text.report import FileReport, ReportedEdit, Run

from .offline_asking import ask, shown

LINE = st.sampled_from(["", "a", "b", "  a", "x = 1", "}", "=======", "<<<<<<< SEARCH", "日本 é", "# ...", "```"])
TEXT = st.lists(LINE, min_size=1, max_size=14)
NEW = st.sampled_from(["", "c", "c\n", "\nc", "a\nb\n", "\n", "  é"])


def report(lines: list[str], *spans: tuple[int, int]) -> FileReport:
    if not spans:
        return FileReport("a.txt", (Run(1, tuple(lines)),), ())
    runs = tuple(Run(first, tuple(lines[first - 1 : last])) for first, last in spans)
    return FileReport("a.txt", runs, (), len(lines))


def edit(lines: list[str], start: int, end: int, new: str) -> ReportedEdit:
    index = LineIndex("\n".join(lines) + "\n")
    range_ = Range(index.position(start), index.position(end))
    return ReportedEdit(range_, index.slice(range_), new)


@settings(max_examples=400, deadline=None)
@given(TEXT, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9), NEW), min_size=1, max_size=3))
@example(["a", "a", "b"], [(0, 1, "c")])
@example(["x = 1"], [(6, 0, "c\n")])
@example(["# ...", "日本 é", "# ..."], [(5, 8, "")])
def test_blocks_applied_by_the_edit_engine_give_the_edited_text(
    lines: list[str], wanted: list[tuple[int, int, str]]
) -> None:
    before = "\n".join(lines) + "\n"
    edits: list[ReportedEdit] = []
    behind = 0
    after = before
    for start, length, new in sorted(wanted):
        start, end = max(start, behind), min(max(start, behind) + length, len(before))
        if start < len(before) or (start == len(before) and new.endswith("\n")):
            edits.append(edit(lines, start, end, new))
            behind = end + 1
    for one in reversed(edits):
        index = LineIndex(before)
        a, b = index.offset(one.range.start), index.offset(one.range.end)
        after = after[:a] + one.new + after[b:]
    regions = regions_of(report(lines), edits)
    blocks = None if regions is None else blocks_of(report(lines), regions)
    if not blocks or not after.endswith("\n") or after == before:
        return
    diff = "\n".join(str(block) for block in blocks)
    planned = plan({"a.txt": TextFile.decode("a.txt", before.encode())}, parse_replace_in_file("a.txt", diff)).files[
        0
    ]
    refused = [one for one in planned.outcomes if isinstance(one, Refusal)]
    if refused and all("placeholder" in one.message for one in refused):
        return  # the edit made a line that stands for left-out code, which is refused of every model
    assert refused == []
    assert planned.after is not None
    assert planned.after.text == after


def one_edit(lines: list[str], line: int, column: int, old: str, new: str) -> ReportedEdit:
    assert lines[line - 1][column - 1 :].startswith(old)
    return ReportedEdit(Range(Position(line, column), Position(line, column + len(old))), old, new)


def test_a_line_that_stands_twice_is_widened_until_it_is_unique() -> None:
    lines = ["def f():", "    return x", "", "def g():", "    return x"]
    blocks = blocks_of(report(lines), regions_of(report(lines), [one_edit(lines, 5, 12, "x", "y")]) or [])
    assert blocks is not None
    assert [(block.search, block.replace) for block in blocks] == [
        (("def g():", "    return x"), ("def g():", "    return y"))
    ]


def test_a_line_that_cannot_be_told_apart_gets_no_block() -> None:
    lines = ["x", "x", "x"]
    regions = regions_of(report(lines), [one_edit(lines, 2, 1, "x", "y")])
    assert regions is not None
    assert [block.search for block in blocks_of(report(lines), regions) or []] == [("x", "x", "x")]
    cut = report(["x", "x", "x", "b", "x", "x", "x"], (1, 3), (5, 7))
    assert blocks_of(cut, regions_of(cut, [one_edit(lines, 2, 1, "x", "y")]) or []) is None


def test_neighbouring_blocks_become_one() -> None:
    lines = ["a", "x", "x", "b"]
    regions = regions_of(report(lines), [one_edit(lines, 2, 1, "x", "y"), one_edit(lines, 3, 1, "x", "z")])
    blocks = blocks_of(report(lines), regions or [])
    assert blocks is not None
    assert [(block.search, block.replace) for block in blocks] == [(("a", "x", "x"), ("a", "y", "z"))]


def test_lines_that_look_like_markers_are_neither_searched_nor_written() -> None:
    for lines in (["=======", "x", ">>>>>>> REPLACE"], ["x", "======="], ["<<<<<<< SEARCH", "x"]):
        at = lines.index("x") + 1
        blocks = blocks_of(report(lines), regions_of(report(lines), [one_edit(lines, at, 1, "x", "y")]) or [])
        assert blocks is not None
        assert [block.search for block in blocks] == [("x",)]
    lines = ["x", "=======", "x"]
    assert blocks_of(report(lines), regions_of(report(lines), [one_edit(lines, 1, 1, "x", "y")]) or []) is None
    lines = ["x"]
    new = "=======\n>>>>>>> REPLACE"
    assert blocks_of(report(lines), regions_of(report(lines), [one_edit(lines, 1, 1, "x", new)]) or []) is None


def test_in_a_file_that_was_cut_blocks_take_lines_around_and_stay_within_their_run() -> None:
    lines = ["one", "two", "three", "four", "five", "six", "seven"]
    cut = report(lines, (1, 2), (5, 7))
    blocks = blocks_of(cut, regions_of(cut, [one_edit(lines, 5, 1, "five", "FIVE")]) or [])
    assert blocks is not None
    assert [block.search for block in blocks] == [("five", "six", "seven")]


def test_an_edit_of_lines_that_were_not_shown_has_no_region() -> None:
    lines = ["one", "two", "three", "four", "five"]
    cut = report(lines, (1, 2), (5, 5))
    assert regions_of(cut, [edit(lines, 9, 12, "x")]) is None
    assert regions_of(cut, [edit(lines, 4, 20, "x")]) is None


async def test_a_fix_far_apart_makes_two_small_blocks() -> None:
    middle = "\n".join(f"line {n}" for n in range(40))
    answer = await ask(
        shown(
            "a.py",
            f"import a\n{middle}\nuse(b)",
            "[Error] Line 42, Column 5: Bad (x y)",
            "  suggested fix: Change both",
            '    1:8-1:9 "a" → "b"',
            '    42:5-42:6 "b" → "a"',
        )
    )
    assert answer.edits == [
        Replace("a.py", "import a\n", "import b\n", "", 1),
        Replace("a.py", "use(b)\n", "use(a)\n", "", 6),
    ]


async def test_crlf_and_edge_places_apply_as_meant() -> None:
    before = "a = 1\r\nb = 2\r\n"
    answer = await ask(
        shown(
            "a.py",
            "a = 1\nb = 2",
            "[Error] Line 3, Column 1: Missing end (x y)",
            "  suggested fix: Add the end",
            '    3:1-3:1 "" → "c = 3\\r\\n"',
        )
    )
    planned = plan({"a.py": TextFile.decode("a.py", before.encode())}, answer.edits).files[0]
    assert planned.after is not None
    assert planned.after.text == "a = 1\r\nb = 2\r\nc = 3\r\n"
