"""Write the generated pages of `docs/`: `make docs`. With `--check`, only say which are out of date (exit code 1)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import acceptance
import reference
import transcript

ROOT = Path(__file__).resolve().parent.parent

# Page, and what makes its text. A new page is one line here.
PAGES: dict[str, Callable[[], str]] = {
    "docs/acceptance.md": acceptance.page,
    "docs/commands.md": reference.commands_page,
    "docs/settings.md": reference.settings_page,
    "README.md": transcript.readme_page,
}


def main(arguments: list[str]) -> int:
    """Write or check every page."""
    stale = 0
    for name, make in PAGES.items():
        path, text = ROOT / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"{name} is out of date: run `make docs`")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
