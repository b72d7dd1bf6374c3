"""What `motet edit` shows while a model works, and what it remembers of that: what was proposed, decided, written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from motet.chat import ChatEvent
from motet.cli.chat_lines import AnswerView
from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import write_proposals
from motet.cli.front import HunkReview
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import Proposal
from motet.models.protocol import TextDelta
from motet.text import TextFile
from motet.tools import Reviewer
from motet.turn import AnswerStarted, ToolFinished


class WatchedReviewer:
    """A reviewer before whom every hunk is drawn, unless it draws them itself, and whose decisions are remembered."""

    def __init__(self, decides: Reviewer, terminal: Terminal, *, quiet: bool, as_json: bool) -> None:
        self._decides = decides
        self._terminal = terminal
        self._draws = not isinstance(decides, TerminalReviewer | HunkReview) and not quiet
        self._as_json = as_json
        self.decided: list[Proposal] = []

    def instead(self, decides: Reviewer) -> WatchedReviewer:
        """Another reviewer, who draws hunks itself, and whose decisions are remembered here."""
        other = WatchedReviewer(decides, self._terminal, quiet=True, as_json=self._as_json)
        other.decided = self.decided
        return other

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        for proposal in proposals if self._draws else ():
            for index in range(len(proposal.hunks)):
                draw_hunk(self._terminal, proposal, index, ())
        decided = await self._decides.review(proposals)
        self.decided += decided
        if self._as_json:
            write_proposals(decided)
        return decided

    def written(self, root: Path) -> list[str]:
        """The paths of the files that are different now from what they were before their first taken hunk."""
        first: dict[str, TextFile | None] = {}
        for proposal in self.decided:
            if proposal.taken:
                first.setdefault(proposal.path, proposal.before)
        return [path for path, before in first.items() if _bytes(root / path) != (before.data if before else None)]


class EditView:
    """Draws a turn: the model's words dim on stderr, as `motet fix` does. Keeps the texts of the answers, and the
    first line of the last call that was refused."""

    def __init__(self, terminal: Terminal, model: str) -> None:
        self._terminal = terminal
        self._rest = AnswerView(terminal, model, writes=False)
        self.answers: list[str] = []
        self.refused = ""

    def __call__(self, event: ChatEvent) -> None:
        """Draw one event."""
        match event:
            case TextDelta(text):
                self.answers[-1] += text
                self._terminal.progress("")
                self._terminal.stream(text)
                return
            case AnswerStarted():
                self.answers.append("")
            case ToolFinished(_, output) if output.is_error:
                self.refused = output.text.strip().split("\n", 1)[0]
            case _:
                pass
        self._terminal.end_stream()
        self._rest(event)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
