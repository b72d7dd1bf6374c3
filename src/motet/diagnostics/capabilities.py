"""What motet tells a server it can do, and what of the server's answer matters."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from motet.diagnostics.json_value import object_of, text_of
from motet.text import PositionEncoding

_ENCODINGS = [types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16]


def initialize_params(root: Path, options: object) -> types.InitializeParams:
    """The first request. UTF-8 columns are preferred; pulled diagnostics are preferred to pushed ones."""
    uri = root.as_uri()
    return types.InitializeParams(
        process_id=os.getpid(),
        client_info=types.ClientInfo(name="motet"),
        root_uri=uri,
        root_path=str(root),
        workspace_folders=[types.WorkspaceFolder(uri=uri, name=root.name or "/")],
        initialization_options=options,
        capabilities=types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=_ENCODINGS),
            window=types.WindowClientCapabilities(work_done_progress=True),
            workspace=_workspace(),
            text_document=_text_document(),
        ),
    )


def _workspace() -> types.WorkspaceClientCapabilities:
    return types.WorkspaceClientCapabilities(
        configuration=True,
        workspace_folders=True,
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
        did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True),
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
    )


def _text_document() -> types.TextDocumentClientCapabilities:
    quickfix = types.ClientCodeActionKindOptions(value_set=[types.CodeActionKind.QuickFix])
    return types.TextDocumentClientCapabilities(
        synchronization=types.TextDocumentSyncClientCapabilities(),
        diagnostic=types.DiagnosticClientCapabilities(
            dynamic_registration=True, data_support=True, related_information=True
        ),
        # With support for related information clangd leaves the notes out of the message.
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
            version_support=True, data_support=True, related_information=True
        ),
        completion=types.CompletionClientCapabilities(completion_item=types.ClientCompletionItemOptions()),
        code_action=types.CodeActionClientCapabilities(
            code_action_literal_support=types.ClientCodeActionLiteralOptions(code_action_kind=quickfix),
            is_preferred_support=True,
            disabled_support=True,
            data_support=True,
            resolve_support=types.ClientCodeActionResolveOptions(properties=["edit"]),
        ),
    )


@dataclass(slots=True)
class Abilities:
    """What a server can do. `pulls` maps the id of each registration for pulled diagnostics to its identifier."""

    encoding: PositionEncoding = PositionEncoding.UTF16
    pulls: dict[str, str] = field(default_factory=dict[str, str])
    fixes: bool = False
    resolves_fixes: bool = False
    completes: bool = False

    @classmethod
    def read(cls, result: object) -> Abilities:
        """From the result of `initialize`; only what is used is looked at."""
        told = object_of(object_of(result).get("capabilities"))
        encoding = text_of(told.get("positionEncoding"))
        pull, fix = told.get("diagnosticProvider"), told.get("codeActionProvider")
        return cls(
            next((known for known in PositionEncoding if known == encoding), PositionEncoding.UTF16),
            {"": text_of(object_of(pull).get("identifier"))} if _is_offered(pull) else {},
            _is_offered(fix),
            object_of(fix).get("resolveProvider") is True,
            _is_offered(told.get("completionProvider")),
        )

    def register(self, registration: dict[str, object]) -> None:
        """The server has found out later what it can do (`client/registerCapability`)."""
        options = object_of(registration.get("registerOptions"))
        match text_of(registration.get("method")):
            case "textDocument/diagnostic":
                self.pulls[text_of(registration.get("id"))] = text_of(options.get("identifier"))
            case "textDocument/codeAction":
                self.fixes = True
                self.resolves_fixes = self.resolves_fixes or bool(options.get("resolveProvider"))
            case "textDocument/completion":
                self.completes = True
            case _:
                pass

    def unregister(self, registration: dict[str, object]) -> None:
        """`client/unregisterCapability`; only pulled diagnostics change what is done."""
        self.pulls.pop(text_of(registration.get("id")), None)


def _is_offered(provider: object) -> bool:
    """An empty object offers too."""
    return provider is not None and provider is not False
