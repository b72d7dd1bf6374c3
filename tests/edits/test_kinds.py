"""Every kind of edit besides replacing: insert, write, delete, move."""

import pytest

from motet.edits import (
    Delete,
    Edit,
    Insert,
    Match,
    Move,
    Near,
    Refusal,
    RefusalReason,
    Replace,
    ReplaceAnchored,
    Write,
    plan,
)
from motet.edits.formats.anchors import anchor_of
from motet.text import TextFile


def file(text: str, path: str = "a.txt") -> TextFile:
    return TextFile.decode(path, text.encode())


def tree(before: dict[str, str], *edits: Edit) -> tuple[list[str], dict[str, str]]:
    """The reason of each refusal (or nothing), and all files as they would be."""
    planned = plan({path: file(text, path) for path, text in before.items()}, edits)
    after = dict(before)
    for one in planned.files:
        if one.after is not one.before:
            after.pop(one.path, None)
        if one.after is not None:
            after[one.after.path] = one.after.text
    reasons = [each.reason if isinstance(each, Refusal) else "" for one in planned.files for each in one.outcomes]
    return [str(reason) for reason in reasons], after


def test_lines_are_inserted_before_a_line_and_behind_the_last() -> None:
    for line, text in ((1, "new\na\nb\n"), (2, "a\nnew\nb\n"), (3, "a\nb\nnew\n")):
        assert tree({"a.txt": "a\nb\n"}, Insert("a.txt", "new\n", Near(line=line))) == ([""], {"a.txt": text})


def test_lines_before_a_line_that_is_not_there_are_refused() -> None:
    assert tree({"a.txt": "a\n"}, Insert("a.txt", "new\n", Near(line=3))) == (["not_found"], {"a.txt": "a\n"})


def test_lines_are_inserted_below_a_header() -> None:
    before = {"a.txt": "[one]\nx\n[two]\ny\n"}
    assert tree(before, Insert("a.txt", "z\n", Near(headers=("[two]",))))[1] == {"a.txt": "[one]\nx\n[two]\nz\ny\n"}


def test_lines_at_the_end_take_the_line_end_and_keep_the_missing_one() -> None:
    append = Insert("a.txt", "b\n", Near(at_end=True))
    assert tree({"a.txt": "a\r\n"}, append)[1] == {"a.txt": "a\r\nb\r\n"}
    assert tree({"a.txt": "x\r\na"}, append)[1] == {"a.txt": "x\r\na\r\nb"}


def test_two_additions_at_the_end_come_in_the_order_of_the_answer() -> None:
    edits = [Insert("a.txt", "b\n", Near(at_end=True)), Insert("a.txt", "c\n", Near(at_end=True))]
    assert tree({"a.txt": "a\n"}, *edits)[1] == {"a.txt": "a\nb\nc\n"}


def test_a_whole_file_is_written_and_unchanged_lines_keep_their_ends() -> None:
    assert tree({}, Write("n.txt", "a\nb")) == ([""], {"n.txt": "a\nb"})
    assert tree({"a.txt": "a\r\nb\r\n"}, Write("a.txt", "a\nB\nc\n")) == ([""], {"a.txt": "a\r\nB\r\nc\r\n"})


def test_writing_what_stands_there_is_a_success_that_changes_nothing() -> None:
    planned = plan({"a.txt": file("a\r\nb")}, [Write("a.txt", "a\nb\n")]).files[0]
    assert isinstance(planned.outcomes[0], Match)
    assert (planned.outcomes[0].already_applied, planned.changes_something) == (True, False)


def test_a_file_that_is_to_be_created_is_not_overwritten() -> None:
    assert tree({"a.txt": "a\n"}, Write("a.txt", "b\n", create=True)) == (["bad_format"], {"a.txt": "a\n"})


def test_an_empty_file_can_be_created() -> None:
    assert tree({}, Write("n.txt", "")) == ([""], {"n.txt": ""})


def test_a_file_is_deleted() -> None:
    assert tree({"a.txt": "a\n", "b.txt": "b\n"}, Delete("a.txt")) == ([""], {"b.txt": "b\n"})


@pytest.mark.parametrize("edit", [Delete("n.txt"), Move("n.txt", "m.txt"), Replace("n.txt", "a\n", "b\n")])
def test_what_is_not_there_cannot_be_deleted_moved_or_edited(edit: Edit) -> None:
    assert tree({}, edit) == (["not_found"], {})


def test_a_file_that_is_deleted_is_not_edited_as_well() -> None:
    edits = [Delete("a.txt"), Replace("a.txt", "a\n", "b\n")]
    assert tree({"a.txt": "a\n"}, *edits) == (["overlap", "overlap"], {"a.txt": "a\n"})


def test_a_file_is_moved_together_with_its_edits() -> None:
    edits = [Move("a.txt", "dir/b.txt"), Replace("a.txt", "a\n", "b\n")]
    assert tree({"a.txt": "a\n"}, *edits) == (["", ""], {"dir/b.txt": "b\n"})


def test_a_move_whose_edit_is_refused_is_not_made() -> None:
    edits = [Move("a.txt", "b.txt"), Replace("a.txt", "x\n", "b\n")]
    assert tree({"a.txt": "a\n"}, *edits) == (["", "not_found"], {"a.txt": "a\n"})


def test_a_move_onto_a_file_that_is_there_is_refused() -> None:
    before = {"a.txt": "a\n", "b.txt": "b\n"}
    assert tree(before, Move("a.txt", "b.txt")) == (["bad_format"], before)


def test_a_refusal_holds_back_no_other_file() -> None:
    edits = [Write("n.txt", "n\n"), Replace("a.txt", "x\n", "y\n")]
    assert tree({"a.txt": "a\n"}, *edits) == (["", "not_found"], {"a.txt": "a\n", "n.txt": "n\n"})


def test_an_edit_of_what_the_same_answer_creates_finds_it() -> None:
    edits = [Write("n.txt", "a\nb\n"), Replace("n.txt", "b\n", "c\n")]
    assert tree({}, *edits) == (["", ""], {"n.txt": "a\nc\n"})


def test_refusals_say_what_stands_in_the_way() -> None:
    refusal = plan({"a.txt": file("a\n")}, [Write("a.txt", "b\n", create=True)]).refusals[0]
    assert refusal.reason is RefusalReason.BAD_FORMAT
    assert refusal.describe() == (
        "a.txt: refused (bad_format): a.txt exists already\nadvice: edit the file that is there, or choose another path"
    )


THREE = "one\ntwo\nthree\n"


def anchored(text: str, first: int, last: int | None, new: str) -> ReplaceAnchored:
    """As a model writes it that was shown `text`."""
    lines = ["", *text.split("\n")]
    return ReplaceAnchored(
        "a.txt", anchor_of(lines[first], first), None if last is None else anchor_of(lines[last], last), new
    )


@pytest.mark.acceptance("S1-012", "S0-118")
def test_anchored_lines_are_replaced_and_inserted() -> None:
    assert tree({"a.txt": THREE}, anchored(THREE, 2, 3, "2\n"))[1] == {"a.txt": "one\n2\n"}
    assert tree({"a.txt": THREE}, anchored(THREE, 2, None, "new\n"))[1] == {"a.txt": "one\ntwo\nnew\nthree\n"}
    assert tree({"a.txt": THREE}, anchored(THREE, 0, None, "new\n"))[1] == {"a.txt": "new\none\ntwo\nthree\n"}
    assert tree({"a.txt": "one\r\ntwo"}, anchored("one\ntwo", 2, 2, "2\n3\n"))[1] == {"a.txt": "one\r\n2\r\n3"}


@pytest.mark.parametrize(("now", "reason"), [("one\nnew\nthree\n", ""), ("two\nnew\nthree\n", "stale")])
def test_an_anchored_edit_that_was_made_before_is_known(now: str, reason: str) -> None:
    assert tree({"a.txt": now}, anchored(THREE, 2, 2, "new\n")) == ([reason], {"a.txt": now})


@pytest.mark.acceptance("S1-005", "S1-012")
def test_an_anchor_whose_line_has_changed_or_was_miscounted_is_refused() -> None:
    now = "zero\none\ntwo\nthree\n"
    assert tree({"a.txt": now}, anchored(THREE, 2, 2, "2\n")) == (["stale"], {"a.txt": now})
    miscounted = ReplaceAnchored("a.txt", anchor_of("two", 3), anchor_of("two", 3), "2\n")
    assert tree({"a.txt": THREE}, miscounted) == (["stale"], {"a.txt": THREE})
    beyond = ReplaceAnchored("a.txt", anchor_of("x", 9), anchor_of("x", 9), "2\n")
    assert tree({"a.txt": THREE}, beyond) == (["stale"], {"a.txt": THREE})


def test_anchors_of_a_version_that_was_shown_are_carried_to_the_text_now() -> None:
    shown, now = "one\ntwo\nthree\nfour\n", "zero\none\ntwo\nthree\nfour\n"
    planned = plan({"a.txt": file(now)}, [anchored(shown, 3, 3, "3\n")], shown={"a.txt": file(shown)}).files[0]
    assert planned.after is not None
    assert planned.after.text == "zero\none\ntwo\n3\nfour\n"
