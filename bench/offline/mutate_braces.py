"""The kinds that C and TypeScript's declarations can have, placed by shape."""

from __future__ import annotations

import random
import re

from offline.mutation import NAME, VARIABLES, Change, Mutate, dropped, misspelling, without_noise

_HEADERS = ("math.h", "ctype.h", "signal.h", "locale.h", "time.h", "setjmp.h", "wchar.h", "fenv.h", "search.h")
_C_WORDS = frozenset(
    (
        *("auto", "break", "case", "char", "const", "continue", "default", "double", "else", "enum", "extern"),
        *("float", "goto", "inline", "long", "register", "return", "short", "signed", "sizeof", "static", "struct"),
        *("switch", "typedef", "union", "unsigned", "void", "volatile", "while", "NULL"),
    )
)
_C_TYPE = re.compile(
    r"(?:^|[(,;{}])\s*(?:static\s+|const\s+|struct\s+|unsigned\s+)*([A-Za-z_]\w{2,})(?=[ *]+\**[A-Za-z_]\w*\s*[;=,)(\[])",
    re.M,
)
_DECLARES = re.compile(r"(?!\b(?:return|else|case|goto|sizeof)\b)\b[A-Za-z_]\w*[\s*]+$")
_TS_OPERATORS = frozenset(("typeof", "keyof", "readonly", "unique", "infer", "asserts", "new", "abstract"))
_TS_MODULE_WORDS = re.compile(r"\b(?:interface|class|type|namespace|module|import|export|enum)\b")


def c_unused_import(rng: random.Random, text: str) -> Change | None:
    """A further standard header below one of the others."""
    places = [match.end() for match in re.finditer(r"^#\s*include\s+[<\"].*\n", text, re.MULTILINE)]
    headers = [header for header in _HEADERS if header not in text]
    if not places or not headers:
        return None
    header = rng.choice(headers)
    at = rng.choice(places)
    return Change(at, at, f"#include <{header}>\n", f"#include <{header}>")


def c_misspelt_name(rng: random.Random, text: str) -> Change | None:
    """A name that is used inside a function: a variable, a parameter, a function or a macro."""
    code = without_noise(text)
    places = [
        (match.start(), match[0])
        for match in re.finditer(r"(?<![\w.>])[A-Za-z_]\w{3,}", code)
        if _inside_function(code, match.start())
        and match[0] not in _C_WORDS
        and not match[0].endswith("_t")
        and not _DECLARES.search(code[code.rfind("\n", 0, match.start()) : match.start()])
    ]
    return misspelling(rng, text, places)


def c_misspelt_member(rng: random.Random, text: str) -> Change | None:
    """A member behind `->` or `.`."""
    return misspelling(rng, text, list(re.finditer(r"(?<=[\w)\]])(?:->|\.)([A-Za-z_]\w{3,})", without_noise(text))))


def c_unused_variable(rng: random.Random, text: str) -> Change | None:
    """A declaration at the beginning of a function."""
    places = [
        match.end() for match in re.finditer(r"^[\w][^;{}#]*\)\s*\{[ \t]*\n", without_noise(text), re.MULTILINE)
    ]
    if not places:
        return None
    at = rng.choice(places)
    name = rng.choice([name for name in VARIABLES if name not in text])
    declaration = rng.choice(
        (f"int {name} = 0;", f"int {name};", f'const char *{name} = "";', f"int {name} = (int)sizeof(long);")
    )
    return Change(at, at, f"    {declaration}\n", declaration)


def c_missing(rng: random.Random, text: str) -> Change | None:
    """A semicolon or a closing bracket left out."""
    code = without_noise(text)
    return dropped(
        rng, text, [match.start() for match in re.finditer(r"[;)\]}]", code) if _inside_function(code, match.start())]
    )


def c_wrong_type_name(rng: random.Random, text: str) -> Change | None:
    """The type in a declaration of a variable or a parameter."""
    places = [
        match for match in _C_TYPE.finditer(without_noise(text)) if match[1] not in ("return", "else", "goto", "case")
    ]
    return misspelling(rng, text, places)


def c_duplicate(rng: random.Random, text: str) -> Change | None:
    """A member of a struct, or an enumerator, once more after itself or with the type of another."""
    code = without_noise(text)
    bodies = list(re.finditer(r"\bstruct\s*\w*\s*\{([^{}]*)\}", code))
    if not bodies:
        return None
    body = rng.choice(bodies)
    member = re.compile(r"^[ \t]+[\w* \t]+?\b(\w+);", re.MULTILINE)
    lines = list(member.finditer(text[body.start(1) : body.end(1)]))
    return _again(rng, text, body.start(1), lines)


def ts_misspelt_name(rng: random.Random, text: str) -> Change | None:
    """A name that is used other than as the type of a member."""
    code = without_noise(text)
    places = [
        (match.start(), match[0])
        for match in re.finditer(r"(?<![\w.$:])(?<!: )[A-Z]\w{3,}", code)
        if not _TS_MODULE_WORDS.search(
            code[code.rfind("\n", 0, match.start()) + 1 : match.start()].partition("extends")[0]
        )
        or "extends" in code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
    ]
    return misspelling(rng, text, places)


def ts_misspelt_member(rng: random.Random, text: str) -> Change | None:
    """A member of a namespace or module, as in `stream.Readable`."""
    return misspelling(rng, text, list(re.finditer(r"\b[A-Za-z]\w*\.([A-Z]\w{3,})", without_noise(text))))


def ts_missing(rng: random.Random, text: str) -> Change | None:
    """A closing bracket left out."""
    return dropped(rng, text, [match.start() for match in re.finditer(r"[)\]}]", without_noise(text))])


def ts_wrong_type_name(rng: random.Random, text: str) -> Change | None:
    """The type of a member, a parameter or a result."""
    found = re.finditer(r"(?<=: )([A-Za-z]\w{2,})(?=[\s;,)|\[<])", without_noise(text))
    return misspelling(rng, text, [match for match in found if match[1] not in _TS_OPERATORS])


def ts_duplicate(rng: random.Random, text: str) -> Change | None:
    """A property of an interface once more after itself, or with the type of another."""
    bodies = list(re.finditer(r"\binterface\s+\w[^{}]*\{([^{}]*)\}", without_noise(text)))
    if not bodies:
        return None
    body = rng.choice(bodies)
    code = without_noise(text)[body.start(1) : body.end(1)]
    lines = list(re.finditer(r"^[ \t]+(?:readonly )?(\w+)\??: [^\n;]*;", code, re.MULTILINE))
    return _again(rng, text, body.start(1), lines)


def _again(rng: random.Random, text: str, base: int, lines: list[re.Match[str]]) -> Change | None:
    if not lines:
        return None
    line, other = rng.choice(lines), rng.choice(lines)
    entry = text[base + line.start() : base + line.end()]
    if rng.random() < 0.5:
        start, end = line.start(1) - line.start(), line.end(1) - line.start()
        found = text[base + other.start() : base + other.end()]
        before = found[: other.start(1) - other.start()]
        behind = found[other.end(1) - other.start() :]
        entry = before + entry[start:end] + behind
    at = base + max(line.end(), other.end() if rng.random() < 0.5 else 0)
    return Change(at, at, f"\n{entry}", entry.strip()) if NAME.search(entry) else None


def _inside_function(code: str, at: int) -> bool:
    return code[code.rfind("\n", 0, at) + 1 : at + 1][:1] in (" ", "\t")


C: dict[str, Mutate] = {
    "unused import": c_unused_import,
    "misspelt name": c_misspelt_name,
    "misspelt member": c_misspelt_member,
    "unused variable": c_unused_variable,
    "missing ; or bracket": c_missing,
    "wrong type name": c_wrong_type_name,
    "duplicate key": c_duplicate,
}
TYPESCRIPT: dict[str, Mutate] = {
    "misspelt name": ts_misspelt_name,
    "misspelt member": ts_misspelt_member,
    "missing ; or bracket": ts_missing,
    "wrong type name": ts_wrong_type_name,
    "duplicate key": ts_duplicate,
}
