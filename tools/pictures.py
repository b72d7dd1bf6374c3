"""The pictures of `docs/`: `make pictures`. Each is a real Neovim with a scripted model, drawn when it has come so far.

    .venv/bin/python tools/pictures.py [NAME …] [--into DIRECTORY]

Names: `chat`, `review`, `beside`, `completion`; without one, all of them. Needs the test tools.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from screenshot import Grid, paint

from motet.models.scripted import Answer, Wire, call

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from cli.kit import Provider  # noqa: E402
from nvim.nvim_kit import Editor, editor  # noqa: E402

SETTINGS = """
model = "scripted/demo"
[providers.scripted]
base_url = "{url}/v1"
dialect = "openai"
context_tokens = 100000
[permissions]
allow = ["send:scripted *"]
[chat]
titles = false
"""
LOOK = (
    "set number signcolumn=yes laststatus=2 noruler noshowcmd noshowmode nowrap shortmess+=FIc fillchars=eob:\\  "
    "statusline=%!v:lua.Title()"
)
TITLE = "function Title() return vim.bo[vim.fn.winbufnr(vim.g.statusline_winid)].filetype == 'motet' and ' chat' or ' %f' end"

FROST = """\
`frost` compares the **air** temperature with 2 °C, so a damp night at 3 °C never counts:

```python
return [reading.hour for reading in readings if reading.temperature < 2]
```

`Reading.feels_like` knows about damp air. Two things to do:

- compare `feels_like` instead, in `almanac.py:26`
- mend `temprature` in [reading.py](./reading.py), which nobody has called"""
QUIETER = """\
<<<<<<< SEARCH
    if match == None:
        return None
    hour, humidity = int(match["hour"]), int(match["humidity"])
    minutes = hour * 60
    return Reading(hour, float(match["temperature"]), humidity)
=======
    if match is None:
        return None
    hour, humidity = int(match["hour"]), int(match["humidity"])
    return Reading(hour, float(match["temperature"]), humidity)
>>>>>>> REPLACE
"""
DAMP = """\
<<<<<<< SEARCH
        if self.temperature < 10:
            return self.temperature - self.humidity / 50
        return self.temprature + self.humidity / 50
=======
        damp = self.humidity / 50
        if self.temperature < 10:
            damp = -damp
        return self.temperature + damp
>>>>>>> REPLACE
"""
PROPOSED = Answer(
    text="Two small repairs.", calls=(call("replace_in_file", {"path": "reading.py", "diff": DAMP + QUIETER}),)
)
READS = Answer(text="I look at how a reading is made.", calls=(call("read_file", {"path": "reading.py"}),))
DONE = Answer(text="Done.")


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: its size in cells, what the model answers, and how it comes to be seen."""

    columns: int
    rows: int
    answers: Sequence[Answer]
    play: Callable[[Editor], None]


def chat(vim: Editor) -> None:
    """A question about the buffer, a tool call in a fold, and an answer that is still coming."""
    vim.command("edit almanac.py")
    vim.command("Motet chat")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.command("Motet rename Frost on damp nights")
    vim.waits_for("vim.b.motet_title == 'Frost on damp nights'")
    vim.keys("iWhy did the basil freeze? #buffer @readonly<Esc><CR>")
    vim.waits_for("vim.fn.search('whic', 'n') > 0")
    vim.command("normal! zb")


def review(vim: Editor) -> None:
    """Two hunks that wait in the buffer of their file."""
    _propose(vim)
    vim.keys("\\]")
    vim.command("normal! 12Gzt21G")


def beside(vim: Editor) -> None:
    """A file, and beside it how it would be."""
    _propose(vim)
    vim.keys("\\v")
    vim.comes_to("vim.fn.tabpagenr('$') == 2 and #vim.api.nvim_tabpage_list_wins(0) == 2 and vim.wo.diff")
    vim.command("set showtabline=0 | normal! 12Gzt21G")


def completion(vim: Editor) -> None:
    """What can be shared, while a message is typed."""
    vim.command("edit almanac.py")
    vim.command("Motet chat")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.nvim.input("iExplain #")
    vim.comes_to("vim.fn.pumvisible() == 1")
    vim.nvim.input("<C-n><C-n>")
    vim.comes_to("vim.fn.complete_info({'selected'}).selected == 1")


def _propose(vim: Editor) -> None:
    vim.command("edit reading.py")
    vim.command("Motet chat @editor repair what ruff complains about")
    vim.command("wincmd p | only")
    vim.waits_for("require('motet.review').pending() == 2")
    vim.waits_for("table.concat(vim.g.messages):match(' for you in ') ~= nil")


SCENES: Mapping[str, Scene] = {
    "chat": Scene(120, 37, [READS, Answer(FROST, wire=Wire(text_chars=4, stall_after=len(FROST) // 4 - 3))], chat),
    "review": Scene(96, 27, [PROPOSED, DONE], review),
    "beside": Scene(136, 23, [PROPOSED, DONE], beside),
    "completion": Scene(112, 20, [], completion),
}


def main() -> None:
    """Draw the pictures that are named."""
    words = argparse.ArgumentParser(description="Draw the pictures of docs/.")
    words.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SCENES)}; all by default")
    words.add_argument("--into", type=Path, default=ROOT / "docs" / "pictures", help="the directory to write to")
    given = words.parse_args()
    if unknown := set(given.names) - set(SCENES):
        words.error(f"there is no picture {', '.join(unknown)}")
    logging.getLogger("asyncio").setLevel(
        logging.CRITICAL
    )  # what is left of an editor and a provider that were ended
    given.into.mkdir(parents=True, exist_ok=True)
    for name in given.names or SCENES:
        place = given.into.resolve() / f"{name}.png"
        draw(SCENES[name], place)
        print(f"wrote {place} ({place.stat().st_size // 1000} kB)")


def draw(scene: Scene, place: Path) -> None:
    """Play a scene in a home and on a project of its own, and draw what is seen at its end."""
    with tempfile.TemporaryDirectory() as home, Provider(scene.answers) as provider:
        project = Path(home) / "balcony"
        shutil.copytree(ROOT / "examples" / "python", project)
        settings = Path(home) / "config" / "motet" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(SETTINGS.format(url=provider.url))
        _settle_in(home)
        with chdir(project), editor(scene.columns, scene.rows) as vim:
            vim.lua(TITLE)
            vim.command(LOOK)
            scene.play(vim)
            paint(_seen(vim), place)


def _settle_in(home: str) -> None:
    """What of this machine could change a picture does not reach the editor."""
    places = {f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    for name in [name for name in os.environ if name.startswith(("MOTET_", "XDG_", "GIT_"))]:
        del os.environ[name]
    path = os.pathsep.join((str(ROOT / ".venv" / "bin"), os.environ.get("PATH", os.defpath)))
    os.environ.update(places, HOME=home, LC_ALL="C.UTF-8", PATH=path)


def _seen(vim: Editor) -> Grid:
    """The screen, from all that the editor has told of it."""
    grid = Grid()
    vim.lua("vim.cmd('redraw!') vim.rpcnotify(..., 'drawn')", vim.nvim.channel_id)
    while (told := vim.nvim.next_message())[1] != "drawn":
        for name, *calls in told[2] if told[1] == "redraw" else ():
            for one in calls:
                grid.apply(name, one)
    return grid


if __name__ == "__main__":
    main()
