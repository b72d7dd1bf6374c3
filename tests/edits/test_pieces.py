"""Whether a text in a fence may be a piece of the file that it is taken for."""

import pytest

from motet.edits import Match, Plan, Refusal, Replace, Rung, Write, plan
from motet.edits.pieces import is_excerpt, may_be_a_piece, merged, what_vanishes
from motet.text import TextFile

FILE = """\
import os

def one():
    a = 1
    b = 2
    return a + b

def two():
    return os.sep

def three():
    return 3
"""


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    "text",
    [
        FILE[FILE.index("def two") :],
        FILE[: FILE.index("def three")],
        FILE.replace(FILE[FILE.index("def one") : FILE.index("def two")], ""),
        "import os\n\ndef one():\n    return 3\n\ndef three():\n    return 4\n",
        "import os\n",
        "    return 3\n",
        "",
    ],
)
def test_a_text_that_lacks_a_part_of_the_file_may_be_a_piece(text: str) -> None:
    assert may_be_a_piece(FILE, text)


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        FILE.replace("\n", "\r\n").replace("    ", "\t"),
        FILE.replace("    a = 1\n    b = 2\n    return a + b\n", "    return 3\n"),
        FILE.replace("return 3", "return 4") + "\ndef four():\n    return 5\n",
        FILE.replace("    return os.sep\n", "    return os.altsep\n"),
    ],
)
def test_a_text_that_goes_on_from_beginning_to_end_is_the_file(text: str) -> None:
    assert not may_be_a_piece(FILE, text)


def test_a_file_without_text_can_be_given_any() -> None:
    assert not may_be_a_piece("\n \n", "x\n")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (FILE[FILE.index("def two") : FILE.index("def three")], True),
        ("import os\n\n# ...\n\ndef three():\n    return 3\n", True),
        ("def three():\n    return 3\n\nimport os\n", False),
        ("def two():\n    return os.pathsep\n", False),
    ],
)
def test_an_excerpt_holds_lines_of_the_file_in_order(text: str, is_one: bool) -> None:
    assert is_excerpt(FILE, text) is is_one


HEAD = "import os\nimport sys\n\n"
FUNCTIONS = [f"def f{number}(a):\n    x = a + os.getpid()\n    return x, sys, {number}\n" for number in range(5)]
MODULE = HEAD + "\n".join(FUNCTIONS)
NOTES = [
    "# ... 其余代码保持不变 ...", "# (既存のコード)", "{{ ... }}", "# (unchanged)", "# [other functions unchanged]",
    "# --- snip ---", "[...]", "# <existing code>", "# ... rest of the code", "# 残りは同じ", "# unverändert",
    "# reste du code inchangé", "[其余代码]", "# Removed for brevity", "# f2, f3 as before", "… gleich …",
    "(existing code)", "<rest of file>", "# omitted", "... y el resto",
]  # fmt: skip
LANGUAGES = {
    "a.py": ("import os\n\n", "def f{0}():\n    return os.x{0}\n", "# {0}"),
    "a.js": ("import {{ os }} from 'os';\n\n", "function f{0}() {{\n  return os.x{0};\n}}\n", "// {0}"),
    "a.ts": (
        "import {{ os }} from 'os';\n\n",
        "export const f{0} = (): number => {{\n  return os.x{0};\n}};\n",
        "// {0}",
    ),
    "a.tsx": (
        "import {{ os }} from 'os';\n\n",
        "const F{0} = () => {{\n  return <p>{{os.x{0}}}</p>;\n}};\n",
        "// {0}",
    ),
    "a.c": ("#include <os.h>\n\n", "int f{0}(void)\n{{\n  return {0};\n}}\n", "/* {0} */"),
    "a.cpp": ("#include <os>\n\n", "int f{0}() {{\n  return {0};\n}}\n", "// {0}"),
    "a.go": ('package a\n\nimport "os"\n\n', "func F{0}() int {{\n\treturn os.X{0}\n}}\n", "// {0}"),
    "a.rs": ("use std::os;\n\n", "fn f{0}() -> u8 {{\n    os::x({0})\n}}\n", "// {0}"),
    "A.java": ("import a.Os;\n\n", "class F{0} {{\n  int x() {{\n    return Os.x{0};\n  }}\n}}\n", "// {0}"),
    "a.rb": ("require 'os'\n\n", "def f{0}\n  a = {0}\n  b = a\n  os(b)\nend\n", "# {0}"),
    "a.lua": (
        "local os = require 'os'\n\n",
        "function f{0}()\n  local a = {0}\n  local b = a\n  return b\nend\n",
        "-- {0}",
    ),
    "a.sh": ("set -e\n\n", "f{0}() {{\n  a={0}\n  b=$a\n  echo $b\n}}\n", "# {0}"),
    "a.sql": ("begin;\n\n", "create table t{0} (\n  id int,\n  name text,\n  n{0} int\n);\n", "-- {0}"),
    "a.hs": ("module A where\n\n", "f{0} :: Int\nf{0} = a + b\n  where\n    a = {0}\n    b = a\n", "-- {0}"),
}
"""Of each language a head, a definition and a comment."""


def written(path: str, before: str, text: str, *, review: bool = False, **others: str) -> Plan:
    files = {path: TextFile.decode(path, before.encode())}
    edits = [Write(path, text, shown=True), *(Write(f"{name}.py", other) for name, other in others.items())]
    return plan(files, edits, approximate="propose" if review else "refuse")


def refused(path: str, before: str, text: str) -> str:
    [file] = written(path, before, text).files
    assert file.after is file.before
    [outcome] = file.outcomes
    assert isinstance(outcome, Refusal)
    return outcome.message


@pytest.mark.acceptance("AV-01")
@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize("path", ["a.py", "a.rb"])
def test_a_line_that_stands_for_others_is_known_in_any_language(note: str, path: str) -> None:
    body = MODULE.replace("    x = a + os.getpid()\n    return x, sys, 2\n", f"    {note}\n")
    functions = HEAD + "\n".join([FUNCTIONS[0], note + "\n", FUNCTIONS[4]])
    assert refused(path, MODULE, body) and refused(path, MODULE, functions)


@pytest.mark.parametrize("path", LANGUAGES)
@pytest.mark.parametrize("kept", [(0, 1, 2, 3), (1, 2, 3, 4), (0, 1, 3, 4), (0, 4)], ids=str)
def test_nothing_of_a_file_vanishes_because_an_answer_showed_a_piece_of_it(path: str, kept: tuple[int, ...]) -> None:
    head, one, comment = LANGUAGES[path]
    before = head.format() + "\n".join(one.format(number) for number in range(5))
    after = head.format() + "\n".join(one.format(number) for number in kept)
    assert "would vanish" in refused(path, before, after)
    bare = "\n".join(one.format(number) for number in range(5))
    assert "would vanish" in refused(path, before, bare)
    noted = head.format() + "\n".join([one.format(0), comment.format("wie bisher") + "\n", one.format(4)])
    assert "would vanish" in refused(path, before, noted)


@pytest.mark.parametrize("path", LANGUAGES)
def test_a_whole_file_with_changes_is_written(path: str) -> None:
    head, one, comment = LANGUAGES[path]
    before = head.format() + "\n".join(one.format(number) for number in range(5))
    after = comment.format("new") + "\n" + before.replace(" f2", " g2").replace(" F2", " G2") + one.format(7)
    [file] = written(path, before, after).files
    assert file.after is not None and file.after.text == after


@pytest.mark.parametrize(
    "after",
    [
        MODULE.replace("import os\n", "").replace("os.getpid()", "1"),
        MODULE.replace("import os\n", "import os, re\n"),
        MODULE.replace("def f2(a)", "def two(a)"),
        HEAD + "\n".join([*FUNCTIONS[3:], *FUNCTIONS[:3]]),
        HEAD + "class C:\n" + "\n".join("    " + one.replace("\n    ", "\n        ") for one in FUNCTIONS),
        HEAD + "# removed: f2\n" + "\n".join([*FUNCTIONS[:2], *FUNCTIONS[3:]]),
        HEAD + "from there import f2\n" + "\n".join([*FUNCTIONS[:2], *FUNCTIONS[3:]]),
        MODULE.replace("    x = a + os.getpid()\n    return x, sys, 2\n", "    return a\n"),
    ],
    ids=["unused", "joined", "renamed", "moved", "into a class", "stated", "imported", "shorter"],
)
def test_what_is_gone_for_a_reason_speaks_against_nothing(after: str) -> None:
    [file] = written("a.py", MODULE, after).files
    assert file.after is not None and file.after.text == after


def test_a_helper_that_nobody_calls_any_more_may_go() -> None:
    helper, called = "def help():\n    return 1\n", MODULE.replace("return x, sys, 2", "return help()")
    before = HEAD + helper + called.removeprefix(HEAD)
    assert what_vanishes(before, MODULE, "a.py") == ""
    assert what_vanishes(before, called, "a.py") == "`help` would vanish"
    assert what_vanishes(HEAD + helper + "\n".join(FUNCTIONS), MODULE, "a.py") == "`help` would vanish"


def test_a_definition_may_move_to_another_file_of_the_answer() -> None:
    after = HEAD + "\n".join([*FUNCTIONS[:2], *FUNCTIONS[3:]])
    assert written("a.py", MODULE, after).refusals
    assert not written("a.py", MODULE, after, b=FUNCTIONS[2]).refusals


def test_a_short_whole_file_that_keeps_all_definitions_is_written() -> None:
    long = (
        "def f():\n" + "".join(f"    x = {number}\n" for number in range(40)) + "    return x\n\ndef g():\n    pass\n"
    )
    assert what_vanishes(long, "def f():\n    return 39\n\ndef g():\n    pass\n", "a.py") == ""


def test_whole_definitions_are_offered_as_a_merge() -> None:
    piece = FUNCTIONS[3].replace("return x", "return a") + "\n" + FUNCTIONS[1].replace("return x", "return 1")
    whole = HEAD + "\n".join(
        [FUNCTIONS[0], FUNCTIONS[1].replace("return x", "return 1"), FUNCTIONS[2],
         FUNCTIONS[3].replace("return x", "return a"), FUNCTIONS[4]]
    )  # fmt: skip
    assert merged(MODULE, piece, "a.py") == whole
    [file] = written("a.py", MODULE, piece, review=True).files
    assert file.after is not None and file.after.text == whole
    [match] = file.outcomes
    assert isinstance(match, Match) and match.rung is Rung.APPROXIMATE
    assert match.note == ("approximate: `import os`, `import sys`, `f0`, `f2`, `f4` would vanish; the human decided")


@pytest.mark.parametrize("more", ["x = 1\n", "def f9():\n    pass\n", FUNCTIONS[1], "# f1\n"])
def test_a_piece_with_anything_else_is_no_merge(more: str) -> None:
    assert merged(MODULE, FUNCTIONS[1] + more, "a.py") is None


STATEMENTS = "import app\n\ndef a():\n    return 1\n\napp.register(a)\napp.mount(a)\napp.log(a)\n\ndef b():\n    return 2\n\napp.run()\nb()\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", STATEMENTS, STATEMENTS.replace("return 2\n\napp.run()\nb()\n", "return 3\n")),
        ("a.py", STATEMENTS, STATEMENTS.replace("app.register(a)\napp.mount(a)\napp.log(a)\n\n", "")),
        ("a.yaml", "a: 1\nb:\n  x: 3\nc: 4\nd: 7\ne:\n  - 1\n  - 2\n", "a: 1\nb:\n  x: 3\nc: 4\nd: 8\n"),
        ("a.yaml", "a: 1\nb:\n  x: 3\nc: 4\nd: 7\n", "a: 1\nc: 4\nd: 8\n"),
        ("a.css", ".a {\n  x: 1;\n}\n.b {\n  x: 2;\n}\n.c {\n  x: 3;\n}\n", ".a {\n  x: 1;\n}\n.c {\n  x: 4;\n}\n"),
        ("a.go", 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc A() { fmt.Print(); os.Exit(1) }\n',
         'package a\n\nimport (\n\t"fmt"\n)\n\nfunc A() { fmt.Print(2); os.Exit(1) }\n'),
        ("a.py", MODULE, MODULE.replace(FUNCTIONS[2], "# f2 removed from this listing, see above\n")),
        ("a.py", MODULE, MODULE.replace(FUNCTIONS[2], "# (f2 gelöscht um Platz zu sparen)\n")),
        ("a.tsx", "const A = () => (\n  <>\n    <h1>x</h1>\n    <p>y</p>\n    <p>z</p>\n  </>\n);\n",
         "const A = () => (\n  <>\n    {/* ... 同じ ... */}\n  </>\n);\n"),
    ],
)  # fmt: skip
def test_what_else_would_vanish_is_told(path: str, before: str, after: str) -> None:
    assert "would vanish" in refused(path, before, after)


@pytest.mark.parametrize(
    "note",
    ["# ... 其余代码保持不变 ...", "# (既存のコード)", "# [reste inchangé]", "# --- snip ---", "# … wie vorher"],
)
def test_a_note_in_the_new_text_of_a_block_is_a_placeholder(note: str) -> None:
    search = FUNCTIONS[2] + "\n" + FUNCTIONS[3]
    files = {"a.py": TextFile.decode("a.py", MODULE.encode())}
    [outcome] = plan(files, [Replace("a.py", search, f"def f2(a, b):\n    {note}\n")]).files[0].outcomes
    assert isinstance(outcome, Refusal) and outcome.message == f"the new text holds a placeholder: {note}"


def test_a_comment_may_take_the_place_of_code_that_was_shown() -> None:
    files = {"a.py": TextFile.decode("a.py", MODULE.encode())}
    new = FUNCTIONS[2].replace("    x = a + os.getpid()\n", "    # it is not needed any more\n")
    [outcome] = plan(files, [Replace("a.py", FUNCTIONS[2], new)]).files[0].outcomes
    assert isinstance(outcome, Match)


def test_a_merge_keeps_the_line_ends_of_the_file() -> None:
    before = MODULE.replace("\n", "\r\n").replace("import sys", "import sys\f")
    piece = FUNCTIONS[1].replace("return x", "return 1")
    assert merged(before, piece, "a.py") == before.replace("return x, sys, 1", "return 1, sys, 1")
