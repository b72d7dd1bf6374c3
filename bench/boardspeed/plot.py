"""A picture of some lines over two logarithmic axes, as SVG: text alone, no library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 400, 70, 20, 20, 55
_COLOURS = ("#1f6feb", "#d9822b", "#2e8b57", "#a14ebf")


@dataclass(frozen=True)
class Line:
    """One line by its points; where it ends, nothing holds any more."""

    name: str
    points: Sequence[tuple[float, float]]


def plotted(across: str, up: str, lines: Sequence[Line]) -> str:
    """The picture. `across` and `up` say what the axes are."""
    points = [point for line in lines for point in line.points]
    x, y = (_axis([point[which] for point in points]) for which in (0, 1))

    def at(point: tuple[float, float]) -> tuple[float, float]:
        right = (math.log10(point[0]) - x[0]) / (x[1] - x[0]) * (_WIDTH - _LEFT - _RIGHT)
        above = (math.log10(point[1]) - y[0]) / (y[1] - y[0]) * (_HEIGHT - _TOP - _BOTTOM)
        return round(_LEFT + right, 1), round(_HEIGHT - _BOTTOM - above, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for power in range(x[0], x[1] + 1):
        right, _ = at((10.0**power, 10.0 ** y[0]))
        parts.append(f'<path d="M{right} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#e0e0e0"/>')
        parts.append(_text(right, _HEIGHT - _BOTTOM + 18, f"{10**power:,}", "middle"))
    for power in range(y[0], y[1] + 1):
        _, above = at((10.0 ** x[0], 10.0**power))
        parts.append(f'<path d="M{_LEFT} {above}H{_WIDTH - _RIGHT}" stroke="#e0e0e0"/>')
        parts.append(_text(_LEFT - 8, above + 4, f"{10**power:,}", "end"))
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 14, across, "middle"))
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    parts.append(f'<g transform="rotate(-90 16 {middle})">{_text(16, middle, up, "middle")}</g>')
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [at(point) for point in line.points]
        path = "M" + "L".join(f"{right} {above}" for right, above in places)
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{right}" cy="{above}" r="3" fill="{colour}"/>' for right, above in places]
        parts.append(_text(_LEFT + 12, _TOP + 18 + 18 * number, line.name, "start", colour))
    return "\n".join([*parts, "</svg>", ""])


def _axis(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten below and above all of them."""
    lowest, highest = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return lowest, max(highest, lowest + 1)


def _text(right: float, above: float, text: str, anchor: str, colour: str = "#333333") -> str:
    return f'<text x="{right}" y="{above}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
