"""Which file a line of an answer names: a line of its own, a fence's info string, or a name within a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_LONGEST = 300
_LEAD = re.compile(r"(?:(?:#{1,6}[ \t]+)?[0-9]{1,3}[.)]|#{1,6}|[-*+]|//|--)[ \t]+")
_COMMENT = re.compile(r"(?:#+|//+|--+|;+|%+)[ \t]*(.*?)|<!--[ \t]*(.*?)[ \t]*-->|/\*+[ \t]*(.*?)[ \t]*\*+/")
_FILE_WORDS = "ファイル|文件|檔案|档案|파일|файл|fichier|fichero|ficheiro|datei|archivo|arquivo|bestand|plik|dosya"
_LABEL = re.compile(
    r"\*{0,3}(?:(?:file(?:[ ]?(?:name|path))?|path)(?:[* ]*:[* ]*|[ ](?=\S+$))"
    rf"|[^\s:：*]{{0,12}}(?:{_FILE_WORDS})[^\s:：*]{{0,6}}[* ]*[:：][* ]*)",
    re.IGNORECASE,
)
"""`File: `, and the same in other languages, with a word or two around."""
_STARRED = re.compile(r"(\*{1,3})([^*]+)\1")
_REMARK = re.compile(r"[ ]\((?:an? )?(?:new|updated|modified|changed|created|full|complete|existing)(?: file)?\)$")
_EXTENSION = re.compile(r"\.[A-Za-z][\w+-]{0,15}$")
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9a-z]+)*")
_FORBIDDEN = re.compile(r"[\x00-\x1f<>|\"*?`;]|://")
_LINES = re.compile(r"(?:(?<=[\w)\]])|^)(?::[0-9]+(?:[-:][0-9]+)?|#L[0-9]+(?:-L?[0-9]+)?|\([0-9]+-[0-9]+\))$")
_CITATION = re.compile(r"[0-9]+:[0-9]+:(?=.)")
_AROUND = "`*\"'()[]{}<>,:;!?"
_BARE_NAMES = """
brewfile build changelog codeowners containerfile contributing copying dockerfile gemfile gnumakefile
jenkinsfile justfile license makefile notice procfile rakefile readme vagrantfile workspace
"""
_NO_EXTENSION = frozenset(_BARE_NAMES.split())
_PRODUCT_NAMES = """
asp.net d3.js discord.js ember.js express.js next.js node.js nuxt.js react.js socket.io three.js vb.net vue.js
"""
_PRODUCTS = frozenset(_PRODUCT_NAMES.split())
_EXTENSIONS = """
bash c cc cfg cjs clj cmake conf cpp cs css csv cxx dart ex exs fs go gradle graphql h hpp hs htm html ini ipynb
java js json json5 jsonc jsx kt kts less lock lua m md mdx mjs mk ml mm nix php pl proto ps1 py pyi pyx r rb rs
rst sass scala scss sh sql svelte swift tcl tex tf toml ts tsx txt vim vue xml yaml yml zig zsh
"""
_COMMON = frozenset(_EXTENSIONS.split())


IsPath = Callable[[str], bool]
"""Whether a text with blanks is the path of a file of the workspace, or of a new one in a directory that is there."""
_MOST_WORDS = 8
"""Words of a path with blanks that nothing marks as one."""


def is_no_path(text: str) -> bool:
    """For who knows of no workspace."""
    return False


def path_on_line(line: str, is_path: IsPath = is_no_path) -> str:
    """The path that `line` consists of, whatever decorates it (`**`, backticks, `###`, `File:`, a comment's `#`); empty for others.

    A path with spaces must be quoted or labelled, or be one by `is_path`: else it could not be told from a sentence.
    """
    if len(line) > _LONGEST:
        return ""
    text = line.strip()
    lead = _LEAD.match(text)
    text = _REMARK.sub("", text[lead.end() :] if lead else text).rstrip(":： \t")
    label, starred = _LABEL.match(text), _STARRED.fullmatch(text)
    if label is not None:
        text = text[label.end() :].rstrip("*: ")
    elif starred is not None:
        text = starred[2].strip(": ")
    quoted = len(text) > 2 and text[0] == text[-1] and text[0] in "`\"'"
    if quoted:
        text = text.strip(text[0]).rstrip(": ")
    is_marked = quoted or label is not None or (" " in text and _has_common_ending(text) and is_path(text))
    if " " in text and not is_marked:
        return ""
    is_plain = is_marked or (lead is None and "**" not in line)
    return text if _is_path(text, is_plain) and (is_marked or text.lower() not in _PRODUCTS) else ""


def path_in_comment(line: str, language: str = "") -> str:
    """The path that `line`, the first of a fence, consists of as a comment: `# app.yaml`, `// src/a.ts`,
    `<!-- a.html -->`, `/* a.css */`; empty for others. `language`: what the fence is said to hold.

    Only what is a file beyond doubt counts: one with a usual ending, or `Dockerfile` in a fence of that language.
    """
    found = _COMMENT.fullmatch(line.strip()) if len(line) <= _LONGEST else None
    text = next(filter(None, found.groups()), "") if found is not None else ""
    path = path_on_line(text) if text and _LEAD.match(text) is None else ""
    name = re.split(r"[/\\]", path)[-1].lower()
    return path if _is_common(path) or (name in _NO_EXTENSION and name == language.lower()) else ""


@lru_cache(maxsize=64)
def path_in_info(info: str) -> str:
    """The path in a fence's info string: `python src/a.py`, `python:src/a.py`, `title="src/a.py"`; empty without.

    A path with line numbers is none: what is fenced is a piece of the file.
    """
    if len(info) > _LONGEST or _CITATION.match(info):
        return ""
    for word in info.split():
        text = word.rpartition("=")[2].strip("\"'{}()[],")
        if _LINES.search(text):
            continue
        language, colon, name = text.partition(":")
        text = name if colon and language.isalnum() and len(language) > 1 else text
        if word == info and text.lower() in _NO_EXTENSION:
            return ""  # `makefile` is a language
        if not text.startswith(("text/", "application/")) and _is_path(text, True):
            return text if text.lower() not in _PRODUCTS else ""
    return ""


@lru_cache(maxsize=64)
def cites_lines(info: str) -> bool:
    """Whether a fence's info string says that it holds lines out of a file: `12:20:src/a.py`, `src/a.py:12-20`."""
    return bool(_CITATION.match(info)) or any(_LINES.search(word.strip("\"'{}")) for word in info[:_LONGEST].split())


def paths_within(line: str, is_path: IsPath = is_no_path) -> list[str]:
    """The paths that a sentence names beyond doubt, each once: `self.io`, `and/or` and `Node.js` are none. One with
    blanks is the longest that `is_path` knows."""
    if len(line) > _LONGEST:
        return []
    words = [word.strip(_AROUND).rstrip(".") for word in line.split()]
    found = (_with_blanks(words[: at + 1], is_path) for at, word in enumerate(words) if _is_common(word))
    return list(dict.fromkeys(found))


def _with_blanks(words: list[str], is_path: IsPath) -> str:
    """The path that the last of these words ends."""
    longer = (" ".join(words[first:]) for first in range(max(len(words) - _MOST_WORDS, 0), len(words) - 1))
    return next(filter(is_path, longer), words[-1])


def _has_common_ending(text: str) -> bool:
    extension = _EXTENSION.search(text)
    return extension is not None and extension[0][1:].lower() in _COMMON


def _is_common(text: str) -> bool:
    return _has_common_ending(text) and text.lower() not in _PRODUCTS and _is_path(text, True)


def _is_path(text: str, is_plain: bool) -> bool:
    if not text or text[-1] in "./\\," or len(text) > _LONGEST or _FORBIDDEN.search(text):
        return False
    name = text.replace("\\", "/").rpartition("/")[2]
    if _EXTENSION.search(name):
        return not _VERSION.fullmatch(text)
    if name.lower() in _NO_EXTENSION:
        return True
    folder = text[: -len(name)].strip("/\\.")
    return bool(folder) and is_plain and bool(re.search(r"\w", name))
