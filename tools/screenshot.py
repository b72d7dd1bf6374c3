"""What an attached user interface of Neovim shows, as a PNG: a grid of cells with their highlights, then pixels.

`Grid` takes the events of `:help ui-linegrid`; `paint` draws it. The font is a package of its own, so a picture is
the same wherever it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

CELL = (10, 22)
"""Pixels of a cell: what a letter of the font takes at `_SIZE`."""
_SIZE = 100 / 6
_REGULAR, _BOLD = 400, 700
_PADDING = 14
_BAR = 30
"""Rows of pixels above the grid, with three dots in them."""
_RADIUS = 10
_DOTS = (0xEC6A5E, 0xF4BF4F, 0x61C554)
_EDGE = 0x3A3D47
_COLOURS = 128
"""Of a picture: letters have soft edges, and each shade is one."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a cell looks; colours are 0xRRGGBB."""

    foreground: int
    background: int
    special: int
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikethrough: bool = False


class Grid:
    """What stands on the screen."""

    def __init__(self) -> None:
        self._rows: list[list[tuple[str, int]]] = []
        self._highlights: dict[int, Mapping[str, Any]] = {}
        self._defaults = (0xFFFFFF, 0, 0xFF0000)
        self._cursor = (0, 0)
        self._mode = ""

    def apply(self, name: str, call: Sequence[Any]) -> None:
        """Take one event. Those that change nothing of a picture are passed over."""
        match name, call:
            case "grid_resize", [_, columns, rows]:
                self._rows = [[(" ", 0)] * columns for _ in range(rows)]
            case "grid_clear", _:
                self._rows = [[(" ", 0)] * len(row) for row in self._rows]
            case "grid_line", [_, row, column, cells, *_]:
                new = list(_cells(cells))
                self._rows[row][column : column + len(new)] = new
            case "grid_scroll", [_, top, bottom, left, right, by, *_]:
                old = [row[left:right] for row in self._rows]
                for row in range(max(top, top - by), min(bottom, bottom - by)):
                    self._rows[row][left:right] = old[row + by]
            case "grid_cursor_goto", [_, row, column]:
                self._cursor = (row, column)
            case "mode_change", [mode, _]:
                self._mode = mode
            case "hl_attr_define", [number, look, *_]:
                self._highlights[number] = look
            case "default_colors_set", [foreground, background, special, *_]:
                self._defaults = (foreground, background, special)
            case _:
                pass

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self._rows[0]), len(self._rows)

    @property
    def background(self) -> int:
        """The colour of what nothing stands on."""
        return self._defaults[1]

    @property
    def cursor(self) -> tuple[int, int, bool]:
        """Column, row, and whether it is a bar and no block."""
        row, column = self._cursor
        return column, row, self._mode.startswith("insert")

    def cells(self) -> Iterator[tuple[int, int, str, Look]]:
        """Each cell: column, row, its character (empty: the right half of a wide one), how it looks."""
        for row, line in enumerate(self._rows):
            for column, (text, number) in enumerate(line):
                yield column, row, text, self._look(number)

    def _look(self, number: int) -> Look:
        look = self._highlights.get(number, {})
        colours = [look.get("foreground", self._defaults[0]), look.get("background", self._defaults[1])]
        if look.get("reverse"):
            colours.reverse()
        has = {name: bool(look.get(name)) for name in ("bold", "italic", "strikethrough")}
        is_underlined = any(look.get(name) for name in ("underline", "undercurl", "underdouble", "underdotted"))
        return Look(*colours, special=look.get("special", colours[0]), underline=is_underlined, **has)


def _cells(told: Sequence[Sequence[Any]]) -> Iterator[tuple[str, int]]:
    """The cells of one `grid_line`: a highlight holds until another is named."""
    number = 0
    for text, *more in told:
        number = more[0] if more else number
        for _ in range(more[1] if len(more) > 1 else 1):
            yield text, number


def size_of(columns: int, rows: int) -> tuple[int, int]:
    """Width and height of the picture of so many cells, in pixels."""
    return columns * CELL[0] + 2 * _PADDING, rows * CELL[1] + _PADDING + _BAR


def paint(grid: Grid, path: Path) -> None:
    """Write the picture of `grid`: a window with round corners on nothing."""
    size = size_of(*grid.size)
    window = Image.new("RGB", size, _rgb(grid.background))
    draw = ImageDraw.Draw(window)
    for number, colour in enumerate(_DOTS):
        x, y = _PADDING + 8 + 20 * number, _BAR // 2 - 2
        draw.ellipse((x - 5, y - 5, x + 5, y + 5), fill=_rgb(colour))
    _paint_cells(draw, grid)
    _paint_cursor(draw, grid)
    mask = Image.new("L", (size[0] * 4, size[1] * 4), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] * 4 - 1, size[1] * 4 - 1), _RADIUS * 4, fill=255)
    draw.rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), _RADIUS, outline=_rgb(_EDGE))
    window.putalpha(mask.resize(size, Image.Resampling.LANCZOS))
    window.quantize(_COLOURS, Image.Quantize.FASTOCTREE).save(path, optimize=True)


def _paint_cells(draw: ImageDraw.ImageDraw, grid: Grid) -> None:
    fonts = {(bold, italic): _font(bold, italic) for bold in (False, True) for italic in (False, True)}
    found = list(grid.cells())
    for column, row, _, look in found:
        if look.background != grid.background:
            x, y = _corner(column, row)
            draw.rectangle((x, y, x + CELL[0] - 1, y + CELL[1] - 1), fill=_rgb(look.background))
    for column, row, text, look in found:
        if text.strip():
            _paint_letter(draw, _corner(column, row), text, look, fonts)
        if text and (look.underline or look.strikethrough):
            x, y = _corner(column, row)
            height = y + (CELL[1] - 3 if look.underline else CELL[1] // 2)
            draw.line((x, height, x + CELL[0] - 1, height), fill=_rgb(look.special))


def _paint_letter(
    draw: ImageDraw.ImageDraw,
    corner: tuple[int, int],
    text: str,
    look: Look,
    fonts: Mapping[tuple[bool, bool], ImageFont.FreeTypeFont],
) -> None:
    x, y = corner
    if text == "┃" or text == "│":  # the line goes on from row to row
        width = 2 if text == "┃" else 1
        draw.rectangle((x + 5 - width, y, x + 4, y + CELL[1] - 1), fill=_rgb(look.foreground))
    else:
        draw.text((x, y + 17), text, _rgb(look.foreground), fonts[look.bold, look.italic], "ls")


def _paint_cursor(draw: ImageDraw.ImageDraw, grid: Grid) -> None:
    column, row, is_bar = grid.cursor
    (text, look), *_ = [(text, look) for x, y, text, look in grid.cells() if (x, y) == (column, row)]
    x, y = _corner(column, row)
    draw.rectangle((x, y, x + (1 if is_bar else CELL[0] - 1), y + CELL[1] - 1), fill=_rgb(look.foreground))
    if not is_bar and text.strip():
        draw.text((x, y + 17), text, _rgb(look.background), _font(look.bold, look.italic), "ls")


def _corner(column: int, row: int) -> tuple[int, int]:
    return _PADDING + column * CELL[0], _BAR + row * CELL[1]


def _font(bold: bool, italic: bool) -> ImageFont.FreeTypeFont:
    package = find_spec("fontpkg_jetbrains_mono")
    assert package is not None and package.submodule_search_locations  # `make setup` installs it
    name = f"JetBrainsMono{'-Italic' if italic else ''}[wght].ttf"
    font = ImageFont.truetype(str(Path(package.submodule_search_locations[0]) / "files" / name), _SIZE)
    font.set_variation_by_axes([_BOLD if bold else _REGULAR])
    return font


def _rgb(colour: int) -> tuple[int, int, int]:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255
