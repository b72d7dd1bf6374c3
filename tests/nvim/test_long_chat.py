"""A chat of ten megabytes: keys come to the screen as before, and neither half of motet grows with every key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Provider
from nvim.nvim_kit import Editor, processor

from motet.models.scripted import Answer, Wire

LINE = "A line of an answer that goes on and on, as long as those that people read in the evening, 日本語.\n"
MANY = 10_000_000 // len(LINE.encode())
KEYS = 60
BAR = 0.016
"""Seconds of the editor's processor for a key and what it draws: what the benchmark measures as p95, by the clock of a
quiet machine."""
GROWTH = 20
"""Megabytes by which a process may grow while so many keys are typed."""


def memory(pid: int) -> float:
    """Megabytes that a process has in memory."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmRSS:"))


@pytest.mark.acceptance("T-33")
def test_in_a_chat_of_ten_megabytes_keys_come_to_the_screen_and_memory_has_a_bound(
    vim: Editor, provider: Callable[..., Provider]
) -> None:
    provider([Answer(text=LINE * MANY, wire=Wire(text_chars=100_000))])
    vim.chat()
    vim.keys("iGo on<Esc><CR>")
    vim.turn_ends()
    text = vim.lines
    assert text.count(LINE.rstrip("\n")) == MANY
    before = [memory(pid) for pid in (vim.pid, vim.program)]
    assert before[0] < 250, "the editor"
    assert before[1] < 400, "the program"
    vim.keys("GA")
    spent = processor(vim.pid)
    for number in range(KEYS):
        vim.keys(chr(0xAC00 + number))
        vim.command("redraw")
    assert (processor(vim.pid) - spent) / KEYS < BAR
    vim.keys("<Esc>")
    assert vim.nvim.current.line == "".join(chr(0xAC00 + number) for number in range(KEYS))
    grown = [memory(pid) - was for pid, was in zip((vim.pid, vim.program), before, strict=True)]
    assert max(grown) < GROWTH
