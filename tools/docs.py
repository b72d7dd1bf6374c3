"""Write the generated pages: `make docs`. With `--check`, only show what is out of date (exit code 1).

The transcripts in README.md are of real runs, and so a matter of time: they are written, and a test looks at what they
came to, but they are not checked here.
"""

from __future__ import annotations

import difflib
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import acceptance
import completion_words
import reference
import transcript

ROOT = Path(__file__).resolve().parent.parent

# What a model might have said about the example project: one edit fits, one is misremembered.
ANSWER = """\
You forgot an import in `python/almanac.py`:

python/almanac.py
```python
<<<<<<< SEARCH
from reading import Reading
=======
from math import sqrt

from reading import Reading
>>>>>>> REPLACE
```

and there is a typo in the loop:

python/main.py
```python
<<<<<<< SEARCH
    for hour in frost(readings):
        print(f"frost at {hour}: bring in the basil")
=======
    for hour in frost(readings):
        print(f"frost at {hour:02d}:00: bring the basil inside")
>>>>>>> REPLACE
```
"""
# Two questions that the offline model can answer, about the same project.
QUESTIONS = (
    ("ask", "-m", "offline", "which hours count as frost in @python/almanac.py ?"),
    ("ask", "-m", "offline", "--yes", "-t", "editor", "repair #diagnostics{python/main.py}"),
)
# Where something is, and what there is.
LOOKS = (("search", "-n", "3", "which hours count as frost?"), ("map", "--tokens", "150"))
_LOOKED = re.compile(r"(<!-- search transcript -->\n).*?(<!-- end of search transcript -->)", re.DOTALL)
_ASKED = re.compile(r"(<!-- chat transcript -->\n).*?(<!-- end of chat transcript -->)", re.DOTALL)
_APPLIED = re.compile(r"(<!-- apply transcript -->\n).*?(<!-- end of apply transcript -->)", re.DOTALL)


def readme_page() -> str:
    """README.md with fresh transcripts of `motet fix`, `motet apply`, `motet ask` and `motet search`."""
    page = _APPLIED.sub(lambda found: found[1] + _apply_transcript() + found[2], transcript.readme_page())
    page = _ASKED.sub(lambda found: found[1] + _transcript(*QUESTIONS) + found[2], page)
    return _LOOKED.sub(lambda found: found[1] + _transcript(*LOOKS) + found[2], page)


def _apply_transcript() -> str:
    """`motet apply` on a copy of the example projects, nobody asked."""
    (said,) = _said(("apply", "--yes", "answer.md"), answer=ANSWER)
    # A longer fence than those of the answer.
    return f"````console\n$ cat answer.md\n{ANSWER}$ motet apply --yes answer.md\n{said}````\n"


def _transcript(*commands: Sequence[str]) -> str:
    """What they say on a copy of the example projects, with the offline model, after its files were read: the very first
    answer may be one that did not wait for them."""
    _, *answers = _said(("index", "rebuild"), *commands)
    shown = "\n".join(f"$ motet {shlex.join(words)}\n{said}" for words, said in zip(commands, answers, strict=True))
    return f"````console\n{shown}````\n"


def _said(*commands: Sequence[str], answer: str = "") -> list[str]:
    """What each command says on a copy of the example projects, one after the other; `answer` is a file there."""
    with transcript.examples() as (project, environment):
        if answer:
            (project / "answer.md").write_text(answer, encoding="utf-8")
        done = [
            subprocess.run(
                [ROOT / ".venv" / "bin" / "motet", *words], cwd=project, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )
            for words in commands
        ]  # fmt: skip
    return ["".join(f"{line.rstrip()}\n" for line in one.stdout.splitlines()) for one in done]


# Page, and what makes its text, from the source alone. A new page is one line here.
PAGES: dict[str, Callable[[], str]] = {
    "docs/acceptance.md": acceptance.page,
    "docs/commands.md": reference.commands_page,
    "docs/settings.md": reference.settings_page,
    completion_words.PAGE: completion_words.page,
}


def main(arguments: list[str]) -> int:
    """Write or check every page."""
    if "--check" in arguments:
        return check(ROOT)
    for name, make in {**PAGES, "README.md": readme_page}.items():
        path, text = ROOT / name, make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 0


def check(root: Path) -> int:
    """Show how the pages below `root` differ from what they should be; exit code 1 where one does."""
    stale = 0
    for name, make in PAGES.items():
        path = root / name
        there, wanted = path.read_text(encoding="utf-8") if path.exists() else "", make()
        if there != wanted:
            stale = 1
            lines = difflib.unified_diff(there.splitlines(), wanted.splitlines(), name, f"{name}, fresh", lineterm="")
            print(f"{name} is out of date: run `make docs`", *lines, sep="\n")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
