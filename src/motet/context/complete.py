"""What can be completed where the cursor stands: `#variables`, `@tools` and files, `/commands` and what they take.

Pure: the same text, cursor and names give the same completions. The rules are those of what is recognised when the
text is sent: only at a word boundary (in Japanese and the like everywhere), not in code, only names that are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from motet.context.paths import Files
from motet.prose import begins, leaves
from motet.visible import one_line

_MOST = 50
"""Completions at once."""
_WINDOW = 20_000
"""Characters before the cursor that are looked at for code; a longer draft is looked at from there on."""
_NO_FIT = 4
_LONGEST = 200
"""Characters of a name or a path that is being typed."""
_COMMAND = re.compile(r"/(?P<name>[^\s/]*)\Z")
_ARGUMENT = re.compile(r"/(?P<name>[^\s/]+)[ \t]+(?:.*[ \t])?(?P<word>\S*)\Z")
_PARAMETER = re.compile(r"#(?:\{(?P<braced>[^\s{}:]+):|(?P<plain>[^\s{}#@]+)\{)(?P<word>[^{}\n]*)\Z")
_SYMBOL = re.compile(r"(?P<mark>[#@])(?P<brace>\{?)(?P<word>[^\s{}#@]*)\Z")
_BRACED_PATH = re.compile(r"@\{(?P<word>[^{}\n]*)\Z")
_LINKABLE = re.compile(r"[^\[\]()<>\\`\n]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A known name. `parameters` says in words what it takes, `values` are those that can be offered;
    with `takes_files` the files of the workspace are offered."""

    name: str
    description: str = ""
    parameters: str = ""
    values: tuple[Name, ...] = ()
    takes_files: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """All that can be named. `tools` holds groups too; the models are the `values` of the command that chooses one."""

    variables: Sequence[Name] = ()
    tools: Sequence[Name] = ()
    commands: Sequence[Name] = ()
    files: Files = field(default_factory=Files)


@dataclass(frozen=True, slots=True)
class Completion:
    """`text` takes the place of what stands from `start` up to the cursor; `display` and `description` are shown."""

    text: str
    start: int
    display: str
    description: str


def completions(text: str, cursor: int, known: Known) -> list[Completion]:
    """What can stand at `cursor` (characters from the start of `text`), the best first; mostly nothing."""
    line = text.rfind("\n", 0, cursor) + 1
    before = text[max(line, cursor - 10 * _LONGEST) : cursor]
    if before.startswith("/") and not text[:line].strip():
        return _of_commands(before, cursor, known)
    if "#" not in before and "@" not in before:
        return []
    found = _at_symbol(before, cursor, known)
    if not found or not _is_prose(text, found[0].start, cursor):
        return []
    return found


def _of_commands(line: str, cursor: int, known: Known) -> list[Completion]:
    """Commands stand at the start of the text."""
    if found := _COMMAND.match(line):
        return [
            Completion(f"/{each.name} ", cursor - len(line), _with_parameters(f"/{each.name}", each), _about(each))
            for each in _fitting(found["name"], known.commands)
        ]
    found = _ARGUMENT.match(line)
    command = next((each for each in known.commands if found and each.name == found["name"].rstrip("!")), None)
    if found is None or command is None:
        return []
    word = found["word"]
    start = cursor - len(word)
    offered = [Completion(each.name, start, each.name, _about(each)) for each in _fitting(word, command.values)]
    if command.takes_files:
        offered += [Completion(path, start, *_shown(path)) for path in known.files.find(word, _MOST)]
    return offered


def _at_symbol(before: str, cursor: int, known: Known) -> list[Completion]:
    if found := _PARAMETER.search(before[-_LONGEST:]):
        return list(_of_parameter(found, cursor, known))
    if (found := _BRACED_PATH.search(before[-_LONGEST:])) and " " in found["word"]:
        return [_braced(path, cursor - len(found[0])) for path in known.files.find(found["word"], _MOST)]
    found = _SYMBOL.search(before[-_LONGEST:])
    if found is None:
        return []
    mark, brace, word, start = found["mark"], found["brace"], found["word"], cursor - len(found[0])
    if not begins(before, len(before) - len(found[0])):
        return []
    if mark == "#":
        return [_named(mark, brace, each, start) for each in _fitting(word, known.variables)]
    tools = [] if word.startswith("/") else [_named(mark, brace, each, start) for each in _fitting(word, known.tools)]
    if word[:1] in "/." and word:
        return [_mention(path, start) for path in known.files.find(word, _MOST)]
    if not word:
        return tools
    paths = known.files.find(word, _MOST - min(len(tools), _MOST))
    return tools + [_braced(path, start) if brace else _link(path, start) for path in paths]


def _of_parameter(found: re.Match[str], cursor: int, known: Known) -> Iterator[Completion]:
    name = found["braced"] or found["plain"]
    variable = next((each for each in known.variables if each.name == name), None)
    start = cursor - len(found["word"])
    if variable is None:
        return
    for each in _fitting(found["word"], variable.values):
        yield Completion(each.name + "}", start, each.name, _about(each))
    if variable.takes_files:
        for path in known.files.find(found["word"], _MOST):
            yield Completion(path + "}", start, *_shown(path))


def _fitting(word: str, names: Sequence[Name]) -> list[Name]:
    """The names that `word` may be the beginning of, or a part of, or has letters of in order; the best first."""
    letters = word.casefold()
    ranked = sorted(((_rank(letters, each.name.casefold()), at) for at, each in enumerate(names)))
    return [names[at] for rank, at in ranked if rank < _NO_FIT][:_MOST]


def _rank(letters: str, name: str) -> int:
    if name.startswith(letters):
        return 0
    if re.search(rf"[/:._-]{re.escape(letters)}", name):
        return 1
    if len(letters) < 2:
        return _NO_FIT
    if letters in name:
        return 2
    rest = iter(name)
    return 3 if all(letter in rest for letter in letters) else _NO_FIT


def _named(mark: str, brace: str, name: Name, start: int) -> Completion:
    text = f"{mark}{{{name.name}}}" if brace else f"{mark}{name.name} "
    return Completion(text, start, _with_parameters(mark + name.name, name), _about(name))


def _mention(path: str, start: int) -> Completion:
    return _braced(path, start) if " " in path else Completion(f"@/{path} ", start, *_shown(path))


def link_to(path: str) -> str:
    """How a draft names a file of the workspace: as Markdown, which says the whole path wherever it is copied to."""
    if not _LINKABLE.fullmatch(path):
        return f"@{{{path}}}"
    target = f"<./{path}>" if " " in path else f"./{path}"
    return f"[{path.rpartition('/')[2]}]({target})"


def _link(path: str, start: int) -> Completion:
    return Completion(f"{link_to(path)} ", start, *_shown(path))


def _braced(path: str, start: int) -> Completion:
    return Completion(f"@{{{path}}} ", start, *_shown(path))


def _shown(path: str) -> tuple[str, str]:
    """The name of a file, and where it is."""
    directory, _, name = path.rpartition("/")
    return name, directory


def _with_parameters(shown: str, name: Name) -> str:
    return one_line(f"{shown} {name.parameters}" if name.parameters else shown)


def _about(name: Name) -> str:
    return one_line(name.description)


def _is_prose(text: str, at: int, cursor: int) -> bool:
    """Whether `at` stands outside of fences, code and quotes as the text is up to `cursor`."""
    start = 0
    if cursor > _WINDOW:
        start = text.find("\n", cursor - _WINDOW, cursor) + 1
    for leaf in leaves(text[start:cursor]):
        for segment in leaf:
            if segment.start <= at - start <= segment.end:
                first = leaf[0].start + start
                return not segment.quoted and not _in_code(text[first:at])
    return False


def _in_code(before: str) -> bool:
    """Whether a code span is open at the end of `before`, the start of its paragraph."""
    opened = ""
    for run in re.findall(r"\\.|`+", before):
        if run[0] == "`":
            opened = "" if run == opened else opened or run
    return bool(opened)
