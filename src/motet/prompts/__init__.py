"""Prompts and tool texts, one Markdown file each, reviewed like code."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """The text of `<name>.md` in this directory, without its final newline."""
    return (files(__name__) / f"{name}.md").read_text("utf-8").rstrip("\n")
