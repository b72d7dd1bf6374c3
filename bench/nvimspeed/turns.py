"""Turns of a chat in an editor, and what each took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from chatspeed.provider import percentile
from measure.run import BenchError

from nvimspeed.editor import HERE, PATIENCE, Editor, editor
from nvimspeed.provider import Provider, Request, Wish

INIT = str(HERE / "init.lua")
_TYPING = 1.0
"""Seconds between opening a chat and the first message; what nobody types in less is loaded meanwhile."""
_PROBE = 0.005
"""Seconds from one probe to the next."""


@dataclass(frozen=True)
class Who:
    """Something that answers in an editor: its driver, and the file that the editor starts with."""

    name: str
    driver: str
    init: str = "NONE"


MOTET = Who("motet", "driver", INIT)
LUA = Who("a bare appender in Lua", "floor_lua")
PROCESS = Who("a bare Python process", "floor_process")


@dataclass(frozen=True)
class Turn:
    """What one turn took. Milliseconds, and seconds of processor time; `probes`: how long requests to the editor's main
    loop waited meanwhile; `tokens`: how long marks took from the provider to the screen."""

    blocked: float
    to_request: float
    total: float
    last_to_screen: float
    editor_cpu: float
    process_cpu: float
    probes: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)

    def probe(self, share: float) -> float:
        """The time that `share` of the probes took at most."""
        return percentile(self.probes, share)

    def token(self, share: float) -> float:
        """The same of the tokens."""
        return percentile(self.tokens, share)


class Chat:
    """A chat with the provider in one editor."""

    def __init__(self, editor: Editor, provider: Provider) -> None:
        self.editor = editor
        self._provider = provider
        self._turns = 0
        self.blocked, self.ready = self.open()

    def open(self) -> tuple[float, float]:
        """Open a chat: milliseconds for which the editor was blocked, and until the chat takes a message."""
        begun, took = self.editor.lua("return bench.open()")  # type: ignore[misc]
        while not self.editor.lua("return bench.ready()"):
            self.editor.take(0.002)
        return took / 1e6, (time.monotonic_ns() - begun) / 1e6

    def turn(self, tokens: int, chars: int = 4, rate: int = 0, *, probing: bool = False) -> Turn:
        """One turn, when everything has come to rest. Raises `BenchError` when the answer is not all there."""
        self._turns += 1
        editor = self.editor
        wish = Wish(tokens, chars, rate, self._turns)
        editor.wait(0.05)
        editor.drawn.clear()
        cpu, children = editor.cpu, editor.children_cpu
        begun, blocked = editor.lua("return bench.submit(...)", str(wish))  # type: ignore[misc]
        probes = self._until_done(wish, tokens / rate if rate else 0.0, probing=probing)
        used = editor.cpu - cpu, editor.children_cpu - children
        request = self._provider.request()
        shown = editor.when_drawn(wish.end, request.last - 10_000_000)
        if shown is None:
            raise BenchError("the end of the answer was never drawn")
        return Turn(
            blocked / 1e6, (request.asked - begun) / 1e6, (shown - begun) / 1e6, (shown - request.last) / 1e6, *used,
            probes, self._tokens(request),
        )  # fmt: skip

    def _tokens(self, request: Request) -> list[float]:
        shown = [(self.editor.when_drawn(mark, when), when) for mark, when in request.marks]
        seen = [(drawn - when) / 1e6 for drawn, when in shown if drawn is not None]
        if len(seen) < 0.9 * len(shown):
            raise BenchError(f"of {len(shown)} marks only {len(seen)} were drawn")
        return seen

    def _until_done(self, wish: Wish, quiet: float, *, probing: bool) -> list[float]:
        """Wait until the answer is on the screen and the chat takes the next message; the probes meanwhile."""
        editor, probes = self.editor, list[float]()
        now = time.monotonic()
        until, look, probe = now + quiet + PATIENCE, now + quiet, now
        while True:
            if probing and probe <= time.monotonic():
                due = probe
                editor.probe(lambda _, due=due: probes.append(1e3 * (time.monotonic() - due)))  # type: ignore[misc]
                probe += _PROBE
            editor.take(min(_PROBE, 0.02) if not probing else max(0.0, min(_PROBE, probe - time.monotonic())))
            if (now := time.monotonic()) < look:
                continue
            look = now + 0.01
            if editor.when_drawn(wish.end, 0) is not None and editor.lua("return bench.done()"):
                return probes
            if now > until:
                raise BenchError("the turn did not end")

    def require(self, tokens: int, chars: int) -> None:
        """The whole answer of the last turn is in the buffer, character by character. Raises `BenchError`."""
        wish = Wish(tokens, chars, 0, self._turns)
        if "".join(wish.pieces) not in str(self.editor.lua("return bench.text()")):
            raise BenchError("the answer in the buffer is not the one that was sent")


@contextmanager
def chat(who: Who, provider: Provider) -> Iterator[Chat]:
    """A chat in a new editor."""
    with editor(provider.url, who.driver, who.init) as found:
        opened = Chat(found, provider)
        found.wait(_TYPING)
        yield opened
