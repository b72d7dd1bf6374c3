"""Options by which an ordinary program starts another one, or writes where its name does not tell.

A rule such as `run:git *` means git, not whatever `git -c core.pager=…` starts. A command that uses one of these
is allowed by a rule only when the rule itself says the word. The list cannot be complete: what makes it complete is
the sandbox and the human.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

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


def _is_option(word: str, option: str) -> bool:
    if word == option or word.startswith(f"{option}="):
        return True
    if option.startswith("--"):  # an unambiguous beginning of a long option will do for most programs
        return word.startswith("--") and len(word) > 4 and option.startswith(word.partition("=")[0])
    single = len(option) == 2 and option[0] == "-"
    return single and word.startswith(option) and not word.startswith("--")
