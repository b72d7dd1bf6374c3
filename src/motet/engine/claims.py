"""Claims of a board, enforced where a chat writes: also for one that is on no board, where others are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from motet.engine.boarding import Boarding
from motet.errors import MotetError
from motet.git import work_tree
from motet.visible import one_line

if TYPE_CHECKING:
    from motet.board import FileLease

_MOST_NAMED = 5


async def told_of_claims(boarding: Boarding, root: Path, paths: Sequence[str]) -> list[str]:
    """What a human who is about to write these files should know: who has claimed which of them, a line each. Humans are
    never held back."""
    try:
        found = await BoardClaims(boarding, "", root).of_others(paths)
    except MotetError as error:
        return [f"claims of agents are not known: {error}"]
    finally:
        await boarding.close()
    task = {path: f" for “{one_line(lease.task)}”" if lease.task else "" for path, lease in found.items()}
    return [f"{path} is claimed by {lease.owner}{task[path]}; tell @{lease.owner}" for path, lease in found.items()]


@dataclass
class BoardClaims:
    """See `motet.tools.claims.Claims`, for the chat with this id. A look at one file where boards are not in use."""

    boarding: Boarding
    chat_id: str
    root: Path

    async def may_write(self, path: str) -> None:
        """See `Claims`."""
        if not self.boarding.are_used:
            return
        seat = self.boarding.seat(self.chat_id)
        if seat is not None:
            await seat.check_write(self._place(path))
        else:
            await self.boarding.boards().check_write(self.boarding.project, self._owner, self._place(path))

    async def may_run(self) -> None:
        """See `Claims`."""
        if not self.boarding.are_used:
            return
        for lease in await self._of_others():
            if lease.glob == "**":
                from motet.board import BoardRefused

                task = f" for “{lease.task}”" if lease.task else ""
                error = BoardRefused(
                    f"{lease.owner} has claimed the whole work tree{task}; nothing that may write is run until it lets "
                    f"go: ask for it with @{lease.owner}"
                )
                await self.boarding.boards().refuse(self._owner, "run a command", error)

    async def trespassed(self, paths: Sequence[str]) -> str:
        """See `Claims`."""
        found = await self.of_others(paths)
        if not found:
            return ""
        named = ", ".join(f"{path} (by {lease.owner})" for path, lease in list(found.items())[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        return f"it changed files that others have claimed: {named}{more}; tell them, or take it back"

    async def of_others(self, paths: Sequence[str]) -> dict[str, FileLease]:
        """Which of these files others have claimed."""
        if not paths or not self.boarding.are_used:
            return {}
        from motet.board.globs import matches

        leases = await self._of_others()
        return {path: lease for path in paths for lease in leases if matches(lease.glob, self._place(path))}

    async def _of_others(self) -> list[FileLease]:
        leases = await self.boarding.boards().leases(self.boarding.project)
        return [lease for lease in leases if lease.owner != self._owner]

    @property
    def _owner(self) -> str:
        seat = self.boarding.seat(self.chat_id)
        return f"chat {self.chat_id}" if seat is None else seat.address

    def _place(self, path: str) -> str:
        """`path` from the root of the work tree, as claims have it."""
        return f"{self._prefix}{path}"

    @cached_property
    def _prefix(self) -> str:
        tree = work_tree(self.root)
        below = "" if tree is None else self.root.resolve().relative_to(tree.resolve()).as_posix()
        return "" if below in ("", ".") else f"{below}/"
