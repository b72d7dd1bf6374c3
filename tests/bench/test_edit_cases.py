"""`bench/edit_cases.py`: other tools' edit cases hold the bars, and the script counts what it says it counts."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench" / "edit_cases.py"
# Read here: tests themselves do not see the developer's settings.
SHARED = Path(os.environ.get("MOTET_SHARED") or ROOT.parent / "shared") / "cases" / "edits"
SOURCES = sorted(file.stem for file in SHARED.glob("*.jsonl"))
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

ROW = {
    "id": "own-001",
    "format": "str_replace",
    "op": "apply",
    "before": "one\ntwo\nthree\n",
    "search": "two",
    "replace": "TWO",
    "expect": "after",
    "expected_after": "one\nTWO\nthree\n",
    "assertion": "exact",
    "tags": [],
}
AMBIGUOUS = {**ROW, "before": "two\ntwo\n", "expected_after": "TWO\ntwo\n"}


# --- the cases of other tools ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> dict:
    """What the script says about the whole folder."""
    if not SOURCES:
        why = f"no cases in {SHARED}; MOTET_SHARED names another place for them"
        if IN_CI:
            pytest.fail(why)
        pytest.skip(why)
    done = subprocess.run(
        [sys.executable, SCRIPT, SHARED, "--json", "--complete"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_every_case_of_other_tools_is_run(table: dict, capsys: pytest.CaptureFixture[str]) -> None:
    rows = sum(len((SHARED / f"{source}.jsonl").read_text().splitlines()) for source in SOURCES)
    with capsys.disabled():
        print(f"\n{rows} edit cases of {len(SOURCES)} sources in {SHARED}")
    assert table["about"].startswith(f"{rows} rows.")
    assert [row[0] for row in table["rows"]] == SOURCES


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_holds_every_bar(table: dict, source: str) -> None:
    assert [line for line in table["missed"] if line.startswith(f"{source}: ")] == []


def test_no_expectation_is_out_of_date(table: dict) -> None:
    assert [line for line in table["missed"] if line.split(": ")[0] not in SOURCES] == []


# --- the script ------------------------------------------------------------------------------------------------


class Bench:
    """The script, run on rows of a test's own."""

    def __init__(self, script: ModuleType, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._script = script
        self._folder = folder
        self._capsys = capsys
        self.expectations = ""

    def run(self, *rows: dict | str, arguments: tuple[str, ...] = ()) -> tuple[int, str]:
        """Exit code and what was printed, for a file `own.jsonl` of `rows`."""
        file, listed = self._folder / "own.jsonl", self._folder / "expectations.toml"
        file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
        listed.write_text(self.expectations)
        code = self._script.main([str(file), "--expectations", str(listed), *arguments])
        return code, "".join(self._capsys.readouterr())

    def table(self, *rows: dict | str, arguments: tuple[str, ...] = ()) -> tuple[int, dict[str, str], list[str]]:
        """Exit code, the cells by their heads, and the bars that are missed."""
        code, said = self.run(*rows, arguments=("--json", *arguments))
        found = json.loads(said)
        (cells,) = found["rows"]
        return code, dict(zip(found["head"], cells, strict=True)), found["missed"]

    def expect(self, id_: str, outcome: str = "refused", contradiction: int = 1) -> None:
        self.expectations += (
            f'[[row]]\nid = "{id_}"\noutcome = "{outcome}"\ncontradiction = {contradiction}\nwhy = "so"\n'
        )


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import edit_cases

    return Bench(edit_cases, tmp_path, capsys)


def test_a_row_that_comes_out_as_expected_is_right(bench: Bench) -> None:
    code, cells, missed = bench.table(ROW)
    assert (code, missed) == (0, [])
    assert cells == {
        "source": "own",
        "exact rows": "1",
        "right": "1",
        "refused": "0",
        "wrong": "0",
        "crashed": "0",
        "policy": "0",
        "not supported": "0",
        "other rows": "–",
        "held": "yes",
    }


def test_a_row_that_comes_out_otherwise_is_wrong_and_fails(bench: Bench) -> None:
    code, cells, missed = bench.table({**ROW, "expected_after": "one\n2\nthree\n"})
    assert (code, cells["wrong"], cells["held"]) == (1, "1", "no")
    assert missed == [
        "own: 1 wrong (own-001), the bar is 0",
        "own: 0 of 1 right (0.0%), the bar is ≥ 97%",
    ]


def test_an_edit_applied_where_an_error_is_expected_is_wrong(bench: Bench) -> None:
    code, cells, _ = bench.table({**ROW, "expect": "error", "expected_error": True, "assertion": "throws"})
    assert (code, cells["wrong"]) == (1, "1")


def test_a_refusal_where_an_error_is_expected_is_right(bench: Bench) -> None:
    row = {**ROW, "search": "four", "expect": "error", "expected_error": True, "assertion": "throws"}
    code, cells, _ = bench.table(row)
    assert (code, cells["right"]) == (0, "1")


def test_a_refusal_where_the_peer_applies_is_neither_right_nor_wrong(bench: Bench) -> None:
    code, cells, missed = bench.table(AMBIGUOUS)
    assert (code, cells["refused"], cells["wrong"]) == (1, "1", "0")
    assert missed == ["own: 0 of 1 right (0.0%), the bar is ≥ 97%"]


def test_a_row_of_which_the_peer_asserts_little_is_counted_apart(bench: Bench) -> None:
    code, cells, _ = bench.table(ROW, {**ROW, "id": "own-002", "assertion": "structural", "expected_after": "?\n"})
    assert (code, cells["exact rows"], cells["other rows"]) == (0, "1", "1 other text")


def test_a_row_that_its_peer_skips_is_counted_apart(bench: Bench) -> None:
    _, cells, _ = bench.table({**ROW, "peer_status": "skip"})
    assert (cells["exact rows"], cells["other rows"]) == ("0", "1 right")


def test_whatever_else_is_raised_is_a_crash_with_its_place(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from editcases import judge

    def fall(case: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(judge, "edits_of", fall)
    code, cells, missed = bench.table(ROW)
    assert (code, cells["crashed"]) == (1, "1")
    assert missed[0] == "own: 1 crashed (own-001), the bar is 0"
    assert (
        "own-001  crashed: RuntimeError: out of order (test_edit_cases.py:"
        in bench.run(ROW, arguments=("--failing",))[1]
    )


# --- expectations ----------------------------------------------------------------------------------------------


def test_a_listed_row_is_left_out_and_named(bench: Bench) -> None:
    bench.expect("own-001")
    code, cells, _ = bench.table(AMBIGUOUS)
    assert (code, cells["policy"], cells["refused"]) == (0, "1", "0")
    assert "own-001  left out by policy (several places): so" in bench.run(AMBIGUOUS, arguments=("--failing",))[1]


def test_a_listed_row_that_does_what_its_peer_expects_is_an_error(bench: Bench) -> None:
    bench.expect("own-001")
    code, _, missed = bench.table(ROW)
    assert (code, missed) == (1, ["own-001 is listed as refused, but is right now"])


def test_a_listed_row_that_fails_in_another_way_is_an_error(bench: Bench) -> None:
    bench.expect("own-001")
    _, cells, missed = bench.table({**ROW, "expected_after": "?\n"})
    assert cells["wrong"] == "1"
    assert missed[-1] == "own-001 is listed as refused, but is other text now"


def test_a_listed_row_that_is_nowhere_is_an_error_when_all_must_be_there(bench: Bench) -> None:
    bench.expect("own-009")
    assert bench.table(ROW)[0] == 0
    code, _, missed = bench.table(ROW, arguments=("--complete",))
    assert (code, missed) == (1, ["own-009 is listed, but there is no such row"])


def test_more_rows_left_out_than_the_bar_allows_is_an_error(bench: Bench) -> None:
    bench.expect("own-001")
    bench.expect("own-002")
    _, _, missed = bench.table(AMBIGUOUS, {**AMBIGUOUS, "id": "own-002"}, {**ROW, "id": "own-003"})
    assert missed == ["own: 2 left out by policy, the bar is ≤ 1"]


@pytest.mark.parametrize(
    "text",
    [
        '[[row]]\nid = "a"\noutcome = "refused"\nwhy = "no number"\n',
        '[[row]]\nid = "a"\noutcome = "refused"\ncontradiction = 9\nwhy = "no such number"\n',
        '[[sign]]\nsign = "odd"\noutcome = "refused"\ncontradiction = 1\nwhy = "no such sign"\n',
        '[[row]]\nid = "a"\noutcome = "crashed"\ncontradiction = 1\nwhy = "never on purpose"\n',
        "[[row]\n",
    ],
)
def test_expectations_that_say_too_little_are_refused(bench: Bench, text: str) -> None:
    bench.expectations = text
    code, said = bench.run(ROW)
    assert code == 2
    assert said.startswith("not measured: ")
    assert "expectations.toml" in said


@pytest.mark.parametrize(
    ("sign", "row"),
    [
        ("ambiguous", {"before": "two\ntwo\n", "expected_after": "TWO\ntwo\n"}),
        ("empty search", {"search": "", "replace": "zero\n", "expected_after": "zero\none\ntwo\nthree\n"}),
        ("case", {"search": "Two"}),
    ],
)
def test_a_sign_leaves_out_only_the_refused_rows_that_show_it(bench: Bench, sign: str, row: dict) -> None:
    bench.expectations = f'[[sign]]\nsign = "{sign}"\noutcome = "refused"\ncontradiction = 1\nwhy = "so"\n'
    missing = {**ROW, "id": "own-002", "search": "four"}
    patch = {**ROW, **row, "id": "own-003", "format": "line_sequence", "op": "locate", "expect": "located"}
    _, cells, _ = bench.table({**ROW, **row}, missing, {**patch, "expected_line0": 0})
    assert (cells["policy"], cells["refused"]) == ("1", "1")


# --- files that are not ours -----------------------------------------------------------------------------------


def test_a_format_that_nobody_knows_is_listed(bench: Bench) -> None:
    code, said = bench.run(
        ROW, {**ROW, "id": "own-002", "format": "telepathy"}, {**ROW, "id": "own-003", "op": "guess"}
    )
    assert code == 0
    assert "guess of str_replace (1), telepathy (1)" in " ".join(said.split())


def test_a_row_that_cannot_be_read_is_named_with_its_line_and_the_others_run(bench: Bench) -> None:
    no_text = {name: value for name, value in ROW.items() if name != "expected_after"}
    code, cells, missed = bench.table(ROW, "{", {"id": "own-003"}, {**no_text, "id": "own-004"})
    assert (code, cells["right"]) == (1, "1")
    ends = [line.partition("own.jsonl:")[2] for line in missed if "own.jsonl:" in line]
    assert [line.partition(" ")[0] for line in sorted(ends)] == ["2:", "3:", "4:"]
    assert "`expected_after` should be a str, it is missing" in max(ends)


def test_a_source_may_have_a_lower_bar_with_a_reason(bench: Bench) -> None:
    rows = [ROW, {**ROW, "id": "own-002", "search": "twx"}]
    assert bench.table(*rows)[2] == ["own: 1 of 2 right (50.0%), the bar is ≥ 97%"]
    bench.expectations = '[[bar]]\nsource = "own"\nright = 0.5\nwhy = "so"\n'
    assert bench.table(*rows)[2] == []
    bench.expectations = '[[bar]]\nsource = "own"\nright = 0.5\n'
    assert bench.run(*rows)[0] == 2


def test_half_a_character_is_told_as_it_can_be(bench: Bench) -> None:
    row = {**ROW, "id": "own-\ud800", "search": "\ud800", "format": "str_replace"}
    code, said = bench.run(row, {**ROW, "id": "own-002", "format": "\ud801"}, arguments=("--failing",))
    assert code == 1
    assert "own-\\ud800  refused: the search text does not stand in the file" in said
    assert "\\ud801 (1)" in " ".join(said.split())


def test_a_folder_without_cases_is_not_measured(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from edit_cases import main

    assert main([str(tmp_path)]) == 2
    assert "neither a file of cases nor a folder with *.jsonl" in capsys.readouterr().err


def test_a_case_is_shown_whole(bench: Bench) -> None:
    code, said = bench.run(ROW, arguments=("--show", "own-001"))
    assert code == 0
    assert "--- before\none\ntwo\nthree\n" in said
    assert "--- motet leaves own" not in said
    assert "--- motet leaves file.txt\none\nTWO\nthree\n" in said


def test_showing_a_case_that_is_not_there_fails(bench: Bench) -> None:
    assert bench.run(ROW, arguments=("--show", "own-404")) == (1, "own-404: no such row\n")


# --- how rows are read -----------------------------------------------------------------------------------------


def blocks(*pairs: tuple[str, str]) -> str:
    return "".join(f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n" for old, new in pairs)


READ: dict[str, dict] = {
    "blocks for one file": {
        "format": "search_replace_blocks",
        "edit_text": blocks(("two\n", "TWO\n")),
    },
    "blocks that name their files": {
        "format": "search_replace_blocks",
        "before": None,
        "before_files": {"a.txt": "one\n", "b.txt": "two\n"},
        "edit_text": "b.txt\n```\n" + blocks(("two\n", "TWO\n")) + "```\n",
        "expected_files": {"a.txt": "one\n", "b.txt": "TWO\n"},
    },
    "several replacements, each on what the one before left": {
        "format": "multi_str_replace",
        "edits": [{"search": "two", "replace": "2"}, {"search": "2", "replace": "TWO"}],
    },
    "lines inserted before a line": {
        "format": "insert_line",
        "insert_line": 2,
        "insert_text": "new",
        "expected_after": "one\nnew\ntwo\nthree\n",
    },
    "lines inserted after a line": {
        "format": "insert_line",
        "insert_line_after": 0,
        "insert_text": "new",
        "expected_after": "new\none\ntwo\nthree\n",
    },
    "a diff": {
        "format": "unified_diff",
        "edit_text": "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n",
    },
    "a patch that moves a file": {
        "format": "apply_patch",
        "before": None,
        "before_files": {"a.txt": "one\ntwo\n"},
        "edit_text": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-two\n+TWO\n*** End Patch\n",
        "expected_files": {"b.txt": "one\nTWO\n"},
    },
    "chunks of a patch": {
        "format": "apply_patch_chunks",
        "chunks": [{"changeContext": "one", "oldLines": ["two"], "newLines": ["TWO"], "isEndOfFile": False}],
    },
    "a new file": {"before": None, "search": "", "is_new_file": True, "expected_after": "TWO"},
    "a text that must be there so many times": {
        "before": "two two\n",
        "options": {"expected_replacements": 2},
        "expected_after": "TWO TWO\n",
    },
    "the place of a text": {"op": "locate", "expect": "located", "expected_text": "two"},
    "the place of a text that is not there": {"op": "locate", "search": "four", "expect": "not_found"},
    "what blocks say": {
        "format": "search_replace_blocks",
        "op": "parse",
        "expect": "blocks",
        "edit_text": "src/a.py\n```python\n" + blocks(("two\n", "TWO\n")) + "```\n",
        "expected_blocks": [{"path": "src/a.py", "search": "two\n", "replace": "TWO\n"}, {"shell": "ls"}],
    },
    "an answer without blocks": {
        "format": "search_replace_blocks",
        "op": "parse",
        "expect": "blocks",
        "edit_text": "Nothing has to change.\n",
        "expected_blocks": [],
    },
    "a patch that is none": {
        "format": "apply_patch",
        "op": "parse",
        "expect": "invalid",
        "assertion": "throws",
        "tags": ["malformed"],
        "edit_text": "*** Begin Patch\nno such thing\n",
    },
}


@pytest.mark.parametrize("name", READ)
def test_each_format_is_read_as_it_is_meant(bench: Bench, name: str) -> None:
    code, said = bench.run({**ROW, **READ[name]}, arguments=("--failing",))
    assert (code, "own-001" in said) == (0, False), said


def test_a_library_is_read_otherwise_than_the_tool_beside_it(bench: Bench) -> None:
    row = {
        **{name: value for name, value in ROW.items() if name not in ("before", "expected_after")},
        "format": "apply_patch",
        "before_files": {},
        "edit_text": "*** Begin Patch\n*** Add File: n.txt\n+a\n*** End Patch",
    }
    for path, text in (("test/tool/apply_patch.test.ts", "a\n"), ("test/patch/patch.test.ts", "a")):
        source = {"repo": "anomalyco/opencode", "path": f"packages/opencode/{path}"}
        assert bench.run({**row, "source": source, "expected_files": {"n.txt": text}})[0] == 0


@pytest.mark.parametrize(
    ("format_", "argument", "value"), [("str_replace", "search", None), ("multi_str_replace", "edits", "no list")]
)
def test_a_call_with_an_argument_missing_or_odd_is_refused(
    bench: Bench, format_: str, argument: str, value: str | None
) -> None:
    row = {**ROW, "format": format_, argument: value, "expect": "error", "assertion": "throws"}
    assert bench.table(row)[1]["right"] == "1"
    assert bench.run({**row, "expect": "after"})[0] == 1


def test_a_call_for_one_file_takes_no_hunk_of_another(bench: Bench) -> None:
    diff = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: b.txt\n@@\n-b\n+B\n*** End Patch"
    row = {
        **{name: value for name, value in ROW.items() if name not in ("before", "expected_after")},
        "format": "patch_hunks",
        "before_files": {"a.txt": "a\nb\n"},
        "edit": {"path": "a.txt", "op": "update", "diff": diff},
        "expect": "error",
        "assertion": "throws",
        "expected_files": {"a.txt": "a\nb\n"},
    }
    code, said = bench.run(row)
    assert (code, "patch_hunks (1 right)" in said) == (0, True)


def test_a_broken_block_is_not_an_answer_without_blocks(bench: Bench) -> None:
    row = {**READ["an answer without blocks"], "edit_text": "a.py\n<<<<<<< SEARCH\none\n"}
    code, said = bench.run({**ROW, **row}, arguments=("--failing",))
    assert code == 1
    assert "own-001  refused: line 2: " in said


def test_the_place_of_a_text_may_be_told_in_units_of_utf_16(bench: Bench) -> None:
    row = {**ROW, "op": "locate", "expect": "located", "before": "🙂 two", "offsets": "utf16"}
    assert bench.run({**row, "expected_ranges": [[3, 6]]})[0] == 0
    assert bench.run({**row, "expected_ranges": [[2, 5]]})[0] == 1


@pytest.mark.parametrize(
    "condition", ["the file was not read first", "never read in this session", "no prior read", "without reading it"]
)
def test_a_model_knows_nothing_of_a_file_that_it_did_not_read(bench: Bench, condition: str) -> None:
    row = {**ROW, "expect": "error", "assertion": "throws", "precondition": condition}
    code, cells, _ = bench.table(row)
    assert (code, cells["right"]) == (0, "1")


def test_a_precondition_that_is_no_text_is_told(bench: Bench) -> None:
    code, _, missed = bench.table(ROW, {**ROW, "id": "own-002", "precondition": ["read"]})
    assert code == 1
    assert missed[-1].endswith("own.jsonl:2: `precondition` should be a str, it is a list")


def test_what_has_to_have_happened_before_otherwise_is_listed(bench: Bench) -> None:
    code, said = bench.run(ROW, {**ROW, "id": "own-002", "precondition": "the disk is full"})
    assert code == 0
    assert "apply of str_replace after something else (1)" in " ".join(said.split())


def test_a_call_for_one_file_may_not_hold_hunks_for_several(bench: Bench) -> None:
    diff = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-two\n+2\n*** End Patch"
    row = {**ROW, "format": "patch_hunks", "before": None, "before_files": {"a": ROW["before"]}}
    call = {"edit": {"path": "a", "op": "update", "diff": diff}, "expect": "error", "assertion": "throws"}
    assert bench.run({**row, **call})[0] == 0


def test_lines_are_looked_for_below_the_line_where_the_search_starts(bench: Bench) -> None:
    row = {**ROW, "format": "line_sequence", "op": "locate", "before": "two\none\ntwo\n", "start_line0": 1}
    assert bench.run({**row, "expect": "located", "expected_line0": 2})[0] == 0
    assert bench.run({**row, "expect": "located", "expected_line0": 0})[0] == 1
    assert bench.run({**row, "expect": "not_found", "start_line0": 3})[0] == 0


def test_nothing_that_is_looked_for_in_an_empty_file_stands_at_its_top(bench: Bench) -> None:
    row = {**ROW, "op": "locate", "expect": "located", "before": "", "search": "", "expected_ranges": [[0, 0]]}
    assert bench.run(row)[0] == 0


def test_what_the_peer_left_when_its_test_passed_is_right_whatever_the_row_asks_for(bench: Bench) -> None:
    row = {**ROW, "expect": "contains", "expected_contains": ["TWO", "what another edit puts there"]}
    assert bench.run(row)[0] == 1
    assert bench.run({**row, "peer_actual": "one\nTWO\nthree\n"})[0] == 0
    assert bench.run({**row, "peer_actual": "one\nTwo\nthree\n"})[0] == 1
    files = {"before": None, "before_files": {"a": ROW["before"]}, "target_path": "a"}
    assert bench.run({**row, **files, "peer_actual_files": {"a": "one\nTWO\nthree\n"}})[0] == 0


def test_a_count_that_is_another_than_the_call_expects_is_refused(bench: Bench) -> None:
    row = {**ROW, "options": {"expected_replacements": 2}, "expect": "error", "assertion": "throws"}
    assert bench.run(row)[0] == 0


@pytest.mark.parametrize(
    "repo, final",
    [("openai/codex", "TWO\n"), ("cline/cline", "TWO")],
)
def test_a_peer_is_read_the_way_it_reads(bench: Bench, repo: str, final: str) -> None:
    row = {
        **ROW,
        "source": {"repo": repo},
        "format": "apply_patch",
        "before": None,
        "before_files": {"a.txt": "one\ntwo"},
        "edit_text": "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch\n",
        "expected_files": {"a.txt": f"one\n{final}"},
    }
    code, said = bench.run(row, arguments=("--failing",))
    assert code == 0, said
