"""Files that are open: unsaved text is the file, writes are steps of undo, and nothing of either side is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from nvim.buffer_kit import Buffers, buffers, types_before_a_change

from motet.errors import OutsideWorkspace, PermissionDenied, StaleFile, UndoRefused
from motet.nvim.rpc import EditorError
from motet.nvim.workspace import NvimWorkspace
from motet.text import TextFile

TEXT = "".join(f"line {number}\n" for number in range(1, 21))
LINES = TEXT.splitlines()


@pytest_asyncio.fixture
async def vim(tmp_path: Path) -> AsyncGenerator[Buffers]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text(TEXT)
    async with buffers(root, tmp_path / "state") as found:
        yield found


def on_disk(vim: Buffers, path: str = "a.txt") -> bytes:
    return (vim.root / path).read_bytes()


def changed(**lines: str) -> list[str]:
    """The twenty lines; `_3="x"` is another third one."""
    return [lines.get(f"_{number}", line) for number, line in enumerate(LINES, 1)]


async def test_unsaved_text_is_what_is_read(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    assert (await vim.files.read("a.txt")).text == TEXT
    await vim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, {'mine'})")
    assert (await vim.workspace().read("a.txt")).text.splitlines() == changed(_1="mine")
    assert on_disk(vim) == TEXT.encode()


@pytest.mark.acceptance("AV-02")
async def test_an_edit_of_unsaved_text_stays_in_the_buffer_and_undo_takes_back_just_it(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.types("ggccmine<Esc>")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    assert await vim.lines() == changed(_1="mine", _10="ten")
    assert await vim.is_modified() and on_disk(vim) == TEXT.encode()
    await vim.types("u")
    assert await vim.lines() == changed(_1="mine")
    await vim.types("u")
    assert await vim.lines() == LINES


async def test_an_open_file_without_unsaved_text_is_written_and_its_buffer_follows(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.edits("a.txt", "line 10\n", "ten\nand a half\n")
    wanted = [*LINES[:9], "ten", "and a half", *LINES[10:]]
    assert await vim.lines() == wanted and on_disk(vim).decode().splitlines() == wanted
    assert not await vim.is_modified()
    await vim.types("u")
    assert await vim.lines() == LINES and await vim.is_modified()
    await vim.command("write")  # the editor knows the file: it asks nothing
    assert on_disk(vim) == TEXT.encode()


async def test_in_insert_mode_an_edit_elsewhere_is_a_step_of_undo_of_its_own(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.types("ggOone ")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    await vim.types("two<Esc>")
    assert (await vim.lines())[0] == "one two"
    assert (await vim.lines())[1:] == changed(_10="ten")
    await vim.types("uu")
    assert (await vim.lines())[0] == "one " and (await vim.lines())[1:] == LINES


@pytest.mark.acceptance("NV-23")
async def test_cursor_marks_folds_and_other_windows_stay_where_they_are(vim: Buffers) -> None:
    await vim.command("edit a.txt | 15mark m | 12,14fold | split | 20")
    await vim.command("wincmd p | 16")
    await vim.edits("a.txt", "line 5\n", "five\n5.1\n5.2\n")
    where = "return {vim.fn.line('.'), vim.fn.line(\"'m\"), vim.fn.foldclosed(14), vim.fn.line('.', vim.fn.win_getid(vim.fn.winnr('#')))}"
    assert await vim.lua(where) == [18, 17, 14, 22]
    assert (await vim.lines())[16] == "line 15"


@pytest.mark.parametrize("unsaved", [False, True])
@pytest.mark.parametrize(
    "data",
    [
        "eins\r\nzwei ä\r\ndrei\r\n".encode(),
        "\ufeffeins\nzwei ä\ndrei\n".encode(),
        "\ufeffeins\nzwei 日本\ndrei\n".encode("utf-16-le"),
        "# coding: latin-1\neins\nzwei ä\ndrei\n".encode("latin-1"),
        b"eins\nzwei\ndrei",
        b"eins\r\nzwei\ndrei\r\n",
        b"\teins\t<&]]>`\n  zwei \ndrei\n\n\n",
    ],
    ids=["crlf", "bom", "utf-16", "latin-1", "no final line end", "mixed", "white space"],
)
@pytest.mark.acceptance("CC-10")
async def test_the_bytes_that_are_written_are_exactly_the_ones_meant(
    vim: Buffers, data: bytes, unsaved: bool
) -> None:
    (vim.root / "b.txt").write_bytes(data)
    before = TextFile.decode("b.txt", data)
    wanted = before.encode(before.text.replace("drei", "tres\tæ<&"))
    await vim.command("set nofixendofline | edit b.txt")
    if unsaved:
        await vim.lua("vim.bo.modified = true")
    await vim.edits("b.txt", "drei", "tres\tæ<&")
    assert on_disk(vim, "b.txt") == (data if unsaved else wanted)
    await vim.command("write!")
    assert on_disk(vim, "b.txt") == wanted
    await vim.command("undo | write")
    assert on_disk(vim, "b.txt") == data


async def test_a_file_changed_outside_is_the_disks_and_the_buffer_follows(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    (vim.root / "a.txt").write_text(TEXT.replace("line 3\n", "outside\n"))
    file, held = await vim.files.look("a.txt")
    assert file is not None and held is not None
    assert await vim.lines() == file.text.splitlines() == changed(_3="outside")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    assert await vim.lines() == changed(_3="outside", _10="ten")


@pytest.mark.parametrize("unsaved", [False, True])
async def test_what_is_typed_in_the_moment_of_the_write_moves_no_edit_and_is_kept(
    vim: Buffers, monkeypatch: pytest.MonkeyPatch, unsaved: bool
) -> None:
    await vim.command("edit a.txt")
    if unsaved:
        await vim.types("Gccend<Esc>")
    types_before_a_change(vim, monkeypatch, "ggOmine<Esc>")
    if unsaved:
        with pytest.raises(StaleFile, match=r"^a.txt: changed in the editor since it was read; read it again$"):
            await vim.edits("a.txt", "line 10\n", "ten\n")
        assert await vim.lines() == ["mine", *changed(_20="end")] and on_disk(vim) == TEXT.encode()
    else:
        await vim.edits("a.txt", "line 10\n", "ten\n")
        assert await vim.lines() == ["mine", *changed(_10="ten")] and await vim.is_modified()
        assert on_disk(vim).decode().splitlines() == changed(_10="ten")


@pytest.mark.acceptance("T-26")
async def test_what_was_typed_since_it_was_read_is_never_overwritten(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    read = await vim.files.read("a.txt")
    await vim.types("ggccmine<Esc>")
    with pytest.raises(StaleFile, match=r"^a.txt: changed in the editor since it was read; read it again$"):
        await vim.files.write(read, b"theirs\n")
    assert await vim.lines() == changed(_1="mine")
    await vim.command("write")
    with pytest.raises(StaleFile):
        await vim.files.write(read, b"theirs\n")
    assert on_disk(vim).decode().splitlines() == changed(_1="mine")


async def test_a_motet_in_a_terminal_and_unsaved_text_are_merged_or_both_kept(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    read = await vim.files.read("a.txt")
    await vim.types("ggccmine<Esc>")
    after = read.with_text(TEXT.replace("line 10\n", "ten\n"))
    (vim.root / "a.txt").write_bytes(after.data)
    await vim.files._settle(read, after)
    assert await vim.lines() == changed(_1="mine", _10="ten") and await vim.is_modified()
    again = after.with_text(after.text.replace("line 1\n", "theirs\n"))
    (vim.root / "a.txt").write_bytes(again.data)
    await vim.files._settle(after, again)
    assert await vim.lines() == changed(_1="mine", _10="ten")
    assert vim.told == ["a.txt: written to the disk; what you typed there meanwhile is in the same lines and stays"]


async def test_undo_takes_back_turns_in_files_and_in_unsaved_buffers_and_can_be_undone(vim: Buffers) -> None:
    (vim.root / "b.txt").write_text("one\n")
    await vim.command("edit a.txt")
    await vim.types("ggccmine<Esc>")
    await vim.files.begin("turn")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    await vim.edits("b.txt", "one\n", "two\n")
    await vim.files.finish()
    await vim.types("Gccend<Esc>")
    assert await vim.workspace().undo() == ["restored b.txt", "restored a.txt, which is not saved"]
    assert await vim.lines() == changed(_1="mine", _20="end")
    assert on_disk(vim, "b.txt") == b"one\n"
    assert await vim.files.undo() == ["restored a.txt, which is not saved"]
    assert await vim.lines() == changed(_1="mine", _10="ten", _20="end")


async def test_undo_takes_back_all_that_one_turn_wrote_into_one_unsaved_buffer(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.types("ggccmine<Esc>")
    await vim.files.begin("turn")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    await vim.edits("a.txt", "ten\n", "ten\nand a half\n")
    await vim.edits("a.txt", "line 15\n", "")
    await vim.files.finish()
    await vim.types("Gccend<Esc>")
    assert await vim.files.undo() == ["restored a.txt, which is not saved"]
    assert await vim.lines() == changed(_1="mine", _20="end")


@pytest.mark.parametrize(
    ("typed", "mine"), [("Gccend<Esc>", {"_20": "end"}), ("10Gccmine too<Esc>", {"_10": "mine too"})]
)
async def test_undo_takes_back_all_or_nothing_also_when_somebody_types_in_that_moment(
    vim: Buffers, monkeypatch: pytest.MonkeyPatch, typed: str, mine: dict[str, str]
) -> None:
    (vim.root / "b.txt").write_text("one\n")
    await vim.command("edit a.txt")
    await vim.types("ggccmine<Esc>")
    await vim.files.begin("turn")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    await vim.edits("b.txt", "one\n", "two\n")
    await vim.files.finish()
    types_before_a_change(vim, monkeypatch, typed)
    if "_10" in mine:
        why = r"^a.txt: not undone, nothing is changed: these lines were changed since$"
        with pytest.raises(UndoRefused, match=why):
            await vim.files.undo()
        assert on_disk(vim, "b.txt") == b"two\n"
    else:
        assert await vim.files.undo() == ["restored b.txt", "restored a.txt, which is not saved"]
        assert on_disk(vim, "b.txt") == b"one\n"
    assert await vim.lines() == changed(_1="mine", **mine)


async def test_undo_of_unsaved_lines_that_were_changed_since_is_refused(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.types("ggccmine<Esc>")
    await vim.files.begin("turn")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    await vim.files.finish()
    await vim.types("10Gccmine too<Esc>")
    with pytest.raises(UndoRefused, match=r"^a.txt: not undone, nothing is changed: these lines were changed since$"):
        await vim.files.undo()
    assert (await vim.lines())[9] == "mine too"


async def test_undo_of_a_file_moves_its_buffer_too(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    assert await vim.files.undo() == ["restored a.txt"]
    assert await vim.lines() == LINES and not await vim.is_modified() and on_disk(vim) == TEXT.encode()


async def test_links_and_paths_lead_to_the_buffer_of_their_file_and_never_out(vim: Buffers) -> None:
    (vim.root / "link.txt").symlink_to("a.txt")
    (vim.root / "out.txt").symlink_to("/etc/hostname")
    await vim.command("edit ./link.txt")
    await vim.types("ggccmine<Esc>")
    assert (await vim.files.read("a.txt")).text.splitlines()[0] == "mine"
    await vim.command("edit! out.txt | set modified")
    for path in ("out.txt", "../a.txt"):
        with pytest.raises(OutsideWorkspace):
            await vim.files.read(path)


async def test_a_protected_place_is_asked_about_also_when_only_its_buffer_is_written(vim: Buffers) -> None:
    (vim.root / ".vscode").mkdir()
    (vim.root / ".vscode" / "tasks.json").write_text("{}\n")
    await vim.command("edit .vscode/tasks.json | set modified")
    with pytest.raises(PermissionDenied):
        await vim.edits(".vscode/tasks.json", "{}", "{1}")
    assert await vim.lines() == ["{}"]


async def test_a_new_file_with_unsaved_text_is_not_created_over_nor_removed(vim: Buffers) -> None:
    await vim.command("edit new.txt")
    await vim.types("idraft<Esc>")
    with pytest.raises(StaleFile):
        await vim.files.create("new.txt", b"theirs\n")
    file = await vim.files.read("new.txt")
    assert file.data == b"draft\n"
    with pytest.raises(StaleFile):
        await vim.files.delete(file)
    await vim.edits("new.txt", "draft", "draft of both")
    assert await vim.lines() == ["draft of both"] and not (vim.root / "new.txt").exists()
    await vim.command("edit! other.txt")
    await vim.files.create("other.txt", b"theirs\n")
    assert await vim.lines() == ["theirs"] and not await vim.is_modified()


@pytest.mark.parametrize("kept", ["hide enew", "set nomodifiable readonly", "tabnew", "setlocal undolevels=-1"])
async def test_a_buffer_that_is_hidden_or_locked_follows_its_file(vim: Buffers, kept: str) -> None:
    await vim.command(f"edit a.txt | {kept}")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    options = await vim.lua("local b = vim.fn.bufnr('a.txt') return { vim.bo[b].modified, vim.bo[b].modifiable }")
    assert options == [False, kept != "set nomodifiable readonly"]
    assert await vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false)") == changed(
        _10="ten"
    )
    assert on_disk(vim).decode().splitlines() == changed(_10="ten")


async def test_other_plugins_hear_that_a_file_was_written_and_none_can_change_what_is_written(vim: Buffers) -> None:
    await vim.lua("""
    vim.g.heard = {}
    for _, name in ipairs({ 'BufWritePre', 'BufWritePost' }) do
      vim.api.nvim_create_autocmd(name, { callback = function()
        vim.g.heard = vim.list_extend(vim.g.heard, { name })
        if name == 'BufWritePre' then vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'formatted' }) end
      end })
    end
    """)
    await vim.command("edit a.txt")
    await vim.edits("a.txt", "line 10\n", "ten\n")
    assert await vim.lua("return vim.g.heard") == ["BufWritePost"]
    assert await vim.lines() == on_disk(vim).decode().splitlines() == changed(_10="ten")


async def test_who_asks_an_editor_that_has_gone_is_told_at_once(tmp_path: Path) -> None:
    async with buffers(tmp_path, tmp_path / "state") as vim:
        await vim.command("edit a.txt")
    with pytest.raises(EditorError, match=r"^the editor has gone$"):
        async with asyncio.timeout(10):
            await vim.files.read("a.txt")


async def test_two_chats_that_write_one_buffer_at_once_lose_nothing(vim: Buffers) -> None:
    await vim.command("edit a.txt")
    await vim.types("ggccmine<Esc>")

    async def write(files: NvimWorkspace, number: int) -> None:
        while True:
            file = await files.read("a.txt")
            try:
                await files.write(file, file.encode(file.text.replace(f"line {number}\n", f"new {number}\n")))
                return
            except StaleFile:
                continue

    async with asyncio.TaskGroup() as group:
        for number in (5, 10, 15):
            group.create_task(write(vim.workspace(), number))
    assert await vim.lines() == changed(_1="mine", _5="new 5", _10="new 10", _15="new 15")
    await vim.types("uuu")
    assert await vim.lines() == changed(_1="mine")


async def test_half_a_character_is_replaced_and_bytes_that_are_no_text_stay(vim: Buffers) -> None:
    await vim.peer.request("nvim_buf_set_lines", 0, 0, -1, False, ["a \ud83d b \udcff c \udfff d \U0001f600"])
    assert await vim.lines() == ["a \N{REPLACEMENT CHARACTER} b \udcff c \N{REPLACEMENT CHARACTER} d \U0001f600"]
