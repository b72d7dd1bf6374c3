"""The service against a scripted server: every way in which servers answer, and in which they do not."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from motet.diagnostics import DiagnosticsService, Progress, ServerSpec
from motet.errors import ProcessError
from motet.permissions import Action, Effect, Origin, Rule, Verdict
from motet.text import Diagnostic, Range, Severity, TextFile

from .reports import fixes, said

Write = Callable[[str, str], TextFile]
Make = Callable[..., DiagnosticsService]

PUSH = [{}, {"versions": False}, {"encoding": "utf-8"}, {"encoding": "utf-32"}, {"dribble": True}]
PULL = [{"mode": "pull"}, {"mode": "dynamic"}, {"mode": "pull", "cancels": 3}, {"mode": "pull", "refresh": True}]


@pytest.mark.parametrize("script", [*PUSH, *PULL], ids=str)
async def test_problems_are_found_at_their_places_however_the_server_tells_them(
    script: dict[str, Any], service: Make, fake: Callable[..., Any], write: Write
) -> None:
    diagnostics = service(fake(**script).spec)
    files = [
        write("a.txt", "fine\n日本 🎻 bad, wrn\nhnt\n"),
        write("sub/b.txt", "fine\r\nfine\rbad"),
        write("c.txt", ""),
    ]
    report = await diagnostics.check(files)
    assert said(report) == [
        "a.txt:2:6-9 Error fake: bad word",
        "a.txt:2:11-14 Warning fake: wrn word",
        "sub/b.txt:3:1-4 Error fake: bad word",
    ]
    assert (report.sources, report.advice) == (("fake",), ())


@pytest.mark.parametrize("script", [*PUSH, *PULL], ids=str)
@pytest.mark.acceptance("CL-04")
async def test_after_an_edit_the_answer_is_about_the_new_text(
    script: dict[str, Any], service: Make, fake: Callable[..., Any], write: Write
) -> None:
    diagnostics = service(fake(**script).spec)
    other = write("b.txt", "wrn")
    assert said(await diagnostics.check([write("a.txt", "bad"), other])) == [
        "a.txt:1:1-4 Error fake: bad word",
        "b.txt:1:1-4 Warning fake: wrn word",
    ]
    assert said(await diagnostics.check([write("a.txt", "fine\n bad"), other])) == [
        "a.txt:2:2-5 Error fake: bad word",
        "b.txt:1:1-4 Warning fake: wrn word",
    ]
    assert said(await diagnostics.check([write("a.txt", "fine"), other])) == ["b.txt:1:1-4 Warning fake: wrn word"]


async def test_only_the_wanted_severities_are_reported_and_asked_about(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake()
    report = await service(server.spec, severity=Severity.ERROR).check([write("a.txt", "bad wrn hnt")])
    assert said(report) == ["a.txt:1:1-4 Error fake: bad word"]
    assert [params["range"]["start"]["character"] for params in server.params("textDocument/codeAction")] == [0]

    report = await service(fake().spec, severity=Severity.HINT).check([write("a.txt", "bad wrn hnt")])
    assert [one.severity for one in report.diagnostics] == [Severity.ERROR, Severity.WARNING, Severity.HINT]


async def test_a_slow_start_is_waited_for(
    service: Make, fake: Callable[..., Any], write: Write, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    steps: list[str] = []
    diagnostics = service(fake(waits=str(gate)).spec, on_progress=lambda step: steps.append(str(step)))
    checking = asyncio.create_task(diagnostics.check([write("a.txt", "bad")]))
    # Opening a FIFO for writing waits for the reader: the server has been asked and is not answering yet.
    await asyncio.to_thread(gate.write_bytes, b"go")
    assert said(await checking) == ["a.txt:1:1-4 Error fake: bad word"]
    assert steps[0] == "fake: starting"
    assert steps[-1] == "fake: checking 1 of 1 files"


async def test_a_server_that_dies_is_started_once_more(service: Make, fake: Callable[..., Any], write: Write) -> None:
    server = fake(dies="bad", dies_once=True)
    report = await service(server.spec).check([write("a.txt", "bad"), write("b.txt", "wrn")])
    assert said(report) == ["a.txt:1:1-4 Error fake: bad word", "b.txt:1:1-4 Warning fake: wrn word"]
    assert (report.sources, report.advice) == (("fake",), ())
    assert len(server.processes) == 2


async def test_a_server_that_was_killed_between_two_checks_is_started_again(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(mode="pull")
    diagnostics = service(server.spec)
    other = write("b.txt", "wrn")
    await diagnostics.check([write("a.txt", "bad"), other])
    os.kill(server.processes[0], signal.SIGKILL)
    report = await diagnostics.check([write("a.txt", "bad bad"), other])
    assert [line.split(" ")[0] for line in said(report)] == ["a.txt:1:1-4", "a.txt:1:5-8", "b.txt:1:1-4"]
    assert (report.sources, report.advice) == (("fake",), ())


async def test_a_server_that_tells_how_it_gets_on_is_given_more_time(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(slow="much")  # a sign of life every half second, and the answer after four seconds
    report = await service(server.spec, timeout=3).check([write("a.txt", "bad much")])
    assert said(report) == ["a.txt:1:1-4 Error fake: bad word"]
    assert report.advice == ()


async def test_a_server_that_keeps_dying_is_a_line_of_advice_and_others_go_on(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    broken, well = fake("broken", dies="bad"), fake("well")
    diagnostics = service(broken.spec, well.spec)
    files = [write("a.txt", "bad")]
    report = await diagnostics.check(files)
    assert said(report) == ["a.txt:1:1-4 Error well: bad word"]
    assert report.sources == ("well",)
    assert report.advice == ("broken: it ended (exit code 7): out of cheese; what it would say is missing",)
    assert len(broken.processes) == 2
    assert (await diagnostics.check(files)).advice == report.advice
    assert len(broken.processes) == 2


@pytest.mark.parametrize("mode", ["push", "pull"])
async def test_a_server_that_is_silent_about_a_file_is_left_out_in_time(
    mode: str, service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(silent="secret", mode=mode)
    diagnostics = service(server.spec, timeout=6)
    report = await diagnostics.check([write("a.txt", "bad"), write("b.txt", "secret bad")])
    assert report.advice == ("fake: no answer about b.txt within 3 s; what it would say is missing",)
    assert said(report) == ["a.txt:1:1-4 Error fake: bad word"]
    assert report.sources == ()
    assert len(server.processes) == 1


async def test_a_server_that_no_longer_listens_is_left_out_in_time(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(stalls=True)
    report = await service(server.spec, timeout=3).check([write("a.txt", "bad " * 1_000_000)])
    assert report.advice == ("fake: it did not take a.txt within 3 s; what it would say is missing",)


async def test_a_start_that_was_cancelled_half_way_begins_anew(
    service: Make, fake: Callable[..., Any], write: Write, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    server = fake(waits=str(gate))
    diagnostics = service(server.spec)
    files = [write("a.txt", "bad")]
    checking = asyncio.create_task(diagnostics.check(files))
    waiting = await asyncio.to_thread(os.open, gate, os.O_WRONLY)  # returns when the server reads: it has been asked
    checking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await checking
    gate.unlink()
    gate.write_text("nobody waits any more")
    assert said(await diagnostics.check(files)) == ["a.txt:1:1-4 Error fake: bad word"]
    assert len(server.processes) == 2
    os.close(waiting)


async def test_two_checks_at_once_are_answered_one_after_the_other(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake()
    diagnostics = service(server.spec)
    one, two = await asyncio.gather(
        diagnostics.check([write("a.txt", "bad")]), diagnostics.check([write("b.txt", "wrn")])
    )
    assert (said(one), said(two)) == (["a.txt:1:1-4 Error fake: bad word"], ["b.txt:1:1-4 Warning fake: wrn word"])
    assert len(server.processes) == 1


async def test_a_server_that_never_starts_to_speak_is_left_out_in_time(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    report = await service(fake(deaf=True).spec, timeout=0.5).check([write("a.txt", "bad")])
    assert report.advice == ("fake: it did not start within 0.5 s; what it would say is missing",)


@pytest.mark.parametrize(
    ("garbage", "why"),
    [
        (
            "Traceback (most recent call last):\r\n\r\n",
            "it wrote what is not the language server protocol: 'Traceback",
        ),
        ("hello\nworld\n", "it wrote what is not the language server protocol: 'hello"),
        ("Content-Length: 12\r\n\r\n{not json!!}", "it sent what is not JSON"),
        ("Content-Length: 7\r\n\r\n[1,2,3]", "it sent JSON that is not a message"),
        ("Content-Length: -5\r\n\r\n", "it wrote what is not the language server protocol"),
        ("Content-Length: 99999999999\r\n\r\n", "a message of 95367 MiB is more than motet reads"),
        ("X-Other: 1\r\n\r\n{}", "it wrote what is not the language server protocol"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
async def test_a_server_that_writes_garbage_is_a_line_of_advice(
    garbage: str, why: str, service: Make, fake: Callable[..., Any], write: Write
) -> None:
    times = 200_000 if garbage.startswith("hello") else 1
    report = await service(fake(garbage=garbage, times=times).spec).check([write("a.txt", "bad")])
    assert len(report.advice) == 1
    assert report.advice[0].startswith(f"fake: {why}")
    assert "\n" not in report.advice[0]
    assert (report.diagnostics, report.sources) == ((), ())


async def test_a_file_that_the_server_refuses_is_named_and_the_others_are_answered(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(mode="pull", refuses="odd")
    report = await service(server.spec).check([write("a.txt", "bad"), write("b.txt", "odd bad")])
    assert said(report) == ["a.txt:1:1-4 Error fake: bad word"]
    assert report.sources == ("fake",)
    assert report.advice == ("fake: no answer about b.txt: textDocument/diagnostic: cannot read this (-32603)",)


async def test_the_servers_questions_are_answered(service: Make, fake: Callable[..., Any], write: Write) -> None:
    items = [{"section": "fake.lint"}, {"section": "fake.lint.level"}, {"section": "other"}, {}]
    server = fake(
        asks=[
            ["workspace/configuration", {"items": items}],
            ["window/workDoneProgress/create", {"token": 1}],
            ["workspace/workspaceFolders", None],
            ["workspace/applyEdit", {"edit": {}}],
            ["some/thing", {}],
        ],
        mode="pull",
    )
    settings = {"fake": {"lint": {"level": 3}}}
    spec = {**{name: getattr(server.spec, name) for name in ("name", "argv", "languages")}, "settings": settings}
    diagnostics = service(ServerSpec(**spec))
    await diagnostics.check([write("a.txt", "bad")])
    await diagnostics.check([write("a.txt", "wrn")])  # answers come before the next question
    answers = {message["id"]: message for message in server.heard if "method" not in message and "id" in message}
    assert answers["s1"]["result"] == [{"level": 3}, 3, None, settings]
    assert answers["s2"]["result"] is None
    assert len(answers["s3"]["result"]) == 1
    assert answers["s4"]["result"]["applied"] is False
    assert answers["s5"]["error"]["code"] == -32601
    assert server.params("workspace/didChangeConfiguration") == [{"settings": settings}]


async def test_an_unchanged_file_is_not_asked_about_again_in_full(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(mode="pull")
    diagnostics = service(server.spec)
    other = write("b.txt", "wrn")
    await diagnostics.check([write("a.txt", "bad"), other])
    report = await diagnostics.check([write("a.txt", "fine"), other])
    assert said(report) == ["b.txt:1:1-4 Warning fake: wrn word"]
    assert len(server.params("textDocument/didOpen")) == 2
    assert len(server.params("textDocument/didChange")) == 1
    asked = server.params("textDocument/diagnostic")
    assert ["previousResultId" in params for params in asked] == [False, False, False, True]


async def test_files_that_come_go_and_change_are_told_to_the_server(
    service: Make, fake: Callable[..., Any], write: Write, tmp_path: Path
) -> None:
    server = fake()
    diagnostics = service(server.spec)
    a, b = write("a.txt", "bad"), write("b.txt", "wrn")
    await diagnostics.check([a, b])
    assert server.params("workspace/didChangeWatchedFiles") == []
    (tmp_path / "b.txt").unlink()
    report = await diagnostics.check([write("a.txt", "bad bad"), write("c d.txt", "fine")])
    assert [line[:5] for line in said(report)] == ["a.txt", "a.txt"]
    told = server.params("workspace/didChangeWatchedFiles")[0]["changes"]
    assert [(change["uri"].rsplit("/", 1)[1], change["type"]) for change in told] == [
        ("a.txt", 2),
        ("c%20d.txt", 1),
        ("b.txt", 3),
    ]


async def test_a_check_of_some_files_says_nothing_about_the_others_and_forgets_nothing(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    diagnostics = service(fake().spec)
    a, b = write("a.txt", "bad"), write("b.txt", "wrn")
    await diagnostics.check([a, b])
    assert said(await diagnostics.check([a])) == ["a.txt:1:1-4 Error fake: bad word"]
    assert len((await diagnostics.check([a, b])).diagnostics) == 2


@pytest.mark.parametrize("mode", ["push", "pull"])
async def test_no_more_documents_are_open_than_may_be(
    mode: str, service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(mode=mode, spec={"open_limit": 4})
    diagnostics = service(server.spec)
    files = [write(f"{number:02}.txt", "bad" if number % 5 == 0 else "fine") for number in range(30)]
    report = await diagnostics.check(files)
    assert [one.path for one in report.diagnostics] == ["00.txt", "05.txt", "10.txt", "15.txt", "20.txt", "25.txt"]
    held, most = set[str](), 0
    for message in server.heard:
        if message.get("method") in ("textDocument/didOpen", "textDocument/didClose"):
            held ^= {message["params"]["textDocument"]["uri"]}
            most = max(most, len(held))
    assert most == 4
    changed = await diagnostics.check([*files[1:], write("00.txt", "fine")])
    assert [one.path for one in changed.diagnostics] == ["05.txt", "10.txt", "15.txt", "20.txt", "25.txt"]


async def test_a_server_whose_answers_follow_from_the_file_is_asked_only_about_what_changed(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(spec={"by_file": True, "quiet": 0})
    diagnostics = service(server.spec)
    same = [write("b.txt", 'include "c.txt"'), write("c.txt", 'include "d.txt"'), write("e.txt", "wrn")]
    await diagnostics.check([write("d.txt", "fine"), *same])
    assert len(server.params("textDocument/didOpen")) == 4
    report = await diagnostics.check([write("d.txt", "bad"), *same])
    assert said(report) == ["d.txt:1:1-4 Error fake: bad word", "e.txt:1:1-4 Warning fake: wrn word"]
    again = [params["textDocument"]["uri"].rsplit("/", 1)[1] for params in server.params("textDocument/didOpen")[4:]]
    assert again == ["b.txt", "c.txt"]
    assert len(server.params("textDocument/didChange")) == 1


async def test_what_is_said_about_other_files_is_dropped(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(unasked=["file:///etc/passwd", "untitled:1", "not a uri", "file://[", ""])
    report = await service(server.spec).check([write("a.txt", "wrn")])
    assert said(report) == ["a.txt:1:1-4 Warning fake: wrn word"]


async def test_odd_file_names_find_their_way_back(service: Make, fake: Callable[..., Any], write: Write) -> None:
    names = ["#1%20.txt", "a b.txt", "日本 🎻.txt", "quote'\".txt"]
    report = await service(fake().spec).check([write(name, "bad") for name in names])
    assert sorted(one.path for one in report.diagnostics) == sorted(names)


async def test_files_of_other_languages_start_nothing(service: Make, fake: Callable[..., Any], write: Write) -> None:
    server = fake()
    report = await service(server.spec).check([write("a.md", "bad")])
    assert (report.diagnostics, report.sources, report.advice, server.processes) == ((), (), (), [])


async def test_a_missing_server_is_one_line_of_advice_and_the_next_of_its_group_is_used(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    languages = {".txt": "plain"}
    gone = ServerSpec(name="gone", argv=("no-such-server",), languages=languages, advice="pip install gone")
    first = ServerSpec(name="first", argv=("no-such-server",), languages=languages, group="g", advice="get it")
    second, third = fake("second", spec={"group": "g"}), fake("third", spec={"group": "g"})
    report = await service(gone, first, second.spec, third.spec).check([write("a.txt", "wrn")])
    assert report.advice == ("gone: not found; pip install gone",)
    assert report.sources == ("second",)
    assert third.processes == []


async def test_a_server_that_a_rule_denies_is_not_started(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake()
    deny = Rule(Verdict.DENY, Effect.RUN, "*fake_server.py*")
    report = await service(server.spec, rules=[deny]).check([write("a.txt", "bad")])
    assert len(report.advice) == 1
    assert report.advice[0].startswith("fake: not started; run:")
    assert server.processes == []


async def test_progress_tells_the_server_and_how_far_it_is(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    steps: list[Progress] = []
    diagnostics = service(fake().spec, on_progress=steps.append)
    await diagnostics.check([write("a.txt", "bad"), write("b.txt", "wrn")])
    assert [str(step) for step in steps][-2:] == ["fake: checking 1 of 2 files", "fake: checking 2 of 2 files"]
    assert {step.server for step in steps} == {"fake"}


async def test_closing_ends_the_servers_and_a_later_check_starts_new_ones(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake()
    diagnostics = service(server.spec)
    files = [write("a.txt", "bad")]
    await diagnostics.check(files)
    await diagnostics.close()
    with pytest.raises(ProcessLookupError):
        os.kill(server.processes[0], 0)
    assert len((await diagnostics.check(files)).diagnostics) == 1
    assert len(server.processes) == 2


async def test_a_cancelled_check_leaves_a_service_that_can_be_used_and_closed(
    service: Make, fake: Callable[..., Any], write: Write, tmp_path: Path
) -> None:
    server = fake(mode="pull", silent="secret")
    steps: asyncio.Queue[str] = asyncio.Queue()
    diagnostics = service(server.spec, on_progress=lambda step: steps.put_nowait(str(step)))
    checking = asyncio.create_task(diagnostics.check([write("a.txt", "secret")]))
    while "waiting" not in await steps.get():
        pass
    checking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await checking
    assert said(await diagnostics.check([write("a.txt", "bad")])) == ["a.txt:1:1-4 Error fake: bad word"]


BESIDE = {"documentChanges": [{"textDocument": {"uri": "file:///elsewhere.txt", "version": 1}, "edits": []}]}


def replaces(new: str) -> dict[str, Any]:
    return {"changes": {"URI": [{"range": "WHERE", "newText": new}]}}


async def test_quick_fixes_are_kept_and_what_only_silences_or_reorganises_is_left_out(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    actions = [
        {"title": "Write good", "kind": "quickfix", "isPreferred": True, "edit": replaces("good")},
        {"title": "Write good", "kind": "quickfix", "isPreferred": True, "edit": replaces("good")},
        {"title": "Write fine", "kind": "quickfix.text", "edit": replaces("fine")},
        {"title": "Disable for this line", "kind": "quickfix", "edit": replaces("bad  # noqa: F1")},
        {"title": "Add `# pyright: ignore[x]`", "kind": "quickfix", "edit": replaces("bad # pyright: ignore[x]")},
        {"title": "Ignore 'x' for this line", "kind": "quickfix", "edit": replaces("bad # ty: ignore[x]")},
        {"title": "Add comment", "kind": "quickfix", "edit": replaces("// @ts-ignore\nbad")},
        {"title": "Fix later", "kind": "quickfix", "edit": replaces("bad // eslint-disable-line")},
        {"title": "Run it", "command": "run.it"},
        {"title": "Run it", "kind": "quickfix", "command": {"title": "x", "command": "run.it"}},
        {"title": "Extract", "kind": "refactor.extract", "edit": replaces("f()")},
        {"title": "Disabled", "kind": "quickfix", "disabled": {"reason": "no"}, "edit": replaces("x")},
        {"title": "Rename in all files", "kind": "quickfix", "edit": BESIDE},
        {"title": "For another", "kind": "quickfix", "edit": replaces("x"), "diagnostics": [{"message": "other"}]},
    ]
    report = await service(fake(actions=actions).spec).check([write("a.txt", "日 bad")])
    assert fixes(report) == [["* Write good", "Write fine", "Rename in all files"]]
    assert [[edit.new_text for edit in fix.edits] for fix in report.diagnostics[0].fixes] == [["good"], ["fine"], []]
    assert report.diagnostics[0].fixes[0].edits[0].range == report.diagnostics[0].range


async def test_an_edit_that_is_absent_is_asked_for(service: Make, fake: Callable[..., Any], write: Write) -> None:
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    edit = {
        "documentChanges": [
            {"textDocument": {"uri": "URI", "version": None}, "edits": [{"range": place, "newText": "ok"}]}
        ]
    }
    actions = [{"title": "Mend", "kind": "quickfix", "data": {"n": 1}}]
    server = fake(actions=actions, resolves={"edit": edit})
    report = await service(server.spec).check([write("a.txt", "bad")])
    assert fixes(report) == [["Mend"]]
    assert report.diagnostics[0].fixes[0].edits[0].new_text == "ok"
    assert server.params("codeAction/resolve") == actions


async def test_the_server_gets_its_own_diagnostic_back_with_what_it_hid_in_it(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake()
    await service(server.spec).check([write("a.txt", "\nbad")])
    [params] = server.params("textDocument/codeAction")
    assert params["context"]["diagnostics"][0]["data"] == {"secret": 1}
    assert params["context"]["only"] == ["quickfix"]


class Words:
    """A checker that says what it is told to."""

    def __init__(self, name: str, *found: Diagnostic, fails: str = "", origin: Origin = Origin.USER) -> None:
        self.name = name
        self.action = Action(Effect.RUN, name, origin)
        self._found = list(found)
        self._fails = fails

    async def check(self, files: Sequence[TextFile]) -> list[Diagnostic]:
        if self._fails:
            raise ProcessError(self._fails)
        return self._found


async def test_checkers_work_beside_servers_and_fail_alone(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    found = Diagnostic("a.txt", Range.at(1, 1), Severity.ERROR, "‘conut’ undeclared; did you mean ‘count’?", "make")
    hint = Diagnostic("a.txt", Range.at(1, 1), Severity.HINT, "nice", "make")
    checkers = [
        Words("make", found, hint, found),
        Words("broken", fails="exit code 2"),
        Words("named", fails="named: exit code 3"),
        Words("theirs", found, origin=Origin.PROJECT),
    ]
    diagnostics = service(fake().spec, checkers=checkers)
    files = [write("a.txt", "x = conut;\nbad")]
    report = await diagnostics.check(files)
    assert [(line, titles) for line, titles in zip(said(report), fixes(report), strict=True)] == [
        ("a.txt:1:1-1 Error make: ‘conut’ undeclared; did you mean ‘count’?", ["Change 'conut' to 'count'"]),
        ("a.txt:2:1-4 Error fake: bad word", []),
    ]
    assert report.sources == ("fake", "make")
    assert report.advice == (
        "broken: exit code 2",
        "named: exit code 3",
        "theirs: not started; run:theirs: needs a yes; allow it with --allow 'run:theirs'",
    )
    assert said(await diagnostics.check(files, checkers=False)) == ["a.txt:2:1-4 Error fake: bad word"]


async def test_the_same_complaint_twice_counts_once(service: Make, fake: Callable[..., Any], write: Write) -> None:
    report = await service(fake(twice=True).spec).check([write("a.txt", "bad bad")])
    assert said(report) == ["a.txt:1:1-4 Error fake: bad word", "a.txt:1:5-8 Error fake: bad word"]


async def test_the_closest_name_that_the_server_knows_is_suggested(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    names = ["data()", " •bad_(int)", {"label": "bda!", "kind": 15}, "other"]
    server = fake(names=[*names, {"label": "bdax", "kind": 1}, " bd"])
    report = await service(server.spec).check([write("a.txt", "🎻 x.bda = 1")])
    assert fixes(report) == [["Change 'bda' to 'bd'"]]
    assert server.params("textDocument/completion")[0]["position"] == {"line": 0, "character": 5}


async def test_a_fix_with_edits_makes_the_question_for_names_unnecessary(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    server = fake(actions=[{"title": "Mend", "kind": "quickfix", "edit": replaces("ok")}], names=["bd"])
    report = await service(server.spec).check([write("a.txt", "bda")])
    assert fixes(report) == [["Mend"]]
    assert server.params("textDocument/completion") == []


async def test_what_one_server_knows_is_shared_with_another_that_complains_about_the_same_name(
    service: Make, fake: Callable[..., Any], write: Write
) -> None:
    knows, complains = fake("knows", names=["bd"]), fake("complains")
    report = await service(knows.spec, complains.spec).check([write("a.txt", "bda bad")])
    assert [(one.source, [fix.title for fix in one.fixes]) for one in report.diagnostics] == [
        ("complains", ["Change 'bda' to 'bd'"]),
        ("knows", ["Change 'bda' to 'bd'"]),
        ("complains", []),
        ("knows", []),
    ]
