"""Many agents on many machines, step by step in simulated time: who waits for whom, and for how long.

What is simulated is what `motet.board` does. A store has one writers' turn, in the order of asking, and answers readers
on its other cores. A process has one thread for its store: the writes that wait in it share a transaction. Posts that are
stored wake, at most every 20 ms, the processes of those whom they call, one to everyone all processes of the store; each
then asks whether anything waits for its agents, and who has something takes it, carries it, and settles it. Agents show every 20 s that they live; processes look by
themselves every 5 s. Models take no time here: an agent is always ready to read.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from boardspeed.costs import Costs

_BEAT, _LOOK, _QUIET, _AWAY = 20.0, 5.0, 0.02, 0.0005
"""Seconds: between two signs of life, two looks by oneself, two notifications; of the way to another machine."""


@dataclass(frozen=True)
class Team:
    """`agents` in `processes`, on boards of `members` each; posts in a minute of each agent, each to one other one of its
    board, and so many of a thousand to everyone. `cores` of the store's machine, for this store alone."""

    agents: int
    processes: int
    members: int = 20
    posts: float = 1.0
    everyone: int = 5
    cores: float = 8.0


@dataclass
class Seen:
    """What came of it. Seconds; `turn` and `reading` are parts of the time that the writers' turn and the other cores
    were in use; `looks` of processes in a second. `late`: posts that nobody had when the time was over."""

    stored: float = 0.0
    delivered: int = 0
    late: int = 0
    turn: float = 0.0
    reading: float = 0.0
    looks: float = 0.0
    waits: list[float] = field(default_factory=list)

    @property
    def keeps_up(self) -> bool:
        """Whether no queue grew all the time."""
        return self.turn < 0.97 and self.reading < 0.97 and self.late <= max(0.02 * self.delivered, 5)


@dataclass(eq=False)
class _Process:
    jobs: deque[tuple[str, int, float]] = field(default_factory=deque)
    is_busy: bool = False
    will_look: bool = False
    agents: list[int] = field(default_factory=list)
    waiting: dict[int, list[float]] = field(default_factory=dict)


class Simulation:
    """One run. The same seed gives the same."""

    def __init__(self, costs: Costs, team: Team, seed: int = 1) -> None:
        self._costs, self._team, self._chance = costs, team, random.Random(seed)
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._processes = [_Process() for _ in range(team.processes)]
        for agent in range(team.agents):
            self._processes[agent % team.processes].agents.append(agent)
        self._turn: deque[tuple[float, Callable[[], None]]] = deque()
        self._readers: deque[tuple[float, Callable[[], None]]] = deque()
        self._is_writing = False
        self._reading = 0
        self._will_ring = False
        self._called: set[int] = set()
        self._writers_busy = self._readers_busy = 0.0
        self._most_readers = max(int(team.cores) - 1, 1)
        self._slower = max(1.0, 2.0 / team.cores)
        self.seen = Seen()
        write = costs.write
        self._adds = {
            "post": costs.post, "beat": costs.post, "pull": max(costs.pull - costs.look - write, costs.post),
            "carried": max(costs.carried - write, costs.post), "settle": max(costs.settle - write, costs.post),
        }  # fmt: skip

    def run(self, seconds: float) -> Seen:
        """So many seconds of it."""
        for agent in range(self._team.agents):
            self._later(self._chance.expovariate(self._team.posts / 60), lambda a=agent: self._posts(a))
            self._later(self._chance.random() * _BEAT, lambda a=agent: self._beats(a))
        for process in self._processes:
            self._later(self._chance.random() * _LOOK, lambda p=process: self._looks(p))
        while self._events and self._events[0][0] <= seconds:
            self._now, _, what = heapq.heappop(self._events)
            what()
        seen = self.seen
        seen.stored /= seconds
        seen.looks /= seconds
        seen.turn = min(self._writers_busy / seconds, 1.0)
        seen.reading = min(self._readers_busy / seconds / self._most_readers, 1.0)
        seen.late = sum(
            at < seconds - 1 for process in self._processes for waits in process.waiting.values() for at in waits
        ) + sum(kind == "post" and at < seconds - 1 for p in self._processes for kind, _, at in p.jobs)
        return seen

    # --- what agents and processes do by themselves ------------------------------------------------------------------

    def _posts(self, agent: int) -> None:
        self._ask(self._processes[agent % self._team.processes], "post", agent)
        self._later(self._chance.expovariate(self._team.posts / 60), lambda: self._posts(agent))

    def _beats(self, agent: int) -> None:
        self._ask(self._processes[agent % self._team.processes], "beat", agent)
        self._later(_BEAT, lambda: self._beats(agent))

    def _looks(self, process: _Process) -> None:
        self._wake(process)
        self._later(_LOOK, lambda: self._looks(process))

    # --- one process: one step at a time -----------------------------------------------------------------------------

    def _ask(self, process: _Process, kind: str, agent: int) -> None:
        process.jobs.append((kind, agent, self._now))
        self._next(process)

    def _wake(self, process: _Process) -> None:
        if not process.will_look:
            process.will_look = True
            self._ask(process, "look", 0)

    def _next(self, process: _Process) -> None:
        if process.is_busy or not process.jobs:
            return
        process.is_busy = True
        if process.jobs[0][0] == "look":
            process.jobs.popleft()
            process.will_look = False
            found = dict(process.waiting)  # what comes later is found by the next look
            took = self._costs.look + self._costs.looker * (len(process.agents) - 1)
            self._read(took, lambda: self._looked(process, list(found)))
            return
        together: list[tuple[str, int, float]] = []
        while process.jobs and process.jobs[0][0] != "look" and len(together) < 256:
            together.append(process.jobs.popleft())
        took = self._costs.write + sum(self._adds[kind] for kind, _, _ in together)
        self._write(took, lambda: self._wrote(process, together))

    def _looked(self, process: _Process, agents: list[int]) -> None:
        self.seen.looks += 1
        for agent in agents:
            if agent in process.waiting and all(job[:2] != ("pull", agent) for job in process.jobs):
                process.jobs.append(("pull", agent, self._now))
        self._free(process)

    def _wrote(self, process: _Process, jobs: list[tuple[str, int, float]]) -> None:
        for kind, agent, at in jobs:
            match kind:
                case "post":
                    self._stored(agent, at)
                case "pull":
                    for called in process.waiting.pop(agent, []):
                        self.seen.delivered += 1
                        self.seen.waits.append(self._now - called)
                        process.jobs.append(("carried", agent, self._now))
                case "carried":
                    process.jobs.append(("settle", agent, self._now))
                case _:
                    pass
        self._free(process)

    def _free(self, process: _Process) -> None:
        process.is_busy = False
        self._next(process)

    def _stored(self, author: int, at: float) -> None:
        self.seen.stored += 1
        team = self._team
        first = author // team.members * team.members
        board = range(first, min(first + team.members, team.agents))
        if self._chance.randrange(1000) < team.everyone:
            called = [one for one in board if one != author]
            self._called.update(range(team.processes))
        else:
            called = [one for one in [self._chance.choice(board)] if one != author]
        for one in called:
            self._processes[one % team.processes].waiting.setdefault(one, []).append(at)
            self._called.add(one % team.processes)
        if not self._will_ring:
            self._will_ring = True
            self._later(_AWAY + (_QUIET if team.processes > 1 else 0) * self._chance.random(), self._ring)

    def _ring(self) -> None:
        self._will_ring = False
        called, self._called = self._called, set[int]()
        for number in sorted(called):
            self._wake(self._processes[number])

    # --- the store ---------------------------------------------------------------------------------------------------

    def _write(self, milliseconds: float, done: Callable[[], None]) -> None:
        self._turn.append((milliseconds / 1e3 * self._slower, done))
        self._serve_writers()

    def _serve_writers(self) -> None:
        if self._is_writing or not self._turn:
            return
        took, done = self._turn.popleft()
        self._is_writing = True
        self._writers_busy += took

        def end() -> None:
            self._is_writing = False
            done()
            self._serve_writers()

        self._later(took, end)

    def _read(self, milliseconds: float, done: Callable[[], None]) -> None:
        self._readers.append((milliseconds / 1e3 * self._slower, done))
        self._serve_readers()

    def _serve_readers(self) -> None:
        while self._readers and self._reading < self._most_readers:
            took, done = self._readers.popleft()
            self._reading += 1
            self._readers_busy += took

            def end(done: Callable[[], None] = done) -> None:
                self._reading -= 1
                done()
                self._serve_readers()

            self._later(took, end)

    def _later(self, seconds: float, what: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self._now + seconds, next(self._numbers), what))
