"""Every setting: its type, default and meaning. `docs/settings.md` is written from this file."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

PositiveInt = Annotated[int, Meta(gt=0)]
PositiveFloat = Annotated[float, Meta(gt=0)]
AtLeastZero = Annotated[float, Meta(ge=0)]

SourceName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$")]
EditFormat = Literal["replace_in_file", "edit_file", "whole_file", "apply_patch", "anchored"]
"""How a model writes its edits; each has a tool."""


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table whose keys are known; no table is changed once it is read."""


class FixSettings(_Table, frozen=True):
    """`[fix]`: the loop of `motet fix`."""

    rounds: Annotated[int, Meta(ge=1, le=50, description="rounds of collect, ask, review, apply")] = 5
    severity: Annotated[
        Literal["error", "warning", "info", "hint"], Meta(description="the mildest problem to fix")
    ] = "warning"
    max_tokens: Annotated[
        PositiveInt | None, Meta(description="tokens that one run may use, input and output together")
    ] = None
    max_cost: Annotated[PositiveFloat | None, Meta(description="US dollars that one run may cost")] = None
    model_rounds: Annotated[
        int,
        Meta(
            ge=1, le=100, description="answers in a row that a model may give to one request, tool results in between"
        ),
    ] = 6
    server_timeout: Annotated[float, Meta(gt=0, description="seconds that a language server may take to answer")] = (
        60.0
    )


class ChatSettings(_Table, frozen=True):
    """`[chat]`: limits and habits of chats."""

    rounds: Annotated[int, Meta(ge=1, le=1000, description="answers of the model in one turn")] = 50
    max_tokens: Annotated[PositiveInt | None, Meta(description="tokens that one turn may use")] = None
    max_cost: Annotated[PositiveFloat | None, Meta(description="US dollars that one turn may cost")] = None
    max_minutes: Annotated[
        PositiveInt | None, Meta(description="minutes after which a turn begins no further answer")
    ] = None
    max_prompt_tokens: Annotated[
        PositiveInt | None, Meta(description="tokens of one request, besides the model's own limit")
    ] = None
    keep_cycles: Annotated[
        int, Meta(ge=1, le=100, description="newest turns that stay word for word when a long chat is summed up")
    ] = 3
    map_tokens: Annotated[
        int,
        Meta(
            ge=0, le=20_000, description="tokens of the map of the project that goes along with a chat; 0: none goes"
        ),
    ] = 1_000
    titles: Annotated[bool, Meta(description="let a model name new chats")] = True
    context_order: Annotated[
        Literal["before", "after"], Meta(description="what is shared comes before or after your text")
    ] = "before"
    editing_mode: Annotated[Literal["emacs", "vi"], Meta(description="keys of the line you type in")] = "emacs"


class SpendingSettings(_Table, frozen=True):
    """`[spending]`: what all your chats and runs may use in a day, together; counted where you are, from midnight."""

    max_tokens_per_day: Annotated[
        PositiveInt | None, Meta(description="tokens in a day, input and output together")
    ] = None
    max_cost_per_day: Annotated[PositiveFloat | None, Meta(description="US dollars in a day")] = None


class BoardSettings(_Table, frozen=True):
    """`[board]`: boards, on which agents and humans write to each other. Nothing of them runs until one is opened."""

    url: Annotated[
        str,
        Meta(
            description="boards of a team, on a server: `postgresql://USER@HOST/DATABASE`, perhaps with `?schema=NAME` "
            "(default: motet); default: a file of your own"
        ),
    ] = ""
    password: Annotated[
        str | None,
        Meta(description="of that server: `env:NAME` or `cmd:COMMAND`; default: of the URL, PGPASSWORD, ~/.pgpass"),
    ] = None
    project: Annotated[
        str, Meta(description="under which name this project's boards are kept; default: its directory's path")
    ] = ""
    name: Annotated[str, Meta(description="how you are mentioned; default: your user name")] = ""
    hops: Annotated[
        int, Meta(ge=0, le=1000, description="replies in a row that one post may cause before you are asked")
    ] = 6
    max_tokens: Annotated[PositiveInt, Meta(description="tokens that one post may cause before you are asked")] = (
        500_000
    )
    max_cost: Annotated[PositiveFloat, Meta(description="US dollars, the same")] = 1.0
    max_minutes: Annotated[PositiveInt, Meta(description="minutes, the same")] = 60
    agent_posts: Annotated[PositiveInt | None, Meta(description="posts of one agent in a minute")] = 30
    pair_posts: Annotated[PositiveInt | None, Meta(description="posts of one agent to one other in a minute")] = 15
    board_posts: Annotated[PositiveInt | None, Meta(description="posts of agents on one board in a minute")] = 600
    alone_posts: Annotated[
        PositiveInt, Meta(description="posts of agents on one board after which a human has to write or `continue`")
    ] = 300
    agent_posts_per_day: Annotated[PositiveInt, Meta(description="posts of one agent in a day (UTC)")] = 1_000
    board_posts_per_day: Annotated[PositiveInt, Meta(description="posts of agents on one board in a day")] = 5_000
    alert_posts: Annotated[
        PositiveInt, Meta(description="posts of agents on one board in a minute of which you are told")
    ] = 60
    request_minutes: Annotated[PositiveInt, Meta(description="minutes after which a request is overdue")] = 60
    agent_tokens_per_day: Annotated[
        PositiveInt | None, Meta(description="tokens of the turns that boards cause, of one agent in a day (UTC)")
    ] = 5_000_000
    agent_cost_per_day: Annotated[PositiveFloat | None, Meta(description="US dollars, the same")] = 10.0
    board_tokens_per_day: Annotated[PositiveInt | None, Meta(description="tokens, of one board in a day")] = (
        20_000_000
    )
    board_cost_per_day: Annotated[PositiveFloat | None, Meta(description="US dollars, the same")] = 50.0
    all_tokens: Annotated[
        PositiveInt, Meta(description="tokens from which on a model has to say a post to everyone twice")
    ] = 100_000
    reply: Annotated[
        Literal["never", "mentioned", "decide", "ask"],
        Meta(description="when a chat on a board answers by itself: `decide` asks a model, `ask` asks you"),
    ] = "mentioned"
    forget_days: Annotated[PositiveInt, Meta(description="days after which an agent that is gone is closed")] = 14


class PluginSettings(_Table, frozen=True):
    """`[variables.NAME]`, `[commands.NAME]`, `[tools.own.NAME]`: your own, as plain Python functions."""

    callback: Annotated[
        str, Meta(description="`package.module:function`, or `file.py:function` in the directory of the settings")
    ]
    description: Annotated[
        str, Meta(description="what completion and help say; default: the function's docstring")
    ] = ""
    contains_code: Annotated[bool, Meta(description="whether it shares code")] = True
    effects: Annotated[
        list[Literal["read", "write", "run", "net"]] | None,
        Meta(description="of a tool: what it does to the world; default: all of it"),
    ] = None


class HooksSettings(_Table, frozen=True):
    """`[hooks]`: functions of your own around each turn of a chat, as `package.module:function` or `file.py:function`."""

    before_submit: Annotated[
        list[str], Meta(description="get your text; give another, `None` for the same, `False` to cancel")
    ] = field(default_factory=list)
    completed: Annotated[list[str], Meta(description="get how a turn ended")] = field(default_factory=list)
    event: Annotated[list[str], Meta(description="get every event of a chat")] = field(default_factory=list)
    context: Annotated[
        str,
        Meta(
            description="gets your text and the files in the chat, and gives what goes along by itself (`#diff`, `@/path`, `map`); default: the map"
        ),
    ] = ""


class ToolsSettings(_Table, frozen=True):
    """`[tools]`: what a model may do besides talking."""

    default: Annotated[list[str], Meta(description="tools and groups that every new chat has")] = field(
        default_factory=list
    )
    timeout: Annotated[float, Meta(gt=0, description="seconds that one call may take")] = 600.0
    own: dict[str, PluginSettings] = field(default_factory=dict)


class SnapshotSettings(_Table, frozen=True):
    """`[snapshots]`: what is kept before a model's command runs, so that `motet undo` brings back what it destroys."""

    commands: Annotated[bool, Meta(description="take one before each command that may write")] = True
    files: Annotated[PositiveInt, Meta(description="entries of directories that one may hold")] = 100_000
    megabytes: Annotated[PositiveInt, Meta(description="MiB of contents that one may hold")] = 512
    file_megabytes: Annotated[
        int, Meta(ge=1, le=512, description="MiB of one file; a larger one is left out, and you are told")
    ] = 64


class RulesSettings(_Table, frozen=True):
    """`[rules.NAME]`: files with rules of your own, for chats about certain files."""

    rules: Annotated[list[str], Meta(description="the files: paths in the workspace, absolute ones, or `~/…`")]
    files: Annotated[list[str], Meta(description="globs such as `**/*.ts`; default: always")] = field(
        default_factory=list
    )


class WebSettings(_Table, frozen=True):
    """`[web]`: where `web_search` asks; without any of these there is no such tool."""

    searxng: Annotated[str, Meta(description="address of a SearXNG server that answers in JSON")] = ""
    tavily_key: Annotated[str | None, Meta(description="`env:NAME` or `cmd:COMMAND`, for api.tavily.com")] = None
    brave_key: Annotated[str | None, Meta(description="`env:NAME` or `cmd:COMMAND`, for api.search.brave.com")] = None
    allow_private: Annotated[bool, Meta(description="pages of this machine and of private networks may be read")] = (
        False
    )


class SourceSettings(_Table, frozen=True):
    """`[index.sources.NAME]`: something else to search, with `#codebase:NAME` and `@rag:NAME`; one of the first three."""

    directory: Annotated[str, Meta(description="a folder, such as a wiki; indexed as the project is")] = ""
    command: Annotated[
        str, Meta(description="a program that prints a JSON list of passages; `{question}` stands for what is asked")
    ] = ""
    callback: Annotated[
        str, Meta(description="`package.module:function` or `file.py:function`: gets the question, gives such a list")
    ] = ""
    description: Annotated[str, Meta(description="what it is, for completion and for models")] = ""

    def __post_init__(self) -> None:
        """Raises `ValueError`, which names no source."""
        if sum(map(bool, (self.directory, self.command, self.callback))) != 1:
            raise ValueError("a source needs one of `directory`, `command` and `callback`")


class IndexSettings(_Table, frozen=True):
    """`[index]`: passages of the project that are found for a question (`#codebase`, `@rag`)."""

    mode: Annotated[
        Literal["mention", "auto", "off"],
        Meta(
            description="`mention`: only when you or a model asks for passages; `auto`: two or three come along with "
            "each message that is about the project; `off`: never"
        ),
    ] = "mention"
    tokens: Annotated[int, Meta(ge=500, le=50_000, description="how much `#codebase` shares at most")] = 6_000
    source: Annotated[
        str, Meta(description="name of the source that takes the place of motet's own index; default: none does")
    ] = ""
    sources: dict[SourceName, SourceSettings] = field(default_factory=dict)


class GroupSettings(_Table, frozen=True):
    """`[groups.NAME]`: files that `#group:NAME` shares, tools that `@NAME` hands over."""

    description: Annotated[str, Meta(description="what completion says")] = ""
    files: Annotated[list[str], Meta(description="globs such as `src/api/**`")] = field(default_factory=list)
    tools: Annotated[list[str], Meta(description="names of tools and groups")] = field(default_factory=list)
    prompt: Annotated[str, Meta(description="what the model is told when it gets the group")] = ""
    replaces_system: Annotated[bool, Meta(description="the prompt takes the place of motet's own")] = False


class ModelSettings(_Table, frozen=True):
    """`[models]`: a model of its own for a kind of work; what is not set is done by `model`."""

    chat: Annotated[str | None, Meta(description="talks with you, and acts with tools")] = None
    edit: Annotated[str | None, Meta(description="`motet edit` and `motet fix`")] = None
    title: Annotated[str | None, Meta(description="names chats; a small one will do")] = None
    compact: Annotated[str | None, Meta(description="sums up chats that have become long")] = None
    reply: Annotated[str | None, Meta(description="judges whether a post on a board wants a reply")] = None


class ProviderSettings(_Table, frozen=True):
    """`[providers.NAME]`: a provider of your own, or changes to a known one."""

    base_url: Annotated[str | None, Meta(description="address of the API, up to and without `/chat/completions`")] = (
        None
    )
    dialect: Annotated[
        Literal["openai", "openai-responses", "anthropic", "pydantic-ai"] | None,
        Meta(
            description="the protocol: chat completions, OpenAI's responses (whose models reason with tools), messages; "
            "or whatever pydantic-ai speaks (Bedrock, Google Cloud, …: `pip install 'motet[pydantic-ai]'`)"
        ),
    ] = None
    key: Annotated[
        str | None,
        Meta(
            description="`env:NAME`, `cmd:COMMAND` whose first output line is the key, `file` (motet's own), `keyring`"
        ),
    ] = None
    model: Annotated[str | None, Meta(description="the model that the provider's name alone stands for")] = None
    context_tokens: Annotated[PositiveInt | None, Meta(description="window of the model, in tokens")] = None
    output_tokens: Annotated[PositiveInt | None, Meta(description="most tokens of one answer")] = None
    tools: Annotated[bool | None, Meta(description="whether the model calls tools; without, edits come as text")] = (
        None
    )
    images: Annotated[bool | None, Meta(description="whether the model sees pictures")] = None
    documents: Annotated[bool | None, Meta(description="whether the model reads PDF")] = None
    edit_format: Annotated[
        EditFormat | None,
        Meta(description="how its models write edits in chats (`motet bench`); default: `replace_in_file`"),
    ] = None
    timeout: Annotated[float, Meta(gt=0, description="seconds of silence before giving up")] = 300.0
    body: Annotated[dict[str, object], Meta(description="further fields of each request")] = field(
        default_factory=dict
    )
    service: Annotated[
        str | None, Meta(description="pydantic-ai's name of the provider, where yours is another: `bedrock`")
    ] = None
    options: Annotated[
        dict[str, str],
        Meta(description="what pydantic-ai's class for the provider takes: `region_name`, `project`; never a key"),
    ] = field(default_factory=dict)
    input_price: Annotated[AtLeastZero | None, Meta(description="US dollars per million input tokens")] = None
    output_price: Annotated[AtLeastZero | None, Meta(description="the same for output tokens")] = None


class ServerSettings(_Table, frozen=True):
    """`[servers.NAME]`: a language server of your own, or `disabled = true` for a known one."""

    command: Annotated[list[str], Meta(description="program and arguments")] = field(default_factory=list)
    languages: Annotated[dict[str, str], Meta(description="file suffix to language id")] = field(default_factory=dict)
    settings: Annotated[dict[str, object], Meta(description="answers to workspace/configuration")] = field(
        default_factory=dict
    )
    disabled: Annotated[bool, Meta(description="never start this server")] = False


class CheckerSettings(_Table, frozen=True):
    """`[checkers.NAME]`: a compiler, linter or test runner whose output names places."""

    command: Annotated[str, Meta(description="the command line, as you would type it")]


class PermissionSettings(_Table, frozen=True):
    """`[permissions]`: rules such as `send:anthropic *`, `run:pytest *`, `net:*.python.org`, `write:docs/*`; deny wins
    over ask, ask over allow. A command is allowed by its first words, one by one; what destroys is only allowed by a
    rule that says it."""

    allow: list[str] = field(default_factory=list)
    ask: list[str] = field(default_factory=list)
    deny: list[str] = field(default_factory=list)


class Settings(_Table, frozen=True):
    """The whole of `config.toml`."""

    model: Annotated[
        str | None, Meta(description="`provider/model`, `provider` or `offline`; default: the first usable")
    ] = None
    edit_format: Annotated[
        EditFormat | None,
        Meta(description="how all models write edits in chats; default: what their provider's table says"),
    ] = None
    ignore: Annotated[list[str], Meta(description="gitignore patterns of files to leave out")] = field(
        default_factory=list
    )
    encoding: Annotated[
        str | None,
        Meta(
            description="of files that are no UTF-8 and declare none, such as `latin-1`; default: what each looks like"
        ),
    ] = None
    send_code: Annotated[bool, Meta(description="false: nothing that holds code leaves this machine")] = True
    plugins: Annotated[
        bool, Meta(description="false: plug-ins that are installed beside motet (`motet.plugins`) are not loaded")
    ] = True
    fix: FixSettings = field(default_factory=FixSettings)
    chat: ChatSettings = field(default_factory=ChatSettings)
    spending: SpendingSettings = field(default_factory=SpendingSettings)
    board: BoardSettings = field(default_factory=BoardSettings)
    tools: ToolsSettings = field(default_factory=ToolsSettings)
    snapshots: SnapshotSettings = field(default_factory=SnapshotSettings)
    hooks: HooksSettings = field(default_factory=HooksSettings)
    rules: dict[str, RulesSettings] = field(default_factory=dict)
    web: WebSettings = field(default_factory=WebSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    groups: dict[str, GroupSettings] = field(default_factory=dict)
    variables: dict[str, PluginSettings] = field(default_factory=dict)
    commands: dict[str, PluginSettings] = field(default_factory=dict)
    models: ModelSettings = field(default_factory=ModelSettings)
    providers: dict[str, ProviderSettings] = field(default_factory=dict)
    servers: dict[str, ServerSettings] = field(default_factory=dict)
    checkers: dict[str, CheckerSettings] = field(default_factory=dict)
    permissions: PermissionSettings = field(default_factory=PermissionSettings)
