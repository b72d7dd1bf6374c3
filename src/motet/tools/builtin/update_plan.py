"""`update_plan`: the steps of a task, for the human to follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, Field

from motet.errors import UsageError
from motet.prompts import prompt
from motet.tools.kit import Kit, Told
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec


class StepStatus(StrEnum):
    """Where a step stands."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"


_MARKS = {StepStatus.PENDING: "[ ]", StepStatus.ACTIVE: "[>]", StepStatus.DONE: "[x]"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan."""

    text: str
    status: StepStatus


class StepInput(BaseModel):
    """One step."""

    step: str = Field(min_length=1, max_length=500, description="what is done in this step, in one line")
    status: StepStatus = StepStatus.PENDING


class UpdatePlanInput(BaseModel):
    """Arguments of one call."""

    steps: list[StepInput] = Field(max_length=50, description="all steps in order, those that are done included")


class UpdatePlan(OneByOne):
    """The tool. `plan` is the newest plan; every new one is told as `plan`, one line a step."""

    spec = ToolSpec("update_plan", prompt("update_plan"), UpdatePlanInput, frozenset())

    def __init__(self, kit: Kit) -> None:
        self._tell = kit.tell
        self.plan: tuple[Step, ...] = ()

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, UpdatePlanInput)
        steps = tuple(Step(" ".join(each.step.split()), each.status) for each in value.steps)
        if sum(step.status is StepStatus.ACTIVE for step in steps) > 1:
            raise UsageError("the plan has several active steps; work on one at a time. The plan stays as it was")
        self.plan = steps
        text = plan_text(steps)
        self._tell(Told(self.spec.name, "plan", text))
        numbers = Counter(step.status for step in steps)
        counts = ", ".join(f"{numbers[status]} {status}" for status in StepStatus if numbers[status])
        return ToolOutput(f"plan updated: {counts or 'no steps'}", shown=text)


def plan_text(steps: Sequence[Step]) -> str:
    """The plan as text: `[x]` done, `[>]` active, `[ ]` pending."""
    return "\n".join(f"{_MARKS[step.status]} {step.text}" for step in steps)
