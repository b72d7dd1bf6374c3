"""The prompt library: Markdown files, one prompt each, with a head and sections.

    ---
    name: review
    description: look for mistakes in what is not committed
    alias: rv
    kind: chat                 # chat, inline or workflow
    model: anthropic           # optional
    tools: [readonly]
    rules: [docs/style.md]
    auto_submit: true
    modes: [n, v]
    repeat_until: diagnostics == 0     # workflows only
    max_repeats: 5
    ---
    ## system
    …
    ## user
    Review this: ${context.diff}

A workflow has several `## user` sections, sent one after the other; with `repeat_until` the last of them is sent again
until the condition holds. What stands before the first section is a remark. Other headings of the second level, and
all headings inside code fences, are text of the section.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from motet.context.front_matter import FrontMatter, FrontMatterError, Value, read_front_matter
from motet.context.placeholders import PLACEHOLDERS, names_in
from motet.errors import FileTooLarge, NotText
from motet.prompts import LIBRARY
from motet.prose import leaves
from motet.text import TextFile

MAX_REPEATS = 20
"""Most repeats that a prompt may ask for."""
DEFAULT_REPEATS = 5


class PromptKind(StrEnum):
    """How a prompt is used."""

    CHAT = "chat"
    INLINE = "inline"
    WORKFLOW = "workflow"


class Origin(StrEnum):
    """Where a prompt is from."""

    USER = "user"
    PROJECT = "project"
    BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class Condition:
    """As in `diagnostics == 0`: a fact, a comparison, a number."""

    fact: str
    comparison: str
    number: int

    def holds(self, facts: Mapping[str, int]) -> bool:
        """Whether it is so. Raises `KeyError` when `facts` do not have the fact."""
        return _COMPARISONS[self.comparison](facts[self.fact], self.number)

    def __str__(self) -> str:
        return f"{self.fact} {self.comparison} {self.number}"


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """One prompt. `steps` are its user sections, at least one; only a workflow has several."""

    name: str
    description: str
    steps: tuple[str, ...]
    system: str = ""
    alias: str = ""
    kind: PromptKind = PromptKind.CHAT
    model: str = ""
    tools: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    auto_submit: bool = False
    modes: tuple[str, ...] = ()
    repeat_until: Condition | None = None
    max_repeats: int = 0
    origin: Origin = Origin.USER
    path: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """The placeholders that it uses, each once."""
        texts = (self.system, *self.steps)
        return tuple(dict.fromkeys(name for text in texts for name, _ in names_in(text)))


@dataclass(frozen=True, slots=True)
class Library:
    """Prompts by name and alias. `problems` has one line for each file that cannot be used."""

    entries: tuple[PromptEntry, ...] = ()
    problems: tuple[str, ...] = ()

    def get(self, name: str) -> PromptEntry | None:
        """The prompt of this name or alias; a name counts more than an alias."""
        by_name = {entry.alias: entry for entry in reversed(self.entries) if entry.alias}
        by_name |= {entry.name: entry for entry in reversed(self.entries)}
        return by_name.get(name)

    def __iter__(self) -> Iterator[PromptEntry]:
        return iter(self.entries)


def load_library(
    user: Path | None = None, project: Path | None = None, *, project_is_trusted: bool = False
) -> Library:
    """The prompts of `user` (a directory of `.md` files), then of a trusted `project`, then the built-in ones; the first
    with a name counts. A file that cannot be used is a problem, the others work."""
    entries: dict[str, PromptEntry] = {}
    problems: list[str] = []
    for origin, name, text in _texts(user, project if project_is_trusted else None, problems):
        try:
            entry = read_prompt(text, name, origin)
        except FrontMatterError as error:
            problems.append(str(error))
        else:
            entries.setdefault(entry.name, entry)
    return Library(tuple(entries.values()), tuple(problems))


def read_prompt(text: str, path: str, origin: Origin = Origin.USER) -> PromptEntry:
    """The prompt that `text` describes. Raises `FrontMatterError`, naming file and line."""
    head = read_front_matter(text, path)
    unknown = next((key for key in head.values if key not in _KEYS), None)
    if unknown:
        known = ", ".join(_KEYS)
        raise FrontMatterError(f"{path}:{head.lines[unknown]}: {unknown} is not known; known are {known}")
    system, steps = _sections(head, path)
    read = _Head(head, path)
    name = read.text("name") or Path(path).stem
    if not re.fullmatch(r"[\w][\w.:-]*", name):
        raise FrontMatterError(
            f"{path}:{head.lines.get('name', 1)}: name {name!r}: letters, digits, '_', '-', '.' and ':'"
        )
    kind = read.choice("kind", PromptKind, PromptKind.CHAT)
    condition = read.condition("repeat_until")
    if kind is not PromptKind.WORKFLOW:
        if len(steps) > 1:
            raise FrontMatterError(f"{path}: several `## user` sections need kind: workflow")
        if condition:
            raise FrontMatterError(f"{path}:{head.lines['repeat_until']}: repeat_until needs kind: workflow")
    return PromptEntry(
        name=name,
        description=read.text("description"),
        steps=steps,
        system=system,
        alias=read.text("alias"),
        kind=kind,
        model=read.text("model"),
        tools=read.texts("tools"),
        rules=read.texts("rules"),
        auto_submit=read.truth("auto_submit"),
        modes=read.texts("modes"),
        repeat_until=condition,
        max_repeats=read.number("max_repeats", DEFAULT_REPEATS if condition else 0),
        origin=origin,
        path=path,
    )


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
FACTS = ("diagnostics", "errors", "warnings", "tool_errors")
"""What a condition may ask about: how many there are after the newest turn."""
_CONDITION = re.compile(r"(\w+)\s*(==|!=|<=|>=|<|>)\s*(\d{1,9})\Z")
_KEYS = (
    "name", "description", "alias", "kind", "model", "tools", "rules", "auto_submit", "modes", "repeat_until",
    "max_repeats",
)  # fmt: skip
_SECTION = re.compile(r"##[ \t]+(system|user)[ \t]*#*[ \t]*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Head:
    """The values of a head with their types checked."""

    head: FrontMatter
    path: str

    def text(self, key: str) -> str:
        value = self.head.values.get(key, "")
        if isinstance(value, tuple):
            raise self._wrong(key, "one text")
        return ("true" if value else "false") if isinstance(value, bool) else str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        match self.head.values.get(key, ()):
            case tuple() as values:
                return values
            case str() as value:
                return tuple(filter(None, (each.strip() for each in value.split(","))))
            case _:
                raise self._wrong(key, "a list")

    def truth(self, key: str) -> bool:
        value = self.head.values.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def number(self, key: str, default: int) -> int:
        value: Value = self.head.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_REPEATS:
            raise self._wrong(key, f"a number up to {MAX_REPEATS}")
        return value

    def choice(self, key: str, kind: type[PromptKind], default: PromptKind) -> PromptKind:
        try:
            return kind(self.text(key) or default)
        except ValueError:
            raise self._wrong(key, f"one of {', '.join(kind)}") from None

    def condition(self, key: str) -> Condition | None:
        written = self.text(key)
        if not written:
            return None
        found = _CONDITION.match(written)
        if found is None or found[1] not in FACTS:
            raise self._wrong(key, f"as in `diagnostics == 0`; known are {', '.join(FACTS)}")
        return Condition(found[1], found[2], int(found[3]))

    def _wrong(self, key: str, wanted: str) -> FrontMatterError:
        return FrontMatterError(f"{self.path}:{self.head.lines.get(key, 1)}: {key} must be {wanted}")


def _sections(head: FrontMatter, path: str) -> tuple[str, tuple[str, ...]]:
    """The system section, and the user sections in order."""
    body = head.body
    marks: list[tuple[int, int, str]] = []
    for leaf in leaves(body):
        line_start = body.rfind("\n", 0, leaf[0].start) + 1
        line_end = body.find("\n", line_start)
        line = body[line_start : line_end if line_end >= 0 else len(body)]
        if len(leaf) == 1 and (found := _SECTION.match(line.rstrip("\r"))):
            marks.append((line_start, line_start + len(line), found[1].lower()))
    ends = [*(start for start, _, _ in marks[1:]), len(body)][: len(marks)]
    sections = [(kind, body[end:until].strip(), start) for (start, end, kind), until in zip(marks, ends, strict=True)]
    for kind, text, start in sections:
        line = head.body_line + body.count("\n", 0, start)
        if not text:
            raise FrontMatterError(f"{path}:{line}: the section `## {kind}` is empty")
        for name, at in names_in(text):
            if name not in PLACEHOLDERS:
                at_line = head.body_line + body.count("\n", 0, body.index(text, start) + at)
                known = ", ".join(PLACEHOLDERS)
                raise FrontMatterError(f"{path}:{at_line}: ${{context.{name}}} is not known; known are {known}")
    systems = [text for kind, text, _ in sections if kind == "system"]
    steps = tuple(text for kind, text, _ in sections if kind == "user")
    if len(systems) > 1:
        raise FrontMatterError(f"{path}: there is more than one section `## system`")
    if not steps:
        raise FrontMatterError(f"{path}: there is no section `## user`")
    return (systems or [""])[0], steps


def _texts(user: Path | None, project: Path | None, problems: list[str]) -> Iterable[tuple[Origin, str, str]]:
    for origin, directory in ((Origin.USER, user), (Origin.PROJECT, project)):
        for path in _markdown_files(directory, problems):
            try:
                yield origin, str(path), TextFile.decode(str(path), path.read_bytes()).text
            except OSError as error:
                problems.append(f"{path}: {error.strerror}")
            except (NotText, FileTooLarge) as error:
                problems.append(str(error))
    for path in sorted(LIBRARY.glob("*.md")):
        yield Origin.BUILT_IN, path.name, path.read_text("utf-8")


def _markdown_files(directory: Path | None, problems: list[str]) -> Sequence[Path]:
    if directory is None:
        return ()
    try:
        return sorted(path for path in directory.iterdir() if path.suffix == ".md" and path.is_file())
    except FileNotFoundError:
        return ()
    except OSError as error:
        problems.append(f"{directory}: {error.strerror}")
        return ()
