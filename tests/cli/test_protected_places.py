"""Places where a write gains rights or runs code later: whoever says yes to everything is asked about each all the same,
by whatever name it is reached."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Project, Provider, block

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]

PLACES = (
    ".git/config", ".git/hooks/pre-commit", ".github/workflows/ci.yml", ".gitlab-ci.yml", ".motet.toml", ".exrc",
    ".nvim.lua", ".bashrc", ".profile", ".zshrc", ".vscode/settings.json", ".claude/settings.json", ".cursor/mcp.json",
    ".husky/pre-push", ".pre-commit-config.yaml", "AGENTS.md", "sub/CLAUDE.md", ".config/motet/config.toml",
    ".codex/config.toml", ".gemini/settings.json",
)  # fmt: skip
EVERYTHING = '[permissions]\nallow = ["send", "read", "write", "write:**", "run", "net"]\n[chat]\ntitles = false\n'
MAY_IT = "Write it this once? [y]es, [n]o:"


def plain(path: str) -> str:
    return path


def dotted(path: str) -> str:
    return f"./{path.replace('/', '/./')}"


def shouted(path: str) -> str:
    return path.upper()


def linked(path: str) -> str:
    return f"links/{path.replace('/', '-')}"


def through_a_linked_directory(path: str) -> str:
    directory, _, name = path.rpartition("/")
    return f"links/to-{directory.replace('/', '-')}/{name}" if directory else f"links/to-all/{name}"


@pytest.fixture
def places(project: Project) -> Project:
    """A project with all of these files and links to them, whose user has allowed all that a rule can allow."""
    project.write(dict.fromkeys(PLACES, "# old\n"))
    (project.root / "links").mkdir()
    (project.root / "links" / "to-all").symlink_to("..")
    for path in PLACES:
        (project.root / linked(path)).symlink_to(f"../{path}")
        place = (project.root / through_a_linked_directory(path)).parent
        if not place.exists():
            place.symlink_to(f"../{path.rpartition('/')[0]}")
    return project


@pytest.mark.acceptance("T-02")
@pytest.mark.parametrize("alias", [plain, dotted, shouted, linked, through_a_linked_directory])
def test_in_full_auto_each_is_asked_about_with_a_warning_of_its_own_and_a_no_changes_nothing(
    places: Project, provider: Serve, alias: Callable[[str], str]
) -> None:
    if alias is shouted:  # a file of its own here; on other systems it is the same one
        places.write({shouted(path): "# old\n" for path in PLACES})
    calls = tuple(
        call("replace_in_file", {"path": alias(path), "diff": block("# old\n", "# new\n")}, f"c{number}")
        for number, path in enumerate(PLACES)
    )
    provider([Answer(calls=calls), Answer(text="That was all.")], more=EVERYTHING)
    before = {path: path.read_bytes() for path in places.root.rglob("*") if path.is_file()}
    human = places.human("ask", "-y", "--allow", "write", "-t", "editor", "go on", columns=120, rows=50)
    real = shouted if alias is shouted else plain
    for path in PLACES:
        human.sees("A write to a protected place, asked for by the model.")
        human.sees(f"file:     {real(path)}\r\n")
        human.is_asked(MAY_IT)
        human.presses("n")
    human.sees("That was all.")
    assert human.ends() == 0
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.acceptance("T-02")
def test_where_nobody_can_be_asked_none_is_written(places: Project, provider: Serve) -> None:
    calls = tuple(
        call(
            "replace_in_file", {"path": alias(path), "diff": block("# old\n", "# new\n")}, f"{alias.__name__}{number}"
        )
        for number, path in enumerate(PLACES)
        for alias in (plain, dotted, linked, through_a_linked_directory)
    )
    provider([Answer(calls=calls), Answer(text="That was all.")], more=EVERYTHING)
    done = places.run("ask", "-y", "--allow", "write", "-t", "editor", "go on")
    assert done.out == "That was all.\n"
    assert {places.text(path) for path in PLACES} == {"# old\n"}


@pytest.mark.acceptance("T-02", "T-10")
def test_a_second_name_of_a_protected_file_is_not_written(places: Project, provider: Serve) -> None:
    for number, path in enumerate(PLACES):
        (places.root / f"{number}.txt").hardlink_to(places.root / path)
    calls = tuple(
        call("replace_in_file", {"path": f"{number}.txt", "diff": block("# old\n", "# new\n")}, f"c{number}")
        for number in range(len(PLACES))
    )
    served = provider([Answer(calls=calls), Answer(text="That was all.")], more=EVERYTHING)
    assert places.run("ask", "-y", "--allow", "write", "-t", "editor", "go on").out == "That was all.\n"
    assert {places.text(path) for path in PLACES} == {"# old\n"}
    told = [one["content"] for one in served.requests[1].body["messages"] if one["role"] == "tool"]  # type: ignore[index]
    assert ["2 names (hard links)" in each for each in told] == [True] * len(PLACES)


@pytest.mark.acceptance("T-02")
@pytest.mark.parametrize("there", [True, False])
def test_what_holds_secrets_besides_is_neither_changed_nor_made(
    project: Project, provider: Serve, there: bool
) -> None:
    places = (".envrc", ".env", "sub/.envrc")
    if there:
        project.write(dict.fromkeys(places, "# old\n"))
    calls = tuple(
        call("create_file", {"path": path, "content": "# new\n"}, f"a{number}") for number, path in enumerate(places)
    ) + tuple(
        call("replace_in_file", {"path": path, "diff": block("# old\n", "# new\n")}, f"b{number}")
        for number, path in enumerate(places)
    )
    served = provider([Answer(calls=calls), Answer(text="That was all.")], more=EVERYTHING)
    human = project.human("ask", "-y", "--allow", "write", "-t", "files", "go on", columns=120, rows=50)
    if not there:
        for path in places:
            human.sees("A write to a protected place, asked for by the model.")
            human.sees(f"file:     {path}\r\n")
            human.is_asked(MAY_IT)
            human.presses("n")
    human.sees("That was all.")
    assert human.ends() == 0
    found = {path: project.text(path) for path in places if (project.root / path).exists()}
    assert found == (dict.fromkeys(places, "# old\n") if there else {})
    assert len(served.requests) == 2
