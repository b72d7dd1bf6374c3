"""Which files hold secrets, by name, and which variables of the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from motet.permissions import is_protected, is_secret, resolved, without_secrets

SECRET = [
    ".env", ".ENV", "a/.env.local", ".env.production", "prod.env", ".envrc", "id_rsa", "keys/id_ed25519", "ID_RSA", "id_rsa.bak",
    "server.pem", "SERVER.PEM", "tls/private.key", "a.p12", "a.pfx", "a.jks", "a.kdbx", "putty.ppk", ".netrc", "_netrc", ".npmrc",
    ".pypirc", ".git-credentials", ".pgpass", ".htpasswd", "prod.tfvars", "terraform.tfstate", "credentials", "credentials.json",
    "client_secret_1.json", "service-account-x.json", "secrets.yaml", ".s3cfg", "/home/u/.ssh/known_hosts", "/home/u/.aws/config",
    "/home/u/.config/gh/hosts.yml", "/home/u/.docker/config.json", "/home/u/.kube/config", "/home/u/.gnupg/x",
    "/home/u/.config/gcloud/a/b.db", "/home/u/.cargo/credentials.toml", "sub/.SSH/x", ".config/google-chrome/Default/Cookies",
    "AuthKey.p8", "cookies.sqlite",
]  # fmt: skip
ORDINARY = [
    "src/environment.py", ".env.example", "a/.env.sample", ".env.template", "id_rsa.pub", "keys.py", "src/secrets.py", "cacert.pem",
    "fullchain.pem", "docs/keys.md", "gh/main.py", "src/age/a.py", "op/x.c", ".docker/php/Dockerfile", "key.ts", "token.py",
    "credentials.py", "ssh/config.go", "src/.gitignore", "environment", "env", "public.pem",
]  # fmt: skip


@pytest.mark.parametrize("path", SECRET)
@pytest.mark.acceptance("T-11")
def test_a_file_of_secrets_is_known_by_its_name_without_case(path: str) -> None:
    assert is_secret(path)
    assert is_protected(path)


@pytest.mark.parametrize("path", ORDINARY)
def test_an_ordinary_file_is_not_taken_for_one(path: str) -> None:
    assert not is_secret(path)


@pytest.mark.acceptance("T-11", "T-08")
def test_no_link_and_no_spelling_hides_what_is_read(tmp_path: Path) -> None:
    root, outside = tmp_path / "p", tmp_path / "out"
    (root / "src").mkdir(parents=True)
    outside.mkdir()
    (root / ".env").write_text("KEY=x")
    (root / "notes.txt").symlink_to(".env")
    (root / "src" / "up").symlink_to("..")
    (root / "far").symlink_to(outside)
    for named in ("notes.txt", "./.env", "src/../.env", "src/up/.env", f"{root}/.env", "src/up/notes.txt"):
        assert resolved(root, named) == ".env", named
    assert resolved(root, "far/a.txt") == f"{outside}/a.txt"
    assert resolved(root, "../p2/a") == f"{tmp_path}/p2/a"
    assert resolved(root, "/p2/../a") == "/a"
    assert resolved(root, ".") == "."


def test_the_home_directory_is_understood(tmp_path: Path, home: Path) -> None:
    assert resolved(tmp_path, "~/.ssh/id_rsa") == f"{home.resolve()}/.ssh/id_rsa"


@pytest.mark.acceptance("T-11", "T-12")
def test_the_environment_of_a_command_holds_no_keys() -> None:
    kept = {
        "PATH": "/usr/bin", "HOME": "/home/u", "LANG": "C.UTF-8", "KEYBOARD": "us", "MONKEY": "x", "TOKENIZERS_PARALLELISM": "1",
        "AWS_REGION": "eu", "PASSENGER": "x", "GOPATH": "/go", "AUTHOR": "me", "PATTERN": "x", "URL": "https://a.example/b",
    }  # fmt: skip
    taken = {
        "OPENAI_API_KEY": "x", "ANTHROPIC_AUTH_TOKEN": "x", "GH_TOKEN": "x", "GITHUB_PAT": "x", "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_SESSION_TOKEN": "x", "AWS_ACCESS_KEY_ID": "x", "DB_PASSWORD": "x", "PGPASSWORD": "x", "MY_SECRET": "x", "SECRETS": "x",
        "SSH_AUTH_SOCK": "/run/x", "MOTET_MODEL": "x", "GOOGLE_APPLICATION_CREDENTIALS": "x", "api_key": "x", "SENTRY_DSN": "x",
        "DATABASE_URL": "postgres://u:pw@h/db", "HARMLESS": "ghp_abcdefghij0123456789ABCDEFGHIJ012345", "APIKEY": "x",
        "DOCKER_HOST": "unix:///x", "DEPLOY_KEY_BASE64": "x",
    }  # fmt: skip
    assert without_secrets(kept | taken) == kept
