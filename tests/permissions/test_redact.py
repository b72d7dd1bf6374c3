"""What looks like a key does not leave; what only talks about keys does."""

from __future__ import annotations

import base64
import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.permissions.redact import Note, find_secrets, redact, secret_values

# Made up here, piece by piece, so that no scanner takes this file for a leak.
RANDOM = random.Random(7)


def letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(RANDOM.choice(alphabet) for _ in range(count - 1)) + "7"


PEM = (
    "-----BEGIN "
    + "RSA PRIVATE KEY-----\n"
    + letters(64)
    + "\n"
    + letters(30)
    + "\n-----END "
    + "RSA PRIVATE KEY-----"
)
JWT = ".".join(
    base64.urlsafe_b64encode(text).decode().rstrip("=")
    for text in (b'{"alg":"HS256"}', b'{"sub":"1234567890"}', b"signature!")
)
KEYS = {
    "anthropic key": "sk-ant-" + "api03-" + letters(40),
    "openrouter key": "sk-or-" + "v1-" + letters(40),
    "key": "sk-" + "proj-" + letters(40),
    "xai key": "xai-" + letters(40),
    "groq key": "gsk_" + letters(40),
    "huggingface token": "hf_" + letters(34),
    "replicate token": "r8_" + letters(37),
    "github token": "ghp_" + letters(36),
    "gitlab token": "glpat-" + letters(20),
    "npm token": "npm_" + letters(36),
    "pypi token": "pypi-" + "AgEIcHlwaS5vcmc" + letters(60),
    "docker token": "dckr_pat_" + letters(27),
    "aws key": "AKIA" + letters(16, string.ascii_uppercase + string.digits),
    "google key": "AIza" + letters(35),
    "digitalocean token": "dop_v1_" + letters(64, "0123456789abcdef"),
    "slack token": "xoxb-" + "123456789012-" + letters(24),
    "sendgrid key": "SG." + letters(22) + "." + letters(43),
    "telegram token": "123456789" + ":AA" + letters(33),
    "web token": JWT,
    "private key": PEM,
}
MORE = {
    "github_pat_" + letters(22) + "_" + letters(59): "github token",
    "sk_live_" + letters(24): "key",
    "https://" + "hooks.slack.com/services/" + "T00000000/B00000000/" + letters(24): "slack token",
}


@pytest.mark.parametrize(("kind", "key"), [*KEYS.items(), *((kind, key) for key, kind in MORE.items())])
@pytest.mark.acceptance("T-11", "T-12")
def test_a_key_is_replaced_by_its_kind_wherever_it_stands(kind: str, key: str) -> None:
    for before, after in (
        ("", ""),
        ("see ", " please"),
        ('x = "', '"'),
        ("日本語：", "。"),
        ("\n\n(", ")"),
        ("a=", "\n"),
    ):
        done = redact(before + key + after)
        assert key[8:] not in done.text
        assert "[redacted: " in done.text
        assert done.text.startswith(before) and done.text.endswith(after)
    [note] = redact(f"one\ntwo {key}").notes
    assert note == Note(kind, 2)
    assert str(note) == f"{kind} in line 2"


@pytest.mark.parametrize("after", ["...", "…", ".example", "-example", " example", "<x>", "${A}"])
def test_a_word_that_marks_a_placeholder_hides_no_key_beside_it(after: str) -> None:
    for key in KEYS.values():
        assert key not in redact(f"{key}{after}").text


def test_a_private_key_without_its_end_goes_up_to_the_end_of_the_text() -> None:
    assert redact("before\n" + PEM[:-40]).text == "before\n[redacted: private key]"
    assert redact(PEM + "\nafter").text == "[redacted: private key]\nafter"
    assert redact(f"{PEM}\nbetween\n{PEM}").text == "[redacted: private key]\nbetween\n[redacted: private key]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('password = "k3J#9xQ2v!Lm"', 'password = "[redacted: secret]"'),
        ("password: 'k3J9xQ2vLmZZ'", "password: '[redacted: secret]'"),
        ('{"api_key": "f81d4fae7dec11d0a765"}', '{"api_key": "[redacted: secret]"}'),
        ("DB_PASSWORD=k3J9xQ2vLm8w", "DB_PASSWORD=[redacted: secret]"),
        ("export AUTH_TOKEN=f81d4fae7dec11d0", "export AUTH_TOKEN=[redacted: secret]"),
        ("client_secret => 'f81d4fae7dec11d0a7'", "client_secret => '[redacted: secret]'"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCY", "AWS_SECRET_ACCESS_KEY=[redacted: secret]"),
        ("postgres://user:hunter2@db.internal/x", "postgres://user:[redacted: password in a URL]@db.internal/x"),
        ("Authorization: Bearer abcDEF123456.x_y", "Authorization: Bearer [redacted: authorization]"),
        ('"Authorization": "Basic dXNlcjpwYXNz"', '"Authorization": "Basic [redacted: authorization]"'),
        ("AccountKey=" + "A1" * 22 + "==;x", "AccountKey=[redacted: azure key];x"),
    ],
)
@pytest.mark.acceptance("T-11")
def test_a_value_that_a_name_gives_away_is_replaced_and_its_name_stays(text: str, shown: str) -> None:
    assert redact(text).text == shown


@pytest.mark.parametrize(
    "text",
    [
        "", "password = getpass()", 'password = "changeme"', 'password = "${PASSWORD}"', 'token = "<your-token>"',
        "token = tokenizer.next_token(text)", 'api_key = os.environ["OPENAI_API_KEY"]', "PASSWORD=$SECRET_1234567",
        "sk-...", "sk-your-key-here", "the sk- prefix", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "-----BEGIN CERTIFICATE-----\nabc",
        'secret_name = "my-app-secret"', "https://example.org:8080/path@2x.png", "git@github.com:a/b.git", 'key = "Enter"',
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "sha256:" + "0f" * 32, 'tokenType: "AccessTokenKind"', "class PasswordResetTokenGenerator:",
        "passwords: list[str] = []", "http://user@host/x", "def authorization(self): ...", "eyJust a word", "task-1234567890123456789",
        'password = "correct horse battery staple"', "https://user:${PASSWORD}@host/", "npm_config_registry", "risk-averse-2024-strategy",
    ],
)  # fmt: skip
def test_text_that_only_talks_about_keys_stays_as_it_is(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).notes == ()


def test_what_is_known_to_be_secret_goes_whatever_it_looks_like() -> None:
    done = redact("a my-own-key b\nmy-own-key", known=["my-own-key", "short"])
    assert done.text == "a [redacted: known secret] b\n[redacted: known secret]"
    assert [note.line for note in done.notes] == [1, 2]
    assert redact("short", known=["short"]).text == "short"


def test_overlapping_finds_are_one() -> None:
    key = KEYS["github token"]
    assert redact(f'password = "{key}"').text == 'password = "[redacted: github token]"'
    assert redact(f"https://user:{key}@github.com/x").text.count("[redacted: ") == 1


@given(st.text(), st.sampled_from(list(KEYS.values())), st.text())
def test_nothing_but_the_key_is_changed_and_a_second_look_finds_nothing(before: str, key: str, after: str) -> None:
    text = f"{before}\n{key}\n{after}"
    done = redact(text)
    assert redact(done.text).notes == () or "private key" in {note.kind for note in redact(done.text).notes}
    rebuilt, at = "", 0
    for found in find_secrets(text):
        rebuilt += text[at : found.start] + f"[redacted: {found.kind}]"
        at = found.end
    assert done.text == rebuilt + text[at:]


@pytest.mark.parametrize(
    "text",
    [
        "sk-" * 300_000, "eyJ" + "a" * 900_000, "-----BEGIN PRIVATE KEY-----\n" * 30_000, "password=" * 100_000, "://" * 300_000,
        "password " * 100_000, ":AA" * 300_000, "a:" * 450_000, "token" + " " * 900_000 + "=", "x" * 900_000, 'secret = "' * 90_000,
        "://" + "a" * 900_000, "://a:" + "b" * 900_000, "SG." + "a." * 450_000, "xoxb-" + "-" * 900_000, "AccountKey=" * 80_000,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_text_costs_little_time(text: str) -> None:
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 5


def test_of_a_file_of_secrets_the_values_count_that_are_secret() -> None:
    random = letters(24)
    lines = [
        "DB_PASSWORD=correct horse", "export API_KEY='hunter2hunter'", f'"anything": "{random}",', "ACCESS_TOKEN: abcdefgh",
        "PASSWORD=change_me_please", "SECRET_KEY=<your key here>", "API_KEY=${API_KEY_OF_CI}", "PASSWORD=short", "HOST=localhost",
        "LOG_LEVEL=information",
    ]  # fmt: skip
    assert secret_values("\n".join(lines)) == ["hunter2hunter", random, "abcdefgh"]
