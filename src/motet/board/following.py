"""Reading along on a board: the newest posts, what comes and what is changed, what becomes of posts, older ones on demand."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from motet.board.boards import Boards
from motet.board.store import LOOK
from motet.board.values import Board, Fate, Post

PAGE = 200
"""Posts that are read at once."""
_FOLLOWED = 500
"""Newest posts of one author whose deliveries are looked at."""


@dataclass(frozen=True, slots=True)
class News:
    """What became of a page: posts behind those that were there, new texts of some that were, and posts of which a delivery
    has another state now."""

    new: tuple[Post, ...] = ()
    changed: tuple[Post, ...] = ()
    delivered: tuple[Post, ...] = ()


@dataclass(slots=True)
class Following:
    """The posts of a board from some number on, without gaps, as the store has them. A post that was changed or taken
    back takes its own place. `fates`: by the ids of posts what became of those of `author`; of nobody's where that is empty.
    """

    boards: Boards
    board: Board
    posts: list[Post] = field(default_factory=list[Post])
    author: str = ""
    fates: dict[str, tuple[Fate, ...]] = field(default_factory=dict[str, tuple[Fate, ...]])

    @property
    def last(self) -> int:
        """The number of the newest post that is known; 0: there is none."""
        return self.posts[-1].seq if self.posts else 0

    @property
    def older(self) -> int:
        """How many posts there are before the first that is known."""
        return self.posts[0].seq - 1 if self.posts else 0

    async def begin(self) -> None:
        """Read the newest posts."""
        self.posts = await self.boards.last_posts(self.board.id, PAGE)
        await self._delivered()

    async def read_older(self) -> list[Post]:
        """Read the posts before the first that is known, some of them; the oldest first."""
        if not self.older:
            return []
        before = self.older + 1
        found = await self.boards.last_posts(self.board.id, PAGE, before=before)
        if self.older + 1 != before:  # somebody else asked meanwhile, and has them
            return []
        self.posts[:0] = found
        self.fates |= await self.boards.fates(post.id for post in found if post.author == self.author)
        return found

    async def news(self) -> AsyncGenerator[News]:
        """What is new since `begin`, as it comes: never nothing, and not more new posts at once than a page has. Raises
        `BoardError`."""
        async with self.boards.watching() as watch:
            may_be_changed = True  # since `begin`
            while True:
                new = await self.boards.posts(self.board.id, self.last, PAGE)
                changed = await self._changed() if may_be_changed else []
                self.posts += new
                delivered = await self._delivered() if new or may_be_changed else []
                if new or changed or delivered:
                    yield News(tuple(new), tuple(changed), tuple(delivered))
                if len(new) < PAGE:
                    hints = await watch.next(2 * LOOK)
                    # Without a hint it looks by itself: one may have been lost.
                    here = {hint.what for hint in hints if hint.board in ("", self.board.id)}
                    may_be_changed = not hints or "changes" in here

    async def _changed(self) -> list[Post]:
        """New texts of posts that are known; they take their places."""
        if not self.posts:
            return []
        first, changed = self.posts[0].seq, list[Post]()
        for seq, now in sorted((await self.boards.altered(self.board.id, first)).items()):
            at = seq - self.posts[0].seq
            if at < len(self.posts) and (self.posts[at].version, self.posts[at].retracted) != now:
                changed.append(await self.boards.get(self.posts[at].id))
        for post in changed:
            self.posts[post.seq - self.posts[0].seq] = post
        return changed

    async def _delivered(self) -> list[Post]:
        """The newest posts of the author of which a delivery has another state now."""
        if not self.author:
            return []
        own = [post for post in self.posts if post.author == self.author][-_FOLLOWED:]
        found = await self.boards.fates(post.id for post in own)
        changed = [post for post in own if found.get(post.id, ()) != self.fates.get(post.id, ())]
        self.fates |= {post.id: found.get(post.id, ()) for post in changed}
        return changed
