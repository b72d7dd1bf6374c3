"""The pictures of the documentation: anybody can draw them, and they are there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from nvim.nvim_kit import ROOT
from PIL import Image

PICTURES = ROOT / "docs" / "pictures"
DRAWN = {"chat": (1228, 858), "review": (988, 638), "beside": (1388, 550), "completion": (1148, 484)}
"""Width and height in pixels."""


@pytest.mark.parametrize("name", ["chat", "beside"])
def test_a_picture_is_drawn_by_the_script(name: str, tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "tools" / "pictures.py"), name, "--into", str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=100, check=False)
    place = tmp_path / f"{name}.png"
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"wrote {re.escape(str(place))} \(\d+ kB\)\n", done.stdout)
    with Image.open(place) as picture:
        assert (picture.format, picture.size) == ("PNG", DRAWN[name])
        assert len(picture.convert("RGBA").getcolors(1 << 16) or ()) > 20  # there is something in it


def test_the_pictures_of_the_documentation_are_there_and_small() -> None:
    found = {}
    for place in PICTURES.glob("*.png"):
        assert place.stat().st_size < 100_000
        with Image.open(place) as picture:
            found[place.stem] = picture.size
    assert found == DRAWN
    page = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in DRAWN if f"](docs/pictures/{name}.png)" not in page] == []
