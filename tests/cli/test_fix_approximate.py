"""An edit whose text is only nearly right: a human at a terminal is asked about it; nobody else ever gets it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit

Serve = Callable[..., Provider]

BEFORE = "the first line of the file\nthe second line is bad here\nthe third line of the file\n"
# One letter is missing from the line above the one that is meant.
NEAR = edit(
    (
        "a.txt",
        "the first line of the fle\nthe second line is bad here\nthe third line of the file\n",
        "the first line of the file\nthe second line is good here\nthe third line of the file\n",
    )
)


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(("key", "code"), [("y", 0), ("n", 1)])
def test_a_human_is_shown_it_marked_approximate_and_decides(
    project: Project, provider: Serve, key: str, code: int
) -> None:
    project.write({"a.txt": BEFORE})
    provider([NEAR, DONE], repeat=True)
    human = project.human("fix")
    human.asked()
    assert human.lines[human.lines.index("a.txt:2") + 1] == "  approximate: the search text differs from the file"
    human.presses(key)
    assert human.ends() == code
    assert project.text("a.txt") == (BEFORE.replace("bad", "good") if key == "y" else BEFORE)


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize("how", ["--yes", "--dry-run"])
def test_where_nobody_reviews_it_is_refused_and_the_model_is_told(
    project: Project, provider: Serve, how: str
) -> None:
    project.write({"a.txt": BEFORE})
    served = provider([NEAR, DONE], repeat=True)
    done = project.run("fix", how)
    assert (done.code, project.text("a.txt")) == (1, BEFORE)
    assert "a.txt: refused (not_found): " in done.err
    assert "+good" not in done.err
    if how == "--yes":
        assert "refused (not_found)" in served.requests[1].text
