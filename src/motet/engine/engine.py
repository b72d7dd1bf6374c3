"""One workspace with everything wired: settings, gate, files, servers, model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from motet.chat import Work
from motet.engine.boarding import Boarding
from motet.engine.chats import Chats, Front, House
from motet.engine.claims import told_of_claims
from motet.engine.definitions import Definitions
from motet.engine.diagnosing import Diagnosing
from motet.engine.faults import FaultLog
from motet.engine.maps import Maps
from motet.engine.models import model_config
from motet.engine.models import model_for as own_model_for
from motet.engine.outgoing import Outgoing, recorder
from motet.engine.pages import Pages
from motet.engine.permitted import permitted
from motet.engine.plugins import Plugged, Plugin, installed, plug_in
from motet.engine.registration import Extras
from motet.engine.retrieving import Retrieving
from motet.engine.spending import Ledger
from motet.engine.trust import project_items, project_trust
from motet.errors import SettingsError
from motet.history import History
from motet.models.catalog import Candidate, Choice, choose, choose_default, list_models
from motet.models.protocol import Model
from motet.paths import PROJECT_FILE, config_dir, config_file, state_dir
from motet.permissions import Action, Ask, Gate, GrantStore, Origin, Rule, RuleSet, Verdict
from motet.permissions.egress import EgressLog
from motet.settings import Loaded, SnapshotSettings, load_settings
from motet.text import Severity
from motet.text.file import codec_name
from motet.turn import require_price
from motet.workspace import Checkpoints, DiskWorkspace, Workspace, find_workspace, resolve_user_path
from motet.workspace.snapshots import Limits

if TYPE_CHECKING:  # what asks servers, and the loop of `motet fix`, are imported by those who use them
    from motet.diagnostics import Checker, DiagnosticsService, Progress, ServerSpec
    from motet.engine.servers import FoundServer
    from motet.fix import Diagnoser, FixEvent, FixLoop, RoundReviewer


def load(start: Path, flags: Mapping[str, object], environ: Mapping[str, str] = os.environ) -> Loaded:
    """The settings in force for the workspace around `start`. Raises `SettingsError`."""
    return load_settings(config_file(environ), find_workspace(start) / PROJECT_FILE, environ, flags)


class Engine:
    """The engine of one workspace: the one around `start`, or `root`. `start` is where the user stands; paths are
    meant from there."""

    def __init__(
        self,
        start: Path,
        *,
        root: Path | None = None,
        flags: Mapping[str, object] | None = None,
        allow: Sequence[str] = (),
        ask: Ask | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Reads settings; starts nothing. Raises `SettingsError`."""
        self._start = start
        self._environ = environ
        self.root = root or find_workspace(start)
        self.loaded = load(start, flags or {}, environ)
        self.state = state_dir(environ)
        self._prompts = config_dir(environ) / "prompts"
        self.grants = GrantStore(self.state)
        self._rules = _rules(self.loaded, allow)
        self.gate = Gate(self.root, RuleSet(self._rules), self.grants, ask)
        self._encoding = _codec(self.loaded.settings.encoding)
        checkpoints = Checkpoints(self.state, self.root)
        self.workspace = DiskWorkspace(self.root, gate=self.gate, checkpoints=checkpoints, encoding=self._encoding)

    @property
    def notices(self) -> list[str]:
        """What the user should know before a run: ignored settings of the project, things that wait for trust."""
        waiting = sum(not self.gate.allows(item) for item in self.project_items())
        trust = f"{waiting} of this project's own tools or commands wait for `motet trust`"
        return [*self.loaded.notices, *([trust] if waiting else [])]

    async def source_files(self, paths: Sequence[Path] = ()) -> list[str]:
        """The files to look at: those in `paths` (from where the user stands), else the whole workspace.

        Raises `UsageError` for a path that does not exist or lies outside.
        """
        typed = [resolve_user_path(self.root, self._start, str(path)) for path in paths]
        found = await self.workspace.list_files(typed)
        if not self.loaded.settings.ignore:
            return found
        from motet.workspace.listing import specification

        ignored = specification(self.loaded.settings.ignore)
        return [path for path in found if path in typed or not ignored.match_file(path)]

    async def choose_model(self, name: str | None = None, work: str = "") -> tuple[Model, str]:
        """The model to use and why it is that one; `name` goes before the settings, `work` is a field of `[models]`.
        Raises `UsageError` or `ModelError`."""
        if name is None and self.loaded.origins.get("model") == "the command line":
            name = self.loaded.settings.model
        return await choose(name, model_config(self.loaded.settings, self.root, work), self._environ)

    async def default_model(self) -> Choice:
        """The model to use where none is named. Raises `UsageError` or `ModelError`."""
        return await choose_default(model_config(self.loaded.settings, self.root), self._environ)

    async def models(self) -> list[Candidate]:
        """What can be used now, and why the rest cannot."""
        return await list_models(model_config(self.loaded.settings, self.root), self._environ)

    def servers(self) -> list[ServerSpec]:
        """The language servers that would be used, known ones and the user's own."""
        from motet.engine.servers import server_specs

        return server_specs(self.loaded, self.gate)

    def found_servers(self) -> list[FoundServer]:
        """Each server, and where it would be started from; of alternatives only the first that is there."""
        from motet.diagnostics import Surroundings
        from motet.engine.servers import find_servers

        trust = project_trust(self.root, self.gate)
        return find_servers(self.servers(), Surroundings(self.root, trust.tool_directories, trust.runs_code))

    def plugins(self) -> list[Plugin]:
        """The plug-ins that are installed beside motet, none where the settings switch them off. Imports none."""
        return installed() if self.loaded.settings.plugins else []

    def project_items(self) -> list[Action]:
        """What this project defines that would run: its programs, servers and checkers; each needs trust."""
        return project_items(self.root, self.loaded)

    @asynccontextmanager
    async def diagnostics(
        self, checkers: Sequence[str], on_progress: Callable[[Progress], None]
    ) -> AsyncGenerator[DiagnosticsService]:
        """The diagnostics of this workspace; its servers end with the context. `checkers` are command lines."""
        service = self._service(checkers, on_progress)
        try:
            yield service
        finally:
            await service.close()

    def _service(self, checkers: Sequence[str], on_progress: Callable[[Progress], None]) -> DiagnosticsService:
        from motet.diagnostics import DiagnosticsService

        settings = self.loaded.settings
        trust = project_trust(self.root, self.gate)
        return DiagnosticsService(
            self.root,
            self.servers(),
            gate=self.gate,
            extra_dirs=trust.tool_directories,
            trusted=trust.runs_code,
            checkers=self._checkers(checkers),
            severity=Severity[settings.fix.severity.upper()],
            on_progress=on_progress,
            timeout=settings.fix.server_timeout,
        )

    @asynccontextmanager
    async def checkpoint(self, label: str) -> AsyncGenerator[None]:
        """What is written inside can be taken back together, as `label`."""
        await self.workspace.begin(label)
        try:
            yield
        finally:
            await self.workspace.finish()

    @asynccontextmanager
    async def chats(
        self,
        front: Front,
        *,
        keep: bool = True,
        record: Path | None = None,
        extras: Extras | None = None,
        titles: bool = False,
    ) -> AsyncGenerator[Chats]:
        """The chats of this workspace; what is open ends with the context. `record`: where sessions are recorded."""
        history = History.open(self.state) if keep else None
        plugins = await asyncio.to_thread(self.plugins)
        plugged = await asyncio.to_thread(plug_in, plugins, self.root) if plugins else Plugged()
        chats = Chats(self._house(record), front, history, extras or Extras(), titles, plugged)
        try:
            yield chats
        finally:
            await chats.close()
            if history is not None:
                await history.close()

    def _house(self, record: Path | None) -> House:
        rules, settings = RuleSet(self._rules), self.loaded.settings

        def gate(ask: Ask | None) -> Gate:
            return Gate(self.root, rules, self.grants, ask)

        def workspace(gate: Gate) -> DiskWorkspace:
            checkpoints = Checkpoints(self.state, self.root)
            limits = _limits(settings.snapshots)
            return DiskWorkspace(
                self.root, gate=gate, checkpoints=checkpoints, snapshots=limits, encoding=self._encoding
            )

        def outgoing(model: Model, chat_id: str, notify: Callable[[str], None]) -> Model:
            if record is not None:
                from motet.models.replay import Recorder

                model = Recorder(model, record, workspace=self.root)
            return Outgoing(model, notify, recorder(log, self.root, chat_id), spends, chat_id)

        async def model_for(work: Work) -> Model | None:
            return await own_model_for(work, self.loaded.settings, self.root, self._environ)

        log, spends = EgressLog(self.state), self._ledger()
        diagnosing = Diagnosing(lambda: self._service((), lambda _: None))
        pages = Pages(settings.web, log, self.root, self._environ)
        home = self.state / "index"
        retrieving = Retrieving(self.root, home, settings.index, settings.ignore, shares_code=settings.send_code)
        return House(
            self.root,
            self.state,
            self._prompts,
            settings,
            gate,
            workspace,
            outgoing,
            model_for,
            diagnosing,
            pages,
            retrieving,
            FaultLog(self.state, self._environ),
            self._boarding(),
            Maps(self.root, home, settings, retrieving.closest),
        )

    def fix_loop(
        self,
        diagnostics: Diagnoser,
        model: Model,
        reviewer: RoundReviewer,
        emit: Callable[[FixEvent], None],
        *,
        dry_run: bool = False,
        approximate: Literal["refuse", "propose"] = "refuse",
        files: Workspace | None = None,
    ) -> FixLoop:
        """The loop of `motet fix`, with the limits of the settings; `approximate` as for `EditDesk`. `files`: of an editor
        in which files are open. Raises `UsageError` where a limit in dollars needs a price that is not known."""
        from motet.fix import FixLoop, FixOptions, Notice

        fix = self.loaded.settings.fix
        if fix.max_cost is not None:
            require_price(model, "fix.max_cost", "fix.max_tokens")
        options = FixOptions(fix.rounds, fix.model_rounds, fix.max_tokens, fix.max_cost, dry_run, approximate)
        record = recorder(EgressLog(self.state), self.root, "")
        door = Outgoing(model, lambda line: emit(Notice(line)), record, self._ledger())
        allow = permitted(self.gate, self.root, self.loaded.settings.ignore)
        defining = Definitions(self.root, self.state / "index", allow)
        return FixLoop(files or self.workspace, diagnostics, door, self.gate, reviewer, options, emit, defining)

    async def claimed(self, paths: Sequence[str]) -> list[str]:
        """What a human who is about to write these files should know of agents' claims, a line each."""
        return await told_of_claims(self._boarding(), self.root, paths)

    def _boarding(self) -> Boarding:
        return Boarding(self.loaded.settings.board, self.state, self.root)

    def _ledger(self) -> Ledger:
        return Ledger(self.state, self.loaded.settings.spending)

    def _checkers(self, commands: Sequence[str]) -> list[Checker]:
        from motet.diagnostics import Checker

        own = [(command, Origin.USER) for command in commands]
        own += [(checker.command, Origin.USER) for checker in self.loaded.settings.checkers.values()]
        own += [(checker.command, Origin.PROJECT) for checker in self.loaded.inert.checkers.values()]
        made = [Checker.from_text(command, self.root, origin=origin) for command, origin in own]
        return [checker for checker in made if checker.origin is Origin.USER or self.gate.allows(checker.action)]


def _codec(encoding: str | None) -> str:
    """Python's name of an encoding. Raises `SettingsError` for none."""
    try:
        return codec_name(encoding) if encoding else ""
    except LookupError as error:
        raise SettingsError(f"encoding: {encoding}: there is no such encoding of text") from error


def _limits(snapshots: SnapshotSettings) -> Limits | None:
    """How much is kept before a command; None: nothing."""
    if not snapshots.commands:
        return None
    return Limits(snapshots.files, snapshots.megabytes * 2**20, snapshots.file_megabytes * 2**20)


def _rules(loaded: Loaded, allow: Sequence[str]) -> list[Rule]:
    permissions = loaded.settings.permissions
    return [
        *(Rule.parse(text, Verdict.ALLOW) for text in (*permissions.allow, *allow)),
        *(Rule.parse(text, Verdict.ASK) for text in permissions.ask),
        *(Rule.parse(text, Verdict.DENY) for text in permissions.deny),
    ]
