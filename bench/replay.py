"""What `motet apply --yes` makes of real answers whose authors committed what came of them.

    python bench/replay.py [PATH…] [--only ID]… [--show] [--json]

PATH is a file of rows or a folder with *.jsonl; without one, the folder beside the project ($MOTET_SHARED or
../shared). Each row is run in this process, in a new directory that holds the files of before, with a home of its own.
A line for each row that is not the same tells why, and for each whose bytes are right although the exit code is not 0.
Exit code 1: a bar is missed; 2: nothing was measured.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import re
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from measure.run import BenchError
from measure.table import Result

HERE = Path(__file__).resolve().parent
MOST_OVER_REFUSED = 0.02
FEWEST_SAME = 0.92
_REASON = re.compile(r"of the answer:|was left out|nothing is applied|no edit was|only a piece|problem|: not ")
_MARK = b"\xef\xbb\xbf"
Files = Mapping[str, bytes]


class Kind(StrEnum):
    """What became of a row."""

    SAME = "same"
    BUT_SPACE = "same but for white space"
    RIGHTLY = "rightly refused"
    OVER = "over-refused"
    WRONG = "wrong"


IS_RIGHT = (Kind.SAME, Kind.BUT_SPACE)


@dataclass(frozen=True)
class Judged:
    """One row as it ended. `code`: the exit code; `said`: what was printed; `why`: where the bytes differ."""

    row: dict[str, Any]
    kind: Kind
    code: int
    said: str
    why: str = ""

    @property
    def line(self) -> str:
        """The row for a list: what it came to, and the first reason that was given."""
        said = [line.strip() for line in self.said.splitlines()]
        why = next((line for line in said if _REASON.search(line)), "") if self.kind is not Kind.WRONG else ""
        return f"{self.row['id']}  {self.kind}, exit code {self.code}: {'; '.join(filter(None, (self.why, why)))}"


def shared_cases() -> Path:
    """The folder of answers, beside the project."""
    shared = os.environ.get("MOTET_SHARED")
    return (Path(shared) if shared else HERE.parent.parent / "shared") / "cases" / "replay"


def read(paths: Sequence[Path], only: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The rows of these files and folders; `only`: those with these ids. Raises `BenchError`."""
    files = [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
    try:
        rows = [json.loads(line) for file in files for line in file.read_text("utf-8").split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise BenchError(f"the rows cannot be read: {error}") from error
    if only:
        rows = [row for row in rows if any(row["id"] == id_ or row["id"].endswith(f"#{id_}") for id_ in only)]
    if not rows:
        raise BenchError(f"no rows in {', '.join(map(str, paths))}")
    return rows


# --- one row ---------------------------------------------------------------------------------------------------


def replay(row: dict[str, Any], place: Path) -> Judged:
    """`row`, run in a new directory below `place`."""
    tree = Path(tempfile.mkdtemp(dir=place))
    before = {path: _bytes(text) for path, text in row["before"].items() if text is not None}
    for path, data in before.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)
    answer = place / "answer.md"
    answer.write_text(row["answer"], "utf-8", newline="")
    code, said = _apply(tree, answer)
    after = {str(file.relative_to(tree)): file.read_bytes() for file in tree.rglob("*") if file.is_file()}
    kind, why = judge(row, before, after)
    if code not in (0, 1, 3, 4):
        kind, why = Kind.WRONG, f"crashed: {said.strip().rpartition(chr(10))[2]}"
    return Judged(row, kind, code, said, why)


def _apply(tree: Path, answer: Path) -> tuple[int, str]:
    """Run `motet apply --yes` on `answer` in `tree`: the exit code and all that it prints."""
    from motet.cli import run

    told = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    here = Path.cwd()
    os.chdir(tree)
    try:
        with redirect_stdout(told), redirect_stderr(told):
            try:
                code = run(["apply", "--yes", str(answer)])
            except Exception:  # noqa: BLE001 (a bug is a result, too)
                traceback.print_exc()
                code = -1
    finally:
        os.chdir(here)
    told.seek(0)
    return code, told.read()


def judge(row: Mapping[str, Any], before: Files, after: Files) -> tuple[Kind, str]:
    """What the files `after` are worth, and which of them say so."""
    committed, *others = [{**before, **one} for one in _right(row)]
    fair = row.get("expect") or ()
    for wanted in others if "same" in (row.get("never") or ()) else (committed, *others):
        if _differing(wanted, after) == []:
            exact = all(wanted.get(path) == after.get(path) for path in {*wanted, *after})
            return (Kind.SAME if exact else Kind.BUT_SPACE), ""
    if before == after:
        return (Kind.RIGHTLY if "refused" in fair else Kind.OVER), ""
    differing = _differing(committed, after)
    touched = [path for path in differing if before.get(path) != after.get(path)]
    if touched or not differing:
        return Kind.WRONG, f"other bytes in {', '.join(touched)}" if touched else "as committed, which is harm"
    return (Kind.RIGHTLY if "partly" in fair else Kind.OVER), f"left as before: {', '.join(differing)}"


def _right(row: Mapping[str, Any]) -> Iterator[dict[str, bytes | None]]:
    """What the files may be afterwards: as committed, and as in each of `also`."""
    also = row.get("also") or []
    for files in [row["after"], *(also if isinstance(also, list) else [also])]:
        yield {path: _bytes(text) for path, text in files.items()}


def _differing(wanted: Mapping[str, bytes | None], found: Files) -> list[str]:
    """The files that are not alike, whatever their line ends, byte order mark and line end at the end."""
    return sorted(path for path in {*wanted, *found} if _plain(wanted.get(path)) != _plain(found.get(path)))


def _plain(data: bytes | None) -> bytes | None:
    return None if data is None else data.removeprefix(_MARK).replace(b"\r\n", b"\n").removesuffix(b"\n")


def _bytes(text: str | Mapping[str, str] | None) -> bytes | None:
    return base64.b64decode(text["base64"]) if isinstance(text, Mapping) else None if text is None else text.encode()


# --- all rows --------------------------------------------------------------------------------------------------


def run(rows: Iterable[dict[str, Any]]) -> Iterator[Judged]:
    """Every row, judged; in a home of its own, without a terminal."""
    with tempfile.TemporaryDirectory(prefix="motet-replay-") as name, _at_home(Path(name).resolve()) as place:
        for row in rows:
            yield replay(row, place)


@contextmanager
def _at_home(place: Path) -> Iterator[Path]:
    """Settings and state of this process are below `place` meanwhile; a terminal that it has is not used."""
    kept = dict(os.environ)
    for key in [key for key in os.environ if key.startswith(("MOTET_", "XDG_"))]:
        del os.environ[key]
    os.environ["HOME"] = str(place)
    try:
        yield place
    finally:
        os.environ.clear()
        os.environ.update(kept)


def result(judged: Sequence[Judged]) -> Result:
    """The table for people, and every bar that is missed."""
    rows = [_counted("all", judged)]
    for part in ("language", "format", "repo"):
        names = Counter(one.row[part] for one in judged)
        rows += [
            _counted(f"{part}: {name}", [one for one in judged if one.row[part] == name])
            for name, _ in names.most_common()
        ]
    kinds = Counter(one.kind for one in judged)
    same = sum(kinds[kind] for kind in IS_RIGHT) / len(judged)
    over = kinds[Kind.OVER] / len(judged)
    failing = sum(one.kind in IS_RIGHT and one.code != 0 for one in judged)
    missed: list[str] = []
    if kinds[Kind.WRONG]:
        missed.append(f"wrong: {kinds[Kind.WRONG]}, the bar is 0")
    if over > MOST_OVER_REFUSED:
        missed.append(f"over-refused: {over:.1%}, the bar is {MOST_OVER_REFUSED:.0%}")
    if same < FEWEST_SAME:
        missed.append(f"same: {same:.1%}, the bar is {FEWEST_SAME:.0%}")
    if failing:
        missed.append(f"right bytes with another exit code than 0: {failing}, the bar is 0")
    about = (
        "Answers of models from public histories, each applied with `motet apply --yes` to the files as they were "
        "before, and compared with what was committed. *White space*: line ends, a byte order mark and the line end at the "
        "end of a file; any other is wrong. *Refused*: no byte or only some of the files written. *Not 0*: the bytes "
        f"are right, the exit code is not. Bars: wrong 0, over-refused at most {MOST_OVER_REFUSED:.0%}, same at least "
        f"{FEWEST_SAME:.0%}, not 0: none."
    )
    return Result("Answers replayed", about, ["", "rows", *Kind, "not 0"], rows, missed)


def _counted(name: str, judged: Sequence[Judged]) -> list[str]:
    kinds = Counter(one.kind for one in judged)
    failing = sum(one.kind in IS_RIGHT and one.code != 0 for one in judged)
    return [name, *map(str, (len(judged), *(kinds[kind] for kind in Kind), failing))]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files of rows, or folders with *.jsonl")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="this row, by its id or its commit")
    parser.add_argument("--show", action="store_true", help="print the answer of each row, and all that motet says")
    parser.add_argument("--json", action="store_true", help="print the table as one line of JSON")
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a row may hold what no encoding knows
    try:
        judged = list(run(read(options.paths or [shared_cases()], options.only)))
    except BenchError as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 2
    found = result(judged)
    print(found.json if options.json else found.text, flush=True)
    if not options.json:
        odd = [one for one in judged if one.kind not in IS_RIGHT or one.code != 0]
        print("\n".join(["", *(one.line for one in odd)]))
    if options.show:
        for one in judged:
            print(f"\n===== {one.line}\n{one.row['answer']}\n----- motet:\n{one.said}")
    return 1 if found.missed else 0


if __name__ == "__main__":
    sys.exit(main())
