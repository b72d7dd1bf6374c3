"""Who writes `@nosuch.py` or `#bogus` is told that it is nothing; who writes what only looks like it is not."""

from __future__ import annotations

import pytest
from context.context_kit import Place

from motet.context import Expanded, Known, built_in_variables, expand

KNOWN = Known(built_in_variables(), {"editor": "", "agent": "", "files": ""})


async def say(place: Place, text: str) -> Expanded:
    place.write("src/a.py", "one = 1\n")
    place.write("lib/util.py", "two = 2\n")
    place.write("app/util.py", "three = 3\n")
    return await expand(text, KNOWN, place.sources)


@pytest.mark.parametrize(
    ("text", "notices"),
    [
        ("what is @nosuch.py for?", ("@nosuch.py: no such file; sent as text",)),
        ("@nosuch.pyを見て", ("@nosuch.py: no such file; sent as text",)),
        ("(@src/nosuch.tsx:10-40)", ("@src/nosuch.tsx: no such file; sent as text",)),
        ("see @util.py", ("@util.py: it may be app/util.py or lib/util.py; sent as text",)),
        ("explain #bogus.", ("#bogus: no such variable; sent as text",)),
        ("#bogusを説明して", ("#bogus: no such variable; sent as text",)),
        ("review #diffs", ("#diffs: no such variable, did you mean #diff?; sent as text",)),
        (
            "#bogus, @b.md and #bogus",
            ("#bogus: no such variable; sent as text", "@b.md: no such file; sent as text"),
        ),
        ("#one #two #three #four #five", tuple(f"#{name}: no such variable; sent as text" for name in ("one", "two", "three"))),
    ],
)  # fmt: skip
async def test_a_name_that_is_not_known_is_sent_as_text_and_said(
    place: Place, text: str, notices: tuple[str, ...]
) -> None:
    assert await say(place, text) == Expanded(text, notices=notices)


@pytest.mark.parametrize(
    "text",
    [
        "mail a@b.py or first.last@host.md", "see #123 and #4f, #fff, #c0ffee", "# A heading\n\n## Another\n#Third", "C# and F#",
        "use `@nosuch.py` and `#bogus`", "```\n@nosuch.py #bogus\n```", "    #bogus indented", "> @nosuch.py #bogus", "<!-- #bogus -->",
        "#include <stdio.h>\n#define A 1\n#ifdef A\n#endif\n#pragma once", "#!/bin/sh", "#[derive(Debug)]", "#{name}",
        "@property\ndef x(self): ...\n@app.route('/')\n@pytest.mark.parametrize\n@functools.cache\n@Injectable()\n@mock.patch",
        "thanks @anna and @john.smith", "npm i @angular/core @types/node", "https://x.example/#bogus https://x.example/@nosuch.py",
        "\\#bogus \\@nosuch.py", "[x](#bogus) [y](@nosuch.py)", "div#bogus", "#list[1] #list=0",
        "##bogus @@nosuch.py",
    ],
)  # fmt: skip
async def test_what_means_something_else_is_not_spoken_of(place: Place, text: str) -> None:
    assert await say(place, text) == Expanded(text)


async def test_a_file_and_a_variable_that_are_known_are_shared_beside_one_that_is_not(place: Place) -> None:
    expanded = await say(place, "compare @a.py with @b.py")
    assert expanded.text == "compare `src/a.py` with @b.py"
    assert expanded.notices == ("@b.py: no such file; sent as text",)
    assert [message.context and message.context.id for message in expanded.attachments] == ["<file>src/a.py</file>"]
