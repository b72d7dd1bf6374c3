"""Every setting: its type, default and meaning. `docs/settings.md` is written from this file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

PositiveInt = Annotated[int, Field(gt=0)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FixSettings(_Table):
    """`[fix]`: the loop of `motet fix`."""

    rounds: Annotated[int, Field(ge=1, le=50)] = Field(default=5, description="rounds of collect, ask, review, apply")
    severity: Literal["error", "warning", "info", "hint"] = Field(
        default="warning", description="the mildest problem to fix"
    )
    max_tokens: PositiveInt | None = Field(
        default=None, description="tokens that one run may use, input and output together"
    )
    max_cost: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="US dollars that one run may cost"
    )
    model_rounds: Annotated[int, Field(ge=1, le=100)] = Field(
        default=6, description="answers in a row that a model may give to one request, tool results in between"
    )
    server_timeout: Annotated[float, Field(gt=0)] = Field(
        default=60.0, description="seconds that a language server may take to answer"
    )


class ChatSettings(_Table):
    """`[chat]`: limits and habits of chats."""

    rounds: Annotated[int, Field(ge=1, le=1000)] = Field(default=50, description="answers of the model in one turn")
    max_tokens: PositiveInt | None = Field(default=None, description="tokens that one turn may use")
    max_cost: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="US dollars that one turn may cost"
    )
    max_prompt_tokens: PositiveInt | None = Field(
        default=None, description="tokens of one request, besides the model's own limit"
    )
    keep_cycles: Annotated[int, Field(ge=1, le=100)] = Field(
        default=3, description="newest turns that stay word for word when a long chat is summed up"
    )
    titles: bool = Field(default=True, description="let a model name new chats")
    context_order: Literal["before", "after"] = Field(
        default="before", description="what is shared comes before or after your text"
    )
    editing_mode: Literal["emacs", "vi"] = Field(default="emacs", description="keys of the line you type in")


class PluginSettings(_Table):
    """`[variables.NAME]`, `[commands.NAME]`, `[tools.own.NAME]`: your own, as plain Python functions."""

    callback: str = Field(
        description="`package.module:function`, or `file.py:function` in the directory of the settings"
    )
    description: str = Field(
        default="", description="what completion and help say; default: the function's docstring"
    )
    contains_code: bool = Field(default=True, description="whether it shares code")
    effects: list[Literal["read", "write", "run", "net"]] | None = Field(
        default=None, description="of a tool: what it does to the world; default: all of it"
    )


class ToolsSettings(_Table):
    """`[tools]`: what a model may do besides talking."""

    default: list[str] = Field(default_factory=list, description="tools and groups that every new chat has")
    timeout: Annotated[float, Field(gt=0)] = Field(default=600.0, description="seconds that one call may take")
    own: dict[str, PluginSettings] = Field(default_factory=dict)


class RulesSettings(_Table):
    """`[rules.NAME]`: files with rules of your own, for chats about certain files."""

    rules: list[str] = Field(description="the files: paths in the workspace, absolute ones, or `~/…`")
    files: list[str] = Field(default_factory=list, description="globs such as `**/*.ts`; default: always")


class WebSettings(_Table):
    """`[web]`: where `web_search` asks; without any of these there is no such tool."""

    searxng: str = Field(default="", description="address of a SearXNG server that answers in JSON")
    tavily_key: str | None = Field(default=None, description="`env:NAME` or `cmd:COMMAND`, for api.tavily.com")
    brave_key: str | None = Field(default=None, description="`env:NAME` or `cmd:COMMAND`, for api.search.brave.com")
    allow_private: bool = Field(
        default=False, description="pages of this machine and of private networks may be read"
    )


class GroupSettings(_Table):
    """`[groups.NAME]`: files that `#group:NAME` shares, tools that `@NAME` hands over."""

    description: str = Field(default="", description="what completion says")
    files: list[str] = Field(default_factory=list, description="globs such as `src/api/**`")
    tools: list[str] = Field(default_factory=list, description="names of tools and groups")
    prompt: str = Field(default="", description="what the model is told when it gets the group")
    replaces_system: bool = Field(default=False, description="the prompt takes the place of motet's own")


class ModelSettings(_Table):
    """`[models]`: a model of its own for a kind of work; what is not set is done by `model`."""

    chat: str | None = Field(default=None, description="talks with you, and acts with tools")
    edit: str | None = Field(default=None, description="`motet edit` and `motet fix`")
    title: str | None = Field(default=None, description="names chats; a small one will do")
    compact: str | None = Field(default=None, description="sums up chats that have become long")
    reply: str | None = Field(default=None, description="judges whether a post on a board wants a reply")


class ProviderSettings(_Table):
    """`[providers.NAME]`: a provider of your own, or changes to a known one."""

    base_url: str | None = Field(
        default=None, description="address of the API, up to and without `/chat/completions`"
    )
    dialect: Literal["openai", "anthropic"] | None = Field(
        default=None, description="which protocol the address speaks"
    )
    key: str | None = Field(
        default=None,
        description="`env:NAME`, `cmd:COMMAND` whose first output line is the key, `file` (motet's own), `keyring`",
    )
    model: str | None = Field(default=None, description="the model that the provider's name alone stands for")
    context_tokens: PositiveInt | None = Field(default=None, description="window of the model, in tokens")
    output_tokens: PositiveInt | None = Field(default=None, description="most tokens of one answer")
    tools: bool | None = Field(default=None, description="whether the model calls tools; without, edits come as text")
    images: bool | None = Field(default=None, description="whether the model sees pictures")
    documents: bool | None = Field(default=None, description="whether the model reads PDF")
    timeout: Annotated[float, Field(gt=0)] = Field(default=300.0, description="seconds of silence before giving up")
    body: dict[str, object] = Field(default_factory=dict, description="further fields of each request")
    input_price: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="US dollars per million input tokens"
    )
    output_price: Annotated[float, Field(ge=0)] | None = Field(default=None, description="the same for output tokens")


class ServerSettings(_Table):
    """`[servers.NAME]`: a language server of your own, or `disabled = true` for a known one."""

    command: list[str] = Field(default_factory=list, description="program and arguments")
    languages: dict[str, str] = Field(default_factory=dict, description="file suffix to language id")
    settings: dict[str, object] = Field(default_factory=dict, description="answers to workspace/configuration")
    disabled: bool = Field(default=False, description="never start this server")


class CheckerSettings(_Table):
    """`[checkers.NAME]`: a compiler, linter or test runner whose output names places."""

    command: str = Field(description="the command line, as you would type it")


class PermissionSettings(_Table):
    """`[permissions]`: rules such as `send:anthropic *`, `run:pytest *`, `net:*.python.org`, `write:docs/*`; deny wins
    over ask, ask over allow. A command is allowed by its first words, one by one; what destroys is only allowed by a
    rule that says it."""

    allow: list[str] = Field(default_factory=list)
    ask: list[str] = Field(default_factory=list)
    deny: list[str] = Field(default_factory=list)


class Settings(_Table):
    """The whole of `config.toml`."""

    model: str | None = Field(
        default=None, description="`provider/model`, `provider` or `offline`; default: the first usable"
    )
    ignore: list[str] = Field(default_factory=list, description="gitignore patterns of files to leave out")
    send_code: bool = Field(default=True, description="false: nothing that holds code leaves this machine")
    fix: FixSettings = Field(default_factory=FixSettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    tools: ToolsSettings = Field(default_factory=ToolsSettings)
    rules: dict[str, RulesSettings] = Field(default_factory=dict)
    web: WebSettings = Field(default_factory=WebSettings)
    groups: dict[str, GroupSettings] = Field(default_factory=dict)
    variables: dict[str, PluginSettings] = Field(default_factory=dict)
    commands: dict[str, PluginSettings] = Field(default_factory=dict)
    models: ModelSettings = Field(default_factory=ModelSettings)
    providers: dict[str, ProviderSettings] = Field(default_factory=dict)
    servers: dict[str, ServerSettings] = Field(default_factory=dict)
    checkers: dict[str, CheckerSettings] = Field(default_factory=dict)
    permissions: PermissionSettings = Field(default_factory=PermissionSettings)
