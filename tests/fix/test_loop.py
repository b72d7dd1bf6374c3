"""The loop: collect, ask, review, apply, look again; it always ends, and says why."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from fix.running import DONE, Reviewer, Run, edit

from motet.edits import Decision
from motet.fix import Checked, EndReason, Fixed, FixLoop, Notice, RoundFinished, RoundStarted, TakenBack, TurnHappened
from motet.models.protocol import Usage
from motet.models.scripted import Answer, HttpError, Wire
from motet.paths import PROJECT_FILE
from motet.text import Diagnostic
from motet.turn import ToolFinished

Make = Callable[[dict[str, str]], Run]
UNUSED = "import os\n\nprint('a')\n"
NAME = "import sys\n\nprint(syss.argv)\n"


@pytest.mark.acceptance("S3-001", "S3-006", "S3-041", "CL-04")
async def test_problems_in_two_files_are_fixed_in_one_round(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": NAME})
    fixed = await run.fix(
        [edit(("a.py", "import os\n\n", ""), ("b.py", "print(syss.argv)", "print(sys.argv)")), DONE]
    )
    assert (run.text("a.py"), run.text("b.py")) == ("print('a')\n", "import sys\n\nprint(sys.argv)\n")
    assert (fixed.reason, fixed.exit_code, fixed.summary) == (EndReason.CLEAN, 0, "Applied changes to 2 of 2 files.")
    assert [type(event) for event in run.events if not isinstance(event, TurnHappened)] == [
        Checked, RoundStarted, RoundFinished, Fixed,
    ]  # fmt: skip
    assert (fixed.usage, fixed.cost) == (Usage(200, 40), pytest.approx(200e-6 + 80e-6))


@pytest.mark.acceptance("CL-04")
async def test_a_clean_workspace_is_left_alone_and_no_model_is_asked(workspace: Make) -> None:
    run = workspace({"a.py": "print('a')\n"})
    fixed = await run.fix([])
    assert (fixed.reason, fixed.exit_code, run.requests) == (EndReason.CLEAN, 0, 0)


@pytest.mark.acceptance("CL-01", "S3-012", "S3-013", "S3-014", "S3-005")
async def test_the_request_holds_each_file_with_its_problems_in_the_one_text_form(workspace: Make) -> None:
    run = workspace({"src/a.py": UNUSED, "b.py": NAME})
    await run.fix([DONE])
    rule = "-" * 80
    request = run.request(1)
    assert (
        f"File: {run.root}/b.py\n{rule}\nContent:\n{NAME}\nDiagnostics:\n{rule}\n"
        "[Error] Line 1, Column 8: `sys` imported but unused (ruff F401)\n"
    ).replace("[Error] Line 1", "[Warning] Line 1") in request
    assert "[Error] Line 3, Column 7: Undefined name `syss` (ruff F821)" in request
    assert (
        f"File: {run.root}/src/a.py\n{rule}\nContent:\n{UNUSED}\nDiagnostics:\n{rule}\n"
        "[Warning] Line 1, Column 8: `os` imported but unused (ruff F401)\n"
        "  suggested fix: Ruff (F401): Remove unused import: `os`\n"
        '    1:1-2:1 "import os\\n" → ""'
    ) in request


@pytest.mark.acceptance("CL-02", "S3-007", "S3-022")
async def test_declined_changes_leave_every_byte_and_are_not_asked_for_again(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    reviewer = Reviewer(lambda proposal: proposal.decide_pending(Decision.REJECTED))
    fixed = await run.fix([edit(("a.py", "import os\n\n", "")), DONE], reviewer)
    assert run.text("a.py") == UNUSED
    assert (fixed.reason, fixed.exit_code, fixed.summary) == (
        EndReason.NO_PROGRESS, 1, "Applied changes to 0 of 1 file.",
    )  # fmt: skip
    assert run.requests == 2


async def test_a_remark_of_the_human_is_in_the_next_request(workspace: Make) -> None:
    run = workspace({"a.py": NAME})
    answers = iter(["no, I meant sys", ""])

    def decide(proposal):
        remark = next(answers)
        return (
            proposal.decide_pending(Decision.ACCEPTED)
            if not remark
            else proposal.decide(0, Decision.REJECTED, remark)
        )

    wrong = edit(("a.py", "print(syss.argv)", "print([])"))
    right = edit(("a.py", "print(syss.argv)", "print(sys.argv)"))
    fixed = await run.fix([wrong, DONE, right, DONE], Reviewer(decide))
    assert fixed.reason is EndReason.CLEAN
    assert "The human rejected your change at line 3 of a.py: no, I meant sys" in run.request(3)


@pytest.mark.acceptance("CL-03", "S3-024")
async def test_one_of_two_patches_that_does_not_match_is_listed_with_its_reason(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": NAME})
    fixed = await run.fix([edit(("a.py", "import os\n\n", ""), ("b.py", "print(nothing)", "x")), DONE, DONE])
    assert fixed.summary == "Applied changes to 1 of 2 files."
    assert fixed.failed == {"b.py": "not_found: the search text does not stand in the file"}
    assert (run.text("a.py"), run.text("b.py")) == ("print('a')\n", NAME)


@pytest.mark.acceptance("S3-025", "S3-038", "S3-029")
async def test_the_result_of_an_edit_tells_the_model_what_the_compilers_say_now(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    await run.fix(
        [
            edit(("a.py", "import os\n", "import os\nprint(undefined)\n")),
            edit(("a.py", "import os\nprint(undefined)\n\n", "")),
            DONE,
        ]
    )
    results = [each.event.output.text for each in run.of(TurnHappened) if isinstance(each.event, ToolFinished)]
    assert results[0] == (
        "a.py: applied 1 of 1 hunk\n"
        "The compilers now: 0 solved, 1 left, 1 new in a.py.\n"
        "[Error] Line 2, Column 7: Undefined name `undefined`"
    )
    assert results[1] == "a.py: applied 1 of 1 hunk\nThe compilers now: 2 solved, 0 left, 0 new in a.py."
    assert run.text("a.py") == "print('a')\n"


@pytest.mark.acceptance("CL-05")
async def test_a_round_that_makes_it_worse_is_taken_back_and_the_model_is_told(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    worse = edit(("a.py", "import os", "import re, json, io"))
    fixed = await run.fix([worse, DONE, edit(("a.py", "import os\n\n", "")), DONE])
    first = run.of(RoundFinished)[0]
    assert (first.is_worse, len(first.change.new)) == (True, 4)
    assert [event.files for event in run.of(TakenBack)] == [("a.py",)]
    assert "Your last edits to a.py were taken back, because they led to:" in run.request(3)
    assert (run.text("a.py"), fixed.reason) == ("print('a')\n", EndReason.CLEAN)


async def test_a_model_that_makes_it_worse_again_is_stopped_with_the_files_as_they_were(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    fixed = await run.fix([edit(("a.py", "import os", "import re, json, io")), DONE] * 2)
    assert (fixed.reason, fixed.detail) == (EndReason.NO_PROGRESS, "the same edits make it worse again")
    assert run.text("a.py") == UNUSED
    assert fixed.summary == "Applied changes to 0 of 1 file."


async def test_only_the_files_that_got_worse_are_taken_back(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": NAME})
    mixed = edit(("a.py", "import os", "import re, json, io, abc, ast"), ("b.py", "syss.argv", "sys.argv"))
    await run.fix([mixed, DONE, DONE])
    assert (run.text("a.py"), run.text("b.py")) == (UNUSED, "import sys\n\nprint(sys.argv)\n")


async def test_a_human_may_keep_a_round_that_made_it_worse(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    await run.fix([edit(("a.py", "import os", "import re, json, io")), DONE, DONE], Reviewer(keeps_worse=True))
    assert run.text("a.py") == "import re, json, io\n\nprint('a')\n"


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ([Answer(text="You should remove the import.")], "no edit was made"),
        ([edit(("a.py", "import nothing", ""))] * 6, "no edit was applied"),
    ],
)
@pytest.mark.acceptance("CL-04")
async def test_a_model_that_only_talks_or_repeats_a_wrong_edit_ends_the_run(
    workspace: Make, script: list[Answer], detail: str
) -> None:
    run = workspace({"a.py": UNUSED})
    fixed = await run.fix(script)
    assert (fixed.reason, fixed.detail, fixed.exit_code) == (EndReason.NO_PROGRESS, detail, 1)
    assert run.text("a.py") == UNUSED
    assert run.requests <= 3


async def test_a_model_that_goes_round_in_circles_is_stopped(workspace: Make) -> None:
    run = workspace({"a.py": "import os\n"})
    there, back = edit(("a.py", "import os", "import re")), edit(("a.py", "import re", "import os"))
    fixed = await run.fix([there, DONE, back, DONE] * 10, rounds=20)
    assert fixed.reason is EndReason.NO_PROGRESS
    assert run.requests <= 6


@pytest.mark.parametrize("path", ["../outside.py", "link.py", "dir/out.py", "/etc/hostname"])
async def test_a_write_outside_of_the_workspace_is_refused(workspace: Make, path: str) -> None:
    run = workspace({"a.py": UNUSED})
    outside = run.root.parent / "outside.py"
    outside.write_text("import os\n")
    (run.root / "link.py").symlink_to(outside)
    (run.root.parent / "elsewhere").mkdir()
    (run.root / "dir").symlink_to(run.root.parent / "elsewhere")
    fixed = await run.fix([edit((path, "import os", "import evil")), DONE])
    assert outside.read_text() == "import os\n"
    assert list((run.root.parent / "elsewhere").iterdir()) == []
    assert (fixed.summary, fixed.exit_code) == ("Applied changes to 0 of 1 file.", 1)
    result = next(each.event.output for each in run.of(TurnHappened) if isinstance(each.event, ToolFinished))
    assert result.is_error


async def test_a_protected_place_is_not_written_without_a_yes_and_the_exit_code_says_so(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, ".github/tool.py": "import os\n"})
    fixed = await run.fix([edit((".github/tool.py", "import os", "import evil")), DONE])
    assert run.text(".github/tool.py") == "import os\n"
    assert (fixed.denied, fixed.exit_code) == ((".github/tool.py",), 4)


@pytest.mark.parametrize(
    ("step", "detail"),
    [
        (HttpError(401, "bad key"), "auth"),
        (Answer(text="I begin", wire=Wire(cut_after=2, cut="rst")), "network"),
        (Answer(text="I begin", wire=Wire(malformed_after=2)), "malformed"),
    ],
)
async def test_a_provider_that_fails_ends_the_run_with_three_and_whole_files(
    workspace: Make, step: Answer | HttpError, detail: str
) -> None:
    run = workspace({"a.py": UNUSED})
    fixed = await run.fix([step], repeat=True)
    assert (fixed.reason, fixed.exit_code) == (EndReason.MODEL, 3), detail
    assert fixed.detail
    assert run.text("a.py") == UNUSED


@pytest.mark.parametrize("status", [429, 500, 529])
async def test_a_provider_that_is_busy_is_asked_again(workspace: Make, status: int) -> None:
    run = workspace({"a.py": UNUSED})
    busy = HttpError(status, "busy", headers={"retry-after": "0"})
    fixed = await run.fix([busy, edit(("a.py", "import os\n\n", "")), DONE])
    assert (fixed.reason, run.requests) == (EndReason.CLEAN, 3)


async def test_what_was_applied_before_a_failure_stays_and_is_said(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": NAME})
    fixed = await run.fix([edit(("a.py", "import os\n\n", "")), HttpError(401, "key revoked")])
    assert (fixed.exit_code, fixed.changed) == (3, ("a.py",))
    assert run.text("a.py") == "print('a')\n"


@pytest.mark.acceptance("CL-04")
async def test_rounds_end_at_their_limit(workspace: Make) -> None:
    run = workspace({"a.py": "import os\nimport re\nimport io\n"})
    fixed = await run.fix([edit(("a.py", "import os\n", "")), DONE], rounds=1)
    assert (fixed.reason, fixed.detail, len(fixed.remaining)) == (EndReason.ROUNDS, "after 1 round", 2)


@pytest.mark.parametrize("flags", [{"max_tokens": 50}, {"max_cost": 0.000001}])
@pytest.mark.acceptance("CL-04")
async def test_a_budget_ends_the_run_before_the_request_that_would_break_it(
    workspace: Make, flags: dict[str, float]
) -> None:
    run = workspace({"a.py": UNUSED})
    fixed = await run.fix([], **flags)
    assert (fixed.reason, fixed.exit_code, run.requests) == (EndReason.BUDGET, 1, 0)


async def test_a_dry_run_shows_proposals_and_writes_nothing(workspace: Make) -> None:
    from motet.fix import ProposeOnly

    run = workspace({"a.py": UNUSED})
    fixed = await run.fix([edit(("a.py", "import os\n\n", "")), DONE], ProposeOnly(), dry_run=True)  # type: ignore[arg-type]
    assert run.text("a.py") == UNUSED
    assert (fixed.reason, fixed.exit_code, run.requests) == (EndReason.DRY_RUN, 1, 1)


@pytest.mark.acceptance("SP-05")
async def test_a_model_without_tools_fixes_by_blocks_in_its_text(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    text = "The import is unused.\n\na.py\n<<<<<<< SEARCH\nimport os\n\n=======\n>>>>>>> REPLACE\n"
    fixed = await run.fix([Answer(text=text), DONE], tools=False)
    assert (run.text("a.py"), fixed.reason) == ("print('a')\n", EndReason.CLEAN)
    assert "<<<<<<< SEARCH" in run.request(1)


async def test_a_request_that_is_too_long_for_the_provider_is_sent_again_in_pieces(workspace: Make) -> None:
    run = workspace({f"f{n}.py": "import os\n" + "x = 1\n" * 1500 for n in range(4)})
    too_long = HttpError(400, "prompt is too long", code="context_length_exceeded")

    def answer(request):
        return too_long if request.text.count("File: ") > 2 else DONE

    fixed = await run.fix(answer)
    assert (fixed.reason, fixed.detail) == (EndReason.NO_PROGRESS, "no edit was made")
    assert run.requests > 2


@pytest.mark.acceptance("S3-033")
async def test_a_file_larger_than_the_window_is_shown_in_parts_and_what_is_left_out_is_said(workspace: Make) -> None:
    run = workspace({"a.py": "x = 1\n" * 20_000 + "print(undefined)\n"})
    await run.fix([DONE], window=8_000)
    notices = [event.text for event in run.of(Notice)]
    assert any(text.startswith("not shown to the model: a.py: lines ") for text in notices)
    assert "print(undefined)" in run.request(1)
    assert len(run.request(1)) < 8_000 * 4


@pytest.mark.acceptance("CL-06", "S3-033", "S3-034")
async def test_a_file_that_does_not_fit_comes_with_the_definitions_it_needs_from_files_nobody_named(
    workspace: Make,
) -> None:
    files = {
        "shop/price.py": "class Price:\n    def with_tax(self, rate):\n        return rate\n",
        "other/price.py": "class Cheap:\n    pass\n",
        "secret/.env.py": "class Price:\n    hidden = 1\n",
        "denied/price.py": "class Price:\n    denied = 1\n",
        "a.py": "from shop.price import Price\n" + "x = 1\n" * 20_000 + "print(Price.with_tax(undefined))\n",
    }
    run = workspace(files | {f"pad/m{number}.py": f"def f{number}(): ...\n" for number in range(5_000)})
    (run.root / PROJECT_FILE).write_text('[permissions]\ndeny = ["read:denied/*"]\n')
    await run.fix([DONE], window=8_000, paths=["a.py"])
    sent = run.request(1)
    assert "Definition: " in sent and "shop/price.py lines 1-3" in sent
    assert "def with_tax(self, rate):" in sent and "print(Price.with_tax(undefined))" in sent
    assert "hidden = 1" not in sent and "denied = 1" not in sent and "class Cheap" not in sent
    assert len(sent) < 8_000 * 4


async def test_a_file_that_fits_asks_for_no_definitions(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    async def defining(*what: object) -> list[str]:
        asked.append(what)
        return []

    monkeypatch.setattr("motet.engine.definitions.Definitions.__call__", lambda _, *what: defining(*what))
    run = workspace({"a.py": "print(undefined)\n", "b.py": "def undefined(): ...\n"})
    await run.fix([DONE], paths=["a.py"])
    assert asked == []


@pytest.mark.acceptance("CL-04")
async def test_a_checker_is_a_source_too_and_is_asked_again_after_the_round(workspace: Make) -> None:
    check = "import pathlib, sys\nfor n, line in enumerate(open('notes.txt'), 1):\n    if 'bad' in line:\n        print(f'notes.txt:{n}:1: error: bad word')\n        sys.exit(1)\n"
    run = workspace({"check.py": check.replace("import pathlib, sys", "import sys"), "notes.txt": "good\nbad\n"})
    fixed = await run.fix([edit(("notes.txt", "bad", "fine")), DONE], checkers=["python3 check.py"])
    assert (run.text("notes.txt"), fixed.reason) == ("good\nfine\n", EndReason.CLEAN)


@pytest.mark.acceptance("CL-09")
async def test_a_cancelled_run_leaves_files_whole_and_says_what_was_applied(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": NAME})
    stall = Answer(text="I think", wire=Wire(stall_after=1))
    task = asyncio.current_task()
    assert task is not None

    def stop(event: object) -> None:
        match event:
            case TurnHappened(event=ToolFinished()):
                asyncio.get_running_loop().call_later(0.2, task.cancel)
            case _:
                pass

    fixed = await run.fix([edit(("a.py", "import os\n\n", "")), stall], on_event=stop)
    assert (fixed.reason, fixed.exit_code, fixed.changed) == (EndReason.INTERRUPTED, 130, ("a.py",))
    assert (run.text("a.py"), run.text("b.py")) == ("print('a')\n", NAME)


async def test_a_file_that_nobody_asked_about_is_taken_back_and_not_deleted(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": "print('b')\n"})
    fixed = await run.fix([edit(("b.py", "print('b')", "import re, json, io")), DONE, DONE], paths=["a.py"])
    assert [event.files for event in run.of(TakenBack)] == [("b.py",)]
    assert run.text("b.py") == "print('b')\n"
    assert fixed.changed == ()


async def test_a_created_file_that_made_it_worse_is_taken_away(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    await run.fix([edit(("new.py", "", "import re, json, io")), DONE, DONE])
    assert not (run.root / "new.py").exists()
    assert [event.files for event in run.of(TakenBack)] == [("new.py",)]


async def test_what_a_human_changed_since_is_not_taken_back(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    mine = "import re, json, io  # mine\n"

    def change(event: object) -> None:
        if isinstance(event, TurnHappened) and isinstance(event.event, ToolFinished):
            (run.root / "a.py").write_text(mine)

    class Late(Reviewer):
        async def keep_worse(self, new: Sequence[Diagnostic], written: Sequence[str]) -> bool:
            (run.root / "a.py").write_text(mine + "# again\n")
            return False

    fixed = await run.fix([edit(("a.py", "import os", "import re, json, io")), DONE, DONE], Late(), on_event=change)
    assert run.text("a.py") == mine + "# again\n"
    assert [each.text for each in run.of(Notice) if "taken back" in each.text] == [
        "not taken back: a.py: changed since it was read; read it again"
    ]
    assert run.of(TakenBack) == []
    assert run.events[-1] == fixed


async def test_a_change_of_the_human_while_the_model_thought_survives_a_round_that_is_taken_back(
    workspace: Make,
) -> None:
    run = workspace({"a.py": UNUSED})

    def change(event: object) -> None:
        if isinstance(event, RoundStarted):
            (run.root / "a.py").write_text(UNUSED + "print('mine')\n")

    await run.fix([edit(("a.py", "import os", "import re, json, io")), DONE], on_event=change, rounds=1)
    assert [event.files for event in run.of(TakenBack)] == [("a.py",)]
    assert run.text("a.py") == UNUSED + "print('mine')\n"


async def test_a_file_that_is_removed_while_the_model_thinks_is_not_asked_about_again(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED, "b.py": NAME})

    def remove(event: object) -> None:
        if isinstance(event, RoundStarted) and event.number == 1:
            (run.root / "b.py").unlink()

    fixed = await run.fix([edit(("a.py", "import os\n\n", "")), DONE], on_event=remove)
    assert (fixed.reason, fixed.remaining, fixed.changed) == (EndReason.CLEAN, (), ("a.py",))


async def test_a_run_that_is_cancelled_while_the_compilers_look_again_names_the_file_it_wrote(
    workspace: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = workspace({"a.py": UNUSED})

    async def cancelled(*_: object) -> dict[str, str]:
        raise asyncio.CancelledError

    monkeypatch.setattr(FixLoop, "_after_apply", cancelled)
    fixed = await run.fix([edit(("a.py", "import os\n\n", "")), DONE])
    assert (fixed.reason, fixed.changed) == (EndReason.INTERRUPTED, ("a.py",))


async def test_of_hundreds_of_new_problems_the_model_is_told_the_first(workspace: Make) -> None:
    run = workspace({"a.py": UNUSED})
    many = "\n".join(f"import m{number}" for number in range(300))
    await run.fix([edit(("a.py", "import os", many)), DONE, DONE])
    assert "and 280 more" in run.request(2)
    assert "and 280 more" in run.request(3)
    assert "m250" not in run.request(3)
