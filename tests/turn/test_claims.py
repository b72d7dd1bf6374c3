"""An answer that says it has changed a file is told from one that speaks of files."""

import pytest

from motet.turn.written import claims_edit

CLAIMS = (
    "I have updated `src/app.py` to use an f-string.",
    "I've now created the file.",
    "Done! I've renamed `greet` to `hello` in greet.py.",
    "I renamed it in mod.py.",
    "Updated `greet.py`: it uses an f-string now.",
    "Done. Fixed the off-by-one in src/loop.c.",
    "`greet.py` has been updated.",
    "The file has been successfully created.",
    "Here is what I did:\n\n- Added a test to `tests/test_a.py`\n",
    "**I've updated the file** as you asked.",
    "I've fixed `a.py`, so it will not fail when the list is empty.",
    "All good, and I added error handling to `main.go`.",
)
SPEAKS = (
    "I would change `greet.py`.",
    "I have not changed greet.py.",
    "I haven't updated the file.",
    "Should I have updated `greet.py`?",
    "You updated `greet.py` yesterday.",
    "If I've updated the file, run it.",
    "Once you have created `a.py`, run it.",
    "`greet.py` has been changed since 2.0.",
    "`greet.py` was changed in version 2.",
    "commit 12ab: I updated `greet.py`",
    "I have read `greet.py`; it prints a greeting.",
    "I've looked at the file.",
    "I can update `greet.py` for you.",
    "The config file is created by `make`.",
    "Fixed-size buffers are used.",
    "I have changed my mind.",
    "> I have updated `greet.py`.",
    "```\nI have updated greet.py.\n```\n",
    "Saved games are in `save.json`, they are made by the game.",
    "",
)


@pytest.mark.parametrize("answer", CLAIMS)
def test_a_claim_is_seen(answer: str) -> None:
    assert claims_edit(answer)


@pytest.mark.parametrize("answer", SPEAKS)
def test_what_only_speaks_of_files_is_no_claim(answer: str) -> None:
    assert not claims_edit(answer)
