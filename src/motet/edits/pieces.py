"""Whether a text that an answer shows under a file's name is all of that file, or only a piece of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from motet.edits.elision import is_elision
from motet.edits.lines import Line, join_lines, split_lines
from motet.edits.match import lines_of
from motet.edits.splice import newline_at
from motet.syntax.definitions import Definition, definitions_below
from motet.syntax.languages import language_of
from motet.syntax.tree import parse, syntax_errors
from motet.text.changes import changes

if TYPE_CHECKING:
    from tree_sitter import Node

_FEW = 2
"""Lines that an edit may take out without being taken for a piece."""
_MUCH = 4
"""Old lines for each new one that an edit may replace besides."""
_MOST_NAMED = 5
"""Things that a refusal names; of more, the number is told."""
_LONGEST_NOTE = 200
"""Characters of a line that stands for others; a longer one says something itself."""
_COMMENT = re.compile(r"#(?![!\w])|//|\{?/\*|--|<!--|%|;|\"\"\"")
"""How a line that is only a comment begins; a word right after `#` is for a preprocessor."""
_BRACKETS = re.compile(r"\[.*\]|\(.*\)|\{.*\}|<.*>")
_WORDS = re.compile(r"[\W_]*(?:\.{3}|…)[\W_]*|[\[({<]+\s*(?:[^\W\d_]+[\s.…:'-]+)*[^\W\d_]+[\s.…]*[\])}>]+")
_MARKED = re.compile(r"\.{3}|…|\A[\[({<].*[\])}>]\Z")
"""What shows that a comment stands for something, in whatever words."""
_DASHED = re.compile(r"-{2,}\s*\w.*\w\s*-{2,}\W*\Z")
_DOTS = re.compile(r"…|\.{3}(?:\s|\Z)")
_PROSE = frozenset({"", ".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex"})
"""Suffixes of files whose lines may begin with a comment's sign, or stand in brackets, and mean themselves."""
_MARKUP = frozenset(
    {".html", ".htm", ".xml", ".svg", ".vue", ".svelte", ".astro", ".jsx", ".tsx", ".cshtml", ".razor"}
)
_IMPORTS = frozenset({
    "import_statement", "import_from_statement", "import_declaration", "use_declaration", "preproc_include",
    "future_import_statement", "using_declaration", "extern_crate_declaration",
})  # fmt: skip
_PACKAGE = re.compile(r'(?:import )?(?:([^\W\d]\w*) )?"(?:[^"]*/)?([^"/]+)"')
_NAME = re.compile(r"[^\W\d]\w*")
_STATED = re.compile(
    r"[\W_]*(?:(?:removed?|removes|removing|deleted?|deletes|dropped|gone|entfernt|gelöscht|supprimée?s?|retirée?s?|"
    r"eliminad[oa]s?|removid[oa]s?|rimoss[oaie]|удалён|удален[оаы]?)\b|删除|移除|刪除|削除|除去|삭제|제거)\W*(?P<names>.*)",
    re.IGNORECASE,
)
"""A comment that says that something goes, and what. What is said in other words has to be looked at by a human."""
_LISTED = re.compile(r"(?:`?[^\W\d][\w.]*(?:\(\))?`?(?:\s*[,;&]\s*|\s+and\s+|\s*[.]?\s*\Z))+")
_HOLDERS = frozenset({"class", "struct", "interface", "enum", "namespace"})


def may_be_a_piece(before: str, now: str) -> bool:
    """Whether `now`, the text of a fence for which a file is named only further above or in a sentence, may be a piece
    of that file, which holds `before`.

    The text itself has to show what it is: it must begin as the file does, keep half of its lines, and leave out
    neither the last ones nor a run of more than two. White space and blank lines do not count.
    """
    old, new = ([line.strip() for line in lines_of(text) if line.strip()] for text in (before, now))
    if not old or not new:
        return bool(old)
    kept = sum((Counter(old) & Counter(new)).values())
    return old[0] != new[0] or 2 * kept < len(old) or _leaves_out(old, new)


def is_excerpt(before: str, shown: str) -> bool:
    """Whether `shown` holds nothing but lines of `before`, in their order, and lines that stand for others: it is read
    out of that file, or is the file with lines taken out."""
    lines = iter(line.strip() for line in lines_of(before))
    return all(
        any(line == other for other in lines)
        for line in map(str.strip, lines_of(shown))
        if line and not is_elision(line)
    )


def what_vanishes(before: str, now: str, path: str, *, elsewhere: Container[str] = ()) -> str:
    """What a file with the text `before` would lose, unexplained, if `now` became all of it; empty when nothing.

    Language-free: a comment, or words in brackets, that is no line of the file and stands where a run of its lines
    stood. By the grammar of `path`: definitions that are gone, unless others stand in their place, a comment of `now`
    names them, or they are defined `elsewhere` (their names); imports of what is still used. Without a grammar: a run
    of lines for which nothing, or much less, stands there.
    """
    note = note_in_place(before, now, path)
    if note:
        return f"the line `{note}` stands where the file has lines that would vanish"
    lost = _lost(before, now, path, elsewhere)
    if not lost:
        return ""
    more = len(lost) - _MOST_NAMED
    return ", ".join(lost[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "") + " would vanish"


def merged(before: str, piece: str, path: str) -> str | None:
    """`before` with the definitions that `piece` consists of, in place of those of the same names; None when it holds
    anything else, or when it is not certain which ones are meant."""
    language = language_of(path)
    old, new = parse(before, language), parse(piece, language)
    if language is None or old is None or new is None or old.has_error or new.has_error:
        return None
    lines, new_lines = split_lines(before), split_lines(piece)
    there = [one for one in definitions_below(old, language) if one.depth == 0]
    mine = [one for one in definitions_below(new, language) if one.depth == 0]
    counts, within = Counter(one.name for one in there), set[int]()
    for one in mine:
        within.update(range(one.first_line, one.last_line + 1))
    if any(line.text.strip() and number not in within for number, line in enumerate(new_lines, 1)):
        return None
    if not mine or any(counts[one.name] != 1 for one in mine) or len({one.name for one in mine}) < len(mine):
        return None
    by_name, newline = {one.name: one for one in there}, newline_at(before, 0)
    for one in sorted(mine, key=lambda one: by_name[one.name].first_line, reverse=True):
        place, text = by_name[one.name], new_lines[one.first_line - 1 : one.last_line]
        lines[place.first_line - 1 : place.last_line] = [Line(line.text, newline) for line in text]
    return join_lines(lines)


def _leaves_out(old: list[str], new: list[str]) -> bool:
    """Whether lines are gone for which nothing, or much less, stands there now."""
    made = changes(old, new)
    return made[-1][0] == "delete" or any(_is_a_run(*one) for one in made)


def _is_a_run(_: str, start: int, end: int, first: int, last: int) -> bool:
    return end - start > _MUCH * (last - first) + _FEW


def note_in_place(before: str, now: str, path: str, *, marked: bool = False) -> str:
    """The line of `now` that can only stand for lines of `before`, a text or a part of one; empty when there is none.
    `marked`: only one with dots, brackets or dashes around it, as where `before` was shown as what is to be replaced."""
    known = {line.strip() for line in lines_of(before)}
    suffix = PurePosixPath(path).suffix.lower()
    if not any(_may_be_a_note(line, suffix) for line in map(str.strip, lines_of(now)) if line not in known):
        return ""
    old, new = ([line.strip() for line in lines_of(text) if line.strip()] for text in (before, now))
    for tag, start, end, first, last in changes(old, new):
        notes = [
            line
            for line in new[first:last]
            if line not in known
            and _may_be_a_note(line, suffix)
            and not _stated(line)
            and (not marked or _is_marked(line))
        ]
        if tag != "replace" or not notes:
            continue
        gone = sum(not _COMMENT.match(line) for line in old[start:end])
        come = sum(not _may_be_a_note(line, suffix) for line in new[first:last])
        dots = any("..." in line or "…" in line for line in notes)
        if gone > 2 * come + (not dots):
            return notes[0]
    return ""


def _may_be_a_note(line: str, suffix: str) -> bool:
    """Whether a line is only a comment, or only words in brackets."""
    if not line or len(line) > _LONGEST_NOTE:
        return False
    if suffix not in _PROSE and _COMMENT.match(line):
        return line[0] != "{" or _is_marked(line)
    is_tag = line[0] == "<" and suffix in _MARKUP and "..." not in line and "…" not in line
    is_bracket = bool(_BRACKETS.fullmatch(line) and not is_tag and _WORDS.fullmatch(line))
    return is_bracket or _DOTS.match(line) is not None or is_elision(line)


def _is_marked(line: str) -> bool:
    if line == "..." or (_DASHED.search(line) and not line.startswith("{")):
        return line != "..."
    inner = line.strip("{}") if line.startswith("{/*") else line
    return _MARKED.search(inner.strip("/*# \t-;%!")) is not None


class _Named(NamedTuple):
    """A definition: its name below those around it, and the definitions around it."""

    name: str
    outer: tuple[str, ...]

    @property
    def title(self) -> str:
        return ".".join((*self.outer, self.name))


def _lost(before: str, now: str, path: str, elsewhere: Container[str]) -> list[str]:
    """What is gone without a reason, for a message."""
    language = language_of(path)
    old, new = parse(before, language), parse(now, language)
    if language is None or old is None or new is None:
        return _lost_runs(before, now)
    there, here = (_named(definitions_below(root, language)) for root in (old, new))
    gone = list(_unpaired([one for one, _ in there], [one for one, _ in here]))
    explained = {name for line in _comments(now) for name in _stated(line)}
    explained |= {name for one in _imports(new) for name in _brought(one)}
    if gone:  # what called it is still there, or something else in its place, and calls something else
        rows = {row for one, rows in there if one not in gone for row in rows}
        rows -= {row for one, rows in there if one in gone for row in rows}
        explained |= set(_identifiers(old, rows)) - set(_identifiers(new))
    lost = [one.title for one in gone if one.name not in elsewhere and one.name not in explained]
    names = [f"`{name}`" for name in [*_lost_imports(new, _imports(old), _imports(new)), *lost]]
    if names or not (_is_clear(before, old, language) and _is_clear(now, new, language)):
        return names or _lost_runs(before, now)
    known = {row for _, rows in there for row in rows} | {
        row for one in old.children if one.type in _IMPORTS for row in _rows(one)
    }
    return _lost_runs(before, now, without=known)


def _is_clear(text: str, root: Node, language: str) -> bool:
    errors = syntax_errors(text, language) if root.has_error else 0
    return errors == 0


def _lost_runs(before: str, now: str, *, without: Container[int] = ()) -> list[str]:
    """Runs of lines for which less stands there now, and nothing of which is anywhere else; of lines in the rows
    `without` more is known."""
    numbered = [(number, line.strip()) for number, line in enumerate(lines_of(before), 1) if line.strip()]
    new = [line.strip() for line in lines_of(now) if line.strip()]
    known = set(new)
    lost: list[str] = []
    for tag, start, end, first, last in changes([line for _, line in numbered], new):
        if tag in ("equal", "insert"):
            continue
        gone = [
            number
            for number, line in numbered[start:end]
            if number - 1 not in without and line not in known and _says_something(line)
        ]
        at_end = end == len(numbered) or (tag == "delete" and start == 0)
        much = (1 if without else 2) if at_end else _MUCH
        if len(gone) > much * (last - first) + (_FEW if without and not at_end else 0):
            lost.append(f"lines {gone[0]}-{gone[-1]} of the file" if len(gone) > 1 else f"line {gone[0]} of the file")
    return lost


def _says_something(line: str) -> bool:
    return any(map(str.isalnum, line)) and not _COMMENT.match(line)


def _named(found: Sequence[Definition]) -> list[tuple[_Named, range]]:
    """Definitions at the top and members of classes, and their rows in the tree; what is inside of functions is their
    own affair."""
    named: list[tuple[_Named, range]] = []
    around: list[Definition] = []
    for one in found:
        while around and around[-1].last_line < one.last_line:
            around.pop()
        if all(outer.kind in _HOLDERS for outer in around):
            name = _Named(one.name, tuple(outer.name for outer in around))
            named.append((name, range(one.first_line - 1, one.last_line)))
        around.append(one)
    return named


def _unpaired(old: Sequence[_Named], new: Sequence[_Named]) -> Iterator[_Named]:
    """Definitions that are gone: no other stands in their place, and none of that name is new anywhere. Of a class
    that is gone its members are not told."""
    counts = Counter(new)
    counts.subtract(old)
    fresh = Counter(one.name for one, count in counts.items() for _ in range(count))
    gone: set[str] = set()
    for tag, start, end, first, last in changes([one.title for one in old], [one.title for one in new]):
        come = sum(counts[one] > 0 for one in new[first:last])
        missing = [one for one in old[start:end] if counts[one] < 0] if tag != "equal" else []
        if len(missing) <= come:
            continue
        for one in missing:
            if fresh[one.name] > 0:
                fresh[one.name] -= 1  # it has moved
            elif ".".join(one.outer) not in gone:
                yield one
            gone.add(one.title)


def _stated(line: str) -> set[str]:
    """The names that a comment says go: it says nothing else."""
    found = _STATED.match(line)
    return set(_NAME.findall(found["names"])) - {"and"} if found and _LISTED.fullmatch(found["names"]) else set()


def _comments(text: str) -> list[str]:
    return [line for line in map(str.strip, lines_of(text)) if _COMMENT.match(line)]


def _lost_imports(now: Node, old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Imports that are gone though what they bring is still used, or, where that cannot be told, with all others."""
    lost = [one for one in old if one not in new]
    if not lost:
        return []
    brought = {name for one in new for name in _brought(one)}
    used = set(_identifiers(now))
    return [one for one in lost if (not names.isdisjoint(used - brought) if (names := _brought(one)) else not new)]


def _brought(statement: str) -> set[str]:
    """The names that an import brings; empty when it does not say."""
    if "*" in statement or "include" in statement:
        return set()
    package = _PACKAGE.fullmatch(statement)
    if package is not None:  # of Go
        return {package[1] or package[2]}
    if "'" in statement or '"' in statement:  # import { a, b as c } from 'there'; import 'there'
        statement = statement.partition(" from ")[0] if " from " in statement else ""
    parts = re.split(r"[,{}();\s]+|\bas\b", statement.rpartition("import ")[2])
    return {part.replace("::", ".").rpartition(".")[2] for part in parts} - {"", "use", "static", "type", "import"}


def _rows(node: Node) -> range:
    return range(node.start_point.row, node.end_point.row + 1)


def _identifiers(root: Node, rows: Container[int] | None = None) -> Iterator[str]:
    """Names in the code, or in these rows of it: not in imports, comments and strings."""
    waiting = [child for child in root.children if child.type not in _IMPORTS]
    while waiting:
        node = waiting.pop()
        if (
            node.type.endswith("identifier")
            and node.text is not None
            and (rows is None or node.start_point.row in rows)
        ):
            yield node.text.decode("utf-8", "replace")
        waiting.extend(node.children)


def _imports(root: Node) -> list[str]:
    """The imports of a file; of a group in brackets each one."""
    found: list[str] = []
    for node in root.children:
        if node.type in _IMPORTS:
            group = next((child for child in node.children if child.type == "import_spec_list"), None)
            specs = [node] if group is None else [one for one in group.children if one.type == "import_spec"]
            found += (" ".join(one.text.decode("utf-8", "replace").split()) for one in specs if one.text is not None)
    return found
