"""A language server that follows a script: `fake_server.py JSON`, one JSON object of the keys below.

In a text each `bad` is an error, each `wrn` a warning and each `hnt` a hint; `bda` is an unknown name. What is
received is written to `log`, one JSON message a line; `log` also counts how often the server was started.

    log          path of the log
    mode         push (default), pull, or dynamic: pull, registered after the handshake
    encoding     unit of columns, utf-16 unless told
    versions     false: published without version, in two steps, as typescript-language-server does
    silent       texts with this word are never answered
    slow         texts with this word are answered after four seconds of progress reports
    dies         texts with this word end the process; with `dies_once` only the first process
    garbage      what is written, `times` times, after `initialize` instead of the protocol
    stalls       reads nothing any more after the handshake
    twice        says everything twice
    deaf         never answers `initialize`
    waits        path of a FIFO that is read before `initialize` is answered: a slow start
    cancels      how many pulls are given up with ServerCancelled before one is answered
    refuses      texts with this word are refused with an error
    refresh      the first pull is answered as if the text were empty, then called out of date
    asks         requests sent to the client after the handshake: [[method, params], ...]
    dribble      every message is written byte by byte
    actions      quick fixes offered for each error, with WHERE for the range and URI for the document
    resolves     what `codeAction/resolve` adds
    names        completion items
    unasked      URIs that diagnostics are published for besides
    symbols      what is answered to `textDocument/documentSymbol`, repeated `times` times
    of_workspace what is answered to `workspace/symbol`, with the root's URI for ROOT
    mute         texts with this word are not told the symbols of
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from pathlib import Path

SEVERITIES = {"bad": 1, "wrn": 2, "hnt": 4, "bda": 1}


class Server:
    def __init__(self, script: dict) -> None:
        self.script = script
        self.texts: dict[str, str] = {}
        self.cancels = script.get("cancels", 0)
        self.refresh = script.get("refresh", False)
        self.number = 0
        self.note({"started": os.getpid()})

    # --- the wire ---------------------------------------------------------------------------------------------

    def note(self, message: dict) -> None:
        if self.script.get("log"):
            with Path(self.script["log"]).open("a") as log:
                log.write(json.dumps(message) + "\n")

    def starts(self) -> int:
        return Path(self.script["log"]).read_text().count('"started"')

    def send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        data = b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(body)
        step = 1 if self.script.get("dribble") else len(data + body)
        for at in range(0, len(data + body), step):
            sys.stdout.buffer.write((data + body)[at : at + step])
            sys.stdout.buffer.flush()

    def receive(self) -> dict | None:
        length = 0
        while (line := sys.stdin.buffer.readline()) != b"\r\n":
            if not line:
                return None
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(sys.stdin.buffer.read(length))

    def ask(self, method: str, params: object) -> None:
        self.number += 1
        self.send({"id": f"s{self.number}", "method": method, "params": params})

    def run(self) -> None:
        while (message := self.receive()) is not None:
            self.note(message)
            handle = getattr(self, "on_" + message.get("method", "answer").replace("/", "_").replace("$", ""), None)
            if handle is not None:
                handle(message)
            elif "id" in message and "method" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "what?"}})

    # --- the handshake ----------------------------------------------------------------------------------------

    def on_initialize(self, message: dict) -> None:
        if self.script.get("garbage"):
            sys.stdout.buffer.write(self.script["garbage"].encode() * self.script.get("times", 1))
            sys.stdout.buffer.flush()
            return
        if self.script.get("waits"):
            Path(self.script["waits"]).read_bytes()
        if self.script.get("deaf"):
            return
        self.root = message["params"]["rootUri"]
        abilities = {"codeActionProvider": {"resolveProvider": True}, "completionProvider": {}}
        abilities |= {"documentSymbolProvider": "symbols" in self.script}
        abilities |= {"workspaceSymbolProvider": "of_workspace" in self.script}
        if self.script.get("encoding"):
            abilities["positionEncoding"] = self.script["encoding"]
        if self.script.get("mode") == "pull":
            abilities["diagnosticProvider"] = {"interFileDependencies": True, "workspaceDiagnostics": False}
        self.send({"id": message["id"], "result": {"capabilities": abilities}})

    def on_initialized(self, message: dict) -> None:
        if self.script.get("stalls"):
            threading.Event().wait()
        for method, params in self.script.get("asks", []):
            self.ask(method, params)
        if self.script.get("mode") == "dynamic":
            options = {"identifier": "fake", "interFileDependencies": True, "workspaceDiagnostics": False}
            one = {"id": "pull", "method": "textDocument/diagnostic", "registerOptions": options}
            self.ask("client/registerCapability", {"registrations": [one]})
        for uri in self.script.get("unasked", []):
            found = self.found("bad")
            self.send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": found}})

    def on_shutdown(self, message: dict) -> None:
        self.send({"id": message["id"], "result": None})

    def on_exit(self, message: dict) -> None:
        sys.exit(0)

    # --- documents --------------------------------------------------------------------------------------------

    def on_textDocument_didOpen(self, message: dict) -> None:
        document = message["params"]["textDocument"]
        self.take(document["uri"], document["text"], document["version"])

    def on_textDocument_didChange(self, message: dict) -> None:
        params = message["params"]
        text = params["contentChanges"][0]["text"]
        self.take(params["textDocument"]["uri"], text, params["textDocument"]["version"])

    def on_textDocument_didClose(self, message: dict) -> None:
        del self.texts[message["params"]["textDocument"]["uri"]]

    def has(self, key: str, text: str) -> bool:
        return bool(self.script.get(key)) and self.script[key] in text

    def take(self, uri: str, text: str, version: int) -> None:
        self.texts[uri] = text
        if self.has("dies", text) and not (self.script.get("dies_once") and self.starts() > 1):
            sys.stderr.write("warming up\nout of cheese\n")
            sys.stderr.flush()
            os._exit(7)
        if self.script.get("mode", "push") != "push" or self.has("silent", text):
            return
        for _ in range(8 if self.has("slow", text) else 0):
            progress = {"token": "t", "value": {"kind": "report"}}
            self.send({"method": "$/progress", "params": progress})
            time.sleep(0.5)
        published = {"uri": uri, "version": version, "diagnostics": self.found(text)}
        if not self.script.get("versions", True):
            del published["version"]
            self.send({"method": "textDocument/publishDiagnostics", "params": {**published, "diagnostics": []}})
        self.send({"method": "textDocument/publishDiagnostics", "params": published})

    def found(self, text: str) -> list[dict]:
        found = []
        for number, line in enumerate(text.splitlines()):
            for match in re.finditer("bad|wrn|hnt|bda", line):
                place = {
                    "start": {"line": number, "character": self.units(line[: match.start()])},
                    "end": {"line": number, "character": self.units(line[: match.end()])},
                }
                word = match[0]
                message = f"'{word}' is not defined" if word == "bda" else f"{word} word"
                data = {"secret": number}
                found.append({"range": place, "severity": SEVERITIES[word], "message": message, "data": data})
        return found * 2 if self.script.get("twice") else found

    def units(self, text: str) -> int:
        encoding = self.script.get("encoding", "utf-16")
        return (
            len(text.encode(encoding + ("-le" if encoding != "utf-8" else "")))
            // {"8": 1, "6": 2, "2": 4}[encoding[-1]]
        )

    # --- questions --------------------------------------------------------------------------------------------

    def on_textDocument_diagnostic(self, message: dict) -> None:
        params = message["params"]
        text = self.texts[params["textDocument"]["uri"]]
        if self.has("silent", text):
            return
        if self.has("refuses", text):
            self.send({"id": message["id"], "error": {"code": -32603, "message": "cannot read this"}})
            return
        if self.cancels:
            self.cancels -= 1
            error = {"code": -32802, "message": "busy", "data": {"retriggerRequest": True}}
            self.send({"id": message["id"], "error": error})
            return
        if self.refresh:
            text = ""
        result_id = str(hash(text))
        if params.get("previousResultId") == result_id:
            self.send({"id": message["id"], "result": {"kind": "unchanged", "resultId": result_id}})
        else:
            report = {"kind": "full", "resultId": result_id, "items": self.found(text)}
            self.send({"id": message["id"], "result": report})
        if self.refresh:
            self.refresh = False
            self.ask("workspace/diagnostic/refresh", None)

    def on_textDocument_codeAction(self, message: dict) -> None:
        params = message["params"]
        text = json.dumps(self.script.get("actions", []))
        text = text.replace('"WHERE"', json.dumps(params["range"])).replace("URI", params["textDocument"]["uri"])
        self.send({"id": message["id"], "result": json.loads(text)})

    def on_codeAction_resolve(self, message: dict) -> None:
        text = json.dumps(self.script.get("resolves", {}))
        text = text.replace("URI", next(iter(self.texts)))
        self.send({"id": message["id"], "result": {**message["params"], **json.loads(text)}})

    def on_textDocument_completion(self, message: dict) -> None:
        items = [{"label": name} if isinstance(name, str) else name for name in self.script.get("names", [])]
        self.send({"id": message["id"], "result": {"isIncomplete": False, "items": items}})

    def on_textDocument_documentSymbol(self, message: dict) -> None:
        if not self.has("mute", self.texts[message["params"]["textDocument"]["uri"]]):
            symbols, times = self.script["symbols"], self.script.get("times", 0)
            self.send({"id": message["id"], "result": symbols * times if times else symbols})

    def on_workspace_symbol(self, message: dict) -> None:
        text = json.dumps(self.script["of_workspace"]).replace("ROOT", self.root)
        self.send({"id": message["id"], "result": json.loads(text)})


if __name__ == "__main__":
    Server(json.loads(sys.argv[1])).run()
