"""Which words can stand where the cursor is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

from motet.cli.completion import names

_BY_SHELL = {"file": ":files", "dir": ":dirs"}
_MOST = 500
_MOST_HELP = 80

Takes = str | list[str]
"""What stands in a place: one of some words, or a kind of thing, such as `model`; empty: nothing, or nobody knows."""
Found = list[tuple[str, str]]
"""Words, each with what it is."""


class Option(TypedDict):
    """An option of a command."""

    help: str
    takes: Takes | None


class Command(TypedDict):
    """A command of `words.json`. The last of its `arguments` may stand `many` times."""

    help: str
    options: dict[str, Option]
    commands: dict[str, Command]
    arguments: list[Takes]
    many: bool


class Table(TypedDict):
    """All of `words.json`; `known` are names that come with motet, by kind."""

    motet: Command
    known: dict[str, list[str]]


def main(arguments: Sequence[str]) -> int:
    """Print what can stand at the end of a command line, one a line: for `bash` from the line up to the cursor and the
    characters that part words there, for `zsh` and `fish` from its words, the last of which is being typed. Never
    fails."""
    try:
        shell, *words = arguments
        head = ""
        if shell == "bash":
            words, head = _in_bash(*words)
        found = complete(words[1:-1], words[-1])
        lines = [_line(shell, word.removeprefix(head), told) for word, told in found[:_MOST]]
        with open(1, "wb", closefd=False) as out:
            out.write("".join(f"{each}\n" for each in lines).encode("utf-8", "replace"))
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 (a traceback would stand in the middle of what is typed)
        return 0
    return 0


def complete(before: Sequence[str], current: str) -> Found:
    """What can stand in the place of `current` behind the words `before`, without the name of the program."""
    table = cast("Table", json.loads((Path(__file__).parent / "words.json").read_bytes()))
    at, given, takes, only_values = table["motet"], 0, None, False
    for word in before:
        if takes is not None:
            takes = None
        elif word.startswith("-") and not only_values:
            only_values = word == "--"
            takes = at["options"][word]["takes"] if word in at["options"] else None
        elif not at["commands"]:
            given += 1
        elif word in at["commands"]:
            at = at["commands"][word]
        elif word != "help" or at is not table["motet"]:
            return []
    if takes is not None:
        return _values(takes, current, table)
    if current.startswith("-") and not only_values:
        return _options(at["options"], current, table)
    if at["commands"]:
        return [(word, one["help"]) for word, one in at["commands"].items() if word.startswith(current)]
    arguments = at["arguments"]
    if given < len(arguments) or (at["many"] and arguments):
        return _values(arguments[min(given, len(arguments) - 1)], current, table)
    return []


def _options(options: Mapping[str, Option], current: str, table: Table) -> Found:
    name, equals, value = current.partition("=")
    if not equals:
        return [(word, one["help"]) for word, one in options.items() if word.startswith(current)]
    takes = options[name]["takes"] if name in options else None
    return [(f"{name}={word}", told) for word, told in _values(takes or "", value, table)]


def _values(takes: Takes, current: str, table: Table) -> Found:
    if isinstance(takes, list):
        return [(word, "") for word in takes if word.startswith(current)]
    if takes in _BY_SHELL:
        return [(_BY_SHELL[takes], "")]
    look = names.LOOKED_UP.get(takes)
    known = table["known"].get(takes, [])
    found = look(known) if look else [(word, "") for word in known]
    fitting = [(word, told) for word, told in found if word.startswith(current) and names.is_plain(word)]
    return list({word: (word, told) for word, told in reversed(fitting)}.values())[::-1]


def _in_bash(line: str, breaks: str) -> tuple[list[str], str]:
    """The words of `line`, and the beginning of the last one that bash takes for words of their own and leaves as it
    is, such as `ollama/qwen3:`."""
    words, quoted = _parted(line)
    if quoted:
        return words, ""
    end = max((words[-1].rfind(each) for each in ":=" if each in breaks), default=-1)
    return words, words[-1][: end + 1]


def _parted(line: str) -> tuple[list[str], bool]:
    """The words of `line` as a shell reads them, the last of which may be empty, and whether a quote is open there."""
    words: list[str] = []
    word, quote, escaped = "", "", False
    begun = False
    for each in line:
        if escaped:
            word, escaped = word + each, False
        elif each == "\\" and quote != "'":
            escaped = begun = True
        elif each == quote:
            quote = ""
        elif quote:
            word += each
        elif each in "'\"":
            quote, begun = each, True
        elif not each.isspace():
            word += each
        elif word or begun:
            words.append(word)
            word, begun = "", False
    return [*words, word], bool(quote)


def _line(shell: str, word: str, told: str) -> str:
    """One line, which nothing that somebody else wrote can make two of."""
    if shell == "bash" or word in _BY_SHELL.values():
        return word
    told = "".join(each if each.isprintable() else " " for each in told)[:_MOST_HELP].strip()
    if shell == "zsh":
        escaped = word.replace(":", "\\:")
        return f"{escaped}:{told}" if told else escaped
    return f"{word}\t{told}" if told else word
