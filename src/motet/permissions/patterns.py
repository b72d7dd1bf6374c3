"""Patterns of rules: paths, the words of a command, hosts. All are compared part by part, never as one string."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from motet.permissions.action import ANY_HOST

_SHELL_PUNCTUATION = re.compile(r"[\s;&|()<>`{}$\"'=]+")

_BARE_STAR = re.compile(r"(?<!\S)\*(?!\S)")
_ANY = "\0"  # no command can hold it


def path_matches(pattern: str, path: str, root: Path, *, fold: bool) -> bool:
    """Whether `path` (relative to `root`, or absolute) or a directory above it is what `pattern` names.

    `*` and `?` stay within one part, `**` stands for any number of parts. A pattern without `/` speaks of files and
    directories of that name anywhere; `~/` is the home directory. A relative pattern speaks of the workspace;
    with `fold`, which compares without case, of places outside it as well.
    """
    if pattern in ("*", "**"):
        return True
    if pattern.startswith("~/"):
        pattern = f"{Path.home()}/{pattern[2:]}"
    path, pattern = posixpath.normpath(path), pattern.rstrip("/")
    outside = path.startswith(("/", "../")) or path == ".."
    if pattern.startswith("/"):
        path = posixpath.join(str(root), path)
    elif outside and not fold:
        return False
    elif outside or "/" not in pattern:
        pattern = f"**/{pattern}"
    if fold:
        pattern, path = pattern.casefold(), path.casefold()
    return _parts_match((*pattern.removeprefix("/").split("/"), "**"), path.removeprefix("/").split("/"))


def command_matches(pattern: str, words: Sequence[str], *, strict: bool) -> bool:
    """Whether the command `words` begins with the words of `pattern`, each of them the same; `*` is any one word, and
    at the end any rest.

    Not `strict`, for rules that restrict: also behind a directory (`/bin/rm`), behind another program that starts
    it (`env rm`, `sh -c '… rm …'`), and where the pattern as text fits the line.
    """
    wanted = words_of(pattern)
    if wanted and wanted[-1] == _ANY:
        wanted.pop()
    if strict:
        return _begins(words, wanted)
    if fnmatchcase(shlex.join(words), pattern.replace("[", "[[]")):
        return True
    starts = range(len(words)) if words and _name(words[0]) in STARTERS else range(1)
    if any(_begins([_name(words[at]), *words[at + 1 :]], wanted) for at in starts if at < len(words)):
        return True
    return any(
        _begins([_name(found[0]), *found[1:]], wanted) for text in _scripts(words) for found in inside_text(text)
    )


def words_of(pattern: str) -> list[str]:
    """The words of a rule for commands, as a shell would divide them; a bare `*` is `_ANY`, a quoted one itself."""
    marked = _BARE_STAR.sub(_ANY, pattern.replace(_ANY, "\ufffd"))
    try:
        words = shlex.split(marked)
    except ValueError:
        words = marked.split()
    return [word if word == _ANY else word.replace(_ANY, "*") for word in words]


def host_matches(pattern: str, subject: str, *, strict: bool) -> bool:
    """Whether `subject` (a host, `host:port` or URL) is the host that `pattern` names.

    `*.example.org` is every host below example.org, compared by labels. A pattern with a port speaks of that port.
    """
    if subject == ANY_HOST:
        return pattern == "*" if strict else True
    wanted, wanted_port = _host_and_port(pattern)
    host, port = _host_and_port(subject)
    if wanted_port and wanted_port != port:
        return False
    if wanted == "*":
        return True
    if not wanted.startswith("*."):
        return bool(host) and host == wanted
    below = wanted[2:].split(".")
    labels = host.split(".")
    return len(labels) > len(below) and labels[-len(below) :] == below and not _is_address(host)


def destination_matches(pattern: str, subject: str) -> bool:
    """Whether `subject`, `provider host`, is what `pattern`, `provider` or `provider host`, names."""
    wanted, _, wanted_host = pattern.partition(" ")
    provider, _, host = subject.partition(" ")
    if wanted not in ("*", provider):
        return False
    wanted_host = wanted_host.strip()
    return wanted_host in ("", "*") or host_matches(wanted_host, host, strict=True)


SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "pwsh", "powershell"})
"""Programs whose `-c` takes a text that they read as commands."""
STARTERS = SHELLS | {
    "env", "sudo", "doas", "su", "xargs", "nice", "ionice", "nohup", "time", "timeout", "setsid", "busybox", "find",
    "command", "exec", "stdbuf", "watch", "parallel", "chroot", "unshare", "nsenter", "strace", "ltrace", "script",
    "flock", "runuser", "entr", "npx", "uvx", "pipx", "uv", "poetry", "pdm", "hatch", "bundle", "docker", "podman",
}  # fmt: skip
"""Programs that start the program that some later word names."""


def shell_text(words: Sequence[str]) -> str | None:
    """The text that a shell reads as commands, when `words` start a shell with one."""
    if not words or _name(words[0]) not in SHELLS:
        return None
    for at, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return words[at + 1] if at + 1 < len(words) else ""
        if not word.startswith(("-", "+")):
            return None
    return None


def inside_text(text: str) -> Iterator[list[str]]:
    """Every place of a shell's text where a command could begin, with the words from there on, 256 at most."""
    tokens = [token for token in _SHELL_PUNCTUATION.split(text) if token]
    return (tokens[at : at + 256] for at in range(len(tokens)))


def _begins(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return len(words) >= len(wanted) and all(
        want in (_ANY, word) for want, word in zip(wanted, words[: len(wanted)], strict=True)
    )


def _scripts(words: Sequence[str]) -> list[str]:
    text = shell_text(words)
    return [text] if text is not None else []


def _name(word: str) -> str:
    return posixpath.basename(word)


def _host_and_port(text: str) -> tuple[str, str]:
    """Host in lower case, without brackets and final dot, as ASCII; the port, or nothing."""
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host, port = parts.hostname or "", str(parts.port or "")
    except ValueError:
        return "", ""
    host = host.removesuffix(".").lower()
    try:
        return (host if host.isascii() else host.encode("idna").decode("ascii")), port
    except UnicodeError:
        return "", ""


def _is_address(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdecimal()


def _parts_match(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether all `parts` fit `pattern`; time grows with the product of both lengths, whatever they hold."""
    fits = [True] + [False] * len(parts)  # fits[n]: the pattern so far fits the first n parts
    for want in pattern:
        if want == "**":
            for at in range(1, len(fits)):
                fits[at] = fits[at] or fits[at - 1]
            continue
        want = want.replace("[", "[[]")
        fits = [False] + [fits[at] and fnmatchcase(part, want) for at, part in enumerate(parts)]
    return fits[-1]
