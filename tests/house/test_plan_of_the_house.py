"""The picture in `docs/architecture.md`, the import contract and the packages tell the same story."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "motet"


def drawn() -> dict[str, str]:
    """Floor by room, as the table of the page has it."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return {room: floor for floor, room in re.findall(r"^\| (\d[ab]?) \| `motet\.(\w+)` \|", text, re.MULTILINE)}


def built() -> set[str]:
    """Rooms that stand in the package."""
    packages = {path.parent.name for path in SOURCE.glob("*/*.py")}
    return packages | {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}


def contract() -> list[str]:
    """Rooms of the import contract, top first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [room for layer in layers for room in re.findall(r"\w+", layer)]


def test_every_room_is_drawn_and_every_drawn_room_exists() -> None:
    assert set(drawn()) == built()


def test_the_contract_has_the_rooms_in_the_order_of_their_floors() -> None:
    assert set(contract()) == set(drawn())
    floors = [drawn()[room] for room in contract()]
    assert floors == sorted(floors, key=lambda floor: floor.replace("1a", "1.1").replace("1b", "1.2"), reverse=True)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """An empty package with all rooms, under the real contract."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "motet").mkdir()
    (tmp_path / "motet" / "__init__.py").touch()
    for room in drawn():
        (tmp_path / "motet" / room).mkdir()
        (tmp_path / "motet" / room / "__init__.py").touch()
    return tmp_path


def allowed(house: Path, room: str, imports: str) -> bool:
    """Whether the contract lets `room` import from `imports`."""
    (house / "motet" / room / "__init__.py").write_text(f"import motet.{imports}\n")
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=house, env={"PYTHONPATH": str(house)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    return done.returncode == 0


@pytest.mark.parametrize(
    ("room", "imports"),
    [("cli", "engine"), ("diagnostics", "workspace"), ("git", "process"), ("tools", "edits"), ("text", "errors")],
)
def test_these_imports_are_allowed(house: Path, room: str, imports: str) -> None:
    assert allowed(house, room, imports)


@pytest.mark.parametrize(
    ("room", "imports"),
    [
        ("turn", "fix"),
        ("models", "tools"),
        ("models", "workspace"),
        ("edits", "workspace"),
        ("edits", "models"),
        ("board", "history"),
        ("workspace", "diagnostics"),
        ("process", "git"),
        ("errors", "process"),
    ],
)
def test_these_imports_break_the_contract(house: Path, room: str, imports: str) -> None:
    assert not allowed(house, room, imports)


CONCERNS = {
    "actions and prompts": "context/library.py",
    "providers": "models/providers/table.py",
    "agents": "turn/run.py",
    "tools": "tools/registry.py",
    "slash commands": "context/commands.py",
    "variables": "context/variables.py",
    "references": "context/attachment.py",
    "watchers": "context/pins.py",
    "events": "chat/events.py",
    "the debug view": "cli/commands/inspect.py",
    "keys": "cli/chat/editor_line.py",
    "drawing": "cli/chat/screen.py",
}
"""By the concern of a chat, the module that sees to it."""


@pytest.mark.acceptance("S0-034")
def test_each_concern_of_a_chat_has_a_module_of_its_own_and_nothing_below_the_chat_knows_it() -> None:
    assert [path for path in CONCERNS.values() if not (SOURCE / path).is_file()] == []
    assert len(set(CONCERNS.values())) == len(CONCERNS)
    knowing = {room for room in built() if any(knows_chats(path) for path in (SOURCE / room).rglob("*.py"))}
    assert {room for room in knowing if drawn()[room] < drawn()["chat"]} == set()


@pytest.mark.acceptance("S0-034")
@pytest.mark.parametrize(
    ("room", "imports"),
    [
        ("models", "chat"),
        ("tools", "chat"),
        ("turn", "chat"),
        ("context", "chat"),
        ("context", "tools"),
        ("tools", "context"),
        ("chat", "cli"),
    ],
)
def test_no_concern_of_a_chat_may_reach_into_another_from_below(house: Path, room: str, imports: str) -> None:
    assert not allowed(house, room, imports)


def test_one_loop_manages_the_run_of_every_agent() -> None:
    # Agents of other programs have their loop there; we run single calls for them.
    assert holding(r"\btoolbox\.(each|run)\(") == ["mcp/caller.py", "turn/run.py"]
    assert holding(r"\brun_turn\(") == ["chat/running.py", "fix/loop.py", "turn/run.py"]


def knows_chats(path: Path) -> bool:
    """Whether a module imports from the room of chats."""
    return bool(re.search(r"^\s*(from|import) motet\.chat\b", path.read_text(encoding="utf-8"), re.MULTILINE))


def holding(pattern: str) -> list[str]:
    """The modules in which something fits `pattern`."""
    paths = [path for path in SOURCE.rglob("*.py") if re.search(pattern, path.read_text(encoding="utf-8"))]
    return sorted(path.relative_to(SOURCE).as_posix() for path in paths)


def test_a_room_that_nobody_placed_breaks_the_contract(house: Path) -> None:
    (house / "motet" / "attic").mkdir()
    (house / "motet" / "attic" / "__init__.py").touch()
    assert not allowed(house, "cli", "engine")
