"""A file's bytes survive decoding and encoding, or the file is refused."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import FileTooLarge, NotText
from motet.text import MAX_TEXT_BYTES, TextFile

HELP = "declare its encoding in the first line, or name it with --encoding or the setting `encoding`"
CODE = "def f(a):\n    return a + 1\n\nclass C:\n    x = {}\n" * 20


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
        (b"\x1f\xe9\x01\xff\x81", f"a: not valid utf-8; {HELP}"),
        (codecs.BOM_UTF16_LE + b"a", f"a: not valid utf-16-le; {HELP}"),
        (b"# coding: ascii\n\xe9\n", f"a: not valid ascii; {HELP}"),
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


@pytest.mark.parametrize("around", ["", CODE])
@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("iso8859-1", '    print("Größe: %d" % x)\n'),
        ("iso8859-1", "# naïve café\n"),
        ("cp1252", "# it’s “quoted” – done…\n"),
        ("cp932", "# 日本語のコメントです。値を返す。\n"),
        ("cp932", 's = "表示"\n'),
        ("euc_jp", '    print("エラー: %d 件" % n)\n'),
        ("gb18030", "// 打开文件\n"),
        ("gb18030", "# 其余代码保持不变\n"),
    ],
)
def test_an_encoding_that_is_not_declared_is_told_by_its_look(encoding: str, line: str, around: str) -> None:
    data = f"{around}{line}{around}".encode(encoding)
    file = TextFile.decode("a.py", data)
    assert (file.encoding, file.text.encode(encoding)) == (encoding, data)
    assert file.with_text(file.text).data == data


def test_what_two_encodings_read_alike_well_is_said_to_be_unsure() -> None:
    file = TextFile.decode("a.py", "# 测试\n".encode("gb18030"))
    assert {file.encoding, file.unsure} == {"gb18030", "euc_jp"}
    assert (again := file.again(file.data + b"x")).encoding == file.encoding
    assert again.unsure == file.unsure
    named = TextFile.decode("a.py", "# 测试\n".encode("gb18030"), "gb18030")
    assert (named.text, named.unsure) == ("# 测试\n", "")


def test_an_encoding_that_is_named_counts_where_the_bytes_say_nothing() -> None:
    assert TextFile.decode("a", "é".encode(), "latin-1").text == "é"
    assert TextFile.decode("a", b"# coding: latin-1\n\xa4", "iso8859-15").text[-1] == "¤"
    assert TextFile.decode("a", b"\xa4", "iso8859-15").text == "€"
    assert TextFile.decode("a", "a\n".encode("utf-16-le"), "utf-16-le").text == "a\n"
    with pytest.raises(NotText, match="not valid ascii"):
        TextFile.decode("a", b"\xa4", "ascii")


@given(st.binary(max_size=200))
def test_whatever_bytes_are_taken_as_text_come_back_as_they_were(data: bytes) -> None:
    try:
        file = TextFile.decode("a", data)
    except NotText:
        return
    assert file.encode(file.text) == data
