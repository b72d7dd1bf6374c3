"""`tools/acceptance.py` on small trees: what counts as a proof, and what is refused as one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IDS = """\
[S3]
title = "Fixing"
S3-001 = { kind = "feature", text = "Errors are fixed" }
S3-002 = { kind = "wish", text = "It is simple" }
"""


class Tree:
    """A repository that holds nothing but demands and tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "docs").mkdir()
        (root / "tests" / "fix").mkdir(parents=True)
        (root / "docs" / "acceptance_ids.toml").write_text(IDS)

    def test_file(self, text: str, name: str = "tests/fix/test_fix.py") -> "Tree":
        (self.root / name).write_text(f"import pytest\n\n{text}\n")
        return self

    def run(self, *arguments: str, ci: str = "") -> tuple[int, list[str]]:
        done = subprocess.run(
            [sys.executable, "tools/acceptance.py", "--root", self.root, *arguments],
            cwd=ROOT,
            env={"CI": ci, "MOTET_SHARED": str(self.root / "shared")},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def write(self) -> "Tree":
        assert self.run("--write") == (0, [])
        return self

    def text(self) -> str:
        return (self.write().root / "docs" / "acceptance.md").read_text()

    def page(self) -> list[str]:
        return [line for line in self.text().splitlines() if "| S3-" in line]

    def note(self, id: str, text: str) -> "Tree":
        """Say of one demand what is not yet."""
        path = self.root / "docs" / "acceptance_ids.toml"
        before, id, after = path.read_text().partition(id)
        path.write_text(before + id + after.replace(" }", f', not_yet = "{text}" }}', 1))
        return self

    def original(self, name: str, *lines: str) -> "Tree":
        (self.root / "shared").mkdir(exist_ok=True)
        (self.root / "shared" / name).write_text("\n".join(["# Demands", "", *lines, ""]))
        return self

    def ran(self, whole: bool = True, **outcomes: str) -> "Tree":
        """Leave the record of a test run: outcomes by test name."""
        (self.root / ".pytest_cache").mkdir()
        tests = {f"tests/fix/test_fix.py::{name}": outcome for name, outcome in outcomes.items()}
        record = {"whole": whole, "ci": True, "tests": tests}
        (self.root / ".pytest_cache" / "motet-last-run.json").write_text(json.dumps(record))
        return self


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


PROOF = '@pytest.mark.acceptance("S3-001")\ndef test_it_fixes(): assert True'
NOT_YET = "| S3-002 | It is simple | wish | *not yet* |"


def test_a_marked_test_stands_beside_its_demand_and_the_rest_is_not_yet(tree: Tree) -> None:
    assert tree.test_file(PROOF).page() == [
        "| S3-001 | Errors are fixed | feature | `tests/fix/test_fix.py::test_it_fixes` |",
        NOT_YET,
    ]
    assert tree.run() == (0, [])


def test_what_tests_do_not_prove_of_a_demand_stands_below_them(tree: Tree) -> None:
    tree.test_file(PROOF).note("S3-001", "warnings").note("S3-002", "nobody looked")
    assert tree.page() == [
        "| S3-001 | Errors are fixed | feature | `tests/fix/test_fix.py::test_it_fixes`<br>*not yet*: warnings |",
        "| S3-002 | It is simple | wish | *not yet*: nobody looked |",
    ]
    assert "Of 2 demands 0 are proved, 1 in part, 1 not yet. 1 tests prove them." in tree.text()


def test_what_is_not_yet_is_said_shortly(tree: Tree) -> None:
    tree.note("S3-002", "so " * 17).write()
    assert tree.run() == (1, ["docs/acceptance_ids.toml: S3-002: say in at most 16 words what is not yet"])


REQUIREMENTS = ("| id | kind | what |", "|---|---|---|", "| S3-001 | feature | Errors are fixed |")


def test_a_demand_that_is_not_its_original_is_named(tree: Tree) -> None:
    tree.original("requirements.md", *REQUIREMENTS, "| S3-002 | wish | It is simple, too |").write()
    assert tree.run() == (1, ["docs/acceptance_ids.toml: S3-002 differs from its original"])
    tree.original("requirements.md", *REQUIREMENTS, "| S3-002 | feature | It is simple |")
    assert tree.run() == (1, ["docs/acceptance_ids.toml: S3-002 differs from its original"])
    tree.original("requirements.md", *REQUIREMENTS, "| S3-002 | wish | It is simple |")
    assert tree.run() == (0, [])


def test_a_demand_on_one_side_alone_is_named(tree: Tree) -> None:
    tree.original("requirements.md", *REQUIREMENTS, "| S3-003 | wish | It is quick |").write()
    assert tree.run() == (
        1,
        ["docs/acceptance_ids.toml: S3-003 is missing", "docs/acceptance_ids.toml: S3-002 has no original"],
    )


def test_of_a_file_that_is_not_there_nothing_is_compared(tree: Tree) -> None:
    tree.original("threats.md").original("conventions.md").write()
    assert tree.run() == (0, [])


def test_each_form_of_an_original_is_read(tree: Tree) -> None:
    tree.original("requirements.md", *REQUIREMENTS, "| S3-002 | wish | It is simple |")
    tree.original(
        "acceptance.md",
        *("| Id | Do this | Pass |", "| --- | --- | --- |", "| CC-01 | Say `a \\| b` | It is heard |"),
        *("", "| System | Id | Do this | Pass |", "| --- | --- | --- | --- |", "| Vim | AV-01 | Leave | It ends |"),
    )
    tree.original(
        "threats.md",
        *("| # | Class | Public reference | Defence | Test |", "| --- | --- | --- | --- | --- |"),
        "| 7 | Fire | a book | Water | A match |",
    )
    tree.original(
        "conventions.md", "## Neovim", "", "- Maps | keys — a page", "## Python command line", "- `-` — help"
    )
    with (tree.root / "docs" / "acceptance_ids.toml").open("a") as ids:
        ids.write(
            "[X]\ntitle = 'Others'\n"
            "CC-01 = { kind = 'acceptance', text = 'Say `a \\| b` → It is heard' }\n"
            "AV-01 = { kind = 'acceptance', text = 'Leave → It ends' }\n"
            "T-07 = { kind = 'threat', text = 'Fire → Water → A match' }\n"
            "NV-01 = { kind = 'convention', text = 'Maps \\| keys' }\n"
            "PY-01 = { kind = 'convention', text = '`-`' }\n"
        )
    assert tree.write().run() == (0, [])


def test_a_marker_on_a_class_or_a_file_counts_for_each_of_its_tests(tree: Tree) -> None:
    tree.test_file(
        'pytestmark = [pytest.mark.acceptance("S3-001")]\n'
        '@pytest.mark.acceptance("S3-002")\n'
        "class TestLoop:\n    async def test_a(self): assert True\n    def helper(self): pass\n"
        "def test_b(): assert True"
    )
    assert tree.page() == [
        "| S3-001 | Errors are fixed | feature "
        "| `tests/fix/test_fix.py::TestLoop::test_a`<br>`tests/fix/test_fix.py::test_b` |",
        "| S3-002 | It is simple | wish | `tests/fix/test_fix.py::TestLoop::test_a` |",
    ]


def test_a_removed_test_makes_the_page_out_of_date(tree: Tree) -> None:
    tree.test_file(PROOF).write().test_file("def test_it_fixes(): assert True")
    assert tree.run() == (1, ["docs/acceptance.md is out of date: run `make docs`"])


def test_a_missing_page_is_out_of_date(tree: Tree) -> None:
    assert tree.test_file(PROOF).run() == (1, ["docs/acceptance.md is out of date: run `make docs`"])


def test_an_unknown_id_is_refused(tree: Tree) -> None:
    tree.test_file(PROOF.replace("S3-001", "S3-999")).write()
    assert tree.run() == (
        1,
        ["tests/fix/test_fix.py::test_it_fixes: names S3-999, which is not in docs/acceptance_ids.toml"],
    )


MARK = '@pytest.mark.acceptance("S3-001")\n'


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (f"@pytest.mark.skip\n{MARK}def test_x(): assert True", 5, "it is always skipped"),
        (f"@pytest.mark.skip(reason='later')\n{MARK}def test_x(): assert True", 5, "it is always skipped"),
        (f"@pytest.mark.skipif(True, reason='x')\n{MARK}def test_x(): assert True", 5, "it is always skipped"),
        (f"@pytest.mark.xfail\n{MARK}def test_x(): assert True", 5, "it is expected to fail"),
        (f"@pytest.mark.xfail(reason='x')\n{MARK}def test_x(): assert True", 5, "it is expected to fail"),
        (f"{MARK}def test_x():\n    pytest.skip('later')", 4, "it is always skipped"),
        (f"{MARK}def test_x():\n    pytest.xfail('later')", 4, "it is expected to fail"),
        (f"{MARK}def test_x():\n    '''Later.'''", 4, "it is empty"),
        (f"{MARK}def test_x(): ...", 4, "it is empty"),
        (f"pytestmark = pytest.mark.skip\n{MARK}def test_x(): assert True", 5, "it is always skipped"),
        (f"pytest.skip('x', allow_module_level=True)\n{MARK}def test_x(): assert True", 5, "it is always skipped"),
        (f"{MARK}def check_x(): assert True", 4, "pytest collects only functions named test*"),
        (f"class Loop:\n  {MARK}  def test_x(self): assert True", 5, "pytest collects only classes named Test*"),
    ],
)
def test_a_test_that_cannot_fail_proves_nothing(tree: Tree, text: str, line: int, why: str) -> None:
    tree.test_file(text).write()
    name = "check_x" if "check_x" in text else "test_x"
    assert tree.run() == (1, [f"tests/fix/test_fix.py:{line}: {name} proves nothing: {why}"])


def test_a_condition_may_skip_a_test(tree: Tree) -> None:
    tree.test_file(f"import os\n@pytest.mark.skipif(os.geteuid() == 0, reason='root')\n{PROOF}").write()
    assert tree.run() == (0, [])


def test_a_test_in_a_file_that_pytest_does_not_collect_proves_nothing(tree: Tree) -> None:
    tree.test_file(PROOF, "tests/fix/helpers.py").write()
    why = "test_it_fixes proves nothing: pytest collects only files named test_*.py"
    assert tree.run() == (1, [f"tests/fix/helpers.py:4: {why}"])


@pytest.mark.parametrize(
    "text",
    [
        "IDS = ['S3-001']\n@pytest.mark.acceptance(*IDS)\ndef test_x(): assert True",
        "@pytest.mark.acceptance()\ndef test_x(): assert True",
        "proves = pytest.mark.acceptance\ndef test_x(): assert True",
        "from pytest import mark\n@pytest.mark.parametrize('x', [pytest.param(1, marks=mark.acceptance('S3-001'))])\n"
        "def test_x(x): assert x",
    ],
)
def test_a_marker_that_cannot_be_read_is_refused(tree: Tree, text: str) -> None:
    code, lines = tree.test_file(text).write().run()
    assert (code, len(lines)) == (1, 1)
    assert lines[0].endswith(": write the marker with its ids as text, on a test, its class or as pytestmark")


def test_a_file_that_is_not_python_is_named(tree: Tree) -> None:
    tree.test_file("def (:").write()
    assert tree.run() == (1, ["tests/fix/test_fix.py:3: invalid syntax"])


def test_ci_wants_the_record_of_a_run(tree: Tree) -> None:
    tree.test_file(PROOF).write()
    assert tree.run() == (0, [])
    assert tree.run(ci="true") == (1, ["no record of a test run: in CI run `make test` before `make check`"])


def test_ci_wants_a_run_of_all_tests(tree: Tree) -> None:
    tree.test_file(PROOF).write().ran(whole=False, test_it_fixes="passed")
    why = "the last test run was not of all tests with CI=true: run `make test` before `make check`"
    assert tree.run(ci="true") == (1, [why])


@pytest.mark.parametrize("outcome", ["skipped", "failed", "xfailed"])
def test_ci_refuses_a_proof_that_did_not_pass(tree: Tree, outcome: str) -> None:
    tree.test_file(PROOF).write().ran(test_it_fixes=outcome)
    why = f"tests/fix/test_fix.py::test_it_fixes: named as a proof, but {outcome} in the last run"
    assert tree.run(ci="true") == (1, [why])


def test_ci_refuses_a_proof_that_did_not_run(tree: Tree) -> None:
    tree.test_file(PROOF).write().ran(test_other="passed")
    why = "tests/fix/test_fix.py::test_it_fixes: named as a proof, but absent from the last run"
    assert tree.run(ci="true") == (1, [why])


def test_ci_is_content_when_each_proof_passed(tree: Tree) -> None:
    tree.test_file(PROOF).write().ran(test_it_fixes="passed")
    assert tree.run(ci="true") == (0, [])


def test_each_demand_of_this_repository_is_known_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import acceptance as a\nfor s in a.load_demands(a.ROOT / a.IDS):\n"
         " for d in s.demands: print(d.id, d.kind, d.text, sep='\\t')"],
        cwd=ROOT / "tools", capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == len({id for id, _, _ in rows}) == 518
    assert {kind for _, kind, _ in rows} == {
        "feature", "behaviour", "wish", "complaint to end", "problem to solve", "design note", "acceptance", "threat",
        "convention",
    }  # fmt: skip
