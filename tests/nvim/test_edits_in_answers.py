"""Edits that a model writes into its answers, in the editor: proposed in the file, or told below the answer."""

from __future__ import annotations

import pytest
from cli.kit import Project, eventually
from cli.shapes_kit import AFTER, BEFORE, NEW, OLD, SHAPES
from nvim.nvim_kit import Editor
from nvim.review_kit import Serve, waits

from motet.models.scripted import Answer

TOLD = "the answer holds an edit; `:Motet apply` applies it"
EDITED = "vim.api.nvim_create_autocmd('User', { pattern = 'MotetEdited', callback = function(a) vim.g.edited = a.data end })"


def answers(project: Project, provider: Serve, *texts: str, **how: object) -> None:
    project.write({"greet.py": BEFORE})
    provider([Answer(text=text) for text in texts], **how)


@pytest.mark.parametrize("tools", [True, False])
def test_edits_in_every_format_are_proposed(vim: Editor, project: Project, provider: Serve, tools: bool) -> None:
    answers(project, provider, *(text for shape in SHAPES.values() for text in (shape, "Done.")), tools=tools)
    vim.command("edit greet.py")
    for number in range(len(SHAPES)):
        vim.command(f"Motet{'!' if number else ''} chat @editor use an f-string")
        vim.command("wincmd p")
        waits(vim, 1)
        vim.command("Motet review accept")
        vim.turn_ends()
        assert project.text("greet.py") == AFTER
        project.write({"greet.py": BEFORE})
        vim.command("edit! greet.py")
    assert not [text for text in vim.messages if "no edit was made" in text]


@pytest.mark.parametrize("tools", [True, False])
def test_without_an_editing_tool_they_are_told(vim: Editor, project: Project, provider: Serve, tools: bool) -> None:
    answers(project, provider, *SHAPES.values(), tools=tools)
    for number in range(len(SHAPES)):
        vim.command(f"Motet{'!' if number else ''} chat use an f-string")
        vim.turn_ends()
        assert TOLD in vim.lines
    assert project.text("greet.py") == BEFORE


def test_the_last_answer_is_applied_and_taken_back(vim: Editor, project: Project, provider: Serve) -> None:
    answers(project, provider, SHAPES["unified diff"])
    vim.command("Motet chat use an f-string")
    vim.turn_ends()
    vim.command("Motet apply")
    waits(vim, 1)
    vim.command("Motet review accept")
    vim.turn_ends()
    assert project.text("greet.py") == AFTER
    vim.command("Motet undo")
    eventually(lambda: project.text("greet.py") == BEFORE)


def test_a_code_block_is_applied_alone(vim: Editor, project: Project, provider: Serve) -> None:
    other = "other.txt\n```\nnot this\n```\n"
    answers(project, provider, f"First:\n\n{other}\nThen:\n\ngreet.py\n```python\n{AFTER}```\n\n```sh\nls\n```\n")
    vim.command("Motet chat use an f-string")
    vim.turn_ends()
    vim.command("call search('Hello {name}', 'w')")
    vim.keys("\\a")
    waits(vim, 1)
    vim.command("Motet review accept")
    vim.turn_ends()
    assert (project.text("greet.py"), (project.root / "other.txt").exists()) == (AFTER, False)
    vim.command("1 | call search('^ls$', 'w')")
    vim.keys("\\a")
    vim.waits_for("table.concat(vim.g.messages, '\\n'):match('this block is no edit: it names no file') ~= nil")


def test_edit_takes_a_block_in_the_answer(vim: Editor, project: Project, provider: Serve) -> None:
    block = f"<<<<<<< SEARCH\n{OLD}=======\n{NEW}>>>>>>> REPLACE\n"
    answers(project, provider, f"I renamed it.\n\n{block}", "Done.")
    vim.lua(EDITED)
    vim.command("edit greet.py")
    vim.command("Motet edit use an f-string")
    waits(vim, 1)
    vim.keys("2G\\a")
    vim.waits_for("vim.g.edited ~= nil")
    assert project.text("greet.py") == AFTER


def test_a_claim_is_answered_by_a_fact(vim: Editor, project: Project, provider: Serve) -> None:
    answers(project, provider, "I have updated `greet.py`.")
    vim.command("Motet chat @editor use an f-string")
    vim.turn_ends()
    assert "no edit was made: no file was changed in this turn" in vim.lines
