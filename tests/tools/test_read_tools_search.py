"""`search_text`: with ripgrep and without it the same lines, never a secret one, never for ever."""

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.tool_kit import Project, sparse

from motet.tools import search
from motet.tools.builtin.search_text import SearchText
from motet.tools.search import Pattern
from motet.tools.toolbox import MAX_OUTPUT_CHARACTERS

# Understands the options that are used, as ripgrep does, for machines that have none. It leaves a trace.
STAND_IN = """#!{python}
import pathlib, sys
needle = sys.argv[sys.argv.index("--regexp") + 1]
names = sys.argv[sys.argv.index("--") + 1:]
pathlib.Path({trace!r}).touch()
fold = str.lower if "--ignore-case" in sys.argv else str
def text(name):
    try:
        data = pathlib.Path(name).read_bytes()
    except OSError:
        return ""
    return data.decode("utf-16" if data[:2] in (b"\\xff\\xfe", b"\\xfe\\xff") else "utf-8", "replace")
found = [name for name in names if fold(needle) in fold(text(name))]
sys.stdout.buffer.write(b"".join(name.encode("utf-8", "surrogateescape") + b"\\0" for name in found))
sys.exit(not found)
"""


@pytest.fixture(params=["ripgrep", "stand-in", "own"])
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project on a machine with ripgrep (the real one where there is one), with a program that does the same, and
    without."""
    programs = tmp_path / "programs"
    programs.mkdir()
    real = shutil.which("rg")
    trace = tmp_path / "was-run"
    if request.param == "ripgrep" and real:
        (programs / "rg").symlink_to(real)
    elif request.param != "own":
        (programs / "rg").write_text(STAND_IN.format(python=sys.executable, trace=str(trace)))
        (programs / "rg").chmod(0o755)
    others = [one for one in os.environ["PATH"].split(os.pathsep) if not (Path(one) / "rg").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), *others]))
    yield Project(tmp_path)


def fill(project: Project) -> None:
    project.write("src/a.py", "def area(r):\n    # Fläche\n    return r * r\n\n\ndef main():\n    print(area(2))\n")
    project.write("src/b.ts", "const area = 1;\r\nconst Area = 2;\r\n")
    project.write("docs/日本語.md", "面積は area です\n")
    project.write("utf16.txt", "area\n".encode("utf-16"))
    project.write("latin.py", "# -*- coding: latin-1 -*-\n# caf\xe9 area\n".encode("latin-1"))
    project.write("data.bin", b"\0area\n")
    project.write(".env", "KEY=area\n")
    project.write("certs/server.key", "area\n")
    project.write("node_modules/x.js", "area\n")
    project.write("out/log.txt", "area\n")
    project.write(".gitignore", "out/\n")
    (project.root / "link.py").symlink_to("src/a.py")
    (project.root / "outside.py").symlink_to("/etc/passwd")
    sparse(project.root / "huge.txt", 2**30)
    project.write("bad\udcff.txt", "area\n")


ALL = """\
8 matching lines in 6 files

bad\\udcff.txt
   1│ area

docs/日本語.md
   1│ 面積は area です

latin.py
   2│ # café area

src/a.py
   1│ def area(r):
   7│     print(area(2))

src/b.ts
   1│ const area = 1;
   2│ const Area = 2;

utf16.txt
   1│ area"""


async def test_every_readable_line_and_no_secret_ignored_or_linked_one_is_found(project: Project) -> None:
    fill(project)
    output = await project.call(SearchText, pattern="area", ignore_case=True)
    assert output.text == ALL


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": r"\bArea\b"}, ["   2│ const Area = 2;"]),
        ({"pattern": r"^def (\w+)\("}, ["   1│ def area(r):", "   6│ def main():"]),
        ({"pattern": r"r \* r"}, ["   3│     return r * r"]),
        ({"pattern": "area(", "literal": True}, ["   1│ def area(r):", "   7│     print(area(2))"]),
        ({"pattern": "r * r", "literal": True}, ["   3│     return r * r"]),
        ({"pattern": "面積", "literal": True}, ["   1│ 面積は area です"]),
        ({"pattern": "面.は"}, ["   1│ 面積は area です"]),
        ({"pattern": "fläche", "ignore_case": True}, ["   2│     # Fläche"]),
        ({"pattern": "PRINT", "ignore_case": True}, ["   7│     print(area(2))"]),
        ({"pattern": "print|main"}, ["   6│ def main():", "   7│     print(area(2))"]),
        ({"pattern": "(?i)PRINT"}, ["   7│     print(area(2))"]),
        ({"pattern": r"[=;] 2"}, ["   2│ const Area = 2;"]),
        ({"pattern": r"x?print"}, ["   7│     print(area(2))"]),
        ({"pattern": r"1;$"}, ["   1│ const area = 1;"]),
        ({"pattern": r"no such text"}, []),
    ],
)
async def test_patterns_find_their_lines(project: Project, arguments: dict[str, object], lines: list[str]) -> None:
    fill(project)
    output = await project.call(SearchText, **arguments)
    assert [line for line in output.text.split("\n") if "│" in line] == lines


async def test_context_joins_matches_that_are_near(project: Project) -> None:
    project.write("a.txt", "".join(f"{'hit' if n in (3, 5, 12) else 'line'} {n}\n" for n in range(1, 15)))
    output = await project.call(SearchText, pattern="hit", context=1)
    assert output.text == (
        "3 matching lines in 1 file\n\na.txt\n"
        "   2│ line 2\n   3│ hit 3\n   4│ line 4\n   5│ hit 5\n   6│ line 6\n   …\n"
        "  11│ line 11\n  12│ hit 12\n  13│ line 13"
    )


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["src"], ["src/a.py", "src/b.ts"]),
        (["*.ts", "docs/"], ["docs/c.md", "src/b.ts"]),
        (["./src/a.py"], ["src/a.py"]),
    ],
)
async def test_the_search_can_be_limited_to_paths(project: Project, paths: list[str], files: list[str]) -> None:
    for path in ("src/a.py", "src/b.ts", "docs/c.md", "top.txt"):
        project.write(path, "hit\n")
    output = await project.call(SearchText, pattern="hit", paths=paths)
    assert [line for line in output.text.split("\n")[1:] if line and "│" not in line] == files


async def test_what_is_not_shown_is_counted(project: Project) -> None:
    for number in range(10):
        project.write(f"f{number}.txt", "hit\n" * 100)
    output = await project.call(SearchText, pattern="hit")
    assert output.text.startswith("1000 matching lines in 10 files\n\nf0.txt\n")
    assert "\n(50 more in this file)\n" in output.text
    assert output.text.endswith("\n(200 of 1000 shown; narrow the pattern or the paths to see the others)")
    assert len(output.text) <= MAX_OUTPUT_CHARACTERS


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "the pattern must have from 1 to 2000 characters"),
        ("a" * 2_001, "the pattern must have from 1 to 2000 characters"),
        ("a\nb", "the pattern holds a line end; a match lies within one line: look for one of its lines"),
        ("f(", "the pattern is no regular expression: missing ), unterminated subpattern at position 1"),
        ("(" * 1_900, "the pattern is no regular expression: "),
    ],
)
async def test_a_pattern_that_cannot_be_used_says_why(project: Project, pattern: str, said: str) -> None:
    project.write("a.txt", "f(\n")
    output = await project.call(SearchText, pattern=pattern)
    assert output.text.startswith(f"search_text: {said}")
    assert output.is_error


async def test_a_pattern_that_takes_for_ever_is_stopped(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_SECONDS", 1.0)
    project.write("a.txt", "a" * 60 + "!\n")
    output = await project.call(SearchText, pattern="(a+)+$")
    assert output.is_error
    assert output.text.startswith("search_text: the search took more than 1 s and was stopped")


async def test_a_program_of_the_project_is_not_taken_for_ripgrep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path)
    trace = tmp_path / "was-run"
    program = project.write("bin/rg", STAND_IN.format(python=sys.executable, trace=str(trace)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    project.write("a.txt", "hit\n")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    output = await project.call(SearchText, pattern="hit", literal=True, paths=["a.txt"])
    assert "   1│ hit" in output.text
    assert not trace.exists()


async def test_ripgrep_decides_only_where_to_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path)
    programs, trace = tmp_path / "programs", tmp_path / "was-run"
    programs.mkdir()
    (programs / "rg").write_text(STAND_IN.format(python=sys.executable, trace=str(trace)))
    (programs / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    project.write("a.txt", "hit\n")
    await project.call(SearchText, pattern="hit")
    assert trace.exists()


@pytest.mark.parametrize(
    ("pattern", "needle"),
    [
        (r"def \w+\(self", "(self"),
        (r"a|b", ""),
        (r"(?x) a b", ""),
        (r"colou?r", "colo"),
        (r"x+yz", "yz"),
        (r"a{0}bcd", "bcd"),
        (r"[abc\]d]efg", "efg"),
        (r"(abc)?d", "d"),
        (r"日本語abc", "abc"),
        (r"^import os$", "import os"),
        (r"\d\.\d", "."),
    ],
)
def test_the_literal_part_of_a_pattern_is_its_longest_piece_of_text(pattern: str, needle: str) -> None:
    assert Pattern(pattern).needle == needle


_PIECES = st.sampled_from(
    ["a", "b", "S", "i", "k", "é", " ", ".", r"\.", r"\w", r"\d", r"\(", "[ab]", r"[^\]a]", "[]a]", "(ab)", "(a(b)c)"]
)
_REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "{0,2}", "{2}", "*?", "+?"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(_PIECES, _REPEATS), min_size=1, max_size=8), st.booleans(), st.data())
def test_the_literal_part_of_a_pattern_stands_in_whatever_it_matches(
    pieces: list[tuple[str, str]], ignore_case: bool, data: st.DataObject
) -> None:
    text = "".join(piece + repeat for piece, repeat in pieces)
    pattern = Pattern(text, ignore_case=ignore_case)
    found = data.draw(st.from_regex(re.compile(text, re.IGNORECASE if ignore_case else 0)))
    assert pattern.holds(pattern.needle, found)
