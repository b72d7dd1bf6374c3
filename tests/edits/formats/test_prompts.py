"""What models are told about edits."""

from __future__ import annotations

import re

import pytest

from motet.prompts import LIBRARY, prompt

PROMPTS = {path.stem: prompt(path.stem) for path in LIBRARY.parent.glob("*.md")}
COUNTING = re.compile(
    r"\bcount\w*\b[^.\n]*\blines?\b|\b(exact|precise|correct|right)\w*\b[^.\n]*\bline numbers?\b", re.I
)


@pytest.mark.acceptance("S1-006")
def test_no_prompt_asks_a_model_to_count_lines() -> None:
    assert COUNTING.search("Count the lines.") and COUNTING.search("Be exact about line numbers!")
    assert {name for name, text in PROMPTS.items() if COUNTING.search(text)} == set()


@pytest.mark.acceptance("S1-006", "S1-009", "S1-010")
@pytest.mark.parametrize("name", ["edit_file", "edits_in_text", "replace_in_file", "udiff", "xml"])
def test_a_text_to_find_is_asked_for_verbatim_and_unique(name: str) -> None:
    assert re.search(
        r"verbatim from the file: white space, .* misspellings included\. Leave out line numbers", PROMPTS[name]
    )
    assert "must stand exactly once in the file" in PROMPTS[name]
