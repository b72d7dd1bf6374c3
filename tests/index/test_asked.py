"""What users and models get of the index: `motet search`, `motet index`, `#codebase`, `search_code`."""

import asyncio
import contextlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from index_kit import git, paths, put

from motet.context import built_in_variables
from motet.context.sources import Sources
from motet.engine.retrieving import Retrieving
from motet.index.map_facts import NOTHING, encoded
from motet.index.packing import Passages
from motet.index.project import ProjectIndex
from motet.paths import index_dir
from motet.permissions import Gate, GrantStore, RuleSet
from motet.settings import IndexSettings
from motet.workspace import MemoryWorkspace

BIN = Path(sys.executable).parent
RETRY = "class Client:\n    def send(self, request):\n        # a failed request is tried again after a pause\n        return retry(request)\n"
FILES = {
    "src/client.py": RETRY,
    "src/config.py": "def parse_config(path):\n    return load(path)\n",
    "src/設定.py": "# 設定ファイルを読み込む\ndef read_settings(): ...\n",
    "src/検索.py": "# 全文検索の索引を更新する\ndef update(): ...\n",
    "tests/test_client.py": "def test_a_failed_request_is_tried_again(): retry(request)\n",
    "docs/client.md": "# Requests\n\nA failed request is tried again after a pause by retry.\n",
}


def motet(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "motet", *words], cwd=project, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def index(project: Path, tmp_path: Path):
    put(project, FILES)
    git(project, "init", "-q")
    index = ProjectIndex(project, tmp_path / "home")
    yield index
    asyncio.run(index.close())


@pytest.mark.acceptance("CU-01")
def test_a_question_in_words_finds_source_before_tests_and_documents(index: ProjectIndex) -> None:
    found = paths(index, "where is a failed request tried again?")
    assert found[0] == "src/client.py" and set(found[1:3]) == {"tests/test_client.py", "docs/client.md"}


def test_a_question_about_tests_finds_them_first(index: ProjectIndex) -> None:
    assert paths(index, "which test checks that a failed request is tried again?")[0] == "tests/test_client.py"


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("設定はどこで読み込む", "src/設定.py"),
        ("検索の索引", "src/検索.py"),
        ("update of 索引", "src/検索.py"),
        ("parseConfig", "src/config.py"),
        ("error at config.py:2", "src/config.py"),
        ('File "src/config.py", line 1', "src/config.py"),
    ],
)
def test_japanese_mixed_and_named_questions_find_their_file(question: str, path: str, index: ProjectIndex) -> None:
    assert paths(index, question)[0] == path


def test_the_same_tree_gives_the_same_order_in_three_processes(project: Path) -> None:
    put(project, {f"f{number}.py": "def same(): retry()\n" for number in range(20)})
    motet(project, "search", "same retry")  # may be answered before all is read, where the machine is busy
    answers = [motet(project, "search", "--json", "same retry").stdout for _ in range(2)]
    motet(project, "index", "rebuild")
    answers.append(motet(project, "search", "--json", "same retry").stdout)
    assert answers[0] and answers == [answers[0]] * 3


@pytest.mark.acceptance("S0-125", "S0-130", "AV-03", "VC-01")
def test_search_needs_nothing_before_and_sees_what_changed(project: Path) -> None:
    put(project, FILES)
    done = motet(project, "search", "-n", "1", "failed request tried again")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()
    assert first.startswith("src/client.py:3  ") and "has " in first
    assert second == "    # a failed request is tried again after a pause"
    put(project, {"src/other.py": "def zyxomma(): ...\n"})
    data = json.loads(motet(project, "search", "--json", "zyxomma").stdout)
    (place,) = data["places"]
    assert (data["complete"], place["path"], place["line"], place["kind"]) == (True, "src/other.py", 1, "source")
    (project / "src/other.py").unlink()
    assert motet(project, "search", "zyxomma").returncode == 1


def test_status_tells_what_is_indexed(project: Path) -> None:
    put(project, {**FILES, "uv.lock": "x\n"})
    assert motet(project, "index", "rebuild").stdout.startswith("6 files in ")
    status = json.loads(motet(project, "index", "status", "--json").stdout)
    assert (status["files"], status["left_out"], status["root"]) == (6, {"a lock file": 1}, str(project))


def test_rebuild_makes_what_is_kept_for_the_map_anew_as_well(project: Path) -> None:
    put(project, FILES)
    git(project, "init", "-q")
    drawn = motet(project, "map").stdout
    (store,) = index_dir().glob("maps/*/map.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as base, base:
        base.execute("UPDATE facts SET facts = ?", [encoded(NOTHING)])  # wrong, and nobody can see that
    assert motet(project, "map").stdout != drawn
    assert motet(project, "index", "rebuild").returncode == 0
    assert motet(project, "map").stdout == drawn


async def shared(
    project: Path, tmp_path: Path, text: str, mode: str = "mention"
) -> tuple[list[str], tuple[str, ...]]:
    """The attachments of `#codebase` in `text`, and what the human is told."""
    gate = Gate(project, RuleSet([]), GrantStore(tmp_path / "state"))
    retrieving = Retrieving(project, tmp_path / "home", IndexSettings(mode=mode))  # type: ignore[arg-type]
    sources = Sources(MemoryWorkspace({}, project), gate, retrieve=retrieving.shared(gate), asked=text)
    answer = await built_in_variables().expand("codebase", None, sources)
    await retrieving.close()
    return [message.text for message in answer.messages], answer.notices


@pytest.mark.acceptance("SP-09", "S1-038", "S1-039", "S0-126", "S0-129")
async def test_passages_are_shared_when_the_codebase_is_mentioned_each_with_its_reason(
    project: Path, tmp_path: Path
) -> None:
    put(project, FILES)
    texts, notices = await shared(project, tmp_path, "#codebase where is a failed request tried again?")
    assert any(
        text.startswith('<codebase filepath="src/client.py" lines="1-4" why="has ')
        and "3│         # a failed" in text
        for text in texts
    )
    told, *_ = notices  # and that not all was read, where the machine is busy
    assert told.startswith(f"#codebase: {len(texts)} passages of ") and "tokens" in told


@pytest.mark.acceptance("SP-09", "S1-041")
async def test_nothing_is_retrieved_where_the_settings_switch_it_off(project: Path, tmp_path: Path) -> None:
    put(project, FILES)
    texts, notices = await shared(project, tmp_path, "#codebase retry", mode="off")
    assert texts == [] and notices == ("#codebase: switched off by your settings (`index.mode`)",)
    assert not (tmp_path / "home").exists()
    assert Retrieving(project, tmp_path / "home", IndexSettings(mode="off")).tools() == {}


async def test_passages_fit_the_tokens_and_come_in_a_stable_order(index: ProjectIndex, project: Path) -> None:
    put(
        project,
        {f"big{at}.py": "".join(f"def retry_{at}_{n}(request): pass\n" for n in range(300)) for at in range(4)},
    )
    answers = [await index.passages("retry request", tokens, patience=60) for tokens in (500, 2000, 2000)]
    assert all(0 < answer.tokens <= most for answer, most in zip(answers, (500, 2000, 2000), strict=True))
    assert answers[1] == answers[2]
    places = [(one.path, one.first) for one in answers[1].found]
    assert places == sorted(places) and len({path for path, _ in places}) > 1
    for one in answers[1].found:
        lines = (project / one.path).read_text().split("\n")
        assert one.text == "\n".join(lines[one.first - 1 : one.last]).rstrip("\n")


async def test_a_file_that_may_not_be_seen_is_in_no_passage(index: ProjectIndex) -> None:
    answer: Passages = await index.passages(
        "failed request", 4000, allow=lambda path: path != "src/client.py", patience=60
    )
    assert answer.found and all(one.path != "src/client.py" for one in answer.found)
    assert not any(line.startswith("src/client.py") for line in answer.others)
