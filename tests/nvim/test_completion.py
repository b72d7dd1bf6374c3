"""Completion without a plug-in, by 'omnifunc', and by sources that are called as completion plug-ins call them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import Editor

Serve = Callable[..., Provider]
DOUBLES = str(Path(__file__).with_name("completion_doubles.lua"))
PLUGINS = ["nvim-cmp", "blink.cmp"]


def use(vim: Editor, plugin: str) -> None:
    """Have completion be that of `plugin`."""
    vim.lua(
        "_G.double = dofile((...))[select(2, ...)]; _G.double.on(require('motet.source').new({}, {}))",
        DOUBLES,
        plugin,
    )


def offered(vim: Editor) -> list[str]:
    return [item["label"] for item in vim.lua("return _G.double.items()")]


def offers(vim: Editor, *labels: str) -> None:
    """Return when just these are offered."""
    code = "vim.deep_equal(vim.tbl_map(function(one) return one.label end, _G.double.items()), {%s})"
    vim.waits_for(code % ", ".join(f"'{label}'" for label in labels))


def take(vim: Editor, label: str) -> None:
    vim.lua("vim.g.taken = 0; assert(_G.double.accept(..., function() vim.g.taken = vim.g.taken + 1 end))", label)
    vim.comes_to("vim.g.taken == 1")


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<p>Twelve apples</p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def page() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/page"
        server.shutdown()
        thread.join()


@pytest.mark.acceptance("CC-04", "NV-12", "S0-082", "S0-083")
@pytest.mark.parametrize("plugin", ["typed", "menu", "omnifunc", *PLUGINS])
def test_fetch_is_done_with_and_without_a_plugin(
    vim: Editor, project: Project, provider: Serve, page: str, plugin: str
) -> None:
    provider([])
    project.settings(project.config.read_text() + "[web]\nallow_private = true\n")
    vim.answers("o")
    vim.command("set completeopt=menuone,noselect")
    if plugin in PLUGINS:
        use(vim, plugin)
    elif plugin != "menu":
        vim.lua("require('motet.complete').has_source = true")  # no menu comes by itself
    vim.chat()
    if plugin == "typed":
        vim.keys("i/fetch<Esc><CR>")
    elif plugin == "omnifunc":
        vim.keys("i/fet<C-x><C-o>")
        vim.waits_for("vim.fn.pumvisible() == 1")
        vim.keys("<C-n><C-y>")
    elif plugin == "menu":
        vim.keys("i/fet")
        vim.waits_for("vim.fn.pumvisible() == 1")
        vim.keys("<C-n><C-y>")
    else:
        vim.keys("i/fet")
        offers(vim, "/fetch URL")
        assert vim.nvim.funcs.pumvisible() == 0
        take(vim, "/fetch URL")
    if plugin != "typed":
        vim.keys("<Esc>")
    vim.types("Address of the page", page)
    vim.comes_to("vim.g.ended >= 1")
    assert vim.lines[-1] == ""
    assert any(page in one for one in vim.lines)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_what_is_taken_takes_the_place_of_what_was_typed_also_behind_japanese_text(
    vim: Editor, project: Project, provider: Serve, plugin: str
) -> None:
    provider([])
    project.write({"src/日本.py": "y = 2\n", "src/app.py": "x = 1\n", "src/apply.py": "x = 1\n"})
    use(vim, plugin)
    vim.chat()
    vim.keys("i日本語は @app")
    offers(vim, "app.py", "apply.py")  # each once, also when it is told a second time
    vim.keys("ly")
    offers(vim, "apply.py")
    take(vim, "apply.py")
    assert vim.lines[-1] == "日本語は [apply.py](./src/apply.py) "
    vim.keys("と #dif")
    offers(vim, "#diff TEXT")
    take(vim, "#diff TEXT")
    assert vim.lines[-1] == "日本語は [apply.py](./src/apply.py) と #diff "
    vim.keys("@nothing-like-it")
    offers(vim)
    vim.keys("<Esc>")


@pytest.mark.parametrize("plugin", PLUGINS)
def test_keys_that_come_before_the_answer_move_nothing(
    vim: Editor, project: Project, provider: Serve, plugin: str
) -> None:
    provider([])
    use(vim, plugin)
    vim.chat()
    vim.lua("""
    local complete = require('motet.complete')
    local completed, held = complete.completed, {}
    local remote = require('motet.remote')
    remote.completed = function(...) held[#held + 1] = { ... } end
    _G.release = function() remote.completed = completed; for _, one in ipairs(held) do completed(unpack(one)) end end
    _G.held = held
    """)
    vim.keys("isee #d")
    vim.waits_for("#_G.held > 0")
    vim.keys("if")
    vim.lua("_G.release()")
    offers(vim, "#diff TEXT")
    take(vim, "#diff TEXT")
    assert vim.lines[-1] == "see #diff "
    vim.keys("<Esc>")


def test_no_menu_comes_where_no_name_is_typed_any_more(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.chat()
    vim.lua("""
    local remote, completed = require('motet.remote'), require('motet.complete').completed
    remote.completed = function(...) _G.late = { ... } end
    _G.release = function() completed(unpack(_G.late)) end
    """)
    vim.keys("i#dif")
    vim.waits_for("_G.late ~= nil and #_G.late[4] == 1")
    vim.keys(" x")
    vim.lua("_G.release()")
    assert (vim.nvim.funcs.pumvisible(), vim.lines[-1]) == (0, "#dif x")
    vim.keys("<Esc>")
