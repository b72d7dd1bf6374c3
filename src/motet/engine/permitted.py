"""Which files may enter a prompt by themselves, or because a search found them: nobody named them one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from motet.permissions import Action, Effect, Gate, Origin, is_secret


def permitted(
    gate: Gate, root: Path, ignore: Sequence[str], *, is_named: bool = False, origin: Origin = Origin.BUILT_IN
) -> Callable[[str], bool]:
    """Whether a file may, by its path in `root` or an absolute one: never a secret, nor what a rule forbids, nor what
    fits a pattern of `ignore`. `is_named`: the human named its source, so that it may lie outside of `root`."""
    spec = None
    if ignore:
        from motet.workspace.listing import specification

        spec = specification([*ignore])

    def may_enter(path: str) -> bool:
        if path.startswith(f"{root}/"):
            path = path.removeprefix(f"{root}/")
        if is_secret(path):
            return False
        action = Action(Effect.READ, path, origin)
        if path.startswith("/"):
            return is_named and not gate.restricts(action)
        return gate.allows(action) and not (spec is not None and spec.match_file(path))

    return may_enter
