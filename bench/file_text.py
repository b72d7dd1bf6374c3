"""In which form file text costs how much in a prompt, and which files get out of it.

    python bench/file_text.py [--files N] [--json]

Nothing is sent: what a model makes of a form is another question, which `motet bench` asks a model. Tokens are
estimated from bytes, as everywhere in motet; words are what the tokenisers of models begin with.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from edit_cases import shared_cases
from filetext.forms import FORMS, Form
from filetext.texts import cases, hostile, library, own
from measure.run import BenchError
from measure.table import Result, main

from motet.messages import estimate_tokens

HEAD = [
    "form",
    "tokens",
    "of the text",
    "words",
    "of the text",
    "files that get out",
    "hostile ones",
    "all bytes",
    "bar",
    "held",
]
_WORDS = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d{1,3}| ?[^\s\w]+|\s+(?!\S)|\s+")
"""Words as GPT-2's tokeniser cuts them, digits by three (github.com/openai/tiktoken)."""
ABOUT = (
    "{real:,} files ({own:,} of this project, {library:,} of the standard library, {cases:,} of other tools' edit cases), "
    "{tokens:,} tokens, and {hostile:,} hostile ones, which hold other files in these very forms. *Files that get out*: "
    "from the form, a reader who does not know the file takes another text than was put in (line ends as LF, the last ones "
    "away). *All bytes*: files whose line ends and last line end come back as well. motet's form is held to the bar that "
    "none gets out."
)


def measure(files: int) -> Result:
    """The table."""
    groups = [own(), library(files), cases(shared_cases())]
    real = [text for group in groups for text in group]
    if not real:
        raise BenchError("there is no file to measure with")
    tried = hostile(real)
    tokens, words = sum(map(estimate_tokens, real)), sum(map(_words, real))
    rows, missed = [], []
    for form in FORMS:
        out, tricked = _out(form, real), _out(form, tried)
        whole = sum(form.read(form.write("src/a.py", text)) == text for text in real)
        is_held = form is not FORMS[0] or not out + tricked
        if not is_held:
            missed.append(f"{form.name}: {out + tricked} files get out")
        written = [form.write("src/a.py", text) for text in real]
        costs, counts = sum(map(estimate_tokens, written)), sum(map(_words, written))
        bar = ["0", "yes" if is_held else "no"] if form is FORMS[0] else ["–", "–"]
        rows.append([form.name, f"{costs:,}", f"{costs / tokens:.3f} ×", f"{counts:,}", f"{counts / words:.3f} ×",
                     str(out), str(tricked), f"{whole:,}", *bar])  # fmt: skip
    sizes = dict(zip(("own", "library", "cases"), map(len, groups), strict=True))
    about = ABOUT.format(real=len(real), tokens=tokens, hostile=len(tried), **sizes)
    return Result("File text in prompts", about, HEAD, rows, missed)


def _out(form: Form, texts: Sequence[str]) -> int:
    """Files of which a reader takes another text out of the form."""
    return sum(
        form.read(form.write("src/a.py", text)) not in (text, _lines(text), _lines(text).rstrip("\n"))
        for text in texts
    )


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")


def _words(text: str) -> int:
    return sum(1 for _ in _WORDS.finditer(text))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"files": 400}, measure))
