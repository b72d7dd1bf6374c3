"""Texts that nobody would write by hand: they are read in bounded time, or not at all."""

from __future__ import annotations

import time

import pytest

from motet.syntax import LANGUAGES, MAX_PARSED_CHARACTERS, chunks, definitions, read

HOSTILE = {
    "deep brackets": "(" * 5_000,
    "deep blocks": "{" * 5_000,
    "deep functions": "".join(" " * depth + f"def f{depth}():\n" for depth in range(300)),
    "a huge line": "x = " + "1 + " * 20_000 + "1",
    "binary": "".join(chr(number % 256) for number in range(50_000)),
    "no UTF-8": b"import a\xff\xfe\ndef \x80f():\n    pass\n".decode("utf-8", "surrogateescape"),
    "replaced": b"import a\xff\ndef \x80f():\n    pass\n".decode("utf-8", "replace"),
    "many imports": "import a\n" * 8_000,
    "a nested use": "use a" + "::{b" * 800,
    "half a file": "class A:\n    def f(self, a=(1,\n",
    "line ends": "import a\r\rdef f():\r\n    pass\r",
    "empty lines": "\n" * 50_000,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_read_in_bounded_time_and_each_line_is_in_one_chunk(language: str, name: str) -> None:
    text = HOSTILE[name]
    started = time.process_time()
    found = read(text, language)
    assert found is not None
    pieces = chunks(text, found.definitions)
    assert time.process_time() - started < 5
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").count("\n") + 1
    covered = [line for each in pieces for line in range(each.first_line, each.last_line + 1)]
    assert covered == list(range(1, lines + 1))
    assert all(1 <= each.first_line <= each.line <= each.last_line <= lines for each in found.definitions)


def test_what_is_too_long_is_not_read() -> None:
    assert read("x" * (MAX_PARSED_CHARACTERS + 1), "python") is None
    assert definitions("x" * (MAX_PARSED_CHARACTERS + 1), "python") == []


def test_a_text_in_no_known_language_is_not_read() -> None:
    assert read("def f(): ...", None) is None
    assert read("def f(): ...", "cobol") is None
