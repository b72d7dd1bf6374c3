"""`ask_user`: questions that only the human can answer."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from motet.prompts import prompt
from motet.tools.kit import Kit, Question
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec

_NOBODY = (
    "nobody is there to answer. Decide yourself where any choice can be undone, and say in your answer what you chose "
    "and why; where it cannot, stop and say what you need to know"
)


class QuestionInput(BaseModel):
    """One question."""

    question: str = Field(min_length=1, max_length=2_000, description="one question, which can be answered by itself")
    options: list[str] = Field(
        default_factory=list[str],
        max_length=8,
        description="answers to choose from, the one that you would take first; none: the human writes the answer",
    )
    many: bool = Field(False, description="whether several options may be chosen")


class AskUserInput(BaseModel):
    """Arguments of one call."""

    questions: list[QuestionInput] = Field(min_length=1, max_length=4, description="one to four questions")


class AskUser(OneByOne):
    """The tool."""

    spec = ToolSpec("ask_user", prompt("ask_user"), AskUserInput, frozenset())

    def __init__(self, kit: Kit) -> None:
        self._human = kit.human

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, AskUserInput)
        questions = [Question(each.question, tuple(each.options), each.many) for each in value.questions]
        answers = await self._human.answer(questions)
        if answers is None:
            return ToolOutput(_NOBODY, is_error=True)
        return ToolOutput(_told(questions, answers))


def _told(questions: Sequence[Question], answers: Sequence[str]) -> str:
    if len(questions) == 1:
        return answers[0].strip() or "(no answer)"
    pairs = zip(questions, answers, strict=True)
    return "\n\n".join(f"{question.text}\n{answer.strip() or '(no answer)'}" for question, answer in pairs)
