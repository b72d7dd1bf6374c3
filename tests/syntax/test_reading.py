"""Definitions and imports of each language, as one reading gives them."""

from __future__ import annotations

import pytest

from motet.syntax import LANGUAGES, FileSyntax, Import, language_of, names_used, read, signature


def reading(text: str, language: str) -> FileSyntax:
    found = read(text, language)
    assert found is not None
    return found


def outline(text: str, language: str) -> list[str]:
    lines = text.split("\n")
    return [
        f"{'  ' * each.depth}{each.kind} {each.name} {each.first_line}-{each.last_line}: {signature(lines, each)}"
        for each in reading(text, language).definitions
    ]


def imported(text: str, language: str) -> list[tuple[str, tuple[str, ...], int]]:
    return [(each.module, each.names, each.line) for each in reading(text, language).imports]


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"), ("x.PYI", "python"), ("x.h", "c"), ("x.hpp", "cpp"), ("x.mjs", "javascript"),
        ("x.cts", "typescript"), ("x.tsx", "tsx"), ("x.go", "go"), ("x.rs", "rust"), ("X.java", "java"),
 ("x.sh", None), ("Makefile", None), ("x.md", None), (".py", None),
    ],
)  # fmt: skip
def test_the_suffix_says_the_language(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_grammar_is_there_and_reads_an_empty_text(language: str) -> None:
    assert read("", language) == FileSyntax((), ())


def test_go() -> None:
    text = """\
package a
import "fmt"
import (
    x "net/http"
    _ "a/b"
)
const A = 1
var V, W = 1, 2
type S struct { a int }
type I interface { M() }
type N int
func (s *S) Do(
    a int,
) error {
    return nil
}
func F[T any](a T) {
}
"""
    assert imported(text, "go") == [("fmt", (), 2), ("net/http", (), 3), ("a/b", (), 3)]
    assert outline(text, "go") == [
        "variable A 7-7: const A = 1",
        "variable V 8-8: var V, W = 1, 2",
        "struct S 9-9: type S struct { a int }",
        "interface I 10-10: type I interface { M() }",
        "type N 11-11: type N int",
        "method Do 12-16: func (s *S) Do( a int, ) error",
        "function F 17-18: func F[T any](a T)",
    ]


def test_rust() -> None:
    text = """\
use crate::a::{b, c::{d, self}, e::*};
use std::io as x;
use super::y;
pub mod sub;
mod inner {
    pub fn f() {}
}
pub struct P<T> { a: T }
impl<T> P<T> {
    pub fn new(a: T) -> Self {
        P { a }
    }
}
trait Tr {
    fn m(&self);
}
macro_rules! mm { () => {} }
"""
    assert imported(text, "rust") == [
        ("crate::a", ("b",), 1),
        ("crate::a::c", ("d",), 1),
        ("crate::a::c", (), 1),
        ("crate::a::e", ("*",), 1),
        ("std", ("io",), 2),
        ("super", ("y",), 3),
        ("self::sub", (), 4),
    ]
    assert outline(text, "rust") == [
        "namespace inner 5-7: mod inner",
        "  function f 6-6: pub fn f() {}",
        "struct P 8-8: pub struct P<T> { a: T }",
        "class P 9-13: impl<T> P<T>",
        "  method new 10-12: pub fn new(a: T) -> Self",
        "interface Tr 14-16: trait Tr",
        "  method m 15-15: fn m(&self);",
        "macro mm 17-17: macro_rules! mm { () => {} }",
    ]


def test_java() -> None:
    text = """\
package x;
import a.b.C;
import static a.b.D.m;
import a.c.*;
public class Foo extends Bar {
    private int x = 1;
    public Foo(int a) {
    }
    enum Kind { A }
}
interface Q { void m(); }
"""
    assert imported(text, "java") == [("a.b", ("C",), 2), ("a.b.D", ("m",), 3), ("a.c", ("*",), 4)]
    assert outline(text, "java") == [
        "class Foo 5-10: public class Foo extends Bar",
        "  variable x 6-6: private int x = 1;",
        "  method Foo 7-8: public Foo(int a)",
        "  enum Kind 9-9: enum Kind { A }",
        "interface Q 11-11: interface Q { void m(); }",
        "  method m 11-11: interface Q { void m(); }",
    ]


def test_cpp() -> None:
    text = """\
#include "x.h"
# include <vector>
namespace a::b {
template <typename T>
class Foo : public Bar {
  public:
    Foo(int a);
    ~Foo();
    int size() const
    {
        return 1;
    }
    bool operator==(const Foo& o);
};
int Foo<int>::go(int a) {
}
}
int& x::Bar::run() {
}
"""
    assert imported(text, "cpp") == [("x.h", (), 1), ("<vector>", (), 2)]
    assert outline(text, "cpp") == [
        "namespace a::b 3-17: namespace a::b",
        "  class Foo 4-14: class Foo : public Bar",
        "    declaration Foo 7-7: Foo(int a);",
        "    declaration ~Foo 8-8: ~Foo();",
        "    method size 9-12: int size() const",
        "    variable operator== 13-13: bool operator==(const Foo& o);",
        "  function go 15-16: int Foo<int>::go(int a)",
        "function run 18-19: int& x::Bar::run()",
    ]


def test_imports_of_python() -> None:
    text = '''\
import a.b, c as d
from . import x
from ..y import (z as zz,
    w)
def f():
    if a: from q import *
    """
    import no
    """
    yield from b
'''
    assert imported(text, "python") == [
        ("a.b", (), 1),
        ("c", (), 1),
        (".", ("x",), 2),
        ("..y", ("z", "w"), 3),
        ("q", ("*",), 6),
    ]


def test_imports_of_typescript() -> None:
    text = """\
import a, {b as c, type d} from "./x";
import * as n from '../n.js';
import "side";
export * from "./y";
export { q } from "./z";
import fs = require("fs");
const l = require("./l"), m = await import("./m"), dynamic = import(`./${n}`), other = import(name);
export type { T } from "./t";
notrequire("x"); // require("no")
import {
    z
} from "./long";
"""
    found = [
        ("./x", ("default", "b", "d"), 1),
        ("../n.js", ("*",), 2),
        ("side", (), 3),
        ("./y", ("*",), 4),
        ("./z", ("q",), 5),
        ("fs", (), 6),
        ("./l", (), 7),
        ("./m", (), 7),
        ("./t", ("T",), 8),
        ("./long", ("z",), 10),
    ]
    assert imported(text, "typescript") == found
    assert [each[:2] for each in imported(text, "tsx")] == [each[:2] for each in found]


def test_imports_of_c() -> None:
    assert imported('#include <stdio.h>\n#ifdef X\n#  include "a/b.h"\n#endif\n', "c") == [
        ("<stdio.h>", (), 1),
        ("a/b.h", (), 3),
    ]


def test_japanese_names_are_read() -> None:
    found = reading("from 道具.基本 import 計算\n\ndef 合計(値):\n    return 計算(値)\n", "python")
    assert found.imports == (Import("道具.基本", ("計算",), 1),)
    assert [each.name for each in found.definitions] == ["合計"]


def test_names_used_are_counted_without_keywords() -> None:
    text = "def area(width, x):\n    return width * 幅 if width else None\n" + "y" * 81
    assert names_used(text) == {"area": 1, "width": 3}


def test_a_long_signature_is_cut() -> None:
    text = f"def f({', '.join(f'a{number}' for number in range(50))}): ...\n"
    found = signature(text.split("\n"), reading(text, "python").definitions[0])
    assert len(found) <= 120
    assert found.endswith("…")
    assert text.startswith(found[:-1])
