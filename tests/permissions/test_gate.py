"""Nothing happens that the rules, a grant or the human did not allow."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import PermissionDenied, SettingsError
from motet.permissions import Action, Answer, Effect, Gate, GrantStore, Origin, Rule, RuleSet, Verdict, is_protected

SEND = Action(Effect.SEND, "anthropic api.anthropic.com", Origin.USER)


def gate(state: Path, *rules: Rule, answer: Answer | None = None, project: str = "/p") -> tuple[Gate, list[Action]]:
    asked: list[Action] = []

    async def ask(action: Action) -> Answer:
        asked.append(action)
        assert answer is not None
        return answer

    return Gate(Path(project), RuleSet(rules), GrantStore(state), ask if answer else None), asked


@pytest.mark.acceptance("CL-08", "S3-009")
async def test_the_first_send_asks_once_and_the_answer_is_remembered_for_the_project(tmp_path: Path) -> None:
    first, asked = gate(tmp_path, answer=Answer.PROJECT)
    await first.require(SEND)
    await first.require(SEND)
    assert asked == [SEND]
    later, asked_later = gate(tmp_path, answer=Answer.NO)
    await later.require(SEND)
    assert asked_later == []
    other, _ = gate(tmp_path, answer=Answer.NO, project="/other")
    with pytest.raises(PermissionDenied):
        await other.require(SEND)


async def test_an_answer_for_once_is_forgotten_with_the_run(tmp_path: Path) -> None:
    await gate(tmp_path, answer=Answer.ONCE)[0].require(SEND)
    assert not gate(tmp_path)[0].allows(SEND)


async def test_a_run_that_never_prompts_denies_and_says_what_would_allow_it(tmp_path: Path) -> None:
    with pytest.raises(PermissionDenied) as caught:
        await gate(tmp_path)[0].require(SEND)
    assert str(caught.value) == (
        "send:anthropic api.anthropic.com: needs a yes; allow it with --allow 'send:anthropic api.anthropic.com'"
    )


async def test_an_allowing_rule_needs_no_question_and_a_denying_one_wins(tmp_path: Path) -> None:
    allow = Rule.parse("send", Verdict.ALLOW)
    await gate(tmp_path, allow)[0].require(SEND)
    with pytest.raises(PermissionDenied, match="denied by a rule"):
        await gate(tmp_path, allow, Rule.parse("send:anthropic *", Verdict.DENY), answer=Answer.ONCE)[0].require(SEND)


async def test_a_grant_for_what_a_project_defines_ends_when_the_definition_changes(tmp_path: Path) -> None:
    def make(definition: str) -> Action:
        return Action(Effect.RUN, "make", Origin.PROJECT, definition=definition)

    await gate(tmp_path, answer=Answer.PROJECT)[0].require(make("make -k"))
    assert gate(tmp_path)[0].allows(make("make -k"))
    assert not gate(tmp_path)[0].allows(make("make -k; curl evil"))


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        "a/.GIT/hooks/pre-commit",
        ".github/workflows/x.yml",
        ".envrc",
        ".env.local",
        "sub/AGENTS.md",
        ".motet.toml",
        "k/id.pem",
        ".vscode/settings.json",
        ".config/motet/config.toml",
        ".config/nvim/init.lua",
        ".local/bin/ls",
        ".bash_login",
        ".clinerules/a.md",
        "sub/.drone.yml",
        "bitbucket-pipelines.yml",
    ],
)
async def test_a_protected_place_asks_even_when_a_rule_allows_all_writes(tmp_path: Path, path: str) -> None:
    action = Action(Effect.WRITE, path, Origin.MODEL)
    assert is_protected(path)
    with pytest.raises(PermissionDenied):
        await gate(tmp_path, Rule.parse("write", Verdict.ALLOW))[0].require(action)


@pytest.mark.parametrize("answer", [Answer.ONCE, Answer.PROJECT])
async def test_a_protected_place_is_asked_about_every_time(tmp_path: Path, answer: Answer) -> None:
    action = Action(Effect.WRITE, ".envrc", Origin.MODEL)
    asking, asked = gate(tmp_path, answer=answer)
    await asking.require(action)
    await asking.require(action)
    assert asked == [action, action]
    assert not gate(tmp_path)[0].allows(action)


@pytest.mark.parametrize("path", ["src/environment.py", "git/config.py", "docs/agents.rst", "keys.py"])
def test_an_ordinary_file_is_not_protected(path: str) -> None:
    assert not is_protected(path)


def test_a_rule_that_cannot_be_understood_is_refused() -> None:
    with pytest.raises(SettingsError, match="the effect must be one of read, write, run, send"):
        Rule.parse("everything", Verdict.ALLOW)


def test_damaged_grants_are_kept_beside_and_not_believed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "grants.json").write_text("{")
    GrantStore(tmp_path).add(Path("/p"), SEND)
    assert [path.read_text() for path in tmp_path.glob("grants.json.damaged-*")] == ["{"]
    assert GrantStore(tmp_path).holds(Path("/p"), SEND)
    assert len(caplog.messages) == 1


@given(
    st.lists(st.tuples(st.sampled_from(Verdict), st.sampled_from(Effect), st.sampled_from(["*", "a*", "b"]))),
    st.sampled_from(Effect),
    st.sampled_from(["a", "ab", "b", ".git/x"]),
    st.sampled_from(Origin),
)
def test_whatever_the_rules_executed_implies_allowed(
    rules: list[tuple[Verdict, Effect, str]], effect: Effect, subject: str, origin: Origin
) -> None:
    verdict = RuleSet(Rule(*rule) for rule in rules).verdict(Action(effect, subject, origin))
    denied = any(Rule(*rule).matches(Action(effect, subject, origin)) and rule[0] is Verdict.DENY for rule in rules)
    assert (verdict is Verdict.DENY) == denied
    if effect is Effect.WRITE and subject == ".git/x":
        assert verdict is not Verdict.ALLOW


def test_a_bracket_in_a_pattern_stands_for_itself() -> None:
    rules = RuleSet([Rule.parse("write:app/[id]/*", Verdict.DENY)])
    assert rules.verdict(Action(Effect.WRITE, "app/[id]/page.ts", Origin.MODEL)) is Verdict.DENY
    assert rules.verdict(Action(Effect.WRITE, "app/i/page.ts", Origin.MODEL)) is Verdict.ASK


def test_a_star_stands_for_a_line_end_too() -> None:
    rules = RuleSet([Rule.parse("run:rm *", Verdict.DENY)])
    assert rules.verdict(Action(Effect.RUN, "rm a\nb", Origin.USER)) is Verdict.DENY


@pytest.mark.parametrize("text", ['{"a": 1}', "[1]", '[{"action": "x"}]', "null", "[" * 100_000])
def test_a_broken_file_of_grants_is_said_in_one_line(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "grants.json").write_text(text)
    assert [GrantStore(tmp_path).holds(Path("/p"), SEND) for _ in range(2)] == [False, False]
    (said,) = caplog.messages
    assert "the grants are damaged; the file is kept as grants.json.damaged-" in said


def test_a_project_whose_name_is_not_text_can_be_granted_something(tmp_path: Path) -> None:
    project = Path("/p\udcff")
    GrantStore(tmp_path).add(project, SEND)
    assert GrantStore(tmp_path).holds(project, SEND)
