"""`create_file`, `delete_file`, `move_file`: proposals like any edit, each with its exact path, and to be undone."""

import json
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.edits import Decision
from motet.messages import ToolCall
from motet.tools import Toolbox
from motet.tools.builtin import edit_tool
from motet.tools.builtin.create_file import CreateFile
from motet.tools.builtin.delete_file import DeleteFile
from motet.tools.builtin.move_file import MoveFile
from motet.tools.builtin.read_file import ReadFile


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def reject(project: Project) -> None:
    project.reviewer.decide = lambda proposal: proposal.decide_pending(Decision.REJECTED)


@pytest.mark.acceptance("S0-009", "CL-07")
async def test_a_new_file_stands_where_it_was_asked_for(project: Project) -> None:
    output = await project.call(CreateFile, path="./src/日本/a.py", content="a = 1\n")
    assert project.read("src/日本/a.py") == b"a = 1\n"
    assert (output.text, output.is_error) == ("src/日本/a.py: created, applied 1 of 1 hunk", False)
    assert [proposal.path for proposal in project.reviewer.seen] == ["src/日本/a.py"]


async def test_an_empty_file_can_be_created(project: Project) -> None:
    output = await project.call(CreateFile, path="py.typed")
    assert (project.read("py.typed"), output.is_error) == (b"", False)


async def test_a_file_that_stands_there_is_not_overwritten(project: Project) -> None:
    project.write("a.py", "mine\n")
    output = await project.call(CreateFile, path="a.py", content="new\n")
    assert output.is_error
    assert (project.read("a.py"), project.reviewer.seen) == (b"mine\n", [])


@pytest.mark.acceptance("CL-07")
async def test_a_deleted_file_can_be_brought_back(project: Project) -> None:
    project.write("a.py", "a = 1\r\n")
    output = await project.call(DeleteFile, path="a.py")
    assert (project.files, output.text, output.is_error) == ([], "a.py: deleted", False)
    await project.workspace.undo()
    assert project.read("a.py") == b"a = 1\r\n"


async def test_a_deletion_that_the_human_refuses_deletes_nothing(project: Project) -> None:
    project.write("a.py", "a = 1\n")
    reject(project)
    output = await project.call(DeleteFile, path="a.py")
    assert project.read("a.py") == b"a = 1\n"
    assert "deleted" not in output.text.replace("not deleted", "")


async def test_a_file_that_changed_since_the_model_read_it_is_not_deleted(project: Project) -> None:
    project.write("a.py", "a = 1\n")
    await project.call(ReadFile, path="a.py")
    project.write("a.py", "a = 1\nby_hand = 1\n")
    output = await project.call(DeleteFile, path="a.py")
    assert output.is_error
    assert project.read("a.py") == b"a = 1\nby_hand = 1\n"


@pytest.mark.acceptance("CL-07")
async def test_a_file_is_moved_with_its_bytes_and_back(project: Project) -> None:
    data = "\ufeffä\r\n".encode()
    project.write("a.py", data)
    output = await project.call(MoveFile, path="a.py", to="src/b.py")
    assert (project.files, project.read("src/b.py")) == (["src/b.py"], data)
    assert (output.text, output.is_error) == ("a.py: moved to src/b.py", False)
    [proposal] = project.reviewer.seen
    assert (proposal.path, proposal.moves_to) == ("a.py", "src/b.py")
    await project.workspace.undo()
    assert (project.files, project.read("a.py")) == (["a.py"], data)


async def test_a_file_is_not_moved_over_another_one(project: Project) -> None:
    project.write("a.py", "a\n")
    project.write("b.py", "b\n")
    output = await project.call(MoveFile, path="a.py", to="b.py")
    assert output.is_error
    assert (project.read("a.py"), project.read("b.py")) == (b"a\n", b"b\n")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (CreateFile, {"path": "../out.py", "content": "x"}),
        (CreateFile, {"path": "/etc/motet-test", "content": "x"}),
        (CreateFile, {"path": "link/x.py", "content": "x"}),
        (CreateFile, {"path": "", "content": "x"}),
        (DeleteFile, {"path": "../outside.txt"}),
        (DeleteFile, {"path": "nowhere.py"}),
        (DeleteFile, {"path": "data.bin"}),
        (MoveFile, {"path": "a.py", "to": "../out.py"}),
        (MoveFile, {"path": "a.py", "to": "link/a.py"}),
        (MoveFile, {"path": "a.py", "to": ""}),
        (MoveFile, {"path": "../outside.txt", "to": "in.txt"}),
    ],
)  # fmt: skip
async def test_nothing_outside_or_binary_is_touched(
    project: Project, tool: type[CreateFile], arguments: dict[str, object]
) -> None:
    (project.root.parent / "outside.txt").write_text("outside\n")
    (project.root / "link").symlink_to(project.root.parent)
    project.write("a.py", "a\n")
    project.write("data.bin", b"\0")
    output = await project.call(tool, **arguments)
    assert output.is_error
    assert project.files == ["a.py", "data.bin"]
    assert (project.root.parent / "outside.txt").read_text() == "outside\n"
    assert not (project.root.parent / "out.py").exists()


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".vscode/settings.json", "AGENTS.md", ".env"])
async def test_a_protected_place_is_asked_about_besides_the_review(tmp_path: Path, path: str) -> None:
    project = Project(tmp_path, allow=False)
    output = await project.call(CreateFile, path=path, content="x\n")
    assert output.is_error
    assert ([str(action) for action in project.asked], (project.root / path).exists()) == ([f"write:{path}"], False)


@pytest.mark.acceptance("CL-07", "S0-112")
async def test_calls_of_one_answer_are_reviewed_together_and_each_says_what_it_came_to(project: Project) -> None:
    project.write("there.py", "mine\n")
    good, bad, other = await project.calls(
        CreateFile,
        {"path": "a.py", "content": "a = 1\n"},
        {"path": "there.py", "content": "x\n"},
        {"path": "b.py", "content": "b = 1\n"},
    )
    assert [good.is_error, bad.is_error, other.is_error] == [False, True, False]
    assert [proposal.path for proposal in project.reviewer.seen] == ["a.py", "b.py"]
    assert (project.read("a.py"), project.read("there.py"), project.read("b.py")) == (
        b"a = 1\n",
        b"mine\n",
        b"b = 1\n",
    )


async def test_two_calls_for_one_new_file_do_not_overwrite_each_other(project: Project) -> None:
    outputs = await project.calls(CreateFile, {"path": "a.py", "content": "1\n"}, {"path": "a.py", "content": "2\n"})
    assert any(output.is_error for output in outputs)
    assert project.files in ([], ["a.py"])


@pytest.mark.acceptance("S0-118")
async def test_lines_are_added_changed_and_deleted(project: Project) -> None:
    project.write("a.py", "one\ntwo\nthree\n")
    edits = [
        {"old": "one\n", "new": "one\nadded\n"},
        {"old": "two\n", "new": "changed\n"},
        {"old": "three\n", "new": ""},
    ]
    output = await project.call(edit_tool("edit_file", project.desk), path="a.py", edits=edits)
    assert (project.read("a.py"), output.is_error) == (b"one\nadded\nchanged\n", False)


@pytest.mark.acceptance("S0-104", "S0-117", "S0-119")
async def test_what_one_call_makes_the_next_call_of_the_answer_finds(project: Project) -> None:
    tools = [CreateFile(project.kit), MoveFile(project.kit), edit_tool("edit_file", project.desk)]
    calls = [
        ("create_file", {"path": "a.py", "content": "a = 1\n"}),
        ("edit_file", {"path": "a.py", "edits": [{"old": "a = 1", "new": "a = '<&>'"}]}),
        ("move_file", {"path": "a.py", "to": "b.py"}),
    ]
    outputs = await Toolbox(tools).run(
        [ToolCall(str(at), name, json.dumps(arguments)) for at, (name, arguments) in enumerate(calls)]
    )
    assert [output.is_error for output in outputs] == [False, False, False]
    assert (project.files, project.read("b.py")) == (["b.py"], b"a = '<&>'\n")
