"""How each peer reads edits, in motet's words: one line for each tool that differs from motet.

`docs/edits.md` has the contradictions behind these choices.
"""

from __future__ import annotations

from dataclasses import dataclass

from editcases.case import Case
from motet.edits import Dialect

_MOTET = Dialect()


@dataclass(frozen=True)
class Peer:
    """`partial`: what has a place is applied although the rest has none. `approximate`: what is only nearly right
    is applied too, as if a human had accepted it."""

    dialect: Dialect = _MOTET
    partial: bool = False
    approximate: bool = False


_PATCHES = Dialect(final_newline="add", existing="overwrite")
_ANY = ""
_PEERS = {
    ("Aider-AI/aider", _ANY): Peer(Dialect(final_newline="add", empty_search="append")),
    ("cline/cline", "search_replace_blocks"): Peer(
        Dialect(empty_search="whole_file", unclosed="accept", strict_markers=True)
    ),
    ("cline/cline", "apply_patch"): Peer(Dialect(repeated="refuse"), partial=True),
    ("RooCodeInc/Roo-Code", "search_replace_blocks"): Peer(partial=True),
    ("RooCodeInc/Roo-Code", "apply_patch"): Peer(_PATCHES),
    ("RooCodeInc/Roo-Code", "apply_patch_chunks"): Peer(_PATCHES),
    ("openai/codex", _ANY): Peer(_PATCHES),
    ("anomalyco/opencode", "apply_patch"): Peer(Dialect(final_newline="add", existing="overwrite", atomic="answer")),
    ("can1357/oh-my-pi", _ANY): Peer(Dialect(existing="overwrite")),
    ("microsoft/vscode-copilot-chat", _ANY): Peer(Dialect(line_ends="lf"), approximate=True),
    ("All-Hands-AI/openhands-aci", _ANY): Peer(Dialect(exact=True)),
    ("block/goose", "unified_diff"): Peer(Dialect(final_newline="add")),
    ("NousResearch/hermes-agent", "apply_patch"): Peer(Dialect(atomic="answer")),
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
    threshold = case.option("fuzzy_threshold", float, 1.0)
    return Peer(peer.dialect, peer.partial, approximate=True) if threshold < 1 else peer
