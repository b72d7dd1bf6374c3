"""Typed settings with the origin of every value: defaults, the user's file, the project's file, `MOTET_*`, flags.

A project's file can only restrict: lower a limit, raise a threshold, deny, ignore. What it would start or point
at is returned apart, inert until the user trusts it.
"""

from motet.settings.load import Loaded, load_settings
from motet.settings.schema import (
    BoardSettings,
    ChatSettings,
    CheckerSettings,
    FixSettings,
    GroupSettings,
    IndexSettings,
    PermissionSettings,
    PluginSettings,
    ProviderSettings,
    ServerSettings,
    Settings,
    SnapshotSettings,
    SourceSettings,
    ToolsSettings,
    WebSettings,
)

__all__ = [
    "BoardSettings",
    "ChatSettings",
    "CheckerSettings",
    "FixSettings",
    "GroupSettings",
    "IndexSettings",
    "Loaded",
    "PermissionSettings",
    "PluginSettings",
    "ProviderSettings",
    "ServerSettings",
    "Settings",
    "SnapshotSettings",
    "SourceSettings",
    "ToolsSettings",
    "WebSettings",
    "load_settings",
]
