"""Numbers of options: bounds are said in words, and no number that can be typed is a crash."""

from __future__ import annotations

import pytest
from cli.kit import Project

HUGE = "9" * 23


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("search", "  -n, --limit N  At most so many (10).  [between 1 and 100]"),
        ("map", "  --tokens N     How large it may be (1,000).  [between 50 and 200,000]"),
        ("history fork", "  --at N      Without turn N and what follows.  [at least 1]"),
        ("history list", "  -n, --limit N  At most so many (50).  [at least 1]"),
        ("ask", "  --max-cost USD    Dollars a turn may cost.  [more than 0]"),
    ],
)
def test_help_says_the_bounds_in_words(project: Project, command: str, line: str) -> None:
    assert line in project.here(*command.split(), "--help").out.splitlines()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"history list -n {HUGE}", f"'-n' / '--limit': {HUGE} is not between 1 and 1,000,000 (motet history list --help)"),
        (f"history search x -n {HUGE}", f"'-n' / '--limit': {HUGE} is not between 1 and 1,000,000 (motet history search --help)"),
        ("history fork last --at 0", "'--at': 0 is not at least 1 (motet history fork --help)"),
        ("ask -m offline hi --max-cost nan", "'--max-cost': nan is not more than 0 (motet ask --help)"),
        ("agents clean --days nan", "'--days': nan is not at least 0 (motet agents clean --help)"),
        ("agents stop x --within -0.5", "'--within': -0.5 is not at least 0 (motet agents stop --help)"),
        ("mcp --longest-wait nan", "'--longest-wait': nan is not between 1 and 300 (motet mcp --help)"),
        ("board show -n 1x", "'-n' / '--limit': '1x' is not a valid integer (motet board show --help)"),
    ],
)  # fmt: skip
def test_a_number_out_of_bounds_is_one_line(project: Project, command: str, said: str) -> None:
    done = project.here(*command.split())
    assert (done.code, done.out, done.err) == (2, "", f"motet: invalid value for {said}\n")
