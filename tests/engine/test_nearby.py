"""What a human works on comes before what fits as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine.engine_kit import house

from motet.engine.nearby import CURRENT, OF_CHAT, OPEN, RELATED, Near
from motet.models.scripted import Answer, call

QUIET = "[chat]\ntitles = false\nmap_tokens = 0\n"
FLOUR = "def weigh_the_flour(): ...\n"


class Open:
    """An editor with three files."""

    def __init__(self, current: str = "a.py") -> None:
        self._current = current

    async def open_files(self) -> dict[str, str | None]:
        return {"a.py": "typed\n", "b.py": None, "huge.py": "x" * 600_000}

    async def current_file(self) -> str:
        return self._current


async def test_open_files_the_cursors_those_of_the_chat_and_what_these_import_are_raised() -> None:
    def related(paths: object) -> list[str]:
        assert paths == ("old.py", "b.py", "a.py", "huge.py")
        return ["b.py", "price.py"]

    near = Near(Open(), lambda: ["old.py", "b.py"], related)  # type: ignore[arg-type]
    found = await near()
    assert found.texts == {"a.py": "typed\n"}
    assert found.around == ("a.py",)
    assert found.raised == {"old.py": OF_CHAT, "b.py": OPEN, "a.py": CURRENT, "huge.py": OPEN, "price.py": RELATED}


async def test_without_an_editor_only_the_chat_counts() -> None:
    found = await Near(files=lambda: ["a.py"])()
    assert (found.texts, found.raised, found.around) == ({}, {"a.py": OF_CHAT}, ())


@pytest.mark.acceptance("S0-126")
@pytest.mark.parametrize("by", ["shared", "read"])
async def test_a_file_that_the_chat_has_shared_or_read_is_said_to_be_near(tmp_path: Path, by: str) -> None:
    reads = [Answer(calls=(call("read_file", {"path": "b.py"}),)), Answer(text="Read.")]
    script = [Answer(text="Seen.")] if by == "shared" else reads
    async with house(tmp_path, [*script, Answer(text="There.")], more=QUIET) as place:
        for name in ("a.py", "b.py"):
            (place.root / name).write_text(FLOUR)
        chat = place.m.chat()
        await chat.ask("see @/b.py" if by == "shared" else "@readonly look")
        await chat.ask("#codebase where is the flour weighed?")
        why = {
            one.context.id: "open or recent" in one.text
            for one in chat.messages
            if one.tag == "codebase" and one.context
        }
        assert why == {"<codebase>a.py:1-1</codebase>": False, "<codebase>b.py:1-1</codebase>": True}
