"""Real files, edits as a model means them, and the ways in which it gets them wrong.

    corpus ──▶ Scene(file, edits as meant) ──damage──▶ Written(edits as sent) ──judge──▶ right | refused | wrong

An example is one damage and one number: the same two give the same example on the same machine, in the test and in
`python tools/fuzz.py --replay DAMAGE:NUMBER`.
"""

from edits.mutations.damage import DAMAGES, Damage
from edits.mutations.example import Example, Verdict, judge, make_example
from edits.mutations.report import describe, minimise

__all__ = ["DAMAGES", "Damage", "Example", "Verdict", "describe", "judge", "make_example", "minimise"]
