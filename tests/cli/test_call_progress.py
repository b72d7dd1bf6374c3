"""What is said about a tool call while it streams, for every format, and what that costs."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

import pytest
from cli.kit import block

from motet.cli.call_progress import CallProgress
from motet.models.protocol import ToolCallDelta


def said(tool: str, arguments: str, *, chars: int = 1) -> list[str]:
    """What is said as the arguments come in pieces, each text once."""
    progress = CallProgress()
    texts = [progress.hear(ToolCallDelta(0, "", "call_1", tool))]
    for at in range(0, len(arguments), chars):
        text = progress.hear(ToolCallDelta(0, arguments[at : at + chars]))
        if text != texts[-1]:
            texts.append(text)
    return texts


@pytest.mark.acceptance("S1-015", "SP-04")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("replace_in_file", {"path": 'a "b".py', "diff": block("one\n", "two\n")}),
        ("edit_file", {"path": 'a "b".py', "edits": [{"old": "one\n", "new": "two\n"}]}),
        ("write_file", {"path": 'a "b".py', "content": "one\ntwo\n"}),
    ],
)
def test_the_file_and_the_lines_so_far_are_known_with_the_first_line(
    tool: str, arguments: Mapping[str, object]
) -> None:
    assert said(tool, json.dumps(arguments)) == [
        "writes an edit",
        'writes an edit to a "b".py: 1 line',
        'writes an edit to a "b".py: 2 lines',
    ]


def test_several_calls_are_told_apart_and_another_answer_begins_anew() -> None:
    progress = CallProgress()
    one, two = (json.dumps({"path": name, "content": "x\n"}) for name in ("a.py", "b.py"))
    progress.hear(ToolCallDelta(0, one[:-4], "call_1", "write_file"))
    assert progress.hear(ToolCallDelta(1, two, "call_2", "write_file")) == "writes an edit to b.py: 1 line"
    assert progress.hear(ToolCallDelta(0, one[-4:])) == "writes an edit to a.py: 1 line"
    progress.clear()
    assert progress.hear(ToolCallDelta(0, "", "call_3", "write_file")) == "writes an edit"


def test_a_call_that_cannot_be_understood_is_left_to_its_tool() -> None:
    assert said("replace_in_file", '{"path": "a.py", "diff": nonsense}') == ["writes an edit"]
    broken = json.dumps({"path": "a.py", "diff": block("one\n", "two\n") + ">>>>>>> REPLACE\n"})
    assert said("replace_in_file", broken)[-1] == "writes an edit to a.py: 2 lines"


def test_a_call_of_another_tool_is_named() -> None:
    assert said("search", '{"path": "a.py"}') == ["calls search"]
    assert said("", "{}") == ["calls a tool"]


def test_twice_the_call_costs_about_twice_the_time() -> None:
    def cost(lines: int) -> float:
        arguments = json.dumps({"path": "a.py", "diff": block("x\n", "a line of new text\n" * lines)})
        started = time.process_time()
        assert said("replace_in_file", arguments, chars=4)[-1] == f"writes an edit to a.py: {lines + 1} lines"
        return time.process_time() - started

    once, twice = (min(cost(lines) for _ in range(3)) for lines in (10_000, 20_000))
    assert twice <= 2.6 * once
