"""What is offered where the cursor stands."""

from __future__ import annotations

import random
import string
import time

import pytest

from motet.context.complete import Completion, Known, Name, completions
from motet.context.paths import Files

PATHS = (
    "src/app.py",
    "src/errors.py",
    "src/cli/app_view.py",
    "docs/日本語.md",
    "a b/c d.txt",
    "odd[1].py",
    "bad\x1b[2J.py",
)
MODELS = (Name("anthropic/claude-sonnet-4-5", "a key is set"), Name("openai/gpt-5", "a key is set"), Name("offline"))
KNOWN = Known(
    variables=(
        Name("buffer", "an open file"),
        Name("buffers", "all open files"),
        Name("diagnostics", "problems", "SEVERITY", values=(Name("error"), Name("warning"))),
    ),
    tools=(Name("editor", "edit files"), Name("read_file", "read"), Name("mcp:docs", "a server")),
    commands=(
        Name("file", "share a file", "PATH", takes_files=True),
        Name("fork", "go on in another chat"),
        Name("model", "answer with another model", "NAME", values=MODELS),
    ),
    files=Files(lambda: PATHS),
)


def at_cursor(text: str) -> list[Completion]:
    """The completions at the `¦` in `text`."""
    at = text.index("¦")
    return completions(text.replace("¦", ""), at, KNOWN)


def texts(text: str) -> list[str]:
    """`text` as each of them would make it."""
    at = text.index("¦")
    whole = text.replace("¦", "")
    return [whole[: each.start] + each.text + whole[at:] for each in at_cursor(text)]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("#¦", ["#buffer ", "#buffers ", "#diagnostics "]),
        ("see #bu¦ now", ["see #buffer  now", "see #buffers  now"]),
        ("#{dia¦", ["#{diagnostics}"]),
        ("#diagnostics{w¦", ["#diagnostics{warning}"]),
        ("#{diagnostics:¦", ["#{diagnostics:error}", "#{diagnostics:warning}"]),
        ("日本語で#dgs¦", ["日本語で#diagnostics "]),
        ("説明して@ed¦", ["説明して@editor ", "説明して@read_file "]),
        ("(@rea¦", ["(@read_file "]),
        ("@doc¦", ["@mcp:docs ", "[日本語.md](./docs/日本語.md) "]),
        ("@file¦", ["@read_file "]),
        ("@app¦", ["[app.py](./src/app.py) ", "[app_view.py](./src/cli/app_view.py) "]),
        ("@/app¦", ["@/src/app.py ", "@/src/cli/app_view.py "]),
        ("@/scliv¦", ["@/src/cli/app_view.py "]),
        ("@src/er¦", ["[errors.py](./src/errors.py) "]),
        (
            "@/c¦",
            ["@{a b/c d.txt} ", "@/src/cli/app_view.py ", "@/src/app.py ", "@/docs/日本語.md ", "@/src/errors.py "],
        ),
        ("@{c d¦", ["@{a b/c d.txt} "]),
        ("@{a b/c¦", ["@{a b/c d.txt} "]),
        ("@odd¦", ["@{odd[1].py} "]),
        ("@日本¦", ["[日本語.md](./docs/日本語.md) "]),
        ("@bad¦", []),
        ("/f¦", ["/file ", "/fork "]),
        ("/¦", ["/file ", "/fork ", "/model "]),
        ("/model ¦", ["/model anthropic/claude-sonnet-4-5", "/model openai/gpt-5", "/model offline"]),
        ("/model gpt¦", ["/model openai/gpt-5"]),
        ("/file err¦", ["/file src/errors.py"]),
        ("/file src/app.py er¦", ["/file src/app.py src/errors.py"]),
    ],
)
@pytest.mark.acceptance("S1-025", "S1-036")
def test_known_names_are_offered_the_best_first(typed: str, offered: list[str]) -> None:
    assert texts(typed) == offered


@pytest.mark.parametrize(
    "typed",
    [
        "a¦", "#include¦", "word#bu¦", "me@ed¦", "x/f¦", "text /fi¦", "/nosuch ¦", "\\#bu¦", "#bu @x y¦", "##bu¦",
        "`#bu¦", "``a ` #bu¦", "```\n#bu¦", "~~~ py\nx\n@ed¦", "    @ed¦", "> @ed¦", "one\n/fi¦", "#buffer ¦", "¦#bu", "#nosuch{¦",
    ],
)  # fmt: skip
def test_nothing_is_offered_where_nothing_would_be_recognised(typed: str) -> None:
    assert at_cursor(typed) == []


@pytest.mark.parametrize("typed", ["`code` #bu¦", "```\nx\n```\n#bu¦", "- item #bu¦", "*#bu¦"])
def test_code_that_has_ended_is_no_hindrance(typed: str) -> None:
    assert [each.display for each in at_cursor(typed)] == ["#buffer", "#buffers"]


def test_each_has_a_description_beside_it() -> None:
    assert at_cursor("#dia¦") == [Completion("#diagnostics ", 0, "#diagnostics SEVERITY", "problems")]
    assert at_cursor("@/errors¦") == [Completion("@/src/errors.py ", 0, "errors.py", "src")]


def test_a_description_that_would_move_the_terminal_is_shown_as_symbols() -> None:
    known = Known(tools=(Name("evil", "a\x1b]0;x\x07\nb"),))
    assert completions("@ev", 3, known) == [Completion("@evil ", 0, "@evil", "a␛]0;x␇␊b")]


def test_a_list_of_files_that_is_not_known_yet_offers_none_and_a_new_one_is_taken_up() -> None:
    lists: list[list[str] | None] = [None, ["one.py"], ["one.py", "once.py"]]
    files = Files(lambda: lists[0])
    assert files.find("on") == []
    del lists[0]
    assert files.find("on") == ["one.py"]
    del lists[0]
    assert files.find("on") == ["one.py", "once.py"]


def test_without_letters_the_files_nearest_to_the_root_come_first() -> None:
    assert Files(lambda: ["b/c/d.py", "b/a.py", "z.py", "y.py"]).find("") == ["y.py", "z.py", "b/a.py", "b/c/d.py"]


def test_a_name_comes_before_a_part_of_one_and_that_before_a_directory() -> None:
    paths = ["log/x.py", "catalog.py", "x/log.py", "a/login.py", "l_o_g.py"]
    assert Files(lambda: paths).find("log") == ["x/log.py", "a/login.py", "catalog.py", "log/x.py", "l_o_g.py"]


def test_letter_by_letter_gives_what_the_whole_word_gives() -> None:
    paths = _many(5_000)
    typed = Files(lambda: paths)
    for word in ("tesmai", paths[7][-9:], "zzyx"):
        for end in range(1, len(word) + 1):
            found = typed.find(word[:end])
        assert found == Files(lambda: paths).find(word)


def test_a_hundred_thousand_files_are_searched_in_twenty_milliseconds() -> None:
    paths = _many(100_000)
    files = Files(lambda: paths)
    files.find("warm up")
    took: list[float] = []
    for letters in ("a", "e", "py", ".py", "abc", "srcfoo", "etaoin", "日本", paths[3][:4], paths[9][-9:-3]):
        begin = time.thread_time()
        files.find(letters)
        took.append(time.thread_time() - begin)
    took.sort()
    assert took[len(took) // 2] < 0.020, took
    assert took[-1] < 0.060, took


def test_a_large_draft_is_completed_at_once() -> None:
    text = "a long line of a draft with `code` in it\n" * 50_000 + "#bu"
    completions(text, len(text), KNOWN)
    begin = time.thread_time()
    assert len(completions(text, len(text), KNOWN)) == 2
    assert time.thread_time() - begin < 0.1


def _many(count: int) -> list[str]:
    source = random.Random(1)
    words = ["".join(source.choices(string.ascii_lowercase, k=source.randint(3, 9))) for _ in range(500)]
    return ["/".join(source.choices(words, k=source.randint(2, 6))) + ".py" for _ in range(count)]
