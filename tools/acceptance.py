"""Which test proves which demand: reads the markers in `tests/`, makes `docs/acceptance.md`, finds what is wrong.

    python tools/acceptance.py            say what is wrong (part of `make check`)
    python tools/acceptance.py --write    write the page (part of `make docs`)

A test names what it proves: `@pytest.mark.acceptance("S3-013", "CL-01")`. The demands are `docs/acceptance_ids.toml`.
Tests are read with `ast`, never imported. A test that cannot fail (skipped or expected to fail in every case, empty,
or never collected by pytest) proves nothing and is reported. In CI the last run must have passed each named test.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IDS = Path("docs") / "acceptance_ids.toml"
PAGE = Path("docs") / "acceptance.md"
LAST_RUN = Path(".pytest_cache") / "motet-last-run.json"

HEAD = """\
# What is proved

Each demand on motet with the tests that prove it, or *not yet*. `make docs` writes this page from
`docs/acceptance_ids.toml` and the markers in `tests/`; `make check` fails when it is out of date, or when a test named
here is absent, cannot fail, or did not pass in CI. Kinds: a *feature*, *behaviour* or *wish* is built; a *complaint to
end* or *problem to solve* is shown not to happen; a *design note* records a choice; *acceptance* is a walk through the
product.
"""


@dataclass(frozen=True, slots=True)
class Demand:
    """One line of the list."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Demands that belong together."""

    title: str
    demands: tuple[Demand, ...]


@dataclass(slots=True)
class Proofs:
    """What the tests claim: node ids by demand, in the order of the files, and what is wrong with the claims."""

    by_id: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def tests(self) -> set[str]:
        """Every test that is named."""
        return {test for tests in self.by_id.values() for test in tests}


def load_demands(path: Path) -> list[Section]:
    """The sections of the list, in its order."""
    sections = tomllib.loads(path.read_text(encoding="utf-8")).values()
    return [
        Section(
            entries["title"],
            tuple(Demand(id, *value) for id, value in entries.items() if id != "title"),
        )
        for entries in sections
    ]


# --- reading the tests -----------------------------------------------------------------------------------------


def scan(root: Path) -> Proofs:
    """Read every file of `root/tests`."""
    proofs = Proofs()
    for path in sorted((root / "tests").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"), name)
        except SyntaxError as error:
            proofs.problems.append(f"{name}:{error.lineno}: {error.msg}")
            continue
        except UnicodeDecodeError:
            proofs.problems.append(f"{name}: is not UTF-8")
            continue
        Reader(name, proofs).read(tree)
    return proofs


class Reader:
    """Reads the markers of one file. A marker counts on a test, on its class, or on the file (`pytestmark`)."""

    def __init__(self, name: str, proofs: Proofs) -> None:
        self.name = name
        self.proofs = proofs
        self.understood: set[ast.AST] = set()

    def read(self, tree: ast.Module) -> None:
        marks = list(module_marks(tree))
        dead = why_dead(marks) or why_body_dead(tree.body)
        base = Path(self.name).name
        if not (base.startswith("test_") or base.endswith("_test.py")):
            dead = dead or "pytest collects only files named test_*.py"
        self.read_body(tree.body, self.name, self.ids(marks), dead)
        for node in ast.walk(tree):
            if is_acceptance(node) and node not in self.understood:
                self.complain(node, "write the marker with its ids as text, on a test, its class or as pytestmark")

    def read_body(self, body: list[ast.stmt], prefix: str, outer: tuple[str, ...], dead: str) -> None:
        for node in body:
            match node:
                case ast.ClassDef(name=name):
                    marks = [*node.decorator_list, *module_marks(node)]
                    ignored = "" if name.startswith("Test") else "pytest collects only classes named Test*"
                    self.read_body(
                        node.body, f"{prefix}::{name}", outer + self.ids(marks), dead or ignored or why_dead(marks)
                    )
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    own = self.ids(node.decorator_list)
                    if name.startswith("test"):
                        reason = dead or why_dead(node.decorator_list) or why_body_dead(node.body)
                        self.claim(node, f"{prefix}::{name}", outer + own, reason)
                    else:
                        self.claim(node, f"{prefix}::{name}", own, "pytest collects only functions named test*")
                case _:
                    pass

    def claim(self, node: ast.AST, test: str, ids: tuple[str, ...], dead: str) -> None:
        if ids and dead:
            self.complain(node, f"{test.rpartition('::')[2]} proves nothing: {dead}")
            return
        for id in dict.fromkeys(ids):
            self.proofs.by_id.setdefault(id, []).append(test)

    def ids(self, marks: list[ast.expr]) -> tuple[str, ...]:
        """The ids of the acceptance markers among `marks`."""
        found: list[str] = []
        for mark in marks:
            if isinstance(mark, ast.Call) and is_acceptance(mark.func):
                texts = [arg.value for arg in mark.args if isinstance(arg, ast.Constant)]
                if texts and len(texts) == len(mark.args) and all(isinstance(text, str) for text in texts):
                    self.understood.add(mark.func)
                    found += [str(text) for text in texts]
        return tuple(found)

    def complain(self, node: ast.AST, what: str) -> None:
        self.proofs.problems.append(f"{self.name}:{getattr(node, 'lineno', 1)}: {what}")


def module_marks(node: ast.Module | ast.ClassDef) -> Iterator[ast.expr]:
    """What `pytestmark` lists in a file or class."""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                yield from value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            case _:
                pass


def is_acceptance(node: ast.AST) -> bool:
    """Whether `node` is `pytest.mark.acceptance`, under whatever name `mark` was imported."""
    match node:
        case ast.Attribute(attr="acceptance", value=ast.Attribute(attr="mark") | ast.Name(id="mark")):
            return True
        case _:
            return False


def why_dead(marks: list[ast.expr]) -> str:
    """Why tests under these marks never count, or nothing."""
    for mark in marks:
        call = mark if isinstance(mark, ast.Call) else None
        name = ast.unparse(call.func if call else mark).rpartition(".")[2]
        conditions = [*call.args, *(word.value for word in call.keywords if word.arg == "condition")] if call else []
        always = not conditions or (isinstance(conditions[0], ast.Constant) and bool(conditions[0].value))
        if name == "skip" or (name == "skipif" and conditions and always):
            return "it is always skipped"
        if name == "xfail" and always:
            return "it is expected to fail"
    return ""


def why_body_dead(body: list[ast.stmt]) -> str:
    """Why a test or file with this body never counts, or nothing."""
    for node in body:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="skip", value=ast.Name(id="pytest")))):
                return "it is always skipped"
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="xfail", value=ast.Name(id="pytest")))):
                return "it is expected to fail"
            case _:
                pass
    if all(isinstance(node, ast.Pass) or isinstance(getattr(node, "value", None), ast.Constant) for node in body):
        return "it is empty"
    return ""


# --- the page --------------------------------------------------------------------------------------------------


def render(sections: list[Section], proofs: Proofs) -> str:
    """The page as Markdown."""
    demands = [demand for section in sections for demand in section.demands]
    proved = sum(demand.id in proofs.by_id for demand in demands)
    lines = [HEAD, f"{proved} of {len(demands)} are proved, by {len(proofs.tests())} tests.", ""]
    for section in sections:
        done = sum(demand.id in proofs.by_id for demand in section.demands)
        lines += [f"## {section.title}", "", f"{done} of {len(section.demands)}.", ""]
        lines += ["| id | what | kind | proved by |", "|---|---|---|---|"]
        for demand in section.demands:
            tests = "<br>".join(f"`{test}`" for test in proofs.by_id.get(demand.id, ())) or "*not yet*"
            lines.append(f"| {demand.id} | {demand.text} | {demand.kind} | {tests} |")
        lines.append("")
    return "\n".join(lines)


def page(root: Path = ROOT) -> str:
    """The page as it should stand now."""
    return render(load_demands(root / IDS), scan(root))


# --- checking --------------------------------------------------------------------------------------------------


def problems(root: Path, *, in_ci: bool) -> list[str]:
    """Everything that is wrong, one line each; empty when all is well."""
    sections = load_demands(root / IDS)
    proofs = scan(root)
    known = {demand.id for section in sections for demand in section.demands}
    found = list(proofs.problems)
    for id in sorted(proofs.by_id.keys() - known):
        found += [f"{test}: names {id}, which is not in {IDS.as_posix()}" for test in proofs.by_id[id]]
    path = root / PAGE
    if not path.exists() or path.read_text(encoding="utf-8") != render(sections, proofs):
        found.append(f"{PAGE.as_posix()} is out of date: run `make docs`")
    if in_ci:
        found += run_problems(root, proofs)
    return found


def run_problems(root: Path, proofs: Proofs) -> list[str]:
    """Named tests that did not pass in the last run, which must have been one of all tests."""
    try:
        run = json.loads((root / LAST_RUN).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ["no record of a test run: in CI run `make test` before `make check`"]
    if not (run["whole"] and run["ci"]):
        return ["the last test run was not of all tests with CI=true: run `make test` before `make check`"]
    outcomes: dict[str, str] = run["tests"]
    return [
        f"{test}: named as a proof, but {'absent from' if test not in outcomes else outcomes[test] + ' in'} the last run"
        for test in sorted(proofs.tests())
        if outcomes.get(test) != "passed"
    ]


def main(arguments: list[str] | None = None) -> int:
    """Command line; exit code 1 when something is wrong."""
    parser = argparse.ArgumentParser(description="Which test proves which demand.")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    options = parser.parse_args(arguments)
    if options.write:
        (options.root / PAGE).write_text(page(options.root), encoding="utf-8")
        return 0
    found = problems(options.root, in_ci=os.environ.get("CI", "").lower() in {"1", "true", "yes"})
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
