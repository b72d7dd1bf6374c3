"""One edit of one file, written into the text of an answer in each format that `motet apply` reads."""

from __future__ import annotations

import json

from cli.kit import block

from motet.edits.formats.anchors import anchor_of

BEFORE = "def greet(name):\n    print('Hello ' + name)\n\n\ndef leave():\n    print('bye')\n"
OLD, NEW = "    print('Hello ' + name)\n", "    print(f'Hello {name}')\n"
AFTER = BEFORE.replace(OLD, NEW)
_ANCHOR = anchor_of(OLD.rstrip("\n"), 2)
_HUNK = f"@@ -1,3 +1,3 @@\n def greet(name):\n-{OLD}+{NEW} \n"
_CALL = {"name": "replace_in_file", "arguments": {"path": "greet.py", "diff": block(OLD, NEW)}}

_FORMATS = {
    "SEARCH/REPLACE": f"greet.py\n{block(OLD, NEW)}",
    "replace_file": (
        f"<replace_file>\n<path>greet.py</path>\n<search>\n{OLD}</search>\n<replace>\n{NEW}</replace>\n</replace_file>\n"
    ),
    "replace_in_file": (
        f"<replace_in_file>\n<path>greet.py</path>\n<diff>\n{block(OLD, NEW)}</diff>\n</replace_in_file>\n"
    ),
    "unified diff": f"```diff\n--- a/greet.py\n+++ b/greet.py\n{_HUNK}```\n",
    "apply_patch": f"*** Begin Patch\n*** Update File: greet.py\n@@\n def greet(name):\n-{OLD}+{NEW}*** End Patch\n",
    "anchored": f"greet.py\nreplace 2:{_ANCHOR.hash}\n{NEW}end replace\n",
    "whole file": f"greet.py\n```python\n{AFTER}```\n",
    "JSON call": f"```json\n{json.dumps(_CALL)}\n```\n",
}
SHAPES = {name: f"I use an f-string.\n\n{text}\nThat is all.\n" for name, text in _FORMATS.items()}
"""By the name of its format, an answer that turns `BEFORE`, the text of `greet.py`, into `AFTER`."""
