"""Which test proves which demand: reads the markers in `tests/`, makes `docs/acceptance.md`, finds what is wrong.

    python tools/acceptance.py            say what is wrong (part of `make check`)
    python tools/acceptance.py --write    write the page (part of `make docs`)

A test names what it proves: `@pytest.mark.acceptance("S3-013", "CL-01")`. The demands are `docs/acceptance_ids.toml`,
copied word for word from four files beside the project; where those are ($MOTET_SHARED, else ../shared), they are
compared. Tests are read with `ast`, never imported. A test that cannot fail (skipped or expected to fail in every case,
empty, or never collected by pytest) proves nothing and is reported. In CI the last run must have passed each named test.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IDS = Path("docs") / "acceptance_ids.toml"
PAGE = Path("docs") / "acceptance.md"
LAST_RUN = Path(".pytest_cache") / "motet-last-run.json"

HEAD = """\
# What is proved

Each demand on motet, in the words in which it was made, with the tests that prove it. *Not yet* alone: nothing proves
it. *Not yet* below tests: they prove the demand without what follows. `make docs` writes this page from
`docs/acceptance_ids.toml` and the markers in `tests/`; `make check` fails when it is out of date, or when a test named
here is absent, cannot fail, or did not pass in CI. Kinds: a *feature*, *behaviour* or *wish* is built; a *complaint to
end*, *problem to solve* or *threat* is shown not to happen; a *design note* records a choice; a *convention* is what
users of the tools around it expect; *acceptance* is a walk through the product. Names of other products say where a
demand comes from.
"""

PREFIXES = {"Neovim": "NV", "Python command line": "PY"}  # of the ids of conventions, by their heading
KINDS = {"feature", "behaviour", "wish", "complaint to end", "problem to solve", "design note"}
MOST_WORDS_OF_A_NOTE = 16


@dataclass(frozen=True, slots=True)
class Demand:
    """One line of the list: its own words, and what of it is not proved, if its tests prove only a part."""

    id: str
    kind: str
    text: str
    not_yet: str = ""


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
            tuple(Demand(id, **value) for id, value in entries.items() if id != "title"),
        )
        for entries in sections
    ]


# --- the files that the demands were copied from ---------------------------------------------------------------


def load_originals(shared: Path) -> dict[str, Demand]:
    """The demands by id as the files of `shared` say them; of a file that is not there none."""
    rows = [
        demand for name in ("requirements.md", "acceptance.md", "threats.md") for demand in read_tables(shared / name)
    ]
    return {demand.id: demand for demand in [*rows, *read_conventions(shared / "conventions.md")]}


def read_tables(path: Path) -> Iterator[Demand]:
    """The demands in the tables of one file: what is asked for without its source."""
    for line in lines_of(path):
        match [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]:
            case [id, kind, text] if kind in KINDS:
                yield Demand(id, kind, text)
            case [*_, id, do, passes] if path.name == "acceptance.md" and re.fullmatch(r"[A-Z]+-\d+", id):
                yield Demand(id, "acceptance", f"{do} → {passes}")
            case [number, threat, _, defence, test] if number.isdecimal():
                yield Demand(f"T-{number:0>2}", "threat", f"{threat} → {defence} → {test}")
            case _:
                pass


def read_conventions(path: Path) -> Iterator[Demand]:
    """The demands in the lists of one file, numbered below each heading: what is asked for without its source."""
    prefix, number = "", 0
    for line in lines_of(path):
        if line.startswith("## "):
            prefix, number = PREFIXES[line.removeprefix("## ")], 0
        elif line.startswith("- "):
            number += 1
            text = line.removeprefix("- ").rpartition(" — ")[0] or line.removeprefix("- ")
            yield Demand(f"{prefix}-{number:02}", "convention", text.replace("|", r"\|"))


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def copy_problems(demands: dict[str, Demand], originals: dict[str, Demand]) -> list[str]:
    """Where the list is not what the originals say, or says at length what is not yet."""
    found = [f"{id} is missing" for id in originals if id not in demands]
    read = {source(original) for original in originals.values()}
    for id, demand in demands.items():
        original = originals.get(id)
        if original is None and source(demand) in read:
            found.append(f"{id} has no original")
        elif original and (demand.kind, demand.text) != (original.kind, original.text):
            found.append(f"{id} differs from its original")
        if len(demand.not_yet.split()) > MOST_WORDS_OF_A_NOTE:
            found.append(f"{id}: say in at most {MOST_WORDS_OF_A_NOTE} words what is not yet")
    return [f"{IDS.as_posix()}: {line}" for line in found]


def source(demand: Demand) -> str:
    """What tells of which of the files a demand is."""
    return "requirements" if demand.kind in KINDS else demand.kind


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
    lines = [HEAD, f"Of {count(demands, proofs)}. {len(proofs.tests())} tests prove them.", ""]
    for section in sections:
        lines += [f"## {section.title}", "", f"Of {count(section.demands, proofs)}.", ""]
        lines += ["| id | what | kind | proved by |", "|---|---|---|---|"]
        for demand in section.demands:
            cells = [f"`{test}`" for test in proofs.by_id.get(demand.id, ())]
            if demand.not_yet or not cells:
                cells.append("*not yet*" + f": {demand.not_yet}" * bool(demand.not_yet))
            lines.append(f"| {demand.id} | {demand.text} | {demand.kind} | {'<br>'.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def count(demands: Sequence[Demand], proofs: Proofs) -> str:
    """How many are proved, whole and in part."""
    claimed = [demand for demand in demands if demand.id in proofs.by_id]
    halves = sum(bool(demand.not_yet) for demand in claimed)
    return (
        f"{len(demands)} demands {len(claimed) - halves} are proved, {halves} in part, "
        f"{len(demands) - len(claimed)} not yet"
    )


def page(root: Path = ROOT) -> str:
    """The page as it should stand now."""
    return render(load_demands(root / IDS), scan(root))


# --- checking --------------------------------------------------------------------------------------------------


def problems(root: Path, *, in_ci: bool) -> list[str]:
    """Everything that is wrong, one line each; empty when all is well."""
    sections = load_demands(root / IDS)
    proofs = scan(root)
    known = {demand.id: demand for section in sections for demand in section.demands}
    shared = Path(os.environ.get("MOTET_SHARED") or root.absolute().parent / "shared")
    found = copy_problems(known, load_originals(shared)) + proofs.problems
    for id in sorted(proofs.by_id.keys() - known.keys()):
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
