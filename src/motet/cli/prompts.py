"""Prompts of the library on the command line: found by name, filled with what there is here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from motet.context import Diagnoses, Library, PromptEntry, fill, gather, load_library
from motet.context.placeholders import names_in
from motet.errors import UsageError
from motet.paths import config_dir

if TYPE_CHECKING:  # a list of prompts needs no chat
    from motet.chat import Chat


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


async def filled(
    chat: Chat,
    text: str,
    given: str,
    values: Mapping[str, str],
    *,
    paths: tuple[str, ...] = (),
    diagnoses: Diagnoses | None = None,
) -> str:
    """`text` of a prompt with its placeholders filled: those in `values` by these, the others by what there is now.

    `given`: the human's own words; a text that asks for none gets them at its end. `paths`: the files that are meant,
    the last one before all others. Raises `NothingToFill`.
    """
    from motet.cli.given_files import sources_of

    names = {name for name, _ in names_in(text)}
    sources = replace(sources_of(chat), in_context=paths, diagnoses=diagnoses)
    found = await gather([name for name in names if name not in values], sources, given=given)
    whole = fill(text, {**found, **values}).strip()
    return whole if "input" in names or not given else f"{whole}\n\n{given}"
