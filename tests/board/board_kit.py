"""Boards with some who take part."""

from __future__ import annotations

from motet.board import AgentKind, Boards, Draft, NewAgent, Posted

PROJECT = "/home/me/project"


class Page:
    """One board, and agents by the names they were given."""

    def __init__(self, boards: Boards, board: str) -> None:
        self.boards = boards
        self.board = board
        self.addresses: dict[str, str] = {}

    @classmethod
    async def of(cls, boards: Boards, *names: str, human: str = "") -> Page:
        """A page `general` with agents of these names on it, `name/role` with a role, and perhaps a human."""
        page = cls(boards, (await boards.open(PROJECT)).id)
        for name in names:
            await page.add(name)
        if human:
            await page.add(human, AgentKind.HUMAN)
        return page

    async def add(self, name: str, kind: AgentKind = AgentKind.CHAT, identity: str = "") -> str:
        name, _, role = name.partition("/")
        roles = (role,) if role else ()
        agent = await self.boards.register(NewAgent(name, kind, identity or f"{kind}-{name}", roles))
        await self.boards.join(self.board, agent.address)
        self.addresses[name] = agent.address
        return agent.address

    def __getitem__(self, name: str) -> str:
        return self.addresses[name]

    async def post(self, author: str, body: str, **more: object) -> Posted:
        """What `author` (a name) writes; `@NAME@` in it is the address of that name."""
        for name, address in self.addresses.items():
            body = body.replace(f"@{name}@", f"@{address}")
        return await self.boards.post(Draft(self.board, self[author], body, **more))  # type: ignore[arg-type]

    async def inbox(self, name: str) -> list[str]:
        """The bodies that wait for an agent; they are leased with that."""
        return [one.post.body for one in await self.boards.pull(self[name])]
