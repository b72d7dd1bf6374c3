"""What is kept of a program's output."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.process.capture import Capture


def test_what_fits_is_kept_whole_and_makes_no_file(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "out" / "a.txt", 10)
    assert [capture.add(piece) for piece in (b"12345", b"6789", b"0")] == ["12345", "6789", "0"]
    assert capture.unread() == "1234567890"
    assert not (tmp_path / "out").exists()


def test_of_more_the_head_and_the_tail_and_the_place_of_the_whole(tmp_path: Path) -> None:
    file = tmp_path / "out" / "a.txt"
    capture = Capture(file, 10)
    for piece in (b"head-", b"x" * 100, b"-tail"):
        capture.add(piece)
    capture.close()
    assert capture.unread() == f"head-\n[100 characters left out here; the whole is in {file}]\n-tail"
    assert file.read_bytes() == b"head-" + b"x" * 100 + b"-tail"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_second_look_shows_only_what_is_new(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "a.txt", 10)
    capture.add(b"one\n")
    assert (capture.unread(), capture.unread()) == ("one\n", "")
    capture.add(b"two\n")
    assert capture.unread() == "two\n"
    capture.add(b"x" * 50 + b"three")
    assert capture.unread() == f"\n[50 characters left out here; the whole is in {tmp_path / 'a.txt'}]\nthree"


def test_a_character_cut_in_two_arrives_whole_and_bytes_that_are_none_are_marked(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "a.txt", 100)
    data = "日本".encode()
    assert capture.add(data[:4]) + capture.add(data[4:]) == "日本"
    assert capture.add(b"\xff!") == "\ufffd!"


def test_a_place_that_cannot_be_written_loses_no_output_that_is_shown(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    capture = Capture(tmp_path / "out" / "a.txt", 4)
    capture.add(b"abcdefgh")
    assert capture.unread().startswith("ab\n[4 characters left out here; the whole could not be kept in ")
    assert capture.unread() == ""


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(2, 30))
def test_the_file_holds_everything_however_it_came(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], limit: int
) -> None:
    file = tmp_path_factory.mktemp("capture") / "a.txt"
    capture = Capture(file, limit)
    whole = "".join(capture.add(piece) for piece in pieces)
    capture.close()
    if len(whole) > limit:
        assert file.read_bytes().decode() == whole
        assert capture.unread().endswith(whole[-(limit // 2) :])
    else:
        assert capture.unread() == whole
