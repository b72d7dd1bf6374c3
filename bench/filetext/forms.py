"""Forms of file text in a prompt, each with what a reader takes out of it who knows the form and not the file."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from motet.context.attachment import attribute, file_attachment, file_text, plain, wrap

Write = Callable[[str, str], str]
Read = Callable[[str], str | None]


@dataclass(frozen=True)
class Form:
    """One form: `write` has a path and a text, `read` takes the text out again, up to the first mark that ends it."""

    name: str
    write: Write
    read: Read


def _between(first: str, last: str, text: str) -> str | None:
    """What stands behind the line `first` (a pattern) and before the first line `last`, where that ends the text."""
    head = re.match(first, text)
    if head is None:
        return None
    end = text.find(f"\n{last}", head.end() - 1)
    return text[head.end() : max(end, head.end())] if end >= 0 else None


def _fenced(path: str, text: str) -> str:
    return f"{path}\n```\n{text}\n```"


def _longer(path: str, text: str) -> str:
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text) or [""]))
    return f"{path}\n{fence}\n{text}\n{fence}"


def _read_longer(text: str) -> str | None:
    fence = re.match(r"[^\n]*\n(`{3,})\n", text)
    return _between(r"[^\n]*\n`{3,}\n", fence[1], text) if fence else None


def _from_attachment(text: str) -> str | None:
    body = _between(r"<attachment [^\n]*>\n", "</attachment>", text)
    if body is None or ' escaped="' not in text.partition("\n")[0]:
        return body
    return re.sub(r"<\\(\\*)/(?=\s*attachment)", r"<\1/", body, flags=re.IGNORECASE)


def _from_json(text: str) -> str | None:
    return str(json.loads(text)["text"])


FORMS = (
    Form("`<attachment>` with line numbers (motet)", lambda path, text: file_attachment(path, text).text, file_text),
    Form(
        "`<attachment>` without them",
        lambda path, text: wrap("attachment", plain(text), {"filepath": path}),
        _from_attachment,
    ),
    Form(
        "XML, the text as it is",
        lambda path, text: f'<file path="{attribute(path)}">\n{text}\n</file>',
        lambda text: _between(r"<file [^\n]*>\n", "</file>", text),
    ),
    Form(
        "XML, the text escaped",
        lambda path, text: f'<file path="{attribute(path)}">\n{html.escape(text, quote=False)}\n</file>',
        lambda text: html.unescape(_between(r"<file [^\n]*>\n", "</file>", text) or ""),
    ),
    Form("code block, three backticks", _fenced, lambda text: _between(r"[^\n]*\n```\n", "```", text)),
    Form("code block, a fence longer than any in it", _longer, _read_longer),
    Form(
        "JSON",
        lambda path, text: json.dumps({"path": path, "text": text}, ensure_ascii=False),
        _from_json,
    ),
)
