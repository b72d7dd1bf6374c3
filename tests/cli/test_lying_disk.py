"""A disk that says it has done everything and has not: what people and models are told is what is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import MAY_SEND, Project, Provider, block, edit

from motet.messages import ToolCall
from motet.models.scripted import Answer, call
from motet.workspace import _fs

Serve = Callable[..., Provider]

CHANGES = call("replace_in_file", {"path": "a.txt", "diff": block("bad\n", "good\n")})
MAKES = call("create_file", {"path": "c.txt", "content": "new\n"})
BOASTS = Answer(text="All of it is done, and well done!")


def cannot_exchange(patch: pytest.MonkeyPatch) -> None:
    """As on systems that only know how to rename."""
    patch.setattr(_fs, "_extended_rename", lambda: None)


@pytest.mark.acceptance("T-32")
@pytest.mark.parametrize(
    ("lies", "wish", "said"),
    [
        ("rename", CHANGES, "replace_in_file  a.txt: not written as asked: the file is as it was before"),
        ("rename_new", MAKES, "create_file  c.txt: not written as asked: there is no such file"),
    ],
    ids=["a change", "a new file"],
)
def test_what_a_model_boasts_of_is_shown_as_failed_where_nothing_has_changed(
    project: Project, provider: Serve, monkeypatch: pytest.MonkeyPatch, lies: str, wish: ToolCall, said: str
) -> None:
    project.write({"a.txt": "bad\n"})
    served = provider([Answer(calls=(wish,)), BOASTS], more=MAY_SEND)
    cannot_exchange(monkeypatch)
    monkeypatch.setattr(_fs, lies, lambda *_, **__: None)
    done = project.here("ask", "-y", "-t", "files", "do it")
    assert [line for line in done.err.splitlines() if line.startswith(f"{wish.name}  ")] == [said]
    assert done.out == f"{BOASTS.text}\n"
    assert project.text("a.txt") == "bad\n" and not (project.root / "c.txt").exists()
    told = served.requests[1].body["messages"][-1]["content"]  # type: ignore[index]
    assert told == said.partition("  ")[2]


@pytest.mark.acceptance("T-32")
def test_a_fix_that_changed_nothing_is_counted_as_none(
    project: Project, provider: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({"a.txt": "bad\n"})
    provider([edit(("a.txt", "bad\n", "good\n")), BOASTS], repeat=True)
    cannot_exchange(monkeypatch)
    monkeypatch.setattr(_fs, "rename", lambda *_, **__: None)
    done = project.here("fix", "-y", "--rounds", "1")
    assert (done.code, project.text("a.txt")) == (1, "bad\n")
    assert done.err.splitlines()[-4:-1] == [
        "Not applied to a.txt: not written as asked: the file is as it was before",
        "Applied changes to 0 of 1 file.",
        "Ended: no progress (no edit was applied).",
    ]
