"""One run of a prompt: its steps, one after the other in one chat, until its condition holds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass

from motet.chat import Chat, ChatEvent
from motet.cli.chat_json import ChatJson
from motet.cli.chat_lines import AnswerView, drawn
from motet.cli.given_files import GivenFile, given_files, share_files
from motet.cli.terminal import Terminal
from motet.context import PromptEntry, RuleGroup, find_rules, share_path
from motet.diagnostics import DiagnosticsService
from motet.engine import Engine
from motet.engine.filling import filled, sources_of
from motet.errors import ExitCode, UsageError
from motet.messages import Message, tags
from motet.text import Severity
from motet.turn import ToolFinished

_EMBEDDED = ("file", "code", "diagnostics")
"""Placeholders that put the text of the last file into the prompt."""
_OF_A_FILE = (*_EMBEDDED, "filename", "filetype")


@dataclass(slots=True)
class PromptRun:
    """Runs `entry` in a new chat; the answer goes to stdout as `motet ask` writes it, or events with `as_json`."""

    engine: Engine
    entry: PromptEntry
    terminal: Terminal
    as_json: bool
    tool_errors: int = 0

    async def run(self, chat: Chat, why: str, typed: Sequence[str], given: str) -> int:
        """Send the steps; the exit code. Raises `UsageError` for files, and for what the prompt asks for and is not
        there."""
        files = given_files(self.engine.root, typed)
        if not files and any(name in self.entry.needs for name in _OF_A_FILE):
            name = self.entry.name
            raise UsageError(f"the prompt {name} is about a file; name it, as in: motet prompt run {name} src/app.py")
        await self._equip(chat, files)
        async with AsyncExitStack() as stack:
            service = None
            if self._wants_diagnostics:
                service = await stack.enter_async_context(self.engine.diagnostics((), lambda _: None))
            texts = await self._text(chat, 0, files, given, service)
            self.terminal.line(f"Model: {chat.model.name} ({why})", "dim", hang=2)
            as_json = ChatJson() if self.as_json else None
            if as_json is not None:
                as_json.started(chat, why)
            view = AnswerView(self.terminal, chat.model.name, writes=not self.as_json)
            views = (view, as_json) if as_json is not None else (view,)
            return await self._steps(chat, texts, views, files, service)

    async def _steps(
        self,
        chat: Chat,
        text: str,
        views: Sequence[AnswerView | ChatJson],
        files: Sequence[GivenFile],
        service: DiagnosticsService | None,
    ) -> int:
        """All steps, the first of which is `text`; the last one again until the condition holds."""
        entry, condition = self.entry, self.entry.repeat_until
        last = len(entry.steps) - 1
        at, again = 0, 0
        while True:
            code = await drawn(self._counted(chat, text), *views)
            if code != ExitCode.DONE:
                return code
            if at >= last - 1 and condition is not None:
                facts = await self._facts(files, service)
                if facts is None or condition.holds(facts):
                    return ExitCode.DONE if facts is not None else ExitCode.PROBLEMS_REMAIN
                if at == last and again >= entry.max_repeats:
                    there = (
                        f"{condition.fact} is {facts[condition.fact]}, not {condition.comparison} {condition.number}"
                    )
                    self.terminal.line(f"After {again} repeats {there}.", "yellow", hang=2, always=True)
                    return ExitCode.PROBLEMS_REMAIN
                again += at == last
            elif at == last:
                return ExitCode.DONE
            at = min(at + 1, last)
            self.terminal.step(f"Step {at + 1} of {last + 1}" + (f", repeat {again}" if again else ""))
            text = await self._text(chat, at, files, "", service)

    async def _counted(self, chat: Chat, text: str) -> AsyncGenerator[ChatEvent]:
        """One turn, and how many of its calls failed."""
        self.tool_errors = 0
        async with aclosing(chat.send("", text, tag=tags.FROM_CUSTOM_PROMPT)) as events:
            async for event in events:
                if isinstance(event, ToolFinished):
                    self.tool_errors += event.output.is_error
                yield event

    async def _equip(self, chat: Chat, files: Sequence[GivenFile]) -> None:
        """Hand over the prompt's tools, and share its system prompt, its rules, and the files that it does not hold."""
        entry, terminal = self.entry, self.terminal
        for name in entry.tools:
            try:
                chat.share.attach(*chat.parts.tools.hand_over(name))
            except UsageError as error:
                terminal.line(f"prompt {entry.name}: left out: {error}", "yellow", hang=2)
        if entry.system:
            chat.share.attach(Message.system(entry.system, tags.FROM_CUSTOM_PROMPT))
        if entry.rules:
            group = RuleGroup(f"prompt {entry.name}", entry.rules)
            found = await find_rules((), sources_of(chat), groups=(group,))
            chat.share.attach(*found.messages)
            for line in found.notices:
                terminal.line(line, "yellow", hang=2)
        embeds = any(name in entry.needs for name in _EMBEDDED)
        await share_files(chat, files[:-1] if embeds else files, terminal)

    async def _text(
        self,
        chat: Chat,
        step: int,
        files: Sequence[GivenFile],
        given: str,
        service: DiagnosticsService | None,
    ) -> str:
        paths = tuple(file.path for file in files)
        values = await self._part(chat, files[-1]) if files and files[-1].lines else dict[str, str]()
        return await filled(chat, self.entry.steps[step], given, values, paths=paths, diagnoses=service)

    async def _part(self, chat: Chat, file: GivenFile) -> Mapping[str, str]:
        """What stands for the file of which only some lines are meant."""
        sources = sources_of(chat)
        await sources.require(file.path)
        shared = await share_path(file.path, sources, lines=file.lines, source="prompt")
        if not shared.messages:
            raise UsageError("; ".join(shared.notices) or f"{file.typed}: cannot be shared")
        text = "\n".join(message.text for message in shared.messages)
        return {"file": text, "code": text}

    @property
    def _wants_diagnostics(self) -> bool:
        condition = self.entry.repeat_until
        return "diagnostics" in self.entry.needs or (condition is not None and condition.fact != "tool_errors")

    async def _facts(
        self, files: Sequence[GivenFile], service: DiagnosticsService | None
    ) -> Mapping[str, int] | None:
        """What the condition may ask about; None, with a line that says why, where nobody can tell."""
        if service is None:
            return {"tool_errors": self.tool_errors}
        there = [await self.engine.workspace.read(file.path) for file in files]
        report = await service.check(there) if there else None
        if report is None or not report.sources:
            why = (
                "; ".join(report.advice)
                if report and report.advice
                else "no checker or language server for the files"
            )
            what = str(self.entry.repeat_until)
            self.terminal.line(f"Nobody can tell whether {what}: {why}.", "yellow", hang=2, always=True)
            return None
        worst = [found.severity for found in report.diagnostics]
        return {
            "diagnostics": len(worst),
            "errors": worst.count(Severity.ERROR),
            "warnings": worst.count(Severity.WARNING),
            "tool_errors": self.tool_errors,
        }
