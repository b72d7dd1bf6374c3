"""Either half is killed at any moment: nothing is left running, and the chat is there again with its draft.

A few moments in each run; many with `MOTET_KILL_ALL=1`.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable

import pytest
from cli.kit import Provider, children_of, eventually, is_alive
from nvim.nvim_kit import Editor, editor, ends

from motet.models.scripted import Answer, Wire, call
from motet.models.scripted.answers import Answering

Serve = Callable[..., Provider]
EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
"""The soak run."""
ROUNDS = range(50 if EVERY else 3)
SEED = int(os.environ.get("MOTET_KILL_SEED", "7"))
YES = Answer(text="Yes.")
STORED = "vim.wait(30000, function() return vim.b[vim.g.chat].motet_kept == vim.g.typed end, 10)"


def answers() -> Answering:
    """The first question is answered at once; every other one with a command that lasts, and a text that stalls."""
    slow = Answer(
        text="one two three", calls=(call("run_command", {"argv": ["sleep", "300"]}),), wire=Wire(text_chars=1)
    )
    stalls = Answer(text="one two three", wire=Wire(text_chars=1, stall_after=6))

    def answer(request: object) -> Answer:
        text = str(getattr(request, "text", ""))
        return slow if "run" in text else stalls if "stall" in text else YES

    return answer


def begin(vim: Editor, word: str, moment: float) -> list[int]:
    """Have a turn run for so many seconds, with a stored draft beside it; the processes that it has then."""
    vim.answers("o")
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.lua("vim.g.chat = vim.api.nvim_get_current_buf()")
    vim.command(f"Motet chat @cmd {word}")
    vim.waits_for("#vim.fn.maparg('i', 'n') > 0")
    vim.keys("inext<Esc>")
    vim.lua("vim.g.typed = 'next'")
    assert vim.lua(f"return {STORED}")
    vim.lua("vim.wait(...)", int(moment * 1000))
    return [vim.program, *children_of(vim.program)]


def is_whole(vim: Editor, word: str) -> None:
    """The chat is open, with what was said and the draft."""
    vim.waits_for("vim.fn.search('^Yes\\\\.$', 'nw') > 0 and vim.fn.search('^next$', 'nw') > 0")
    said = vim.said
    assert said[:4] == ["## Me", "hello", "## motet (scripted/one)", "Yes."]
    assert [line for line in said if word in line][:1] == [f"@cmd {word}"]
    assert [line for line in said if not line.startswith(">")][-2:] == ["## Me", "next"]


@pytest.mark.acceptance("T-34")
@pytest.mark.parametrize("number", ROUNDS)
def test_the_editor_is_killed(provider: Serve, number: int) -> None:
    chance = random.Random(SEED * 1000 + number)
    word, moment = chance.choice(["run", "stall"]), chance.uniform(0, 1.5)
    provider(answers())
    with editor() as vim:
        left = begin(vim, word, moment)
        vim.kill()
        for pid in left:
            assert ends(pid, 2)
    with editor() as vim:
        vim.command("Motet open last")
        is_whole(vim, word)
        vim.keys("GAx<Esc>")
        assert vim.lines[-1] == "nextx"
        assert vim.messages == []


@pytest.mark.parametrize("number", ROUNDS)
def test_the_program_is_killed(vim: Editor, provider: Serve, number: int) -> None:
    chance = random.Random(SEED * 1000 + 500 + number)
    word, moment = chance.choice(["run", "stall"]), chance.uniform(0, 1.5)
    provider(answers())
    program, *children = begin(vim, word, moment)
    os.kill(program, signal.SIGKILL)
    for pid in children:
        eventually(lambda pid=pid: not is_alive(pid))
    vim.waits_for("not require('motet.process').is_ready()")
    vim.lua("vim.cmd.stopinsert(); vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.g.chat))")
    vim.command("Motet model offline")
    vim.waits_for("require('motet').status().model == 'offline'")
    vim.command("wincmd w | wincmd w")
    vim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.g.chat))")
    is_whole(vim, word)
