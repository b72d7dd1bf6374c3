"""Questions made of the patches that a Debian source package keeps: what each says, and the source files it changes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from email import message_from_string
from pathlib import Path

from measure.run import BenchError

from retrieving.sets import Case, Set, is_source, names, said

FEWEST_WORDS = 4
"""Words of a message that asks for anything."""
MOST_FILES = 5
_CHANGES = re.compile(r"^(?:---(?: |$)|diff --git |Index: |===)", re.MULTILINE)
_FILE = re.compile(r"^--- (?:[^/\s]+/)?(\S+).*\n\+\+\+ (?:[^/\s]+/)?(\S+)", re.MULTILINE)
_FIELD = re.compile(r"^[A-Z][\w-]+: .*$", re.MULTILINE)
_NOTE = re.compile(r"^\[?PATCH[^\]]*\]|\(cherry picked.*?\)|CVE-\d+-\d+|\b[0-9a-f]{12,}\b", re.MULTILINE)


def of_package(package: Path, place: Path) -> Set:
    """The patches of `package`, a source package unpacked without them (`dpkg-source --skip-patches -x`).

    The tree, made in `place`, is what was released, without `debian/`. Raises `BenchError`.
    """
    root = place / package.name
    shutil.copytree(
        package, root, symlinks=True, ignore=lambda at, _: ["debian", ".pc"] if Path(at) == package else []
    )
    patches = [path.read_text("utf-8", "replace") for path in _series(package / "debian" / "patches")]
    cases = {case.query: case for text in patches if (case := _case(text, root))}
    if not cases:
        raise BenchError(f"{package}: no patch says what it does to 1 to {MOST_FILES} source files")
    return Set(package.name, root, tuple(cases.values()), len(patches) - len(cases))


def _series(patches: Path) -> Iterator[Path]:
    """The patches, in their order."""
    try:
        lines = (patches / "series").read_text("utf-8").splitlines()
    except OSError as error:
        raise BenchError(f"{patches / 'series'}: {error.strerror or error}") from error
    for line in lines:
        name = line.partition("#")[0].split()
        if name and (patches / name[0]).is_file():
            yield patches / name[0]


def _case(patch: str, root: Path) -> Case | None:
    """What `patch` says, and the files of `root` that it changes; None where it says too little or changes too many."""
    message = _message(_CHANGES.split(patch, maxsplit=1)[0])
    changed = {after if after != "dev/null" else before for before, after in _FILE.findall(patch)}
    sources = [path for path in changed if is_source(path)]
    gold = frozenset(path for path in sources if (root / path).is_file())
    if not gold or len(sources) > MOST_FILES or len(re.findall(r"\w{3,}", message)) < FEWEST_WORDS:
        return None
    return Case(message, gold, names(message, gold))


def _message(head: str) -> str:
    """Subject and description, in the form of git or of DEP-3, without what does not describe."""
    parsed = message_from_string(head.lstrip("\n"))
    title = parsed["Subject"] or parsed["Description"] or ""
    lines = [line.strip() for line in str(title).splitlines()]
    body = _FIELD.sub("", str(parsed.get_payload()))
    return said(_NOTE.sub("", "\n".join(["" if line == "." else line for line in lines] + ["", body])))
