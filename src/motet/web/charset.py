"""From bytes to characters, by what the page says of itself.

Order and names after the WHATWG Encoding Standard and HTML, 13.2.3: byte order mark, header, what the page declares,
then UTF-8, and Western European as the last resort. Only codecs of this table are used: Python's own look-up also
knows some that are no character sets.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_HEAD = 4_096
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta\b[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([\w.:+-]+)")

_NAMES = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j cp932 ms932 csshiftjis",
    "euc_jp": "euc-jp x-euc-jp eucjp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "gb18030": "gb18030 gbk gb2312 gb_2312-80 x-gbk csgb2312 chinese",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5",
    "cp949": "euc-kr ks_c_5601-1987 ksc5601 korean windows-949 cp949",
    "cp1252": "iso-8859-1 iso8859-1 latin1 l1 us-ascii ascii windows-1252 cp1252",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253",
    "cp1254": "windows-1254 cp1254 iso-8859-9 latin5",
    "cp1255": "windows-1255 cp1255",
    "cp1256": "windows-1256 cp1256",
    "cp1257": "windows-1257 cp1257",
    "cp1258": "windows-1258 cp1258",
    "cp874": "windows-874 tis-620 iso-8859-11",
    "iso8859-2": "iso-8859-2 latin2",
    "iso8859-3": "iso-8859-3 latin3",
    "iso8859-4": "iso-8859-4 latin4",
    "iso8859-5": "iso-8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 arabic",
    "iso8859-7": "iso-8859-7 greek",
    "iso8859-8": "iso-8859-8 hebrew",
    "iso8859-10": "iso-8859-10 latin6",
    "iso8859-13": "iso-8859-13",
    "iso8859-15": "iso-8859-15 latin9",
    "koi8-r": "koi8-r koi8 koi",
    "koi8-u": "koi8-u",
    "utf-16-le": "utf-16 utf-16le",
    "utf-16-be": "utf-16be",
}
_CODECS = {name: codec for codec, names in _NAMES.items() for name in names.split()}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, and a note where it could not be read without a loss."""

    text: str
    note: str = ""


def decode(body: bytes, content_type: str = "", *, cut: bool = False) -> Decoded:
    """`body` as text, with `\\n` as the end of lines. `cut`: its end may be the half of a character."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return _certainly(body[len(mark) :], codec, cut)
    candidates = [codec for name in _declared(body, content_type) if (codec := _CODECS.get(name.lower()))]
    for codec in (*candidates, "utf-8"):
        try:
            return Decoded(_lines(codecs.getincrementaldecoder(codec)("strict").decode(body, final=not cut)))
        except UnicodeDecodeError:
            continue
    return _certainly(body, candidates[0] if candidates else "cp1252", cut)


def _certainly(body: bytes, codec: str, cut: bool) -> Decoded:
    text = codecs.getincrementaldecoder(codec)("replace").decode(body, final=not cut)
    lost = text.count("�")
    return Decoded(_lines(text), f"{lost} characters could not be read as {codec}" if lost else "")


def _declared(body: bytes, content_type: str) -> list[str]:
    """The names of character sets in the header, then in the page."""
    names: list[str] = []
    if found := _CHARSET.search(content_type):
        names.append(found[1])
    head = body[:_HEAD]
    for pattern in (_META, _XML):
        if inside := pattern.search(head):
            name = inside[1].decode("ascii", "replace")
            # A page whose declaration can be read as ASCII is not in UTF-16, whatever it says.
            names.append("utf-8" if name.lower().startswith("utf-16") else name)
    return names


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
