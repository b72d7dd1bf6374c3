"""The merge beside `git merge-file`: never another clean result, and a conflict wherever git sees one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motet.text.merge import merge


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("merge")


def git(place: Path, base: str, ours: str, theirs: str) -> str | None:
    """What git makes of it; None for a conflict."""
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (place / name).write_bytes(text.encode())
    command = ["git", "merge-file", "-p", "-q", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=place, capture_output=True, check=False)
    assert 0 <= done.returncode < 128, done.stderr
    return done.stdout.decode() if done.returncode == 0 else None


@st.composite
def three(draw: st.DrawFn, line: st.SearchStrategy[str]) -> tuple[str, str, str]:
    """A text and two versions of it."""
    base = draw(st.lists(line, max_size=14))

    def version() -> str:
        now = list(base)
        for _ in range(draw(st.integers(0, 3))):
            first = draw(st.integers(0, len(now)))
            last = min(len(now), first + draw(st.integers(0, 2)))
            now[first:last] = draw(st.lists(line, max_size=2))
        return ended(now)

    def ended(lines: list[str]) -> str:
        text = "".join(lines)
        return text.rstrip("\r\n") if draw(st.integers(0, 4)) == 0 else text

    return ended(base), version(), version()


ENDS = st.sampled_from(["\n", "\n", "\r\n"])
FEW = st.builds(str.__add__, st.sampled_from(["", "a", "b"]), ENDS)
MANY = st.builds(str.__add__, st.text("abcdefgh{} \u2028é", max_size=3), ENDS)


@settings(max_examples=400, deadline=None)
@given(texts=three(FEW) | three(MANY))
def test_a_clean_result_is_gits_and_what_git_refuses_is_refused(place: Path, texts: tuple[str, str, str]) -> None:
    mine, theirs = merge(*texts), git(place, *texts)
    assert mine.conflicts or mine.text == theirs


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_where_no_line_repeats_the_two_agree_on_every_conflict(place: Path, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 12))
    base = [f"line {number}\n" for number in range(size)]

    def version(name: str) -> str:
        now = [[line] for line in base] + [[]]
        for number in data.draw(st.sets(st.integers(0, size), max_size=3)):
            kept = [] if data.draw(st.booleans()) else now[number]
            now[number] = [f"{name} {number}.{count}\n" for count in range(data.draw(st.integers(0, 2)))] + kept
        return "".join(line for group in now for line in group)

    texts = "".join(base), version("ours"), version("theirs")
    mine = merge(*texts)
    assert (None if mine.conflicts else mine.text) == git(place, *texts)


@settings(max_examples=200, deadline=None)
@given(texts=three(FEW) | three(MANY))
def test_sides_can_be_exchanged_and_a_side_without_changes_yields(texts: tuple[str, str, str]) -> None:
    base, ours, theirs = texts
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert one.text == other.text or one.conflicts
    assert [(c.first, c.last, c.ours, c.theirs) for c in one.conflicts] == [
        (c.first, c.last, c.theirs, c.ours) for c in other.conflicts
    ]
    assert merge(base, base, theirs).text == theirs
    assert merge(base, ours, base).text == ours
    assert merge(base, ours, ours).text == ours
