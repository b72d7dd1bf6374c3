"""Every kind of edit goes over the desk: planned together, reviewed, written, and looked at again."""

import stat
from pathlib import Path

import pytest
from tools.desk_kit import Place

from motet.edits import (
    Anchor,
    Decision,
    Delete,
    Edit,
    Insert,
    Move,
    Near,
    Proposal,
    Refusal,
    RefusalReason,
    Replace,
    Write,
)
from motet.edits.edit import ReplaceAnchored
from motet.edits.formats.anchors import anchor_of
from motet.edits.outcome import Remark
from motet.fix import AcceptAll

TEN = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.mark.parametrize(
    ("edit", "after", "report"),
    [
        (Replace("a.py", "line 2\n", "two\n"), TEN.replace("line 2\n", "two\n"), "a.py: applied 1 of 1 hunk"),
        (
            Insert("a.py", "end\n", Near(at_end=True)),
            f"{TEN}end\n",
            "a.py: applied 1 of 1 hunk",
        ),
        (Write("a.py", "all new\n"), "all new\n", "a.py: applied 1 of 1 hunk"),
        (Delete("a.py"), None, "a.py: deleted"),
    ],
)
@pytest.mark.acceptance("S0-031", "S1-003", "S0-113")
async def test_each_kind_of_edit_becomes_what_stands_in_the_workspace(
    place: Place, edit: Edit, after: str | None, report: str
) -> None:
    place.write("a.py", TEN)
    reports = await place.submit(edit)
    assert place.files == ({} if after is None else {"a.py": after.encode()})
    assert (reports.of("a.py").describe(), reports.of("a.py").is_error) == (report, False)
    assert reports.summary == "Applied changes to 1 of 1 file."


async def test_an_anchored_edit_with_the_wrong_hash_is_refused(place: Place) -> None:
    place.write("a.py", TEN)
    reports = await place.submit(ReplaceAnchored("a.py", Anchor(2, "zz"), Anchor(2, "zz"), "two\n"))
    assert (place.files, reports.of("a.py").is_error) == ({"a.py": TEN.encode()}, True)
    assert place.reviewer.seen == []


@pytest.mark.parametrize("text", ["x = 1\n", ""])
@pytest.mark.parametrize("create", [True, False])
async def test_a_file_is_created_with_the_directories_on_the_way(place: Place, text: str, create: bool) -> None:
    reports = await place.submit(Write("new/deep/a.py", text, create))
    assert place.files == {"new/deep/a.py": text.encode()}
    assert reports.of("new/deep/a.py").describe().startswith("new/deep/a.py: created")


async def test_a_file_that_was_to_be_created_but_exists_is_refused(place: Place) -> None:
    place.write("a.py", TEN)
    reports = await place.submit(Write("a.py", "new\n", create=True))
    assert (place.files, reports.of("a.py").is_error) == ({"a.py": TEN.encode()}, True)


@pytest.mark.parametrize(
    ("edits", "after", "report"),
    [
        ((), TEN, "a.py: moved to src/b.py"),
        (
            (Replace("a.py", "line 2\n", "two\n"),),
            TEN.replace("line 2\n", "two\n"),
            "a.py: moved to src/b.py, applied 1 of 1 hunk",
        ),
    ],
)
async def test_a_file_moves_with_its_edits(place: Place, edits: tuple[Edit, ...], after: str, report: str) -> None:
    place.write("a.py", TEN)
    reports = await place.submit(Move("a.py", "./src//b.py"), *edits)
    assert place.files == {"src/b.py": after.encode()}
    file = reports.of("a.py")
    assert (file.describe(), file.removed, file.applied and file.applied.path) == (report, True, "src/b.py")


async def test_a_program_that_moves_stays_one_that_can_be_run(disk: Place) -> None:
    disk.write("run.sh", "#!/bin/sh\n")
    (disk.workspace.root / "run.sh").chmod(0o755)
    await disk.submit(Move("run.sh", "bin/run.sh"))
    assert stat.S_IMODE((disk.workspace.root / "bin" / "run.sh").stat().st_mode) == 0o755


@pytest.mark.parametrize("target", ["b.py", "./b.py", "binary"])
async def test_a_file_does_not_move_onto_another_one(place: Place, target: str) -> None:
    files = {"a.py": TEN.encode(), "b.py": b"other\n", "binary": b"\0\1"}
    for path, data in files.items():
        place.write(path, data)
    reports = await place.submit(Move("a.py", target))
    assert (place.files, place.reviewer.seen, reports.of("a.py").is_error) == (files, [], True)


async def test_a_file_does_not_move_onto_a_directory(disk: Place) -> None:
    disk.write("a.py", TEN)
    disk.write("dir/b.py", "b\n")
    reports = await disk.submit(Move("a.py", "dir"))
    assert disk.files == {"a.py": TEN.encode(), "dir/b.py": b"b\n"}
    assert reports.of("a.py").describe().splitlines()[0] == "a.py: refused (not_found): dir: not a regular file"


async def test_a_file_does_not_move_out_of_the_workspace(place: Place) -> None:
    place.write("a.py", TEN)
    reports = await place.submit(Move("a.py", "../b.py"))
    assert [refusal.reason for refusal in reports.of("a.py").plan.refusals] == [RefusalReason.OUTSIDE_WORKSPACE]
    assert (place.files, place.reviewer.seen) == ({"a.py": TEN.encode()}, [])


async def test_what_the_human_rejects_is_not_written_moved_or_removed(place: Place) -> None:
    for name in ("a.py", "b.py", "c.py"):
        place.write(name, TEN)
    place.reviewer.decide = lambda proposal: proposal.decide_pending(Decision.REJECTED)
    reports = await place.submit(
        Write("a.py", ""), Delete("b.py"), Move("c.py", "d.py"), Write("e.py", "e\n"), Write("f.py", "")
    )
    assert place.files == dict.fromkeys(("a.py", "b.py", "c.py"), TEN.encode())
    assert [report.was_written for report in reports.files] == [False] * 5
    assert reports.summary == "Applied changes to 0 of 5 files."


async def test_a_removal_that_the_human_amended_leaves_a_file(place: Place) -> None:
    place.write("a.py", TEN)
    place.reviewer.decide = lambda proposal: proposal.amend(0, "line 1\n")
    reports = await place.submit(Delete("a.py"))
    assert place.files == {"a.py": b"line 1\n"}
    assert (
        reports.of("a.py").describe().startswith("a.py: not deleted\nchanged by the human instead:\n line 1\n-line 2")
    )


@pytest.mark.parametrize("spelling", ["./a.py", "b//../a.py", "/ROOT/a.py", "/ROOT//./a.py", " a.py"])
async def test_spellings_of_one_path_are_one_file(place: Place, spelling: str) -> None:
    place.write("a.py", TEN)
    path = spelling.replace("/ROOT", str(place.workspace.root))
    reports = await place.submit(Replace("a.py", "line 9\n", "nine\n"), Replace(path, "line 2\nline 3\n", "2\n"))
    assert place.files == {"a.py": TEN.replace("line 9", "nine").replace("line 2\nline 3", "2").encode()}
    assert len(place.reviewer.seen) == len(reports.files) == 1


@pytest.mark.parametrize("link", ["link.py", "dir/../dir/link.py", "through/a.py"])
async def test_a_link_and_its_target_are_one_file(disk: Place, link: str) -> None:
    disk.write("src/a.py", TEN)
    root = disk.workspace.root
    (root / "dir").mkdir()
    (root / "link.py").symlink_to("src/a.py")
    (root / "dir" / "link.py").symlink_to(root / "src" / "a.py")
    (root / "through").symlink_to("src")
    edits = [Replace(link, "line 9\n", "nine\n"), Replace("src/a.py", "line 2\n", "2\n")]
    reports = await disk.submit(*edits)
    assert disk.files["src/a.py"] == TEN.replace("line 9", "nine").replace("line 2", "2").encode()
    assert len(disk.reviewer.seen) == 1
    assert reports.of("src/a.py") is reports.of(disk.desk().normalise(link)) is reports.files[0]
    assert (root / "link.py").is_symlink()


async def test_a_link_out_of_the_workspace_is_no_other_name_for_anything(disk: Place, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(TEN)
    (disk.workspace.root / "link.py").symlink_to(tmp_path / "secret.py")
    edits = [Replace("../secret.py", "line 9\n", "nine\n"), Replace("link.py", "line 9\n", "nine\n")]
    reports = await disk.submit(*edits)
    reasons = [refusal.reason for report in reports.files for refusal in report.plan.refusals]
    assert reasons == [RefusalReason.OUTSIDE_WORKSPACE] * 2
    assert (tmp_path / "secret.py").read_text() == TEN


async def test_a_reviewer_may_bring_a_waiting_proposal_up_to_date(place: Place) -> None:
    place.write("a.py", TEN)

    def decide(proposal: Proposal) -> Proposal:
        now = proposal.base.with_text(f"first\n{TEN}".replace("line 9", "typed"))
        place.write("a.py", now.data)
        return proposal.rebase(now).decide_pending(Decision.ACCEPTED)

    place.reviewer.decide = decide
    reports = await place.submit(Replace("a.py", "line 3\n", "3\n"), Replace("a.py", "line 9\n", "9\n"))
    assert place.files == {"a.py": f"first\n{TEN}".replace("line 9", "typed").replace("line 3", "3").encode()}
    assert reports.of("a.py").describe() == (
        "a.py: applied 1 of 2 hunks\nhunk 2 (line 9): not written: the file has changed there since; read it again"
    )


async def test_two_desks_edit_one_file_while_each_waits_for_its_review(place: Place) -> None:
    place.write("a.py", TEN)
    second = place.desk()

    async def other() -> None:
        await second.submit([Replace("a.py", "line 9\n", "nine\n")])

    class Slow:
        async def review(self, proposals: list[Proposal]) -> list[Proposal]:
            await other()
            return [proposal.decide_pending(Decision.ACCEPTED) for proposal in proposals]

    first = type(second)(place.workspace, Slow())
    reports = await first.submit([Replace("a.py", "line 2\n", "two\n")])
    assert place.files == {"a.py": TEN.replace("line 9", "nine").replace("line 2", "two").encode()}
    assert reports.of("a.py").merged


async def test_an_approximate_place_is_proposed_only_where_a_human_reviews(place: Place) -> None:
    text = (
        "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"
    )
    edit = Replace("a.py", text.replace("result += value", "result += valeu"), text.replace("+=", "-="))
    place.write("a.py", text)
    refused = await place.submit(edit)
    assert (refused.of("a.py").is_error, place.reviewer.seen) == (True, [])
    place.reviewer.decide = lambda proposal: proposal
    await place.submit(edit, approximate="propose")
    assert [proposal.approximate for proposal in place.reviewer.seen] == [True]
    assert place.files == {"a.py": text.encode()}


async def test_an_approximate_place_is_never_taken_without_a_human(memory: Place) -> None:
    memory.write("a.py", TEN)
    before = await memory.workspace.read("a.py")
    proposals = [
        Proposal.between("a.py", before, before.with_text("x\n"), approximate=approximate)
        for approximate in (True, False)
    ]
    assert [proposal.taken for proposal in await AcceptAll().review(proposals)] == [0, 1]


# --- a file that somebody has put back ---------------------------------------------------------------------------

RESET = {
    "search": Replace("a.py", "line 2\n", "two\n"),
    "whole text": Write("a.py", TEN.replace("line 2\n", "two\n")),
    "lines at the end": Insert("a.py", "end\n", Near(at_end=True)),
    "anchored": ReplaceAnchored("a.py", anchor_of("line 2", 2), anchor_of("line 2", 2), "two\n"),
}


@pytest.mark.parametrize("kind", RESET)
async def test_an_edit_is_made_again_after_a_reset(place: Place, kind: str) -> None:
    place.write("a.py", TEN)
    desk = place.desk()
    await desk.submit([RESET[kind]])
    after = place.files["a.py"]
    place.write("a.py", TEN)
    reports = await desk.submit([RESET[kind]])
    assert (place.files["a.py"], reports.of("a.py").describe()) == (after, "a.py: applied 1 of 1 hunk")


async def test_a_second_edit_is_made_after_a_reset(place: Place) -> None:
    place.write("a.py", TEN)
    desk = place.desk()
    await desk.submit([Replace("a.py", "line 2\n", "two\n")])
    place.write("a.py", TEN)
    await desk.submit([Replace("a.py", "line 9\n", "nine\n")])
    assert place.files["a.py"] == TEN.replace("line 9", "nine").encode()


async def test_an_edit_of_what_a_reset_took_away_is_refused(place: Place) -> None:
    place.write("a.py", TEN)
    desk = place.desk()
    await desk.submit([Replace("a.py", "line 2\n", "two\nmore\n")])
    place.write("a.py", TEN)
    reports = await desk.submit([Replace("a.py", "two\nmore\n", "two\nless\n")])
    assert (place.files["a.py"], reports.of("a.py").is_error) == (TEN.encode(), True)


@pytest.mark.parametrize(("more", "refused"), [("", True), ("end\n", False)])
async def test_a_whole_text_keeps_a_change_and_says_so(place: Place, more: str, refused: bool) -> None:
    place.write("a.py", TEN)
    desk = place.desk()
    await desk.submit([Replace("a.py", "line 2\n", "two\n")])
    changed = TEN.replace("line 2\n", "zwei\n")
    place.write("a.py", changed)
    reports = await desk.submit([Write("a.py", TEN.replace("line 2\n", "two\n") + more)])
    outcome = reports.of("a.py").plan.outcomes[0]
    assert place.files["a.py"] == (changed + more).encode()
    assert (isinstance(outcome, Refusal), getattr(outcome, "reason", None)) == (
        refused,
        RefusalReason.STALE if refused else None,
    )
    assert refused or Remark.MERGED in outcome.remarks
