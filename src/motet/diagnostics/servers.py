"""The language servers motet knows, as data. Any other is a value of the same kind, made from the settings."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from motet.diagnostics.json_value import merged
from motet.permissions import Action, Effect, Origin

_PYTHON = {".py": "python", ".pyi": "python", ".pyw": "python"}
_C = {
    ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
    ".m": "objective-c", ".mm": "objective-cpp",
}  # fmt: skip
_SCRIPT = {
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """One language server: how it is started, what it is for, what must be known about it."""

    name: str
    """As users know it; appears in `Report.sources`."""
    argv: tuple[str, ...]
    """Program and arguments; the program is looked for, see `locate`."""
    languages: Mapping[str, str]
    """File suffix, with its dot, to language id."""
    group: str = ""
    """Of the servers with the same group only the first one found is used."""
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    """The tree that `workspace/configuration` is answered from."""
    initialization: Mapping[str, object] = field(default_factory=dict[str, object])
    """`initializationOptions`."""
    push_settings: bool = True
    """Send `settings` once after the start too; for servers that never ask for them."""
    advice: str = ""
    """How to get it, as the end of a sentence: `pip install 'motet[python]'`."""
    origin: Origin = Origin.BUILT_IN
    configured_by: tuple[str, ...] = ()
    """Where a project configures this tool: a file, or `pyproject.toml:table.name`."""
    unless_configured: Mapping[str, object] = field(default_factory=dict[str, object])
    """Goes beneath `settings` when the project has none of `configured_by`."""
    unless_configured_initialization: Mapping[str, object] = field(default_factory=dict[str, object])
    """The same for `initialization`."""
    unless_trusted: tuple[str, ...] = ()
    """Arguments added for a project that is not trusted."""
    needs_trust: str = ""
    """Why it is not started for a project that is not trusted: what of the project it would run."""
    python_setting: str = ""
    """Section that takes the path of a Python interpreter; without it the server runs one it finds itself."""
    least_version: int = 0
    """Oldest major version that speaks the protocol; 0 when any does."""
    by_file: bool = False
    """What it says about a file follows from the file and those it names, so others need no second look."""
    quiet: float = 0.5
    """Seconds without news after which pushed diagnostics are taken as complete; 0: the first word is the last."""
    open_limit: int = 32
    """Most documents open at once."""
    patience: float = 1.0
    """Factor on the time it may take to answer."""

    def language_of(self, path: str) -> str | None:
        """The language id for `path`, or None when this server is not for it."""
        return self.languages.get(PurePosixPath(path).suffix.lower())

    def with_settings(self, settings: Mapping[str, object]) -> ServerSpec:
        """The same server with the user's `settings` over these and over what stands in for a project's."""
        own = dict(settings)
        return replace(
            self,
            settings=merged(dict(self.settings), own),
            unless_configured=merged(dict(self.unless_configured), own),
        )

    @property
    def action(self) -> Action:
        """What the gate is asked before the start: the command as one line."""
        command = shlex.join(self.argv)
        return Action(Effect.RUN, command, self.origin, definition=command)


_PYRIGHT_CONFIG = ("pyrightconfig.json", "pyproject.toml:tool.pyright", "pyproject.toml:tool.basedpyright")

BUILT_IN: tuple[ServerSpec, ...] = (
    ServerSpec(
        name="ruff",
        argv=("ruff", "server"),
        languages=_PYTHON,
        # What the project says about a rule wins over these, which only stand in for a missing configuration:
        # motet is after problems, not style.
        initialization={"settings": {"configurationPreference": "filesystemFirst"}},
        push_settings=False,
        advice="pip install 'motet[python]'",
        configured_by=("ruff.toml", ".ruff.toml", "pyproject.toml:tool.ruff"),
        unless_configured_initialization={"settings": {"lint": {"select": ["E4", "E7", "E9", "F"]}}},
        by_file=True,
        open_limit=256,
    ),
    ServerSpec(
        name="basedpyright",
        argv=("basedpyright-langserver", "--stdio"),
        languages=_PYTHON,
        group="python types",
        settings={"basedpyright": {"analysis": {"diagnosticMode": "openFilesOnly", "autoImportCompletions": False}}},
        push_settings=False,
        advice="pip install 'motet[python]'",
        configured_by=_PYRIGHT_CONFIG,
        unless_configured={"basedpyright": {"analysis": {"typeCheckingMode": "standard"}}},
        python_setting="python.pythonPath",
        open_limit=2000,
    ),
    ServerSpec(
        name="ty",
        argv=("ty", "server"),
        languages=_PYTHON,
        group="python types",
        push_settings=False,
        advice="pip install ty",
        open_limit=2000,
    ),
    ServerSpec(
        name="clangd",
        argv=("clangd", "--limit-results=0", "--background-index=0", "--pch-storage=memory", "--log=error"),
        languages=_C,
        push_settings=False,
        advice="pip install 'motet[c]'",
        unless_trusted=("--enable-config=0",),
        by_file=True,
        quiet=0,
    ),
    ServerSpec(
        name="tsc",
        argv=("tsc", "--lsp", "--stdio"),
        languages=_SCRIPT,
        group="typescript",
        push_settings=False,
        advice="npm install --global typescript@7",
        least_version=7,
        open_limit=2000,
    ),
    ServerSpec(
        name="typescript-language-server",
        argv=("typescript-language-server", "--stdio"),
        languages=_SCRIPT,
        group="typescript",
        push_settings=False,
        advice="npm install --global typescript@7",
        needs_trust="it runs the TypeScript in the project's node_modules",
        open_limit=500,
    ),
    ServerSpec(
        name="gopls",
        argv=("gopls",),
        languages={".go": "go"},
        push_settings=False,
        advice="go install golang.org/x/tools/gopls@latest",
        patience=3,
    ),
    ServerSpec(
        name="rust-analyzer",
        argv=("rust-analyzer",),
        languages={".rs": "rust"},
        push_settings=False,
        advice="rustup component add rust-analyzer",
        needs_trust="it runs the project's build scripts",
        quiet=2,
        patience=5,
    ),
)
"""In the order in which alternatives of a group are tried."""
