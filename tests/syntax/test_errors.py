"""Whether an edit breaks a text: what compilers take is no error, and what failed before says nothing."""

from __future__ import annotations

import pytest

from motet.syntax import gains_errors, syntax_errors

CARD = "export const Card = () => (\n  <div>\n    <b>{one && two}</b>\n    <span>A</span>\n  </div>\n);\n"


@pytest.mark.parametrize("language", ["tsx", "javascript"])
@pytest.mark.parametrize(
    "text", ["A & B", "A & B & C", "A &", "&", "AT&T {x} & more", "A && B", "a &nbsp; b & c", "Q&A – 日本 & 中"]
)
def test_an_ampersand_in_the_text_of_jsx_is_no_error(text: str, language: str) -> None:
    after = CARD.replace("A<", f"{text}<")
    assert syntax_errors(after, language) == 0
    assert not gains_errors(CARD, after, language)


@pytest.mark.parametrize("text", ["{one & }", "<b>A & B", "{A & & B}", "A & B</i>", "A > {B &&}"])
def test_an_ampersand_hides_no_other_error(text: str) -> None:
    after = CARD.replace("A<", f"{text}<")
    assert syntax_errors(after, "tsx")
    assert gains_errors(CARD, after, "tsx")


MACROS = "int one(void) { return 1; }\n\nAPI_BEGIN(\n  int two(void) { MACRO(if, else) return 2; }\n)\n\nint three;\n\nint four;\n"


def test_a_new_error_where_the_text_failed_before_says_nothing() -> None:
    assert syntax_errors(MACROS, "c")
    more = MACROS.replace("MACRO(if, else)", "MACRO(if, else) MACRO(for, while) MACRO(do, do)")
    assert syntax_errors(more, "c") > syntax_errors(MACROS, "c")
    assert not gains_errors(MACROS, more, "c")
    assert not gains_errors(MACROS, f"int zero;\n{more}", "c")


@pytest.mark.parametrize(("old", "new"), [("return 1; }", "return 1 }"), ("int four;", "int four = ;")])
def test_a_new_error_elsewhere_counts(old: str, new: str) -> None:
    assert gains_errors(MACROS, MACROS.replace(old, new), "c")


def test_wrong_indentation_counts() -> None:
    assert gains_errors("def f():\n    a = 1\n    b = 2\n", "def f():\n    a = 1\n  b = 2\n", "python")


def test_without_a_grammar_nothing_is_said() -> None:
    assert not gains_errors("a\n", "((((\n", None)
    assert not gains_errors("a\n", "((((\n", "rust")
