"""What an editor holds goes before the disk, for as long as it holds it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from index_kit import git, put

from motet.index.map import ProjectMap
from motet.index.project import ProjectIndex

SAVED, TYPED = "def boil_the_pasta(): ...\n", "def rinse_the_rice(): ...\n"


@pytest.fixture
async def index(project: Path, tmp_path: Path) -> AsyncGenerator[ProjectIndex]:
    put(
        project,
        {"pot.py": SAVED, "other.py": "x = 1\n", ".env": "x\n", ".gitignore": "build/\n", "build/b.py": "x\n"},
    )
    git(project, "init", "-q")
    index = ProjectIndex(project, tmp_path / "home")
    yield index
    await index.close()


async def found(index: ProjectIndex, question: str, texts: dict[str, str] | None) -> list[str]:
    answer = await index.search(question, texts=texts, patience=60)
    assert answer.complete
    return [f"{one.path}:{one.text}" for one in answer.found]


async def test_a_text_is_found_until_the_editor_lets_go_of_it(index: ProjectIndex, project: Path) -> None:
    assert await found(index, "pasta", {}) == [f"pot.py:{SAVED.strip()}"]
    held = {"pot.py": TYPED}
    assert await found(index, "rice", held) == [f"pot.py:{TYPED.strip()}"]
    assert await found(index, "pasta", held) == []
    assert await found(index, "rice", None) == [f"pot.py:{TYPED.strip()}"]
    assert await found(index, "rice", {}) == []
    assert await found(index, "pasta", {}) == [f"pot.py:{SAVED.strip()}"]


async def test_a_text_that_is_typed_in_the_first_question_is_there(index: ProjectIndex) -> None:
    assert await found(index, "rice", {"pot.py": TYPED}) == [f"pot.py:{TYPED.strip()}"]


@pytest.mark.parametrize("path", [".env", "build/b.py", "not/saved.py", "../outside.py"])
async def test_a_text_of_what_is_not_indexed_is_not_found(index: ProjectIndex, path: str) -> None:
    assert await found(index, "rice", {path: TYPED}) == []
    assert await found(index, "rice", {path: f"{TYPED}\n"}) == []


async def test_the_map_says_who_defines_and_who_imports(project: Path, tmp_path: Path) -> None:
    files = {
        "shop/price.py": "class Price:\n    def net(self): ...\n",
        "tests/price.py": "class Price: ...\n",
        "a.py": "class Price: ...\n",
        "cart.py": "from shop.price import Price\n",
    }
    put(project, files)
    drawn = ProjectMap(project, tmp_path / "home", aside=False)
    try:
        assert await drawn.defining(["Price"], ["cart.py"]) == ["shop/price.py", "a.py", "tests/price.py"]
        assert await drawn.defining(["net", "gross"]) == ["shop/price.py"]
        assert await drawn.defining(["nobody"]) == []
        assert drawn.related(["cart.py"]) == {"shop/price.py"} and drawn.related(["shop/price.py"]) == {"cart.py"}
    finally:
        await drawn.close()
