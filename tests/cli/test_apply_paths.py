"""Which file an answer means: what stands in the project decides, whatever the answer's slashes and folders."""

from __future__ import annotations

import pytest
from cli.kit import Done, Project, block

APP = "function App() {\n  return <main>one</main>;\n}\n\nexport default App;\n"
NEW = APP.replace("one", "two")
CHANGE = block("  return <main>one</main>;\n", "  return <main>two</main>;\n")


def fence(path: str, text: str) -> str:
    return f"{path}\n```jsx\n{text}```\n"


def apply(project: Project, answer: str, *arguments: str, **how: str) -> Done:
    return project.here("apply", "--yes", *arguments, given=answer.encode(), **how)  # type: ignore[arg-type]


def files(project: Project) -> set[str]:
    return {str(file.relative_to(project.root)) for file in project.root.rglob("*") if file.is_file()}


# --- slashes of Windows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", [f"src\\App.js\n{CHANGE}", fence("src\\App.js", NEW), fence(".\\src\\App.js", NEW)]
)
def test_backslashes_are_read_as_slashes(project: Project, answer: str) -> None:
    project.write({"src/App.js": APP})
    assert apply(project, answer).code == 0
    assert (project.text("src/App.js"), files(project)) == (NEW, {"src/App.js"})


@pytest.mark.parametrize("answer", [f"src\\new\\App.js\n{block('', APP)}", fence("src\\new\\App.js", APP)])
def test_a_new_file_may_be_named_with_backslashes(project: Project, answer: str) -> None:
    project.write({"src/m.py": "x = 1\n"})
    assert apply(project, answer).code == 0
    assert (project.text("src/new/App.js"), files(project)) == (APP, {"src/m.py", "src/new/App.js"})


def test_a_file_with_a_backslash_in_its_name_is_meant(project: Project) -> None:
    project.write({"src\\App.js": APP, "src/App.js": APP})
    assert apply(project, f"src\\App.js\n{CHANGE}").code == 0
    assert (project.text("src\\App.js"), project.text("src/App.js")) == (NEW, APP)


def test_backslashes_do_not_lead_out_of_the_project(project: Project) -> None:
    (project.root.parent / "App.js").write_text(APP)
    assert apply(project, f"..\\App.js\n{CHANGE}").code == 1
    assert (project.root.parent / "App.js").read_text() == APP


@pytest.mark.parametrize("path", ["C:\\proj\\src\\new.js", "C:/proj/src/new.js"])
def test_a_drive_is_no_directory_of_the_project(project: Project, path: str) -> None:
    project.write({"src/App.js": APP})
    assert apply(project, fence(path, APP)).code == 1
    assert files(project) == {"src/App.js"}


def test_both_spellings_of_one_file_are_one_file(project: Project) -> None:
    project.write({"src/App.js": APP})
    more = block("export default App;\n", "export { App };\n")
    assert apply(project, f"src\\App.js\n{CHANGE}\nsrc/App.js\n{more}").code == 0
    assert project.text("src/App.js") == NEW.replace("default App", "{ App }")


# --- names without their folder --------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [f"App.js\n{CHANGE}", fence("App.js", NEW), f"src/App.js\n{CHANGE}"])
def test_the_only_file_whose_path_ends_so_is_meant(project: Project, answer: str) -> None:
    project.write({"client/src/App.js": APP})
    assert apply(project, answer).code == 0
    assert (project.text("client/src/App.js"), files(project)) == (NEW, {"client/src/App.js"})


def test_what_goes_has_to_be_named(project: Project) -> None:
    project.write({"src/App.js": APP})
    assert apply(project, "*** Begin Patch\n*** Delete File: App.js\n*** End Patch\n").code == 1
    assert files(project) == {"src/App.js"}


def test_of_two_files_whose_path_ends_so_none_is_meant(project: Project) -> None:
    project.write({"a/App.js": APP, "b/App.js": APP})
    done = apply(project, f"App.js\n{CHANGE}")
    assert (done.code, project.text("a/App.js"), project.text("b/App.js")) == (1, APP, APP)
    assert "App.js: did you mean a/App.js or b/App.js?" in done.err


def test_no_twin_is_made_of_a_file_that_stands_deeper(project: Project) -> None:
    project.write({"client/src/App.js": "import a from 'a';\n" * 20})
    for answer in (fence("App.js", APP), f"App.js\n{block('', APP)}"):
        done = apply(project, answer)
        assert (done.code, files(project)) == (1, {"client/src/App.js"})
        assert "client/src/App.js" in done.err


@pytest.mark.parametrize(
    "answer",
    [
        fence("./App.js", APP),
        f"*** Begin Patch\n*** Add File: App.js\n+{APP.rstrip().replace(chr(10), chr(10) + '+')}\n*** End Patch\n",
    ],
)
def test_a_new_file_that_is_called_one_is_made(project: Project, answer: str) -> None:
    project.write({"client/src/App.js": "import a from 'a';\n" * 20})
    assert apply(project, answer).code == 0
    assert project.text("App.js") == APP


def test_a_new_file_beside_others_of_its_folder_is_made(project: Project) -> None:
    project.write({"web/src/index.js": "import a from 'a';\n" * 20, "src/other.js": "x\n"})
    assert apply(project, fence("src/index.js", APP)).code == 0
    assert project.text("src/index.js") == APP


def test_a_file_that_the_answer_makes_is_no_other_one(project: Project) -> None:
    project.write({"client/App.js": APP})
    patch = "*** Begin Patch\n*** Add File: App.js\n+one\n+two\n*** End Patch\n"
    change = block("two\n", "three\n")
    assert apply(project, f"{patch}\nApp.js\n{change}").code == 0
    assert (project.text("App.js"), project.text("client/App.js")) == ("one\nthree\n", APP)


def test_a_directory_that_is_named_keeps_the_others_out(project: Project) -> None:
    project.write({"inner/m.py": "x\n", "outer/App.js": APP})
    assert apply(project, f"App.js\n{CHANGE}", "--root", "inner").code == 1
    assert project.text("outer/App.js") == APP


# --- names with a blank ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["my dir/App.js", "**my dir/App.js**", "### my dir/App.js:", "In my dir/App.js:"])
def test_the_project_tells_a_path_with_a_blank_from_a_sentence(project: Project, line: str) -> None:
    project.write({"my dir/App.js": APP, "dir/App.js": APP})
    assert apply(project, f"{line}\n{CHANGE}").code == 0
    assert (project.text("my dir/App.js"), project.text("dir/App.js")) == (NEW, APP)


def test_a_whole_file_below_a_path_with_a_blank_is_written(project: Project) -> None:
    project.write({"my dir/App.js": APP, "dir/App.js": APP})
    assert apply(project, fence("my dir/App.js", NEW)).code == 0
    assert (project.text("my dir/App.js"), project.text("dir/App.js")) == (NEW, APP)


def test_a_sentence_that_names_a_file_still_does(project: Project) -> None:
    project.write({"my dir/App.js": APP, "dir/App.js": APP})
    assert apply(project, f"Change dir/App.js:\n{CHANGE}").code == 0
    assert (project.text("my dir/App.js"), project.text("dir/App.js")) == (APP, NEW)


def test_a_new_file_goes_into_a_directory_with_a_blank(project: Project) -> None:
    project.write({"my dir/m.py": "x\n"})
    assert apply(project, fence("my dir/App.js", APP)).code == 0
    assert project.text("my dir/App.js") == APP
