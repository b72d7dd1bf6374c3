"""Agents on a board that are killed and come back, as a program.

    python crash_kit.py steps PLACE FIRST EVERY    one process goes through `script`, killed at step FIRST; then, on new
                                                   boards, at step FIRST + EVERY, and so on until it comes to its end
    python crash_kit.py moves DIRECTORY URL FIRST EVERY    the same for a move from a file to a server
    python crash_kit.py random PLACE SEED          several processes at once, each killed now and then

It ends with exit status 1 and says what was lost, doubled or torn; otherwise with a line that says how much was done.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from board.killing import Told, ended, rows, run_apart, start_apart
from board.places import Place

from motet.board import (
    Agent,
    AgentKind,
    BoardMoved,
    BoardRefused,
    Boards,
    Delivery,
    DeliveryState,
    Draft,
    Limits,
    NewAgent,
    Outcome,
    PostKind,
)
from motet.board.moving import move

PROJECT = "/home/me/project"
LIMITS = replace(Limits.without_caps(), hops=1000, tokens=10**9, cost=10.0**6)
PROCESSES, POSTS, KILLS = 4, 6, 2
"""Of a random run; posts of each process, and how often it is killed at most."""


class Actor:
    """One agent. Its conversation is a file: what stands there is in its context, for good."""

    def __init__(self, boards: Boards, board: str, agent: Agent, files: Path) -> None:
        self.boards = boards
        self.board = board
        self.agent = agent
        self.address = agent.address
        self.conversation = Told(str(files / f"conversation-{agent.name}"))
        self.told = Told(str(files / f"told-{agent.name}"))

    @classmethod
    async def come(
        cls, boards: Boards, board: str, name: str, files: Path, *, human: bool = False, role: str = ""
    ) -> Actor:
        kind = AgentKind.HUMAN if human else AgentKind.CHAT
        agent = await boards.register(NewAgent(name, kind, f"id-{name}", (role,) if role else ()))
        await boards.join(board, agent.address)
        return cls(boards, board, agent, files)

    async def post(self, key: str, body: str, kind: PostKind = PostKind.MESSAGE, answers: str = "") -> str:
        """Returns the id of the post. That it is stored is told as soon as it was said to be."""
        draft = Draft(self.board, self.address, body, kind, key=key, answers=answers, by_human=True)
        posted = await self.boards.post(draft)
        self.told.tell(key)
        return posted.post.id

    async def take_up(self) -> None:
        """What a process does that comes back: look in the conversation for what it had leased."""
        there = dict(line.split() for line in self.conversation.lines)
        for one in await self.boards.held(self.address):
            if one.id in there:
                await self.boards.carried(self.address, [one.id], there[one.id])
            else:
                await self.boards.give_back(self.address, [one.id])

    async def read(self) -> int:
        """Take what waits into the conversation; returns how much that was."""
        deliveries = await self.boards.pull(self.address)
        for one in deliveries:
            self.conversation.tell(f"{one.id} turn-{one.post.seq}")
            await self.boards.carried(self.address, [one.id], f"turn-{one.post.seq}")
        return len(deliveries)

    async def settle(self) -> None:
        """End what was read and has not been settled."""
        for one in await self.boards.deliveries(recipient=self.address, limit=10_000):
            if one.state in (DeliveryState.IN_CONTEXT, DeliveryState.ANSWERED) and not one.rule:
                await self.boards.settle(
                    self.address, one.id, Outcome(DeliveryState.ACKED, rule="read", tokens=10, cost=0.25)
                )


# --- one process, every step ---------------------------------------------------------------------------------------


async def script(place: Place, files: Path) -> None:
    """All that agents do, from empty boards on. It can be run again after it was broken off anywhere."""
    async with place.boards(LIMITS) as boards:
        board = (await boards.open(PROJECT)).id
        ann = await Actor.come(boards, board, "ann", files)
        ben = await Actor.come(boards, board, "ben", files, role="reviewer")
        mia = await Actor.come(boards, board, "mia", files, human=True)
        hello = await ann.post("k1", f"@{ben.address} hello")
        await mia.post("k2", "@All status?")
        await ann.post("k3", "@reviewer please look")
        request = await ann.post("k4", f"@{ben.address} fix the login", PostKind.REQUEST)
        await ben.take_up()
        while await ben.read():
            pass
        delivery = await boards.delivery_of(request, ben.address)
        assert isinstance(delivery, Delivery)
        await ben.post("k5", "It is fixed; the token was read twice.", answers=delivery.id)
        await ben.settle()
        await boards.edit(hello, ann.address, f"@{ben.address} @{mia.address} hello")
        await boards.claim(PROJECT, ann.address, ["src/**", "docs/*.md"])
        await boards.release(PROJECT, ann.address, ["src/**"])
        await ann.post("k6", "@All done")
        for one in (ann, mia, ben):
            await one.take_up()
            while await one.read():
                pass
            await one.settle()


STORED = (
    "SELECT seq, author, kind, body, version, retracted, send_key FROM posts ORDER BY seq",
    "SELECT d.seq, d.author, recipient, role, state, high, rule, turn, d.cost FROM deliveries d ORDER BY 1, 3, 4",
    "SELECT seq, high, among FROM broadcasts ORDER BY seq",
    "SELECT address, joined, expanded FROM members ORDER BY address",
    "SELECT posts.seq, c.tokens, c.cost, state FROM chains c JOIN posts ON posts.id = c.id ORDER BY posts.seq",
    "SELECT version, body FROM versions ORDER BY post, version",
    "SELECT CAST(sum(posts) AS BIGINT), CAST(sum(tokens) AS BIGINT), sum(cost) FROM used",
    "SELECT address, kind, roles, state FROM agents ORDER BY address",
    "SELECT glob, owner FROM file_leases ORDER BY glob",
    "SELECT kind, text FROM notices ORDER BY id",
    "SELECT actor, what, why FROM refusals ORDER BY id",
    "SELECT last FROM boards",
)
"""What a store holds in the end, without what differs from run to run."""


def check_steps(base: Place, first: int, every: int) -> str:
    """Kill at every `every`th step. Returns what was done; raises `AssertionError`."""
    files = Path(tempfile.mkdtemp(dir=None if base.is_server else base.at))
    wanted = _played(_part(base, "whole"), files / "whole", 0)[1]
    for times, kill_at in enumerate(itertools.count(first, every)):
        place = _part(base, f"at_{kill_at}")
        was_killed, stored = _played(place, files / str(kill_at), kill_at)
        for one, other in zip(wanted, stored, strict=True):
            assert one == other, f"killed at step {kill_at}: {other} instead of {one}"
        if not was_killed:
            shutil.rmtree(files)
            return f"killed {times} times, at every {every}th of about {kill_at} steps, from {first} on"
    raise AssertionError


def _played(place: Place, files: Path, kill_at: int) -> tuple[bool, list[list[tuple[object, ...]]]]:
    """Run the script; killed, then again to its end. Whether it was killed, and what is stored."""
    files.mkdir()
    was_killed = run_apart(lambda: script(place, files), kill_at)
    if was_killed:
        (stored,) = rows(place, ["SELECT send_key FROM posts"])
        told = [line for name in ("ann", "ben", "mia") for line in Told(str(files / f"told-{name}")).lines]
        lost = set(told) - {str(row[0]) for row in stored}
        assert not lost, f"killed at step {kill_at}: {lost} were acknowledged and are lost"
        assert not run_apart(lambda: script(place, files))
    for name in ("ann", "ben", "mia"):
        twice = [one for one, many in Counter(Told(str(files / f"conversation-{name}")).lines).items() if many > 1]
        assert not twice, f"killed at step {kill_at}: {twice} stand twice in the conversation of {name}"
    return was_killed, rows(place, STORED)


def _part(base: Place, name: str) -> Place:
    return Place(f"{base.at}_{name}" if base.is_server else f"{base.at}/{name}")


# --- several processes, at random ----------------------------------------------------------------------------------


async def play(place: Place, files: Path, number: int, seed: int) -> None:
    """One process of a random run, from the beginning or from where it was killed, until it has written all it has."""
    chance = random.Random(seed)
    names = [f"a{n}" for n in range(PROCESSES)]
    async with place.boards(LIMITS) as boards:
        board = (await boards.open(PROJECT)).id
        me = await Actor.come(boards, board, names[number], files, role="worker" if number % 2 else "")
        await me.take_up()
        there = {agent.name: agent.address for agent in await boards.agents(board)}
        written = [f"{me.agent.name}-{n}" for n in range(POSTS)]
        for key in written[len(set(me.told.lines)) :]:
            others = [there[name] for name in names if name in there and name != me.agent.name]
            whom = chance.choice([*others, "All", "role:worker", "nobody-at-all"])
            await me.post(key, f"@{whom} number {key}")
            match chance.randrange(4):
                case 0:
                    await _write_a_file(me, files)
                case 1 | 2:
                    await me.read()
                case _:
                    await me.settle()


async def _write_a_file(me: Actor, files: Path) -> None:
    """Claim a file, write a line into it that says under which claim, and let go of it."""
    try:
        (lease,) = await me.boards.claim(PROJECT, me.address, ["src/*.py"])
        await me.boards.check_write(PROJECT, me.address, "src/one.py", lease.token)
    except BoardRefused:
        return
    Told(str(files / "one.py")).tell(f"{lease.token} {me.address}")
    await me.boards.release(PROJECT, me.address)


async def drain(place: Place, files: Path) -> None:
    """Everyone reads what is left, and settles it."""
    async with place.boards(LIMITS) as boards:
        board = (await boards.open(PROJECT)).id
        everyone = [
            await Actor.come(boards, board, f"a{n}", files, role="worker" if n % 2 else "") for n in range(PROCESSES)
        ]
        for one in everyone:
            await one.take_up()
        for one in everyone:
            while await one.read():
                pass
            await one.settle()


def check_random(place: Place, seed: int) -> str:
    """Let several processes write at once, each killed now and then. Returns what was done; raises `AssertionError`."""
    chance = random.Random(seed)
    files = Path(tempfile.mkdtemp(dir=None if place.is_server else place.at))
    kills = 0
    left = dict.fromkeys(range(PROCESSES), KILLS)
    under_way: dict[int, int] = {}

    def begin(number: int) -> None:
        kill_at = chance.randint(1, 180) if left[number] else 0
        left[number] -= 1
        mine = chance.randrange(1 << 30)
        under_way[start_apart(lambda: play(place, files, number, mine), kill_at)] = number

    for number in range(PROCESSES):
        begin(number)
    while under_way:
        child = next(iter(under_way))
        number = under_way.pop(child)
        if ended(child):
            kills += 1
            begin(number)
    assert not run_apart(lambda: drain(place, files))
    posts, deliveries, leases = rows(
        place,
        [
            "SELECT seq, author, send_key, id, body FROM posts ORDER BY seq",
            "SELECT post, recipient, state, id, rule FROM deliveries",
            "SELECT token, owner FROM file_leases",
        ],
    )
    told = [line for n in range(PROCESSES) for line in Told(str(files / f"told-a{n}")).lines]
    check_posts(posts, set(told))
    _check_recipients(posts, deliveries)
    _check_deliveries(deliveries, files)
    tokens = [int(line.split()[0]) for line in Told(str(files / "one.py")).lines]
    assert tokens == sorted(tokens), f"claims overlapped: {tokens}"
    shutil.rmtree(files)
    return f"{len(posts)} posts, {len(deliveries)} deliveries, {kills} kills, {len(leases)} claims left"


def check_posts(posts: Iterable[tuple[object, ...]], keys: set[str]) -> None:
    """All of `keys` are stored once, each author's in their order, with numbers from 1 on without a gap."""
    found = list(posts)
    assert [seq for seq, *_ in found] == list(range(1, len(found) + 1)), "numbers have gaps"
    assert Counter(str(key) for _, _, key, *_ in found) == Counter(keys), "posts are lost or stand there twice"
    for author in {author for _, author, *_ in found}:
        numbers = [int(str(key).rpartition("-")[2]) for _, by, key, *_ in found if by == author]
        assert numbers == sorted(numbers), f"the posts of {author} are out of order"


def _check_recipients(posts: Iterable[tuple[object, ...]], deliveries: Iterable[tuple[object, ...]]) -> None:
    """Whoever is named has it, and nobody else; of a role one has it; of everyone those who were there."""
    got: dict[object, list[object]] = {}
    for post, recipient, *_ in deliveries:
        got.setdefault(post, []).append(recipient)
    for _, author, _, post, body in posts:
        called, has = str(body).split()[0].removeprefix("@"), got.get(post, [])
        assert author not in has, f"{author} has its own post"
        match called:
            case "All":
                assert len(has) <= PROCESSES - 1
            case "role:worker":
                assert len(has) <= 1, f"{has} have one call of a role"
            case "nobody-at-all":
                assert not has
            case _:
                assert has == [called], f"{has} instead of {called}"


def _check_deliveries(deliveries: Iterable[tuple[object, ...]], files: Path) -> None:
    """Each is settled, and stands once in the conversation of its recipient."""
    found = list(deliveries)
    open_ones = [row for row in found if row[2] != "acked" or row[4] != "read"]
    assert not open_ones, f"not settled: {open_ones}"
    twice = [pair for pair, many in Counter((row[0], row[1]) for row in found).items() if many > 1]
    assert not twice, f"delivered twice: {twice}"
    read = [line.split()[0] for n in range(PROCESSES) for line in Told(str(files / f"conversation-a{n}")).lines]
    assert Counter(read) == Counter(str(row[3]) for row in found), "in context twice, or never"


# --- a move, every step --------------------------------------------------------------------------------------------


def check_moves(directory: Path, url: str, first: int, every: int) -> str:
    """Kill a move at every `every`th step. Returns what was done; raises `AssertionError`."""
    origin = Place(str(directory / "origin"))
    (directory / "files").mkdir()
    run_apart(lambda: script(origin, directory / "files"))
    wanted = rows(origin, STORED)
    for times, kill_at in enumerate(itertools.count(first, every)):
        source, target = Place(str(directory / f"state-{kill_at}")), Place(f"{url}_{kill_at}")
        shutil.copytree(origin.at, source.at)

        async def work(source: Place = source, target: Place = target) -> None:
            await move(Path(source.at), target.at)

        was_killed = run_apart(work, kill_at)
        truths = [place for place in (source, target) if (found := _stored(place)) and found == wanted]
        assert len(truths) <= 1, f"killed at step {kill_at}: there are two truths"
        assert was_killed or truths == [target]
        run_apart(work)
        assert _stored(source) is None, f"killed at step {kill_at}: the source does not know that it was moved"
        assert _stored(target) == wanted, f"killed at step {kill_at}: something is lost"
        if not was_killed:
            return f"killed {times} times, at every {every}th of about {kill_at} steps, from {first} on"
    raise AssertionError


def _stored(place: Place) -> list[list[tuple[object, ...]]] | None:
    """What a store holds; None for one that says that its boards are elsewhere, or not all here."""
    try:
        return rows(place, STORED)
    except BoardMoved:
        return None


def main(what: str, at: str, *numbers: str) -> int:
    place, where = Place(at), ""
    if not place.is_server:
        os.makedirs(at, exist_ok=True)  # noqa: PTH103
    try:
        if what == "steps":
            print(check_steps(place, *map(int, numbers)))
        elif what == "moves":
            print(check_moves(Path(at), numbers[0], *map(int, numbers[1:])))
        else:
            for seed in map(int, numbers):
                where = f"seed {seed}: "
                part = _part(place, f"seed_{seed}")
                if not place.is_server:
                    os.makedirs(part.at)  # noqa: PTH103
                print(f"{where}{check_random(part, seed)}")
    except (AssertionError, RuntimeError) as error:
        print(f"{where}{error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
