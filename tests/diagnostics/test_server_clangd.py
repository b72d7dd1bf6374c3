"""clangd for real: exact places, fixes, closest names, headers, and the answer after an edit."""

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
typedef unsigned long size_type;
struct point { int x; int width; };
/* 日本 🎻 */ static int sum(struct pont *p) {
    return p->x
}
int strange_length(const char *text);
int main(void) {
    struct point p = {1, .wdth = 2};
    sizetype n = strange_lenght("🎻");
    return n + p.X + helper(p.with);
}
"""
UNDECLARED = "Call to undeclared function '{}'; ISO C99 and later do not support implicit function declarations"
DESIGNATOR = "Field designator 'wdth' does not refer to any field in type 'struct point'; did you mean 'width'?"


@pytest.fixture
def clangd(need: Callable[[str], Path]) -> ServerSpec:
    """clangd as motet knows it."""
    need("clangd")
    return next(spec for spec in BUILT_IN if spec.name == "clangd")


@pytest.mark.acceptance("S3-005", "S3-010", "S3-011")
async def test_clangd_finds_every_problem_at_its_place_with_its_fixes(
    service: Make, clangd: ServerSpec, write: Write
) -> None:
    report = await service(clangd).check([write("a.c", TEXT)])
    assert (report.sources, report.advice) == (("clangd",), ())
    assert said(report) == [
        "a.c:3:34-38 Warning clang -Wvisibility: Declaration of 'struct pont' will not be visible outside of this function",
        "a.c:4:13-15 Error clang typecheck_incomplete_tag: Incomplete definition of type 'struct pont'",
        "a.c:5:1-2 Error clang expected_semi_after_stmt: Expected ';' after return statement",
        f"a.c:8:27-31 Error clang field_designator_unknown_suggest: {DESIGNATOR}",
        "a.c:9:5-13 Error clang unknown_typename_suggest: Unknown type name 'sizetype'; did you mean 'size_type'?",
        f"a.c:9:18-32 Error clang -Wimplicit-function-declaration: {UNDECLARED.format('strange_lenght')}",
        "a.c:10:18-19 Error clang no_member: No member named 'X' in 'struct point'",
        f"a.c:10:22-28 Error clang -Wimplicit-function-declaration: {UNDECLARED.format('helper')}",
        "a.c:10:31-35 Error clang no_member: No member named 'with' in 'struct point'",
    ]
    assert fixes(report) == [
        ["Change 'pont' to 'point'"],
        ["Change 'pont' to 'point'"],
        ["* insert ';'"],
        ["* change 'wdth' to 'width'"],
        ["* change 'sizetype' to 'size_type'"],
        ["* change 'strange_lenght' to 'strange_length'"],
        ["Change 'X' to 'x'"],
        [],
        ["Change 'with' to 'width'"],
    ]


@pytest.mark.acceptance("CL-04")
async def test_after_each_applied_fix_fewer_problems_are_left(
    service: Make, clangd: ServerSpec, write: Write
) -> None:
    diagnostics = service(clangd)
    file = write("a.c", TEXT)
    report = await diagnostics.check([file])
    while fixable := [one for one in report.diagnostics if one.fixes]:
        file = write("a.c", apply(fixable[-1].fixes[0], file).text)
        before, report = len(report.diagnostics), await diagnostics.check([file])
        assert len(report.diagnostics) < before
    assert said(report) == [
        f"a.c:10:22-28 Error clang -Wimplicit-function-declaration: {UNDECLARED.format('helper')}"
    ]


async def test_a_repaired_header_repairs_the_files_that_include_it_through_others(
    service: Make, clangd: ServerSpec, write: Write
) -> None:
    diagnostics = service(clangd)
    outer = write("outer.h", '#pragma once\n#include "inner.h"\n')
    files = [
        write("user.c", '#include "outer.h"\nint f(void) { return answer(); }\n'),
        write("other.c", "int g(void) { return 0 }\n"),
        outer,
    ]
    report = await diagnostics.check([*files, write("inner.h", "#pragma once\nint anser(void);\n")])
    assert said(report) == [
        "other.c:1:24-25 Error clang expected_semi_after_stmt: Expected ';' after return statement",
        "user.c:1:1-19 Warning clangd unused-includes: Included header outer.h is not used directly",
        f"user.c:2:22-28 Error clang -Wimplicit-function-declaration: {UNDECLARED.format('answer')}",
    ]
    report = await diagnostics.check([*files, write("inner.h", "#pragma once\nint answer(void);\n")])
    assert [line for line in said(report) if line.startswith("user.c:2")] == []
    assert [line[:11] for line in said(report) if line.startswith("other.c")] == ["other.c:1:2"]


async def test_a_hundred_files_are_checked_with_few_open_at_once(
    service: Make, clangd: ServerSpec, write: Write
) -> None:
    files = [
        write(f"f{number:03}.c", f"int f{number}(void) {{ return {'x' if number % 10 == 0 else 1}; }}\n")
        for number in range(100)
    ]
    report = await service(clangd).check(files)
    assert [one.path for one in report.diagnostics] == [f"f{number:03}.c" for number in range(0, 100, 10)]
    assert report.sources == ("clangd",)


async def test_the_configuration_of_a_project_that_is_not_trusted_is_not_read(
    service: Make, clangd: ServerSpec, write: Write
) -> None:
    write(".clangd", "CompileFlags:\n  Add: [-DTRUSTED=1]\n")
    file = write("a.c", "int x = TRUSTED;\n")
    assert len((await service(clangd).check([file])).diagnostics) == 1
    assert (await service(clangd, trusted=True).check([file])).diagnostics == ()
