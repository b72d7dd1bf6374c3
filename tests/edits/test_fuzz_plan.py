"""`plan`, given any edits of any files: one outcome for each edit, the same each time, and never an error."""

from collections import Counter
from typing import Literal

from edits.mutations.example import around
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.edits import (
    Anchor,
    Decision,
    Delete,
    Edit,
    Insert,
    Match,
    Move,
    Near,
    Refusal,
    Replace,
    ReplaceAnchored,
    Write,
    plan,
)
from motet.errors import NotText
from motet.text import TextFile

steady = settings(
    max_examples=1_000, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)

PATHS = ("a.py", "b.txt", "", "c/../a.py", "x\0y")
lines = st.sampled_from(
    ("a", "  a", "\ta", "b", "  b ", "x = 1", "if x:", "...", "# ...", "", "1: a", "a a", "“a”", "\ud800", "é")
)
texts = st.lists(st.tuples(lines, st.sampled_from(("\n", "\n", "\n", "\r\n", "\r", ""))), max_size=7).map(
    lambda drawn: "".join(line + end for line, end in drawn)
)
numbers = st.integers(-2, 9) | st.sampled_from((10**9, 10**30))
nears = st.builds(Near, line=numbers, headers=st.lists(lines, max_size=2).map(tuple), at_end=st.booleans())
anchors = st.builds(Anchor, line=numbers, hash=st.sampled_from(("a3", "", "zzz")))
paths = st.sampled_from(PATHS)
any_edits: st.SearchStrategy[Edit] = st.one_of(
    st.builds(Replace, paths, texts, texts, near=nears, inline=st.booleans(), replace_all=st.booleans()),
    st.builds(Replace, st.just("a.py"), texts, texts, near=nears),
    st.builds(Insert, paths, texts, nears),
    st.builds(ReplaceAnchored, paths, anchors, st.none() | anchors, texts),
    st.builds(Write, paths, texts, create=st.booleans()),
    st.builds(Delete, paths),
    st.builds(Move, paths, paths),
)


def files_of(drawn: dict[str, str]) -> dict[str, TextFile]:
    found: dict[str, TextFile] = {}
    for path, text in drawn.items():
        try:
            found[path] = TextFile.decode(path, text.encode("utf-8", "replace"))
        except NotText:
            continue
    return found


any_files = st.dictionaries(paths, texts, max_size=3).map(files_of)


@steady
@given(
    any_files,
    st.lists(any_edits, max_size=5),
    any_files,
    st.booleans(),
    st.sampled_from(("refuse", "propose")),
)
def test_any_edits_of_any_files_are_planned_the_same_way_each_time_and_each_has_one_outcome(
    files: dict[str, TextFile],
    edits: list[Edit],
    shown: dict[str, TextFile],
    partial: bool,
    approximate: Literal["refuse", "propose"],
) -> None:
    planned, again = (plan(files, edits, shown=shown, partial=partial, approximate=approximate) for _ in range(2))
    assert planned == again
    outcomes = [outcome for file in planned.files for outcome in file.outcomes]
    assert Counter(outcome.edit for outcome in outcomes) == Counter(edits)
    for file in planned.files:
        assert file.before == files.get(file.path)
        if file.refusals and not partial:
            assert file.after == file.before
    after = {file.path: file.after for file in planned.files}
    for proposal in planned.proposals():
        wanted = after[proposal.path]
        accepted = proposal.decide_pending(Decision.ACCEPTED)
        assert accepted.accepted() == (b"" if wanted is None else wanted.data)
        assert accepted.will_delete == (wanted is None)


@steady
@given(texts, st.builds(Replace, st.just("a.py"), texts, texts, near=nears, inline=st.booleans()))
def test_lines_outside_the_place_of_an_edit_keep_their_bytes(text: str, edit: Replace) -> None:
    before = files_of({"a.py": text}).get("a.py")
    if before is None:
        return
    file = plan({"a.py": before}, [edit]).files[0]
    match file.outcomes[0]:
        case Match(already_applied=False, first_line=first, last_line=last) if file.after is not None and before.text:
            head, tail = around(before.text, first, last)
            after = file.after.text
            if not tail and not before.text.endswith(("\n", "\r")):
                head = head.rstrip("\r\n")  # a file without a final line end keeps it so when its last line goes
            assert after.startswith(head)
            assert after[len(head) :].endswith(tail)
        case Match() | Refusal():
            assert file.after == before or not before.text
