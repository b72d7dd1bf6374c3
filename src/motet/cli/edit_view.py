"""What `motet edit` shows while a model works, and what it remembers of that: what was proposed, decided, written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from motet.chat import ChatEvent, Notice
from motet.cli.chat_lines import AnswerView
from motet.cli.diff_view import draw_hunk
from motet.cli.fix_json import write_proposals
from motet.cli.front import HunkReview
from motet.cli.review import TerminalReviewer
from motet.cli.terminal import Terminal
from motet.edits import Proposal
from motet.edits.formats.answer import understand
from motet.errors import EditFormatError
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

    async def review(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """See `Reviewer`."""
        for proposal in proposals if self._draws else ():
            for index in range(len(proposal.hunks)):
                draw_hunk(self._terminal, proposal, index)
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
            case Notice(about="no_edit"):
                return  # the last line says more
            case _:
                pass
        self._terminal.end_stream()
        self._rest(event)


def why_no_edit(answer: str, path: str) -> str:
    """In a line, why nothing in `answer` is an edit. `path`: the file meant where none is named."""
    try:
        found = understand(answer, path=path, quotes=True)
    except EditFormatError as error:
        return f"an edit in the answer cannot be understood: {error}"
    if found.edits:
        return "the files are so already, or it is not clear whether the answer gives a whole file or a piece of it"
    if found.quoted:
        return f"the edit in line {found.quoted[0].line} of the answer stands in a quotation"
    lines = ", ".join(str(one.line) for one in found.left_out)
    if len(found.left_out) == 1:
        return f"the fence in line {lines} of the answer names no file"
    return f"the fences in lines {lines} of the answer name no file" if lines else "the answer holds none"


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
