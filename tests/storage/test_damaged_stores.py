"""Each store of a user, damaged in many ways by seed, beneath the commands that use it: never a traceback, one line, the
damaged file kept, and the next command goes on."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import DONE, MAY_SEND, Done, Project, edit, provider_for

from motet.engine.agent_spec import AgentFiles, AgentSpec, Kept
from motet.engine.board_drafts import BoardDraft, Typed
from motet.tools.notes import Notes

EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
"""All seeds, for the soak run. As it is when tests are collected: each test is rid of such variables."""
SEEDS = range(112) if EVERY else range(16)
Damage = Callable[[random.Random, bytes], bytes]


def flipped(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 5, 20, 60])):
        changed[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    return bytes(changed)


def zeroed(rng: random.Random, data: bytes) -> bytes:
    first = rng.randrange(len(data))
    last = min(len(data), first + rng.choice([10, 512, 4096, len(data)]))
    return data[:first] + bytes(last - first) + data[last:]


def of_another_version(rng: random.Random, data: bytes) -> bytes:
    if data.startswith(b"SQLite"):
        return data[:60] + rng.randbytes(4) + data[64:]  # user_version
    return rng.choice([b"[]", b"{}", b"null", b'{"version": 99}', b"[1, 2]", b'"x"\n', b"motet 1 0 00000000\n{"])


DAMAGES: tuple[Damage, ...] = (
    flipped,
    flipped,
    lambda rng, data: data[: rng.randrange(len(data))],
    zeroed,
    lambda rng, data: rng.randbytes(rng.choice([1, 100, len(data)])),
    lambda rng, data: b"",
    of_another_version,
    lambda rng, data: data + rng.randbytes(100),
)
ANSWER = b"b.py\n```\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n```\n"
STORES: dict[str, tuple[tuple[str, ...], ...]] = {
    "history.db": (("history",), ("ask", "-m", "offline", "hello"), ("history", "search", "lease"), ("history", "show", "last")),
    "boards.db": (("board",), ("board", "post", "new"), ("board", "show"), ("agents",)),
    "grants.json": (("trust", "--list"), ("ask", "-m", "offline", "hello")),
    "spending.jsonl": (("log", "spending"),),
    "egress.jsonl": (("log", "egress"),),
    "errors.jsonl": (("log",), ("board", "show", "nosuch")),
    "checkpoints/workspaces/*/000001.journal": (("undo", "--list"), ("undo",), ("apply", "-y")),
    "checkpoints/workspaces/*/000002.journal": (("undo",), ("undo", "--list"), ("apply", "-y")),
    "agents/*.json": (("agents",), ("agents", "start", "one")),
    "notes/*.md": (("ask", "-m", "offline", "hello"),),
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {"place": tmp_path_factory.mktemp("whole")}


@pytest.fixture
def used(project: Project, kept: dict[str, Path], request: pytest.FixtureRequest) -> Project:
    """A project whose user has something in every store; made once, and put in place of what was."""
    project = Project(kept["place"] / "project", project.home)
    request.addfinalizer(lambda: any(project.state.glob("agents/*.lock")) and project.here("agents", "stop", "one"))
    whole = kept["place"] / "state"
    if not whole.exists():
        project.root.mkdir()
        project.write({"a.py": "x = 1\n", "b.py": "y = 1\n", ".motet.toml": '[checkers.words]\ncommand = "true"\n'})
        fill(project)
        shutil.copytree(project.state, whole)
        shutil.copytree(project.root, kept["place"] / "files")
    return project


def fill(project: Project) -> None:
    with provider_for(project, [edit(("a.py", "x = 1\n", "x = 2\n")), DONE], more=MAY_SEND):
        assert project.here("ask", "-y", "-t", "files", "change it").code == 0
    for number in range(4):
        assert project.here("ask", "-m", "offline", f"what is a lease {number} {'word ' * 300}").code == 0
        assert project.here("board", "post", f"hello {number} {'word ' * 100}").code == 0
    first = ANSWER.replace(b"y = 3", b"y = 2").replace(b"y = 2", b"y = 1", 1)
    assert project.here("apply", "-y", given=first).code == 0
    assert project.here("trust", "--all").code == 0
    assert project.here("apply", "-y", given=b"no edit").code == 3
    AgentFiles.of(project.state, str(project.root), "one").keep(
        Kept(AgentSpec("one"), str(project.root), str(project.root), "01J00000000000000000000000")
    )
    notes = Notes(project.state, project.root)
    notes.add(notes.entry("a lease is held by one"))


def restore(project: Project, kept: dict[str, Path]) -> None:
    if any(project.state.glob("agents/*.lock")):
        project.here("agents", "stop", "one")  # where one was started: it would outlive its state
    for place, name in ((project.state, "state"), (project.root, "files")):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(kept["place"] / name, place, dirs_exist_ok=True)


def is_fair(done: Done) -> bool:
    """A documented code, no traceback, no excuse."""
    text = done.out + done.err
    return done.code in (0, 1, 2) and "Traceback" not in text and "bug in motet" not in text


@pytest.mark.parametrize("store", STORES)
def test_a_damaged_store_is_one_line_and_kept(
    store: str, used: Project, kept: dict[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    unfair: list[object] = []
    for seed in SEEDS:
        restore(used, kept)
        (path,) = used.state.glob(store)
        data = DAMAGES[seed % len(DAMAGES)](random.Random(seed), path.read_bytes())
        path.write_bytes(data)
        command = STORES[store][seed // len(DAMAGES) % len(STORES[store])]
        done, told = list[Done](), list[int]()
        for _ in range(2):
            caplog.clear()
            done.append(used.here(*command, given=ANSWER if command[0] == "apply" else b""))
            told.append(f"{done[-1].err} {caplog.text}".count("kept as"))
        aside = [one.read_bytes() for one in path.parent.glob(f"{path.name}.damaged-*") if one.name[-4:-2] != "-w"]
        if not all(map(is_fair, done)) or told != [bool(aside), False]:
            unfair.append((seed, command, done, told, len(aside)))
        if aside and store.endswith((".json", ".journal", ".md")) and aside != [data]:
            unfair.append((seed, command, "not kept as it was"))
    assert unfair == []


@pytest.mark.parametrize("store", STORES)
def test_a_directory_in_its_place_is_one_line(store: str, used: Project, kept: dict[str, Path]) -> None:
    for command in STORES[store]:
        restore(used, kept)
        (path,) = used.state.glob(store)
        path.unlink()
        (path / "something").mkdir(parents=True)
        done = used.here(*command, given=ANSWER if command[0] == "apply" else b"")
        assert is_fair(done)
        assert (path / "something").is_dir()
        if done.code == 1 and command[:1] != ("log",):
            assert len([line for line in done.err.splitlines() if "irectory" in line]) <= 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("store", STORES)
def test_one_that_may_not_be_read_is_left_alone(store: str, used: Project, kept: dict[str, Path]) -> None:
    for command in STORES[store]:
        restore(used, kept)
        (path,) = used.state.glob(store)
        path.chmod(0)
        done = used.here(*command, given=ANSWER if command[0] == "apply" else b"")
        assert is_fair(done)
        assert list(path.parent.glob(f"{path.name}.damaged-*")) == []


@pytest.mark.parametrize("table", ["chats", "messages"])
def test_a_damaged_description_of_a_table_costs_nothing(table: str, used: Project, kept: dict[str, Path]) -> None:
    restore(used, kept)
    path = used.state / "history.db"
    with_sql = path.read_bytes()
    place = with_sql.index(b"CREATE TABLE " + table.encode())
    path.write_bytes(with_sql[: place + 30] + b"\xff\xfe" + with_sql[place + 32 :])
    before = len(used.here("history", "list", "--json").events)
    assert before == 5
    with sqlite3.connect(path) as saved:
        assert saved.execute("SELECT count(*) FROM messages WHERE kept = 1").fetchone()[0] >= 10


def test_a_damaged_header_costs_nothing(
    used: Project, kept: dict[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    restore(used, kept)
    for name in ("history.db", "boards.db"):
        path = used.state / name
        path.write_bytes(b"X" * 24 + path.read_bytes()[24:])
    done = used.here("history", "list", "--json")
    assert len(done.events) == 5
    assert "saved from it: 5 chats, " in done.err
    done = used.here("board", "show")
    assert "saved from it: 1 boards, 4 posts" in caplog.text
    assert done.out.count("hello") == 4


def test_of_boards_a_lost_table_of_boards_leaves_the_posts(
    used: Project, kept: dict[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    restore(used, kept)
    path = used.state / "boards.db"
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'boards'").fetchone()
    data = path.read_bytes()
    path.write_bytes(data[: (page - 1) * 4096] + bytes(4096) + data[page * 4096 :])
    assert used.here("board").code == 1  # nothing tells of which project it was
    assert "1 boards, 4 posts" in caplog.text
    (board,) = used.here("board", "list", "--all-projects", "--json").events
    assert board["name"].startswith("saved-")


def test_a_line_after_a_broken_end_is_a_line_of_its_own(used: Project, kept: dict[str, Path]) -> None:
    restore(used, kept)
    path = used.state / "errors.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    assert used.here("apply", "-y", given=b"no edit").code == 3
    assert json.loads(path.read_bytes().splitlines()[-1])["where"] == "apply"


def test_a_damaged_draft_is_kept_and_the_board_opens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    one = BoardDraft(tmp_path, "board")
    one.type(Typed("half a thought", "key"))
    os.close(one._lock)
    (path,) = tmp_path.glob("board.*.json")
    path.write_bytes(path.read_bytes()[:20])
    assert BoardDraft(tmp_path, "board").adopt().typed == Typed()
    (aside,) = tmp_path.glob("*.damaged-*")
    assert aside.name in caplog.text
