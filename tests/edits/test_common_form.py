"""One replacement of a plain range of text, as the tools that are in use write it down: each comes to the same bytes."""

from __future__ import annotations

import json

import pytest

from motet.edits import parse
from motet.tools import AcceptAll, EditDesk
from motet.workspace import MemoryWorkspace

OLD, NEW = "    return a + b\n", "    return sum((a, b))\n"
BEFORE = f"def total(a, b):\r\n{OLD}\n\ntotal(1, 2)".replace("\n\n", "\r\n")
ELEMENT = (
    f"<replace_file>\n<path>a.py</path>\n<search>\n{OLD}</search>\n<replace>\n{NEW}</replace>\n</replace_file>\n"
)
WRITTEN = {
    "conflict markers below a path": f"a.py\n<<<<<<< SEARCH\n{OLD}=======\n{NEW}>>>>>>> REPLACE\n",
    "the same in a fence": f"a.py\n```python\n<<<<<<< SEARCH\n{OLD}=======\n{NEW}>>>>>>> REPLACE\n```\n",
    "dashes, in a call": json.dumps(
        {"path": "a.py", "diff": f"------- SEARCH\n{OLD}=======\n{NEW}+++++++ REPLACE\n"}
    ),
    "str_replace": json.dumps({"command": "str_replace", "path": "a.py", "old_str": OLD, "new_str": NEW}),
    "old and new string": json.dumps({"file_path": "a.py", "old_string": OLD, "new_string": NEW}),
    "elements": ELEMENT,
    "a patch": f"*** Begin Patch\n*** Update File: a.py\n@@\n-{OLD}+{NEW}*** End Patch\n",
    "a diff": f"--- a/a.py\n+++ b/a.py\n@@ -2,1 +2,1 @@\n-{OLD}+{NEW}",
}


@pytest.mark.acceptance("S3-019")
@pytest.mark.parametrize("form", WRITTEN)
async def test_each_tools_way_to_replace_a_text_comes_to_the_same_bytes(form: str) -> None:
    files = MemoryWorkspace({"a.py": BEFORE})
    report = await EditDesk(files, AcceptAll()).submit(parse(WRITTEN[form]))
    assert [file.path for file in report.files] == ["a.py"]
    assert (await files.read("a.py")).data == BEFORE.replace("a + b", "sum((a, b))").encode()
