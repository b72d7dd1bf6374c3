"""Edits look at files too: what a file of secrets holds is told to no model, by no refusal, without a yes."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine.engine_kit import Answers, house

from motet.models.scripted import Answer, call
from motet.permissions import Answer as Yes

DIFF = "<<<<<<< SEARCH\nDATABASE_PASSWORD=changeme\n=======\nDATABASE_PASSWORD=x\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(("path", "real"), [(".env", ".env"), ("notes.txt", ".env"), (".envrc", ".envrc")])
async def test_a_refused_edit_does_not_tell_what_stands_in_a_file_of_secrets(
    tmp_path: Path, path: str, real: str
) -> None:
    edit = Answer(calls=(call("replace_in_file", {"path": path, "diff": DIFF}),))
    human = Answers(Yes.NO)
    async with house(tmp_path, [edit, Answer(text="I could not.")], ask=human) as place:
        (place.root / ".env").write_text("DATABASE_PASSWORD=hunter2\n")
        (place.root / ".envrc").write_text("DATABASE_PASSWORD=hunter2\n")
        (place.root / "notes.txt").symlink_to(".env")
        await place.m.chat(tools=["editor"]).ask("change the password")
        assert not any("hunter2" in request.text for request in place.server.requests)
        (told,) = [m["content"] for m in place.server.requests[1].body["messages"] if m["role"] == "tool"]
        assert told.startswith(
            f"{path}: refused (not_found): read:{real}: a file of secrets, which no model may read"
        ), told


async def test_one_call_that_fails_says_nothing_about_those_beside_it(tmp_path: Path) -> None:
    names = ("a.py", "nosuch.py", "b.py")
    look = Answer(calls=tuple(call("read_file", {"path": name}, f"call_{name[0]}") for name in names))
    async with house(tmp_path, [look, Answer(text="I see.")]) as place:
        (place.root / "a.py").write_text("one = 1\n")
        (place.root / "b.py").write_text("two = 2\n")
        chat = await place.m.chat(tools=["read_file"]).ready()
        _ = [event async for event in chat.send("look")]
        told = [message.text for message in chat.messages if message.role == "tool"]
        assert ["one = 1" in told[0], told[1], "two = 2" in told[2]] == [
            True, "read_file: nosuch.py: no such file; list_files and find_files say what there is", True
        ]  # fmt: skip
