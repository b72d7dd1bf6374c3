"""Every call gets exactly one result, and nothing runs that was not handed over."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from motet.edits import Decision, Proposal
from motet.messages import ToolCall
from motet.permissions import Effect
from motet.tools import EditDesk, Toolbox, ToolInput, ToolOutput, ToolSpec
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.tools.toolbox import MAX_OUTPUT_CHARACTERS
from motet.workspace import MemoryWorkspace


class Accept:
    """Takes every hunk, and remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[Proposal] = []

    async def review(self, proposals: list[Proposal]) -> list[Proposal]:
        self.seen += proposals
        return [proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals]


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def call(path: str, *blocks: tuple[str, str], id: str = "1") -> ToolCall:
    diff = "".join(block(*pair) for pair in blocks)
    return ToolCall(id, "replace_in_file", json.dumps({"path": path, "diff": diff}))


def box(files: dict[str, bytes | str]) -> tuple[Toolbox, MemoryWorkspace, Accept]:
    workspace, reviewer = MemoryWorkspace(files), Accept()
    return Toolbox([ReplaceInFile(EditDesk(workspace, reviewer))]), workspace, reviewer


@pytest.mark.acceptance("S3-015", "S3-016", "S3-017", "S3-023")
async def test_blocks_are_applied_to_the_named_file() -> None:
    toolbox, workspace, _ = box({"src/a.py": "a = 1\nb = 2\n"})
    outputs = await toolbox.run([call("src/a.py", ("a = 1", "a = 10"), ("b = 2", "b = 20"))])
    assert workspace.files == {"src/a.py": b"a = 10\nb = 20\n"}
    assert [(output.text, output.is_error) for output in outputs] == [("src/a.py: applied 2 of 2 hunks", False)]


@pytest.mark.acceptance("CC-08", "S0-108")
async def test_a_tool_that_was_not_handed_over_is_not_run_and_the_names_that_exist_are_told() -> None:
    toolbox, workspace, _ = box({})
    outputs = await toolbox.run([ToolCall("1", "run_command", '{"argv": ["rm"]}')])
    assert outputs[0].text == "there is no tool 'run_command' here; the tools are: replace_in_file"
    assert outputs[0].is_error
    assert workspace.files == {}


class Echo:
    """Says what it was given."""

    class Input(BaseModel):
        text: str

    spec = ToolSpec("echo", "Say it again.", Input, frozenset())

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        assert calls, "a tool without calls is not run"
        return [ToolOutput(call.value.text) for call in calls if isinstance(call.value, Echo.Input)]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("{", "echo: the arguments do not fit: Invalid JSON: EOF while parsing an object at line 1 column 1; nothing was done"),
        ('{"path": "a.py"}', "echo: the arguments do not fit: text: Field required; nothing was done"),
        ("[]", "echo: the arguments do not fit: Input should be an object; nothing was done"),
    ],
)  # fmt: skip
async def test_arguments_that_do_not_fit_are_told_and_nothing_is_done(arguments: str, text: str) -> None:
    outputs = await Toolbox([Echo()]).run([ToolCall("1", "echo", arguments)])
    assert outputs == [ToolOutput(text, is_error=True)]


async def test_each_call_gets_its_own_output_whatever_became_of_the_others() -> None:
    workspace = MemoryWorkspace({"a.py": "a = 1\n"})
    both = Toolbox([ReplaceInFile(EditDesk(workspace, Accept())), Echo()])
    calls = [
        ToolCall("1", "echo", '{"text": "one"}'),
        call("a.py", ("a = 1", "a = 2"), id="1"),
        ToolCall("1", "echo", "{}"),
        ToolCall("1", "echo", '{"text": "two"}'),
    ]
    outputs = await both.run(calls)
    assert [(output.text[:21], output.is_error) for output in outputs] == [
        ("one", False), ("a.py: applied 1 of 1 ", False), ("echo: the arguments d", True), ("two", False),
    ]  # fmt: skip
    assert workspace.files == {"a.py": b"a = 2\n"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("{", "replace_in_file: refused (bad_format): line 1: the JSON ends before its object does"),
        ('{"path": "a.py"}', "replace_in_file: refused (bad_format): line 1: the call: 'diff' is missing"),
        ('{"path": "./a.py", "diff": "a"}', "a.py: refused (bad_format): the diff holds no SEARCH/REPLACE block"),
    ],
)
@pytest.mark.acceptance("S1-002")
async def test_an_edit_that_cannot_be_understood_is_told_and_nothing_is_done(arguments: str, text: str) -> None:
    toolbox, workspace, reviewer = box({"a.py": "a\n"})
    outputs = await toolbox.run([ToolCall("1", "replace_in_file", arguments)])
    assert outputs[0].text.startswith(text)
    assert (outputs[0].is_error, reviewer.seen, workspace.files) == (True, [], {"a.py": b"a\n"})


async def test_calls_of_one_answer_to_one_file_are_planned_together() -> None:
    toolbox, workspace, reviewer = box({"a.py": "a = 1\nb = 2\nc = 3\n"})
    calls = [call("a.py", ("c = 3", "c = 30"), id="1"), call("./a.py", ("a = 1\nb = 2", "b = 2"), id="2")]
    outputs = await toolbox.run(calls)
    assert workspace.files == {"a.py": b"b = 2\nc = 30\n"}
    assert len(reviewer.seen) == 1
    assert [output.is_error for output in outputs] == [False, False]


async def test_an_absolute_path_inside_the_workspace_is_the_same_file() -> None:
    toolbox, workspace, _ = box({"a.py": "a = 1\n"})
    await toolbox.run([call("/workspace/a.py", ("a = 1", "a = 2"))])
    assert workspace.files == {"a.py": b"a = 2\n"}


@pytest.mark.acceptance("CL-03", "S3-024")
async def test_a_refused_edit_leaves_its_file_and_lets_the_other_file_through() -> None:
    toolbox, workspace, _ = box({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    good, bad = await toolbox.run([call("a.py", ("a = 1", "a = 2"), id="1"), call("b.py", ("nope", "x"), id="2")])
    assert workspace.files == {"a.py": b"a = 2\n", "b.py": b"b = 1\n"}
    assert (good.is_error, bad.is_error) == (False, True)
    assert bad.text.splitlines()[0] == "b.py: refused (not_found): the search text does not stand in the file"


async def test_a_broken_block_is_told_and_the_other_calls_go_on() -> None:
    toolbox, workspace, _ = box({"a.py": "a = 1\n"})
    broken = ToolCall("2", "replace_in_file", json.dumps({"path": "a.py", "diff": "<<<<<<< SEARCH\na"}))
    good, bad = await toolbox.run([call("a.py", ("a = 1", "a = 2")), broken])
    assert not good.is_error
    assert bad.text == "a.py: refused (bad_format): line 1: the block has no ======= marker"
    assert workspace.files == {"a.py": b"a = 2\n"}


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a/../../b.py", ""])
async def test_a_path_that_leaves_the_workspace_is_refused(path: str) -> None:
    toolbox, workspace, reviewer = box({"a.py": "a\n"})
    outputs = await toolbox.run([call(path, ("a", "b"))])
    assert outputs[0].is_error
    assert reviewer.seen == []
    assert workspace.files == {"a.py": b"a\n"}


async def test_a_binary_file_is_refused() -> None:
    toolbox, _, _ = box({"a.bin": b"\x00\x01"})
    outputs = await toolbox.run([call("a.bin", ("a", "b"))])
    assert outputs[0].text == "a.bin: refused (binary): a.bin: binary file\nadvice: leave this file alone"


async def test_a_file_that_changed_during_the_review_is_not_overwritten() -> None:
    workspace = MemoryWorkspace({"a.py": "a = 1\n"})

    class Meddler(Accept):
        async def review(self, proposals: list[Proposal]) -> list[Proposal]:
            workspace.files["a.py"] = b"a = 1  # by hand\n"
            return await super().review(proposals)

    outputs = await Toolbox([ReplaceInFile(EditDesk(workspace, Meddler()))]).run([call("a.py", ("a = 1", "a = 2"))])
    assert outputs[0].is_error
    assert workspace.files == {"a.py": b"a = 1  # by hand\n"}


async def test_a_long_output_is_cut_in_the_middle_and_says_so() -> None:
    toolbox, _, _ = box({"a.py": "x\n"})
    outputs = await toolbox.run([call("a.py", *((f"not there {number}", "y") for number in range(300)))])
    assert len(outputs[0].text) < MAX_OUTPUT_CHARACTERS + 50
    assert "characters left out]" in outputs[0].text


class Slow:
    """Waits for `gate`, and remembers what ran when."""

    class Input(BaseModel):
        name: str

    def __init__(self, name: str, effects: frozenset[Effect], log: list[str], gate: asyncio.Event) -> None:
        self.spec = ToolSpec(name, "Wait.", Slow.Input, effects)
        self._log, self._gate = log, gate

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        names = [call.value.name for call in calls if isinstance(call.value, Slow.Input)]
        self._log += [f"{name} begins" for name in names]
        if "last" in names:
            self._gate.set()
        await self._gate.wait()
        self._log += [f"{name} ends" for name in names]
        return [ToolOutput(name) for name in names]


def waits(tool: str, name: str) -> ToolCall:
    return ToolCall(name, tool, json.dumps({"name": name}))


async def test_calls_that_only_read_run_together_and_their_results_keep_their_order() -> None:
    log: list[str] = []
    gate = asyncio.Event()
    both = Toolbox([Slow("look", frozenset({Effect.READ}), log, gate), Slow("see", frozenset(), log, gate)])
    outputs = await both.run([waits("look", "first"), waits("see", "last"), waits("look", "again")])
    assert [output.text for output in outputs] == ["first", "last", "again"]
    assert log[:2] == ["first begins", "last begins"]


async def test_a_call_that_changes_something_waits_for_the_one_before() -> None:
    log: list[str] = []
    gate = asyncio.Event()
    gate.set()
    tools = [Slow("look", frozenset({Effect.READ}), log, gate), Slow("do", frozenset({Effect.RUN}), log, gate)]
    calls = [waits("do", "a"), waits("look", "b"), waits("do", "c"), waits("do", "d")]
    assert [output.text for output in await Toolbox(tools).run(calls)] == ["a", "b", "c", "d"]
    assert log == [
        "a begins", "a ends", "b begins", "b ends", "c begins", "d begins", "c ends", "d ends",
    ]  # fmt: skip


async def test_a_tool_that_takes_too_long_is_stopped_and_says_so() -> None:
    slow = Slow("do", frozenset({Effect.READ}), [], asyncio.Event())
    outputs = await Toolbox([slow], timeout=0.01).run([waits("do", "a")])
    assert outputs == [ToolOutput("do: stopped after 0.01 seconds without an end", is_error=True)]


async def test_of_a_long_output_the_whole_is_kept_in_a_private_file(tmp_path: Path) -> None:
    text = "a" * MAX_OUTPUT_CHARACTERS + "b" * 1_000
    [output] = await Toolbox([Echo()], outputs=tmp_path / "kept").run(
        [ToolCall("1", "echo", json.dumps({"text": text}))]
    )
    [path] = (tmp_path / "kept").iterdir()
    half = MAX_OUTPUT_CHARACTERS // 2
    assert output.text == f"{text[:half]}\n[1000 characters left out; the whole is in {path}]\n{text[-half:]}"
    assert (path.read_text(), path.stat().st_mode & 0o777) == (text, 0o600)
