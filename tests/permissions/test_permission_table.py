"""What holds without a rule, row by row; what rules, answers and untrusted text make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import PermissionDenied
from motet.permissions import (
    ANY_HOST,
    Action,
    Answer,
    Denial,
    DeniedByHuman,
    Effect,
    Gate,
    GrantStore,
    Origin,
    Rule,
    RuleSet,
    Verdict,
)

ROOT = Path("/p")
ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY


@dataclass
class Human:
    """Gives `answers` one after the other, the last for ever, and remembers the questions."""

    answers: Sequence[Answer | Denial]
    asked: list[Action] = field(default_factory=list)

    async def __call__(self, action: Action) -> Answer | Denial:
        self.asked.append(action)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


def run(*argv: str, origin: Origin = Origin.MODEL, network: bool = False, definition: str = "") -> Action:
    return Action.command(argv, origin, network=network, definition=definition)


def allowing(*rules: str) -> RuleSet:
    return RuleSet(Rule.parse(rule, ALLOW) for rule in rules)


async def is_denied(gate: Gate, action: Action) -> bool:
    try:
        await gate.require(action)
    except PermissionDenied:
        return True
    return False


# --- the table -------------------------------------------------------------------------------------------------

TABLE = [
    # effect, subject, verdict for the user, motet itself, a model, a file of the project
    (Effect.READ, "src/a.py", ALLOW, ALLOW, ALLOW, ALLOW),
    (Effect.READ, "/usr/include/stdio.h", ALLOW, ASK, ASK, ASK),
    (Effect.READ, "../other/a.py", ALLOW, ASK, ASK, ASK),
    (Effect.READ, ".env", ASK, DENY, DENY, DENY),
    (Effect.READ, "/home/u/.ssh/config", ASK, DENY, DENY, DENY),
    (Effect.WRITE, "src/a.py", ASK, ASK, ASK, ASK),
    (Effect.WRITE, ".git/config", ASK, ASK, ASK, ASK),
    (Effect.RUN, "make", ALLOW, ALLOW, ASK, ASK),
    (Effect.NET, "docs.python.org", ALLOW, ASK, ASK, ASK),
    (Effect.NET, ANY_HOST, ALLOW, ASK, ASK, ASK),
    (Effect.SEND, "anthropic api.anthropic.com", ASK, ASK, ASK, ASK),
]
CASES = [
    (Action(effect, subject, origin), verdict)
    for effect, subject, *verdicts in TABLE
    for origin, verdict in zip((Origin.USER, Origin.BUILT_IN, Origin.MODEL, Origin.PROJECT), verdicts, strict=True)
]


@pytest.mark.parametrize(("action", "verdict"), CASES, ids=lambda value: str(getattr(value, "origin", value)))
@pytest.mark.acceptance("T-06", "AV-04")
def test_what_holds_without_a_rule(action: Action, verdict: Verdict) -> None:
    assert RuleSet().verdict(action, ROOT) is verdict


def test_a_command_with_the_network_is_asked_about_though_the_command_alone_is_allowed() -> None:
    rules = allowing("run:pip *")
    assert rules.verdict(run("pip", "list"), ROOT) is ALLOW
    assert rules.verdict(run("pip", "install", "x", network=True), ROOT) is ASK
    assert allowing("run:pip *", "net").verdict(run("pip", "install", "x", network=True), ROOT) is ALLOW
    assert allowing("run:pip *", "net:pypi.org").verdict(run("pip", "install", network=True), ROOT) is ASK


def test_a_rule_against_one_host_makes_a_command_with_the_network_a_question() -> None:
    rules = RuleSet([*(Rule.parse(rule, ALLOW) for rule in ("run", "net")), Rule.parse("net:evil.example", DENY)])
    assert rules.verdict(run("pip", network=True), ROOT) is ASK
    none = RuleSet([Rule.parse("run", ALLOW), Rule.parse("net", DENY)])
    assert none.verdict(run("pip", network=True), ROOT) is DENY
    assert none.verdict(run("pip"), ROOT) is ALLOW


@pytest.mark.parametrize(
    ("rule", "origin", "verdict"),
    [
        ("read", Origin.USER, ASK), ("read:*", Origin.USER, ASK), ("read:.env*", Origin.USER, ASK),
        ("read:.env", Origin.USER, ALLOW), ("read:.env", Origin.MODEL, DENY), ("read", Origin.MODEL, DENY),
    ],
)  # fmt: skip
@pytest.mark.acceptance("T-11")
def test_no_rule_opens_a_secret_to_a_model_and_only_its_name_to_the_user(
    rule: str, origin: Origin, verdict: Verdict
) -> None:
    assert allowing(rule).verdict(Action(Effect.READ, ".env", origin), ROOT) is verdict


@pytest.mark.parametrize("verdicts", [(ALLOW, ASK, DENY), (DENY, ASK, ALLOW), (ASK, DENY, ALLOW)])
def test_deny_wins_over_ask_and_ask_over_allow_in_any_order(verdicts: tuple[Verdict, ...]) -> None:
    action = run("make")
    assert RuleSet(Rule(verdict, Effect.RUN) for verdict in verdicts).verdict(action, ROOT) is DENY
    without = [verdict for verdict in verdicts if verdict is not DENY]
    assert RuleSet(Rule(verdict, Effect.RUN) for verdict in without).verdict(action, ROOT) is ASK


# --- answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "same_chat", "later", "other_project"),
    [
        (Answer.ONCE, False, False, False),
        (Answer.CHAT, True, False, False),
        (Answer.PROJECT, True, True, False),
        (Answer.ALWAYS, True, True, True),
    ],
)
@pytest.mark.acceptance("T-06")
async def test_a_yes_holds_as_far_as_it_says(
    tmp_path: Path, answer: Answer, same_chat: bool, later: bool, other_project: bool
) -> None:
    chat = Gate(ROOT, RuleSet(), GrantStore(tmp_path), Human([answer]))
    await chat.require(run("make"))
    assert chat.allows(run("make")) is same_chat
    assert Gate(ROOT, RuleSet(), GrantStore(tmp_path)).allows(run("make")) is later
    assert Gate(Path("/other"), RuleSet(), GrantStore(tmp_path)).allows(run("make")) is other_project
    assert not chat.allows(run("make", "install"))
    assert not chat.allows(run("make", network=True, definition="network"))


async def test_a_yes_for_always_outlives_a_projects_revocation_and_has_its_own(tmp_path: Path) -> None:
    grants = GrantStore(tmp_path)
    await Gate(ROOT, RuleSet(), grants, Human([Answer.ALWAYS])).require(run("make"))
    await Gate(ROOT, RuleSet(), grants, Human([Answer.PROJECT])).require(run("ls"))
    assert grants.forget(ROOT) == 1
    gate = Gate(ROOT, RuleSet(), grants)
    assert (gate.allows(run("make")), gate.allows(run("ls"))) == (True, False)
    assert grants.forget(None) == 1
    assert not gate.allows(run("make"))


async def test_a_yes_wider_than_what_was_offered_holds_once(tmp_path: Path) -> None:
    secret = Action(Effect.READ, ".env", Origin.USER)
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path), Human([Answer.ALWAYS]))
    await gate.require(secret)
    assert not gate.allows(secret)
    assert not (tmp_path / "grants.json").exists()


async def test_a_yes_to_the_user_about_a_secret_is_none_to_a_model(tmp_path: Path) -> None:
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path), Human([Answer.CHAT]))
    await gate.require(Action(Effect.READ, ".env", Origin.USER))
    with pytest.raises(PermissionDenied, match=r"^read:\.env: a file of secrets, which no model may read"):
        await gate.require(Action(Effect.READ, ".env", Origin.MODEL))


async def test_a_no_with_a_reason_tells_it(tmp_path: Path) -> None:
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path), Human([Denial("use the trash instead")]))
    with pytest.raises(DeniedByHuman) as caught:
        await gate.require(run("rm", "-r", "x"))
    assert str(caught.value) == "run:rm -r x: you said no: use the trash instead"
    assert caught.value.reason == "use the trash instead"


async def test_the_same_question_at_the_same_time_is_asked_once(tmp_path: Path) -> None:
    import asyncio

    human = Human([Answer.CHAT])
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path), human)
    await asyncio.gather(*(gate.require(run("make")) for _ in range(5)))
    assert human.asked == [run("make")]


@pytest.mark.parametrize(
    "action",
    [
        run("pytest", "-q", "tests/a b.py"),
        run("sh", "-c", "git log | head; rm 'x'"),
        run("git", "-c", "core.pager=less", "log"),
        run("pip", "install", "x", network=True),
        run("echo", "*", "it's"),
        Action(Effect.NET, "https://docs.python.org/3/", Origin.MODEL),
        Action(Effect.NET, "127.0.0.1:8000", Origin.MODEL),
        Action(Effect.SEND, "ollama [::1]:11434", Origin.USER),
        Action(Effect.READ, "/etc/hosts", Origin.MODEL),
        Action(Effect.READ, ".env.local", Origin.USER),
        Action(Effect.WRITE, "src/a[1].py", Origin.MODEL),
    ],
    ids=str,
)
async def test_what_a_run_without_a_human_names_would_have_allowed_it(tmp_path: Path, action: Action) -> None:
    import shlex

    with pytest.raises(PermissionDenied) as caught:
        await Gate(ROOT, RuleSet(), GrantStore(tmp_path)).require(action)
    words = shlex.split(str(caught.value).rpartition("; allow it with ")[2])
    assert words[::2] == ["--allow"] * (len(words) // 2)
    await Gate(ROOT, allowing(*words[1::2]), GrantStore(tmp_path)).require(action)


# --- untrusted text --------------------------------------------------------------------------------------------

PAGE = "page https://evil.example/"


@pytest.mark.parametrize("action", [run("make"), Action(Effect.NET, "docs.python.org", Origin.MODEL)], ids=str)
@pytest.mark.parametrize("answer", [Answer.CHAT, Answer.PROJECT, Answer.ALWAYS])
@pytest.mark.acceptance("T-01")
async def test_untrusted_text_makes_old_yeses_questions_again_until_the_next_turn(
    tmp_path: Path, action: Action, answer: Answer
) -> None:
    human = Human([answer])
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path), human)
    await gate.require(action)
    gate.taint(PAGE)
    assert not gate.allows(action)
    human.answers = [Answer.NO]
    assert await is_denied(gate, action)
    assert human.asked[-1].untrusted == (PAGE,)
    gate.untaint()
    await gate.require(action)
    assert len(human.asked) == 2


async def test_a_yes_given_while_untrusted_text_is_in_the_turn_holds_in_it(tmp_path: Path) -> None:
    human = Human([Answer.CHAT])
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path), human)
    gate.taint(PAGE)
    await gate.require(run("make"))
    await gate.require(run("make"))
    assert len(human.asked) == 1
    gate.untaint()
    gate.taint("agent Bob")
    await gate.require(run("make"))
    assert [asked.untrusted for asked in human.asked] == [(PAGE,), ("agent Bob",)]


async def test_the_users_rules_hold_whatever_is_in_the_turn(tmp_path: Path) -> None:
    gate = Gate(ROOT, allowing("run:make", "net:*.python.org"), GrantStore(tmp_path))
    gate.taint(PAGE)
    await gate.require(run("make"))
    await gate.require(Action(Effect.NET, "docs.python.org", Origin.MODEL))
    assert await is_denied(gate, run("rm"))


async def test_only_a_provider_that_nothing_was_sent_to_in_this_chat_is_asked_about_again(tmp_path: Path) -> None:
    here, there = (Action(Effect.SEND, f"{name} {name}.example", Origin.USER) for name in ("here", "there"))
    for action in (here, there):
        await Gate(ROOT, RuleSet(), GrantStore(tmp_path), Human([Answer.PROJECT])).require(action)
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path))
    await gate.require(here)
    gate.taint(PAGE)
    await gate.require(here)
    assert await is_denied(gate, there)


async def test_what_the_project_defines_and_the_user_trusted_goes_on(tmp_path: Path) -> None:
    item = run("make", "check", origin=Origin.PROJECT, definition="make check")
    GrantStore(tmp_path).add(ROOT, item)
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path))
    gate.taint(PAGE)
    await gate.require(item)


async def test_the_same_origin_is_named_once(tmp_path: Path) -> None:
    gate = Gate(ROOT, RuleSet(), GrantStore(tmp_path))
    for _ in range(3):
        gate.taint(PAGE)
    assert gate.untrusted == (PAGE,)


# --- whatever the rules ------------------------------------------------------------------------------------------

SUBJECTS = {
    Effect.READ: ["a.py", ".env", "/etc/passwd", "src/id_rsa"],
    Effect.WRITE: ["a.py", ".git/x", ".envrc"],
    Effect.RUN: ["make", "git log", "git -c x=y log", "rm -r /", "sh -c 'git log; rm'"],
    Effect.NET: ["a.example", "b.a.example", ANY_HOST],
    Effect.SEND: ["p a.example", "q a.example"],
}
PATTERNS = [
    "*",
    "**",
    "a*",
    "make",
    "git *",
    "git log",
    "p",
    "p a.example",
    "*.example",
    "a.example",
    ".env",
    "/etc/**",
]
ACTIONS = st.sampled_from(list(Effect)).flatmap(
    lambda effect: st.builds(
        Action,
        st.just(effect),
        st.sampled_from(SUBJECTS[effect]),
        st.sampled_from(Origin),
        network=st.booleans() if effect is Effect.RUN else st.just(False),
    )
)
RULES = st.lists(st.builds(Rule, st.sampled_from(Verdict), st.sampled_from(Effect), st.sampled_from(PATTERNS)))
ANSWERS = st.lists(st.sampled_from([*Answer, Denial("no")]), min_size=1, max_size=4)


@given(RULES, st.lists(ACTIONS, max_size=3), ACTIONS, ANSWERS, st.booleans())
@pytest.mark.acceptance("T-06")
async def test_whatever_the_rules_grants_and_answers_executed_implies_allowed(
    rules: list[Rule], granted: list[Action], action: Action, answers: list[Answer | Denial], tainted: bool
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as state:
        store = GrantStore(Path(state))
        for each in granted:
            store.add(ROOT, each)
        human = Human(answers)
        gate = Gate(ROOT, RuleSet(rules), store, human)
        if tainted:
            gate.taint(PAGE)
        executed = not await is_denied(gate, action)
        said_yes = bool(human.asked) and isinstance(answers[0], Answer) and answers[0] is not Answer.NO
        by_rule = any(rule.verdict is ALLOW and rule.matches(action, ROOT) for rule in rules)
        by_default = RuleSet().verdict(action, ROOT) is ALLOW
        by_grant = any(str(each) == str(action) and each.definition == action.definition for each in granted)
        denied = any(rule.verdict is DENY and rule.matches(action, ROOT) for rule in rules)
        if executed:
            assert said_yes or by_rule or by_default or by_grant
            assert not denied
            assert not (tainted and by_grant and action.effect in (Effect.RUN, Effect.NET)) or (
                said_yes or by_rule or by_default or action.origin is not Origin.MODEL
            )
        if (
            action.effect is Effect.READ
            and action.origin is Origin.MODEL
            and action.subject in (".env", "src/id_rsa")
        ):
            assert not executed
        if action.effect is Effect.WRITE and action.subject in (".git/x", ".envrc"):
            assert not executed or said_yes


def test_secrets_inside_protected_directories_are_hidden_from_commands(tmp_path: Path) -> None:
    from motet.permissions.places import off_limits

    for name in (".docker/config.json", ".github/.env", ".vscode/settings.json", ".github/workflows/ci.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = off_limits(tmp_path, {"HOME": str(tmp_path / "home")})
    assert sorted(found.names) == [".docker/config.json", ".github/.env"]
    assert sorted(place.name for place in found.read_only) == [".docker", ".github", ".vscode"]


def test_of_git_commands_may_not_write_what_makes_it_start_programs_or_look_elsewhere(tmp_path: Path) -> None:
    from motet.permissions.places import off_limits

    for name in ("config", "hooks/pre-commit", "info/attributes", "modules/lib/config", "worktrees/w/gitdir", "index", "objects/a"):  # fmt: skip
        (tmp_path / ".git" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".git" / name).write_text("x")
    found = off_limits(tmp_path, {"HOME": str(tmp_path / "home")})
    names = ["config", "hooks", "info", "modules", "worktrees"]
    assert sorted(found.read_only) == [tmp_path / ".git" / name for name in names]
