"""A file's bytes survive decoding and encoding, or the file is refused."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import FileTooLarge, NotText
from motet.text import MAX_TEXT_BYTES, TextFile


@pytest.mark.acceptance("CC-10")
@given(
    st.text(max_size=60),
    st.sampled_from(
        [
            ("utf-8", b""),
            ("utf-8", codecs.BOM_UTF8),
            ("utf-16-le", codecs.BOM_UTF16_LE),
            ("utf-16-be", codecs.BOM_UTF16_BE),
        ]
    ),
)
def test_bytes_survive_in_every_encoding(text: str, how: tuple[str, bytes]) -> None:
    encoding, bom = how
    if not bom:
        text = text.replace("\0", "").lstrip("\ufeff")
    if text.startswith("\0"):
        text = text[1:].lstrip("\0")  # FF FE 00 00 is the mark of UTF-32
    data = bom + text.encode(encoding)
    file = TextFile.decode("a.txt", data)
    assert file.encode(file.text) == data
    assert file.text == text


def test_a_declared_encoding_is_used() -> None:
    data = "# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1")
    file = TextFile.decode("a.py", data)
    assert (file.encoding, file.text.splitlines()[1], file.encode(file.text)) == ("iso8859-1", "name = 'é'", data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x7fELF\0\0", "a: binary file"),
        (b"caf\xe9\n", "a: not valid utf-8; declare its encoding in the first line or convert it"),
        (codecs.BOM_UTF16_LE + b"a", "a: not valid utf-16-le; declare its encoding in the first line or convert it"),
    ],
)
def test_what_is_not_text_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(NotText) as caught:
        TextFile.decode("a", data)
    assert str(caught.value) == message


def test_a_huge_file_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(FileTooLarge):
        TextFile.decode("a", b"x" * (MAX_TEXT_BYTES + 1))


@pytest.mark.parametrize(("text", "newline"), [("", "\n"), ("a", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\rc", "\r")])
def test_the_line_end_is_the_one_most_lines_have(text: str, newline: str) -> None:
    assert TextFile.decode("a", text.encode()).newline == newline


@pytest.mark.parametrize("name", ["rot13", "hex", "punycode", "utf-7", "utf-16", "undefined", "no-such-thing"])
def test_a_declared_encoding_that_cannot_be_meant_is_not_believed(name: str) -> None:
    assert TextFile.decode("a.py", f"# coding: {name}\nx = 1\n".encode()).encoding == "utf-8"
