"""Prompts and tool texts, one Markdown file each, reviewed like code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

LIBRARY = Path(__file__).with_name("library")
"""The built-in entries of the prompt library."""


@cache
def prompt(name: str) -> str:
    """The text of `<name>.md` in this directory, without its final newline."""
    return Path(__file__).with_name(f"{name}.md").read_text("utf-8").rstrip("\n")
