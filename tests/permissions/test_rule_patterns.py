"""Patterns of rules: compared part by part, so that no other spelling gets in and none gets out."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.permissions import Action, Answer, Effect, Origin, Rule, Verdict
from motet.permissions.commands import only_reads
from motet.permissions.question import choices

ROOT = Path("/p")


def speaks(verdict: Verdict, rule: str, action: Action) -> bool:
    return Rule.parse(rule, verdict).matches(action, ROOT)


def command(*argv: str) -> Action:
    return Action.command(argv, Origin.MODEL)


def shell(text: str) -> Action:
    return command("sh", "-c", text)


# --- commands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "argv", "allowed"),
    [
        ("run:pytest *", ("pytest",), True),
        ("run:pytest *", ("pytest", "-q", "a b"), True),
        ("run:pytest", ("pytest", "-q"), True),
        ("run:pytest *", ("pytest-evil",), False),
        ("run:pytest *", ("./pytest",), False),
        ("run:pytest *", ("/tmp/pytest",), False),
        ("run:pytest *", ("pytest; rm -rf /",), False),
        ("run:git log", ("git", "log"), True),
        ("run:git log", ("git", "log", "-1"), True),
        ("run:git log", ("git", "logs"), False),
        ("run:git log", ("git", "log; rm"), False),
        ("run:git log", ("git",), False),
        ("run:git log", ("git log",), False),
        ("run:git log", ("sh", "-c", "git log"), False),
        ("run:git log", ("env", "git", "log"), False),
        ("run:npm * test", ("npm", "run", "test"), True),
        ("run:npm * test", ("npm", "run", "build"), False),
        ("run:git 'log x'", ("git", "log x"), True),
        ("run:sh -c 'a | b'", ("sh", "-c", "a | b"), True),
        ("run:sh -c 'a | b'", ("sh", "-c", "a | b; c"), False),
        ("run:echo '*'", ("echo", "*"), True),
        ("run:echo '*'", ("echo", "a"), False),
        ("run:'*'", ("anything",), False),
        ("run:echo 'a * b'", ("echo", "a * b"), True),
        ("run:echo 'a * b'", ("echo", "a x b"), False),
        ("run:echo \\*", ("echo", "a"), False),
        ("run", ("anything", "at all"), True),
    ],
)
@pytest.mark.acceptance("T-07")
def test_a_rule_allows_the_commands_that_begin_with_its_words(
    rule: str, argv: tuple[str, ...], allowed: bool
) -> None:
    assert speaks(Verdict.ALLOW, rule, command(*argv)) is allowed


HIDING = [
    "git log; rm -rf /", "git log && rm x", "git log | sh", "git log > ~/.bashrc", "git log $(rm x)", "git log `rm x`",
    "git log\nrm x", "git log\rrm x", "git log & rm x", "FOO=bar git log", "git log <(rm x)", "git log <<EOF\nrm\nEOF",
    "git log ${IFS}x", "git log;rm", "git log \\\n; rm", "{ git log; }", "(git log)", "git log #", "! git log", "~/git log",
    "git log {a,b}", "git log 'x", 'git log "$x"', "git\tlog", "git  log", " git log", "git log *",
]  # fmt: skip


@pytest.mark.parametrize("line", HIDING)
@pytest.mark.acceptance("T-07")
def test_a_line_whose_words_are_not_sure_is_a_shells_text_and_fits_no_rule_for_a_command(line: str) -> None:
    action = Action(Effect.RUN, line, Origin.MODEL)
    assert action.words == ("sh", "-c", line)
    assert not speaks(Verdict.ALLOW, "run:git log", action)
    assert not speaks(Verdict.ALLOW, "run:git *", action)
    assert speaks(Verdict.ALLOW, f"run:{shlex.join(action.words)}", action)


TEXT = st.characters(exclude_characters="\0")


@given(st.lists(st.text(TEXT, min_size=1), min_size=1, max_size=4), st.lists(st.text(TEXT), max_size=3))
@pytest.mark.acceptance("T-07")
def test_an_allowing_rule_means_exactly_its_words_whatever_they_hold(words: list[str], rest: list[str]) -> None:
    rule = Rule(Verdict.ALLOW, Effect.RUN, shlex.join(words))
    assert rule.matches(command(*words), ROOT)
    changed = command(words[0] + "x", *words[1:], *rest)
    assert not rule.matches(changed, ROOT)


@pytest.mark.parametrize(
    ("rule", "argv"),
    [
        ("run:git *", ("git", "-c", "core.pager=!rm", "log")),
        ("run:git *", ("git", "-ccore.pager=x", "log")),
        ("run:git *", ("git", "grep", "--open-files-in-pager=rm", "x")),
        ("run:git log", ("git", "log", "--output=/etc/x")),
        ("run:git *", ("git", "diff", "--ext-diff")),
        ("run:find *", ("find", ".", "-exec", "rm", "{}", ";")),
        ("run:find *", ("find", ".", "-delete")),
        ("run:tar *", ("tar", "xf", "a.tar", "--to-command=sh")),
        ("run:tar *", ("tar", "cf", "x", "--checkpoint-action=exec=sh")),
        ("run:tar *", ("tar", "cf", "x", "--checkpoint-act=exec=sh")),
        ("run:sed *", ("sed", "w /etc/passwd", "a")),
        ("run:sed *", ("sed", "1e rm x", "a")),
        ("run:sed *", ("sed", "s/a/b/e", "a")),
        ("run:sed *", ("sed", "-i", "s/a/b/", "a")),
        ("run:sort *", ("sort", "--compress-program=sh", "a")),
        ("run:rg *", ("rg", "--pre=sh", "a")),
        ("run:rsync *", ("rsync", "-e", "sh", "a", "b")),
        ("run:curl *", ("curl", "-o", ".bashrc", "https://x.example")),
    ],
)
@pytest.mark.acceptance("T-07")
def test_an_option_that_starts_another_program_or_writes_needs_a_rule_that_says_it(
    rule: str, argv: tuple[str, ...]
) -> None:
    assert not speaks(Verdict.ALLOW, rule, command(*argv))
    assert speaks(Verdict.ALLOW, f"run:{shlex.join(argv)}", command(*argv))


DESTROYS = [
    command("rm", "-rf", "x"), command("rm", "x", "-fr"), command("/bin/rm", "--recursive", "x"), command("git", "reset", "--hard"),
    command("git", "-C", "x", "clean", "-fdx"), command("git", "push", "-f"), command("git", "push", "--force-with-lease"),
    command("git", "checkout", "--", "."), command("git", "branch", "-D", "x"), command("find", ".", "-delete"),
    command("find", ".", "-exec", "rm", "-r", "{}", ";"), command("sudo", "rm", "-r", "x"), shell("a; rm -rf x"), command("dd", "of=x"),
    command("env", "A=b", "sh", "-c", "git clean -f"), shell("mkfs.ext4 /dev/x"), command("docker", "system", "prune"),
]  # fmt: skip
KEEPS = [
    command("rm", "x"), command("git", "reset"), command("git", "push"), command("git", "log", "--", "."), command("ls", "-rf"),
    command("find", ".", "-name", "rm"), shell("git status; ls -R"), command("docker", "ps"), command("git", "checkout", "main"),
    command("make", "clean"),
]  # fmt: skip


@pytest.mark.parametrize("action", DESTROYS, ids=str)
def test_a_command_that_destroys_is_allowed_only_by_a_rule_that_says_so(action: Action) -> None:
    name = action.argv[0]
    assert not speaks(Verdict.ALLOW, "run", action)
    assert speaks(Verdict.ALLOW, f"run:{name} *", action) is (name == "dd"), "dd does nothing else"
    assert speaks(Verdict.ALLOW, f"run:{action.subject}", action)
    assert choices(action) == (Answer.ONCE,)


@pytest.mark.parametrize("action", KEEPS, ids=str)
def test_other_commands_are_allowed_by_a_rule_for_all(action: Action) -> None:
    assert speaks(Verdict.ALLOW, "run", action)


def test_a_long_hostile_text_for_a_shell_costs_little_time() -> None:
    started = time.process_time()
    action = shell("echo a; " * 20_000)
    assert speaks(Verdict.ALLOW, "run", action)
    assert not speaks(Verdict.DENY, "run:rm *", action)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "action",
    [
        command("rm", "x"), command("/bin/rm", "x"), command("env", "rm", "x"), command("sudo", "-n", "rm"),
        command("xargs", "rm"), command("find", ".", "-exec", "rm", "{}", ";"), command("timeout", "5", "rm"),
        shell("rm x"), shell("a && rm x"), shell("echo $(rm x)"), shell("a;rm x"), shell("/usr/bin/rm x"),
        command("bash", "-lc", "rm x"), Action(Effect.RUN, "rm a\nb", Origin.USER), shell("A=b rm x"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.acceptance("T-07")
def test_a_rule_that_restricts_holds_behind_other_programs_and_in_shells(action: Action) -> None:
    for verdict in (Verdict.ASK, Verdict.DENY):
        assert speaks(verdict, "run:rm *", action)
        assert speaks(verdict, "run:rm", action)


def test_a_rule_that_restricts_leaves_words_that_are_only_arguments_alone() -> None:
    assert not speaks(Verdict.DENY, "run:rm *", command("git", "commit", "-m", "rm"))
    assert not speaks(Verdict.DENY, "run:rm *", command("rmdir", "x"))


# --- paths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("src/*", "src/a.py", True), ("src/*", "src/deep/a.py", True), ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/deep/er/a.py", True), ("src/**/*.py", "src/a.py", True), ("src", "src/a.py", True),
        ("src/", "src/a.py", True), ("src", "srcs/a.py", False), ("src/a", "src/ab", False), ("*.md", "docs/a.md", True),
        ("*.md", "a.md/b", True), ("a?.py", "ab.py", True), ("a?.py", "a/.py", False), ("src/../x", "x", False),
        ("x", "src/../x", True), ("app/[id]/*", "app/[id]/p.ts", True), ("app/[id]/*", "app/i/p.ts", False),
        ("/p/src/**", "src/a.py", True), ("/etc/**", "/etc/hosts", True), ("/etc/**", "etc/hosts", False),
        ("/etc", "/etcetera", False), ("**", "/etc/hosts", True), ("*", "/etc/hosts", True), ("src/**", "SRC/a", False),
        ("*.md", "/other/a.md", False), ("**/a", "/other/a", False), ("src/*", "src", False), ("日本/*", "日本/a", True),
    ],
)  # fmt: skip
def test_a_rule_that_allows_a_path_means_that_path_in_the_workspace(pattern: str, path: str, fits: bool) -> None:
    assert speaks(Verdict.ALLOW, f"write:{pattern}", Action(Effect.WRITE, path, Origin.MODEL)) is fits


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("src/**", "SRC/a.py"), ("*.KEY", "/other/x.key"), ("/P/src/*", "src/a"), ("private", "/home/u/private/x")],
)
def test_a_rule_that_restricts_a_path_holds_without_case_and_outside(pattern: str, path: str) -> None:
    assert speaks(Verdict.DENY, f"write:{pattern}", Action(Effect.WRITE, path, Origin.MODEL))


def test_the_home_directory_can_be_named(home: Path) -> None:
    action = Action(Effect.READ, f"{home}/notes/a.md", Origin.MODEL)
    assert speaks(Verdict.ALLOW, "read:~/notes/**", action)
    assert not speaks(Verdict.ALLOW, "read:~/note", action)


def test_a_hostile_pattern_costs_no_time() -> None:
    pattern = "**/" * 200 + "*a*" * 50 + "b"
    started = time.process_time()
    assert not speaks(Verdict.DENY, f"write:{pattern}", Action(Effect.WRITE, "/".join("a" * 200), Origin.MODEL))
    assert time.process_time() - started < 1


# --- hosts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "subject", "fits"),
    [
        ("docs.python.org", "docs.python.org", True), ("docs.python.org", "DOCS.Python.ORG.", True),
        ("docs.python.org", "https://docs.python.org/3/", True), ("docs.python.org", "docs.python.org:8443", True),
        ("docs.python.org:443", "docs.python.org:8443", False), ("docs.python.org:443", "docs.python.org:443", True),
        ("docs.python.org", "docs.python.org.evil.example", False), ("docs.python.org", "evildocs.python.org", False),
        ("docs.python.org", "https://docs.python.org@evil.example/", False),
        ("docs.python.org", "https://evil.example/docs.python.org", False),
        ("*.python.org", "docs.python.org", True), ("*.python.org", "a.b.python.org", True),
        ("*.python.org", "python.org", False), ("*.python.org", "evilpython.org", False),
        ("*.python.org", "python.org.evil.example", False), ("*.0.0.1", "127.0.0.1", False),
        ("bücher.example", "xn--bcher-kva.example", True), ("127.0.0.1", "127.0.0.1:80", True),
        ("[::1]", "[::1]:80", True), ("*", "anything.example", True), ("x", "", False),
    ],
)  # fmt: skip
def test_a_rule_for_a_host_compares_labels(pattern: str, subject: str, fits: bool) -> None:
    assert speaks(Verdict.ALLOW, f"net:{pattern}", Action(Effect.NET, subject, Origin.MODEL)) is fits


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("anthropic *", True), ("anthropic", True), ("*", True), ("anthropic api.anthropic.com", True), ("* *", True),
        ("anthropic *.anthropic.com", True), ("anthropic evil.example", False), ("openai *", False), ("anth*", False),
    ],
)  # fmt: skip
def test_a_rule_for_sending_names_a_provider_and_perhaps_its_host(pattern: str, fits: bool) -> None:
    action = Action(Effect.SEND, "anthropic api.anthropic.com", Origin.USER)
    assert speaks(Verdict.ALLOW, f"send:{pattern}", action) is fits


@pytest.mark.parametrize(
    "line", ["ls -la", "cat -- a.txt", "grep -rn x .", "rg x", "git status", "git log --oneline -3"]
)
def test_what_is_known_to_change_no_file_needs_no_snapshot(line: str) -> None:
    assert only_reads(shlex.split(line))


@pytest.mark.parametrize(
    "line",
    [
        "", "python x.py", "sh -c ls", "./ls", "/tmp/ls", "git", "git commit", "git -C . log", "git diff --output=a.txt",
        "git log --outpu a.txt", "git grep -Ovim x", "rg --pre ./x y", "tree -o a.txt", "tree -noa.txt", "file -C -m magic",
    ],
)  # fmt: skip
def test_what_may_write_a_file_needs_one(line: str) -> None:
    assert not only_reads(shlex.split(line))
