"""How each peer reads edits, in motet's words: one line for each tool that differs from motet.

`docs/edits.md` has the contradictions behind these choices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editcases.case import Case
from editcases.dialect import MOTET, Dialect


@dataclass(frozen=True)
class Peer:
    """`partial`: what has a place is applied although the rest has none."""

    dialect: Dialect = MOTET
    partial: bool = False


_PATCHES = Dialect(final_newline="add", existing="overwrite", indentation="as_written", headers="required")
_ANY = ""
_PEERS = {
    ("Aider-AI/aider", _ANY): Peer(Dialect(final_newline="add", empty_search="append")),
    ("cline/cline", "search_replace_blocks"): Peer(
        Dialect(
            final_newline="as_edited",
            empty_search="whole_file",
            unclosed="accept",
            indentation="as_written",
            strict_markers=True,
        )
    ),
    ("cline/cline", "apply_patch"): Peer(
        Dialect(added_file="bare", unclosed="unopened", indentation="as_written", repeated="refuse"), partial=True
    ),
    ("cline/cline", "str_replace"): Peer(Dialect(line_ends="first")),
    ("continuedev/continue", _ANY): Peer(Dialect(empty_search="prepend")),
    ("RooCodeInc/Roo-Code", "search_replace_blocks"): Peer(partial=True),
    ("RooCodeInc/Roo-Code", "apply_patch"): Peer(_PATCHES),
    ("RooCodeInc/Roo-Code", "apply_patch_chunks"): Peer(_PATCHES),
    ("openai/codex", _ANY): Peer(_PATCHES),
    ("anomalyco/opencode", "apply_patch"): Peer(replace(_PATCHES, atomic="answer")),
    ("anomalyco/opencode", "apply_patch_chunks"): Peer(_PATCHES),
    ("anomalyco/opencode", "str_replace"): Peer(Dialect(empty_search="whole_file")),
    ("can1357/oh-my-pi", _ANY): Peer(Dialect(existing="overwrite")),
    ("microsoft/vscode-copilot-chat", _ANY): Peer(Dialect(line_ends="lf")),
    ("All-Hands-AI/openhands-aci", _ANY): Peer(Dialect(exact=True)),
    ("block/goose", "unified_diff"): Peer(Dialect(final_newline="add")),
    ("NousResearch/hermes-agent", "apply_patch"): Peer(Dialect(atomic="answer", added_file="bare")),
}
_OTHER_NAMES = {
    "paul-gauthier/aider": "Aider-AI/aider",
    "RooVetGit/Roo-Code": "RooCodeInc/Roo-Code",
    "zed-industries/codex": "openai/codex",
    "sst/opencode": "anomalyco/opencode",
    "aider": "Aider-AI/aider",
    "cline": "cline/cline",
    "roo": "RooCodeInc/Roo-Code",
    "codex": "openai/codex",
    "opencode": "anomalyco/opencode",
}
"""Former names and forks; and the words by which a row names its dialect, for a repository that nobody knows."""
_KNOWN = {repo for repo, _ in _PEERS}


def peer_of(case: Case) -> Peer:
    """The peer of `case`, with what the row itself sets."""
    repo = _OTHER_NAMES.get(case.repo, case.repo)
    if repo not in _KNOWN:
        repo = _OTHER_NAMES.get(case.get("dialect", str, ""), repo)
    peer = _PEERS.get((repo, case.format)) or _PEERS.get((repo, _ANY)) or Peer()
    if repo == "anomalyco/opencode" and case.test_file.endswith("/patch.test.ts"):
        peer = replace(peer, dialect=replace(peer.dialect, added_file="bare"))  # the library, not the tool
    if repo == "anomalyco/opencode" and "/core/test/" in case.test_file:
        newer = replace(peer.dialect, existing="refuse", empty_search="create")
        peer = replace(peer, dialect=newer)
    return peer
