"""Places where a write gains rights or runs code later: they always ask, in every mode.

Names are compared without case, because some file systems do not tell `.GIT` from `.git`.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from motet.permissions.secrets import is_secret

_DIRECTORIES = frozenset({
    ".git", ".hg", ".svn", ".jj", ".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".forgejo",
    ".ci", ".husky", ".githooks", ".devcontainer", ".vscode", ".idea", ".zed", ".nvim", ".vim", ".claude",
    ".codex", ".cursor", ".gemini", ".motet", ".ssh", ".gnupg", ".aws", ".kube", ".docker", ".direnv",
    ".clinerules", ".windsurf", ".config", ".local",  # the last two: of programs, where the workspace is a home
})  # fmt: skip
_FILES = frozenset({
    ".motet.toml", ".mcp.json", "mcp.json", ".gitmodules", ".gitconfig", ".gitattributes", ".gitlab-ci.yml",
    ".travis.yml", "azure-pipelines.yml", "jenkinsfile", ".pre-commit-config.yaml", "lefthook.yml", ".envrc",
    ".exrc", ".nvimrc", ".vimrc", ".nvim.lua", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv",
    ".zprofile", ".zlogin", ".zlogout", ".bash_login", ".bash_logout", ".bash_aliases", ".xprofile", ".xinitrc",
    ".xsession", ".pam_environment", ".inputrc", ".tmux.conf", ".screenrc", "config.fish", ".drone.yml",
    ".drone.yaml", ".cirrus.yml", ".woodpecker.yml", ".woodpecker.yaml", "bitbucket-pipelines.yml", "appveyor.yml",
    ".appveyor.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", ".netrc", ".npmrc", ".pypirc", ".yarnrc", ".yarnrc.yml", "agents.md", "claude.md", "gemini.md",
    ".cursorrules", ".clinerules", ".windsurfrules", "sitecustomize.py", "usercustomize.py",
})  # fmt: skip
_SUFFIXES = (".pem", ".key", ".pth")


def is_protected(path: str) -> bool:
    """Whether the workspace path `path` (with `/`) is a protected place."""
    parts = [part.lower() for part in PurePosixPath(path).parts]
    if any(part in _DIRECTORIES for part in parts):
        return True
    name = parts[-1] if parts else ""
    return name in _FILES or name.startswith(".env") or name.endswith(_SUFFIXES) or is_secret(path)
