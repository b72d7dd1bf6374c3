"""Over generated files: the bytes of the intended lines change, and no others."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Decision, Replace, parse_replace_in_file, plan
from motet.edits.formats import parse_search_replace
from motet.text import TextFile
from motet.turn.text_calls import calls_of, read_text

ENCODINGS = [
    ("utf-8", b"", ""),
    ("utf-8", codecs.BOM_UTF8, ""),
    ("utf-16-le", codecs.BOM_UTF16_LE, ""),
    ("utf-16-be", codecs.BOM_UTF16_BE, ""),
    ("latin-1", b"", "# coding: latin-1 "),
    ("cp932", b"", "# coding: cp932 "),
]
# Everything that some function takes for a line end or for white space, and is neither here.
ODD = "\t \x0b\x0c\x1c\x1d\x1e\x85\xa0\u2028\u2029\u3000日本aé=<>"
Lines = list[tuple[str, str, str]]


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes, Lines, bool]:
    """Encoding, byte order mark, lines as (text, end, what to do with it), whether a final line end stands there."""
    encoding, bom, head = draw(st.sampled_from(ENCODINGS))
    odd = "".join(character for character in ODD if character.encode(encoding, "ignore"))
    texts = draw(st.lists(st.text(odd, max_size=6), min_size=1, max_size=12))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]]))
    final = draw(st.booleans())
    lines: Lines = []
    for number, text in enumerate(texts):
        end = draw(st.sampled_from(ends)) if final or number < len(texts) - 1 else ""
        does = draw(st.sampled_from(["keep", "keep", "replace", "delete", "insert"]))
        lines.append((f"{text if number else head}line {number}{text}", end, does if number else "keep"))
    return encoding, bom, lines, final


def edit_text(lines: Lines) -> str:
    """The blocks for what is to be done, as a model writes them: with LF."""
    new = {"replace": "new {0}\n", "delete": "", "insert": "{1}\nnew {0}\n"}
    blocks: list[str] = []
    for number, (text, _, does) in enumerate(lines):
        if does != "keep":
            replaced = new[does].format(number, text)
            blocks.append(f"<<<<<<< SEARCH\n{text}\n=======\n{replaced}>>>>>>> REPLACE\n")
    return "".join(blocks)


def expected(lines: Lines, final: bool) -> str:
    """A new line, and a last line that is not the last any more, take the line end of the line before."""
    result: list[tuple[str, str]] = []
    for number, (text, end, does) in enumerate(lines):
        if does in ("keep", "insert"):
            result.append((text, end))
        if does in ("replace", "insert"):
            result.append((f"new {number}", end))
    before = lines[-2][1] if len(lines) > 1 else "\n"
    closed = [(text, end or before) for text, end in result]
    if not final:
        closed[-1] = (closed[-1][0], "")
    return "".join(text + end for text, end in closed)


@pytest.mark.acceptance("S1-012", "CC-10")
@given(files())
def test_only_the_intended_lines_change_and_everything_else_stays_byte_for_byte(
    generated: tuple[str, bytes, Lines, bool],
) -> None:
    encoding, bom, lines, final = generated
    before = TextFile.decode("a.txt", bom + "".join(text + end for text, end, _ in lines).encode(encoding))
    diff = edit_text(lines)
    if not diff:
        return
    planned = plan({"a.txt": before}, parse_replace_in_file("a.txt", diff))
    assert planned.files[0].refusals == ()
    after = planned.proposals()[0].decide_pending(Decision.ACCEPTED).accepted()
    assert after == bom + expected(lines, final).encode(encoding)


@pytest.mark.parametrize("odd", list("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
def test_a_character_that_only_some_take_for_a_line_end_does_not_split_a_line(odd: str) -> None:
    diff = f"<<<<<<< SEARCH\na{odd}b\n=======\nc{odd}d\n>>>>>>> REPLACE"
    assert parse_replace_in_file("a.py", diff) == [Replace("a.py", f"a{odd}b\n", f"c{odd}d\n")]
    assert parse_search_replace(f"a.py\n{diff}") == [Replace("a.py", f"a{odd}b\n", f"c{odd}d\n", line=2)]
    found = read_text(f"a.py\n{diff}", elements=True)
    call = calls_of(found, found.edits)[0]
    assert "a.py" in call.arguments
    assert call.arguments.count("\\n") == 5
