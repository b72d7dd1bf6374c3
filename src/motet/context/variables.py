"""Variables: what `#name` puts beside a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from motet.context import own
from motet.context.editor_variables import EDITOR_VARIABLES
from motet.context.files import matching, share_files, share_path
from motet.context.project_variables import share_codebase, share_diagnostics, share_diff
from motet.context.sources import Group, Shared, Sources, notice
from motet.errors import MotetError, SettingsError
from motet.settings.callback import describe


class Variable(Protocol):
    """One variable. `contains_code`: whether what it shares holds code, which a setting can forbid to leave."""

    @property
    def name(self) -> str:
        """As it is written behind `#`."""
        ...

    @property
    def description(self) -> str:
        """One line for completion and help."""
        ...

    @property
    def contains_code(self) -> bool:
        """Whether it carries code."""
        ...

    @property
    def has_params(self) -> bool:
        """Whether `#{name:text}` is understood."""
        ...

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        """What it stands for now. Raises `MotetError`."""
        ...


class Variables:
    """The variables of a chat, by name, in the order in which help shows them."""

    def __init__(self, variables: Iterable[Variable] = ()) -> None:
        self._by_name: dict[str, Variable] = {}
        for variable in variables:
            self.add(variable)

    def add(self, variable: Variable) -> None:
        """Make it known, in the place of one with the same name. Raises `SettingsError` for a name that cannot be
        written."""
        name = variable.name
        if not name or not all(each.isalnum() or each in "_-:." for each in name) or not name[0].isalnum():
            raise SettingsError(f"variable {name!r}: a name has letters, digits, '_', '-', ':' and '.'")
        self._by_name[name] = variable

    def get(self, name: str) -> Variable | None:
        """The variable of this name, if there is one."""
        return self._by_name.get(name)

    @property
    def names(self) -> Mapping[str, bool]:
        """The names, and whether each takes a parameter."""
        return {name: variable.has_params for name, variable in self._by_name.items()}

    async def expand(self, name: str, param: str | None, sources: Sources) -> Shared:
        """What `#name` stands for. A failure is a notice; nothing is raised but `KeyError` for an unknown name."""
        variable = self._by_name[name]
        if variable.contains_code and not sources.may_share_code:
            return notice(f"#{name}: not shared: your settings forbid that code leaves")
        try:
            return await variable.expand(param, sources)
        except MotetError as error:
            return notice(f"#{name}: {error}")
        except Exception as error:  # noqa: BLE001 (a variable may be a plug-in; the chat lives on)
            return notice(f"#{name}: {describe(error, type(variable).expand)}")

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._by_name.values())

    def __contains__(self, name: str) -> bool:
        return name in self._by_name


@dataclass(frozen=True, slots=True)
class OwnVariable:
    """A variable that a user's function gives."""

    name: str
    function: own.Function
    description: str = ""
    contains_code: bool = True
    has_params: bool = False

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        """See `Variable`."""
        argument = (param or "") if self.has_params else None
        if argument == "" and own.may_be_left_away(self.function):
            argument = None
        return await own.call(self.function, argument, f"#{self.name}", "variable")


def own_variable(name: str, feature: own.Feature) -> OwnVariable:
    """The variable that the settings describe. Raises `SettingsError`."""
    setting = f"variables.{name}"
    function = own.load(feature.callback, setting)
    takes = own.takes_text(function, setting)
    if feature.has_params and not takes:
        raise SettingsError(f"{setting}: has_params is true, but the function takes no text")
    has_params = takes if feature.has_params is None else feature.has_params
    description = feature.description or own.first_line(function)
    return OwnVariable(name, function, description, feature.contains_code, has_params)


@dataclass(frozen=True, slots=True)
class GroupVariable:
    """`#group:name`: the files of one group of the settings."""

    group: Group
    contains_code: bool = True
    has_params: bool = False

    @property
    def name(self) -> str:
        """See `Variable`."""
        return f"group:{self.group.name}"

    @property
    def description(self) -> str:
        """See `Variable`."""
        return self.group.description or f"the files {', '.join(self.group.files)}"

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        """See `Variable`."""
        paths = await matching(self.group.files, sources)
        if not paths:
            return notice(f"#{self.name}: no file fits {', '.join(self.group.files)}")
        shared = await share_files(paths, sources, f"#{self.name}")
        count = len(shared.messages)
        words = f"the {count} file{'s' if count != 1 else ''} of the group `{self.group.name}`"
        return Shared(shared.messages, words if count else "", shared.notices)


@dataclass(frozen=True, slots=True)
class _Diagnostics:
    name: str = "diagnostics"
    description: str = "what compilers and linters complain about; `#diagnostics{path}` for one file"
    contains_code: bool = True
    has_params: bool = True

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        return await share_diagnostics(param, sources)


@dataclass(frozen=True, slots=True)
class _Diff:
    name: str = "diff"
    description: str = "what is not committed yet; `#diff{staged}` only what is staged"
    contains_code: bool = True
    has_params: bool = True

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        return await share_diff(param, sources)


@dataclass(frozen=True, slots=True)
class CodebaseVariable:
    """`#codebase`: passages of the project; `#codebase:NAME`: of the source of that name."""

    source: str = ""
    about: str = ""
    contains_code: bool = True
    has_params: bool = True

    @property
    def name(self) -> str:
        """See `Variable`."""
        return f"codebase:{self.source}" if self.source else "codebase"

    @property
    def description(self) -> str:
        """See `Variable`."""
        if self.source:
            return f"passages that answer your message: {self.about}"
        return "the passages of the project that answer your message; `#codebase{question}` another question"

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        """See `Variable`."""
        return await share_codebase(param, sources, self.source)


@dataclass(frozen=True, slots=True)
class _This:
    name: str = "this"
    description: str = "the selection, else the current buffer, else the file shared last"
    contains_code: bool = True
    has_params: bool = False

    async def expand(self, param: str | None, sources: Sources) -> Shared:
        if sources.editor is not None:
            by_name = {variable.name: variable for variable in EDITOR_VARIABLES}
            if await sources.editor.selection() is not None:
                return await by_name["selection"].expand(None, sources)
            return await by_name["buffer"].expand(None, sources)
        if sources.in_context:
            return await share_path(sources.in_context[-1], sources, source="#this")
        return notice("#this: there is no editor and no file is shared; name one, as in @/src/a.py")


def built_in_variables(groups: Sequence[Group] = ()) -> Variables:
    """The variables that need nothing from the user's settings, and one for each group."""
    return Variables(
        [*EDITOR_VARIABLES, _Diagnostics(), _Diff(), CodebaseVariable(), _This(), *map(GroupVariable, groups)]
    )
