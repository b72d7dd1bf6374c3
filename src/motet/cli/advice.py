"""What a person who was given an answer can do about a refusal; the model's own advice is in `Refusal.advice`."""

from __future__ import annotations

from motet.edits import Delete, FilePlan, Match, Move, Refusal, RefusalReason, Rung, Write, plan
from motet.edits.elision import is_placeholder

_AGAIN = "show the model the file as it is now and ask again, for SEARCH/REPLACE blocks"
_BY_REASON = {
    RefusalReason.NOT_FOUND: _AGAIN,
    RefusalReason.STALE: _AGAIN,
    RefusalReason.SYNTAX: _AGAIN,
    RefusalReason.AMBIGUOUS: "ask the model to take in more of the neighbouring lines, or edit one of these places yourself",
    RefusalReason.OVERLAP: "ask the model for one edit instead of the two",
    RefusalReason.NO_CHANGE: "nothing is lost without it; ask the model if something was meant to change",
    RefusalReason.OUTSIDE_WORKSPACE: "if the answer is for another directory, name it with --root DIR",
    RefusalReason.BINARY: "edit this file with a tool of its own",
    RefusalReason.TOO_LARGE: "edit this file yourself",
}


def advice_for(refusal: Refusal, file: FilePlan, *, asks: bool) -> str:
    """One line for the person. `asks`: whether the run asks a human about places that are nearly right."""
    if refusal.reason is RefusalReason.BAD_FORMAT:
        return _about_text(refusal)
    if refusal.reason is RefusalReason.BINARY and "declare" in refusal.message:
        return refusal.advice  # the message itself says what to do
    if refusal.reason is RefusalReason.NOT_FOUND:
        if file.before is None:
            return _about_absence(refusal)
        if not asks and _is_nearly_right(refusal, file):
            return "there is one place that is nearly right: run it without --yes at a terminal to be asked about it"
    return _BY_REASON[refusal.reason]


def _about_text(refusal: Refusal) -> str:
    edit = refusal.edit
    text = edit.text if isinstance(edit, Write) else getattr(edit, "replace", "")
    if any(map(is_placeholder, text.splitlines())):
        return "ask the model for SEARCH/REPLACE blocks, or for the whole file with nothing left out"
    if refusal.message.startswith("this looks like a piece"):
        return "ask the model for SEARCH/REPLACE blocks; if it is all of the file, say so with --format whole_file"
    if "marker" in refusal.message:
        return "the answer is damaged there; ask the model to send that block again"
    return refusal.advice


def _about_absence(refusal: Refusal) -> str:
    match refusal.edit:
        case Delete():
            return "there is nothing to delete; it may have been done before"
        case Move():
            return "there is nothing to move; it may have been done before"
        case Write():
            return refusal.advice
        case _:
            return "check the path; --root DIR names the directory that paths are meant from"


def _is_nearly_right(refusal: Refusal, file: FilePlan) -> bool:
    """Whether a review would offer a place for the edit."""
    assert file.before is not None
    [alone] = plan({file.path: file.before}, [refusal.edit], approximate="propose").files
    return any(isinstance(one, Match) and one.rung is Rung.APPROXIMATE for one in alone.outcomes)
