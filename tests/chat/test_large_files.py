"""A small change in a large file costs what the change costs, not what the file does."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat.chat_kit import talking

from motet.chat import End, Ended
from motet.models.scripted import Answer, call

LINES = 20_000


@pytest.mark.acceptance("S1-004")
async def test_a_line_of_a_large_file_is_read_and_changed_without_the_rest(tmp_path: Path, dialect: str) -> None:
    diff = "<<<<<<< SEARCH\nvalue_10000 = 10000\n=======\nvalue_10000 = 0\n>>>>>>> REPLACE\n"
    script = [
        Answer(calls=(call("read_file", {"path": "big.py", "first_line": 9_990, "last_line": 10_010}),)),
        Answer(calls=(call("replace_in_file", {"path": "big.py", "diff": diff}),)),
        Answer(text="Done."),
    ]
    text = "".join(f"value_{number} = {number}\n" for number in range(1, LINES + 1))
    async with talking(tmp_path, script, dialect, tools=["editor"]) as talk:
        (talk.root / "big.py").write_text(text)
        assert await talk.say("set value_10000 in big.py to 0") == Ended(End.DONE)
        changed = text.replace("value_10000 = 10000\n", "value_10000 = 0\n")
        assert (talk.root / "big.py").read_text() == changed
        (edit,) = [each for message in talk.chat.messages for each in message.calls if each.name == "replace_in_file"]
        (report,) = [
            message for message in talk.chat.messages if message.result and message.result.call_id == edit.id
        ]
        assert len(edit.arguments) + len(report.text) < 1_000 < len(text) // 100
        whole = "".join(request.text for request in talk.server.requests)
        assert sum(f"value_{number} =" in whole for number in range(1, LINES + 1)) == 21
        assert len(talk.server.requests) == 3
