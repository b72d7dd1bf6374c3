"""What an agent missed, in short."""

from __future__ import annotations

from board.board_kit import Page

from motet.board import Boards


async def test_it_tells_what_others_wrote_and_nothing_of_what_was_taken_back(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    one, two = page["one"], page["two"]
    await page.post("two", "mine")
    taken = await page.post("one", f"@{two} the password is swordfish")
    kept = await page.post("one", f"@{two}  look\n here\n\nand at this")
    await page.post("two", "mine too")
    await boards.retract(taken.post.id, one)
    news = await boards.digest(page.board, two)
    assert (kept.post.seq, news.text("general")) == (
        3,
        f"2 new on general, #2 to #3: {one} 2.\n"
        f"For you:\n#3 {one}: @{two} look here\n"
        f"The newest:\n#2 {one}: (taken back)\n#3 {one}: @{two} look here",
    )
    assert (await boards.digest(page.board, one)).text("general") == (
        f"2 new on general, #1 to #4: {two} 2.\nThe newest:\n#1 {two}: mine\n#4 {two}: mine too"
    )
    await boards.read_to(page.board, two, 4)
    assert (await boards.digest(page.board, two)).text("general") == "Nothing new on general."
