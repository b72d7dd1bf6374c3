"""A chat that proposes edits of a file of forty lines, which is open beside it."""

from __future__ import annotations

from collections.abc import Callable

from cli.kit import DONE, Project, Provider, edit
from nvim.nvim_kit import Editor

Serve = Callable[..., Provider]
TEXT = "".join(f"line {number}\n" for number in range(1, 41))
LINES = TEXT.splitlines()
WAITING = "require('motet.review').pending()"
FIVE = edit(*(("a.txt", f"line {number}\n", f"new {number}\n") for number in (2, 10, 18, 26, 34)))
SEEN = "The compilers now: 0 solved, 0 left, 0 new in a.txt."


def lines(**changed: str) -> list[str]:
    """The forty lines; `_3="x"` is another third one."""
    return [changed.get(f"_{number}", line) for number, line in enumerate(LINES, 1)]


def proposed(vim: Editor, project: Project, provider: Serve, *answers: object, show: str = "a.txt") -> Provider:
    """Have the answers propose edits, with the file `show` in the current window. Returns when they can be seen."""
    if not (project.root / "a.txt").exists():
        project.write({"a.txt": TEXT})
    served = provider([*answers, DONE])
    vim.command(f"edit {show}" if show else "enew")
    vim.command("Motet chat @editor change it")
    vim.command("wincmd p | only")
    vim.waits_for("table.concat(vim.g.messages):match(' for you in ') ~= nil")
    return served


def waits(vim: Editor, count: int) -> None:
    """Return when so many changes wait."""
    vim.waits_for(f"{WAITING} == {count}")


def result(served: Provider, number: int = 1) -> str:
    """What the model was told of its last call."""
    body: dict[str, list[dict[str, str]]] = served.requests[number].body
    return [one["content"] for one in body["messages"] if one["role"] == "tool"][-1]


def buffer(vim: Editor, name: str = "a.txt") -> list[str]:
    return list(vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)", name))
