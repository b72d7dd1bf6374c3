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
    ("cline/cline", "apply_patch"): Peer(partial=True),
    ("RooCodeInc/Roo-Code", "search_replace_blocks"): Peer(partial=True),
    ("RooCodeInc/Roo-Code", "apply_patch"): Peer(_PATCHES),
    ("RooCodeInc/Roo-Code", "apply_patch_chunks"): Peer(_PATCHES),
    ("openai/codex", _ANY): Peer(_PATCHES),
    ("anomalyco/opencode", "apply_patch"): Peer(Dialect(final_newline="add", existing="overwrite", atomic="answer")),
    ("can1357/oh-my-pi", _ANY): Peer(Dialect(existing="overwrite")),
    ("microsoft/vscode-copilot-chat", _ANY): Peer(Dialect(line_ends="lf"), approximate=True),
}


def peer_of(case: Case) -> Peer:
    """The peer of `case`, with what the row itself sets."""
    peer = _PEERS.get((case.repo, case.format)) or _PEERS.get((case.repo, _ANY)) or Peer()
    threshold = case.get("options", dict, {}).get("fuzzy_threshold", 1)
    return Peer(peer.dialect, peer.partial, approximate=True) if threshold < 1 else peer
