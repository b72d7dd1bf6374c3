"""Users' own functions as tools."""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from motet.errors import MotetError, SettingsError, UsageError
from motet.messages import ToolCall
from motet.permissions import Effect
from motet.settings.callback import load
from motet.tools import Toolbox, ToolOutput
from motet.tools.function_tool import FunctionTool, load_tool


async def run(tool: FunctionTool, arguments: object) -> ToolOutput:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    [output] = await Toolbox([tool]).run([ToolCall("1", tool.spec.name, text)])
    return output


def ticket(number: int, state: Literal["open", "closed"] = "open", tags: list[str] | None = None) -> str:
    """Look a ticket up,
    by its number.

    More that no model reads.
    """
    return f"{number} {state} {tags}"


async def test_a_plain_function_becomes_a_tool_with_its_hints_and_docstring() -> None:
    tool = FunctionTool(ticket, effects=[Effect.NET])
    assert (tool.spec.name, tool.spec.description) == ("ticket", "Look a ticket up, by its number.")
    assert tool.spec.effects == {Effect.NET}
    schema = tool.spec.definition.schema
    assert schema["required"] == ["number"]
    assert schema["properties"]["number"] == {"title": "Number", "type": "integer"}
    assert schema["properties"]["state"]["enum"] == ["open", "closed"]
    assert (await run(tool, {"number": 7, "tags": ["a"]})).text == "7 open ['a']"


@pytest.mark.acceptance("S0-109")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "ticket: the arguments do not fit: number: Field required; nothing was done"),
        ({"number": "seven"}, "ticket: the arguments do not fit: number: "),
        ({"number": 1, "state": "lost"}, "ticket: the arguments do not fit: state: "),
        ({"number": 1, "other": 2}, "ticket: the arguments do not fit: other: Extra inputs are not permitted"),
        ("{", "ticket: the arguments do not fit: "),
    ],
)
async def test_arguments_that_do_not_fit_never_reach_the_function(arguments: object, said: str) -> None:
    output = await run(FunctionTool(ticket), arguments)
    assert output.text.startswith(said)
    assert output.is_error


async def test_of_a_function_that_says_nothing_about_its_effects_everything_is_expected() -> None:
    assert FunctionTool(ticket).spec.effects == frozenset(Effect)
    assert not FunctionTool(ticket).spec.only_reads
    assert FunctionTool(ticket, effects=[Effect.READ]).spec.only_reads


async def test_an_async_function_is_awaited() -> None:
    async def slow(text: str) -> str:
        """Waits a moment."""
        await asyncio.sleep(0)
        return text.upper()

    assert (await run(FunctionTool(slow), {"text": "日本 a"})).text == "日本 A"


async def test_a_blocking_function_does_not_hold_the_others_up() -> None:
    import threading

    done = threading.Event()

    def wait() -> str:
        """Waits for somebody else."""
        return "seen" if done.wait(10) else "held up"

    async def go() -> None:
        done.set()

    output, _ = await asyncio.gather(run(FunctionTool(wait), {}), go())
    assert output.text == "seen"


class Point(BaseModel):
    x: int
    y: int = 0


async def test_models_and_described_parameters_are_handed_over_as_values() -> None:
    def move(point: Point, by: Annotated[int, Field(ge=0, description="how far")] = 1) -> dict[str, int]:
        """Move a point."""
        return {"x": point.x + by, "y": point.y}

    tool = FunctionTool(move)
    assert tool.spec.definition.schema["properties"]["by"]["description"] == "how far"
    assert (await run(tool, {"point": {"x": 1}, "by": 2})).text == '{"x": 3, "y": 0}'
    assert (await run(tool, {"point": {"x": 1}, "by": -2})).is_error


@dataclass
class Odd:
    a: int = 1


@pytest.mark.parametrize(
    ("answer", "text"),
    [(None, "done"), ("text", "text"), ("", ""), (3, "3"), ([1, "é"], '[1, "é"]'), (Odd(), '"Odd(a=1)"')],
)
async def test_whatever_comes_back_is_told(answer: object, text: str) -> None:
    def give() -> object:
        """Gives something."""
        return answer

    assert (await run(FunctionTool(give), {})).text == text


async def test_a_whole_output_is_taken_as_it_is() -> None:
    wanted = ToolOutput("no", is_error=True, shown="nothing")

    def give() -> ToolOutput:
        """Gives an output."""
        return wanted

    assert await run(FunctionTool(give), {}) == wanted


@pytest.mark.acceptance("CC-16", "S0-102")
async def test_what_a_function_raises_is_told_with_file_and_line_and_the_next_call_runs(tmp_path: Path) -> None:
    module = tmp_path / "raising_tools.py"
    module.write_text(
        '"""Tools."""\n\n\ndef divide(a: int) -> str:\n    """Divide."""\n    return str(int("1") // a)\n\n\n'
        'def leave() -> None:\n    """Leave."""\n    raise SystemExit(3)\n\n\n'
        'async def parse(text: str) -> object:\n    """Parse."""\n    import json\n\n    return json.loads(text)\n'
    )
    sys.path.insert(0, str(tmp_path))
    try:
        divide = load_tool("raising_tools:divide", "tools.divide.callback")
        leave = load_tool("raising_tools:leave", "tools.leave.callback")
        parse = load_tool("raising_tools:parse", "tools.parse.callback")
    finally:
        sys.path.remove(str(tmp_path))
    calls = [("divide", {"a": 0}), ("leave", {}), ("parse", {"text": "{"}), ("divide", {"a": 1})]
    outputs = await Toolbox([divide, leave, parse]).run(
        [ToolCall(str(at), name, json.dumps(arguments)) for at, (name, arguments) in enumerate(calls)]
    )
    assert [(output.text, output.is_error) for output in outputs] == [
        (f"divide: ZeroDivisionError: integer division or modulo by zero ({module}, line 6)", True),
        (f"leave: SystemExit: 3 ({module}, line 11)", True),
        (
            "parse: JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1) "
            f"({module}, line 18)",
            True,
        ),
        ("1", False),
    ]


async def test_an_error_of_motet_is_told_as_it_is() -> None:
    def refuse() -> None:
        """Refuses."""
        raise MotetError("not today")

    output = await run(FunctionTool(refuse), {})
    assert (output.text, output.is_error) == ("refuse: not today", True)


def starred(*args: int) -> None:
    """Takes many."""


def positional(a: int, /) -> None:
    """Takes one."""


def silent(a: int) -> None:
    pass


def untyped_default(a: object = object()) -> None:
    """Takes anything."""


def unknown_type(a: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Takes what there is not."""


def callback(a: Callable[[], int]) -> None:
    """Takes a function."""


def hidden(_a: int) -> None:
    """Takes a hidden one."""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (starred, "starred: a model cannot fill in *args: int; use parameters that have names"),
        (positional, "positional: a model cannot fill in a: int; use parameters that have names"),
        (silent, "silent: the function says nothing about itself; give it a docstring or a description"),
        (unknown_type, "unknown_type: the type hints of the function cannot be read: name 'Nowhere' is not defined"),
        (callback, "callback: the parameters cannot be described to a model: "),
        (hidden, "hidden: a model cannot fill in _a; give the parameter another name"),
        (lambda: None, "<lambda>: a tool needs a name of letters, digits and _; give it one"),
    ],
)
def test_a_function_that_cannot_be_a_tool_says_why(function: Callable[..., object], said: str) -> None:
    with pytest.raises(UsageError) as error:
        FunctionTool(function)
    assert str(error.value).startswith(said)


def test_parameters_may_have_the_names_of_pydantic_methods() -> None:
    def odd(copy: int, schema: str, model_name: str = "m") -> None:
        """Has odd names."""

    assert set(FunctionTool(odd).spec.definition.schema["properties"]) == {"copy", "schema", "model_name"}


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("json", "tools.x: 'json' names no function; write package.module:function"),
        (":loads", "tools.x: ':loads' names no function; write package.module:function"),
        ("no.such.module:f", "tools.x: no.such.module:f cannot be loaded: ModuleNotFoundError: No module named 'no'"),
        ("json:nothing", "tools.x: json:nothing cannot be loaded: AttributeError: module 'json' has no attribute"),
        ("json:__doc__", "tools.x: json:__doc__ is no function but str"),
    ],
)
def test_a_setting_that_names_no_function_is_named(reference: str, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        load(reference, "tools.x")
    assert str(error.value).startswith(said)


def test_a_module_that_cannot_be_read_is_named_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_tools.py").write_text("def f(:\n")
    (tmp_path / "failing_tools.py").write_text("x = 1\nraise ValueError('no ticket server')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SettingsError) as broken:
        load("broken_tools:f", "tools.f.callback")
    assert f"({tmp_path}/broken_tools.py, line 1)" in str(broken.value)
    with pytest.raises(SettingsError) as failing:
        load("failing_tools:f", "tools.f.callback")
    assert str(failing.value) == (
        "tools.f.callback: failing_tools:f cannot be loaded: ValueError: no ticket server "
        f"({tmp_path}/failing_tools.py, line 2)"
    )


def test_effects_of_a_setting_are_checked() -> None:
    tool = load_tool(f"{__name__}:ticket", "tools.t", name="t", description="T.", effects=["read"])
    assert (tool.spec.name, tool.spec.description, tool.spec.effects) == ("t", "T.", {Effect.READ})
    with pytest.raises(SettingsError, match=r"tools\.t: 'fly' is not a valid Effect; effects are read, write"):
        load_tool(f"{__name__}:ticket", "tools.t", effects=["fly"])
