"""Which lines of a Markdown text are prose, and which of them are headings and quotes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from motet.prose import leaves


@given(st.lists(st.sampled_from(["- ", "  ", "> ", "1. ", "```", "~~~", "x", "`", "* * *", "---", "# ", "===", "<!-- ", "-->", "+ "]), max_size=4).map("".join).flatmap(lambda first: st.lists(st.sampled_from(["- ", "  ", "> ", "```", "x", "<!-- ", "-->", "2) "]), max_size=4).map("".join).map(lambda second: f"{first}\n{second}\nx")).filter(lambda text: "    " not in text))  # fmt: skip
def test_prose_is_what_a_markdown_parser_takes_for_it(text: str) -> None:
    # Below a container, four blanks are read otherwise by this parser than CommonMark's own rules say.
    theirs: set[int] = set()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "inline" and token.map:
            theirs |= set(range(*token.map))
    ours = {text.count("\n", 0, segment.start) for leaf in leaves(text) for segment in leaf}
    assert ours == theirs


def test_headings_of_both_forms_and_quotes_are_known() -> None:
    text = "# one\ntwo\nlines\n---\n> ## three\n\nfour\n- five\n  ===\n> six\nseven"
    assert [[(text[each.start : each.end], each.heading, each.quoted) for each in leaf] for leaf in leaves(text)] == [
        [("# one", True, False)],
        [("two", True, False), ("lines", True, False)],
        [("## three", True, True)],
        [("four", False, False)],
        [("five", True, False)],
        [("six", False, True), ("seven", False, False)],
    ]
