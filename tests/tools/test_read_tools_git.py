"""`changed_files` in real repositories, those of strangers among them."""

import os
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.tools.builtin.changed_files import ChangedFiles
from motet.tools.changes import readable_diff
from motet.tools.reading import may_see


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.git("init", "-q")
    made.write("src/a.py", "a = 1\nb = 2\n")
    made.write("old.txt", "old\n")
    made.write("same.txt", "same\n")
    made.write(".env", "KEY=canary\n")
    made.commit()
    return made


async def test_what_has_changed_is_listed_with_its_diff(project: Project) -> None:
    project.write("src/a.py", "a = 1\nb = 3\n")
    project.write("new.txt", "new\n")
    project.write("added.txt", "日本語\n")
    project.git("add", "added.txt")
    (project.root / "old.txt").unlink()
    os.utime(project.root / "same.txt", (0, 0))
    output = await project.call(ChangedFiles)
    head, _, diff = output.text.partition("\n\n")
    assert head == ("4 changed files\nadded     added.txt\nuntracked new.txt\ndeleted   old.txt\nmodified  src/a.py")
    assert "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3" in diff
    assert "+日本語" in diff
    assert "-old" in diff


async def test_only_what_is_staged_and_only_some_paths(project: Project) -> None:
    project.write("src/a.py", "a = 1\nb = 3\n")
    project.git("add", "-A")
    project.write("src/a.py", "a = 1\nb = 4\n")
    project.write("old.txt", "new\n")
    staged = await project.call(ChangedFiles, staged=True)
    assert staged.text.startswith("1 changed file\nmodified  src/a.py\n")
    assert ("+b = 3" in staged.text, "+b = 4" in staged.text) == (True, False)
    some = await project.call(ChangedFiles, paths=["*.txt"], diff=False)
    assert some.text == "1 changed file\nmodified  old.txt"


async def test_nothing_changed_and_no_repository_are_said(project: Project, tmp_path: Path) -> None:
    assert (await project.call(ChangedFiles)).text == "nothing has changed since the last commit"
    assert (await project.call(ChangedFiles, staged=True)).text == "nothing is staged"
    (tmp_path / "bare").mkdir()
    output = await Project(tmp_path / "bare").call(ChangedFiles)
    assert output.is_error
    assert "is in no git repository" in output.text


async def test_before_the_first_commit_everything_is_new(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.git("init", "-q")
    project.write("a.txt", "a\n")
    project.write("b.txt", "b\n")
    project.git("add", "a.txt")
    output = await project.call(ChangedFiles)
    assert output.text.startswith("2 changed files\nadded     a.txt\nuntracked b.txt\n")
    assert "+a" in output.text


async def test_a_workspace_inside_a_repository_sees_its_own_part(tmp_path: Path) -> None:
    outer = Project(tmp_path)
    outer.git("init", "-q")
    outer.write("top.txt", "top\n")
    outer.write("project/in.txt", "in\n")
    outer.commit()
    outer.write("top.txt", "changed\n")
    outer.write("project/in.txt", "changed\n")
    output = await Project(outer.root).call(ChangedFiles)
    assert output.text.startswith("1 changed file\nmodified  in.txt\n")
    assert "+++ b/in.txt" in output.text
    assert "top" not in output.text


async def test_a_changed_secret_is_in_no_list_and_no_diff(project: Project) -> None:
    project.write(".env", "KEY=canary2\n")
    project.write("src/.env.local", "KEY=canary3\n")
    project.write("src/a.py", "a = 2\n")
    output = await project.call(ChangedFiles)
    assert output.text.startswith("1 changed file\nmodified  src/a.py\n")
    assert "canary" not in output.text


async def test_the_diff_that_a_human_shares_has_no_secret_either(project: Project) -> None:
    project.write(".env", "KEY=canary2\n")
    project.write("src/a.py", "a = 2\n")
    project.write("new.txt", "new\n")
    text = await readable_diff(project.root, lambda path: may_see(project.kit, path))
    assert ("+a = 2" in text, "canary" in text, "new" in text) == (True, False, False)
    assert await readable_diff(project.root, lambda path: False) == ""


async def test_line_ends_that_git_changes_are_no_change(project: Project) -> None:
    project.git("config", "core.autocrlf", "true")
    project.write("same.txt", "same\r\n")
    assert (await project.call(ChangedFiles)).text == "nothing has changed since the last commit"


async def test_a_long_diff_is_cut(project: Project) -> None:
    project.write("src/a.py", "".join(f"line {n} {'x' * 80}\n" for n in range(5000)))
    output = await project.call(ChangedFiles)
    assert output.text.endswith("\n(cut here; name `paths` to see the rest)")
    assert len(output.text) < 20_000


HOSTILE = """
[core]
    fsmonitor = {run}
    hooksPath = {hooks}
    pager = {run}
    attributesFile = {hooks}/attributes
[diff]
    external = {run}
[diff "evil"]
    textconv = {run}
    command = {run}
[filter "evil"]
    clean = {run}
    smudge = {run}
    process = {run}
    required = true
[filter "with.dots and BLANKS"]
    clean = {run}
    process = {run}
    required = true
[submodule]
    recurse = true
"""


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
async def test_nothing_that_a_hostile_repository_configures_is_run(project: Project, place: str) -> None:
    trace = project.root.parent / "was-run"
    run = project.root.parent / "evil"
    run.write_text(f"#!/bin/sh\necho \"$@\" >> '{trace}'\ncat\n")
    run.chmod(0o755)
    hooks = project.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).write_bytes(run.read_bytes())
        (hooks / hook).chmod(0o755)
    with (project.root / ".git" / "config").open("a") as file:
        file.write(HOSTILE.format(run=run, hooks=hooks))
    project.write(place, "*.py diff=evil filter=evil\n*.txt filter=with.dots\n")
    project.write("src/a.py", "a = 1\nb = 3\n")
    os.utime(project.root / "old.txt", (0, 0))
    output = await project.call(ChangedFiles)
    assert "modified  src/a.py" in output.text
    assert "+b = 3" in output.text
    assert not trace.exists()


async def test_a_filter_that_cannot_be_switched_off_is_refused(project: Project) -> None:
    with (project.root / ".git" / "config").open("a") as file:
        file.write('[filter "a=b"]\n    clean = false\n')
    output = await project.call(ChangedFiles)
    assert output.is_error
    assert "configures a filter 'a=b' that cannot be switched off" in output.text


async def test_a_submodule_is_not_entered(project: Project, tmp_path: Path) -> None:
    inner = Project(tmp_path / "inner") if (tmp_path / "inner").mkdir() is None else project
    inner.git("init", "-q")
    inner.write("x.txt", "x\n")
    inner.commit()
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    project.commit("two")
    trace = tmp_path / "was-run"
    config = project.root / ".git" / "modules" / "sub" / "config"
    with config.open("a") as file:
        file.write(f"[core]\n    fsmonitor = \"touch '{trace}'; false\"\n")
    (project.root / "sub" / "x.txt").write_text("changed\n")
    assert (await project.call(ChangedFiles)).text == "nothing has changed since the last commit"
    assert not trace.exists()
