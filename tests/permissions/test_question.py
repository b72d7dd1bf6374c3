"""What a question shows: all of it, and nothing that only looks like something else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.permissions import Action, Answer, Effect, Origin
from motet.permissions.question import HEAD_LINES, TAIL_LINES, choices, lookalikes, question, readable


def run(*argv: str, origin: Origin = Origin.MODEL, **more: object) -> Action:
    return Action.command(argv, origin, **more)  # type: ignore[arg-type]


def shown(action: Action, asker: str = "") -> list[str]:
    """The question as it stands on a wide screen."""
    asked = question(action, asker)
    return [asked.head, *(f"{row.label:<9}{row.text}" for row in asked.rows)]


SNAPSHOTS = [
    (
        run("git", "log", "a b", "; mv / x", detail="/usr/bin/git\nin src/, at most 120 s"),
        [
            "A command is to be run, asked for by the model.",
            "run      git log 'a b' '; mv / x'",
            "with     /usr/bin/git",
            "         in src/, at most 120 s",
        ],
    ),
    (
        run("sh", "-c", "make\nmv ~ /x", detail="/bin/sh"),
        [
            "A text is to be run by a shell, asked for by the model.",
            "shell    sh -c TEXT",
            "text     make",
            "         mv ~ /x",
            "with     /bin/sh",
        ],
    ),
    (
        run("bash", "--norc", "-lc", "x", "bash", "y"),
        [
            "A text is to be run by a shell, asked for by the model.",
            "shell    bash --norc -lc TEXT bash y",
            "text     x",
        ],
    ),
    (
        run("sh", "-c", "a\nb\nc\nd\ne", detail="/bin/sh\nin src/"),
        [
            "A text is to be run by a shell, asked for by the model.",
            "shell    sh -c TEXT",
            "with     /bin/sh",
            "         in src/",
            "text     a",
            "         b",
            "         c",
            "         d",
            "         e",
        ],
    ),
    (
        run("pip", "install", "x", network=True),
        [
            "A command is to be run, asked for by the model.",
            "run      pip install x",
            "beware   it may reach any host of the network",
        ],
    ),
    (
        Action(Effect.RUN, "make check", Origin.PROJECT, definition="make check"),
        ["Something is about to happen outside motet, asked for by the project.", "run      make check"],
    ),
    (
        Action(Effect.READ, "/etc/passwd", Origin.MODEL, "reached through the link notes.txt"),
        [
            "A file outside this workspace is to be read, asked for by the model.",
            "file     /etc/passwd",
            "because  reached through the link notes.txt",
        ],
    ),
    (
        Action(Effect.READ, ".env", Origin.USER),
        ["A file of secrets is to be read and shown to the model, asked for by the user.", "file     .env"],
    ),
    (
        Action(Effect.WRITE, ".git/hooks/x", Origin.MODEL, "a protected place"),
        ["A write to a protected place, asked for by the model.", "file     .git/hooks/x"],
    ),
    (
        Action(Effect.NET, "evil.example", Origin.MODEL, "https://evil.example/?x=1", untrusted=("page a", "agent B")),
        [
            "Something is to be fetched from the network, asked for by the model.",
            "host     evil.example",
            "because  https://evil.example/?x=1",
            "beware   text that nobody vouches for is in this turn: page a; agent B",
        ],
    ),
    (
        Action(Effect.SEND, "anthropic api.anthropic.com", Origin.USER, "the problems"),
        [
            "Code of this project is about to leave this machine for the first time.",
            "provider anthropic",
            "host     api.anthropic.com",
            "sent     the problems",
        ],
    ),
    (
        run("git", "reset", "--hard"),
        [
            "A command is to be run, asked for by the model.",
            "run      git reset --hard",
            "beware   it can destroy what cannot be brought back",
        ],
    ),
    # What a file could hide:
    (
        run("rm", "photo\u202egpj.sh"),
        ["A command is to be run, asked for by the model.", "run      rm 'photo<U+202E>gpj.sh'"],
    ),
    (
        run("cat", "a\u200d\u200b\ufeffb", "x\u00a0y", "e\u0301", "\U000e0041"),
        [
            "A command is to be run, asked for by the model.",
            "run      cat 'a<U+200D><U+200B><U+FEFF>b' 'x<U+00A0>y' 'e<U+0301>' '<U+E0041>'",
        ],
    ),
    (
        run("echo", "\x1b]0;ok\x07\rrun ls\x08", "\n\n"),
        ["A command is to be run, asked for by the model.", "run      echo '␛]0;ok␇␍run ls␈' '", "         ", "         '"],
    ),
    (
        run("echo", " " * 10_000 + "; mv ~ /x"),
        ["A command is to be run, asked for by the model.", "run      echo '<10000 blanks>; mv ~ /x'"],
    ),
    (
        run("sh", "-c", "ls" + "\n" * 5_000 + "mv ~ /x"),
        [
            "A text is to be run by a shell, asked for by the model.",
            "shell    sh -c TEXT",
            "text     ls",
            "         <4999 empty lines>",
            "         mv ~ /x",
        ],
    ),
    (
        Action(Effect.NET, "gооgle.example", Origin.MODEL),
        [
            "Something is to be fetched from the network, asked for by the model.",
            "host     gооgle.example",
            "beware   letters that look like others: о (U+043E cyrillic small letter o)",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("action", "lines"), SNAPSHOTS, ids=lambda value: str(value)[:40] if isinstance(value, Action) else ""
)
@pytest.mark.acceptance("T-08")
def test_a_question_shows_what_really_happens(action: Action, lines: list[str]) -> None:
    assert shown(action) == lines


def test_who_asks_can_be_named_and_cannot_forge_lines() -> None:
    assert (
        question(run("ls"), "the agent\nBob\u202e").head
        == "A command is to be run, asked for by the agent␊Bob<U+202E>."
    )


@pytest.mark.parametrize(
    "text",
    ["# " + "a" * 10_000 + "\nmv ~ /x", "\n".join(["true"] * 500) + "\nmv ~ /x", "x" * 10_000 + "; mv ~ /x"],
)
@pytest.mark.acceptance("T-08")
def test_of_a_long_text_the_end_is_shown_and_the_rest_can_be(text: str) -> None:
    asked = question(run("sh", "-c", text))
    assert asked.is_long
    assert len(asked.brief) == HEAD_LINES + TAIL_LINES + 1
    assert "mv ~ /x" in "".join(row.text for row in asked.brief)
    assert asked.brief[HEAD_LINES].text.startswith("[… ") and asked.brief[HEAD_LINES].text.endswith(
        "are not shown here …]"
    )
    assert "".join(row.text for row in asked.rows if row.label not in ("shell",)) == text.replace("\n", "")


def test_a_short_question_leaves_nothing_out() -> None:
    asked = question(run("sh", "-c", "\n".join("abc")))
    assert (asked.is_long, asked.brief) == (False, asked.rows)


@given(st.text())
@pytest.mark.acceptance("T-08")
def test_every_character_of_any_text_can_be_seen(text: str) -> None:
    text = readable(text)
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [character for character in text if unicodedata.category(character) in hidden]
    assert "\n" not in text
    assert " " * 9 not in text


@given(st.text(), st.text())
def test_two_texts_that_are_shown_alike_are_alike(one: str, other: str) -> None:
    if (
        one != other
        and "<" not in one + other
        and not set("␀␛␊␍␉␡") & set(one + other)
        and all(ord(character) < 0x2400 or ord(character) > 0x2421 for character in one + other)
    ):
        assert readable(one) != readable(other)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("plain/path.py", ""), ("日本語.py", ""), ("привет", ""), ("café.md", ""), ("ａbc", "ａ (U+FF41 fullwidth latin small letter a)"),
        ("a∕b", "∕ (U+2215 division slash)"), ("pаypal", "а (U+0430 cyrillic small letter a)"),
        ("git log −−x", "− (U+2212 minus sign)"),
    ],
)  # fmt: skip
def test_letters_among_plain_ones_that_look_like_them_are_named(text: str, named: str) -> None:
    assert lookalikes(text) == named


@pytest.mark.parametrize(
    ("action", "offered"),
    [
        (run("ls"), (Answer.ONCE, Answer.CHAT, Answer.PROJECT, Answer.ALWAYS)),
        (run("ls", origin=Origin.PROJECT), (Answer.ONCE, Answer.CHAT, Answer.PROJECT)),
        (Action(Effect.READ, ".env", Origin.USER), (Answer.ONCE, Answer.CHAT)),
        (Action(Effect.READ, "/etc/hosts", Origin.MODEL), (Answer.ONCE, Answer.CHAT, Answer.PROJECT, Answer.ALWAYS)),
        (Action(Effect.WRITE, ".envrc", Origin.MODEL), (Answer.ONCE,)),
        (Action(Effect.SEND, "a b", Origin.USER), (Answer.PROJECT, Answer.CHAT)),
    ],
    ids=str,
)
def test_what_can_be_answered_depends_on_what_is_asked(action: Action, offered: tuple[Answer, ...]) -> None:
    assert choices(action) == offered
