"""The line in which the human writes: several rows, history, completion, a status below it.

Enter sends; Alt-Enter and Ctrl-J begin a new row, a pasted text keeps its own and is never sent by itself. Up, Down
and Ctrl-R find what was sent before, Ctrl-X Ctrl-E (in vi's mode also `v`) opens the user's editor. Ctrl-C clears the
text, twice leaves; Ctrl-D leaves when there is none. Loads prompt_toolkit.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.data_structures import Size
from prompt_toolkit.enums import DEFAULT_BUFFER, EditingMode
from prompt_toolkit.filters import has_focus, vi_navigation_mode
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from motet.cli.chat.completer import ChatCompleter
from motet.cli.chat.input_history import InputHistory
from motet.cli.editor import edit_text
from motet.cli.keys import EndOfInput
from motet.errors import MotetError
from motet.visible import one_line

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer

    from motet.context.complete import Known

PROMPT = "› "
_DRAFT_DELAY = 0.5
"""Seconds after a key in which the draft is handed over."""
_ESCAPE_WAIT = 0.05
"""Seconds in which the rest of a key's bytes must come."""
_MENU_ROWS = 8
_AGAIN = "Ctrl-C again leaves"
_COLOURS = {
    "prompt": "bold ansicyan",
    "bottom-toolbar": "noreverse ansibrightblack",
    "completion-menu": "bg:default fg:default",
    "completion-menu.completion": "bg:default fg:default",
    "completion-menu.completion.current": "bg:default fg:default reverse",
    "completion-menu.meta.completion": "bg:default fg:ansibrightblack",
    "completion-menu.meta.completion.current": "bg:default fg:default reverse",
    "scrollbar.background": "bg:default",
    "scrollbar.button": "bg:ansibrightblack",
}
_PLAIN = dict.fromkeys(_COLOURS, "noreverse nobold bg:default fg:default") | {
    name: "reverse bg:default fg:default" for name in _COLOURS if name.endswith(("current", "button"))
}


class EditorLine:
    """Reads one text after the other.

    `known` gives what can be completed, `status` the line below, which is cut to `columns`; `on_draft` gets what is
    typed within a second, `on_trouble` a line about what failed beside. Ctrl-C belongs to the editor inside of
    `in_editor`, and leaves at once where it `was_interrupted` a moment ago. An error that one of them raises ends
    `read`, and the terminal is as it was.
    """

    def __init__(
        self,
        history: InputHistory,
        known: Callable[[], Known],
        *,
        status: Callable[[int], str] = lambda columns: "",
        on_draft: Callable[[str], None] = lambda text: None,
        on_trouble: Callable[[str], None] = lambda line: None,
        in_editor: Callable[[], AbstractContextManager[None]] = nullcontext,
        was_interrupted: Callable[[], bool] = lambda: False,
        vi: bool = False,
        colour: bool = True,
        file: TextIO | None = None,
    ) -> None:
        self._history = history
        self._status = status
        self._on_draft = on_draft
        self._on_trouble = on_trouble
        self._in_editor = in_editor
        self._was_interrupted = was_interrupted
        self._output = _Output(file or sys.stderr)
        self._drafted: str | None = None
        self._draft_timer: asyncio.TimerHandle | None = None
        self._is_armed = self._was_armed = False
        self._trouble = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._session: PromptSession[str] = PromptSession(
            [("class:prompt", PROMPT)],
            multiline=True,
            prompt_continuation=" " * len(PROMPT),
            editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
            completer=ChatCompleter(known),
            complete_while_typing=True,
            history=history,
            bottom_toolbar=self._below,
            key_bindings=self._bindings(),
            style=Style.from_dict(_COLOURS if colour else _PLAIN),
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
            include_default_pygments_style=False,
            enable_suspend=True,
            reserve_space_for_menu=0,
            output=self._output,
        )
        app, buffer = self._session.app, self._session.default_buffer
        app.ttimeoutlen = _ESCAPE_WAIT
        app.key_processor.before_key_press += self._before_key
        buffer.on_text_changed += self._changed
        buffer.on_completions_changed += self._make_room

    @property
    def is_empty(self) -> bool:
        """Whether nothing is typed."""
        return not self._session.default_buffer.text.strip()

    async def read(self, draft: str = "") -> str:
        """The next text, which is not blank; `draft` stands there already. Raises `EndOfInput` when the human leaves.

        What is typed when it is cancelled is handed to `on_draft` first. A text that was sent is not: it is no draft
        any more, but what was handed over of it stays until the next `read`, or until its sender has kept it.
        """
        if self._drafted not in (None, draft):
            self._on_draft(draft)
        self._drafted, self._trouble = draft, ""
        self._is_armed = False
        self._session.reserve_space_for_menu = 0
        try:
            with self._failing_in_order():
                text = await self._session.prompt_async(
                    default=draft, handle_sigint=False, set_exception_handler=False
                )
        except BaseException as error:
            self._settle_draft()
            if isinstance(error, EOFError):
                raise EndOfInput from error
            raise
        self._forget_timer()
        try:
            self._history.sent(text)
        except MotetError as error:
            self._on_trouble(str(error))
        return text

    # --- what is drawn below -----------------------------------------------------------------------------------

    def _below(self) -> str:
        columns = self._output.get_size().columns
        return one_line(self._trouble or (_AGAIN if self._is_armed else self._status(columns)))

    def _make_room(self, buffer: Buffer) -> None:
        """The menu gets rows only while it is open."""
        state = buffer.complete_state
        rows = min(len(state.completions), _MENU_ROWS) if state else 0
        self._session.reserve_space_for_menu = buffer.document.line_count + rows if rows else 0

    # --- the draft ---------------------------------------------------------------------------------------------

    def _changed(self, buffer: Buffer) -> None:
        self._trouble = ""
        if self._draft_timer is None:
            self._draft_timer = asyncio.get_running_loop().call_later(_DRAFT_DELAY, self._settle_draft)

    def _settle_draft(self) -> None:
        """Hand over what is typed, if it is new."""
        self._forget_timer()
        text = self._session.default_buffer.text
        if text != self._drafted:
            self._drafted = text
            self._on_draft(text)

    def _forget_timer(self) -> None:
        if self._draft_timer is not None:
            self._draft_timer.cancel()
            self._draft_timer = None

    # --- keys --------------------------------------------------------------------------------------------------

    def _before_key(self, _: object) -> None:
        self._was_armed, self._is_armed = self._is_armed, False

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        here = has_focus(DEFAULT_BUFFER)
        bindings.add("enter", filter=here)(self._enter)
        bindings.add("escape", "enter", filter=here)(_new_row)
        bindings.add("c-j", filter=here)(_new_row)
        bindings.add("c-c", filter=here)(self._clear)
        bindings.add("c-x", "c-e", filter=here)(self._edit)
        bindings.add("v", filter=here & vi_navigation_mode)(self._edit)
        return bindings

    def _enter(self, event: KeyPressEvent) -> None:
        """Take the completion that is chosen; without one, send what is not blank."""
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif buffer.text.strip():
            buffer.validate_and_handle()

    def _clear(self, event: KeyPressEvent) -> None:
        """Clear the text, which the up key brings back; the second time in a row, leave, and the text stays."""
        buffer = event.current_buffer
        if self._was_armed or self._was_interrupted():
            event.app.exit(exception=EOFError())
            return
        self._is_armed = True
        if buffer.text:
            buffer.append_to_history()
            buffer.reset()
            self._changed(buffer)

    def _edit(self, event: KeyPressEvent) -> None:
        task = asyncio.get_running_loop().create_task(self._edit_outside(event.current_buffer))
        self._tasks.add(task)
        task.add_done_callback(self._edited)

    async def _edit_outside(self, buffer: Buffer) -> None:
        async with in_terminal():
            try:
                with self._in_editor():
                    text = await edit_text(buffer.text, "message.md")
            except MotetError as error:
                self._trouble = str(error)
                return
        text = text.removesuffix("\n").removesuffix("\r")
        buffer.text = text
        buffer.cursor_position = len(text)

    def _edited(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fail(error)

    # --- failing -----------------------------------------------------------------------------------------------

    @contextmanager
    def _failing_in_order(self) -> Generator[None]:
        """While the line is read, a callback that fails ends it, instead of being reported in the middle of it."""
        loop = asyncio.get_running_loop()
        before = loop.get_exception_handler()

        def failed(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
            error = context.get("exception")
            if "handle" in context and isinstance(error, BaseException):
                self._fail(error)
            elif before is not None:
                before(loop, context)
            else:
                loop.default_exception_handler(context)

        loop.set_exception_handler(failed)
        try:
            yield
        finally:
            loop.set_exception_handler(before)

    def _fail(self, error: BaseException) -> None:
        app = self._session.app
        if app.is_running and app.future is not None and not app.future.done():
            app.exit(exception=error)


class _Output(Vt100_Output):
    """A terminal that is never asked where its cursor is: the answer would come late over a slow line, and be taken
    for typed text by whatever reads next. All drawing is relative to the row of the prompt."""

    def __init__(self, file: TextIO) -> None:
        def size() -> Size:
            try:
                columns, rows = os.get_terminal_size(file.fileno())
            except (OSError, ValueError):
                columns = rows = 0
            return Size(rows=rows or 24, columns=columns or 80)

        super().__init__(file, size, enable_bell=False, enable_cpr=False)

    def get_rows_below_cursor_position(self) -> int:
        """One at least: what is drawn takes the rows it needs."""
        return 1


def _new_row(event: KeyPressEvent) -> None:
    event.current_buffer.newline(copy_margin=False)
