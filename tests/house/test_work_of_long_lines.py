"""Work on a text grows as the text does: four times as long a line, at most three times that in CPU time for each character.

Whoever works on the loop must be done soon, and what is quadratic is a hang on the first minified file."""

from __future__ import annotations

import gc
import json
import math
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from motet.board.mentions import Roster, find_mentions
from motet.chat.transcript import parse as parse_transcript
from motet.chat.transcript import read_line
from motet.cli.call_progress import CallProgress
from motet.cli.chat.folded import of_output, of_reasoning
from motet.cli.chat.markdown_stream import MarkdownStream
from motet.cli.diff_view import Problems, draw_hunk
from motet.cli.flow import Flow
from motet.cli.terminal import Terminal
from motet.cli.wrap import cut, rows_of, wrap
from motet.context.complete import Known, completions
from motet.diagnostics.render import render_file
from motet.diagnostics.render_cut import names_on_problem_lines
from motet.edits import Proposal, parse
from motet.edits.hunks import find_hunks
from motet.edits.pieces import may_be_a_piece
from motet.errors import MotetError
from motet.index.chunks import chunks
from motet.index.question import understand
from motet.index.reports import named_paths, said
from motet.index.weights import WEIGHTS
from motet.messages import ToolCall
from motet.models.offline.repair import Origin, Repair
from motet.models.offline.second_thoughts import Covered, Taken
from motet.models.offline.source import Source
from motet.models.protocol import ToolCallDelta
from motet.nvim.sheet import Sheet
from motet.nvim.snapshot import Snapshot
from motet.nvim.writing import rows_of_lines
from motet.permissions.redact import redact
from motet.prose.markdown import leaves
from motet.syntax import definitions
from motet.text import Diagnostic, LineIndex, Position, Range, Severity, TextFile
from motet.text.changes import certain_changes, changes
from motet.text.merge import LineMap
from motet.text.position import PositionEncoding
from motet.text.report import FileReport, ReportedDiagnostic, ReportedEdit, ReportedFix, Run
from motet.text.terms import terms, wanted
from motet.tools import ToolOutput
from motet.visible import as_json, one_line, visible
from motet.web.simplify import simplify

LONG = 300_000
"""Characters, of a line with a third as many items."""
Work = Callable[[int], Callable[[], object]]


def repeated(text: str, size: int) -> str:
    return (text * (size // len(text) + 1))[:size]


def on(text: str, work: Callable[[str], object]) -> Work:
    def made(size: int) -> Callable[[], object]:
        whole = repeated(text, size)
        return lambda: work(whole)

    return made


def problems(size: int, *, in_one_line: bool) -> list[Diagnostic]:
    places = [(1, 3 * number + 1) if in_one_line else (number + 1, 1) for number in range(size // 3)]
    return [Diagnostic("n.ts", Range.at(*place), Severity.ERROR, f'no "x{place}"', "ts", "1") for place in places]


def rendered(text: str, *, in_one_line: bool) -> Work:
    def made(size: int) -> Callable[[], object]:
        file = TextFile.decode("n.ts", repeated(text, size).encode())
        found = problems(size, in_one_line=in_one_line)
        return lambda: render_file(Path("/"), file, found, budget=20_000)

    return made


def names(size: int) -> Callable[[], object]:
    lines, found = [repeated("ab(", size)], problems(size, in_one_line=True)
    return lambda: names_on_problem_lines(lines, found)


def to_positions(size: int) -> Callable[[], object]:
    index = LineIndex(repeated("é", size))
    return lambda: [index.from_units(0, at, PositionEncoding.UTF16) for at in range(0, size, 3)]


def from_positions(size: int) -> Callable[[], object]:
    index = LineIndex(repeated("é", size))
    return lambda: [index.to_units(Position(1, at + 1), PositionEncoding.UTF16) for at in range(0, size, 3)]


def changed_lines(size: int) -> Callable[[], object]:
    before = [str(number) for number in range(size // 10)]
    after = [line if number % 7 else f"{line}!" for number, line in enumerate(before)]
    return lambda: changes(before, after)


def a_piece(size: int) -> Callable[[], object]:
    before = "\n".join(str(number % 50) for number in range(size // 10))
    after = "\n".join(str(number % 50) for number in range(1, size // 10))
    return lambda: may_be_a_piece(before, f"0\n{after}")


def edits(text: str) -> object:
    try:
        return parse(text)
    except MotetError:
        return None


def streamed(text: str, *, styled: bool = True) -> Work:
    def draw(whole: str) -> None:
        stream = MarkdownStream(styled=styled)
        for at in range(0, len(whole), 50):
            stream.add(whole[at : at + 50], 80)
        stream.end(80)

    return on(text, draw)


def heading(size: int) -> Callable[[], object]:
    return lambda: MarkdownStream(styled=True).add("# a" + " " * size + "b", 80)


def flowing(text: str) -> None:
    flow = Flow()
    for at in range(0, len(text), 50):
        flow.add(text[at : at + 50], 80)
    flow.rest(80)


def folded(text: str) -> object:
    call = ToolCall("1", "read_file", "{}")
    return of_output(call, ToolOutput(text)).spans(80), of_reasoning(text, 1).spans(80)


def transcript(text: str) -> object:
    head = "<!-- motet 5f3a9c01 transcript 0 version=1 -->\n"
    return parse_transcript(text), parse_transcript(head + text), parse_transcript(f"## Me\n> Context:\n{text}")


def arriving(tool: str, arguments: Callable[[str], object], text: str) -> Work:
    def made(size: int) -> Callable[[], object]:
        whole = json.dumps(arguments(repeated(text, size)))

        def hear() -> None:
            progress = CallProgress()
            for at in range(0, len(whole), 50):
                progress.hear(ToolCallDelta(0, whole[at : at + 50], "1", tool))

        return hear

    return made


def one_diff(text: str) -> object:
    return {"path": "a.py", "diff": text}


def shared(size: int) -> Callable[[], object]:
    before = [str(number % 50) for number in range(size // 3)]
    after = [line if number % 20 else f"{line}!" for number, line in enumerate(before)]
    old, new = "\n".join(before), "\n".join(after)
    buffer = Snapshot(1, 1, False, tuple(before), "unix", "utf-8", False, True)
    file = TextFile.decode("a.py", new.encode())
    return lambda: (
        certain_changes(before, after),
        LineMap(old, new),
        find_hunks(old, new),
        buffer.spans_to(buffer.becoming(file)),
    )


def equal_rows(size: int) -> Callable[[], object]:
    lines = ["a"] * (size // 3)
    return lambda: rows_of_lines(lines, [*lines[: size // 6], "b"])


def completed(text: str) -> object:
    return completions(f"{text} @a", len(text) + 3, Known()), completions(f"/x {text}", len(text) + 3, Known())


def shown(text: str) -> object:
    source = Source(FileReport("/n.ts", (Run(1, (text,)),), (), 2))
    return source.words, source.brackets_near(1)


def repairs(size: int) -> Callable[[], object]:
    """Each line has a problem with a fix; what is taken so far is asked for each."""
    taken: list[Taken] = []
    for number in range(1, size // 10):
        place = Position(number, 1)
        edit = ReportedEdit(Range(place, Position(number, 2)), "a", "b")
        found = ReportedDiagnostic(place, Severity.ERROR, "no", fixes=(ReportedFix("b", (edit,)),))
        taken.append(Taken(found, Repair("b", (edit,), Origin.SERVER)))

    def ask() -> None:
        covered = Covered()
        for one in taken:
            if not covered.meets(one):
                covered.add(one)
        assert all(covered.has_line(one.diagnostic.place.line) for one in taken)

    return ask


def spread(size: int) -> tuple[TextFile, TextFile]:
    """A file before and after, in which every twentieth line changes."""
    lines = [str(number) for number in range(size // 30)]
    changed = [line if number % 20 else f"{line}!" for number, line in enumerate(lines)]
    before, after = ("".join(f"{line}\n" for line in each) for each in (lines, changed))
    return TextFile.decode("a.py", before.encode()), TextFile.decode("a.py", after.encode())


def drawn_hunks(size: int) -> Callable[[], object]:
    proposal = Proposal.between("a.py", *spread(size))
    found = problems(size // 10, in_one_line=False)
    terminal = Terminal(StringIO())

    def draw() -> None:
        of_file = Problems(found)
        for index in range(len(proposal.hunks)):
            draw_hunk(terminal, proposal, index, of_file)

    return draw


def gone(size: int) -> Callable[[], object]:
    before, after = spread(size)
    sheet = Sheet.of(Proposal.between("a.py", before, after))
    now = TextFile.decode("a.py", repeated("x\n", size // 10).encode())
    return lambda: sheet.with_file(now)


def made(size: int) -> Callable[[], object]:
    before, after = spread(size)
    sheet = Sheet.of(Proposal.between("a.py", before, after))
    return lambda: sheet.with_file(after)


WORK: dict[str, Work] = {
    "visible": on("aé\x1b[0m<( ", visible),
    "one line": on("aé\x1b[0m<( \n", one_line),
    "redact": on('token: "sk-ant-a.b" https://a:b@c ', redact),
    "redact one word": on("a", redact),
    "redact base64": on("QUJD+/", redact),
    "terms": on("aB_c 日本 ", terms),
    "wanted": on('ab "c ', wanted),
    "a question": on('aB_c.d/e.py:3 `x` "y" ', lambda text: understand(text, WEIGHTS)),
    "a report": on("a.b: <!-- - [ ] os: ", lambda text: (said(text), named_paths(text))),
    "chunks": on("def f(x): (", lambda text: list(chunks(text, "py"))),
    "definitions": on("f(x){<( ", lambda text: definitions(text, "typescript")),
    "leaves": on("> - `a *b [c](d) ", leaves),
    "leaves of lines": on("> a\n", leaves),
    "mentions": on("@a `@b` @c-", lambda text: find_mentions(text, Roster(()))),
    "wrap": on("ab (é-/日", lambda text: wrap([("", text)], 80)),
    "a page": on("<b><p>a<a href='x'>y</a><td><li>&lt;<br></p>", lambda text: simplify(text, 200_000)),
    "edits": on("a.py\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n", edits),
    "edits in one line": on("<<<<<<< SEARCH ```@@ {", edits),
    "names on problem lines": names,
    "problems of a line": rendered("<(é", in_one_line=True),
    "problems of lines": rendered("é(\n", in_one_line=False),
    "columns of a server": to_positions,
    "columns for a server": from_positions,
    "changed lines": changed_lines,
    "a piece of a file": a_piece,
    "drawing of marks": streamed("*a _b `c [d](e ~~f <g "),
    "drawing of emphasis": streamed("*a "),
    "drawing of brackets": streamed("[" * 20 + " "),
    "drawing of a word": streamed("aé"),
    "drawing of wide text": streamed("日本語"),
    "drawing of a table": streamed("| a | b |\n|---|---|\n| `c` | *d* |\n"),
    "drawing of code": streamed("```py\nx = 1\n```\n"),
    "drawing without colour": streamed("aé*b ", styled=False),
    "drawing of a heading": heading,
    "a word at once": on("é", lambda text: MarkdownStream(styled=True).add(text, 80)),
    "a flow": on("ab c\n", flowing),
    "a flow of a word": on("é", flowing),
    "wrap a word": on("é", lambda text: wrap([(text, "")], 80)),
    "wrap what joins": on("a\u0301\u200d", lambda text: (wrap([(text, "")], 80), cut(text, 80))),
    "rows of what is typed": on("é", lambda text: rows_of(text, 80)),
    "a fold": on("é\n\r", folded),
    "as JSON": on('é\u200d"\\\n', as_json),
    "a transcript": on("## Me\na\n## motet (x)\n### Reasoning\n``` b\n", transcript),
    "a transcript of markers": on("<!-- motet 5f3a9c01 me 3 -->\n## Me\n\nabc\n\n", transcript),
    "a transcript of a line": on("<!-- motet ``` ~~~ 📌", transcript),
    "a line of a context": on("📌\ufe0f👁", read_line),
    "an edit that arrives": arriving("replace_in_file", one_diff, "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"),
    "a line that arrives": arriving("replace_in_file", one_diff, 'é"\\'),
    "a file that arrives": arriving("whole_file", lambda text: {"path": "a.py", "content": text}, "é\n"),
    "lines of an editor": shared,
    "rows of an editor": equal_rows,
    "a completion": on("@a `#{b ", completed),
    "brackets of a file": on("(((((]", shown),
    "names of a file": on("a.b->c::d ", shown),
    "repairs of lines": repairs,
    "hunks with problems": drawn_hunks,
    "hunks whose lines are gone": gone,
    "hunks that are made": made,
}


def cpu(work: Callable[[], object]) -> float:
    """Processor seconds, without those of the garbage collector: they grow with what other tests have left."""
    gc.collect()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        gc.enable()


@pytest.mark.parametrize("name", WORK)
def test_work_grows_as_the_text_does(name: str) -> None:
    short, long = WORK[name](LONG // 4), WORK[name](LONG)
    cpu(short)  # what is made with the first use
    least, most = math.inf, math.inf
    for _ in range(8):  # a busy machine takes caches away: it makes some rounds dear, not all
        least, most = min(least, cpu(short)), min(most, cpu(long))
        if most <= 4 * 3 * least + 0.1:  # quadratic: 16 times
            return
    pytest.fail(f"{least:.3f} s for a quarter of the text, {most:.3f} s for all of it")
