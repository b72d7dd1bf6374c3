"""What `tests/conftest.py` promises to every test, shown on runs of small test trees."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "-q -ra -p no:cacheprovider"\n'


class Run:
    """A finished pytest run: exit code, lines of output, the record it left.

    Its temporary files are its own: at its end pytest removes those of earlier runs, which may be many.
    """

    def __init__(self, root: Path, *arguments: str, **environment: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=root,
            env={**os.environ, "CI": "", "PYTEST_DEBUG_TEMPROOT": str(root.parent), **environment},
            capture_output=True,
            text=True,
            timeout=100,
        )
        self.code = done.returncode
        self.lines = done.stdout.splitlines()
        self.record = json.loads((root / ".pytest_cache" / "motet-last-run.json").read_text())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    (tmp_path / "tests" / "area").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    return tmp_path


def write(tree: Path, text: str, name: str = "area/test_it.py") -> None:
    path = tree / "tests" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def run_as(uid: int, tree: Path) -> None:
    """Have its runs take themselves for those of this user."""
    conftest = tree / "tests" / "conftest.py"
    conftest.write_text(f"{conftest.read_text()}\n\nos.geteuid = lambda: {uid}\n")


MISSING = "def test_x(need): need('no-such-server')\n"
REASON = "needs the program no-such-server: `make setup` installs it, or put it on PATH"


def test_a_missing_program_skips_with_its_reason(tree: Path) -> None:
    write(tree, MISSING)
    run = Run(tree)
    assert run.code == 0
    assert any(line.startswith("SKIPPED") and line.endswith(REASON) for line in run.lines)
    name = "tests/area/test_it.py::test_x"
    assert run.record == {"whole": True, "ci": False, "tests": {name: "skipped"}, "skipped": [name]}


def test_a_missing_program_fails_in_ci(tree: Path) -> None:
    write(tree, MISSING)
    run = Run(tree, CI="true")
    assert run.code == 1
    assert any("skipped, which CI does not allow" in line and REASON in line for line in run.lines)
    assert run.record["tests"] == {"tests/area/test_it.py::test_x": "failed"}


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\n@pytest.mark.skipif('1 + 1 == 2', reason='no node here')\ndef test_x(): pass\n",
        "import pytest\npytest.importorskip('no_such_module')\ndef test_x(): pass\n",
    ],
)
def test_any_other_skip_fails_in_ci_too(tree: Path, text: str) -> None:
    write(tree, text)
    assert Run(tree).code in (0, 5)
    assert Run(tree, CI="true").code in (1, 2)


def test_an_ordinary_user_may_leave_to_root_what_only_root_can_show(tree: Path) -> None:
    write(
        tree,
        "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_x(n): pytest.skip('only root may mount')\n",
    )
    run_as(1000, tree)
    run = Run(tree, CI="true")
    assert (run.code, run.record["skipped"]) == (0, [f"tests/area/test_it.py::test_x[{n}]" for n in (1, 2)])


@pytest.mark.parametrize("reason", ["only root may mount", "root may read every file"])
def test_root_may_leave_out_nothing_in_ci(tree: Path, reason: str) -> None:
    write(tree, f"import pytest\ndef test_x(): pytest.skip('{reason}')\n")
    run_as(0, tree)
    assert Run(tree, CI="true").code == 1


def test_a_real_program_is_found_with_its_path(need) -> None:
    assert need("ruff") == ROOT / ".venv" / "bin" / "ruff"


def test_minutes_and_tests_are_summed_by_area_before_one_closing_line(tree: Path) -> None:
    write(tree, "def test_a(): pass\ndef test_b(): pass\n")
    write(tree, "def test_c(): pass\n", "other/test_other.py")
    run = Run(tree)
    start = next(i for i, line in enumerate(run.lines) if "minutes by area" in line)
    assert sorted(line.split() for line in run.lines[start + 1 : start + 3]) == [
        ["area", "0.00", "min", "2", "tests"],
        ["other", "0.00", "min", "1", "tests"],
    ]
    assert run.lines[start + 3].split() == ["all", "0.00", "min", "3", "tests"]
    assert [line for line in run.lines if " passed" in line] == [run.lines[-1]]
    assert run.lines[-1].startswith("3 passed in ")


def test_the_worst_outcome_of_a_parametrised_test_counts(tree: Path) -> None:
    write(tree, "import pytest\n@pytest.mark.parametrize('n', [0, 1, 0])\ndef test_x(n): assert n == 0\n")
    assert Run(tree).record["tests"] == {"tests/area/test_it.py::test_x": "failed"}


@pytest.mark.parametrize("arguments", [["-k", "test_a"], ["tests/area"]])
def test_a_run_of_some_tests_is_recorded_as_such(tree: Path, arguments: list[str]) -> None:
    write(tree, "def test_a(): pass\ndef test_b(): pass\n")
    assert Run(tree, *arguments).record["whole"] is False


def test_the_developers_settings_and_keys_are_out_of_sight(tree: Path) -> None:
    write(
        tree,
        "import os\nfrom pathlib import Path\n"
        "def test_x(home, tmp_path):\n"
        "    names = set(os.environ)\n"
        "    assert not names & {'ANTHROPIC_API_KEY', 'MOTET_MODEL', 'https_proxy', 'GIT_DIR', 'NO_COLOR'}\n"
        "    assert Path.home() == home\n"
        "    places = [os.environ[f'XDG_{k}_HOME'] for k in ('CONFIG', 'STATE', 'CACHE', 'DATA')]\n"
        "    assert all(Path(place).is_relative_to(home) for place in places)\n"
        "    assert list(tmp_path.iterdir()) == []\n",
    )
    foreign = {"ANTHROPIC_API_KEY": "sk-x", "MOTET_MODEL": "x", "https_proxy": "http://x", "NO_COLOR": "1"}
    run = Run(tree, **foreign, GIT_DIR="/nowhere")
    assert (run.code, run.lines[-1].split(" in ")[0]) == (0, "1 passed")


def test_other_machines_are_out_of_reach() -> None:
    with socket.socket() as client, pytest.raises(AssertionError, match=r"tried to reach 192\.0\.2\.1"):
        client.connect(("192.0.2.1", 80))
    with socket.socket(type=socket.SOCK_DGRAM) as client, pytest.raises(AssertionError, match="tried to reach"):
        client.sendto(b"x", ("192.0.2.1", 53))
    with pytest.raises(AssertionError, match=r"looked up 'example\.com'"):
        socket.getaddrinfo("example.com", 80)
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nowhere.invalid", 80)


def test_this_machine_is_in_reach() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(("localhost", server.getsockname()[1]))
        peer, _ = server.accept()
        with client, peer:
            client.sendall(b"x")
            assert peer.recv(1) == b"x"
