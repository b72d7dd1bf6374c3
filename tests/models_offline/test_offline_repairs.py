"""Each kind of repair the offline model makes, and the look-alikes that it leaves."""

import pytest

from .offline_asking import ask, mended, shown

# --- suggested fixes --------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S3-013", "S3-016", "S3-017", "S3-018")
async def test_a_suggested_fix_becomes_one_search_replace_block_with_a_relative_path() -> None:
    answer = await ask(
        shown(
            "src/index.ts",
            "import { Component } from './c';\n\nexport class App {\n  part: Array<Componnt> = [];\n}",
            "[Error] Line 4, Column 15: Cannot find name 'Componnt'. Did you mean 'Component'? (ts 2552)",
            "  suggested fix: Change spelling to 'Component'",
            '    4:15-4:23 "Componnt" → "Component"',
        )
    )
    assert answer.diffs == {
        "src/index.ts": "<<<<<<< SEARCH\n  part: Array<Componnt> = [];\n=======\n"
        "  part: Array<Component> = [];\n>>>>>>> REPLACE\n"
    }
    assert "- src/index.ts:4: Change spelling to 'Component'" in answer.text
    assert answer.text.startswith("I am the offline model: I apply suggested fixes and close names, I do not reason.")


async def test_a_fix_that_removes_a_whole_line_removes_it_and_nothing_else() -> None:
    after = await mended(
        "a.py",
        "import os\nimport sys\n\nprint(os.sep)\n",
        "[Warning] Line 2, Column 8: `sys` imported but unused help: Remove unused import: `sys` (Ruff F401)",
        "  suggested fix: Ruff (F401): Remove unused import: `sys`",
        '    2:1-3:1 "import sys\\n" → ""',
        "  suggested fix: Ruff (F401): Disable for this line",
        '    2:11-3:1 "\\n" → "  # noqa: F401\\n"',
    )
    assert after == "import os\n\nprint(os.sep)\n"


async def test_the_last_line_of_a_file_can_be_removed() -> None:
    after = await mended(
        "a.py",
        "x = 1\nimport sys\n",
        "[Warning] Line 2, Column 8: `sys` imported but unused (Ruff F401)",
        "  suggested fix: Remove unused import: `sys`",
        '    2:1-3:1 "import sys\\n" → ""',
    )
    assert after == "x = 1\n"


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        ("1:6-2:1", "\\n", "  # noqa: F821\\n"),
        ("1:6-1:6", "", "  # pyright: ignore[reportUndefinedVariable]"),
        ("1:6-1:6", "", "  # type: ignore"),
        ("1:6-1:6", "", "  # ty: ignore[unresolved-reference]"),
        ("1:1-1:1", "", "// @ts-ignore\\n"),
        ("1:1-1:1", "", "// eslint-disable-next-line\\n"),
        ("1:6-1:6", "", " // NOLINT"),
    ],
)
async def test_a_comment_that_silences_the_checker_is_never_a_repair(place: str, old: str, new: str) -> None:
    answer = await ask(
        shown(
            "a.py",
            "qqqqq",
            "[Error] Line 1, Column 1: Something is wrong here (x y)",
            "  suggested fix: Make it go away",
            f'    {place} "{old}" → "{new}"',
        )
    )
    assert answer.calls == ()
    assert answer.end.reason == "stop"


async def test_a_fix_whose_old_text_does_not_stand_there_is_left_and_said_so() -> None:
    answer = await ask(
        shown(
            "a.py",
            "valu = 1",
            "[Error] Line 1, Column 1: Something is wrong (x y)",
            "  suggested fix: Change it",
            '    1:1-1:6 "value" → "other"',
        )
    )
    assert answer.calls == ()
    assert "- a.py:1: Something is wrong (the suggested fix does not fit the text that was shown)" in answer.text


async def test_of_several_fixes_the_first_that_is_a_repair_is_taken() -> None:
    after = await mended(
        "a.ts",
        "const a = thng;\n",
        "[Error] Line 1, Column 11: Bad name (x y)",
        "  suggested fix: Add missing function declaration 'thng'",
        '    1:16-1:16 "" → "\\nfunction thng() {}"',
        "  suggested fix: Change spelling to 'thing'",
        '    1:11-1:15 "thng" → "thing"',
        "  suggested fix: Change spelling to 'think'",
        '    1:11-1:15 "thng" → "think"',
    )
    assert after == "const a = thing;\n"


async def test_a_title_that_only_names_something_like_declare_is_still_a_repair() -> None:
    after = await mended(
        "a.py",
        "from factory import create\nx = 1\n",
        "[Warning] Line 1, Column 21: `factory.create` imported but unused (ruff F401)",
        "  suggested fix: Ruff (F401): Remove unused import: `factory.create`",
        '    1:1-2:1 "from factory import create\\n" → ""',
    )
    assert after == "x = 1\n"


async def test_a_name_close_by_is_preferred_to_an_import_that_happens_to_have_the_misspelt_name() -> None:
    after = await mended(
        "a.py",
        "def f(value):\n    return valeu\n",
        '[Error] Line 2, Column 12: "valeu" is not defined (basedpyright reportUndefinedVariable)',
        "  suggested fix: from somewhere import valeu",
        '    1:1-1:1 "" → "from somewhere import valeu\\n\\n\\n"',
    )
    assert after == "def f(value):\n    return value\n"


async def test_the_only_import_of_an_unknown_name_is_added_and_one_of_two_is_not() -> None:
    one = ("  suggested fix: import json", '    1:1-1:1 "" → "import json\\n\\n\\n"')
    two = ("  suggested fix: from rapid import json", '    1:1-1:1 "" → "from rapid import json\\n\\n\\n"')
    text = "print(json.dumps({}))\n"
    problem = '[Error] Line 1, Column 7: "json" is not defined (basedpyright reportUndefinedVariable)'
    assert await mended("a.py", text, problem, *one) == "import json\n\n\n" + text
    assert await mended("a.py", text, problem, *one, *two) == text


async def test_the_same_fix_from_two_servers_counts_once() -> None:
    after = await mended(
        "a.py",
        "import sys\nx = 1\n",
        "[Warning] Line 1, Column 8: `sys` imported but unused (Ruff F401)",
        "  suggested fix: Remove unused import: `sys`",
        '    1:1-2:1 "import sys\\n" → ""',
        '[Warning] Line 1, Column 8: Import "sys" is not accessed (basedpyright reportUnusedImport)',
    )
    assert after == "x = 1\n"


async def test_two_fixes_that_overlap_are_not_both_made() -> None:
    answer = await ask(
        shown(
            "a.py",
            "from json import dumps, loads",
            "[Warning] Line 1, Column 18: Unsorted (Ruff I001)",
            "  suggested fix: Organize imports",
            '    1:1-1:30 "from json import dumps, loads" → "from json import loads, dumps"',
            "[Warning] Line 1, Column 25: `json.loads` imported but unused (Ruff F401)",
            "  suggested fix: Remove it",
            '    1:1-1:30 "from json import dumps, loads" → "from json import dumps"',
        )
    )
    assert [edit.replace for edit in answer.edits] == ["from json import dumps\n"]
    assert "(another fix changes the same place; look again afterwards)" in answer.text


# --- did you mean -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "line", "problem", "after"),
    [
        ("a.ts", "x: strng;", "Line 1, Column 4: Cannot find name 'strng'. Did you mean 'string'? (ts 2552)", "x: string;"),
        ("a.ts", "p.nam", "Line 1, Column 3: Property 'nam' does not exist on type 'P'. Did you mean 'name'? (ts 2551)", "p.name"),
        ("a.ts", "f(total)", "Line 1, Column 3: Cannot find name 'total'. Did you mean the instance member 'this.total'? (ts 2663)", "f(this.total)"),
        ("a.c", "size_tt n;", "Line 1, Column 1: Unknown type name 'size_tt'; did you mean 'size_t'? (clang unknown_typename_suggest)", "size_t n;"),
        ("a.py", "os.pth", 'Line 1, Column 1: Module has no attribute "pth"; maybe "path"? (mypy attr-defined)', "os.path"),
        ("a.rs", "let a = lenght;", "Line 1, Column 9: cannot find value `lenght` in this scope help: a local variable with a similar name exists: `length` (rustc E0425)", "let a = length;"),
    ],
)  # fmt: skip
async def test_the_name_that_a_message_proposes_is_put_in(path: str, line: str, problem: str, after: str) -> None:
    assert await mended(path, line + "\n", f"[Error] {problem}") == after + "\n"


async def test_a_message_that_proposes_several_names_decides_nothing() -> None:
    text = "int a = valu;\n"
    problem = "[Error] Line 1, Column 9: Bad 'valu'. Did you mean 'value'? Did you mean 'valve'? (x y)"
    assert await mended("a.c", text, problem) == text


async def test_did_you_mean_something_that_is_no_name_decides_nothing() -> None:
    text = "if (a = b) {}\n"
    assert await mended("a.ts", text, "[Error] Line 1, Column 5: Bad 'a'. Did you mean to use '=='? (x y)") == text


# --- the closest name -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem", "after"),
    [
        ("def f(items):\n    return len(itmes)\n", "Line 2, Column 16: Undefined name `itmes` (Ruff F821)", "def f(items):\n    return len(items)\n"),
        ("def f(a: lsit[int]): ...\n", 'Line 1, Column 10: "lsit" is not defined (basedpyright reportUndefinedVariable)', "def f(a: list[int]): ...\n"),
        ("x = Flase\n", "Line 1, Column 5: Name `Flase` used when not defined (ty unresolved-reference)", "x = False\n"),
        ("import json\nx = jsom.dumps(1)\n", "Line 2, Column 5: Undefined name `jsom` (Ruff F821)", "import json\nx = json.dumps(1)\n"),
        ("class A:\n    def f(self):\n        self.limit = 1\n        return self.limt\n", 'Line 4, Column 21: Cannot access attribute "limt" for class "A*" Attribute "limt" is unknown (basedpyright reportAttributeAccessIssue)', "class A:\n    def f(self):\n        self.limit = 1\n        return self.limit\n"),
        ('x = "a,b".splt(",")\n', 'Line 1, Column 11: Cannot access attribute "splt" for class "str" Attribute "splt" is unknown (basedpyright reportAttributeAccessIssue)', 'x = "a,b".split(",")\n'),
        ("from json import dmps\nprint(dumps(1))\n", 'Line 1, Column 18: "dmps" is unknown import symbol (basedpyright reportAttributeAccessIssue)\n[Error] Line 2, Column 7: "dumps" is not defined (basedpyright reportUndefinedVariable)', "from json import dumps\nprint(dumps(1))\n"),
    ],
)  # fmt: skip
async def test_the_clearly_closest_name_in_the_text_is_put_in(text: str, problem: str, after: str) -> None:
    assert await mended("a.py", text, *f"[Error] {problem}".split("\n")) == after


@pytest.mark.parametrize(
    "text",
    [
        "cat = 1\ncar = 2\nprint(caz)\n",  # a tie
        "# caz is like cat\nprint(caz)\n",  # only in a comment
        "x = 'cat'\nprint(caz)\n",  # only in a string
        "caz()\ncaz()\n",  # only misspelt
        "def f():\n    cat = 1\n\ndef g():\n    return caz\n",  # local to another function
        "def f(cat): ...\n\nprint(caz)\n",  # a parameter of another function
        "a.cat = 1\nprint(caz)\n",  # a member is no name
        "arg1 = 1\nprint(arg2)\n",  # another number is another name
        "ab = 1\nprint(az)\n",  # too short to tell
    ],
)
async def test_nothing_is_guessed_when_no_name_is_clearly_the_closest(text: str) -> None:
    name = "arg2" if "arg2" in text else "az" if "(az)" in text else "caz"
    line = next(number for number, line in enumerate(text.split("\n"), 1) if name in line and "#" not in line)
    column = text.split("\n")[line - 1].index(name) + 1
    problem = f"[Error] Line {line}, Column {column}: Undefined name `{name}` (Ruff F821)"
    assert await mended("a.py", text, problem) == text
    answer = await ask(shown("a.py", text, problem))
    assert f"(no name in the text that was shown is clearly the closest to '{name}')" in answer.text


async def test_a_message_that_does_not_call_a_name_unknown_starts_no_search_for_names() -> None:
    text = "value = 1\nvalu = value\n"
    assert await mended("a.py", text, "[Error] Line 2, Column 1: Type of `valu` is bad (x y)") == text


async def test_a_member_of_another_shown_file_can_be_the_closest() -> None:
    problem = "[Error] Line 1, Column 3: No member named 'heigth' in 'struct box' (clang no_member)"
    answer = await ask(shown("a.c", "b.heigth = 1;", problem), shown("box.h", "struct box { int height; };"))
    assert [(edit.path, edit.replace) for edit in answer.edits] == [("a.c", "b.height = 1;\n")]


# --- certain repairs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "column", "after"),
    [
        ("if x == None:", 9, "if x is None:"),
        ("if x!=None and y:", 7, "if x is not None and y:"),
        ("if x == None != y:", 9, "if x is None != y:"),
    ],
)
async def test_a_comparison_with_none_becomes_an_identity(line: str, column: int, after: str) -> None:
    text = f"{line}\n    pass\n"
    problem = f"[Warning] Line 1, Column {column}: Comparison to `None` should be `cond is None` (flake8 E711)"
    assert await mended("a.py", text, problem) == f"{after}\n    pass\n"


async def test_two_comparisons_with_none_on_a_line_are_left() -> None:
    text = "x == None or y == None\n"
    assert await mended("a.py", text, "[Warning] Line 1, Column 3: comparison to None (pycodestyle E711)") == text


async def test_an_expected_semicolon_goes_behind_the_code_before_and_not_into_a_comment() -> None:
    after = await mended(
        "a.c",
        "int f(void) {\n    int a = 1 /* one */\n    return a;\n}\n",
        "[Error] Line 3, Column 5: expected ';' before 'return' (gcc)",
    )
    assert after == "int f(void) {\n    int a = 1; /* one */\n    return a;\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "problem", "after"),
    [
        ("a.py", "x = f(a, b\ny = 1\n", 'Line 1, Column 6: "(" was not closed (basedpyright)', "x = f(a, b)\ny = 1\n"),
        ("a.py", "x = f(a, b  # why\ny = 1\n", "Line 2, Column 1: Expected `)`, found name (Ruff invalid-syntax)", "x = f(a, b)  # why\ny = 1\n"),
        ("a.py", "if f(a:\n    y = 1\n", "Line 1, Column 7: Expected `)`, found `:` (Ruff invalid-syntax)", "if f(a):\n    y = 1\n"),
        ("a.py", "x = [\n    1,\n    2,\ny = 1\n", 'Line 1, Column 5: "[" was not closed (basedpyright)', "x = [\n    1,\n    2,]\ny = 1\n"),
        ("a.py", "def f(a)\n    return a\n", "Line 1, Column 9: Expected `:`, found newline (Ruff invalid-syntax)", "def f(a):\n    return a\n"),
        ("a.c", "int f(void) {\n    if (a > (b + 1) {\n        return 1;\n    }\n}\n", "Line 2, Column 21: Expected ')' (clang expected)", "int f(void) {\n    if (a > (b + 1)) {\n        return 1;\n    }\n}\n"),
        ("a.ts", "const r = [1, 2;\n", "Line 1, Column 16: ',' expected. (ts 1005)", "const r = [1, 2];\n"),
        ("a.d.ts", "function f(a: number: void;\n", "Line 1, Column 21: ',' expected. (ts 1005)", "function f(a: number): void;\n"),
    ],
)  # fmt: skip
async def test_the_one_missing_bracket_or_colon_is_put_in(path: str, text: str, problem: str, after: str) -> None:
    assert await mended(path, text, f"[Error] {problem}") == after


async def test_of_two_missing_brackets_none_is_guessed() -> None:
    text = "x = f(g(a, b\ny = 1\n"
    assert await mended("a.py", text, '[Error] Line 1, Column 6: "(" was not closed (basedpyright)') == text


async def test_other_complaints_wait_until_the_syntax_is_right() -> None:
    answer = await ask(
        shown(
            "a.py",
            "import sys\nx = f(a, b\ny = 1",
            '[Error] Line 2, Column 6: "(" was not closed (basedpyright)',
            "[Warning] Line 1, Column 8: `sys` imported but unused (Ruff F401)",
            "  suggested fix: Remove unused import: `sys`",
            '    1:1-2:1 "import sys\\n" → ""',
        )
    )
    assert [(edit.search, edit.replace) for edit in answer.edits] == [("x = f(a, b\n", "x = f(a, b)\n")]
    assert "- a.py:1: `sys` imported but unused (left until the syntax is right" in answer.text


@pytest.mark.parametrize(
    ("path", "line", "problem", "after"),
    [
        ("a.c", "unsigned shrot hpos = 0;", "Line 1, Column 15: Expected ';' at end of declaration (clang expected_semi_declaration)", "unsigned short hpos = 0;"),
        ("a.c", "void f(const unsigned chr* in);", "Line 1, Column 26: Expected ')' (clang expected)", "void f(const unsigned char* in);"),
        ("a.d.ts", "declare const a: tyfeof b;", "Line 1, Column 25: ',' expected. (ts 1005)", "declare const a: typeof b;"),
        ("a.py", "retrun_ = 1; retrun retrun_", "Line 1, Column 21: Simple statements must be separated by newlines or semicolons (ruff invalid-syntax)", "retrun_ = 1; return retrun_"),
    ],
)  # fmt: skip
async def test_a_misspelt_keyword_is_put_right_before_anything_is_put_in(
    path: str, line: str, problem: str, after: str
) -> None:
    fix = ("  suggested fix: insert ';'", '    1:15-1:15 "" → ";"') if path == "a.c" else ()
    assert await mended(path, line + "\n", f"[Error] {problem}", *fix) == after + "\n"


async def test_a_semicolon_between_two_words_of_a_line_is_not_put_in() -> None:
    text = "unsigned wibble hpos = 0;\n"
    problem = "[Error] Line 1, Column 16: Expected ';' at end of declaration (clang expected_semi_declaration)"
    fix = ("  suggested fix: insert ';'", '    1:16-1:16 "" → ";"')
    assert await mended("a.c", text, problem, *fix) == text
    answer = await ask(shown("a.c", text, problem, *fix))
    assert "(a word before the semicolon may be wrong instead)" in answer.text


@pytest.mark.parametrize(
    ("path", "text", "problem", "after"),
    [
        ("a.py", 'x = {\n    "a": 1,\n    "b": 2,\n    "a": 1,\n}\n', "Line 4, Column 5: Duplicate key 'a' in dictionary (pylint W0109)", 'x = {\n    "a": 1,\n    "b": 2,\n}\n'),
        ("a.py", 'x = {"a": 1, "b": 2, "a": 1}\n', "Line 1, Column 22: Dictionary key literal `\"a\"` repeated (Ruff F601)", 'x = {"a": 1, "b": 2}\n'),
        ("a.ts", "interface P {\n    a: string;\n    b: number;\n    a: string;\n}\n", "Line 2, Column 5: Duplicate identifier 'a'. (ts 2300)\n[Error] Line 4, Column 5: Duplicate identifier 'a'. (ts 2300)", "interface P {\n    a: string;\n    b: number;\n}\n"),
        ("a.c", "struct p { int x; int y; int y; };\n", "Line 1, Column 30: Duplicate member 'y' (clang duplicate_member)", "struct p { int x; int y; };\n"),
        ("a.c", "enum c { RED, GREEN, RED };\n", "Line 1, Column 22: Redefinition of enumerator 'RED' (clang redefinition_of_enumerator)", "enum c { RED, GREEN };\n"),
    ],
)  # fmt: skip
async def test_the_later_of_two_equal_entries_goes(path: str, text: str, problem: str, after: str) -> None:
    assert await mended(path, text, *f"[Error] {problem}".split("\n")) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("interface P {\n    a: Map<A, B>;\n    b: X;\n    a: Map<A, B>;\n}\n", "interface P {\n    a: Map<A, B>;\n    b: X;\n}\n"),
        ("type P = { a: Map<A, B>, a: Map<A, B> };\n", "type P = { a: Map<A, B>, a: Map<A, B> };\n"),
    ],
)  # fmt: skip
async def test_a_comma_inside_a_type_separates_no_entries(text: str, after: str) -> None:
    line, column = (4, 5) if "interface" in text else (1, text.rindex("a: ") + 1)
    assert (
        await mended("a.ts", text, f"[Error] Line {line}, Column {column}: Duplicate identifier 'a'. (ts 2300)")
        == after
    )


async def test_two_entries_that_differ_are_left_to_the_human() -> None:
    text = 'x = {\n    "a": 1,\n    "a": 2,\n}\n'
    problem = '[Warning] Line 3, Column 5: Dictionary key literal `"a"` repeated (Ruff F601)'
    assert await mended("a.py", text, problem) == text
    answer = await ask(shown("a.py", text, problem))
    assert "(two entries with this name differ; which of them is right is for you to say)" in answer.text


@pytest.mark.parametrize(
    ("path", "text", "problem", "after"),
    [
        ("a.py", "import sys\nx = 1\n", 'Line 1, Column 8: Import "sys" is not accessed (basedpyright reportUnusedImport)', "x = 1\n"),
        ("a.py", "from json import dumps, loads\ndumps(1)\n", "Line 1, Column 1: 'json.loads' imported but unused (flake8 F401)", "from json import dumps\ndumps(1)\n"),
        ("a.py", "from json import loads, dumps\ndumps(1)\n", "Line 1, Column 1: 'json.loads' imported but unused (flake8 F401)", "from json import dumps\ndumps(1)\n"),
        ("a.py", "import numpy as np\nx = 1\n", "Line 1, Column 1: 'numpy as np' imported but unused (flake8 F401)", "x = 1\n"),
        ("a.ts", 'import * as fs from "fs";\nexport const x = 1;\n', "Line 1, Column 13: 'fs' is declared but its value is never read. (ts 6133)", "export const x = 1;\n"),
        ("a.ts", 'import { a, b } from "./c";\nexport const x = a;\n', "Line 1, Column 13: 'b' is declared but its value is never read. (ts 6133)", 'import { a } from "./c";\nexport const x = a;\n'),
    ],
)  # fmt: skip
async def test_an_unused_import_goes(path: str, text: str, problem: str, after: str) -> None:
    assert await mended(path, text, f"[Warning] {problem}") == after


async def test_the_imports_of_a_package_face_are_left() -> None:
    text = "from json import dumps\n"
    assert (
        await mended(
            "pkg/__init__.py", text, "[Warning] Line 1, Column 1: 'json.dumps' imported but unused (flake8 F401)"
        )
        == text
    )


@pytest.mark.parametrize(
    ("path", "text", "problem", "after"),
    [
        ("a.py", "def f():\n    x = 1 + 2\n    return 3\n", 'Line 2, Column 5: Variable "x" is not accessed (basedpyright reportUnusedVariable)', "def f():\n    return 3\n"),
        ("a.c", "int f(void) {\n    int unused = 3;\n    return 1;\n}\n", "Line 2, Column 9: unused variable 'unused' (clang -Wunused-variable)", "int f(void) {\n    return 1;\n}\n"),
        ("a.ts", "const unused = 3;\nexport const x = 1;\n", "Line 1, Column 7: 'unused' is declared but its value is never read. (ts 6133)", "export const x = 1;\n"),
    ],
)  # fmt: skip
async def test_an_unused_variable_with_a_plain_value_goes(path: str, text: str, problem: str, after: str) -> None:
    assert await mended(path, text, f"[Warning] {problem}") == after


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("a.py", "def f():\n    x = g()\n    return 3\n", 'Line 2, Column 5: Variable "x" is not accessed (basedpyright reportUnusedVariable)'),
        ("a.py", "def f():\n    x = 1\n", 'Line 2, Column 5: Variable "x" is not accessed (basedpyright reportUnusedVariable)'),
        ("a.c", "int f(void) {\n    if (a)\n    int b = 3;\n    return 1;\n}\n", "Line 3, Column 9: unused variable 'b' (clang -Wunused-variable)"),
        ("a.c", "int f(void) {\n    int b = a++;\n    return 1;\n}\n", "Line 2, Column 9: unused variable 'b' (clang -Wunused-variable)"),
    ],
)  # fmt: skip
async def test_an_unused_variable_is_left_when_its_line_does_more(path: str, text: str, problem: str) -> None:
    assert await mended(path, text, f"[Warning] {problem}") == text
