"""A file with changes: bytes spliced from the old ones are those that the whole new text has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Decision, Replace, plan
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


GUESSED = [
    ("iso8859-1", "# naïve café, Größe\n", "é"),
    ("cp1252", "# it’s “quoted” – done…\n", "€"),
    ("cp932", "# 日本語のコメントです。値を返す。\n", "語"),
    ("euc_jp", "# 既存のコードを変えないでください。\n", "語"),
    ("gb18030", "# 其余代码保持不变\n", "𠀀"),
]


@pytest.mark.parametrize(("encoding", "line", "new"), GUESSED)
def test_an_undeclared_encoding_stays_and_what_is_new_is_written_in_it(encoding: str, line: str, new: str) -> None:
    data = f"a = 1\r\n{line}b = 2\n".encode(encoding)
    before = TextFile.decode("a.py", data)
    planned = plan({"a.py": before}, [Replace("a.py", f"{line}b = 2\n", f"{line}b = '{new}'\n")])
    [proposal] = planned.proposals()
    assert proposal.decide_pending(Decision.ACCEPTED).accepted() == data.replace(b"2", f"'{new}'".encode(encoding))


def test_where_the_encoding_is_not_clear_only_what_is_there_can_be_written() -> None:
    data = "# 测试\na = 1\n".encode("gb18030")
    before = TextFile.decode("a.py", data)
    head = before.text.splitlines()[0]
    moved = plan({"a.py": before}, [Replace("a.py", f"{head}\na = 1\n", f"a = 2\n{head}\n")]).files[0]
    assert moved.after is not None
    assert moved.after.data == "a = 2\n# 测试\n".encode("gb18030")
    [refusal] = plan({"a.py": before}, [Replace("a.py", "a = 1\n", "a = '试'\n")]).refusals
    assert "a.py: '试' cannot be added: its encoding is " in refusal.describe()
    told = TextFile.decode("a.py", data, "gb18030")
    after = plan({"a.py": told}, [Replace("a.py", "a = 1\n", "a = '试'\n")]).files[0].after
    assert after is not None
    assert after.data == "# 测试\na = '试'\n".encode("gb18030")
