"""Files that hold secrets, by name: one list for every road by which a file could be read or sent.

Names are compared without case, on the resolved path, so that neither a link nor `.ENV` leads around the list. A
name says nothing about the content: what looks like a key inside an ordinary file is found by `redact`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from fnmatch import translate
from pathlib import Path, PurePosixPath

# Environment files.
_ENVIRONMENT = (".env", ".env.*", "*.env", ".envrc", ".env-*", ".env_*", ".dev.vars", ".flaskenv")
_EXAMPLES = (
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".env.defaults",
    "example.env",
    "sample.env",
)
# Private keys and stores of keys.
_KEYS = (
    "*.pem", "*.key", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.kdbx", "*.kdb", "*.ppk", "*.asc.key",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.agekey", "keys.txt.age", "*.p8", "*.ovpn", "*.mobileprovision",
)  # fmt: skip
_PUBLIC = (
    "*.pub", "cacert.pem", "cacerts.pem", "ca.pem", "ca-bundle*.pem", "ca-certificates*.pem", "ca_bundle*.pem",
    "chain.pem", "fullchain.pem", "cert.pem", "certs.pem", "public.pem", "*public*.pem", "*.pub.pem", "roots.pem",
)  # fmt: skip
# Passwords and tokens that programs keep.
_CREDENTIALS = (
    ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf",
    ".htpasswd", ".dockercfg", ".vault-token", ".terraformrc", "terraform.rc", "*.tfvars", "*.tfstate",
    "*.tfstate.backup", "credentials", "credentials.json", "credentials.toml", "credentials.tfrc.json", "credentials.db",
    "client_secret*.json", "service-account*.json", "service_account*.json", "secrets.yml", "secrets.yaml",
    "secrets.json", "secrets.toml", ".secrets", "auth.json", "kubeconfig", "token.json", ".s3cfg", ".boto",
    "master.key", "keyring.db", "login.keychain*", "cookies.sqlite", "logins.json", "key4.db", ".age-key",
)  # fmt: skip
# Directories whose whole content is secret; some only below the directory that `_ONLY_BELOW` names.
_DIRECTORIES = frozenset({
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".gcloud", "gcloud", "gh", "glab-cli", "hub",
    "op", "keyrings", "kwalletd", ".mozilla", ".thunderbird", "google-chrome", "chromium", "bravesoftware", ".oci",
    ".doctl", "doctl", ".fly", "github-copilot", "rclone", "sops", "age",
})  # fmt: skip
_ONLY_BELOW = {
    "gcloud": ".config", "gh": ".config", "glab-cli": ".config", "hub": ".config", "op": ".config", "keyrings": "share",
    "kwalletd": "share", "google-chrome": ".config", "chromium": ".config", "bravesoftware": ".config",
    "doctl": ".config", "github-copilot": ".config", "rclone": ".config", "sops": ".config", "age": ".config",
}  # fmt: skip

_IN_HOME = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".oci", ".fly", ".mozilla", ".thunderbird",
    ".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/gcloud", ".config/doctl",
    ".config/github-copilot", ".config/rclone", ".config/sops", ".config/age", ".config/google-chrome",
    ".config/chromium", ".config/BraveSoftware", ".local/share/keyrings", ".local/share/kwalletd",
    ".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".config/git/credentials", ".pgpass", ".my.cnf",
    ".mylogin.cnf", ".dockercfg", ".vault-token", ".terraformrc", ".terraform.d/credentials.tfrc.json", ".s3cfg",
    ".boto", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
    ".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json", ".nuget/NuGet/NuGet.Config",
    ".config/pypoetry/auth.toml", ".codex/auth.json", ".claude/.credentials.json", ".claude.json", ".gemini",
    ".env", ".envrc", ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history",
    ".node_repl_history", ".local/share/fish/fish_history", ".Xauthority", ".ICEauthority",
)  # fmt: skip


class _Names:
    """Tells names that fit one of the `patterns`, as the shell has them. Whole projects are listed through this, so plain
    names, beginnings and ends are compared without a regular expression."""

    def __init__(self, *patterns: str) -> None:
        self._plain = frozenset(one for one in patterns if "*" not in one)
        self._ends = tuple(one[1:] for one in patterns if one.rfind("*") == 0)
        self._begins = tuple(one[:-1] for one in patterns if one.find("*") == len(one) - 1 > 0)
        rest = (one for one in patterns if "*" in one[1:-1])
        self._rest = re.compile("|".join(map(translate, rest)) or "(?!)")

    def have(self, name: str) -> bool:
        """Whether `name` is among them."""
        if name in self._plain or name.endswith(self._ends) or name.startswith(self._begins):
            return True
        return self._rest.fullmatch(name) is not None


_NAMES = _Names(*_ENVIRONMENT, *_KEYS, *_CREDENTIALS)
_HARMLESS = _Names(*_EXAMPLES, *_PUBLIC)


def is_secret(path: str) -> bool:
    """Whether the resolved `path` (with `/`, relative or absolute) names a file of secrets, or lies among such."""
    path = path.lower().rstrip("/")
    directory, _, name = path.rpartition("/")
    if _lies_among_secrets(directory) or (name in _DIRECTORIES and _lies_among_secrets(path)):
        return True
    if name == "config.json" and PurePosixPath(directory).name == ".docker":
        return True
    return _NAMES.have(name) and not _HARMLESS.have(name)


def secret_places(home: Path) -> list[Path]:
    """Files and directories of secrets that programs keep in the home directory, those that exist."""
    return [place for name in _IN_HOME if (place := home / name).exists()]


_SECRET_NAMES = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|PAT|AUTH|COOKIE|DSN|SESSION_ID)"
    r"(?:S|_ID|_FILE|_BASE64|_\d+)?$|SECRET|PASSWORD|PRIVATE_KEY|^AWS_(?!REGION$|DEFAULT_REGION$|PAGER$)|^AZURE_"
    r"|^GOOGLE_APPLICATION_|^MOTET_",
    re.IGNORECASE,
)
_SOCKETS = frozenset({
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "GNOME_KEYRING_CONTROL", "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS", "DOCKER_HOST", "KUBECONFIG", "NETRC", "XAUTHORITY", "SUDO_ASKPASS", "SSH_ASKPASS",
    "GIT_ASKPASS", "VSCODE_GIT_IPC_HANDLE", "NVIM", "TMUX",
})  # fmt: skip
_WITH_PASSWORD = re.compile(r"://[^/@\s:]*:[^/@\s]+@")


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` for a command that a model wants to run: without keys, tokens, passwords and ways to agents that
    hold them, judged by the variable's name and by what its value looks like."""
    return {name: value for name, value in environ.items() if not _is_secret_variable(name, value)}


def _is_secret_variable(name: str, value: str) -> bool:
    from motet.permissions.redact import redact  # its patterns take a while, and names of files need none

    if name in _SOCKETS or _SECRET_NAMES.search(name):
        return True
    return _WITH_PASSWORD.search(value) is not None or bool(redact(value).notes)


@functools.lru_cache(1024)
def _lies_among_secrets(directory: str) -> bool:
    """Whether `directory`, in lower case, or one around it, holds nothing but secrets."""
    parts = PurePosixPath(directory).parts
    return any(
        part in _DIRECTORIES and _ONLY_BELOW.get(part, before) == before
        for before, part in zip(("", *parts), parts, strict=False)
    )
