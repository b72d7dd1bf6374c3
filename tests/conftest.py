"""The house that every test lives in: a home of its own, no network, no skipping in CI, minutes by area.

For tests: `need("clangd")` gives the path of a real program; a machine without it skips the test, CI fails it.
For `tools/acceptance.py`: what each test of the last run came to, in `.pytest_cache/motet-last-run.json`.
"""

from __future__ import annotations

import gc
import ipaddress
import json
import os
import shutil
import signal
import socket
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# On a busy machine everything is slow: that says nothing of a test.
settings.register_profile("motet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("motet")

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
LAST_RUN = Path(".pytest_cache") / "motet-last-run.json"

# Whatever of the developer's machine could change what a test sees.
FOREIGN = (
    "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
    "EDITOR", "VISUAL", "PAGER", "VIRTUAL_ENV", "OLLAMA_HOST", "XDG_RUNTIME_DIR",
)  # fmt: skip
FOREIGN_STARTS = ("PYTHON", "MOTET_", "GIT_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "OPENROUTER_")
FOREIGN_ENDS = ("_API_KEY", "_API_TOKEN", "_AUTH_TOKEN")
GITCONFIG = "[user]\n\tname = A Tester\n\temail = tester@example.invalid\n[init]\n\tdefaultBranch = main\n"


# --- what a test sees of the machine ---------------------------------------------------------------------------


def settle_in(home: Path, patch: pytest.MonkeyPatch) -> None:
    """Make `home` the home of everything that runs from now on, and take the developer's settings away."""
    for name in list(os.environ):
        upper = name.upper()
        if upper in FOREIGN or upper.startswith(FOREIGN_STARTS) or upper.endswith(FOREIGN_ENDS):
            patch.delenv(name)
    (home / ".gitconfig").write_text(GITCONFIG)
    patch.setenv("HOME", str(home))
    patch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    patch.setenv("XDG_STATE_HOME", str(home / ".local" / "state"))
    patch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    patch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    patch.setenv("MOTET_CHAT_MAP_TOKENS", "0")  # requests are compared word for word; tests of the map take it away
    patch.setenv("LC_ALL", "C.UTF-8")
    patch.setenv("TZ", "UTC")
    patch.setenv("TERM", "xterm-256color")
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, by all that is started too
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # the same in the background of a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of fixtures that outlive one test; programs of `.venv/bin` are found before the machine's."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("shared-home")
        settle_in(home, patch)
        patch.setenv("PATH", os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath))))
        yield home


@pytest.fixture(scope="module", autouse=True)
def what_is_left_costs_nothing() -> None:
    """The collector does not look again at what tests before have left: that is a second of whoever is measured then."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and XDG places for each test, outside its `tmp_path`, so that a workspace there stays bare."""
    place = tmp_path_factory.mktemp("home")
    settle_in(place, monkeypatch)
    return place


@pytest.fixture(scope="session")
def need() -> Callable[[str], Path]:
    """`need("clangd")`: the program's path, `.venv/bin` first; skips the test without it, in CI fails it."""

    def find(program: str) -> Path:
        found = shutil.which(program, path=os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath))))
        if found is None:
            pytest.skip(f"needs the program {program}: `make setup` installs it, or put it on PATH")
        return Path(found)

    return find


# --- no network ------------------------------------------------------------------------------------------------


class NetworkUsed(AssertionError):
    """A test reached for a machine other than this one."""


def is_here(host: object) -> bool:
    """Whether an address or name means this machine."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Iterator[None]:
    """Refuse connections, datagrams and name look-ups that would leave this machine."""
    real_getaddrinfo = socket.getaddrinfo

    def guarded(name: str) -> Callable[..., object]:
        real = getattr(socket.socket, name)

        def call(self: socket.socket, *args: object) -> object:
            address = args[-1]
            by_number = self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple)
            if by_number and not is_here(address[0]):
                raise NetworkUsed(f"a test tried to reach {address[0]}: tests talk to this machine only")
            return real(self, *args)

        return call

    def getaddrinfo(host: object, *args: object, **kwargs: object) -> object:
        if str(host).endswith(".invalid"):  # reserved: never resolves, anywhere
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        try:
            literal = ipaddress.ip_address(str(host).partition("%")[0])
        except ValueError:
            literal = None
        if literal is None and not is_here(host):
            raise NetworkUsed(f"a test looked up {host!r}: tests talk to this machine only")
        return real_getaddrinfo(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, guarded(name))
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


# --- what the run came to --------------------------------------------------------------------------------------


def may_skip(reason: str) -> bool:
    """In CI a skip is a failure. What only root can show is left out by an ordinary user: `tools/ci.py` has root run it."""
    return not IN_CI or (os.geteuid() != 0 and "only root" in reason.lower())


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip that CI does not allow into a failure."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not may_skip(reason):
            report.outcome = "failed"
            report.longrepr = f"{report.nodeid}: skipped, which CI does not allow: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report


class Tally:
    """Seconds and tests by area (the directory below `tests/`), the outcome of each test, and which were skipped.

    A test with several cases has passed when one has and none has failed: what only root can show is left out.
    """

    WORST_LAST = ("skipped", "passed", "xfailed", "xpassed", "failed")

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.tests: defaultdict[str, set[str]] = defaultdict(set)
        self.outcomes: dict[str, str] = {}
        self.skipped: list[str] = []
        self.deselected = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        parts = Path(report.nodeid.partition("::")[0]).parts
        area = parts[1] if len(parts) > 2 else parts[0]
        self.seconds[area] += report.duration
        self.tests[area].add(report.nodeid)
        outcome: str = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xpassed" if report.passed else "xfailed"
        if outcome == "skipped":
            self.skipped.append(report.nodeid)
        name = report.nodeid.partition("[")[0]
        if report.when == "call" or outcome != "passed":
            self.outcomes[name] = max(self.outcomes.get(name, outcome), outcome, key=self.WORST_LAST.index)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.deselected += len(items)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.tests:
            return
        terminalreporter.section("minutes by area")
        for area in sorted(self.tests, key=lambda area: -self.seconds[area]):
            line = f"{area:<14} {self.seconds[area] / 60:6.2f} min  {len(self.tests[area]):5d} tests"
            terminalreporter.write_line(line)
        seconds, tests = sum(self.seconds.values()), sum(map(len, self.tests.values()))
        terminalreporter.write_line(f"{'all':<14} {seconds / 60:6.2f} min  {tests:5d} tests")

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        config = session.config
        chosen = self.deselected or config.option.keyword or config.option.markexpr
        whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen
        record = {
            "whole": whole and not config.option.collectonly,
            "ci": IN_CI,
            "tests": self.outcomes,
            "skipped": self.skipped,
        }
        path = config.rootpath / LAST_RUN
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(record, indent=0))
        fresh.replace(path)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # where tests run side by side, only who gathers them counts
        config.pluginmanager.register(Tally(), "motet-tally")
