"""What looks right for one diagnostic alone and is wrong beside the others."""

import pytest

from motet.edits import Decision
from motet.edits.plan import plan
from motet.fix.outcome import remarks
from motet.text import TextFile
from motet.tools import FileReport

from .offline_asking import ask, mended, request, send, shown

F821 = "[Error] Line {}, Column {}: Undefined name `{}` (ruff F821)"


async def test_a_misspelt_declaration_is_mended_where_it_stands_and_not_at_each_of_its_users() -> None:
    text = "def total(itmes):\n    return sum(items) / len(items)\n"
    problems = (F821.format(2, 16, "items"), F821.format(2, 29, "items"))
    assert await mended("a.py", text, *problems) == "def total(items):\n    return sum(items) / len(items)\n"


async def test_one_use_and_one_declaration_that_differ_are_brought_together_at_the_use() -> None:
    text = "def total(items):\n    return sum(itmes)\n"
    assert await mended("a.py", text, F821.format(2, 16, "itmes")) == "def total(items):\n    return sum(items)\n"


async def test_a_name_used_at_many_places_is_not_merged_with_another_that_is_used_too() -> None:
    text = "int f(int pos) {\n  int hpos_;\n  hpos = pos;\n  hpos += pos;\n  return hpos;\n}\n"
    said = "[Error] Line {}, Column {}: Use of undeclared identifier 'hpos'; did you mean 'pos'? (clang undeclared)"
    problems = [said.format(3, 3), said.format(4, 3), said.format(5, 10)]
    assert await mended("a.c", text, *problems) == text
    answer = await ask(shown("a.c", text, *problems))
    assert answer.text.count("(it stands at several places and so does the name proposed: these are two names)") == 3


async def test_what_a_misspelt_name_means_is_not_removed_as_unused() -> None:
    text = "from json import dumps\n\nprint(dmups(1))\n"
    after = await mended(
        "a.py",
        text,
        "[Warning] Line 1, Column 18: `json.dumps` imported but unused (ruff F401)",
        "  suggested fix: Remove unused import: `json.dumps`",
        '    1:1-2:1 "from json import dumps\\n" → ""',
        F821.format(3, 7, "dmups"),
    )
    assert after == "from json import dumps\n\nprint(dumps(1))\n"


async def test_an_unused_name_is_not_removed_while_a_name_near_to_it_is_unknown_and_undecided() -> None:
    text = "def f():\n    cats = 1\n    cars = 2\n    return cazs\n"
    problems = (
        "[Warning] Line 2, Column 5: Local variable `cats` is assigned to but never used (ruff F841)",
        "[Warning] Line 3, Column 5: Local variable `cars` is assigned to but never used (ruff F841)",
        F821.format(4, 12, "cazs"),
    )
    assert await mended("a.py", text, *problems) == text
    answer = await ask(shown("a.py", text, *problems))
    assert answer.text.count("(it may be what a misspelt name means; look again afterwards)") == 2


async def test_of_two_names_equally_close_the_one_that_nobody_uses_is_meant() -> None:
    text = "def f():\n    cats = 1\n    cars = 2\n    return cazs + cars\n"
    problems = (
        "[Warning] Line 2, Column 5: Local variable `cats` is assigned to but never used (ruff F841)",
        F821.format(4, 12, "cazs"),
    )
    assert await mended("a.py", text, *problems) == text.replace("cazs", "cats")


async def test_a_fix_that_takes_away_more_names_than_the_unused_one_gives_way_to_a_narrower_one() -> None:
    text = (
        "from abc import Reader, Writer, cache_token\n\n\ndef f(a):\n    # type: (Reader) -> Writer\n    return a\n"
    )
    after = await mended(
        "a.py",
        text,
        "[Warning] Line 1, Column 33: `abc.cache_token` imported but unused (ruff F401)",
        "  suggested fix: Remove unused import",
        '    1:1-2:1 "from abc import Reader, Writer, cache_token\\n" → ""',
    )
    assert after == text.replace(", cache_token", "")


async def test_behind_an_error_of_syntax_names_are_left_and_before_it_they_are_mended() -> None:
    text = "int f(int count) {\n  int a = cuont;\n  int b = = count;\n  int c = coutn;\n}\n"
    said = "[Error] Line {}, Column 11: Use of undeclared identifier '{}'; did you mean 'count'? (clang undeclared)"
    answer = await ask(
        shown(
            "a.c",
            text,
            "[Error] Line 3, Column 11: Expected expression (clang expected_expression)",
            said.format(2, "cuont"),
            said.format(4, "coutn"),
        )
    )
    assert [(edit.search, edit.replace) for edit in answer.edits] == [("  int a = cuont;\n", "  int a = count;\n")]
    assert "(left until the syntax is right: it may only follow from that)" in answer.text


async def test_no_bracket_is_put_in_for_a_complaint_that_is_not_about_syntax() -> None:
    text = "#ifdef A\nif (x) {\n#else\nif (y) {\n#endif\n}\nint unused;\n"
    assert await mended("a.c", text, "[Warning] Line 7, Column 5: unused function 'f' (clang -Wunused)") == text


@pytest.mark.parametrize(
    ("path", "text", "after", "problem"),
    [
        (
            "a.ts",
            "interface A {\n    a: string;\n    b: { c: number };\n\n/** two */\ninterface B {\n    d: string;\n}\n",
            "interface A {\n    a: string;\n    b: { c: number };\n}\n\n/** two */\ninterface B {\n    d: string;\n}\n",
            "[Error] Line 9, Column 1: '}' expected. (ts 1005)",
        ),
        (
            "a.c",
            "int f(int a) {\n    if (a) {\n        a = 1;\n    } else {\n        a = 2;\n    return a;\n}\n",
            "int f(int a) {\n    if (a) {\n        a = 1;\n    } else {\n        a = 2;\n    }\n    return a;\n}\n",
            "[Error] Line 7, Column 2: Expected '}' (clang expected)",
        ),
    ],
)
async def test_a_block_that_is_not_closed_is_closed_where_the_indentation_goes_back(
    path: str, text: str, after: str, problem: str
) -> None:
    assert await mended(path, text, problem) == after


async def test_a_block_is_not_closed_in_a_text_whose_indentation_says_nothing() -> None:
    text = "int f(int a) {\nif (a) {\na = 1;\nreturn a;\n  }\n"
    assert await mended("a.c", text, "[Error] Line 5, Column 4: Expected '}' (clang expected)") == text


@pytest.mark.parametrize(
    ("path", "line", "problem", "after"),
    [
        ("a.c", "f(length[index, path, size);", "Line 1, Column 9: Expected ']' (clang expected)", "f(length[index], path, size);"),
        ("a.c", "if (data[pos + i != data[0]) {}", "Line 1, Column 28: Expected ']' (clang expected)", "if (data[pos + i != data[0]]) {}"),
        ("a.d.ts", "f<A extends any[>(a: A): void;", "Line 1, Column 17: ']' expected. (ts 1005)", "f<A extends any[]>(a: A): void;"),
        ("a.py", 'self.m["a" % b = c', "Line 1, Column 16: Expected `]`, found `=` (ruff invalid-syntax)", 'self.m["a" % b] = c'),
    ],
)  # fmt: skip
async def test_a_bracket_that_reaches_into_an_outer_one_is_closed_inside_it(
    path: str, line: str, problem: str, after: str
) -> None:
    assert await mended(path, line + "\n", f"[Error] {problem}") == after + "\n"


async def test_of_several_complaints_about_one_missing_bracket_the_first_says_where() -> None:
    text = "exit(a: number: void, b: any;\n"
    problems = (
        "[Error] Line 1, Column 15: ',' expected. (ts 1005)",
        "[Error] Line 1, Column 23: ',' expected. (ts 1005)",
    )
    assert await mended("a.d.ts", text, *problems) == "exit(a: number): void, b: any;\n"


# --- what the notes of a later request say ----------------------------------------------------------------------

TWO = shown(
    "a.py",
    "x = Flase\n\n\ny = Ture",
    "[Error] Line 1, Column 5: Undefined name `Flase` (ruff F821)",
    "[Error] Line 4, Column 5: Undefined name `Ture`. Did you mean `True`? (ruff F821)",
)


async def test_a_change_that_the_human_rejected_with_a_remark_is_not_proposed_again() -> None:
    first = await ask(TWO)
    planned = plan({"a.py": TextFile.decode("a.py", b"x = Flase\n\n\ny = Ture\n")}, first.edits)
    (proposal,) = planned.proposals()
    decided = proposal.decide(0, Decision.REJECTED, "It is a word of another language.")
    (note,) = remarks(FileReport("a.py", planned.files[0], decided))
    answer = await send(request(TWO, note))
    assert [edit.replace for edit in answer.edits] == ["y = True\n"]
    assert "- a.py:1: Undefined name `Flase` (this change was refused before)" in answer.text


async def test_after_edits_were_taken_back_only_what_the_servers_say_is_proposed_for_that_file() -> None:
    note = "Your last edits to a.py were taken back, because they led to:\n  [Error] something"
    answer = await send(request(TWO, note))
    assert [edit.replace for edit in answer.edits] == ["y = True\n"]
    assert "(edits to this file were taken back; now I only do what the servers say)" in answer.text
