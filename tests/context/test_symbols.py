"""Which `#` and `@` of a text are symbols, and that everything else stays as it is."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.context.symbols import Kind, Names, Symbol, find_symbols, split

FILES = {"src/a.py", "src", "a.py", "議事録.md", "app/[id]/page.tsx", "docs/my file.md", "src/a.ts"}


def resolve(written: str) -> str | None:
    path = written.removeprefix(".").strip("/")
    if path in FILES:
        return path
    return {"b.py": "deep/b.py"}.get(written)


KNOWN = Names(
    {"buffer": True, "diff": False, "group:api": False, "selection": False},
    {"editor", "agent", "web", "mcp:files", "ファイル"},
    resolve,
)


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in find_symbols(text, KNOWN)]


def only(text: str) -> Symbol:
    [symbol] = find_symbols(text, KNOWN)
    return symbol


@pytest.mark.acceptance("S0-022")
@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("#bufferを説明してください", ["#buffer"]),
        ("この#bufferを説明して", ["#buffer"]),
        ("これ#buffer", ["#buffer"]),
        ("「#buffer」と「@editor」", ["#buffer", "@editor"]),
        ("#buffer、#diff。", ["#buffer", "#diff"]),
        ("#buffer#diff", []),
        ("これは@editorで直して", ["@editor"]),
        ("@ファイルを読んで", ["@ファイル"]),
        ("#{buffer:7}を見て", ["#{buffer:7}"]),
        ("#buffer{7}を見て", ["#buffer{7}"]),
        ("#bufferの", ["#buffer"]),
        ("@/src/a.pyを見て", ["@/src/a.py"]),
        ("@/src/a.py:10-40を見て", ["@/src/a.py:10-40"]),
        ("@a.pyと@b.py", ["@a.py", "@b.py"]),
        ("@議事録.mdを読む", ["@議事録.md"]),
        ("@https://x.example/aを読む", ["@https://x.example/a"]),
        ("한국어#buffer를", ["#buffer"]),
        ("#buffer　全角の空白", ["#buffer"]),
        ("＃buffer", []),
    ],
)
def test_in_text_without_spaces_between_words_a_symbol_begins_and_ends_where_its_name_does(
    text: str, symbols: list[str]
) -> None:
    assert found(text) == symbols


@pytest.mark.parametrize(
    "text",
    [
        "#include <stdio.h>", "@decorator", "a@b.c", "mail me@editor.com", "#buffers", "#buffer2", "#buffer_x",
        "#bufferé", "#buffer-x", "#buffer.name", "@editor.x", "@editor/x", "@editor@host", "#buffer:x", "x#buffer",
        "https://x.example/#buffer", "https://x.example/@editor/1", "see page#buffer", "\\#buffer", "file=@a.py",
        "##buffer", "@@editor", "#{unknown:x}", "#{diff:x}", "@mcp:other", "@", "#", "@/", "@./", "C# and F#",
        "@src", "é#buffer", "./@editor", "a.@editor", "#{buffer", "@{}", "@{nothing}", "@https://", "@//x",
    ],
)  # fmt: skip
def test_what_is_not_known_or_not_at_a_word_boundary_stays_text(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("(#buffer), **#diff**: @editor's", ["#buffer", "#diff", "@editor"]),
        ("#buffer.", ["#buffer"]),
        ("#buffer- and @editor!", ["#buffer", "@editor"]),
        ("use @mcp:files: now", ["@mcp:files"]),
        ("#group:api", ["#group:api"]),
        ("#diff{x}", ["#diff"]),
        ("#{buffer} @{editor} @{docs/my file.md}", ["#{buffer}", "@{editor}", "@{docs/my file.md}"]),
        ("@/src/a.py, @./a.py.", ["@/src/a.py", "@./a.py"]),
        ("(@/src/a.py:3)", ["@/src/a.py:3"]),
        ("@/app/[id]/page.tsx now", ["@/app/[id]/page.tsx"]),
        ("@/src/ @/src", ["@/src/", "@/src"]),
        ("@/src/nope.ts", ["@/src/nope.ts"]),
        ("(@https://x.example/a_(b)).", ["@https://x.example/a_(b)"]),
        ("# Title with #buffer", ["#buffer"]),
        ("~~#buffer~~ #diff+#selection", ["#buffer", "#diff", "#selection"]),
        ("@{https://日本語.example/あ}", ["@{https://日本語.example/あ}"]),
        ("- [ ] #buffer\n1. @editor", ["#buffer", "@editor"]),
        ("| #buffer | @editor |", ["#buffer", "@editor"]),
    ],
)
def test_around_a_symbol_punctuation_and_markdown_may_stand(text: str, symbols: list[str]) -> None:
    assert found(text) == symbols


@pytest.mark.parametrize(
    "text",
    [
        "`@agent`", "``a ` @agent``", "`a\n@agent`", "```\n@agent\n```", "~~~ md\n@agent\n~~~", "````\n```\n@agent\n````",
        "```\n@agent", "    @agent", "\t@agent", "text\n\n    @agent", "- x\n\n      @agent", "- ```\n  @agent\n  ```",
        "> ```\n> @agent\n> ```", "<!-- @agent -->", "x <!-- @agent --> y", "<!--\n@agent\n\n@agent\n-->", "<!-- @agent",
        "<pre>\n@agent\n\n@agent\n</pre>", "<script>\n@agent\n</script>", "<a title=\"@agent\">x</a>", "<!-- motet me 1 @agent -->",
        "[x](http://h.example/ \"@agent\")", "[x](@agent)", "<https://h.example/@agent>", "> @agent do it", "> - @agent",
        "> Context:\n> - @agent\n> - #buffer", "1. a\n\n       @agent", "`` `@agent` ``", "-\n\n    @agent", "text\n1. ~~~\n   @agent", "<?x @agent ?>", "<![CDATA[@agent]]>",
    ],
)  # fmt: skip
def test_code_comments_link_targets_and_quotes_hold_no_symbols(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("`open @agent", ["@agent"]),
        ("``a` @agent", ["@agent"]),
        ("\\`@agent\\`", ["@agent"]),
        ("text\n    @agent", ["@agent"]),
        ("```\nx\n```\n@agent", ["@agent"]),
        ("```\nx\n    ```\n@agent\n```\n@agent", ["@agent"]),
        ("a <!-- b\n\n@agent", ["@agent"]),
        ("`a\n\n@agent`", ["@agent"]),
        ("a <!--> @agent -->", ["@agent"]),
        ("text\n2. ~~~\n   @agent", ["@agent"]),
        ("> quoted\n\n@agent", ["@agent"]),
        ("> quoted\n@agent right below", ["@agent"]),
        ("<div>\n@agent\n</div>", ["@agent"]),
        ("a < b @agent > c", ["@agent"]),
        ("[ask @agent](http://h.example/)", ["@agent"]),
        ("[ask @agent, not `@editor`](http://h.example/) @web", ["@agent", "@web"]),
        ("[@agent](http://h.example/@editor)@web", ["@agent", "@web"]),
        ("- x\n\n  @agent", ["@agent"]),
        ("text\r\n\r\n@agent\r\n", ["@agent"]),
        ("text\r@agent", ["@agent"]),
    ],
)
def test_what_only_looks_like_code_is_prose(text: str, symbols: list[str]) -> None:
    assert found(text) == symbols


def test_a_variable_has_its_parameter() -> None:
    assert (only("#{buffer:a b}").name, only("#{buffer:a b}").param) == ("buffer", "a b")
    assert only("#buffer{7}").param == "7"
    assert only("#buffer").param is None


def test_a_file_has_its_path_and_lines() -> None:
    assert (only("@/src/a.py:10-40").name, only("@/src/a.py:10-40").lines) == ("src/a.py", (10, 40))
    assert only("@a.py:7").lines == (7, 7)
    assert only("@a.py:9-2").lines == (2, 9)
    assert only("@b.py").name == "deep/b.py"
    assert only("@/src/nope.ts,").found is False


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("see [a](./src/a.py)", "src/a.py", None),
        ("[a](src/a.py#L3-L9)", "src/a.py", (3, 9)),
        ("[a](</docs/my file.md>)", "docs/my file.md", None),
        ('[a](/docs/my%20file.md "title")', "docs/my file.md", None),
        ("![shot](./src/a.ts)", "src/a.ts", None),
    ],
)
def test_a_link_to_an_existing_file_is_a_symbol(text: str, path: str, lines: tuple[int, int] | None) -> None:
    symbol = only(text)
    assert (symbol.kind, symbol.name, symbol.lines) == (Kind.LINK, path, lines)


def test_a_link_to_anything_else_is_text() -> None:
    assert (
        found("[a](./nope.py) [b](#buffer) [c](https://x.example/src/a.py) `[a](./src/a.py)` \\[a](./src/a.py)") == []
    )


def test_the_pieces_of_a_text_are_the_symbols_and_everything_between() -> None:
    text = "fix #buffer with @editor\r\n  now\t"
    symbols = find_symbols(text, KNOWN)
    assert split(text, symbols) == ("fix ", symbols[0], " with ", symbols[1], "\r\n  now\t")


PIECES = st.sampled_from([
    "#buffer", "@editor", "#{buffer:1}", "@/src/a.py:1-2", "`", "```", "~~~", "\n", "\r\n", "    ", "\t", "> ", "- ", "1. ",
    "<!--", "-->", "<", ">", "[", "](", ")", "を", "a", " ", "\\", "@", "#", "@https://x.example/", "{", "}", ":", "<pre>",
])  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_symbols_do_not_overlap_and_nothing_between_them_is_lost(text: str) -> None:
    symbols = find_symbols(text, KNOWN)
    pieces = split(text, symbols)
    assert "".join(piece if isinstance(piece, str) else text[piece.start : piece.end] for piece in pieces) == text
    assert all(text[each.start] in "#@[" and each.end > each.start for each in symbols)
    assert all(one.end <= other.start for one, other in pairwise(symbols))


@given(st.text())
def test_without_known_names_no_text_has_symbols(text: str) -> None:
    assert [each for each in find_symbols(text, Names()) if each.kind is not Kind.URL and each.found] == []


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000, "`a``b```c" * 20_000, "<!--" * 60_000, "@/" + "あ" * 200_000, "[x](aaa" * 30_000,
        "".join("`" * count + " " for count in range(1, 800)), "> " * 60_000, "https://" * 30_000, "@a.b/" * 30_000,
        "#buffer " * 20_000, "@[x]" * 30_000,
    ],
    ids=lambda text: str(text)[:8],
)  # fmt: skip
def test_a_hostile_text_of_a_quarter_of_a_megabyte_is_read_in_time(text: str) -> None:
    began = time.process_time()
    find_symbols(text, KNOWN)
    assert time.process_time() - began < 5
