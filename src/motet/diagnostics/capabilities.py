"""What motet tells a server it can do, and what of the server's answer matters."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from motet.diagnostics.json_value import object_of, text_of
from motet.text import PositionEncoding


def initialize_params(root: Path, options: dict[str, object]) -> dict[str, object]:
    """The first request, an `InitializeParams`. UTF-8 columns and pulled diagnostics are preferred.

    Written out, because the protocol's types take a third of a second to import, and a workspace without problems
    never needs them.
    """
    uri = root.as_uri()
    folder = {"uri": uri, "name": root.name or "/"}
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": "motet"},
        "rootUri": uri,
        "rootPath": str(root),
        "workspaceFolders": [folder],
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": True},
            "workspace": _WORKSPACE,
            "textDocument": _TEXT_DOCUMENT,
        },
        **({"initializationOptions": options} if options else {}),
    }


_SYMBOL_KINDS: dict[str, object] = {"valueSet": list(range(1, 27))}
_WORKSPACE: dict[str, object] = {
    "configuration": True,
    "workspaceFolders": True,
    "diagnostics": {"refreshSupport": True},
    "didChangeConfiguration": {"dynamicRegistration": True},
    "didChangeWatchedFiles": {"dynamicRegistration": True},
    "workspaceEdit": {"documentChanges": True},
    "symbol": {"dynamicRegistration": True, "symbolKind": _SYMBOL_KINDS},
}
_TEXT_DOCUMENT: dict[str, object] = {
    "synchronization": {},
    "diagnostic": {"dynamicRegistration": True, "relatedInformation": True, "dataSupport": True},
    # With support for related information clangd leaves the notes out of the message.
    "publishDiagnostics": {"versionSupport": True, "relatedInformation": True, "dataSupport": True},
    "completion": {"completionItem": {}},
    "references": {"dynamicRegistration": True},
    "documentSymbol": {
        "dynamicRegistration": True,
        "hierarchicalDocumentSymbolSupport": True,
        "symbolKind": _SYMBOL_KINDS,
    },
    "codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
        "isPreferredSupport": True,
        "disabledSupport": True,
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    },
}


_QUESTIONS = {
    "textDocument/references": "referencesProvider",
    "textDocument/documentSymbol": "documentSymbolProvider",
    "workspace/symbol": "workspaceSymbolProvider",
}


@dataclass(slots=True)
class Abilities:
    """What a server can do. `pulls` maps the id of each registration for pulled diagnostics to its identifier;
    `answers` are the requests it takes that have nothing to do with what is wrong."""

    encoding: PositionEncoding = PositionEncoding.UTF16
    pulls: dict[str, str] = field(default_factory=dict[str, str])
    fixes: bool = False
    resolves_fixes: bool = False
    completes: bool = False
    answers: set[str] = field(default_factory=set[str])

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
            {method for method, provider in _QUESTIONS.items() if _is_offered(told.get(provider))},
        )

    def register(self, registration: dict[str, object]) -> None:
        """The server has found out later what it can do (`client/registerCapability`)."""
        options = object_of(registration.get("registerOptions"))
        match method := text_of(registration.get("method")):
            case "textDocument/diagnostic":
                self.pulls[text_of(registration.get("id"))] = text_of(options.get("identifier"))
            case "textDocument/codeAction":
                self.fixes = True
                self.resolves_fixes = self.resolves_fixes or bool(options.get("resolveProvider"))
            case "textDocument/completion":
                self.completes = True
            case _ if method in _QUESTIONS:
                self.answers.add(method)
            case _:
                pass

    def unregister(self, registration: dict[str, object]) -> None:
        """`client/unregisterCapability`; only pulled diagnostics change what is done."""
        self.pulls.pop(text_of(registration.get("id")), None)


def _is_offered(provider: object) -> bool:
    """An empty object offers too."""
    return provider is not None and provider is not False
