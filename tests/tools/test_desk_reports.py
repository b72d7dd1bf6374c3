"""What the model is told about its edits, word for word."""

import pytest
from tools.desk_kit import Place

from motet.edits import Delete, Edit, Move, Replace, Write
from motet.text import TextFile

TEN = "".join(f"line {n}\n" for n in range(1, 11))


def lines(*numbers: int, path: str = "a.py") -> list[Edit]:
    """An edit for each line; numbers above ten do not fit."""
    return [Replace(path, f"line {number}\n", f"{number}\n") for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((1, 22, 3), "nothing applied to this file, blocks 1 and 3 fit, 2 does not; send all of them again"),
        ((21, 2), "nothing applied to this file, block 2 fits, 1 does not; send all of them again"),
        (
            (1, 22, 3, 4, 25),
            "nothing applied to this file, blocks 1, 3 and 4 fit, 2 and 5 do not; send all of them again",
        ),
        ((21, 22), "nothing applied to this file, none of its 2 blocks fits"),
    ],
)
@pytest.mark.acceptance("SP-03", "S3-024")
async def test_a_file_is_all_or_nothing_and_the_model_hears_which_blocks_fit(
    memory: Place, numbers: tuple[int, ...], verdict: str
) -> None:
    memory.write("a.py", TEN)
    report = (await memory.submit(*lines(*numbers))).of("a.py")
    assert memory.files == {"a.py": TEN.encode()}
    assert report.describe().splitlines()[-1] == f"a.py: {verdict}"


async def test_each_refusal_says_which_block_it_is_about(memory: Place) -> None:
    memory.write("a.py", TEN)
    text = (await memory.submit(*lines(1, 22))).of("a.py").describe()
    assert text.splitlines()[0] == "a.py: block 2: refused (not_found): the search text does not stand in the file"
    alone = (await memory.submit(*lines(22))).of("a.py").describe()
    assert alone.splitlines()[0] == "a.py: refused (not_found): the search text does not stand in the file"
    assert "nothing applied" not in alone


async def test_edits_that_are_not_blocks_are_called_edits(memory: Place) -> None:
    memory.write("a.py", TEN)
    edits = [Replace("a.py", "line 2", "two", inline=True), Replace("a.py", "nowhere", "x", inline=True)]
    assert (await memory.submit(*edits)).of("a.py").describe().splitlines()[-1] == (
        "a.py: nothing applied to this file, edit 1 fits, 2 does not; send all of them again"
    )


async def test_with_partial_the_good_ones_are_kept_and_are_not_to_be_sent_again(memory: Place) -> None:
    memory.write("a.py", TEN)
    report = (await memory.submit(*lines(1, 22, 3), partial=True)).of("a.py")
    assert memory.files == {"a.py": TEN.replace("line 1\n", "1\n").replace("line 3\n", "3\n").encode()}
    assert report.is_error
    assert report.describe().splitlines()[-2:] == [
        "a.py: blocks 1 and 3 fit, 2 does not; do not resend 1 and 3",
        "a.py: applied 2 of 2 hunks",
    ]


async def test_what_was_rejected_is_not_called_done_with_partial(memory: Place) -> None:
    memory.write("a.py", TEN)
    memory.reviewer.decide = lambda proposal: proposal
    report = (await memory.submit(*lines(1, 22), partial=True)).of("a.py")
    assert report.describe().splitlines()[-3:] == [
        "a.py: block 1 fits, 2 does not",
        "a.py: applied 0 of 1 hunk",
        "hunk 1 (line 1): not decided, so not written",
    ]


async def test_the_summary_counts_distinct_files(memory: Place) -> None:
    for path in ("a.py", "b.py", "c.py"):
        memory.write(path, TEN)
    edits = [*lines(1, 2), *lines(22, path="b.py"), Replace("./a.py", "line 5\n", "5\n"), Delete("c.py")]
    reports = await memory.submit(*edits, Write("d.py", "d\n"), Write("../e.py", "e\n"))
    assert reports.summary == "Applied changes to 3 of 5 files."
    text = reports.describe(["a.py", "./a.py", "b.py", "a.py"])
    assert text.splitlines()[0] == "a.py: applied 3 of 3 hunks"
    assert text.count("a.py: applied") == 1
    assert text.endswith("\n\nApplied changes to 3 of 5 files.")


@pytest.mark.acceptance("CL-03")
async def test_one_file_fits_and_the_other_does_not(memory: Place) -> None:
    memory.write("a.py", TEN)
    memory.write("b.py", TEN)
    reports = await memory.submit(*lines(1), *lines(22, path="b.py"))
    assert reports.summary == "Applied changes to 1 of 2 files."
    assert reports.describe(["a.py"]) == "a.py: applied 1 of 1 hunk"


async def test_replace_all_says_in_how_many_places(memory: Place) -> None:
    memory.write("a.py", "x\n" * 1_200)
    edit = Replace("a.py", "x\n", "y\n", replace_all=True)
    report = (await memory.submit(edit)).of("a.py")
    assert memory.files == {"a.py": b"y\n" * 1_200}
    assert report.describe() == "a.py: replaced in 1200 places\na.py: applied 1 of 1 hunk"


async def test_a_note_says_which_block_it_is_about(memory: Place) -> None:
    memory.write("a.py", TEN.replace("line 2", "line 2   "))
    assert (await memory.submit(*lines(1, 2))).of("a.py").describe() == (
        "a.py: block 2: matched without regard to trailing white space\na.py: applied 2 of 2 hunks"
    )


async def test_what_is_already_there_is_a_success_that_changes_nothing(memory: Place) -> None:
    memory.write("a.py", TEN.replace("line 2", "the second line"))
    report = (await memory.submit(Replace("a.py", "the 2nd line\n", "the second line\n"))).of("a.py")
    assert (report.is_error, report.describe()) == (
        False,
        "a.py: already applied: the new text stands there, nothing was changed",
    )


async def test_what_the_compilers_say_follows_also_for_a_file_that_moved(memory: Place) -> None:
    memory.write("a.py", TEN)
    memory.write("c.py", TEN)

    async def check(written: list[TextFile]) -> dict[str, str]:
        return {file.path: f"checked {file.path}" for file in written}

    reports = await memory.submit(Move("a.py", "b.py"), Delete("c.py"), after_apply=check)
    assert [report.describe() for report in reports.files] == ["a.py: moved to b.py\nchecked b.py", "c.py: deleted"]


async def test_edits_are_matched_against_the_version_that_the_model_was_shown(memory: Place) -> None:
    memory.write("a.py", TEN)
    desk = memory.desk()
    desk.show(await memory.workspace.read("a.py"))
    memory.write("a.py", TEN.replace("line 9", "typed"))
    report = (await desk.submit([Replace("a.py", "line 2\n", "two\n")])).of("a.py")
    assert not report.is_error
    stale = (await desk.submit([Replace("a.py", "line 9\n", "nine\n")])).of("a.py")
    assert stale.describe().splitlines()[0].startswith("a.py: refused (stale)")
    assert memory.files == {"a.py": TEN.replace("line 9", "typed").replace("line 2", "two").encode()}


async def test_without_having_been_shown_anything_a_missing_text_is_just_not_found(memory: Place) -> None:
    memory.write("a.py", TEN.replace("line 9", "typed"))
    report = (await memory.submit(*lines(9))).of("a.py")
    assert report.describe().startswith("a.py: refused (not_found)")


async def test_what_was_applied_is_what_the_model_knows_next(memory: Place) -> None:
    memory.write("a.py", TEN)
    desk = memory.desk()
    await desk.submit([Write("a.py", TEN.replace("line 2", "two"))])
    memory.write("a.py", TEN.replace("line 2", "typed"))
    report = (await desk.submit([Replace("a.py", "two\n", "2\n")])).of("a.py")
    assert report.describe().startswith("a.py: refused (stale)")
