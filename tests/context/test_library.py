"""The prompt library: heads, sections, placeholders, workflows, and who wins over whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from context.context_kit import FakeEditor, Place

from motet.context import (
    PLACEHOLDERS,
    Buffer,
    Commands,
    Condition,
    Cursor,
    Excerpt,
    NothingToFill,
    PromptKind,
    Variables,
    built_in_variables,
    fill,
    gather,
    greeting,
    load_library,
    prompt_commands,
    read_prompt,
    sharing_commands,
)
from motet.context.front_matter import FrontMatterError, read_front_matter
from motet.context.placeholders import _VALUES

WHOLE = """\
---
name: my-review      # a comment
description: "look: at it"
alias: mr
kind: workflow
model: anthropic/claude
tools: [readonly, 'web']
rules:
  - docs/style.md
  - docs/more.md
auto_submit: true
modes: n, v
repeat_until: diagnostics == 0
max_repeats: 4
---
A remark for the reader.

## system
You review.

### a heading of the third level
```
## user
```
## Another heading
## user
First: ${context.diff}
## User ##
Then: ${context.input}
"""


@pytest.mark.acceptance("S2-048")
def test_a_prompt_has_all_that_its_file_says() -> None:
    prompt = read_prompt(WHOLE, "mr.md")
    assert (prompt.name, prompt.description, prompt.alias) == ("my-review", "look: at it", "mr")
    assert (prompt.kind, prompt.model, prompt.tools) == (PromptKind.WORKFLOW, "anthropic/claude", ("readonly", "web"))
    assert (prompt.rules, prompt.auto_submit, prompt.modes) == (("docs/style.md", "docs/more.md"), True, ("n", "v"))
    assert (prompt.repeat_until, prompt.max_repeats) == (Condition("diagnostics", "==", 0), 4)
    assert prompt.system == ("You review.\n\n### a heading of the third level\n```\n## user\n```\n## Another heading")
    assert prompt.steps == ("First: ${context.diff}", "Then: ${context.input}")
    assert prompt.needs == ("diff", "input")


def test_a_prompt_without_a_head_is_named_after_its_file() -> None:
    prompt = read_prompt("## user\nhello\n", "/x/say.md")
    assert (prompt.name, prompt.steps, prompt.kind) == ("say", ("hello",), PromptKind.CHAT)


def test_a_file_with_crlf_and_a_byte_order_mark_is_the_same_prompt() -> None:
    assert read_prompt("\ufeff" + WHOLE.replace("\n", "\r\n"), "mr.md") == read_prompt(WHOLE, "mr.md")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nname: x\n", "p.md:1: the head that begins with --- has no end; close it with ---"),
        ("---\nname x\n---\n", "p.md:2: 'name x' is not of the form `key: value`"),
        ("---\nname: a\nname: b\n---\n", "p.md:3: name stands there twice"),
        ("---\nname: [a\n---\n", "p.md:2: a list that begins with [ ends with ] in the same line"),
        ('---\nname: "a\n---\n', "p.md:2: '\"a' is not closed by a quote, or goes on behind it"),
        ("---\nname: 'a' b\n---\n", "p.md:2: \"'a' b\" is not closed by a quote, or goes on behind it"),
        ("---\n\nname: &a b\n---\n", "p.md:3: '&a b': only texts, lists, true, false and numbers are read; put it in quotes"),
        ("---\nname: |\n---\n", "p.md:2: '|': only texts, lists, true, false and numbers are read; put it in quotes"),
        ("---\nname: a b\n---\n## user\nx", "p.md:2: name 'a b': letters, digits, '_', '-', '.' and ':'"),
        ("---\nkind: chatty\n---\n## user\nx", "p.md:2: kind must be one of chat, inline, workflow"),
        ("---\nauto_submit: yes\n---\n## user\nx", "p.md:2: auto_submit must be true or false"),
        ("---\nmax_repeats: many\n---\n## user\nx", "p.md:2: max_repeats must be a number up to 20"),
        ("---\nmax_repeats: 99\n---\n## user\nx", "p.md:2: max_repeats must be a number up to 20"),
        ("---\nname: [a, b]\n---\n## user\nx", "p.md:2: name must be one text"),
        ("---\ntools: true\n---\n## user\nx", "p.md:2: tools must be a list"),
        (
            "---\nkind: workflow\nrepeat_until: all is well\n---\n## user\nx",
            "p.md:3: repeat_until must be as in `diagnostics == 0`; known are diagnostics, errors, warnings, tool_errors",
        ),
        ("---\nrepeat_until: errors < 1\n---\n## user\nx", "p.md:2: repeat_until needs kind: workflow"),
        ("## user\na\n## user\nb", "p.md: several `## user` sections need kind: workflow"),
        ("just text", "p.md: there is no section `## user`"),
        ("", "p.md: there is no section `## user`"),
        ("## system\na\n## system\nb\n## user\nc", "p.md: there is more than one section `## system`"),
        ("---\nname: x\n---\n\n## user\n\n## system\nx", "p.md:5: the section `## user` is empty"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_file_and_line(text: str, message: str) -> None:
    with pytest.raises(FrontMatterError) as caught:
        read_prompt(text, "p.md")
    assert str(caught.value) == message


def test_an_unknown_key_or_placeholder_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(FrontMatterError, match=r"p\.md:2: temperature is not known; known are name, description"):
        read_prompt("---\ntemperature: 1\n---\n## user\nx", "p.md")
    with pytest.raises(FrontMatterError, match=r"p\.md:7: \$\{context\.secret\} is not known; known are file, "):
        read_prompt("---\nname: x\n---\n## user\n\nhello\nx ${context.secret}\n", "p.md")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plain text, with: all # comment", "plain text, with: all"),
        ("C# is a language", "C# is a language"),
        ('"a # \\" b"', 'a # " b'),
        ('"a \\" # b" # c', 'a " # b'),
        ("'it''s'", "it's"),
        ("don't # c", "don't"),
        ("true", True),
        ("false", False),
        ("-12", -12),
        ("1.5", "1.5"),
        ("[]", ()),
        ("[a, 'b, c', \"d\"]", ("a", "b, c", "d")),
        ("*.ts", "*.ts"),
        ("日本語", "日本語"),
        ("", ""),
    ],
)
def test_the_head_reads_texts_lists_truths_and_numbers(written: str, value: object) -> None:
    assert read_front_matter(f"---\nkey: {written}\n---\nbody", "p.md").values == {"key": value}


@pytest.mark.parametrize(
    ("condition", "count", "holds"),
    [("==", 0, True), ("!=", 0, False), ("<", 0, False), ("<=", 0, True), (">", 1, True), (">=", 0, True)],
)
def test_a_condition_compares_a_fact_with_a_number(condition: str, count: int, holds: bool) -> None:
    assert Condition("diagnostics", condition, 0).holds({"diagnostics": count}) is holds


@pytest.mark.acceptance("S2-048")
def test_seven_prompts_are_built_in() -> None:
    library = load_library()
    assert library.problems == ()
    assert [prompt.name for prompt in library] == [
        "commit", "docs", "explain", "fix", "refactor", "review", "tests",
    ]  # fmt: skip
    for prompt in library:
        assert prompt.description
        assert prompt.system
        assert "input" in prompt.needs
    fix = library.get("fix")
    assert fix is not None
    assert (len(fix.steps), str(fix.repeat_until), fix.max_repeats) == (2, "diagnostics == 0", 3)
    assert library.get("ex") is library.get("explain")
    assert library.get("nothing") is None


@pytest.mark.acceptance("S2-048", "S0-079")
def test_the_users_prompts_win_and_the_projects_count_only_when_trusted(tmp_path: Path) -> None:
    user, project = tmp_path / "user", tmp_path / "project"
    for directory, text in ((user, "mine"), (project, "theirs")):
        directory.mkdir()
        (directory / "explain.md").write_text(f"## user\n{text}\n")
        (directory / f"own-{directory.name}.md").write_text(f"## user\n{text}\n")
    untrusted = load_library(user, project)
    explain = untrusted.get("explain")
    assert explain is not None
    assert (explain.steps, explain.origin) == (("mine",), "user")
    assert untrusted.get("own-project") is None
    trusted = load_library(user, project, project_is_trusted=True)
    own = trusted.get("own-project")
    assert own is not None
    assert own.origin == "project"
    assert trusted.get("explain") == explain


def test_a_broken_file_is_a_problem_and_the_others_work(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text("---\nname\n---\n")
    (tmp_path / "binary.md").write_bytes(b"\0\1")
    (tmp_path / "good.md").write_text("## user\nx\n")
    library = load_library(tmp_path)
    assert library.problems == (
        f"{tmp_path}/bad.md:2: 'name' is not of the form `key: value`",
        f"{tmp_path}/binary.md: binary file",
    )
    assert library.get("good") is not None
    assert load_library(tmp_path / "absent").problems == ()


def test_every_placeholder_has_a_value() -> None:
    assert list(PLACEHOLDERS) == list(_VALUES)


def test_values_are_put_in_once() -> None:
    text = "a ${context.code} b ${context.input} ${other} $"
    values = {"code": "${context.input}", "input": "hello"}
    assert fill(text, values) == "a ${context.input} b hello ${other} $"


async def test_values_are_gathered_in_wrappers(place: Place) -> None:
    place.write("src/a.py", "x = 1\n")

    async def diff(staged: bool) -> str:
        return "+s\n" if staged else "+u\n"

    sources = place.using(in_context=("b.py", "src/a.py"), diff=diff)
    names = ("code", "filename", "filetype", "diff", "staged_diff", "files", "input", "workspace")
    assert await gather(names, sources, given="shorter, please") == {
        "code": '<attachment filepath="src/a.py" lines="1-1">\n   1│ x = 1\n</attachment>',
        "filename": "src/a.py",
        "filetype": "python",
        "diff": '<diff of="uncommitted">\n+u\n</diff>',
        "staged_diff": '<diff of="staged">\n+s\n</diff>',
        "files": "b.py\nsrc/a.py",
        "input": "shorter, please",
        "workspace": "project",
    }


async def test_in_an_editor_code_is_the_selection_else_the_buffer(place: Place) -> None:
    buffer = Buffer(7, "a.py", "one\ntwo\n", "a.py", "python")
    editor = FakeEditor(open=(buffer,), at=Cursor(7, 1), selected=Excerpt(7, 2, 2))
    assert "   2│ two\n</attachment>" in (await gather(["code"], place.using(editor=editor)))["code"]
    editor.selected = None
    assert "   1│ one\n   2│ two\n" in (await gather(["code"], place.using(editor=editor)))["code"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("code", "name one"),
        ("file", "name one"),
        ("filename", "name one"),
        ("selection", "nothing is selected"),
        ("diff", "no git repository"),
        ("diagnostics", "for which file"),
    ],
)
async def test_what_is_not_there_is_said_before_anything_is_sent(place: Place, name: str, reason: str) -> None:
    with pytest.raises(NothingToFill, match=reason):
        await gather([name], place.sources)


def test_an_empty_chat_says_what_it_can_do_from_what_is_registered() -> None:
    variables = built_in_variables()
    library = load_library()
    tools = {"editor": "change files", "readonly": ""}
    said = greeting(variables, sharing_commands(str), tools, library)
    for sign, names in (
        ("#", [each.name for each in variables]),
        ("@", tools),
        ("/", [each.name for each in sharing_commands(str)]),
        ("/", [each.name for each in library]),
    ):
        assert all(f"- `{sign}{name}`" in said for name in names)
    assert said == greeting(variables, sharing_commands(str), tools, library)


def test_a_greeting_leaves_out_what_there_is_none_of() -> None:
    said = greeting(Variables(), Commands(), {}, ())
    assert said == (
        "I am motet, a pair programmer in your project. Write what you want in your own words, and share what I should "
        "see:\n\n**Share files and pages**\n- `@/src/a.py`, `@/src/a.py:10-40`, `@a.py`: a file, some of its lines\n"
        "- `@/src`: the list of a directory's files\n- `@https://…`: a page\n\n"
        "I propose edits; you take or refuse each of them. Nothing is written, run or sent without your yes."
    )


def test_prompts_become_commands_under_both_names() -> None:
    assert [command.name for command in prompt_commands([read_prompt(WHOLE, "x.md")])] == ["my-review", "mr"]
