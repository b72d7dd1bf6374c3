"""A file with changes: bytes spliced from the old ones are those that the whole new text has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits.edited import Edited
from motet.edits.splice import Change
from motet.errors import NotText
from motet.text import TextFile

TEXT = st.text(st.sampled_from("ab\n\ré—値😀"), max_size=300)
HEAD = "# the head of the file\n" * 50


def file(text: str, encoding: str = "utf-8") -> TextFile:
    return TextFile("module.py", text.encode(encoding), text, encoding)


def changes(draw: st.DataObject, text: str) -> list[Change]:
    places = sorted(draw.draw(st.lists(st.integers(0, len(text)), max_size=6).filter(lambda all: len(all) % 2 == 0)))
    pairs = zip(places[::2], places[1::2], strict=True)
    return [Change(start, end, draw.draw(TEXT), draw.draw(st.booleans())) for start, end in pairs]


@given(TEXT, st.sampled_from(["utf-8", "utf-16-le"]), st.data())
def test_the_new_bytes_are_those_of_the_new_text(text: str, encoding: str, draw: st.DataObject) -> None:
    base = file(HEAD + text, encoding)
    for edited in (one := Edited(base).changed(changes(draw, base.text)), one.changed(changes(draw, one.text))):
        after = base.with_changes([(0, len(base.text), edited.text)])
        assert after.data == edited.text.encode(encoding)
        if encoding == "utf-8":
            assert (edited.file(), edited.file().text, hash(edited.file())) == (after, edited.text, hash(after))


def test_the_byte_order_mark_stays_and_the_text_is_decoded_when_it_is_asked_for() -> None:
    base = TextFile.decode("module.py", b"\xef\xbb\xbf" + (HEAD + "naïve = 1\n値 = 2\n").encode())
    at = base.text.index("値")
    after = base.with_changes([(at, at + 1, "été")])
    assert after.data == b"\xef\xbb\xbf" + (HEAD + "naïve = 1\nété = 2\n").encode()
    assert after.text == HEAD + "naïve = 1\nété = 2\n"
    assert after == base.with_text(after.text)


def test_what_changes_nothing_is_the_file_itself() -> None:
    base = file(HEAD + "a\n")
    assert Edited(base).file() is base
    assert Edited(base).changed([Change(len(HEAD), len(HEAD) + 1, "a", whole=False)]).file() is base


@pytest.mark.parametrize(
    ("text", "encoding", "new"),
    [
        (HEAD, "utf-8", "a\0b"),
        (HEAD, "utf-8", "\ud800"),
        (HEAD, "latin-1", "値"),
        ("a\n", "utf-8", "# coding: latin-1\né\n"),
        ("a\n", "utf-8", "\ufeffa\n"),
    ],
    ids=["a NUL", "half a character", "a character it lacks", "another declaration", "a byte order mark"],
)
def test_what_could_not_be_read_again_is_no_text(text: str, encoding: str, new: str) -> None:
    base = file(text, encoding)
    place = (0, 0) if text == "a\n" else (len(text), len(text))
    with pytest.raises(NotText):
        Edited(base).changed([Change(*place, new)]).file()
