"""The one way motet starts git: deaf to the environment and to what a repository would have it run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from motet.errors import ProcessError
from motet.process import Output, find_program, run

_SECONDS = 60.0
_BYTES = 256 * 2**20

# Settings that name a program, a hook or a place to write; the command line wins over the repository.
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "submodule.recurse=false",
    "protocol.allow=never",
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "LC_ALL": "C",
}


async def git(
    root: Path,
    *arguments: str,
    stdin: bytes = b"",
    repository: Path | None = None,
    index: Path | None = None,
    codes: Sequence[int] = (0,),
) -> bytes:
    """Standard output of `git ARGUMENTS` in the work tree `root`; pathspecs are taken literally. `repository` and
    `index` go instead of the work tree's own; `codes`: exit statuses that are answers.

    Raises `ProcessError` when git is absent, fails, runs longer than a minute or says more than 256 MiB.
    """
    program = find_program("git", avoid=root)
    if program is None:
        raise ProcessError("git: not found; install it or put it on PATH")
    argv: list[str | Path] = [
        program,
        "--no-pager",
        "--literal-pathspecs",
        f"--git-dir={repository or root / '.git'}",
        f"--work-tree={root}",
    ]
    for setting in _OVERRIDES:
        argv += ["-c", setting]
    environment = _environment() | ({"GIT_INDEX_FILE": str(index)} if index else {})
    output: Output = await run(
        [*argv, *arguments], cwd=root, timeout=_SECONDS, env=environment, max_bytes=_BYTES, stdin=stdin
    )
    if output.code not in codes:
        said = output.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[-1] if said else f"exit code {output.code}"
        raise ProcessError(f"git {arguments[0]} in {root}: {reason}")
    if output.truncated:
        raise ProcessError(f"git {arguments[0]} in {root}: more than {_BYTES // 2**20} MiB of output")
    return output.stdout


def _environment() -> dict[str, str]:
    # GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_* and the like would point git elsewhere.
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
