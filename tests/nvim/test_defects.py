"""A defect in the program ends one thing at most: it is told in one line, the log has the trace, and the chat goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import BIN, Project, Provider
from nvim.nvim_kit import Editor, ends, told

from motet.engine.faults import Fault, FaultLog
from motet.models.scripted import Answer, Wire

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")
RUN = "import sys\n{}\nfrom motet.cli import run\nsys.exit(run(sys.argv[1:]))\n"
DRAWS = """
from motet.nvim.talk import Talk
draw = Talk._draw
def fails(self, event, sent):
    if "thre" in getattr(event, "text", ""):
        raise KeyError("nobody expects this")
    draw(self, event, sent)
Talk._draw = fails
"""
FRAMES = """
from motet.nvim.rpc import Peer
lua, left = Peer.lua, [1]
async def fails(self, function, *arguments):
    if function == "draw" and "two" in str(arguments) and left:
        raise KeyError(left.pop())
    return await lua(self, function, *arguments)
Peer.lua = fails
"""
HEARS = """
from motet.nvim.talks import Talks
def fails(self, *_):
    raise KeyError("nobody expects this")
Talks.complete = fails
"""
FORGETS = """
import asyncio, gc
from motet.nvim.talk import Talk
show = Talk.show
async def dies():
    raise KeyError("nobody expects this")
async def shows(self):
    asyncio.create_task(dies())
    await show(self)
    gc.collect()
Talk.show = shows
"""
LINE = "motet: a defect of motet, KeyError({}); ~/.local/state/motet/errors.jsonl has the rest"
TOLD = LINE.format("'nobody expects this'")


def breaks(vim: Editor, how: str) -> None:
    """Have the program be one with a defect."""
    vim.lua("vim.g.motet_command = ...", [str(BIN / "python"), "-c", RUN.format(how)])


def logged(project: Project) -> list[Fault]:
    return list(FaultLog(project.state).read())


@pytest.mark.parametrize("said", ["", "and then?"])
def test_a_turn_that_dies_is_shown_as_ended_and_no_word_is_lost(
    vim: Editor, provider: Serve, project: Project, said: str
) -> None:
    served = provider([Answer(text="one two three", wire=Wire(text_chars=4, stall_after=3)), YES, YES])
    breaks(vim, DRAWS)
    vim.command("Motet chat count")
    vim.lua("vim.g.chat = vim.api.nvim_get_current_buf()")
    vim.waits_for("vim.fn.search('^one two', 'nw') > 0")
    if said:
        vim.keys(f"gm{said}<CR><Esc><CR>")
        vim.waits_for(f"vim.b[vim.g.chat].motet_kept == {said!r}")  # the program has heard it
    served.release()
    vim.turn_ends()
    vim.waits_for("#vim.g.messages > 0")
    assert vim.messages == [TOLD]
    (fault,) = logged(project)
    assert fault.where == "nvim"
    assert fault.trace.endswith("in fails\nKeyError: 'nobody expects this'\n")
    assert vim.lua("return require('motet.chats').by_buf[vim.g.chat].waiting") == []
    assert vim.lua("return require('motet').status().state") == "ready"
    assert "one two" in "\n".join(vim.said)
    assert any("a defect of motet: KeyError" in line for line in vim.said)
    assert vim.lua("return vim.fn.line('.') == vim.fn.line('$') and vim.fn.col('.') >= vim.fn.col('$') - 1")
    vim.keys("Gonext<Esc><CR>")
    vim.turn_ends()
    words = "\n".join(text for role, text in told(served.requests[-1].body) if role == "user")
    assert words.split() == ["count", *said.split(), "next"]
    assert vim.said[-4:] == ["next", "## motet (scripted/one)", "Yes.", "## Me"]


def test_a_frame_that_cannot_be_sent_is_drawn_with_the_next(vim: Editor, provider: Serve, project: Project) -> None:
    served = provider([Answer(text="one two three four", wire=Wire(text_chars=4, stall_after=3)), YES])
    breaks(vim, FRAMES)
    vim.command("Motet chat count")
    vim.waits_for(f"vim.g.messages[1] == {LINE.format('1')!r}")
    served.release()
    vim.turn_ends()
    assert vim.said == ["## Me", "count", "## motet (scripted/one)", "one two three four", "## Me"]
    assert [fault.where for fault in logged(project)] == ["nvim"]


def test_what_fails_as_it_is_heard_ends_nothing(vim: Editor, provider: Serve, project: Project) -> None:
    provider([YES])
    breaks(vim, HEARS)
    vim.chat()
    program = vim.program
    vim.lua("require('motet.process').tell('complete', vim.api.nvim_get_current_buf(), 1, '/')")
    vim.waits_for("#vim.g.messages > 0")
    assert vim.messages == [TOLD]
    assert len(logged(project)) == 1
    vim.keys("ihello<Esc><CR>")
    vim.turn_ends()
    assert vim.said[-2:] == ["Yes.", "## Me"]
    assert vim.program == program


def test_a_task_that_everybody_forgot_is_told(vim: Editor, provider: Serve, project: Project) -> None:
    provider([YES])
    breaks(vim, FORGETS)
    vim.chat()
    vim.waits_for("#vim.g.messages > 0")
    assert vim.messages == [TOLD]
    assert len(logged(project)) == 1


def test_an_editor_that_goes_is_no_defect(vim: Editor, provider: Serve, project: Project) -> None:
    provider([Answer(text="one two three", wire=Wire(text_chars=4, stall_after=3))])
    vim.command("Motet chat count")
    vim.waits_for("vim.fn.search('^one two', 'nw') > 0")
    program = vim.program
    vim.kill()
    assert ends(program, 30)
    assert logged(project) == []
