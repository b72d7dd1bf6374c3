"""apply_patch: operations on files between two markers; what cannot be understood is refused with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Delete, Edit, EditPreview, Insert, Move, Near, Replace, Write
from motet.edits.formats.apply_patch import ApplyPatchReader, starts
from motet.edits.formats.reader import read
from motet.errors import EditFormatError


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def update(*lines: str) -> str:
    return patch("*** Update File: a.py", *lines)


def found(answer: str, *, path: str = "") -> list[Edit]:
    return read(ApplyPatchReader(path=path, call="c"), answer)


def refused(answer: str) -> tuple[str, int | None]:
    with pytest.raises(EditFormatError) as caught:
        found(answer)
    return str(caught.value), caught.value.line


def test_a_patch_adds_deletes_updates_and_moves_files() -> None:
    answer = patch(
        "*** Add File: new/n.py", "+a", "+", "+b",
        "*** Delete File: old.py",
        "*** Update File: a.py", "*** Move to: b/a.py", "@@ def f():", " x", "-y", "+z",
        "*** Update File: c.py", "-1", "+2",
    )  # fmt: skip
    assert found(answer) == [
        Write("new/n.py", "a\n\nb\n", True, "c", 2),
        Delete("old.py", "c", 6),
        Move("a.py", "b/a.py", "c", 8),
        Replace("a.py", "x\ny\n", "x\nz\n", "c", 9, Near(headers=("def f():",))),
        Replace("c.py", "1\n", "2\n", "c", 14),
    ]


@pytest.mark.parametrize(
    ("chunk", "near"),
    [
        (("@@",), Near()),
        (("@@ class A:", "@@   def f(self):"), Near(headers=("class A:", "def f(self):"))),
        (("@@ class A:", "", "@@ def f"), Near(headers=("class A:", "def f"))),
        (("@@", "@@ def f"), Near(headers=("def f",))),
        (("@@ -4,2 +4,2 @@ def f():",), Near(4, ("def f():",))),
        ((), Near()),
    ],
)
def test_a_chunk_may_begin_with_headers(chunk: tuple[str, ...], near: Near) -> None:
    (edit,) = found(update(*chunk, "-a", "+b"))
    assert edit == Replace("a.py", "a\n", "b\n", "c", 3, near)


def test_end_of_file_says_where_the_chunk_ends() -> None:
    (edit,) = found(update("@@", "-a", "+b", "*** End of File", ""))
    assert edit == Replace("a.py", "a\n", "b\n", "c", 3, Near(at_end=True))


@pytest.mark.parametrize(
    ("chunk", "near"),
    [
        (("@@", "+a"), Near(at_end=True)),
        (("+a",), Near(at_end=True)),
        (("@@ def f():", "+a"), Near(headers=("def f():",))),
        (("@@ def f():", "+a", "*** End of File"), Near(at_end=True)),
        (("@@ -7,0 +8 @@", "+a"), Near(8)),
    ],
)
def test_a_chunk_of_added_lines_goes_below_its_header_or_to_the_end(chunk: tuple[str, ...], near: Near) -> None:
    (edit,) = found(update(*chunk))
    assert edit == Insert("a.py", "a\n", near, "c", 3)


def test_empty_lines_are_context_in_a_chunk_but_not_at_its_end() -> None:
    edits = found(update("@@", "-a", "+b", "", " c", "", "@@", "", "-d", "+e", "", ""))
    assert [(edit.search, edit.replace) for edit in edits if isinstance(edit, Replace)] == [
        ("a\n\nc\n", "b\n\nc\n"),
        ("\nd\n", "\ne\n"),
    ]


@pytest.mark.parametrize(
    ("lines", "search"),
    [
        (("def f():", "-  a", "+  b", "}"), "def f():\n  a\n}\n"),
        ((" def f():", "-  a", "+  b", "}"), "def f():\n  a\n}\n"),
        (("def f():", "-  a", "+  b", "  c", "}"), "def f():\n  a\n  c\n}\n"),
        (("def f():", "-  a", "+  b", "   c", "}"), "def f():\n  a\n  c\n}\n"),
        (("***bold***", "-  a", "+  b", "***"), "***bold***\n  a\n***\n"),
    ],
)
def test_a_context_line_may_lack_its_space(lines: tuple[str, ...], search: str) -> None:
    (edit,) = found(update("@@", *lines))
    assert isinstance(edit, Replace)
    assert edit.search == search


def test_a_marker_with_a_space_before_it_is_text_within_a_chunk() -> None:
    (edit,) = found(update("@@", " *** Update File: x", "-a", "+b"))
    assert isinstance(edit, Replace)
    assert edit.search == "*** Update File: x\na\n"


@pytest.mark.parametrize("word", ["\"EOF'", "'EOF", '"EOF', "'EOF\" "])
def test_a_here_document_that_no_shell_takes_is_refused(word: str) -> None:
    message = "line 1: the quotes around the word after << do not match"
    assert refused(f"apply_patch <<{word}\n" + update("-a", "+b") + "EOF\n") == (message, 1)


@pytest.mark.parametrize("word", ["EOF", "'EOF'", '"EOF" ', "-EOF", 'EOF"'])
def test_a_here_document_is_taken_off(word: str) -> None:
    assert len(found(f"apply_patch <<{word}\n" + update("-a", "+b") + "EOF\n")) == 1


@pytest.mark.parametrize(
    "answer",
    [
        " *** Begin Patch\n  *** Update File: a.py \n@@\n-a\n+b\n*** End Patch \n",
        "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n *** End Patch\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch\nEOF\n",
        "Here:\n```patch\n*** Begin Patch\n*** Update File: `a.py`\n@@\n-a\n+b\n*** End Patch\n```\nDone.\n",
        "*** Begin Patch\r\n*** Update File: a.py\r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n",
        'apply_patch "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch"\n',
    ],
)
def test_wrappers_and_white_space_around_markers_do_not_matter(answer: str) -> None:
    assert [(type(edit), edit.path) for edit in found(answer)] == [(Replace, "a.py")]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "line 1: there is no *** Begin Patch"),
        ("bad", "line 1: there is no *** Begin Patch"),
        ("*** Update File: a\n-a\n+b\n", "line 1: there is no *** Begin Patch before this line"),
        (patch(), "line 2: the patch is empty"),
        (f"{update('-a')}*** Delete File: x\n", "line 5: there is no *** Begin Patch before this line"),
        ("*** Begin Patch\n*** Delete File: x\n", "line 2: the patch has no *** End Patch"),
        (patch("bad"), "line 2: this line belongs to no file; an operation such as *** Update File: has to come first"),
        (patch("*** Frobnicate File: x"), "line 2: '*** Frobnicate File: x' is no operation of a patch"),
        (update("@@", "-a", "*** Oops"), "line 5: '*** Oops' is no operation of a patch"),
        (update(), "line 2: nothing is changed in 'a.py'"),
        (update("@@", " a"), "line 2: nothing is changed in 'a.py'"),
        (update("-a", "@@ def f():"), "line 4: this chunk has no lines"),
        (update("*** End of File"), "line 3: *** End of File without a chunk before it"),
        (update("@@", "-a", "*** End of File", "-b"), "line 6: a line of text behind *** End of File"),
        (update("-a", "*** Move to: b"), "line 4: *** Move to: stands only directly below *** Update File:"),
        (update("*** Move to: a.py"), "line 2: nothing is changed in 'a.py'"),
        (patch("*** Add File: x", "a"), "line 3: a line of an added file has to begin with +"),
        (patch("*** Add File:"), "line 2: no path stands behind the colon"),
        (patch("*** Delete File: x", "-a"), "line 3: this line belongs to no file; an operation such as *** Update File: has to come first"),
        (patch("*** Delete File: x", "*** Delete File: x"), "line 3: 'x' is deleted here and deleted in line 2"),
        (patch("*** Add File: x", "*** Delete File: x"), "line 3: 'x' is deleted here and added in line 2"),
        (patch("*** Add File: x", "*** Update File: x", "-a"), "line 3: 'x' is updated here and added in line 2"),
        (
            patch("*** Add File: x", "*** Update File: a", "*** Move to: x"),
            "line 4: 'x' is the new name of another file here and added in line 2",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_its_line(answer: str, message: str) -> None:
    text, line = refused(answer)
    assert text == message
    assert text.startswith(f"line {line}: ")


def test_a_file_may_be_updated_twice_and_moved_without_a_change() -> None:
    answer = patch(
        "*** Update File: a", "-1", "+2", "*** Update File: a", "-3", "+4", "*** Update File: b", "*** Move to: c"
    )
    assert [type(edit) for edit in found(answer)] == [Replace, Replace, Move]


def test_an_added_file_may_be_empty() -> None:
    assert found(patch("*** Add File: x", "")) == [Write("x", "", True, "c", 2)]


def test_chunks_without_a_file_are_for_the_file_that_is_known() -> None:
    edit = Replace("x.py", "a\n", "b\n", "c")
    assert [e.path for e in found("@@\n-a\n+b\n", path="x.py")] == [edit.path]
    assert found("*** Begin Patch\n@@\n-a\n+b\n*** End Patch", path="x.py") == [Replace("x.py", "a\n", "b\n", "c", 2)]


def test_several_patches_are_read_from_one_answer() -> None:
    answer = f"One:\n{update('-a', '+b')}Two:\n{update('-c', '+d')}"
    assert [edit.line for edit in found(answer)] == [4, 10]


def test_a_patch_is_done_with_its_end_marker() -> None:
    reader = ApplyPatchReader()
    states = []
    for number, line in enumerate(update("-a", "+b").split("\n"), 1):
        reader.line(line, number)
        states.append(reader.is_done)
    assert states == [False, False, False, False, True, True]


def test_lines_are_shown_while_the_patch_is_still_coming() -> None:
    reader = ApplyPatchReader()
    lines = [
        "*** Begin Patch",
        "*** Delete File: d",
        "*** Add File: n",
        "+x",
        "",
        "+y",
        "*** Update File: a",
        " c",
        "-d",
    ]
    shown = [reader.line(line, number) for number, line in enumerate(lines, 1)]
    assert shown[3:6] == [
        [EditPreview("n", 2, "replace", ("x",))],
        [],
        [EditPreview("n", 2, "replace", ("", "y"))],
    ]
    assert shown[7:] == [
        [EditPreview("a", 3, "search", ("c",)), EditPreview("a", 3, "replace", ("c",))],
        [EditPreview("a", 3, "search", ("d",))],
    ]


def test_the_first_line_of_a_patch_is_known() -> None:
    assert [starts(line) for line in ("*** Begin Patch", "  *** Begin Patch ", "*** Update File: x", "prose")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("lines", [("@@", "x"), ("x",), ("@@", "-a", "+b", "@@ f", "x", " y")])
def test_a_chunk_without_any_sign_is_refused(lines: tuple[str, ...]) -> None:
    at = 2 + lines.index("@@ f") if "@@ f" in lines else 2
    said = f"line {at + 1}: no line of this chunk begins with + or -"
    assert refused(update(*lines)) == (said, at + 1)


LINES = st.sampled_from(
    ["*** Begin Patch", "*** End Patch", " *** End Patch", "*** Add File: a", "*** Update File: b", "*** Delete File: c",
     "*** Move to: d", "*** End of File", "*** x", "@@", "@@ f", " a", "-a", "+b", "", "text", "```"]
)  # fmt: skip


@given(st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=30), st.sampled_from(["", "p"]))
def test_whatever_the_lines_are_there_are_edits_or_a_format_error_of_one_of_them(lines: list[str], path: str) -> None:
    try:
        edits = found("\n".join(["*** Begin Patch", *lines]), path=path)
    except EditFormatError as error:
        assert error.line is not None
        assert str(error).startswith(f"line {error.line}: ")
    else:
        assert all(edit.path for edit in edits)
