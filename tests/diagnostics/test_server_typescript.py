"""TypeScript 7's own server for real: exact places, closest names, and the answer after an edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from motet.diagnostics import BUILT_IN, DiagnosticsService, ServerSpec
from motet.text import TextFile

from .reports import apply, fixes, said

Write = Callable[[str, str], TextFile]
Make = Callable[..., DiagnosticsService]

TEXT = """\
interface Component { name: string; size: number }
import { readFilSync } from "./files";
/* 日本 🎻 */ function show(c: Componnt, d: Component): string {
    return d.nmae + d.size.toFixd(2);
}
const used: Component = { nmae: "🎻", size: 1 };
console.lgo(shwo(used, used));
let count: number = "x";
export { count };
"""
LITERAL = "Object literal may only specify known properties, and 'nmae' does not exist in type 'Component'."


@pytest.fixture
def tsc(need: Callable[[str], Path]) -> ServerSpec:
    """`tsc --lsp` as motet knows it."""
    need("tsc")
    return next(spec for spec in BUILT_IN if spec.name == "tsc")


@pytest.fixture
def project(write: Write) -> list[TextFile]:
    """The files beside the one with problems."""
    write("tsconfig.json", '{"compilerOptions": {"strict": true, "noUnusedLocals": true, "target": "es2022"}}')
    return [write("files.ts", "export function readFileSync(): void {}\n")]


@pytest.mark.acceptance("S3-005", "S3-010", "S3-011", "S3-013")
async def test_tsc_finds_every_problem_at_its_place_with_the_closest_names(
    service: Make, tsc: ServerSpec, write: Write, project: list[TextFile]
) -> None:
    report = await service(tsc).check([*project, write("a.ts", TEXT)])
    assert (report.sources, report.advice) == (("tsc",), ())
    assert said(report) == [
        "a.ts:2:10-21 Error ts 2724: '\"./files\"' has no exported member named 'readFilSync'. Did you mean 'readFileSync'?",
        "a.ts:2:10-21 Warning ts 6133: 'readFilSync' is declared but its value is never read.",
        "a.ts:3:21-25 Warning ts 6133: 'show' is declared but its value is never read.",
        "a.ts:3:29-37 Error ts 2552: Cannot find name 'Componnt'. Did you mean 'Component'?",
        "a.ts:4:14-18 Error ts 2339: Property 'nmae' does not exist on type 'Component'.",
        "a.ts:4:28-34 Error ts 2551: Property 'toFixd' does not exist on type 'number'. Did you mean 'toFixed'?",
        f"a.ts:6:27-31 Error ts 2353: {LITERAL}",
        "a.ts:7:9-12 Error ts 2339: Property 'lgo' does not exist on type 'Console'.",
        "a.ts:7:13-17 Error ts 2304: Cannot find name 'shwo'.",
        "a.ts:8:5-10 Error ts 2322: Type 'string' is not assignable to type 'number'.",
    ]
    assert fixes(report) == [
        ["Change 'readFilSync' to 'readFileSync'"],
        [],
        [],
        ["Change 'Componnt' to 'Component'"],
        ["Change 'nmae' to 'name'"],
        ["Change 'toFixd' to 'toFixed'"],
        ["Change 'nmae' to 'name'"],
        ["Change 'lgo' to 'log'"],
        ["Change 'shwo' to 'show'"],
        [],
    ]


@pytest.mark.acceptance("CL-04")
async def test_after_each_applied_fix_fewer_problems_are_left(
    service: Make, tsc: ServerSpec, write: Write, project: list[TextFile]
) -> None:
    diagnostics = service(tsc)
    file = write("a.ts", TEXT)
    report = await diagnostics.check([*project, file])
    while fixable := [one for one in report.diagnostics if one.fixes]:
        file = write("a.ts", apply(fixable[-1].fixes[0], file).text)
        before, report = len(report.diagnostics), await diagnostics.check([*project, file])
        assert len(report.diagnostics) < before
    assert said(report) == [
        "a.ts:2:10-22 Warning ts 6133: 'readFileSync' is declared but its value is never read.",
        "a.ts:8:5-10 Error ts 2322: Type 'string' is not assignable to type 'number'.",
    ]


async def test_a_changed_file_changes_what_is_said_about_those_that_import_it(
    service: Make, tsc: ServerSpec, write: Write, project: list[TextFile]
) -> None:
    diagnostics = service(tsc)
    user = write("user.ts", 'import { readFileSync, more } from "./files";\nreadFileSync(); more();\n')
    assert said(await diagnostics.check([*project, user])) == [
        "user.ts:1:24-28 Error ts 2305: Module '\"./files\"' has no exported member 'more'."
    ]
    files = write("files.ts", "export function readFileSync(): void {}\nexport function more(): void {}\n")
    assert (await diagnostics.check([files, user])).diagnostics == ()
    # A new file that makes an import valid.
    user = write("user.ts", 'import { x } from "./new";\nexport const y: string = x;\n')
    assert [one.code for one in (await diagnostics.check([files, user])).diagnostics] == ["2307"]
    new = write("new.ts", "export const x = 1;\n")
    assert said(await diagnostics.check([files, user, new])) == [
        "user.ts:2:14-15 Error ts 2322: Type 'number' is not assignable to type 'string'."
    ]


async def test_javascript_is_for_it_too(service: Make, tsc: ServerSpec, write: Write) -> None:
    report = await service(tsc).check([write("a.js", "const x = ;\n"), write("b.tsx", "const y: = 1\n")])
    assert {one.path for one in report.diagnostics} == {"a.js", "b.tsx"}


async def test_an_old_tsc_gives_way_to_the_next_of_its_group(
    service: Make, tsc: ServerSpec, write: Write, tmp_path: Path, fake: Callable[..., object]
) -> None:
    old = tmp_path / "bin" / "tsc"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho Version 5.9.3\n")
    old.chmod(0o755)
    report = await service(tsc, extra_dirs=[old.parent]).check([write("a.ts", "")])
    assert report.advice == (f"tsc: {old} is older than version 7; npm install --global typescript@7",)
    assert report.sources == ()
