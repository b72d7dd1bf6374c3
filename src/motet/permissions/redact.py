"""Text without what looks like a key: the last look at whatever is about to leave this machine.

| kind | looks like |
|---|---|
| anthropic, openai, xai, groq, openrouter, huggingface, replicate key | `sk-ant-…`, `sk-…`, `xai-…`, `gsk_…`, `sk-or-…`, `hf_…`, `r8_…` |
| github, gitlab, npm, pypi, docker token | `ghp_…` `gho_…` `ghu_…` `ghs_…` `ghr_…` `github_pat_…`, `glpat-…`, `npm_…`, `pypi-…`, `dckr_pat_…` |
| aws, google, azure, digitalocean key | `AKIA…` `ASIA…`, `AIza…` `ya29.…` `GOCSPX-…`, `AccountKey=…`, `dop_v1_…` |
| slack, stripe, sendgrid, telegram, discord token | `xox?-…` and its web hooks, `sk_live_…`, `SG.….…`, `123456789:AA…`, web hooks |
| web token | three base64url parts that begin with `eyJ` |
| private key | a PEM or PGP block, also one that has lost its end |
| password in a URL | `scheme://user:…@host` |
| authorization | the value of an `Authorization:` header |
| secret | `password = "…"` and the like, quoted or as `PASSWORD=…`, when the value looks random |

What is encoded, split over several places or spelled in words is not found. What a human typed as a placeholder
(`sk-...`, `$TOKEN`, `changeme`) stays.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# A digit near the beginning tells a key from words; looked for so far only, because the text may be hostile.
_LONG = r"(?=[\w-]{0,80}\d)[\w-]{16,}"

# Kind, texts with one of which every match begins (finding these is quick), pattern, compiled when one is found; group 1
# is the secret part.
_KINDS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("private key", ("-----BEGIN ",),
     r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----BEGIN )[\s\S])*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z|(?=-----BEGIN ))"),
    ("anthropic key", ("sk-ant-",), rf"\bsk-ant-{_LONG}"),
    ("openrouter key", ("sk-or-",), rf"\bsk-or-{_LONG}"),
    ("key", ("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"), rf"\b(?:sk|pk|rk)[-_]{_LONG}"),
    ("xai key", ("xai-",), rf"\bxai-{_LONG}"),
    ("groq key", ("gsk_",), rf"\bgsk_{_LONG}"),
    ("huggingface token", ("hf_",), rf"\bhf_{_LONG}"),
    ("replicate token", ("r8_",), rf"\br8_{_LONG}"),
    ("github token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
     rf"\b(?:gh[pousr]_|github_pat_){_LONG}"),
    ("gitlab token", ("glpat-", "gldt-", "glrt-"), rf"\bgl(?:pat|dt|rt)-{_LONG}"),
    ("npm token", ("npm_",), rf"\bnpm_{_LONG}"),
    ("pypi token", ("pypi-",), rf"\bpypi-{_LONG}"),
    ("docker token", ("dckr_pat_",), rf"\bdckr_pat_{_LONG}"),
    ("aws key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("google key", ("AIza", "ya29.", "GOCSPX-"), r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
    ("azure key", ("AccountKey=", "SharedAccessKey="), r"\b(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})"),
    ("digitalocean token", ("dop_v1_", "doo_v1_"), r"\bdo[op]_v1_[0-9a-f]{32,}"),
    ("slack token", ("xox", "xapp-", "hooks.slack.com/services/"),
     rf"\b(?:xox[abeoprs]|xapp)-{_LONG}|\bhooks\.slack\.com/services/[\w/]{{20,}}"),
    ("discord hook", ("/api/webhooks/",), r"/api/webhooks/(\d{15,}/[\w-]{30,})"),
    ("sendgrid key", ("SG.",), r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    ("telegram token", (":AA",), r"(?<=\d{8}):AA[\w-]{32,}"),
    ("web token", ("eyJ",), r"(?<![\w-])eyJ[\w-]{10,}+\.[\w-]{10,}+\.[\w-]{5,}"),
    ("password in a URL", ("://",), r"://[^/@\s:\"'<>]*:([^/@\s\"'<>${}]{3,})@"),
    ("authorization", ("uthorization", "UTHORIZATION"),
     r"(?i:uthorization)[\"']?\s*[:=]\s*[\"']?(?:(?:Bearer|Basic|Token)\s+)([\w.~+/=-]{8,})"),
)  # fmt: skip
_NAMES = (
    "pass", "pwd", "secret", "token", "credential", "api_key", "apikey", "api-key", "access_key", "accesskey", "access-key",
    "private_key", "privatekey", "account_key", "accountkey", "encryption_key", "auth_key", "authkey", "signing_key",
)  # fmt: skip
_ASSIGNED = re.compile(
    r"\w{3,12}[\w-]{0,20}[\"']?\s{0,4}(?::=|=>|[:=])\s{0,4}"
    r"(?:[\"'`]([^\s\"'`]{8,200})[\"'`]|(?<=[=:])([^\s\"'`(){}\[\],;]{12,200}))",
    re.ASCII,
)
_SET = re.compile(
    r"^[ \t\"'-]*(?:export[ \t]+)?([\w.-]{1,100})[\"']?[ \t]*[:=][ \t]*[\"']?([^\s\"']{8,500})[\"']?,?[ \t]*$", re.M
)
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_FILLER = re.compile(r"your[-_]|x{8,}|\*{4,}", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"^[<$%{\[*]|\.\.\.|…|^(?:x+|\*+)$|change_?me|example|placeholder|your[-_]|dummy|redacted", re.IGNORECASE
)
_LEAST_ENTROPY = 3.0
"""Bits per character. A word of a language has less in few characters, a random text of ten has more."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that looks like a secret: `start` and `end` in the text, in characters."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Note:
    """What was replaced, and in which line (1-based) of the text as it was."""

    kind: str
    line: int

    def __str__(self) -> str:
        return f"{self.kind} in line {self.line}"


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text that may leave, and what was replaced in it."""

    text: str
    notes: tuple[Note, ...] = ()


def redact(text: str, known: Iterable[str] = ()) -> Redacted:
    """`text` in which what looks like a key, and every text of `known`, is `[redacted: kind]`."""
    found = find_secrets(text, known)
    if not found:
        return Redacted(text)
    pieces: list[str] = []
    notes: list[Note] = []
    end, line = 0, 1
    for each in found:
        pieces += [text[end : each.start], f"[redacted: {each.kind}]"]
        line += text.count("\n", end, each.start)
        notes.append(Note(each.kind, line))
        line += text.count("\n", each.start, each.end)
        end = each.end
    return Redacted("".join([*pieces, text[end:]]), tuple(notes))


def find_secrets(text: str, known: Iterable[str] = ()) -> list[Found]:
    """What looks like a secret, in order, without overlaps. `known`: secrets by value, of 8 characters at least."""
    found = [
        Found(kind, *match.span(match.lastindex or 0))
        for kind, starts, pattern in _KINDS
        if any(start in text for start in starts)
        for match in _matches(text, text, starts, re.compile(pattern))
        if not _FILLER.search(match[match.lastindex or 0])
    ]
    for secret in known:
        if len(secret) >= 8 and secret in text:
            found += [Found("known secret", *match.span()) for match in re.finditer(re.escape(secret), text)]
    found += _assigned(text)
    return _apart(found)


def secret_values(text: str) -> list[str]:
    """The values that a file of secrets sets: of `NAME=value` and the like those whose name gives them away, or that look
    random. Shorter ones than 8 characters, and placeholders, would hide half of any text."""
    found = (match.group(1, 2) for match in _SET.finditer(text))
    return [
        value
        for name, value in found
        if not _PLACEHOLDER.search(value)
        and (any(each in name.lower() for each in (*_NAMES, "key")) or _looks_random(value))
    ]


def _matches(text: str, looked_at: str, starts: tuple[str, ...], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of `pattern` in `text` where one of `starts` stands in `looked_at`, each from the end of the one
    before: much quicker than looking for the pattern everywhere."""
    for start in starts:
        at = looked_at.find(start)
        while at >= 0:
            match = pattern.match(text, at)
            if match is not None:
                yield match
            at = looked_at.find(start, max(match.end() if match else 0, at + 1))


def _assigned(text: str) -> list[Found]:
    found: list[Found] = []
    lower = text.lower()
    if len(lower) != len(text):  # a few letters become two
        lower = text.translate(_ASCII_LOWER)
    for match in _matches(text, lower, _NAMES, _ASSIGNED):
        group = 1 if match[1] is not None else 2
        value = match[group]
        if group == 2 and not _is_setting(text, match.start(2)):
            continue
        if _looks_random(value):
            found.append(Found("secret", *match.span(group)))
    return found


def _is_setting(text: str, start: int) -> bool:
    """Whether the bare value at `start` stands in a line such as `NAME=value`: without, it is code that computes."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return re.fullmatch(r"\s*(?:export\s+|-+\s*)?[\w.-]+(?:=|:\s*)", line) is not None


def _looks_random(value: str) -> bool:
    if _PLACEHOLDER.search(value):
        return False
    letters = any(character.isalpha() for character in value)
    digits = any(character.isdigit() for character in value)
    if "/" in value[:2] or "://" in value or not letters:
        return False
    mixed = len(value) >= 20 and value != value.lower() and value != value.upper() and entropy(value) >= 4
    return (digits and entropy(value) >= _LEAST_ENTROPY) or mixed


def entropy(text: str) -> float:
    """Shannon's entropy of the characters of `text`, in bits per character."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def _apart(found: list[Found]) -> list[Found]:
    """In order; of those that overlap, the first and longest, grown to the end of the others."""
    result: list[Found] = []
    for each in sorted(found, key=lambda found: (found.start, -found.end)):
        if result and each.start < result[-1].end:
            last = result[-1]
            result[-1] = Found(last.kind, last.start, max(last.end, each.end))
        else:
            result.append(each)
    return result
