"""Edits: right or refused. A model's answer becomes edits, each edit gets exactly one place or a refusal, a file's
edits become one proposal, and a reviewed proposal becomes bytes. Pure: no I/O here.

    answer ──formats──▶ [Edit] ──plan──▶ Match | Refusal ──hunks──▶ Proposal ──review──▶ accepted bytes
"""

from motet.edits.edit import Anchor, Delete, Edit, Insert, Move, Near, Replace, ReplaceAnchored, Write
from motet.edits.formats import FORMATS, StreamParser, parse, parse_replace_in_file, parse_search_replace
from motet.edits.hunks import Hunk
from motet.edits.lines import Line
from motet.edits.outcome import Candidate, Match, Outcome, Refusal, RefusalReason, Rung
from motet.edits.plan import FilePlan, Plan, plan
from motet.edits.preview import EditPreview
from motet.edits.review import Decision, Proposal, ReviewedHunk

__all__ = [
    "FORMATS",
    "Anchor",
    "Candidate",
    "Decision",
    "Delete",
    "Edit",
    "EditPreview",
    "FilePlan",
    "Hunk",
    "Insert",
    "Line",
    "Match",
    "Move",
    "Near",
    "Outcome",
    "Plan",
    "Proposal",
    "Refusal",
    "RefusalReason",
    "Replace",
    "ReplaceAnchored",
    "ReviewedHunk",
    "Rung",
    "StreamParser",
    "Write",
    "parse",
    "parse_replace_in_file",
    "parse_search_replace",
    "plan",
]
