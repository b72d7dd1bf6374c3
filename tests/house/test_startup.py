"""Start-up is a feature: what each entry point imports, and that importing does nothing but import."""

import ast
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from motet.models.scripted import Answer, ScriptedServer

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "motet"
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
MODULES = sorted(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
)
# Loaded on first use only: each costs tens of milliseconds or pulls in many modules.
HEAVY = {
    "httpx2",
    "pydantic_ai",
    "boto3",
    "lsprotocol",
    "rich",
    "tree_sitter",
    "tree_sitter_python",
    "markdown_it",
    "tomlkit",
}
# What a question without files, tools and edits has no use for.
NOT_FOR_A_QUESTION = {
    *("bs4", "lsprotocol", "markdownify", "pathspec", "prompt_toolkit", "pygments", "pypdf", "rapidfuzz"),
    *("rich.console", "rich.markdown", "tomlkit", "tree_sitter"),
    *("motet.edits", "motet.diagnostics.service", "motet.fix", "motet.web", "motet.tools.desk", "motet.tools.search"),
    *("motet.cli.chat", "motet.cli.review", "motet.models.offline", "motet.models.scripted"),
}

# Runs argv[1] as code and prints, as JSON on the last line, what was imported beyond a bare interpreter.
IMPORTED = """
import json, sys
before = set(sys.modules)
try:
    exec(sys.argv.pop(1))
except SystemExit as end:
    assert not end.code, end.code
print("\\n" + json.dumps(sorted(set(sys.modules) - before)))
"""

# Imports argv[1:] and prints, as JSON, whatever touched the network, a process or a file for writing.
WATCHED = """
import importlib, json, os, sys
seen = []
loud = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname",
        "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn",
        "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod",
        "tempfile.mkstemp", "tempfile.mkdtemp", "sqlite3.connect", "signal.signal")
def watch(event, args):
    if event in loud:
        seen.append(f"{event} {args[0]!r}")
    elif event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen.append(f"open for writing {args[0]!r}")
sys.addaudithook(watch)
for name in sys.argv[1:]:
    at = len(seen)
    importlib.import_module(name)
    seen[at:] = [f"{name}: {what}" for what in seen[at:]]
print(json.dumps(seen))
"""


# Runs `motet … --help` for every command there is, and prints, as JSON, how many those were and what they touched.
HELPED = (
    WATCHED.partition("for name in")[0]
    + """
import click, contextlib, io
from motet.__main__ import main
from motet.cli.app import group
def walk(command, words):
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), [*words, name])
said = set()
for words in walk(group, []):
    at = len(seen)
    sys.argv = ["motet", *words, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main() == 0, words
    said.add(out.getvalue())
    seen[at:] = [f"{' '.join(sys.argv)}: {what}" for what in seen[at:]]
print(json.dumps([len(said), seen]))
"""
)


def python(code: str, *arguments: str, cwd: Path = ROOT, path: Path | None = None) -> str:
    """Run `code` in a fresh interpreter, `path` importable; its standard output."""
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, *arguments],
        cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported_by(code: str, *arguments: str) -> set[str]:
    """Modules that running `code` imports beyond those of a bare interpreter."""
    return set(json.loads(python(IMPORTED, code, *arguments).splitlines()[-1]))


def foreign(modules: set[str]) -> set[str]:
    """Top names that are neither ours nor the standard library's."""
    names = {module.partition(".")[0] for module in modules}
    return {name for name in names if name not in sys.stdlib_module_names and not name.startswith("_")} - {"motet"}


def named_in(path: Path) -> set[str]:
    """Modules that a source file imports, at its top or where they are used."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


def ours(modules: set[str]) -> set[str]:
    return {module for module in modules if module.partition(".")[0] == "motet"}


def test_import_motet_imports_nothing_else() -> None:
    modules = imported_by("import motet")
    assert modules - {"__future__"} == {"motet"}


def test_version_is_answered_before_anything_is_imported() -> None:
    modules = imported_by("from motet.__main__ import main; raise SystemExit(main())", "--version")
    assert ours(modules) == {"motet", "motet.__main__"}
    assert foreign(modules) == set()
    assert modules & {"asyncio", "dataclasses", "enum", "typing", "re", "pathlib"} == set()


def test_help_imports_the_command_line_library_and_no_room() -> None:
    modules = imported_by("from motet.__main__ import main; raise SystemExit(main())", "--help")
    assert foreign(modules) == {"click"}
    assert {name.split(".")[1] for name in ours(modules) - {"motet"}} == {
        "__main__",
        "cli",
        "cores",
        "errors",
        "visible",
    }


def test_the_end_does_not_look_through_all_there_is_for_cycles() -> None:
    said = python(
        "import gc; from motet.__main__ import main; main(); print(gc.get_freeze_count() > 10_000)", "--help"
    )
    assert said.splitlines()[-1] == "True"


async def test_a_question_imports_neither_the_edit_engine_nor_what_reads_files_pages_and_servers(home: Path) -> None:
    async with ScriptedServer([Answer("An answer.")]) as server:
        settings = home / ".config" / "motet" / "config.toml"
        provider = f'[providers.own]\nbase_url = "{server.url}/v1"\ndialect = "openai"\nmodel = "scripted"\n'
        question = ["ask", "-m", "own", "--allow", "send", "What is new?"]
        settings.parent.mkdir(parents=True)
        settings.write_text(provider)
        code = "from motet.__main__ import main; raise SystemExit(main())"
        modules = await asyncio.to_thread(imported_by, code, *question)
    assert len(server.requests) == 1
    assert modules & NOT_FOR_A_QUESTION == set()
    assert {"motet.chat", "httpx2"} <= modules


def test_a_chat_in_neovim_opens_without_what_only_a_turn_needs() -> None:
    modules = imported_by("import motet.nvim.host")
    assert modules & (NOT_FOR_A_QUESTION | HEAVY | {"pydantic"}) == set()


def test_what_the_tools_are_for_is_told_without_importing_them() -> None:
    told = "from motet.tools.groups import ToolSet; from motet.tools.registry import ToolRegistry; "
    modules = imported_by(told + "assert len(ToolSet(ToolRegistry(None, edit_format='edit_file')).known) > 20")
    assert {name for name in ours(modules) if name.startswith("motet.tools.builtin.")} == set()
    assert modules & (NOT_FOR_A_QUESTION | {"pydantic"}) == set()


def test_a_search_imports_neither_gates_nor_what_writes_and_merges_files() -> None:
    modules = imported_by("import motet.index")
    assert modules & {
        "motet.permissions.gate", "motet.workspace.disk", "motet.workspace.checkpoint", "motet.git.merging",
        "motet.text.file", "motet.index.chunks", "motet.index.packing",
    } == set()  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
def test_the_face_of_each_room_is_cheap_and_stands_alone(room: str) -> None:
    assert foreign(imported_by(f"import motet.{room}")) & HEAVY == set()


@pytest.mark.acceptance("T-20")
def test_importing_any_module_touches_no_network_no_process_and_no_file() -> None:
    names = [name for name in MODULES if not name.endswith("__main__")]
    assert json.loads(python(WATCHED, *names)) == []


@pytest.mark.acceptance("T-20")
def test_importing_whatever_motet_imports_anywhere_calls_nobody_and_starts_nothing() -> None:
    names = {"keyring"} | {name for path in SOURCE.rglob("*.py") for name in named_in(path) if foreign({name})}
    assert {"httpx2", "trafilatura", "psycopg", "mcp"} <= {name.partition(".")[0] for name in names}
    touched = json.loads(python(WATCHED, *sorted(names)))
    a_port = [what for what in touched if "socket.bind" in what]  # urllib3 asks the system whether it has IPv6
    assert [what for what in touched if what not in a_port] == [] and len(a_port) <= 1


@pytest.mark.acceptance("T-20")
def test_the_help_of_every_command_touches_no_network_no_process_and_no_file() -> None:
    count, touched = json.loads(python(HELPED))
    assert count > 60 and touched == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen 'true'"),
        ("import os; os.system('true')", "os.system b'true'"),
        ("open('left-behind', 'w').close()", "open for writing 'left-behind'"),
        ("import socket; socket.getaddrinfo('127.0.0.1', 1)", "socket.getaddrinfo '127.0.0.1'"),
    ],
)
def test_the_watch_sees_what_a_module_does_when_imported(tmp_path: Path, line: str, what: str) -> None:
    (tmp_path / "loud.py").write_text(line)
    assert f"loud: {what}" in json.loads(python(WATCHED, "loud", cwd=tmp_path, path=tmp_path))


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_looking_at_motet_leaves_nothing_behind(home: Path, tmp_path: Path, argument: str) -> None:
    before = set(home.rglob("*"))
    python("from motet.__main__ import main; raise SystemExit(main())", argument, cwd=tmp_path)
    assert (set(home.rglob("*")), list(tmp_path.iterdir())) == (before, [])
