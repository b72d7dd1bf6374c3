"""Damage to the characters of lines: white space, decorations, look-alikes, wrong words."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from random import Random

from edits.mutations.damage import Written, damage, one
from edits.mutations.scene import NUMBER, WORD, Change, Entry, Scene

Texts = Callable[[str], str]


def _every(scene: Scene, texts: Texts, new: bool = True) -> Change | None:
    """Every line changed, new lines too if `new`; None when no line of the search text differs then."""
    change = scene.changes[0].with_texts(
        lambda entry: entry.text if entry.sign == "+" and not new else texts(entry.text)
    )
    return change if change.search != scene.changes[0].search else None


def _some(scene: Scene, rng: Random, texts: Texts, *, in_new_too: bool | None = None) -> Change | None:
    """One line of the search text changed. Where it is kept, the new text repeats the change or not."""
    entries = list(scene.changes[0].entries)
    bitten = [i for i, entry in enumerate(entries) if entry.sign != "+" and texts(entry.text) != entry.text]
    if not bitten:
        return None
    index = rng.choice(bitten)
    entry = entries[index]
    repeats = rng.random() < 0.5 if in_new_too is None else in_new_too
    if entry.sign == "-" or repeats:
        entries[index] = replace(entry, text=texts(entry.text))
    else:
        entries[index : index + 1] = [
            replace(entry, sign="-", text=texts(entry.text)),
            replace(entry, sign="+", origin=-1),
        ]
    return replace(scene.changes[0], entries=tuple(entries))


def _body(line: str) -> str:
    return line.lstrip(" \t")


def _indent(line: str) -> str:
    return line[: len(line) - len(_body(line))]


# --- white space -----------------------------------------------------------------------------------------------


@damage()
def trailing_space_added(scene: Scene, rng: Random) -> Written | None:
    """White space at the end of one line, or of all lines, of the search text."""
    space = rng.choice((" ", "  ", "\t"))
    every = rng.random() < 0.5
    return one(_every(scene, lambda t: t + space, new=False) if every else _some(scene, rng, lambda t: t + space))


@damage()
def trailing_space_removed(scene: Scene, rng: Random) -> Written | None:
    """White space that stands at the end of lines of the file is left out."""
    return one(_every(scene, lambda t: t.rstrip(), new=False))


@damage(new="mended")
def indentation_shifted_right(scene: Scene, rng: Random) -> Written | None:
    """All lines that are not blank, new ones too, stand further right."""
    space = rng.choice((" ", "  ", "    ", "        ", "\t"))
    return one(_every(scene, lambda t: space + t if t.strip() else t))


@damage(new="mended")
def indentation_shifted_left(scene: Scene, rng: Random) -> Written | None:
    """All lines that are not blank, new ones too, stand further left by the same white space."""
    indents = [_indent(entry.text) for entry in scene.changes[0].entries if entry.text.strip()]
    common = min(indents, key=len, default="")
    if not common or not all(indent.startswith(common) for indent in indents):
        return None
    width = rng.randint(1, len(common))
    return one(_every(scene, lambda t: t[width:] if t.strip() else t))


@damage(new="mended")
def first_line_lost_its_indentation(scene: Scene, rng: Random) -> Written | None:
    """The first line of the search text, and of the new text, begins without white space; the others keep theirs."""
    entries = list(scene.changes[0].entries)
    firsts = {next((i for i, e in enumerate(entries) if e.sign in signs), None) for signs in (" -", " +")}
    if not any(i is not None and entries[i].sign != "+" and _indent(entries[i].text) for i in firsts):
        return None
    for index in firsts:
        if index is not None:
            entries[index] = replace(entries[index], text=_body(entries[index].text))
    return one(replace(scene.changes[0], entries=tuple(entries)))


@damage()
def one_line_indented_otherwise(scene: Scene, rng: Random) -> Written | None:
    """One line of several has another indentation than in the file."""
    if len([text for text in scene.changes[0].search if text.strip()]) < 2:
        return None
    space = rng.choice((" ", "  ", "    "))
    texts = rng.choice((lambda t: space + t if t.strip() else t, lambda t: _body(t)))
    return one(_some(scene, rng, texts))


@damage(new="mended")
def tabs_for_spaces(scene: Scene, rng: Random) -> Written | None:
    """Every so many spaces of indentation are a tab."""
    width = rng.choice((2, 4, 4, 8))

    def texts(line: str) -> str:
        size = len(line) - len(line.lstrip(" "))
        return "\t" * (size // width) + " " * (size % width) + line[size:]

    return one(_every(scene, texts))


@damage(new="mended")
def spaces_for_tabs(scene: Scene, rng: Random) -> Written | None:
    """Every tab of indentation is so many spaces."""
    width = rng.choice((2, 4, 4, 8))
    return one(_every(scene, lambda t: _indent(t).replace("\t", " " * width) + _body(t)))


@damage(new="as_written")
def inner_spaces_doubled(scene: Scene, rng: Random) -> Written | None:
    """Each space, or one, inside the lines is written twice."""
    count = rng.choice((0, 1))
    texts: Texts = lambda t: _indent(t) + _body(t).replace(" ", "  ", count or -1)  # noqa: E731
    return one(_every(scene, texts) if rng.random() < 0.5 else _some(scene, rng, texts))


@damage(new="as_written")
def inner_spaces_collapsed(scene: Scene, rng: Random) -> Written | None:
    """Columns that are aligned in the file are not in the edit: runs of white space become one space."""
    texts: Texts = lambda t: _indent(t) + re.sub(r"[ \t]{2,}|\t", " ", _body(t))  # noqa: E731
    return one(_every(scene, texts))


@damage()
def inner_space_left_out(scene: Scene, rng: Random) -> Written | None:
    """A space between two words is missing, so that they are one."""
    return one(_some(scene, rng, lambda t: re.sub(r"(?<=\w) (?=\w)", "", t, count=1)))


# --- decorations -----------------------------------------------------------------------------------------------


def _numbered(scene: Scene, rng: Random, number: Callable[[int, str], str]) -> Change:
    """Lines with `number(1-based line, text)`; new lines are numbered on, or have none."""
    change = scene.changes[0]
    bare = rng.random() < 0.4
    entries: list[Entry] = []
    line = change.first
    for entry in change.entries:
        line += entry.sign != "+"
        if entry.sign == "+":
            text = entry.text if bare else number(line + 1, entry.text)
        else:
            text = number(line, entry.text)
        if bare and entry.sign == " ":
            entries += [replace(entry, sign="-", text=text), replace(entry, sign="+", origin=-1)]
        else:
            entries.append(replace(entry, text=text))
    return replace(change, entries=tuple(entries))


@damage(new="mended")
def line_numbers_copied(scene: Scene, rng: Random) -> Written | None:
    """The numbers with which the file was shown are part of the lines."""
    style = rng.choice(("{0}: {1}", "{0} {1}", "{0} | {1}", "{0:>5}\t{1}", "{0:>4} {1}", "{0}:{1}", "L{0}: {1}"))
    return one(_numbered(scene, rng, lambda number, text: style.format(number, text)))


@damage(new="mended")
def gutter_copied(scene: Scene, rng: Random) -> Written | None:
    """The gutter of anchors with which the file was shown, `12:a3│ text`, is part of the lines."""
    style = rng.choice(("{0}:{2}│ {1}", "{0:>4}:{2}│ {1}", "{0}│ {1}", "{0:>4}│{1}", "│ {1}", "{0:>4} │ {1}"))
    mark = f"{rng.randrange(256):02x}"
    return one(_numbered(scene, rng, lambda number, text: style.format(number, text, mark)))


@damage(new="mended")
def html_entities(scene: Scene, rng: Random) -> Written | None:
    """`<`, `>`, `&` and perhaps quotes are written as in HTML."""
    quote = rng.random() < 0.3
    return one(_every(scene, lambda t: html.escape(t, quote=quote)))


@damage(new="mended")
def doubled_escapes(scene: Scene, rng: Random) -> Written | None:
    """Back-slashes, and perhaps quotes, are escaped as in a JSON string, once too often."""
    quotes = rng.random() < 0.5

    def texts(line: str) -> str:
        line = line.replace("\\", "\\\\")
        return line.replace('"', '\\"') if quotes else line

    return one(_every(scene, texts))


@damage(new="mended")
def only_quotes_escaped(scene: Scene, rng: Random) -> Written | None:
    """Quotes have a back-slash before them, nothing else is escaped."""
    return one(_every(scene, lambda t: t.replace('"', '\\"')))


# --- look-alikes -----------------------------------------------------------------------------------------------


@damage(new="as_written")
def curly_quotes(scene: Scene, rng: Random) -> Written | None:
    """Straight quotation marks are curly."""
    closing = str.maketrans({'"': "”", "'": "’"})

    def texts(line: str) -> str:
        return re.sub(r"(?<!\w)(['\"])(?=\w)", lambda m: "“" if m[1] == '"' else "‘", line).translate(closing)

    return one(_every(scene, texts, new=rng.random() < 0.5))


@damage(new="as_written")
def dashes(scene: Scene, rng: Random) -> Written | None:
    """Hyphens are en or em dashes, or the minus sign."""
    dash = rng.choice("–—‑−")
    return one(_every(scene, lambda t: t.replace("-", dash), new=rng.random() < 0.5))


@damage(new="as_written")
def no_break_spaces(scene: Scene, rng: Random) -> Written | None:
    """Spaces inside the lines, or all of them, are no-break spaces."""
    space = rng.choice("\u00a0\u202f")
    whole = rng.random() < 0.3
    texts: Texts = lambda t: t.replace(" ", space) if whole else _indent(t) + _body(t).replace(" ", space)  # noqa: E731
    return one(_every(scene, texts, new=rng.random() < 0.3))


@damage(new="as_written")
def decomposed_letters(scene: Scene, rng: Random) -> Written | None:
    """Letters with accents are written as two characters each."""
    return one(_every(scene, lambda t: unicodedata.normalize("NFD", t)))


@damage()
def invisible_characters(scene: Scene, rng: Random) -> Written | None:
    """A zero-width space or a byte order mark stands in a line."""
    character = rng.choice("\u200b\ufeff\u2060")
    return one(_some(scene, rng, lambda t: character + t if rng.random() < 0.5 else t[:3] + character + t[3:]))


# --- wrong words -----------------------------------------------------------------------------------------------


def _in_one_word(scene: Scene, rng: Random, pattern: re.Pattern[str], texts: Texts) -> Change | None:
    """One occurrence of `pattern` in one line of the search text is other text."""
    place = rng.random()

    def line(text: str) -> str:
        found = [match for match in pattern.finditer(text) if texts(match[0]) != match[0]]
        if not found:
            return text
        match = found[int(place * len(found))]
        return text[: match.start()] + texts(match[0]) + text[match.end() :]

    return _some(scene, rng, line)


@damage()
def word_misspelt(scene: Scene, rng: Random) -> Written | None:
    """Two letters of a word are swapped, or one is missing, or doubled."""
    how = rng.choice((lambda w: w[0] + w[2] + w[1] + w[3:], lambda w: w[:1] + w[2:], lambda w: w[:2] + w[1:]))
    return one(_in_one_word(scene, rng, WORD, how))


@damage()
def misspelling_mended(scene: Scene, rng: Random) -> Written | None:
    """A word that is odd in the file, or its plural, is written as the model thinks it should be."""
    return one(_in_one_word(scene, rng, WORD, lambda w: w[:-1] if w.endswith("s") else w + "s"))


@damage()
def number_changed(scene: Scene, rng: Random) -> Written | None:
    """A number in the search text is another than in the file: `= 90` for `= 30`."""
    new = str(rng.choice((0, 1, 2, 10, 30, 90, 255, 1000)))
    digit = rng.choice("123456789")
    how = rng.choice((lambda _: new, lambda n: n[:-1] + digit, lambda n: n + "0"))
    return one(_in_one_word(scene, rng, NUMBER, how))


@damage()
def name_changed(scene: Scene, rng: Random) -> Written | None:
    """A name in the search text is another name of the file."""
    names = sorted({word for line in scene.lines for word in WORD.findall(line)})
    name = rng.choice(names)
    return one(_in_one_word(scene, rng, WORD, lambda _: name))


@damage()
def case_changed(scene: Scene, rng: Random) -> Written | None:
    """A word, or a whole line, is in capitals, in small letters, or begins with a capital."""
    how = rng.choice((str.upper, str.lower, str.capitalize))
    return one(_in_one_word(scene, rng, WORD, how) if rng.random() < 0.6 else _some(scene, rng, how))


@damage()
def operator_changed(scene: Scene, rng: Random) -> Written | None:
    """`==` for `!=`, `<` for `<=`, `+` for `-`, `and` for `or`, `(` for `[`."""
    pairs = {
        "==": "!=",
        "!=": "==",
        "<=": "<",
        "<": "<=",
        "+": "-",
        "-": "+",
        " and ": " or ",
        " or ": " and ",
        "(": "[",
    }
    pattern = re.compile("|".join(re.escape(sign) for sign in sorted(pairs, key=len, reverse=True)))
    return one(_in_one_word(scene, rng, pattern, lambda sign: pairs[sign]))


@damage()
def end_of_line_comment_left_out(scene: Scene, rng: Random) -> Written | None:
    """A comment at the end of a line of code is missing."""
    return one(_some(scene, rng, lambda t: re.sub(r"(?<=\S)\s+(?:#|//|/\*).*$", "", t), in_new_too=True))


@damage()
def not_negated(scene: Scene, rng: Random) -> Written | None:
    """A `not` or `!` is missing from, or added to, a condition."""

    def texts(line: str) -> str:
        if "not " in line:
            return line.replace("not ", "", 1)
        return re.sub(r"\b(if|while|return) ", r"\1 not ", line, count=1)

    return one(_some(scene, rng, texts))
