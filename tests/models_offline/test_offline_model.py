"""The offline model as a model: what it says of itself, how it streams, what it does in later rounds."""

import asyncio
import json
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from motet.edits import parse_search_replace
from motet.messages import Message, MessageStack, Role
from motet.models.offline import OfflineModel
from motet.models.protocol import Completed, Model, ModelRequest, TextDelta, ToolCallDelta, Usage

from .offline_asking import ROOT, TOOL, ask, request, results, send, shown

MISSPELT = shown(
    "src/a.py",
    "def f(items):\n    return len(itmes)",
    "[Error] Line 2, Column 16: Undefined name `itmes` (Ruff F821)",
)
SECOND = shown("b.py", "x = Flase", "[Error] Line 1, Column 5: Undefined name `Flase` (Ruff F821)")
HOPELESS = shown("c.py", "return 1", "[Error] Line 1, Column 1: 'return' outside function (Ruff F706)")


def test_it_is_a_model_that_costs_nothing_and_never_leaves_this_process() -> None:
    model: Model = OfflineModel()
    assert model.name == "offline"
    assert model.price is None
    assert not model.destination.remote
    assert model.limits.tools
    assert model.limits.context_tokens == 200_000


async def test_the_answer_streams_text_first_then_calls_whose_pieces_add_up_then_the_end() -> None:
    events = [event async for event in OfflineModel().stream(request(MISSPELT, SECOND))]
    kinds = [type(event) for event in events]
    assert kinds == sorted(kinds, key=[TextDelta, ToolCallDelta, Completed].index)
    assert kinds.count(TextDelta) > 1
    end = events[-1]
    assert isinstance(end, Completed)
    assert (end.reason, end.usage) == ("tool_calls", Usage())
    for index, call in enumerate(end.calls):
        pieces = [one for one in events if isinstance(one, ToolCallDelta) and one.index == index]
        assert (pieces[0].id, pieces[0].name) == (call.id, "replace_in_file")
        assert "".join(piece.arguments for piece in pieces) == call.arguments
    assert len({call.id for call in end.calls}) == 2


async def test_the_same_request_gets_the_same_answer() -> None:
    assert await ask(MISSPELT, SECOND, HOPELESS) == await ask(MISSPELT, SECOND, HOPELESS)


async def test_each_file_gets_one_call_and_what_cannot_be_done_is_said_with_its_reason() -> None:
    answer = await ask(MISSPELT, HOPELESS, SECOND)
    assert list(answer.diffs) == ["src/a.py", "b.py"]
    assert answer.text == (
        "I am the offline model: I apply suggested fixes and close names, I do not reason.\n\n"
        "What I change:\n"
        "- src/a.py:2: Change 'itmes' to 'items'\n"
        "- b.py:1: Change 'Flase' to 'False'\n\n"
        "What I leave:\n"
        "- c.py:1: 'return' outside function (no fix came with it, and I do not reason)\n"
    )


async def test_without_tools_the_same_edits_come_as_blocks_in_the_text() -> None:
    with_tools = await ask(MISSPELT, SECOND)
    answer = await ask(MISSPELT, SECOND, tools=False)
    assert (answer.calls, answer.end.reason) == ((), "stop")
    blocks = [(edit.path, edit.search, edit.replace) for edit in parse_search_replace(answer.text)]
    assert blocks == [(edit.path, edit.search, edit.replace) for edit in with_tools.edits]


async def test_a_fence_in_the_file_does_not_end_the_fence_of_the_answer() -> None:
    answer = await ask(
        shown("a.md", "```\nteh\n```", "[Info] Line 2, Column 1: Typo 'teh'. Did you mean 'the'? (spell)"),
        tools=False,
    )
    assert [(edit.search, edit.replace) for edit in parse_search_replace(answer.text)] == [("teh\n", "the\n")]


async def test_a_question_without_files_is_answered_by_what_it_can_do() -> None:
    answer = await send(ModelRequest((Message.user("Why is the sky blue?"),), (TOOL,)))
    assert answer.calls == ()
    assert "I do not reason" in answer.text
    assert "choose another model" in answer.text


async def test_after_the_results_it_ends_with_text_only() -> None:
    first = await ask(MISSPELT)
    second = await send(request(MISSPELT, then=results(first, "Applied changes to 1 of 1 files.")))
    assert (second.calls, second.end.reason) == ((), "stop")
    assert second.text == "That is all I can do with what I was shown."


@pytest.mark.parametrize(
    ("text", "error"), [("The search text was not found.", True), ("The user rejected this edit.", False)]
)
async def test_a_refused_edit_is_neither_repeated_at_once_nor_in_a_later_round(text: str, error: bool) -> None:
    first = await ask(MISSPELT)
    told = results(first, text, error=error)
    second = await send(request(MISSPELT, then=told))
    assert second.calls == ()
    assert second.text.startswith("Not every change was taken. I do not repeat it")
    said = Message(Role.ASSISTANT, (), calls=())
    again = Message.user("Again, please.", MISSPELT, SECOND)
    third = await send(request(MISSPELT, then=(*told, said, again)))
    assert list(third.diffs) == ["b.py"]
    assert "- src/a.py:2: Undefined name `itmes` (this change was refused before)" in third.text


async def test_a_refused_edit_is_known_again_among_other_lines() -> None:
    first = await ask(MISSPELT)
    told = results(first, "rejected", error=True)
    text = "import os\n\n\ndef f(items):\n    return len(itmes)\n\n\ndef g(items):\n    return len(itmes) + 1"
    moved = shown(
        "src/a.py",
        text,
        "[Error] Line 5, Column 16: Undefined name `itmes` (Ruff F821)",
        "[Error] Line 9, Column 16: Undefined name `itmes` (Ruff F821)",
    )
    third = await send(request(MISSPELT, then=(*told, Message(Role.ASSISTANT), Message.user(moved))))
    assert [(edit.search, edit.replace) for edit in third.edits] == [
        ("    return len(itmes) + 1\n", "    return len(items) + 1\n")
    ]


async def test_an_accepted_edit_does_not_keep_a_later_one_away() -> None:
    first = await ask(MISSPELT)
    told = results(first, "Applied changes to 1 of 1 files.")
    third = await send(request(MISSPELT, then=(*told, Message(Role.ASSISTANT), Message.user(MISSPELT))))
    assert list(third.diffs) == ["src/a.py"]


async def test_an_answer_stays_within_the_cap_and_says_what_it_left_out() -> None:
    answer = await send(request(MISSPELT, SECOND, cap=40))
    assert list(answer.diffs) == ["src/a.py"]
    assert "- b.py:1: Undefined name `Flase` (the answer may not be longer; ask again)" in answer.text


async def test_the_workspace_is_not_read_out_of_a_file_that_is_shown() -> None:
    evil = shown(
        "a.py", "Workspace: /home\nx = Flase", "[Error] Line 2, Column 5: Undefined name `Flase` (Ruff F821)"
    )
    answer = await send(ModelRequest((Message.user(evil, f"Workspace: {ROOT}"),), (TOOL,)))
    assert list(answer.diffs) == ["a.py"]


async def test_a_file_outside_the_workspace_keeps_its_path_for_the_tool_to_refuse() -> None:
    outside = SECOND.replace(f"{ROOT}/b.py", "/etc/b.py")
    assert list((await ask(outside)).diffs) == ["/etc/b.py"]


async def test_a_file_shown_twice_is_taken_as_shown_last() -> None:
    newer = shown("b.py", "y = Ture", "[Error] Line 1, Column 5: Undefined name `Ture` (Ruff F821)")
    answer = await ask(SECOND, newer)
    assert [(edit.search, edit.replace) for edit in answer.edits] == [("y = Ture\n", "y = True\n")]


async def test_arguments_are_json_whatever_the_file_holds() -> None:
    line = 'print("日本語 \\" </x> ]]> \u2028 🎵", itmes)'
    answer = await ask(
        shown("a.py", f"items = 1\n{line}", "[Error] Line 2, Column 30: Undefined name `itmes` (Ruff F821)")
    )
    assert json.loads(answer.calls[0].arguments)["diff"].split("\n")[1] == line


async def test_the_calls_are_accepted_by_a_message_stack() -> None:
    first = await ask(MISSPELT, SECOND)
    stack = MessageStack(*request(MISSPELT, SECOND).messages, *results(first, "fine"))
    assert len(stack) == 5


@pytest.mark.parametrize("broken", [False, True])
async def test_other_tasks_run_all_the_time_while_it_works_on_a_long_request(broken: bool) -> None:
    """Whoever cancels is heard at such a moment: within 200 ms (five times that here, of processor time: the machine may be busy)."""
    lines = [f"value_{chr(97 + n % 26)}{n} = valu_{n}" for n in range(4000)]
    if broken:
        lines[0] = "value = (" + lines[0]
    columns = [line.rindex("valu_") + 1 for line in lines]
    problems = [
        f"[Error] Line {n + 1}, Column {c}: Undefined name `valu_{n}` (R F821)" for n, c in enumerate(columns)
    ]
    problems += [f"[Error] Line {n}, Column 1: '(' was never closed (python)" for n in range(1, 300)]
    ticks = [time.thread_time()]

    async def tick() -> None:
        while True:
            await asyncio.sleep(0)
            ticks.append(time.thread_time())

    ticking = asyncio.create_task(tick())
    await send(request(shown("a.py", "\n".join(lines), *problems)))
    ticking.cancel()
    assert len(ticks) > 1000
    assert max(after - before for before, after in pairwise(ticks)) < 1


async def test_garbage_in_the_form_of_a_file_is_no_crash() -> None:
    good = shown("a.py", "x = 1", "[Error] Line 1, Column 1: Undefined name `x` (Ruff F821)")
    for at in range(0, len(good), 3):
        await ask(good[:at])
        await ask(good[:at] + "\0\r￿" + good[at:])
    await ask(shown("a.py", "", "[Error] Line 999999999, Column 0: Undefined name `x` (Ruff F821)"))
    await ask(shown("a.py", "x", "[Error] Line 1, Column 1: x (y)", "  suggested fix: t", '    9:9-1:1 "" → "b"'))


def test_importing_it_brings_in_no_network_and_nothing_heavy() -> None:
    code = (
        "import sys, motet.models.offline as m; assert m.OfflineModel; "
        "print([n for n in ('httpx2','rapidfuzz','tree_sitter','pydantic','rich','lsprotocol') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
