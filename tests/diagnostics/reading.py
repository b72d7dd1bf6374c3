"""What a model is shown, read back as the offline model reads it."""

from __future__ import annotations

from motet.text.report import FileReport, parse_report


def read_back(text: str) -> FileReport:
    """The report that `text` is."""
    report = parse_report(text)
    assert report is not None, text
    return report


def lines_of(report: FileReport) -> dict[int, str]:
    """The lines that are shown, by their 1-based numbers."""
    return {number: line for run in report.runs for number, line in enumerate(run.lines, run.first)}
