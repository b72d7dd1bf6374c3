"""The registry, groups of tools, and what a chat was handed: nothing else runs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tools.tool_kit import Project

from motet.errors import SettingsError, UsageError
from motet.messages import Message, MessageStack, ToolCall, tags
from motet.permissions import Effect
from motet.tools import Toolbox, ToolOutput
from motet.tools.board_tool import BOARD_TOOLS, board_tools
from motet.tools.builtin import EDIT_TOOLS
from motet.tools.builtin.get_diagnostics import GetDiagnostics
from motet.tools.builtin.search_code import SearchCode
from motet.tools.builtin.web_search import WebSearch
from motet.tools.function_tool import FunctionTool
from motet.tools.groups import GROUPS, ToolGroup, ToolSet, names_in, own_group
from motet.tools.registry import BUILT_IN, ToolRegistry
from motet.web import SearchConfig


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def registry(project: Project) -> ToolRegistry:
    return ToolRegistry(project.kit, edit_format="edit_file")


def ticket(number: int) -> str:
    """Look a ticket up. By its number."""
    return f"ticket {number}"


def names(tools: ToolSet) -> list[str]:
    return [tool.spec.name for tool in tools.handed_over()]


# --- the registry ----------------------------------------------------------------------------------------------


def test_every_built_in_tool_has_its_name_a_description_and_a_schema(registry: ToolRegistry) -> None:
    for name in BUILT_IN:
        spec = registry.tool(name).spec
        assert spec.name == name
        assert len(spec.description) > 100
        assert all("description" in one or "$ref" in one for one in spec.definition.schema["properties"].values())


def test_what_only_reads_says_so_and_what_changes_says_what(registry: ToolRegistry) -> None:
    effects = {
        name: registry.tool(name).spec.effects for name in BUILT_IN if name not in ("fetch_url", "run_command")
    }
    reading = {name for name, one in effects.items() if one == {Effect.READ}}
    writing = {name for name, one in effects.items() if one == {Effect.WRITE}}
    assert reading == {
        "read_file", "list_files", "find_files", "search_text", "outline", "find_symbol", "find_references",
        "changed_files",
    }  # fmt: skip
    assert writing == {"create_file", "delete_file", "move_file", "remember"}
    assert set(effects) - reading - writing == {"ask_user", "update_plan"}


@pytest.mark.parametrize("edit_format", EDIT_TOOLS)
def test_what_each_tool_is_for_is_told_as_it_says_itself(project: Project, edit_format: str) -> None:
    wired = {
        "get_diagnostics": lambda kit: GetDiagnostics(kit, None),  # type: ignore[arg-type]
        "web_search": lambda kit: WebSearch(kit, SearchConfig(searxng="http://localhost:1")),
        "search_code": lambda kit: SearchCode(None),  # type: ignore[arg-type]
        "search_other": lambda kit: SearchCode(None, "search_other", "another one"),  # type: ignore[arg-type]
        **board_tools(None),  # type: ignore[arg-type]
    }
    own = {"ticket": FunctionTool(ticket)}
    registry = ToolRegistry(project.kit, wired=wired, own=own, edit_format=edit_format)
    told = {name: registry.about(name) for name in (*registry.names, "edit")}
    assert told == {name: registry.tool(name).spec.description for name in told}
    with pytest.raises(UsageError):
        registry.about("read_fil")


def test_a_tool_is_made_once(registry: ToolRegistry) -> None:
    assert registry.tool("update_plan") is registry.tool("update_plan")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("read_fil", "read_fil: there is no such tool; did you mean read_file, "),
        ("zzz", "zzz: there is no such tool; there is read_file, list_files, "),
    ],
)
def test_a_name_that_there_is_not_names_the_close_ones(registry: ToolRegistry, name: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        registry.tool(name)
    assert str(error.value).startswith(said)


def test_the_tool_for_edits_follows_the_format_of_the_model(registry: ToolRegistry) -> None:
    assert registry.tool("edit").spec.name == "edit_file"
    registry.edit_format = "apply_patch"
    assert registry.tool("edit").spec.name == "apply_patch"
    assert ("edit_file" in registry, "apply_patch" in registry) == (False, True)
    registry.edit_format = "udiff"  # written as text
    assert "edit" not in registry


@pytest.mark.acceptance("CC-16")
async def test_a_users_own_tool_is_one_among_the_others(project: Project) -> None:
    registry = ToolRegistry(project.kit, own={"ticket": FunctionTool(ticket)})
    tools = ToolSet(registry)
    tools.hand_over("ticket")
    [output] = await Toolbox(tools.handed_over()).run([ToolCall("1", "ticket", '{"number": 7}')])
    assert output.text == "ticket 7"
    assert tools.known["ticket"] == "Look a ticket up"


@pytest.mark.acceptance("S0-033")
@pytest.mark.parametrize("edit_format", EDIT_TOOLS)
async def test_every_tool_whoever_made_it_is_run_over_the_same_interface(project: Project, edit_format: str) -> None:
    registry = ToolRegistry(project.kit, own={"ticket": FunctionTool(ticket)}, edit_format=edit_format)
    assert registry.names == (*BUILT_IN, EDIT_TOOLS[edit_format], "ticket")
    toolbox = Toolbox(registry.tool(name) for name in registry.names)
    refused = await toolbox.run([ToolCall(name, name, "[]") for name in registry.names])
    assert [(type(output), output.is_error) for output in refused] == [(ToolOutput, True)] * len(registry.names)
    create = json.dumps({"path": "a.py", "content": "x = 1\n"})
    done = await toolbox.run(
        [
            ToolCall("1", "create_file", create),
            ToolCall("2", "read_file", '{"path": "a.py"}'),
            ToolCall("3", "ticket", '{"number": 7}'),
        ]
    )
    assert [(output.is_error, output.text.splitlines()[-1]) for output in done] == [
        (False, "a.py: created, applied 1 of 1 hunk"), (False, "   1│ x = 1"), (False, "ticket 7"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["read_file", "edit", "replace_in_file"])
def test_a_users_own_tool_does_not_take_the_name_of_another(project: Project, name: str) -> None:
    with pytest.raises(SettingsError, match=f"tools.own.{name}: there is a tool of that name already"):
        ToolRegistry(project.kit, own={name: FunctionTool(ticket, name=name)})


def test_a_tool_that_needs_more_is_there_when_somebody_has_it(project: Project) -> None:
    class Source:
        async def check(self, files: object) -> object: ...

    registry = ToolRegistry(project.kit, wired={"get_diagnostics": lambda kit: GetDiagnostics(kit, Source())})  # type: ignore[arg-type]
    assert registry.tool("get_diagnostics").spec.name == "get_diagnostics"
    assert "get_diagnostics" not in ToolRegistry(project.kit)


# --- handing over ----------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-107", "S0-108", "CC-08")
async def test_nothing_is_handed_over_by_itself_and_then_nothing_runs(
    project: Project, registry: ToolRegistry
) -> None:
    tools = ToolSet(registry)
    assert (tools.names, tools.handed_over(), Toolbox(tools.handed_over()).definitions) == ((), [], ())
    calls = [ToolCall("1", "create_file", json.dumps({"path": "a.py", "content": "x"}))]
    [output] = await Toolbox(tools.handed_over()).run(calls)
    assert output.text == "there is no tool 'create_file' here; the tools are: none"
    assert (project.files, project.reviewer.seen) == ([], [])


@pytest.mark.acceptance("S0-107", "S0-108")
async def test_only_what_was_handed_over_runs(project: Project, registry: ToolRegistry) -> None:
    project.write("a.py", "a\n")
    tools = ToolSet(registry)
    tools.hand_over("@readonly")
    read, create = await Toolbox(tools.handed_over()).run(
        [ToolCall("1", "read_file", '{"path": "a.py"}'), ToolCall("2", "create_file", '{"path": "b.py"}')]
    )
    assert (read.is_error, create.is_error, project.files) == (False, True, ["a.py"])
    assert create.text.startswith("there is no tool 'create_file' here; the tools are: read_file, ")


def test_a_group_is_its_tools_in_order_and_what_is_not_set_up_is_left_out(registry: ToolRegistry) -> None:
    tools = ToolSet(registry)
    tools.hand_over("editor")
    tools.hand_over("files")
    assert names(tools) == [
        "read_file", "edit_file", "list_files", "find_files", "search_text", "create_file", "delete_file", "move_file",
    ]  # fmt: skip
    assert tools.names == ("editor", "files")


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_group_names_only_tools_that_there_are_or_will_be(registry: ToolRegistry, group: str) -> None:
    later = {"search_code", "get_diagnostics", "web_search", *BOARD_TOOLS}
    assert [one for one in GROUPS[group].tools if one not in registry and one not in later] == []


def test_nothing_in_the_group_that_only_reads_changes_anything(registry: ToolRegistry) -> None:
    tools = ToolSet(registry)
    tools.hand_over("readonly")
    assert all(tool.spec.only_reads for tool in tools.handed_over())


@pytest.mark.acceptance("S0-113")
async def test_what_only_reads_leaves_every_file_as_it_was(project: Project, registry: ToolRegistry) -> None:
    project.write("src/a.py", "def area():\n    return 1\n")
    project.git("init", "-q")
    project.commit()
    project.write("src/a.py", "def area():\n    return 2\n")

    def everything() -> dict[Path, tuple[int, bytes]]:
        files = (path for path in project.root.parent.rglob("*") if path.is_file())
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    before = everything()
    tools = ToolSet(registry)
    tools.hand_over("readonly")
    arguments = {
        "read_file": {"path": "src/a.py"},
        "find_files": {"name": "a"},
        "search_text": {"pattern": "ar.a"},
        "outline": {"path": "src/a.py"},
        "find_symbol": {"name": "area"},
        "find_references": {"name": "area"},
        "ask_user": {"questions": [{"question": "?"}]},
        "update_plan": {"steps": []},
    }
    calls = [ToolCall(name, name, json.dumps(arguments.get(name, {}))) for name in names(tools)]
    outputs = await Toolbox(tools.handed_over()).run(calls)
    assert [call.name for call, output in zip(calls, outputs, strict=True) if output.is_error] == ["ask_user"]
    assert everything() == before


def test_a_group_of_which_nothing_is_set_up_cannot_be_handed_over(registry: ToolRegistry) -> None:
    groups = {"later": ToolGroup("later", "", ("search_code", "browse"))}
    tools = ToolSet(registry, groups)
    with pytest.raises(UsageError, match=r"later: none of its tools is set up here \(search_code, browse\)"):
        tools.hand_over("@later")
    assert tools.names == ()


def test_a_name_that_is_no_tool_and_no_group_names_the_close_ones(registry: ToolRegistry) -> None:
    with pytest.raises(UsageError, match="agnet: there is no such tool or group; did you mean agent"):
        ToolSet(registry).hand_over("agnet")


@pytest.mark.acceptance("S0-106", "S2-038", "S2-040")
def test_the_first_one_brings_the_guidelines_and_each_its_own_prompt(registry: ToolRegistry) -> None:
    tools = ToolSet(registry)
    guidelines, agent = tools.hand_over("agent")
    assert (guidelines.tag, agent.tag) == (tags.TOOL_SYSTEM_PROMPT, tags.TOOL)
    assert guidelines.text.startswith("You have been handed tools.")
    assert "Carry out the task to its end" in agent.text
    assert "`edit_file`" in agent.text
    assert (guidelines.visible, agent.visible) == (False, False)
    [fetch] = tools.hand_over("fetch_url")
    assert (fetch.tag, fetch.text) == (tags.TOOL, "The human has handed you the tool `fetch_url`.")
    assert tools.hand_over("agent") == []


@pytest.mark.acceptance("S2-051", "S2-038", "S2-040")
def test_taking_a_group_away_removes_exactly_what_it_brought(registry: ToolRegistry) -> None:
    tools, stack = ToolSet(registry), MessageStack(Message.system("You are motet.", tags.SYSTEM_PROMPT))
    for name in ("readonly", "files", "fetch_url"):
        for message in tools.hand_over(name):
            stack.append(message)
    stack.append(Message.user("Hello"))
    removed = stack.remove_context(tools.take_away("@files"))
    assert [message.text.split(":")[0] for message in removed] == ["The human has handed you tools"]
    assert [message.context.id for message in stack if message.context] == [
        "<tools>motet</tools>", "<group>readonly</group>", "<tool>fetch_url</tool>",
    ]  # fmt: skip
    assert "search_text" in names(tools)  # the other group has it as well
    assert "create_file" not in names(tools)
    stack.remove_context(tools.take_away("readonly"))
    stack.remove_context(tools.take_away("fetch_url"))
    assert [message.text for message in stack] == ["You are motet.", "Hello"]
    assert (tools.handed_over(), tools.take_away("files")) == ([], [])


def test_after_all_were_taken_away_the_guidelines_come_again(registry: ToolRegistry) -> None:
    tools = ToolSet(registry)
    tools.hand_over("web")
    tools.take_away("web")
    assert [message.tag for message in tools.hand_over("files")] == [tags.TOOL_SYSTEM_PROMPT, tags.TOOL]


def test_a_chat_that_is_opened_again_has_its_tools(registry: ToolRegistry) -> None:
    tools = ToolSet(registry)
    stored = [*tools.hand_over("files"), *tools.hand_over("ask_user"), Message.user("Hello")]
    again = ToolSet(registry, handed=names_in(stored))
    assert (again.names, names(again)) == (tools.names, names(tools))
    assert again.hand_over("files") == []
    assert [message.tag for message in again.hand_over("web")] == [tags.TOOL]


def test_what_is_not_set_up_any_more_is_left_out_of_a_chat_that_is_opened_again(registry: ToolRegistry) -> None:
    assert ToolSet(registry, handed=["files", "gone", "files"]).names == ("files",)


def test_what_is_tried_with_a_copy_does_not_count(registry: ToolRegistry) -> None:
    tools = ToolSet(registry)
    tools.hand_over("web")
    tried = tools.copy()
    assert [message.tag for message in tried.hand_over("files")] == [tags.TOOL]
    assert (tried.names, tools.names) == (("web", "files"), ("web",))


# --- the user's own groups -------------------------------------------------------------------------------------


def test_an_own_group_takes_tools_and_groups(registry: ToolRegistry) -> None:
    group = own_group("look", ["@editor", "outline", "read_file"], registry.names, description="look", prompt="Look.")
    assert group == ToolGroup("look", "look", ("read_file", "edit", "get_diagnostics", "outline"), "Look.")
    tools = ToolSet(registry, {"look": group})
    _, message = tools.hand_over("look")
    assert message.text == "The human has handed you tools: `read_file`, `edit_file`, `outline`.\n\nLook."


def test_an_own_group_may_take_the_place_of_the_system_prompt(registry: ToolRegistry) -> None:
    group = own_group("poet", ["read_file"], registry.names, prompt="You are a poet.", replaces_system=True)
    tools = ToolSet(registry, {"poet": group})
    assert tools.system_prompt is None
    tools.hand_over("poet")
    tools.hand_over("files")
    assert tools.system_prompt == "You are a poet."
    tools.take_away("poet")
    assert tools.system_prompt is None


def test_an_own_group_may_name_a_tool_that_is_not_set_up_here(registry: ToolRegistry) -> None:
    group = own_group("look", ["web_search", "fetch_url"], registry.names)
    tools = ToolSet(registry, {"look": group})
    tools.hand_over("look")
    assert names(tools) == ["fetch_url"]


def test_an_own_group_may_replace_a_built_in_one(registry: ToolRegistry) -> None:
    tools = ToolSet(registry, {"web": replace(GROUPS["web"], tools=("fetch_url",), prompt="Only our own wiki.")})
    assert tools.hand_over("web")[1].text.endswith("Only our own wiki.")


@pytest.mark.parametrize(
    ("tools", "options", "said"),
    [
        ([], {}, "groups.g.tools: name one tool at least, as in ['read_file', 'search_text']"),
        (["red_file"], {}, "groups.g.tools: red_file: there is no such tool or group; did you mean read_file"),
        (
            ["read_file"],
            {"replaces_system": True},
            "groups.g.prompt: there is none to replace the system prompt",
        ),
    ],
)
def test_an_own_group_that_cannot_be_names_its_setting(
    registry: ToolRegistry, tools: list[str], options: dict[str, bool], said: str
) -> None:
    with pytest.raises(SettingsError) as error:
        own_group("g", tools, registry.names, **options)  # type: ignore[arg-type]
    assert str(error.value).startswith(said)


def test_an_own_group_does_not_take_the_name_of_a_tool(registry: ToolRegistry) -> None:
    with pytest.raises(SettingsError, match=r"groups\.read_file: there is a tool of that name"):
        ToolSet(registry, {"read_file": ToolGroup("read_file", "", ("outline",))})
