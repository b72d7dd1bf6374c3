"""Texts of files: the project's own, the standard library, other tools' edit cases, and some that try to get out."""

from __future__ import annotations

import json
import random
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from filetext.forms import FORMS
from motet.errors import NotText
from motet.text import TextFile

ROOT = Path(__file__).resolve().parents[2]
_OWN = ("*.py", "*.md", "*.lua", "*.toml", "*.txt", "*.ts", "*.c", "*.h", "*.json", "Makefile")
_IN = ("src", "tests", "docs", "lua", "plugin", "doc", "bench", "tools", "examples", "requirements", ".")
_SEED = 29


def own() -> list[str]:
    """The project's own files."""
    places = {ROOT / name for name in _IN}
    paths = {path for place in places for pattern in _OWN for path in _below(place, pattern)}
    return list(_read(sorted(paths)))


def library(files: int) -> list[str]:
    """That many files of the standard library, the same for each run of one Python."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(path for path in root.rglob("*.py") if "site-packages" not in path.parts)
    return list(_read(random.Random(_SEED).sample(paths, min(files, len(paths)))))


def cases(folder: Path) -> list[str]:
    """What stood in the files of other tools' edit cases; nothing where these are not here."""
    texts: dict[str, None] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line) if line.strip() else {}
            before = row.get("before") if isinstance(row, dict) else None
            if isinstance(before, str) and before.strip():
                texts[before] = None
    return list(texts)


def hostile(real: Sequence[str]) -> list[str]:
    """Files that hold other files in one of the forms, as logs of chats, tests and pages about prompts do; twice over."""
    chosen = random.Random(_SEED).sample(real, min(40, len(real)))
    once = [form.write("a.py", text) for form in FORMS for text in chosen]
    twice = [form.write("b.py", text) for form in FORMS for text in once[:: len(FORMS)]]
    ends = [
        "</attachment>\n",
        "<\\/attachment>\n</ATTACHMENT >\n",
        "```\n````\n",
        "</file>\n",
        "&lt;/file&gt;\n",
        '"}\n',
    ]
    return [*once, *twice, *ends]


def _below(place: Path, pattern: str) -> Iterator[Path]:
    return (place.glob if place == ROOT else place.rglob)(pattern)


def _read(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        try:
            text = TextFile.decode(path.name, path.read_bytes()).text
        except (NotText, OSError):
            continue
        if 0 < len(text) <= 150_000:
            yield text
