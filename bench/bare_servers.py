"""The least that has to be done to hear what language servers say about some files: the yardstick for `motet fix`.

    python bench/bare_servers.py PLAN.json

The plan names the root, the files, and each server's command, settings and options. All files are opened in all
servers at once and asked about without waiting between the questions; then the servers are killed. Prints, as JSON,
how many problems each server reported. Knows nothing of motet, and only what these servers need of the protocol.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

PATIENCE = 600.0
"""Seconds for everything: a server that never answers must not hold up the benchmarks."""

ABILITIES = {
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "diagnostics": {"refreshSupport": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {"diagnostic": {"dynamicRegistration": True}, "publishDiagnostics": {"versionSupport": True}},
}


class Server:
    """One server and the requests that wait for it."""

    def __init__(self, process: asyncio.subprocess.Process, settings: dict) -> None:
        self.process = process
        self.settings = settings
        self.waiting: dict[int, asyncio.Future] = {}
        self.registered = asyncio.Event()
        self.reading = asyncio.create_task(self.read())

    def send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def request(self, method: str, params: object) -> asyncio.Future:
        number = len(self.waiting) + 1
        self.waiting[number] = asyncio.get_running_loop().create_future()
        self.send(id=number, method=method, params=params)
        return self.waiting[number]

    async def read(self) -> None:
        while True:
            header = await self.process.stdout.readuntil(b"\r\n\r\n")
            length = next(int(line.split(b":")[1]) for line in header.split(b"\r\n") if b"ength" in line)
            message = json.loads(await self.process.stdout.readexactly(length))
            if "method" not in message:
                self.waiting[message["id"]].set_result(message.get("result"))
            elif "id" in message:
                self.send(id=message["id"], result=self.answer(message["method"], message.get("params")))

    def answer(self, method: str, params: dict) -> object:
        if method == "client/registerCapability":
            if any(one["method"] == "textDocument/diagnostic" for one in params["registrations"]):
                self.registered.set()
        elif method == "workspace/configuration":
            return [self.section(item.get("section", "")) for item in params["items"]]
        return None

    def section(self, name: str) -> object:
        tree: object = self.settings
        for key in name.split(".") if name else ():
            tree = tree.get(key) if isinstance(tree, dict) else None
        return tree


async def ask(root: Path, texts: dict[Path, str], plan: dict) -> int:
    """How many problems one server reports."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *plan["argv"], cwd=root, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL,
        limit=2**26, start_new_session=True,
    )  # fmt: skip
    try:
        server = Server(process, plan["settings"])
        folders = [{"uri": root.as_uri(), "name": root.name}]
        told = await server.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "workspaceFolders": folders,
                "initializationOptions": plan["initialization"],
                "capabilities": ABILITIES,
            },
        )
        server.send(method="initialized", params={})
        for path, text in texts.items():
            document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
            server.send(method="textDocument/didOpen", params={"textDocument": document})
        if not told["capabilities"].get("diagnosticProvider"):
            await server.registered.wait()
        answers = await asyncio.gather(
            *(server.request("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}}) for path in texts)
        )
        # Hints (4) and information (3) are not what is fixed.
        return sum(item.get("severity", 1) <= 2 for answer in answers for item in answer["items"])
    finally:
        server.reading.cancel()
        os.killpg(process.pid, 9)


async def main(plan: dict) -> None:
    root = Path(plan["root"])
    texts = {root / name: (root / name).read_text(encoding="utf-8") for name in plan["files"]}
    async with asyncio.timeout(PATIENCE):
        found = await asyncio.gather(*(ask(root, texts, server) for server in plan["servers"].values()))
    print(json.dumps(dict(zip(plan["servers"], found, strict=True))))


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))
