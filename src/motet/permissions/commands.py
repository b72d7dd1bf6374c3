"""Words that make more of a command than its name tells: they start another program, write elsewhere, or destroy.

A rule such as `run:git *` means git, not whatever `git -c core.pager=…` starts, and not `git reset --hard`. A command
with such a word is allowed by a rule only when the rule itself says the word; what destroys is not even allowed by a
rule for all commands. The lists cannot be complete: what makes them complete is the sandbox and the human.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

from motet.permissions.patterns import STARTERS, inside_text, shell_text

_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "git": ("-c", "--config-env", "--exec-path", "--upload-pack", "--receive-pack", "-u", "--exec", "-x", "-O",
            "--open-files-in-pager", "--ext-diff", "--textconv", "--output", "-o", "difftool", "mergetool", "filter-branch",
            "config", "hook", "--template", "--git-dir", "--work-tree", "-C"),
    "find": ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"),
    "fd": ("-x", "--exec", "-X", "--exec-batch"),
    "tar": ("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rmt-command", "--rsh-command",
            "-F", "--info-script", "--new-volume-script"),
    "sort": ("--compress-program", "-o", "--output"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "rg": ("--pre", "--hostname-bin"),
    "ssh": ("-o", "-F"),
    "curl": ("-o", "-O", "--output", "--remote-name", "-K", "--config", "-T", "--upload-file", "-d", "--data", "-F"),
    "wget": ("-O", "--output-document", "--post-file", "--use-askpass", "-e", "--execute"),
    "man": ("-P", "--pager", "-H", "--html"),
    "zip": ("-TT", "--unzip-command"),
    "make": ("-f", "--file", "--eval", "-C", "-I"),
    "pytest": ("-p", "-c", "--rootdir", "--confcutdir"),
    "go": ("-exec", "-toolexec"),
    "cargo": ("--config",),
    "npm": ("exec", "--script-shell"),
    "gcc": ("-wrapper", "-B", "-fplugin"),
    "sed": ("-i", "--in-place"),
}  # fmt: skip
_SED_RUNS_OR_WRITES = re.compile(r"(?:^|[;{}\n/|,\d$!])[gIpmM\d]*\s*[ewWrR](?:$|[\s;}])")


def starts_others(words: Sequence[str]) -> frozenset[str]:
    """The words of the command by which it starts other programs or writes elsewhere."""
    name = posixpath.basename(words[0]) if words else ""
    options = _OPTIONS.get(name, ())
    found = {word for word in words[1:] if any(_is_option(word, option) for option in options)}
    if name == "sed":
        found |= {word for word in words[1:] if _SED_RUNS_OR_WRITES.search(word)}
    return frozenset(found)


# What may follow the program for it to destroy what nobody can bring back: every word of one entry.
_DESTROYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "rm": (("-r",), ("-R",), ("-f",), ("--recursive",), ("--force",)),
    "git": (("reset", "--hard"), ("reset", "--merge"), ("clean",), ("checkout", "--"), ("checkout", "."), ("checkout", "-f"),
            ("checkout", "--force"), ("restore",), ("switch", "-f"), ("switch", "--discard-changes"), ("push", "-f"),
            ("push", "--force"), ("push", "--force-with-lease"), ("push", "--mirror"), ("push", "--delete"), ("branch", "-D"),
            ("stash", "drop"), ("stash", "clear"), ("reflog", "expire"), ("gc", "--prune"), ("worktree", "remove"),
            ("update-ref", "-d"), ("filter-branch",), ("filter-repo",), ("rm", "-f"), ("rm", "-r")),
    "find": (("-delete",),),
    "chmod": (("-R",), ("--recursive",)),
    "chown": (("-R",), ("--recursive",)),
    "rsync": (("--delete",), ("--remove-source-files",)),
    "docker": (("system", "prune"), ("volume", "rm"), ("volume", "prune"), ("rm", "-f")),
    "kubectl": (("delete",), ("drain",)),
    "terraform": (("destroy",), ("apply",)),
    "dd": ((),), "shred": ((),), "truncate": ((),), "mkfs": ((),), "wipefs": ((),), "dropdb": ((),), "fdisk": ((),),
    "parted": ((),), "blkdiscard": ((),), "reboot": ((),), "shutdown": ((),), "poweroff": ((),), "killall": ((),), "pkill": ((),),
}  # fmt: skip


def destroys(words: Sequence[str]) -> frozenset[str]:
    """The words that make the command one that destroys; of a shell's text, the text. Empty for any other."""
    text = shell_text(words)
    if text is not None:
        return frozenset({text}) if any(destroys(inside) for inside in inside_text(text)) else frozenset()
    name = posixpath.basename(words[0]) if words else ""
    for entry in _DESTROYS.get("mkfs" if name.startswith("mkfs.") else name, ()):
        found = [_said(words[1:], want) for want in entry]
        if None not in found:
            return frozenset((words[0], *(word for word in found if word is not None)))
    later = range(1, len(words)) if name in STARTERS else ()
    return next((found for at in later if (found := destroys(words[at:]))), frozenset[str]())


_READERS = frozenset({
    "ls", "cat", "head", "tail", "wc", "pwd", "echo", "printf", "true", "false", "stat", "du", "df", "which", "whoami",
    "uname", "date", "id", "grep", "egrep", "fgrep", "rg", "diff", "cmp", "nl", "sha256sum", "md5sum", "basename", "dirname",
    "realpath", "readlink",
})  # fmt: skip
_GIT_READERS = frozenset(
    {"status", "diff", "log", "show", "blame", "ls-files", "rev-parse", "describe", "shortlog", "grep"}
)


def only_reads(words: Sequence[str]) -> bool:
    """Whether the command is known to change no file: by the name of a program on PATH, and without a word that makes
    more of it. A shell's text never is."""
    if not words or starts_others(words):
        return False
    if words[0] == "git":
        return len(words) > 1 and words[1] in _GIT_READERS
    return words[0] in _READERS


_REACH_OUT = frozenset({
    "curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m", "links", "elinks", "nc", "ncat", "netcat", "socat", "telnet",
    "ftp", "sftp", "ssh", "gh", "glab", "hub", "dig", "host", "nslookup", "whois", "yt-dlp",
})  # fmt: skip
_GIT_REACHES_OUT = frozenset({"clone", "fetch", "pull", "ls-remote"})


def reaches_out(words: Sequence[str]) -> bool:
    """Whether the command is one that brings text from the network, for where no wall keeps it from doing so."""
    text = shell_text(words)
    if text is not None:
        return any(reaches_out(inside) for inside in inside_text(text))
    name = posixpath.basename(words[0]) if words else ""
    if name in _REACH_OUT or (name == "git" and not _GIT_REACHES_OUT.isdisjoint(words)):
        return True
    return name in STARTERS and any(reaches_out(words[at:]) for at in range(1, len(words)))


def _said(words: Sequence[str], want: str) -> str | None:
    """The word among `words` that says `want`, also as one of several letters behind a dash."""
    return next((word for word in words if _is_option(word, want) or _is_among(word, want)), None)


def _is_among(word: str, option: str) -> bool:
    """Whether the one-letter `option` is one of several letters behind one dash, as in `-rf`."""
    return len(option) == 2 and option[0] == "-" and re.fullmatch(r"-\w*", word) is not None and option[1] in word


def _is_option(word: str, option: str) -> bool:
    if word == option or word.startswith(f"{option}="):
        return True
    if option.startswith("--"):  # an unambiguous beginning of a long option will do for most programs
        return word.startswith("--") and len(word) > 4 and option.startswith(word.partition("=")[0])
    single = len(option) == 2 and option[0] == "-"
    return single and word.startswith(option) and not word.startswith("--")
