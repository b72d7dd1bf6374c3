"""The loops are small and stand on protocols alone, and the parts of motet make another agent in a screenful."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

import pytest

import motet
from motet.messages import Message, MessageStack
from motet.models.scripted import Answer, ScriptedModel, call
from motet.permissions import Gate, GrantStore, RuleSet
from motet.tools import AcceptAll, EditDesk, Toolbox
from motet.tools.builtin.replace_in_file import ReplaceInFile
from motet.turn import InMemory, RoundLimit, Spending, ToolFinished, TurnEnded, run_turn
from motet.workspace import MemoryWorkspace

SOURCE = Path(motet.__file__).parent
_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def code_lines(path: Path) -> int:
    """Lines that hold code: no imports, docstrings, comments or blanks."""
    text = path.read_text("utf-8")
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return len({token.start[0] for token in tokens if token.type not in _NO_CODE} - left_out)


def imported(path: Path) -> set[str]:
    """Top names that a module imports, and the rooms of motet."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(".".join(node.module.split(".")[:2]))
        elif isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
    return names


@pytest.mark.acceptance("S3-002")
def test_the_loops_are_a_few_hundred_lines_and_reach_the_world_through_protocols_alone() -> None:
    assert code_lines(SOURCE / "turn" / "run.py") < 150
    assert code_lines(SOURCE / "fix" / "loop.py") < 300
    for room in ("turn", "fix"):
        for path in (SOURCE / room).glob("*.py"):
            foreign = {name.partition(".")[0] for name in imported(path)} - {"motet"}
            assert foreign <= sys.stdlib_module_names, path
            assert foreign & {"os", "subprocess", "socket", "ssl", "sqlite3", "shutil", "tempfile"} == set(), path
            assert (
                imported(path) & {"motet.process", "motet.cli", "motet.nvim", "motet.engine", "motet.web"} == set()
            ), path


async def own_agent(model: ScriptedModel, task: str, files: MemoryWorkspace, project: Path) -> list[str]:
    """Another coding agent, out of motet's parts: no settings, no front end, no history, no disk."""
    gate = Gate(project, RuleSet(), GrantStore(project / "grants"))
    desk = EditDesk(files, AcceptAll())
    conversation = InMemory(MessageStack(Message.user(task)))
    turn = run_turn(
        model, conversation, Toolbox([ReplaceInFile(desk)]), gate, [RoundLimit(5)], Spending(), sends="your code"
    )
    told: list[str] = []
    async for event in turn:
        match event:
            case ToolFinished(output=output):
                told.append(output.text)
            case TurnEnded(limit):
                told.append(limit or "done")
            case _:
                pass
    return told


@pytest.mark.acceptance("S3-003")
async def test_an_agent_of_ones_own_is_built_from_the_core(tmp_path: Path) -> None:
    files = MemoryWorkspace({"a.py": "one = 1\n"})
    diff = "<<<<<<< SEARCH\none = 1\n=======\none = 2\n>>>>>>> REPLACE\n"
    script = [Answer(calls=(call("replace_in_file", {"path": "a.py", "diff": diff}),)), Answer(text="Done.")]
    assert await own_agent(ScriptedModel(script), "make it two", files, tmp_path) == [
        "a.py: applied 1 of 1 hunk",
        "done",
    ]
    assert (await files.read("a.py")).text == "one = 2\n"
    assert not list(tmp_path.iterdir())


BOARD = SOURCE / "board"
ENGINES = {"sqlite": {"sqlite.py", "salvage.py"}, "postgres": {"postgres.py", "server_bell.py", "server_failures.py"}}
"""By the store of boards, the modules that know its driver."""


@pytest.mark.acceptance("S4-049")
def test_watcher_parser_and_delivery_of_boards_are_small_and_know_nothing_of_each_other() -> None:
    watcher, parser, delivery = BOARD / "watch.py", BOARD / "mentions.py", BOARD / "inbox.py"
    for path in (watcher, parser, delivery):
        assert code_lines(path) < 300, path
        reaches = {"sqlite3", "psycopg", "socket", "subprocess", "os", "pathlib", "time"}
        assert imported(path) & reaches == set(), path
    assert imported(watcher) & {"motet.board"} == set()  # hints alone: no posts, no store
    assert {name for name in imported(parser) if name.startswith("motet.")} <= {
        "motet.prose",
        "motet.text",
        "motet.board",
    }
    assert "asyncio" not in imported(parser) | imported(delivery)  # text is read, and a transaction takes its steps
    text = parser.read_text("utf-8") + delivery.read_text("utf-8")
    assert "motet.board.watch" not in text
    for name, driver in (("sqlite", "sqlite3"), ("postgres", "psycopg")):
        knowing = {path.name for path in BOARD.glob("*.py") if driver in imported(path)}
        assert knowing <= ENGINES[name]
