"""Generated pages: `make check` looks at what the source alone decides; the README's runs are of this motet."""

import re
from pathlib import Path

import pytest
from house.tools_kit import ROOT, tool

README = (ROOT / "README.md").read_text("utf-8")


def test_a_page_that_is_out_of_date_is_shown_as_a_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    docs = tool("docs")
    docs.PAGES = {"a.md": lambda: "one\ntwo\n", "b.md": lambda: "same\n"}
    (tmp_path / "a.md").write_text("one\n2\n")
    (tmp_path / "b.md").write_text("same\n")
    assert docs.check(tmp_path) == 1
    head, *diff = capsys.readouterr().out.splitlines()
    assert head == "a.md is out of date: run `make docs`"
    assert diff[-2:] == ["-2", "+two"]
    (tmp_path / "a.md").write_text("one\ntwo\n")
    assert docs.check(tmp_path) == 0


def test_no_page_that_is_checked_is_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    assert "README.md" not in tool("docs").PAGES


@pytest.mark.timeout(900)
def test_the_runs_in_the_readme_come_to_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    fresh = tool("docs").readme_page()
    assert outcomes(fresh) == outcomes(README)


def outcomes(page: str) -> list[list[str]]:
    """Of each run its command and what it came to; not how servers started, nor what a chat found in time."""
    kept = re.compile(r"\$ |[-+] |[-+]{3} |\d+ files|Applied|Ended|Left|Round|replace_in_file|.*(refused|candidates)")
    blocks = re.findall(r"<!-- (?:\w+ )?transcript -->\n(.*?)<!-- end of", page, re.DOTALL)
    assert len(blocks) == 4
    return [[line for line in block.splitlines() if kept.match(line)] for block in blocks]
