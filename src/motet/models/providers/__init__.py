"""Providers over HTTP: one file a protocol (pure mapping, bytes in and events out), one file that does the talking."""
