"""The review and nothing else, as a program: `python -m cli.review_alone RESULT BEFORE AFTER [BEFORE AFTER …]`.

Shows the hunks from each file BEFORE to the file AFTER, asks about them, and writes to RESULT, as JSON, the texts
that would be written and whether the human stopped. No engine is started, which makes a test ten times as fast.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from motet.cli.diff_view import NO_PROBLEMS
from motet.cli.interrupts import Interrupts
from motet.cli.keys import Keyboard
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import Proposal
from motet.text import TextFile


async def main(result: Path, *files: Path) -> None:
    proposals = [
        Proposal.between(before.name, *(TextFile.decode(before.name, file.read_bytes()) for file in (before, after)))
        for before, after in zip(files[::2], files[1::2], strict=True)
    ]
    interrupts = Interrupts()
    reviewer = TerminalReviewer(Terminal(), Keyboard(), lambda _: NO_PROBLEMS, interrupts.held)
    with interrupts.installed():
        decided = await reviewer.review(proposals)
    texts = [proposal.accepted().decode() for proposal in decided]
    result.write_text(json.dumps({"texts": texts, "stopped": reviewer.stopped}))


if __name__ == "__main__":
    asyncio.run(main(*map(Path, sys.argv[1:])))
