"""Projects made up for a measurement: the same for the same numbers, on every machine.

A module has about a hundred lines: an enum, a record, a shelf of records, some functions, and functions that use
records of modules before it. `plant` puts problems into a module, of each of which exactly one server speaks, once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_ADJECTIVES = (
    "amber", "brisk", "calm", "dusky", "early", "faint", "gentle", "hollow",
    "ivory", "jolly", "keen", "lively", "mellow", "narrow", "olden", "pale",
)  # fmt: skip
_NOUNS = (
    "anchor", "bridge", "candle", "delta", "ember", "forest", "garden", "harbor",
    "island", "jacket", "kettle", "lantern", "meadow", "needle", "orchard", "pebble",
)  # fmt: skip
_UNITS = ("metres", "grams", "litres", "seconds", "degrees", "pages", "notes", "bars")
PER_PACKAGE = 20

_HEAD = '''"""{title}: how {plural} are kept, read and compared."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
{imports}
_LOG = logging.getLogger(__name__)
LIMIT = {limit}


class {title}Kind(Enum):
    """What a {name} can be."""

    PLAIN = "plain"
    SHARED = "shared"
    SPARE = "spare"

    @property
    def is_counted(self) -> bool:
        """Whether it counts in totals."""
        return self is not {title}Kind.SPARE


@dataclass(frozen=True)
class {title}:
    """One {name}, in {unit}."""

    label: str
    amount: float = {amount}
    kind: {title}Kind = {title}Kind.PLAIN
    tags: tuple[str, ...] = ()

    @classmethod
    def read(cls, data: Mapping[str, object]) -> {title}:
        """From what a file holds; raises ValueError for a wrong amount."""
        amount = data.get("amount", 0.0)
        if not isinstance(amount, (int, float)) or amount < 0:
            raise ValueError(f"not an amount of {unit}: {{amount!r}}")
        return cls(str(data.get("label", "")), float(amount), {title}Kind(data.get("kind", "plain")))

    def scaled(self, factor: float) -> {title}:
        """The same, `factor` times as much."""
        return replace(self, amount=min(self.amount * factor, LIMIT))

    def describe(self) -> str:
        """One line for people."""
        marks = ", ".join(sorted(self.tags)) or "no tags"
        return f"{{self.label}}: {{self.amount:.1f}} {unit} ({{marks}})"


@dataclass
class {title}Shelf:
    """Many of them, by label."""

    held: dict[str, {title}] = field(default_factory=dict)

    def put(self, one: {title}) -> None:
        """Keep `one` in place of the one with its label."""
        if one.label in self.held:
            _LOG.info("%s is replaced", one.label)
        self.held[one.label] = one

    def counted(self) -> Iterator[{title}]:
        """Those that count."""
        return (one for one in self.held.values() if one.kind.is_counted)

    def __len__(self) -> int:
        return len(self.held)


def total_{name}(many: Iterable[{title}]) -> float:
    """How much they are together."""
    return sum(one.amount for one in many if one.kind.is_counted)


def load_{name}(path: Path) -> {title}Shelf:
    """What `path` holds."""
    shelf = {title}Shelf()
    for row in json.loads(path.read_text(encoding="utf-8")):
        shelf.put({title}.read(row))
    return shelf
'''

_USE = '''

def {name}_from_{other}(source: {other_title}, factor: float = {factor}) -> {title}:
    """A {name} that is as much as `source`, {factor} times."""
    changed = source.scaled(factor)
    return {title}(changed.label, changed.amount, tags=(*source.tags, "{other}"))


def compare_with_{other}(shelf: {title}Shelf, others: Iterable[{other_title}]) -> dict[str, float]:
    """By label, how much more there is of ours."""
    theirs = {{one.label: one.amount for one in others}}
    return {{one.label: one.amount - theirs.get(one.label, 0.0) for one in shelf.counted()}}
'''

PROBLEMS = (
    '\n\ndef spare_{number}(label: str) -> bool:\n    """Says ruff."""\n    return label == None\n',
    '\n\ndef count_{number}(one: {title}) -> int:\n    """Says the type checker."""\n    return one.describe()\n',
    '\n\ndef label_{number}(one: {title}) -> str:\n    """Says the type checker."""\n    return one.lable\n',
)
"""The first is ruff's alone, with a fix; the others are the type checker's alone."""


@dataclass(frozen=True)
class Module:
    """One generated module: `path` is relative to the project."""

    path: str
    title: str
    text: str


def modules(files: int, seed: int = 1) -> list[Module]:
    """Clean modules that import each other, without circles: with their packages' `__init__.py`, `files` files."""
    rng = random.Random(seed)
    made: list[Module] = []
    for number in range(files - -(-files // (PER_PACKAGE + 1))):
        name = f"{_ADJECTIVES[number % 16]}_{_NOUNS[number // 16 % 16]}" + (
            f"_{number // 256}" if number > 255 else ""
        )
        made.append(_module(name, f"part_{number // PER_PACKAGE:02}", rng, rng.sample(made, min(len(made), 2))))
    return made


def write_project(root: Path, made: Sequence[Module]) -> list[Path]:
    """Write `made` as packages below `root`; the files, `__init__.py` included."""
    written: list[Path] = []
    for module in made:
        path = root / module.path
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
            (path.parent / "__init__.py").write_text(f'"""{path.parent.name}."""\n')
            written.append(path.parent / "__init__.py")
        path.write_text(module.text)
        written.append(path)
    return written


def plant(module: Module, count: int) -> Module:
    """`module` with `count` problems at its end."""
    problems = (PROBLEMS[at % len(PROBLEMS)].format(title=module.title, number=at) for at in range(count))
    return Module(module.path, module.title, module.text + "".join(problems))


def padded(module: Module, lines: int) -> Module:
    """`module` with so many lines of harmless functions that it has about `lines`."""
    count = max(0, lines - module.text.count("\n")) // 6
    functions = (
        f'\n\ndef step_{at}(one: {module.title}) -> str:\n    """Step {at}."""\n    return one.describe()[:{at % 70 + 1}]\n\n'
        for at in range(count)
    )
    return Module(module.path, module.title, module.text + "".join(functions))


def _module(name: str, package: str, rng: random.Random, used: Sequence[Module]) -> Module:
    title = name.title().replace("_", "")
    imports, uses = "", ""
    for other in sorted(used, key=lambda one: one.path):
        dotted = other.path.removesuffix(".py").replace("/", ".")
        imports += f"\nfrom {dotted} import {other.title}"
        uses += _USE.format(
            name=name, title=title, other=Path(other.path).stem, other_title=other.title, factor=rng.randint(2, 9)
        )
    head = _HEAD.format(
        name=name,
        plural=f"{name}s",
        title=title,
        imports=imports and imports + "\n",
        unit=rng.choice(_UNITS),
        limit=f"{rng.randint(10, 99)}_000.0",
        amount=f"{rng.randint(1, 500) / 10}",
    )
    return Module(f"{package}/{name}.py", title, head + uses)
