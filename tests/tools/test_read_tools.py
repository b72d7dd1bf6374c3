"""`read_file`, `list_files` and `find_files` on real files."""

import json
import os
from pathlib import Path

import pytest
from tools.tool_kit import Project, sparse

from motet.edits import Replace
from motet.errors import MotetError
from motet.messages import Document, Image, ToolCall
from motet.permissions import Rule
from motet.permissions.rules import Verdict
from motet.tools import EditDesk, Toolbox
from motet.tools.builtin import edit_tool
from motet.tools.builtin.find_files import FindFiles
from motet.tools.builtin.list_files import ListFiles
from motet.tools.builtin.read_file import ReadFile, ReadFileInput
from motet.tools.kit import Kit
from motet.tools.toolbox import MAX_OUTPUT_CHARACTERS
from motet.workspace import MemoryWorkspace

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


# --- read_file -------------------------------------------------------------------------------------------------


async def test_a_file_comes_with_numbered_lines(project: Project) -> None:
    project.write("src/a.py", "def f():\n    return '日本語'\n")
    output = await project.call(ReadFile, path="src/a.py")
    assert output.text == "src/a.py: 2 lines\n   1│ def f():\n   2│     return '日本語'"
    assert not output.is_error


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\rb\r", "a\nb\n", "a\nb", "\ufeffa\r\nb"])
async def test_every_kind_of_line_end_is_shown_alike(project: Project, text: str) -> None:
    project.write("a.txt", text)
    output = await project.call(ReadFile, path="./a.txt")
    assert output.text == "a.txt: 2 lines\n   1│ a\n   2│ b"


async def test_a_range_is_named_and_ends_with_the_file(project: Project) -> None:
    project.write("a.txt", "".join(f"line {n}\n" for n in range(1, 21)))
    output = await project.call(ReadFile, path="a.txt", first_line=19, last_line=40)
    assert output.text == "a.txt: lines 19-20 of 20\n  19│ line 19\n  20│ line 20"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"first_line": 3}, "read_file: a.txt: has 2 lines; there is no line 3"),
        ({"first_line": 2, "last_line": 1}, "read_file: a.txt: last_line 1 comes before first_line 2"),
    ],
)
async def test_lines_that_there_are_not_are_told(project: Project, arguments: dict[str, object], text: str) -> None:
    project.write("a.txt", "a\nb\n")
    output = await project.call(ReadFile, path="a.txt", **arguments)
    assert (output.text, output.is_error) == (text, True)


async def test_a_long_file_is_cut_and_can_be_read_on_to_its_end(project: Project) -> None:
    lines = [f"line {n} {'x' * 50}" for n in range(1, 2001)]
    project.write("long.txt", "\n".join(lines))
    read: list[str] = []
    first = 1
    for _ in range(20):
        output = await project.call(ReadFile, path="long.txt", first_line=first)
        assert len(output.text) <= MAX_OUTPUT_CHARACTERS
        shown = [line for line in output.text.split("\n") if "│ " in line]
        read += [line.split("│ ", 1)[1] for line in shown]
        last = output.text.split("\n")[-1]
        if not last.startswith("(cut here"):
            break
        first = int(last.removesuffix(")").rpartition(" ")[2])
    assert read == lines


async def test_a_very_long_line_is_cut_and_says_so(project: Project) -> None:
    project.write("min.js", "x" * 100_000)
    output = await project.call(ReadFile, path="min.js")
    assert output.text.endswith("xxx … (98000 more characters)")
    assert len(output.text) < 2_100


async def test_an_empty_file_is_said_to_be_empty(project: Project) -> None:
    project.write("a.txt", "")
    assert (await project.call(ReadFile, path="a.txt")).text == "a.txt: empty file"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/areas.py", "src/areas.py: no such file; near: src/area.py"),
        ("area.py", "area.py: no such file; near: src/area.py"),
        ("zzz", "zzz: no such file; list_files and find_files say what there is"),
        ("src", "src: is a directory; list_files says what is in it"),
        ("data.bin", "data.bin: binary file; it cannot be read as text"),
        ("odd.txt", "odd.txt: not valid utf-8; declare its encoding in the first line, or name it with --encoding or the setting `encoding`; it cannot be read as text"),
        ("pipe", "pipe: not a regular file"),
        ("", "the path is empty; name a file relative to the workspace"),
        ("a\0b", "a\\x00b: not a valid file name"),
        ("a\ud83d", "a\\ud83d: not a valid file name"),
    ],
)  # fmt: skip
async def test_what_cannot_be_read_is_one_clear_line(project: Project, path: str, text: str) -> None:
    project.write("src/area.py", "a\n")
    project.write("data.bin", b"\0\1\2")
    project.write("odd.txt", b"caf\xe9\x01")
    os.mkfifo(project.root / "pipe")
    with pytest.raises(MotetError) as error:
        await ReadFile(project.kit).call(ReadFileInput(path=path))
    assert str(error.value) == text


async def test_a_gigabyte_is_refused_at_once(project: Project) -> None:
    sparse(project.root / "huge.txt", 2**30)
    output = await project.call(ReadFile, path="huge.txt")
    assert output.text.startswith("read_file: huge.txt: 1073.7 MB is more than motet edits (16 MiB)")
    assert output.is_error


async def test_a_picture_and_a_document_are_attached(project: Project) -> None:
    project.write("a.png", PNG)
    project.write("b.pdf", b"%PDF-1.7\n")
    picture = await project.call(ReadFile, path="a.png")
    assert (picture.text, picture.parts) == ("a.png: attached as an image", (Image(PNG, "image/png", "a.png"),))
    document = await project.call(ReadFile, path="b.pdf")
    assert document.parts == (Document(b"%PDF-1.7\n", "application/pdf", "b.pdf"),)


async def test_a_picture_by_name_only_is_read_as_what_it_is(project: Project) -> None:
    project.write("a.png", "no picture\n")
    output = await project.call(ReadFile, path="a.png")
    assert (output.text, output.parts) == ("a.png: 1 line\n   1│ no picture", ())


async def test_a_picture_that_no_model_takes_is_refused(project: Project) -> None:
    sparse(project.root / "a.png", 2**30)
    output = await project.call(ReadFile, path="a.png")
    assert (output.text, output.is_error) == ("read_file: a.png: larger than 5 MiB, which no model takes", True)


@pytest.mark.parametrize("path", [".env", "link", "dir/../.env", "sub/up"])
async def test_a_secret_is_denied_by_every_name(project: Project, path: str) -> None:
    project.write(".env", "KEY=canary\n")
    project.write("sub/a", "")
    (project.root / "link").symlink_to(".env")
    (project.root / "sub/up").symlink_to("../.env")
    output = await project.call(ReadFile, path=path)
    assert output.is_error
    assert "canary" not in output.text
    assert "a file of secrets, which no model may read" in output.text


@pytest.mark.parametrize("path", ["{outside}", "out", "../outside.txt"])
async def test_a_file_outside_is_asked_about_with_its_real_path(tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("canary\n")
    project = Project(tmp_path, allow=False)
    (project.root / "out").symlink_to(outside)
    output = await project.call(ReadFile, path=path.format(outside=outside))
    assert [action.subject for action in project.asked] == [str(outside)]
    assert (output.is_error, "canary" in output.text) == (True, False)


@pytest.mark.parametrize("path", ["{outside}", "out"])
async def test_a_file_outside_is_read_after_a_yes(tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("hello\n")
    project = Project(tmp_path, allow=True)
    (project.root / "out").symlink_to(outside)
    output = await project.call(ReadFile, path=path.format(outside=outside))
    assert output.text.split("\n")[1] == "   1│ hello"
    assert len(project.asked) == 1


async def test_a_file_outside_is_read_in_the_encoding_that_the_user_set(tmp_path: Path) -> None:
    project = Project(tmp_path, allow=True, encoding="cp437")
    for place in (tmp_path / "outside.txt", project.root / "inside.txt"):
        place.write_bytes("caf\u00e9\n".encode("cp437"))
        output = await project.call(ReadFile, path=str(place))
        assert output.text.split("\n")[1] == "   1│ caf\u00e9"


async def test_without_anybody_to_ask_a_file_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("canary\n")
    output = await Project(tmp_path).call(ReadFile, path="../outside.txt")
    assert output.is_error
    assert "needs a yes" in output.text


async def test_a_secret_is_not_even_named_among_the_near_ones(project: Project) -> None:
    project.write(".env.local", "KEY=canary\n")
    output = await project.call(ReadFile, path=".env.locale.txt")
    assert "near" not in output.text


async def test_a_rule_of_the_user_keeps_a_file_from_the_model(tmp_path: Path) -> None:
    project = Project(tmp_path, rules=[Rule.parse("read:plans/*", Verdict.DENY)])
    project.write("plans/a.md", "canary\n")
    output = await project.call(ReadFile, path="plans/a.md")
    assert (output.is_error, "canary" in output.text) == (True, False)


async def test_a_name_that_is_no_text_is_found_by_the_way_it_is_shown(project: Project) -> None:
    project.write("bad\udcff.txt", b"hello\n")
    listed = await project.call(ListFiles)
    assert listed.text == ".: 1 file\nbad\\udcff.txt"
    output = await project.call(ReadFile, path="bad\\udcff.txt")
    assert output.text == "bad\\udcff.txt: 1 line\n   1│ hello"


async def test_a_workspace_that_is_not_on_the_disk_is_read_as_well(project: Project, tmp_path: Path) -> None:
    memory = MemoryWorkspace({"src/a.py": "a = 1\n", ".env": "KEY=canary\n"})
    desk = EditDesk(memory, project.reviewer)
    kit = Kit(memory, lambda: desk, project.gate, tmp_path)
    assert (await ReadFile(kit).call(ReadFileInput(path="src/a.py"))).text == "src/a.py: 1 line\n   1│ a = 1"
    with pytest.raises(MotetError, match="a file of secrets"):
        await ReadFile(kit).call(ReadFileInput(path=".env"))


@pytest.mark.acceptance("S0-120")
async def test_an_edit_copied_with_its_numbers_finds_its_place(project: Project) -> None:
    project.write("a.py", "".join(f"value_{n} = {n}\n" for n in range(1, 201)))
    output = await project.call(ReadFile, path="a.py", first_line=99, last_line=101)
    copied = "\n".join(output.text.split("\n")[1:])
    diff = f"<<<<<<< SEARCH\n{copied}\n=======\n{copied.replace('= 100', '= 0')}\n>>>>>>> REPLACE\n"
    edit = edit_tool("replace_in_file", project.desk)
    await Toolbox([edit]).run([ToolCall("1", "replace_in_file", json.dumps({"path": "a.py", "diff": diff}))])
    lines = project.read("a.py").decode().splitlines()
    assert lines[98:101] == ["value_99 = 99", "value_100 = 0", "value_101 = 101"]


async def test_edits_are_matched_against_the_version_that_was_read(project: Project) -> None:
    project.write("a.py", "a = 1\nb = 1\n")
    await project.call(ReadFile, path="a.py")
    project.write("a.py", "a = 1\nb = 1\n# by hand\na = 1\n")  # now there are two places
    await project.desk.submit([Replace("a.py", "a = 1\n", "a = 2\n")])
    assert project.read("a.py") == b"a = 2\nb = 1\n# by hand\na = 1\n"


async def test_calls_that_read_ask_for_no_write(project: Project) -> None:
    project.write("a.py", "a = 1\n")
    await project.call(ReadFile, path="a.py")
    assert (project.reviewer.seen, project.read("a.py")) == ([], b"a = 1\n")


# --- list_files ------------------------------------------------------------------------------------------------


async def test_a_tree_leaves_out_ignored_vendored_and_secret_files(project: Project) -> None:
    for path in ("src/motet/a.py", "src/b.py", "README.md", ".env", "node_modules/x.js", "out/log.txt"):
        project.write(path, "x\n")
    project.write(".gitignore", "out/\n")
    output = await project.call(ListFiles)
    assert output.text == ".: 4 files\n.gitignore\nREADME.md\nsrc/\n  b.py\n  motet/\n    a.py"


async def test_a_directory_is_listed_by_itself_and_to_a_depth(project: Project) -> None:
    for path in ("src/a/b/c.py", "src/a/d.py", "other.py"):
        project.write(path, "x\n")
    output = await project.call(ListFiles, path="src/", depth=1)
    assert output.text == "src: 2 files\na/ (2 files)"


async def test_a_large_tree_is_shown_as_deep_as_fits(project: Project) -> None:
    for number in range(30):
        for name in range(30):
            project.write(f"d{number:02}/f{name:02}.txt", "")
    output = await project.call(ListFiles)
    assert output.text.split("\n")[:3] == [".: 900 files", "d00/ (30 files)", "d01/ (30 files)"]
    assert len(output.text.split("\n")) == 31


async def test_very_many_files_in_one_directory_are_cut_with_their_number(project: Project) -> None:
    for number in range(500):
        project.write(f"f{number:03}.txt", "")
    output = await project.call(ListFiles)
    assert output.text.endswith("f399.txt\n(cut here; 100 more entries: list a directory below)")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("nowhere", "list_files: nowhere: no such file"),
        ("..", "list_files: ..: outside of the workspace {root}"),
        ("out", "list_files: out: outside of the workspace {root}"),
    ],
)
async def test_a_directory_that_is_not_in_the_project_is_refused(project: Project, path: str, text: str) -> None:
    (project.root / "out").symlink_to("/etc")
    output = await project.call(ListFiles, path=path)
    assert (output.text, output.is_error) == (text.format(root=project.root), True)


# --- find_files ------------------------------------------------------------------------------------------------

NAMES = ("src/app.ts", "src/view/app.tsx", "src/view/menu.tsx", "test/app_test.ts", "docs/アプリ.md", "README.md")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("*.tsx", ["src/view/app.tsx", "src/view/menu.tsx"]),
        ("src/*.ts", ["src/app.ts"]),
        ("src/**/*.{ts,tsx}", ["src/app.ts", "src/view/app.tsx", "src/view/menu.tsx"]),
        ("**/app*", ["src/app.ts", "src/view/app.tsx", "test/app_test.ts"]),
        ("app.ts", ["src/app.ts", "src/view/app.tsx"]),
        ("view", ["src/view/app.tsx", "src/view/menu.tsx"]),
        ("アプリ", ["docs/アプリ.md"]),
        ("readme", ["README.md"]),
        ("raedme.md", ["README.md"]),
        ("*.go", []),
    ],
)
async def test_files_are_found_by_pattern_part_or_likeness(project: Project, name: str, found: list[str]) -> None:
    for path in NAMES:
        project.write(path, "")
    output = await project.call(FindFiles, name=name)
    assert output.text.split("\n")[1:] == found


async def test_a_pattern_meant_to_take_for_ever_does_not(project: Project) -> None:
    project.write("a" * 200, "")
    output = await project.call(FindFiles, name="a*" * 100 + "b")
    assert output.text.startswith("no files that fit a*")
