"""A turn gives every result back before the next decision, and ends within its limits."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from motet.edits import Decision, Proposal
from motet.errors import ModelError, ModelErrorKind, PermissionDenied
from motet.messages import Message, MessageStack, Role, ToolCall
from motet.models.protocol import Destination, Limits, Price, Usage
from motet.models.scripted import Answer, ScriptedModel, call
from motet.permissions import Effect, Gate, GrantStore, RuleSet
from motet.tools import EditDesk, Tool, Toolbox, ToolInput, ToolOutput, ToolSpec
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.turn import (
    AnswerStarted,
    CostLimit,
    InMemory,
    Limit,
    RepeatLimit,
    RoundLimit,
    Spending,
    TokenLimit,
    ToolFinished,
    TurnEnded,
    run_turn,
)
from motet.turn.run import estimate_request
from motet.workspace import MemoryWorkspace

BLOCK = "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n"
WRONG = "<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE\n"


class Accept:
    async def review(self, proposals: list[Proposal]) -> list[Proposal]:
        return [proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals]


class Turn:
    """One turn on a workspace in memory that holds `a.py`."""

    def __init__(self, state: Path, model: ScriptedModel, *limits: Limit) -> None:
        self.workspace = MemoryWorkspace({"a.py": "a = 1\n"})
        self.stack = MessageStack(Message.system("s", "t"), Message.user("fix it"))
        self.spending = Spending(model.price)
        self._edits = ReplaceInFile(EditDesk(self.workspace, Accept()))
        self._toolbox = Toolbox([self._edits])
        self._gate = Gate(Path("/p"), RuleSet(), GrantStore(state))
        self._model, self._limits = model, limits
        self.events: list[object] = []

    def hand_over(self, tool: Tool) -> None:
        self._toolbox = Toolbox([self._edits, tool])

    async def run(self) -> str:
        async for event in run_turn(
            self._model,
            InMemory(self.stack),
            self._toolbox,
            self._gate,
            self._limits,
            self.spending,
            sends="the file",
        ):
            self.events.append(event)
        last = self.events[-1]
        assert isinstance(last, TurnEnded)
        return last.limit


def edit(diff: str = BLOCK) -> Answer:
    return Answer(text="I do it.", calls=(call("replace_in_file", {"path": "a.py", "diff": diff}),))


@pytest.mark.acceptance("S3-038", "S0-104")
async def test_results_of_one_answer_are_in_the_next_request(tmp_path: Path) -> None:
    model = ScriptedModel([edit(WRONG), edit(), Answer(text="Done.")])
    turn = Turn(tmp_path, model)
    assert await turn.run() == ""
    assert turn.workspace.files == {"a.py": b"a = 2\n"}
    second = model.requests[1].messages[-1]
    assert second.role is Role.TOOL
    assert second.text.startswith("a.py: refused (not_found)")
    assert [type(event) for event in turn.events if isinstance(event, AnswerStarted | ToolFinished | TurnEnded)] == [
        AnswerStarted, ToolFinished, AnswerStarted, ToolFinished, AnswerStarted, TurnEnded,
    ]  # fmt: skip


@pytest.mark.acceptance("SP-05", "S1-018")
async def test_a_model_without_tools_edits_by_text_and_is_told_by_text(tmp_path: Path) -> None:
    model = ScriptedModel(
        [Answer(text=f"I change it.\n\na.py\n{BLOCK}"), Answer(text="Done.")],
        limits=Limits(50_000, 4_000, tools=False),
    )
    turn = Turn(tmp_path, model)
    assert await turn.run() == ""
    assert turn.workspace.files == {"a.py": b"a = 2\n"}
    assert model.requests[0].tools == ()
    assert model.requests[1].messages[-1].role is Role.USER
    assert model.requests[1].messages[-1].text == "What became of your edits:\na.py: applied 1 of 1 hunk"


async def test_a_broken_block_in_text_goes_back_to_the_model(tmp_path: Path) -> None:
    broken = Answer(text="a.py\n<<<<<<< SEARCH\na = 1\n")
    model = ScriptedModel([broken, Answer(text="Sorry.")], limits=Limits(50_000, 4_000, tools=False))
    turn = Turn(tmp_path, model)
    assert await turn.run() == ""
    assert "refused (bad_format): line 2: the block has no ======= marker" in model.requests[1].messages[-1].text


@pytest.mark.parametrize(
    ("limit", "reached"),
    [
        (RoundLimit(2), "2 answers in one turn"),
        (RepeatLimit(), "the model repeated the same replace_in_file call 3 times"),
    ],
)
async def test_a_model_that_repeats_the_same_wrong_edit_is_stopped(
    tmp_path: Path, limit: Limit, reached: str
) -> None:
    turn = Turn(tmp_path, ScriptedModel([edit(WRONG)], repeat=True), limit)
    assert await turn.run() == reached
    assert turn.workspace.files == {"a.py": b"a = 1\n"}


async def test_no_request_goes_out_that_would_break_the_token_budget(tmp_path: Path) -> None:
    model = ScriptedModel([Answer(text="hello")])
    turn = Turn(tmp_path, model, TokenLimit(10))
    limit = await turn.run()
    assert limit.startswith("budget of 10 tokens (used 0, the next request needs about ")
    assert model.requests == []


async def test_a_turn_ends_before_it_grows_out_of_the_models_window(tmp_path: Path) -> None:
    limits = Limits(2_000, 900)
    model = ScriptedModel([edit(WRONG), edit(f"{WRONG}{'x' * 1_000}")], repeat=True, limits=limits)
    turn = Turn(tmp_path, model)
    assert await turn.run() == "the model's window of 2,000 tokens is full"
    needed = [(estimate_request(request), request.max_output_tokens or 0) for request in model.requests]
    assert needed[0][1] == 900
    assert needed[-1][1] == 2_000 - needed[-1][0] < 900
    assert all(tokens + room <= 2_000 for tokens, room in needed)


async def test_spending_adds_up_over_requests_and_ends_at_the_budget(tmp_path: Path) -> None:
    answers = [Answer(calls=edit(WRONG).calls, usage=Usage(1_000_000, 0))] * 3
    model = ScriptedModel(answers, price=Price(1.0, 2.0))
    turn = Turn(tmp_path, model, CostLimit(1.5))
    assert (await turn.run()).startswith("budget of $1.50 (used $2.00)")
    assert (turn.spending.usage.input, turn.spending.requests, turn.spending.cost) == (2_000_000, 2, 2.0)


@pytest.mark.acceptance("CL-08")
async def test_nothing_is_sent_to_a_provider_without_a_yes(tmp_path: Path) -> None:
    model = ScriptedModel([Answer(text="hi")], destination=Destination("anthropic", "api.anthropic.com"))
    with pytest.raises(PermissionDenied):
        await Turn(tmp_path, model).run()
    assert model.requests == []


async def test_after_a_failure_of_the_model_the_stack_is_as_it_was(tmp_path: Path) -> None:
    model = ScriptedModel([edit(), ModelError("scripted: overloaded", ModelErrorKind.OVERLOADED)])
    turn = Turn(tmp_path, model)
    with pytest.raises(ModelError):
        await turn.run()
    assert [message.role for message in turn.stack] == ["system", "user", "assistant", "tool"]


class Endless:
    """Tells that it runs, and never ends."""

    class Input(BaseModel):
        pass

    spec = ToolSpec("wait", "Wait.", Input, frozenset({Effect.RUN}))

    def __init__(self) -> None:
        self.runs = asyncio.Event()

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        self.runs.set()
        await asyncio.Event().wait()
        return []


@pytest.mark.acceptance("S0-058")
async def test_a_turn_that_is_cancelled_while_tools_run_leaves_a_result_for_every_call(tmp_path: Path) -> None:
    calls = (
        call("replace_in_file", {"path": "a.py", "diff": BLOCK}),
        ToolCall("one", "wait", "{}"),
        ToolCall("two", "wait", "{}"),
    )
    turn = Turn(tmp_path, ScriptedModel([Answer(text="Now.", calls=calls)]))
    endless = Endless()
    turn.hand_over(endless)
    running = asyncio.create_task(turn.run())
    await asyncio.wait_for(endless.runs.wait(), 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert turn.stack.open_calls == {}
    assert [message.text for message in turn.stack if message.role is Role.TOOL] == [
        "a.py: applied 1 of 1 hunk",
        "wait: no result, it was stopped",
        "wait: no result, it was stopped",
    ]
