"""Questions with known answers, made of the patches of a package."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"

OF_GIT = """\
From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: A Writer <writer@example.invalid>
Date: Mon, 1 Jan 2024 00:00:00 +0000
Subject: [PATCH 2/3] reader: Keep the last line of a file that has no
 newline

It was lost, see https://example.invalid/1 and CVE-2024-1.

Signed-off-by: A Writer <writer@example.invalid>
---
 src/reader.c | 2 +-
diff --git a/src/reader.c b/src/reader.c
--- a/src/reader.c
+++ b/src/reader.c
@@ -1 +1 @@
-int a;
+int b;
diff --git a/tests/test_reader.py b/tests/test_reader.py
--- a/tests/test_reader.py
+++ b/tests/test_reader.py
@@ -1 +1 @@
-a
+b
"""
OF_DEBIAN = """\
Description: answer with an error
 where a request names no host
 .
 The writer returned nothing.
Author: A Writer <writer@example.invalid>
Last-Update: 2024-01-01

--- lib.orig/writer.py
+++ lib/writer.py
@@ -1 +1 @@
-a = 1
+a = 2
--- /dev/null
+++ lib/new.py
@@ -0,0 +1 @@
+b = 1
"""


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BENCH))
    yield
    for name in [name for name in sys.modules if name.startswith(("retrieving", "measure", "offline"))]:
        del sys.modules[name]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    files = {
        "src/reader.c": "int a;\n",
        "tests/test_reader.py": "a\n",
        "writer.py": "a = 1\n",
        "debian/patches/one.patch": OF_GIT,
        "debian/patches/two.diff": OF_DEBIAN,
        "debian/patches/short.diff": "Description: fix\n" + OF_DEBIAN[OF_DEBIAN.index("Author") :],
        "debian/patches/again.diff": OF_DEBIAN,
        "debian/patches/unlisted.diff": OF_GIT.replace("last line", "first line"),
        "debian/patches/series": "one.patch -p1\n\n# a remark\ntwo.diff\nagain.diff\ngone.diff\nshort.diff\n",
    }
    root = tmp_path / "given" / "reader"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_each_listed_patch_that_says_enough_asks_for_the_files_it_changes(package: Path, tmp_path: Path) -> None:
    from retrieving.patches import of_package
    from retrieving.sets import Case, Set

    assert of_package(package, tmp_path) == Set(
        "reader",
        tmp_path / "reader",
        (
            Case(
                "reader: Keep the last line of a file that has no\nnewline\n\nIt was lost, see  and .",
                frozenset({"src/reader.c"}),
                True,
            ),
            Case(
                "answer with an error\nwhere a request names no host\n\nThe writer returned nothing.",
                frozenset({"writer.py"}),
                True,
            ),
        ),
        2,
    )
    made = sorted(str(path.relative_to(tmp_path / "reader")) for path in (tmp_path / "reader").rglob("*.*"))
    assert made == ["src/reader.c", "tests/test_reader.py", "writer.py"]


def test_what_is_no_source_package_is_said(tmp_path: Path) -> None:
    from measure.run import BenchError
    from retrieving.patches import of_package

    (tmp_path / "given" / "plain").mkdir(parents=True)
    with pytest.raises(BenchError, match=r"plain/debian/patches/series: No such file or directory$"):
        of_package(tmp_path / "given" / "plain", tmp_path)
