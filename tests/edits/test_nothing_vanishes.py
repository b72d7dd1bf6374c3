"""Without a human an edit removes no definition that it does not name, and doubles no line beside its place: real files
of many languages, real damages, whole texts and pieces of them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from edits.mutations import DAMAGES, Verdict, corpus, describe, judge, make_example
from edits.mutations.scene import Scene, make_scene
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.edits import Refusal, Write, parse, plan
from motet.syntax.definitions import definitions
from motet.syntax.languages import language_of
from motet.text import TextFile

steady = settings(
    max_examples=400, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
NOTES = ("... 其余代码 ...", "(既存のコード)", "unverändert", "[other code]", "--- snip ---", "…", "wie bisher")
COMMENTS = {"lua": "--", "sql": "--", "vim": '"', "scheme": ";", "xml": "<!--", "html": "<!--"}
HASHES = {"python", "stubs", "shell", "toml", "cython"}
SHORTEST = 4
"""Letters and digits of a line that nobody wants twice in a row."""


def test_there_are_files_of_twelve_languages() -> None:
    found = {path.suffix for kind in corpus.LANGUAGES for path in corpus.files(kind)[:400]}
    assert len(found) >= 12


@pytest.mark.acceptance("AV-01")
def test_an_edit_in_any_language_becomes_what_was_meant_or_is_refused() -> None:
    @steady
    @given(st.sampled_from([*DAMAGES]), st.sampled_from(corpus.LANGUAGES), st.integers(0, 2**32 - 1))
    def holds(name: str, kind: str, number: int) -> None:
        example = make_example(name, number, (kind,))
        if example is not None:
            result = judge(example)
            assert result.verdict is not Verdict.WRONG, describe(example, result)

    holds()


def shown(scene: Scene, rng: Random) -> str:
    """The file as an answer shows it that means a change: whole, or with runs of lines left out or noted."""
    lines = scene.truth()
    how = rng.choice(("whole", "left out", "noted", "noted", "head gone", "tail gone", "middle"))
    size = rng.randint(3, max(3, len(lines) // 2))
    first = rng.randint(0, max(0, len(lines) - size))
    sign = COMMENTS.get(scene.kind, "#" if scene.kind in HASHES else "//")
    note = f"{sign} {rng.choice(NOTES)}{' -->' if sign == '<!--' else ''}"
    match how:
        case "left out":
            lines[first : first + size] = []
        case "noted":
            indent = re.match(r"\s*", lines[first])
            lines[first : first + size] = [f"{indent[0] if indent else ''}{note}"]
        case "head gone":
            lines[:size] = []
        case "tail gone":
            lines[-size:] = []
        case "middle":
            lines = lines[first : first + size]
        case _:
            pass
    return "\n".join(lines) + "\n"


def named(text: str, path: str) -> Counter[str]:
    """What a file defines."""
    return Counter(one.name for one in definitions(text, language_of(path)) if one.depth == 0)


def doubled(text: str) -> Counter[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Counter(one for one, other in pairwise(lines) if one == other and sum(map(str.isalnum, one)) >= SHORTEST)


@pytest.mark.acceptance("AV-01", "SP-01")
def test_a_text_under_a_files_name_takes_nothing_away_unsaid() -> None:
    seen: Counter[bool] = Counter()

    @steady
    @given(st.sampled_from(corpus.LANGUAGES), st.integers(0, 2**32 - 1))
    def holds(kind: str, number: int) -> None:
        rng = Random(f"{kind}:{number}")
        scene = make_scene(rng, 1, (kind,))
        if scene is None:
            return
        before, text = TextFile.decode(scene.path, scene.data()), shown(scene, rng)
        answer = f"{scene.path}\n{'`' * 9}\n{text}{'`' * 9}\n"
        sent = parse(answer)
        assert [type(edit) for edit in sent] == [Write]
        [planned] = plan({scene.path: before}, sent).files
        if planned.changes_something:
            assert planned.after is not None
            after, truth = planned.after.text, "\n".join(scene.truth())
            meant = named(before.text, scene.path) - named(truth, scene.path)
            lost = named(before.text, scene.path) - named(after, scene.path) - meant
            unused = {name for name in lost if not re.search(rf"\b{re.escape(name)}\b", after)}
            assert not lost.keys() - (unused if re.search(r"\b(?:import|from)\b", after) else set()), (
                scene.source,
                answer,
            )
            assert not doubled(after) - doubled(before.text) - doubled(truth)
            new = Counter(line.strip() for line in after.splitlines())
            left = [line for line in scene.truth() if line.strip() and not new[line.strip()]]
            assert len(left) <= 12 or language_of(scene.path), (scene.source, left)
        seen[any(isinstance(outcome, Refusal) for outcome in planned.outcomes)] += 1

    holds()
    assert seen[False] >= 0.1 * seen.total()  # refusing everything is no way to pass
    assert seen[True] >= 0.3 * seen.total()
