"""Variables: the editor's, the project's, groups, and the user's own functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from context.context_kit import FakeEditor, Place

from motet.context import (
    Buffer,
    Cursor,
    Excerpt,
    Feature,
    Group,
    QuickfixEntry,
    Shared,
    Sources,
    Variables,
    built_in_variables,
    own_variable,
)
from motet.diagnostics import Report
from motet.errors import MotetError, SettingsError
from motet.messages import Message, tags
from motet.permissions import Answer
from motet.text import Diagnostic, Position, Range, Severity, TextFile

SERVER = Buffer(7, "/w/src/server.ts", "one\ntwo\nthree\n", "src/server.ts", "typescript")
NOTES = Buffer(9, "", "scratch\n")
EDITOR = FakeEditor(open=(SERVER, NOTES), at=Cursor(7, 2))


async def expand(place: Place, name: str, param: str | None = None, **parts: object) -> Shared:
    return await built_in_variables().expand(name, param, place.using(**parts))


@pytest.mark.acceptance("S0-021", "S0-093", "S0-094", "S0-095", "S2-017", "S2-020", "S2-024")
async def test_buffer_shares_the_current_buffer_by_number_name_path_and_type(place: Place) -> None:
    shared = await expand(place, "buffer", editor=EDITOR)
    [message] = shared.messages
    assert message.text == (
        '<attachment filepath="src/server.ts" buffer="7" name="server.ts" filetype="typescript" lines="1-3">\n'
        "   1│ one\n   2│ two\n   3│ three\n</attachment>"
    )
    assert shared.words == "buffer 7 (`server.ts`)"
    assert message.context is not None
    assert message.context.id == "<buf>src/server.ts</buf>"
    assert message.context.path == str(place.root / "src/server.ts")
    assert (message.visible, message.tag, message.meta.source) == (False, tags.BUFFER, "#buffer")


@pytest.mark.parametrize(("param", "number"), [("9", 9), ("server.ts", 7), ("src/server.ts", 7)])
async def test_buffer_takes_a_number_or_a_name(place: Place, param: str, number: int) -> None:
    shared = await expand(place, "buffer", param, editor=EDITOR)
    assert f'buffer="{number}"' in shared.messages[0].text


async def test_an_unknown_buffer_is_a_notice_with_those_that_are_open(place: Place) -> None:
    shared = await expand(place, "buffer", "nope", editor=EDITOR)
    assert shared == Shared(notices=("#buffer: there is no buffer 'nope'; there are: 7 server.ts, 9 ",))


@pytest.mark.acceptance("S2-024", "S0-008")
async def test_buffers_share_all_but_secrets(place: Place) -> None:
    place.write(".env", "KEY=1")
    (place.root / "innocent.txt").symlink_to(".env")
    secrets = (Buffer(8, ".env", "KEY=1", ".env"), Buffer(9, "innocent.txt", "KEY=1", "innocent.txt"))
    editor = replace(EDITOR, open=(SERVER, *secrets))
    shared = await expand(place, "buffers", editor=editor)
    [message] = shared.messages
    assert (message.context and message.context.id, message.tag) == ("<buf>src/server.ts</buf>", tags.BUFFER)
    assert shared.notices == (
        "#buffers: .env left out, by name a secret",
        "#buffers: innocent.txt left out, by name a secret",
    )


async def test_a_buffer_with_a_secret_is_asked_about_when_it_is_named(place: Place) -> None:
    editor = FakeEditor(open=(Buffer(8, ".env", "KEY=1", ".env"),), at=Cursor(8, 1))
    shared = await expand(place, "buffer", editor=editor)
    assert (shared.messages, place.human.asked) == ((), ["read:.env"])
    place.human.answer = Answer.ONCE
    assert "KEY=1" in (await expand(place, "buffer", editor=editor)).messages[0].text


async def test_a_secret_outside_the_workspace_is_asked_about_too(place: Place) -> None:
    editor = FakeEditor(
        open=(Buffer(8, "/home/x/.ssh/id_rsa", "canary"),), at=Cursor(8, 1), selected=Excerpt(8, 1, 1)
    )
    for name in ("buffer", "buffers", "selection", "this"):
        assert (await expand(place, name, editor=editor)).messages == ()
    assert place.human.asked == ["read:/home/x/.ssh/id_rsa"] * 3


@pytest.mark.acceptance("S2-032", "S2-033", "S2-035", "S2-037", "S2-041")
async def test_the_editors_other_variables_share_what_it_shows(place: Place) -> None:
    editor = replace(
        EDITOR,
        selected=Excerpt(7, 2, 3),
        windows=(Excerpt(7, 1, 2), Excerpt(9, 1, 1)),
        entries=(QuickfixEntry("a.c", 3, 1, "no such thing", "error"),),
        said="E492: Not an editor command",
        screen="$ make\nfailed",
    )
    selection = await expand(place, "selection", editor=editor)
    assert selection.messages[0].text.split("\n")[1:-1] == ["   2│ two", "   3│ three"]
    assert selection.words == "the selection (lines 2-3 of buffer 7 (`server.ts`))"
    assert selection.messages[0].tag == tags.SELECTION
    viewport = await expand(place, "viewport", editor=editor)
    assert [message.tag for message in viewport.messages] == [tags.VIEWPORT, tags.VIEWPORT]
    for name, text in (
        ("quickfix", "a.c:3:1: error no such thing"),
        ("messages", "E492: Not an editor command"),
        ("terminal", "$ make\nfailed"),
    ):
        shared = await expand(place, name, editor=editor)
        assert shared.messages[0].text == f"<{name}>\n{text}\n</{name}>"
        assert shared.messages[0].tag == name


@pytest.mark.parametrize("name", ["buffer", "buffers", "selection", "viewport", "quickfix", "messages", "terminal"])
async def test_without_an_editor_its_variables_say_so_in_one_line(place: Place, name: str) -> None:
    shared = await expand(place, name)
    assert shared == Shared(notices=(f"#{name}: there is no editor here; name a file instead, as in @/src/a.py",))


@pytest.mark.parametrize("name", ["buffer", "buffers", "selection", "viewport", "quickfix", "messages", "terminal"])
async def test_an_editor_with_nothing_to_show_says_so(place: Place, name: str) -> None:
    shared = await expand(place, name, editor=FakeEditor())
    assert shared.messages == ()
    assert len(shared.notices) == 1
    assert shared.notices[0].startswith(f"#{name}: ")


async def test_this_is_the_selection_then_the_buffer_then_the_file_shared_last(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    assert (await expand(place, "this", editor=replace(EDITOR, selected=Excerpt(7, 1, 1)))).words.startswith(
        "the sel"
    )
    assert (await expand(place, "this", editor=EDITOR)).words == "buffer 7 (`server.ts`)"
    assert (await expand(place, "this", in_context=("b.py", "a.py"))).words == "`a.py`"
    assert "name one" in (await expand(place, "this")).notices[0]


class Servers:
    """Says the same about every file."""

    async def check(self, files: list[TextFile]) -> Report:
        where = Range(Position(2, 1), Position(2, 4))
        found = [
            Diagnostic(file.path, where, Severity.ERROR, "Cannot find name 'two'.", "ts", "2304") for file in files
        ]
        return Report(tuple(found), ("ts",), ("eslint: not installed",))


@pytest.mark.acceptance("S0-018", "S2-026")
async def test_diagnostics_share_the_file_with_its_problems(place: Place) -> None:
    place.write("src/a.ts", "one\ntwo\n")
    shared = await expand(place, "diagnostics", "src/a.ts", diagnoses=Servers())
    [message] = shared.messages
    rule = "-" * 80
    assert message.text == (
        f'<diagnostics filepath="src/a.ts">\nFile: {place.root}/src/a.ts\n{rule}\nContent:\none\ntwo\n\n'
        f"Diagnostics:\n{rule}\n[Error] Line 2, Column 1: Cannot find name 'two'. (ts 2304)\n</diagnostics>"
    )
    assert (message.tag, shared.words) == (tags.DIAGNOSTICS, "the diagnostics of `src/a.ts`")
    assert shared.notices == ("#diagnostics: eslint: not installed",)


async def test_diagnostics_are_about_the_files_that_are_shared(place: Place) -> None:
    place.write("a.ts", "one\ntwo\n")
    place.write("b.ts", "one\ntwo\n")
    place.write("p.png", b"\x89PNG\r\n\x1a\n\0")
    shared = await expand(place, "diagnostics", diagnoses=Servers(), in_context=("a.ts", "b.ts", "p.png"))
    assert [message.context and message.context.id for message in shared.messages] == [
        "<diagnostics>a.ts</diagnostics>",
        "<diagnostics>b.ts</diagnostics>",
    ]


async def test_diagnostics_of_an_editor_come_from_it(place: Place) -> None:
    place.write("a.ts", "one\ntwo\n")
    problem = Diagnostic("a.ts", Range(Position(1, 1), Position(1, 4)), Severity.WARNING, "unused", "ts")
    shared = await expand(place, "diagnostics", editor=FakeEditor(problems=(problem,)))
    assert "[Warning] Line 1, Column 1: unused (ts)" in shared.messages[0].text


async def test_diagnostics_without_file_or_checker_or_of_an_absent_file_say_what_to_do(place: Place) -> None:
    place.write("src/index.ts", "x\n")
    assert "for which file?" in (await expand(place, "diagnostics", diagnoses=Servers())).notices[0]
    assert "no compiler" in (await expand(place, "diagnostics", "src/index.ts")).notices[0]
    absent = await expand(place, "diagnostics", "src/indx.ts", diagnoses=Servers())
    assert absent.notices == (
        "#diagnostics: src/indx.ts: no such file in the workspace; the nearest is src/index.ts",
    )


@pytest.mark.acceptance("S2-027")
async def test_diff_shares_what_is_not_committed_or_what_is_staged(place: Place) -> None:
    async def diff(staged: bool) -> str:
        return "+staged\n" if staged else "-a\n+b\n"

    whole, staged = await expand(place, "diff", diff=diff), await expand(place, "diff", "staged", diff=diff)
    assert whole.messages[0].text == '<diff of="uncommitted">\n-a\n+b\n</diff>'
    assert (whole.messages[0].tag, whole.words) == (tags.DIFF, "the uncommitted changes")
    assert staged.messages[0].text == '<diff of="staged">\n+staged\n</diff>'


async def test_diff_without_git_without_changes_or_of_something_else_is_a_notice(place: Place) -> None:
    async def nothing(staged: bool) -> str:
        return ""

    assert "no git repository" in (await expand(place, "diff")).notices[0]
    assert (await expand(place, "diff", diff=nothing)).notices == ("#diff: uncommitted changes: none",)
    assert "not known" in (await expand(place, "diff", "--output=x", diff=nothing)).notices[0]


@pytest.mark.acceptance("S0-096", "S0-097", "S0-098")
async def test_a_group_shares_the_files_that_its_globs_take_without_secrets(place: Place) -> None:
    for path in ("src/api/a.py", "src/api/deep/b.py", "src/web.py", "src/api/.env", "src/api/c.ts"):
        place.write(path, f"# {path}\n")
    variables = built_in_variables([Group("api", ("src/api/**", "!*.ts")), Group("all", ("**",))])
    shared = await variables.expand("group:api", None, place.sources)
    assert [message.context and message.context.id for message in shared.messages] == [
        "<file>src/api/a.py</file>",
        "<file>src/api/deep/b.py</file>",
    ]
    assert shared.words == "the 2 files of the group `api`"
    assert shared.notices == ("#group:api: 1 file left out, by name a secret",)
    assert len((await variables.expand("group:all", None, place.sources)).messages) == 4


async def test_a_group_leaves_out_what_is_no_text_and_what_is_too_much(place: Place) -> None:
    for number in range(8):
        place.write(f"b{number}.bin", b"\0")
    for number in range(12):
        place.write(f"c{number:02}.txt", "x" * 180_000)
    variables = built_in_variables([Group("bin", ("*.bin",)), Group("txt", ("*.txt",))])
    shared = await variables.expand("group:bin", None, place.sources)
    named = "; ".join(f"b{number}.bin: binary file" for number in range(5))
    assert shared.notices == (f"#group:bin: left out: {named}, and 3 more",)
    shared = await variables.expand("group:txt", None, place.sources)
    assert len(shared.messages) == 11
    assert shared.notices == ("#group:txt: more than 2,000,000 characters; c11.txt and those after it are left out",)


async def test_a_group_that_takes_no_file_says_its_globs(place: Place) -> None:
    variables = built_in_variables([Group("api", ("src/**",))])
    assert (await variables.expand("group:api", None, place.sources)).notices == ("#group:api: no file fits src/**",)


@pytest.mark.acceptance("S0-078")
async def test_a_setting_forbids_code_to_leave_variable_by_variable(place: Place) -> None:
    editor = replace(EDITOR, said="hello")
    assert await expand(place, "buffer", editor=editor, may_share_code=False) == Shared(
        notices=("#buffer: not shared: your settings forbid that code leaves",)
    )
    assert (await expand(place, "messages", editor=editor, may_share_code=False)).messages != ()


def ticket() -> str:
    """The ticket of this branch."""
    return "PROJ-7: it crashes"


async def issue(number: str) -> str:
    return f"issue {number}"


def broken(number: str = "1") -> str:
    raise ValueError(f"no {number}\nat all")


@pytest.mark.acceptance("S0-077", "S0-079", "S0-078", "S0-076")
async def test_a_function_is_a_variable_by_five_lines_of_settings(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_tools_for_motet.py").write_text("def ticket(number='none'):\n    return f'ticket {number}'\n")
    monkeypatch.syspath_prepend(tmp_path)
    feature = Feature("my_tools_for_motet:ticket", "the ticket", contains_code=False, has_params=True)
    variables = Variables([own_variable("ticket", feature)])
    assert variables.names == {"ticket": True}
    plain = await variables.expand("ticket", None, place.using(may_share_code=False))
    assert plain.messages[0].text == '<variable name="ticket">\nticket none\n</variable>'
    assert plain.words == "`ticket`"
    given = await variables.expand("ticket", "42", place.sources)
    assert given.messages[0].text == '<variable name="ticket:42">\nticket 42\n</variable>'


async def test_functions_may_be_plain_or_async_with_or_without_a_text(place: Place) -> None:
    variables = Variables([own_variable("ticket", Feature(ticket)), own_variable("issue", Feature(issue))])
    assert variables.names == {"ticket": False, "issue": True}
    assert [each.description for each in variables] == ["The ticket of this branch.", ""]
    assert "PROJ-7" in (await variables.expand("ticket", None, place.sources)).messages[0].text
    assert "issue 3" in (await variables.expand("issue", "3", place.sources)).messages[0].text


async def test_what_a_function_raises_is_a_notice_with_file_and_line(place: Place) -> None:
    shared = await Variables([own_variable("broken", Feature(broken))]).expand("broken", "9", place.sources)
    line = broken.__code__.co_firstlineno + 1
    assert shared == Shared(notices=(f"#broken: ValueError: no 9 at all ({__file__}, line {line})",))


async def test_an_error_in_a_library_names_the_line_of_the_users_own_file(place: Place) -> None:
    def parses() -> str:
        return str(json.loads("{"))

    shared = await Variables([own_variable("x", Feature(parses))]).expand("x", None, place.sources)
    assert shared.notices[0].endswith(f"({__file__}, line {parses.__code__.co_firstlineno + 1})")


@pytest.mark.parametrize("function", [lambda: sys.exit(3), lambda: {}[1]])
async def test_whatever_a_function_raises_the_chat_lives_on(place: Place, function: Callable[[], object]) -> None:
    shared = await Variables([own_variable("x", Feature(function))]).expand("x", None, place.sources)
    assert (shared.messages, len(shared.notices)) == ((), 1)


async def test_an_error_of_motet_in_a_function_is_its_line(place: Place) -> None:
    def refuses() -> str:
        raise MotetError("the tracker does not answer")

    shared = await Variables([own_variable("x", Feature(refuses))]).expand("x", None, place.sources)
    assert shared.notices == ("#x: the tracker does not answer",)


async def test_a_function_may_give_messages_nothing_or_something_useless(place: Place) -> None:
    message = Message.attachment(tag=tags.HELP)

    async def give(what: object) -> Shared:
        return await Variables([own_variable("x", Feature(lambda: what))]).expand("x", None, place.sources)

    assert (await give(message)).messages == (message,)
    assert (await give([message, message])).messages == (message, message)
    assert (await give(None)).notices == ("#x: gave nothing to share",)
    assert (await give(7)).notices == ("#x: gave int; a text or messages are needed",)


async def test_a_plug_in_that_breaks_does_not_break_the_chat(place: Place) -> None:
    class Plugin:
        name = "plug"
        description = ""
        contains_code = False
        has_params = False

        async def expand(self, param: str | None, sources: Sources) -> Shared:
            raise RuntimeError("oh")

    shared = await Variables([Plugin()]).expand("plug", None, place.sources)
    assert shared.notices[0].startswith(f"#plug: RuntimeError: oh ({__file__}, line ")


@pytest.mark.parametrize(
    ("callback", "reason"),
    [
        ("nothing", "names no function"),
        ("no_such_module_here:x", "ModuleNotFoundError"),
        ("os:nothing_here", "AttributeError"),
        ("os:sep", "is no function"),
    ],
)
def test_a_callback_that_cannot_be_loaded_names_the_setting(callback: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as caught:
        own_variable("x", Feature(callback))
    assert str(caught.value).startswith("variables.x: ")


def test_a_function_that_needs_two_texts_is_refused() -> None:
    with pytest.raises(SettingsError, match="nothing or one text"):
        own_variable("x", Feature(lambda a, b: a + b))
    with pytest.raises(SettingsError, match="takes no text"):
        own_variable("x", Feature(ticket, has_params=True))


@pytest.mark.parametrize("name", ["", "a b", "#x", "-x", "a{b"])
def test_a_name_that_cannot_be_written_is_refused(name: str) -> None:
    with pytest.raises(SettingsError):
        Variables([own_variable(name, Feature(ticket))])
