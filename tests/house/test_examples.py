"""The example projects hold exactly the problems they were given, as real compilers and linters see them."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Need = Callable[[str], Path]


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples", tmp_path / "examples"))


def output(cwd: Path, *command: Path | str) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


def test_ruff_sees_six_problems_in_python(examples: Path, need: Need) -> None:
    found = json.loads(output(examples, need("ruff"), "check", "--output-format", "json", "."))
    assert [(Path(each["filename"]).name, each["location"]["row"], each["code"]) for each in found] == [
        ("almanac.py", 13, "F821"),
        ("main.py", 12, "F541"),
        ("main.py", 18, "F821"),
        ("reading.py", 3, "F401"),
        ("reading.py", 26, "E711"),
        ("reading.py", 29, "F841"),
    ]


def test_basedpyright_sees_four_problems_in_python(examples: Path, need: Need) -> None:
    found = json.loads(output(examples, need("basedpyright"), "--outputjson", "."))["generalDiagnostics"]
    assert [(Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["rule"]) for each in found] == [
        ("almanac.py", 13, "reportUndefinedVariable"),
        ("almanac.py", 21, "reportReturnType"),
        ("main.py", 18, "reportUndefinedVariable"),
        ("reading.py", 21, "reportAttributeAccessIssue"),
    ]


def test_clangd_sees_five_problems_in_c_without_any_header_of_a_system(examples: Path, need: Need) -> None:
    (examples / "c" / "compile_flags.txt").write_text("-nostdlibinc\n")
    found: list[tuple[str, int, str]] = []
    for name in ("metronome.c", "ring.c"):
        log = output(examples, need("clangd"), f"--check=c/{name}")
        found += [(name, int(line), code) for code, line in re.findall(r"^E\[.*?\] \[(.*?)\] Line (\d+):", log, re.M)]
    assert found == [
        ("metronome.c", 5, "unknown_typename"),
        ("metronome.c", 10, "-Wimplicit-function-declaration"),
        ("metronome.c", 25, "typecheck_call_too_few_args"),
        ("ring.c", 7, "expected_semi_after_expr"),
        ("ring.c", 12, "no_member"),
    ]


def test_typescript_sees_eight_problems_two_of_them_consequences(examples: Path, need: Need) -> None:
    found = re.findall(
        r"^.*?(\w+\.ts)\((\d+),\d+\): error (TS\d+)", output(examples, need("tsc"), "-p", "typescript"), re.M
    )
    assert [(name, int(line), code) for name, line, code in found] == [
        ("app.ts", 5, "TS6133"),  # goes with the misspelling below
        ("app.ts", 9, "TS2552"),
        ("box.ts", 1, "TS6133"),
        ("box.ts", 7, "TS2552"),
        ("box.ts", 12, "TS2551"),
        ("box.ts", 13, "TS7006"),  # goes with the misspelt type above
        ("box.ts", 19, "TS2554"),
        ("component.ts", 20, "TS2551"),
    ]
