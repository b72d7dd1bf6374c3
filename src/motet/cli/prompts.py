"""Prompts of the library on the command line, found by name."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from motet.context import Library, PromptEntry, load_library
from motet.errors import UsageError
from motet.paths import config_dir


def library() -> Library:
    """The user's prompts, and the built-in ones."""
    return load_library(config_dir() / "prompts")


def prompt_entry(name: str) -> PromptEntry:
    """The prompt of this name or alias. Raises `UsageError`, with what is close, or with what is wrong with its
    file."""
    found = library()
    entry = found.get(name.removeprefix("/"))
    if entry is not None:
        return entry
    broken = next((line for line in found.problems if Path(line.partition(":")[0]).stem == name), "")
    if broken:
        raise UsageError(broken)
    names = [each for one in found for each in (one.name, one.alias) if each]
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    known = f"did you mean {', '.join(close)}?" if close else f"there are {', '.join(one.name for one in found)}"
    raise UsageError(f"{name}: no such prompt; {known}")
