"""The map of a project on a disk: exact text, within its budget, the same in every process, kept up with the files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from motet.index import ProjectIndex
from motet.index.map import ProjectMap
from motet.messages import estimate_tokens

FILES = {
    "app/__init__.py": "from app.store import Store\n",
    "app/store.py": (
        "import json\n\nLIMIT = 3\nlocal = 1\n\n\nclass Store:\n    def load_cookie(self, name: str) -> str:\n"
        "        return name\n\n    def _private(self): ...\n\n\ndef open_store(path):\n    def inner(): ...\n"
    ),
    "app/web.py": "from app.store import open_store\n\n\nasync def serve(port: int) -> None:\n    open_store('x')\n",
    "app/names.py": "class 利用者:\n    def 挨拶(self): ...\n",
    "main.py": "from app.web import serve\nfrom app import Store\n",
    "tests/test_store.py": "from app.store import Store\n\n\ndef test_cookie_is_loaded(): ...\n",
    "README.md": "# about\n",
}


def written(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[tuple[Path, ProjectMap]]:
    root = tmp_path / "project"
    written(root, FILES)
    found = ProjectMap(root, tmp_path / "state")
    yield root, found
    await found.close()


async def test_what_a_file_imports_comes_first_with_the_names_it_takes(project: tuple[Path, ProjectMap]) -> None:
    found = await project[1].draw(around=["app/web.py"], tokens=60)
    assert found.paths[0] == "app/store.py"
    assert found.text == (
        "app/names.py\n  class 利用者:\n    def 挨拶(self): ...\n"
        "app/store.py\n  LIMIT = 3\n  class Store:\n    def load_cookie(self, name: str) -> str:\n  def open_store(path):\nmain.py\n"
    )
    assert found.tokens == estimate_tokens(found.text) <= 60


async def test_a_map_with_room_for_all_is_the_outline_of_the_project(project: tuple[Path, ProjectMap]) -> None:
    found = await project[1].draw(tokens=4_000)
    assert found.text == (
        "app/__init__.py\n"
        "app/names.py\n"
        "  class 利用者:\n"
        "    def 挨拶(self): ...\n"
        "app/store.py\n"
        "  LIMIT = 3\n"
        "  class Store:\n"
        "    def load_cookie(self, name: str) -> str:\n"
        "    def _private(self): ...\n"
        "  def open_store(path):\n"
        "app/web.py\n"
        "  async def serve(port: int) -> None:\n"
        "main.py\n"
        "tests/test_store.py\n"
        "  def test_cookie_is_loaded(): ...\n"
    )
    assert found.files == len(FILES)


async def test_a_question_brings_its_names_in_any_script(project: tuple[Path, ProjectMap]) -> None:
    cookie = await project[1].draw("where is a cookie loaded?", tokens=40)
    assert cookie.paths[0] == "app/store.py"
    assert "    def load_cookie(self, name: str) -> str:\n" in cookie.text
    assert (await project[1].draw("挨拶はどこ？", tokens=40)).paths[0] == "app/names.py"


@pytest.mark.parametrize("tokens", [0, 1, 5, 10, 17, 50, 100, 1_000])
async def test_a_map_never_exceeds_its_budget(project: tuple[Path, ProjectMap], tokens: int) -> None:
    for around in ([], ["main.py"], ["gone.py"]):
        found = await project[1].draw("store", around, tokens)
        assert (estimate_tokens(found.text) if found.text else 0) == found.tokens <= tokens


async def test_it_keeps_up_with_changed_renamed_and_deleted_files(project: tuple[Path, ProjectMap]) -> None:
    root, map_ = project
    await map_.draw()
    (root / "app/store.py").rename(root / "app/shop.py")
    (root / "app/names.py").unlink()
    written(root, {"app/web.py": "from app.shop import Store\n\n\ndef other(): ...\n"})
    found = await map_.draw(around=["app/web.py"], tokens=4_000)
    assert found.paths[0] == "app/shop.py"
    assert set(found.paths) == {"app/__init__.py", "app/shop.py", "main.py", "tests/test_store.py"}


async def test_what_an_editor_holds_goes_before_the_disk(project: tuple[Path, ProjectMap]) -> None:
    found = await project[1].draw(tokens=4_000, texts={"app/names.py": "def unsaved(): ...\n"})
    assert "app/names.py\n  def unsaved(): ...\napp/store.py\n" in found.text


async def test_a_second_process_takes_over_what_the_first_one_read(
    project: tuple[Path, ProjectMap], tmp_path: Path
) -> None:
    root, map_ = project
    first = await map_.draw("cookie")
    other = ProjectMap(root, tmp_path / "state")
    other._facts = lambda path: pytest.fail(f"{path} is read again")  # pyright: ignore[reportPrivateUsage]
    assert await other.draw("cookie") == first
    await other.close()


async def test_many_changed_files_are_read_by_a_process_of_its_own(tmp_path: Path) -> None:
    root = tmp_path / "project"
    written(root, {f"m{number}.py": f"def function_{number}(): ...\n" + "# filler\n" * 5_000 for number in range(8)})
    found = ProjectMap(root, tmp_path / "state")
    real, here = found._facts, list[str]()  # pyright: ignore[reportPrivateUsage]
    found._facts = lambda path: (here.append(path), real(path))[1]  # pyright: ignore[reportPrivateUsage]
    drawn = await found.draw(tokens=2_000)
    assert drawn.text == "".join(f"m{number}.py\n  def function_{number}(): ...\n" for number in range(8))
    assert here == []
    await found.close()


async def test_a_damaged_store_is_made_anew(project: tuple[Path, ProjectMap], tmp_path: Path) -> None:
    root, map_ = project
    first = await map_.draw()
    await map_.close()
    [store] = (tmp_path / "state").rglob("map.sqlite")
    store.write_bytes(os.urandom(5_000))
    other = ProjectMap(root, tmp_path / "state")
    assert await other.draw() == first
    await other.close()


async def test_where_nothing_can_be_kept_the_map_is_drawn_all_the_same(
    project: tuple[Path, ProjectMap], tmp_path: Path
) -> None:
    first = await project[1].draw()
    (tmp_path / "file").write_text("")
    other = ProjectMap(project[0], tmp_path / "file" / "state")
    assert await other.draw() == first
    await other.close()


async def test_hostile_files_leave_the_map_of_the_others_alone(tmp_path: Path) -> None:
    root = tmp_path / "project"
    written(root, {"good.py": "def good(): ...\n", "broken.py": "def half(a,\nclass (:\n", "deep.py": "(" * 5_000})
    (root / "binary.py").write_bytes(bytes(range(256)) * 50)
    (root / "latin.py").write_bytes("def gr\xfc\xdfe(): ...\n".encode("latin-1"))
    (root / "line.py").write_text("x = [" + "1, " * 30_000 + "]\n")
    (root / ".env").write_text("KEY=1\n")
    (root / "two\nlines.py").write_text("def \u202eend(): ...\n")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.py")
    (root / os.fsdecode(b"\xff.py")).write_text("def odd(): ...\n")
    found = ProjectMap(root, tmp_path / "state")
    drawn = await found.draw(tokens=4_000)
    assert drawn.text == (
        "good.py\n  def good(): ...\nlatin.py\n  def grüße(): ...\ntwo?lines.py\n  def ?end(): ...\n?.py\n  def odd(): ...\n"
    )
    await found.close()


def test_the_map_is_the_same_in_three_processes(tmp_path: Path) -> None:
    root = tmp_path / "project"
    written(
        root, FILES | {f"pkg{number}/mod.py": f"import app\ndef cookie_{number % 7}(): ...\n" for number in range(40)}
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-m", "motet", "map", "--json", "--tokens", "300", "--around", "main.py", "where is the cookie?"],
            cwd=root, env={**os.environ, "PYTHONHASHSEED": str(seed), "XDG_STATE_HOME": str(tmp_path / f"state{seed}")},
            capture_output=True, check=True, timeout=60,
        ).stdout
        for seed in range(3)
    }  # fmt: skip
    assert len(drawn) == 1


@pytest.mark.acceptance("CL-06", "S3-033", "S3-034")
async def test_of_five_thousand_files_outlines_and_the_types_that_are_used_fit_the_cap(tmp_path: Path) -> None:
    root = tmp_path / "project"
    body = "".join(f"        step_{number} = number + {number}\n" for number in range(40))
    written(
        root,
        {
            f"shop/area_{number // 100}/part_{number}.py": (
                f"from shop.area_{(number + 1) % 5000 // 100}.part_{(number + 1) % 5000} import Part{(number + 1) % 5000}\n\n\n"
                f"class Part{number}:\n    def price_of_{number}(self, number: int) -> int:\n{body}        return number\n"
            )
            for number in range(5_000)
        },
    )
    found = ProjectMap(root, tmp_path / "state")
    drawn = await found.draw("where is the price of part 4321?", ["shop/area_12/part_1234.py"], 1_000)
    assert (drawn.files, drawn.paths[0]) == (5_000, "shop/area_12/part_1235.py")
    assert estimate_tokens(drawn.text) == drawn.tokens <= 1_000
    assert (
        "shop/area_12/part_1235.py\n  class Part1235:\n    def price_of_1235(self, number: int) -> int:\n"
        in drawn.text
    )
    assert "    def price_of_4321(self, number: int) -> int:\n" in drawn.text
    assert "step_" not in drawn.text
    await found.close()


async def test_files_that_count_for_more_come_first(project: tuple[Path, ProjectMap]) -> None:
    plain = await project[1].draw("cookie", tokens=60)
    raised = await project[1].draw("cookie", tokens=60, raised={"app/web.py": 3.0})
    assert (plain.paths[0], raised.paths[0]) == ("app/store.py", "app/web.py")


@pytest.mark.acceptance("S0-131")
async def test_what_the_index_finds_in_bodies_comes_first_and_no_index_is_made_for_it(
    project: tuple[Path, ProjectMap], tmp_path: Path
) -> None:
    root, found = project
    written(root, {"app/late.py": "def later():\n    return 'the courier waits'\n"})
    index = ProjectIndex(root, tmp_path / "state")
    assert await index.closest("why does the courier wait?") == {}
    assert not list((tmp_path / "state").glob("*/catalog*"))
    without = await found.draw("why does the courier wait?", tokens=20)
    await index.update()
    closest = await index.closest("why does the courier wait?")
    drawn = await found.draw("why does the courier wait?", tokens=20, closest=closest)
    await index.close()
    assert (max(closest, key=lambda path: closest[path]), max(closest.values())) == ("app/late.py", 1.0)
    assert "app/late.py" not in without.paths
    assert drawn.text == "app/late.py\n  def later():\n"
