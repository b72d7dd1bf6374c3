"""Answers that nobody would send: good ones with pieces cut out or put in, fragments of all formats, any bytes."""

from __future__ import annotations

import json

from hypothesis import strategies as st

FORMATS = (
    "replace_in_file", "edit_file", "search_replace", "xml", "whole_file", "udiff", "apply_patch", "anchored", "auto",
)  # fmt: skip

_PATHS = (
    "src/a.py",
    "a.py",
    "`a b.c`",
    "**x/y.ts**",
    "../up.py",
    "/etc/passwd",
    "C:\\a.py",
    "a//b.py",
    "/dev/null",
    "Makefile",
)
_CODE = (
    "x = 1",
    "    return x",
    "\tif (a < b) {",
    "}",
    "",
    " ",
    "# ...",
    "// ... existing code ...",
    "...",
    "é “q” –",
    "=" * 7,
)
_MARKS = (
    "<<<<<<< SEARCH", "<<<<<<<<< SEARCH", "<<<<< SEARCH>", "------- SEARCH", "<<<<<<< SEARCH a.py", "<<<<<<< HEAD",
    "=======", "=====", "=========", "======= ", ">>>>>>> REPLACE", "+++++++ REPLACE", ">>>>>", ":start_line:3",
    "```", "```python", "````", "~~~", "```diff", "```python src/a.py", "  ```", "`````",
    "--- a/src/a.py", "+++ b/src/a.py", "--- /dev/null", "+++ /dev/null", "@@ -1,2 +1,2 @@", "@@ -0,0 +1 @@",
    "@@ -1,99999999999999999999 +1 @@ def f():", "@@ ... @@", "@@", "@@ class A:", " x = 1", "-x = 1", "+x = 2", "+", "-",
    "\\ No newline at end of file", "diff --git a/src/a.py b/src/a.py", "index 123..456 100644", "rename from a.py",
    "rename to b.py", "new file mode 100644", "deleted file mode 100644", "Binary files a and b differ", "GIT binary patch",
    "*** Begin Patch", "*** Update File: src/a.py", "*** Add File: b.py", "*** Delete File: c.py", "*** Move to: d.py",
    "*** End of File", "*** End Patch", "*** Update File:", "***", "*** Environment ID: x",
    "<replace_file>", "</replace_file>", "<path>src/a.py</path>", "<path>", "<search>", "</search>", "<replace>", "</replace>",
    "<replace_in_file>", "</replace_in_file>", "<diff>", "</diff>", "<![CDATA[", "]]>", "&lt;", "&#x0;", "&#99999999999;",
    "<write_file>", "<content>", "</content>", "<search/>", "<path/>", "<replace_file", "<?xml version='1.0'?>",
    "12:a3│ x = 1", "12:a3..15:f0", "replace 12:a3f..15:f0z", "insert after 0:00", "1:zz", "99999999999999999999:a3│",
    "end replace", "end insert", "\\end replace", "delete 3:abc", "insert at start", "insert at end", "file a.py", "replace 1:a",
    "<write_to_file>", "</write_to_file>", "<apply_diff>", "</apply_diff>", "<args>", "</args>", "<invoke name=\"Edit\">",
    "</invoke>", '<parameter name="old_string">', "</parameter>", "<function=str_replace_editor>", "</function>",
    "<parameter=path>", "<edits>", "</edits>", "<old_text line=3>", "</old_text>", "<new_text>", "</new_text>", "[{",
    '{"type": "update_file", "path": "a", "diff": "', '{"changes": {"a": {"delete": {}}}}', "||||||| base", ">>>>>>> updated",
    '{"path": "src/a.py", "edits": [', '{"old": "x", "new": "y"}', '"replace_all": true', '"near": 3', "]}", "{", "[", '"', "\\",
    "\\u", "\\ud800", "\\u0000", ",", ":", "null", "true", "1e999", "-", "NaN", '{"path": 1}', '{"edits": {}}',
)  # fmt: skip
_ODD = (
    "\0",
    "\x1b[31m",
    "\ud800",
    "\udfff",
    "\ufeff",
    "\u200b",
    "\x85",
    "\u2028",
    "\x0c",
    "\r",
    "\r\n",
    "\n",
    "a" * 5_000,
    "日本",
    "🦆",
)
FRAGMENTS = (*_PATHS, *_CODE, *_MARKS, *_ODD)

GOOD: dict[str, tuple[str, ...]] = {
    "search_replace": (
        "src/a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n",
        "First this.\n\n**a.py**\n<<<<<<< SEARCH\na\n\nb\n=======\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n=======\nc\n>>>>>>> REPLACE\n",
    ),
    "replace_in_file": (
        "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n",
    ),
    "edit_file": (
        json.dumps({"path": "src/a.py", "edits": [{"old": "x = 1\n", "new": "x = 2\n", "near": 3}]}),
        json.dumps({"path": "ä.py", "edits": [{"old": "\t\"é\"", "new": "🦆\\n", "replace_all": True}, {"old": "", "new": ""}]}),
    ),
    "xml": (
        "<replace_file>\n<path>src/a.py</path>\n<search>\nx < 1\n</search>\n<replace>\nx &lt; 2\n</replace>\n</replace_file>\n",
        "<replace_in_file><path>a.py</path><diff>\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</diff></replace_in_file>",
    ),
    "whole_file": ("src/a.py\n```python\nx = 1\n```\n", "```python src/a.py\nx = 1\n```\n\nb.md\n````\n```\nx\n```\n````\n"),
    "udiff": (
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n \n@@ -9 +9,2 @@ def f():\n+d\n e\n",
        "```diff\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n```\n",
    ),
    "apply_patch": (
        "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: b.py\n@@ class A:\n@@ def f():\n a\n-b\n+c\n*** End of File\n"
        "*** Add File: n.py\n+x\n+y\n*** Delete File: o.py\n*** End Patch\n",
    ),
    "anchored": (
        "file src/a.py\nreplace 12:a3f..15:f0z\nx = 1\n\\end replace\nend replace\ndelete 30:0q1..31:m4d\n",
        "src/a.py\ninsert after 20:7k2\nx\nend insert\n\ninsert at start\ny\nend insert\n",
        json.dumps({"path": "a.py", "edits": [{"replace": "12:a3f..15:f0z", "text": "x\n"}, {"delete": "1:abc"}]}),
    ),
}  # fmt: skip

_BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
_PATCH = "*** Begin Patch\n*** Delete File: a\n*** End Patch"
_HUNK = "@@ -1 +1 @@\n-a\n+b\n"
GOOD["calls"] = (
    f"<apply_diff>\n<path>a.py</path>\n<diff>\n{_BLOCK}</diff>\n</apply_diff>\n",
    f"<apply_diff><args><file><path>a</path><diff><content>{_BLOCK}</content></diff></file></args></apply_diff>\n",
    "<write_to_file>\n<path>a.py</path>\n<content>\nx\n</content>\n</write_to_file>\n",
    '<invoke name="Edit">\n<parameter name="file_path">a</parameter>\n<parameter name="old_string">b</parameter>\n'
    '<parameter name="new_string">c</parameter>\n</invoke>\n',
    "<function=str_replace_editor>\n<parameter=command>insert</parameter>\n<parameter=path>a</parameter>\n"
    "<parameter=insert_line>1</parameter>\n<parameter=new_str>x</parameter>\n</function>\n",
    "a.py\n<edits>\n<old_text line=3>\na\n</old_text>\n<new_text>\nb\n</new_text>\n</edits>\n",
    "a.css\n```css\n<<<<<<< HEAD\na\n||||||| base\nc\n=======\nb\n>>>>>>> updated\n```\n",
    f"```ruby\nw.rb\n```ruby\n{_BLOCK}```\n```\n",
    json.dumps(
        {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a", "diff": "@@\n-a\n+b\n"}}
    ),
    json.dumps({"command": ["apply_patch", _PATCH]}),
    json.dumps({"changes": {"a": {"update": {"unified_diff": _HUNK, "move_path": "c"}}}}),
    f"+++ b/a.py\n{_HUNK}+++ b/b.py\n@@ -0,0 +1 @@\n+c\n",
)

_texts = st.text(st.characters(), max_size=40)
_bytes = st.binary(max_size=60).map(lambda data: data.decode("utf-8", "surrogateescape")) | st.binary(
    max_size=60
).map(lambda data: data.decode("latin-1"))
_fragments = st.sampled_from(FRAGMENTS)
_mixtures = st.tuples(
    st.sampled_from(("\n", "\n", "\n", "", "\r\n", " ")), st.lists(_fragments | _fragments | _texts, max_size=14)
).map(lambda drawn: drawn[0].join(drawn[1]))
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(("x", "a.py", "")) | _texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("path", "edits", "old", "new", "replace_all", "near", "diff", "text", "line")) | _texts,
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
).map(lambda value: json.dumps(value, ensure_ascii=True))


@st.composite
def _bent(draw: st.DrawFn, format: str) -> str:
    """A good answer with up to three pieces cut out, put in, doubled or moved."""
    answer = draw(st.sampled_from(GOOD.get(format) or sum(GOOD.values(), ())))
    for _ in range(draw(st.integers(0, 3))):
        first = draw(st.integers(0, len(answer)))
        last = draw(st.integers(first, min(len(answer), first + 40)))
        piece = answer[first:last]
        new = draw(
            st.sampled_from(("", piece * 2, piece[::-1])) | _fragments | _fragments.map(lambda text: f"\n{text}\n")
        )
        answer = answer[:first] + new + answer[last:]
    return answer


def answers(format: str) -> st.SearchStrategy[str]:
    """Any text, with a leaning to what a parser of `format` could stumble over."""
    return _bent(format) | _mixtures | _bent(format) | _json | _texts | _bytes


REPEATED: dict[str, tuple[tuple[str, str, str], ...]] = {
    "replace_in_file": (
        ("", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", ""),
        ("<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"),
        ("<<<<<<< SEARCH\n", "a\n", "=======\n>>>>>>> REPLACE\n"),
        ("", "<<<<<<< SEARCH\n", ""),
        ("<<<<<<< SEARCH\n", "\n", ""),
        ("<<<<<<< SEARCH\n", " ", ""),
        ("<<<<<<< SEARCH\na\n=======\n", "<<<<<<< HEAD\n", ">>>>>>> REPLACE\n"),
        ("<<<<<<< SEARCH\na\n=======\n", "=======\n>>>>>>>\n", ""),
    ),
    "edit_file": (
        ('{"path": "a", "edits": [', '{"old": "a", "new": "b"},', '{"old": "a", "new": "b"}]}'),
        ('{"path": "a", "edits": [{"old": "', "\\n", '", "new": ""}]}'),
        ('{"path": "a", "edits": [{"old": "', "\\", '", "new": ""}]}'),
        ('{"path": "a", "edits": [{"old": "', "a", ""),
        ("", "[", ""),
        ("", '{"a":', ""),
        ("", " ", ""),
    ),
    "search_replace": (
        ("a.py\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", ""),
        ("", "a.py\n", ""),
        ("", "some words\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"),
        ("", "```\n", "<<<<<<< SEARCH\n"),
        ("", "\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"),
        ("a.py\n<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"),
        ("", "-" * 5 + " ", ""),
        ("", "# ", "x\n"),
        ("", "*`\"'", "x\n"),
    ),
    "xml": (
        ("", "<replace_file><path>a</path><search>\na\n</search><replace>\nb\n</replace></replace_file>\n", ""),
        ("<replace_file><path>a</path><search>\n", "<search>\n", ""),
        ("<replace_file><path>a</path><search>\n", "</search\n", ""),
        ("", "<replace_file>\n", ""),
        ("", "<", ""),
        ("", "<replace_file", ""),
        ("<replace_file><path>a</path><search>", "]]>", "</search>"),
        ("<replace_file><path>a</path><search>", "&lt;", "</search>"),
    ),
    "whole_file": (
        ("", "a.py\n```\nx\n```\n", ""),
        ("a.py\n````\n", "```\n", "````\n"),
        ("a.py\n", "```\n", ""),
        ("a.py\n```\n", "\n", "```\n"),
        ("", "`", ""),
        ("", "a.py ", "\n```\n"),
    ),
    "udiff": (
        ("--- a/a\n+++ b/a\n", "@@ -1 +1 @@\n-a\n+b\n", ""),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n", " a\n", ""),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n", "-a\n", "+b\n"),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n", "\n", "+b\n"),
        ("", "--- a/a\n+++ b/a\n", ""),
        ("", "--- a\n", ""),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n", "words\n", ""),
        ("--- a/a\n+++ b/a\n@@ -", "1", " +1 @@\n"),
        ("--- a/", " a", "\n"),
    ),
    "apply_patch": (
        ("*** Begin Patch\n*** Update File: a\n", "@@\n-a\n+b\n", "*** End Patch\n"),
        ("*** Begin Patch\n", "*** Update File: a\n@@\n-a\n+b\n", "*** End Patch\n"),
        ("*** Begin Patch\n*** Add File: a\n", "+a\n", "*** End Patch\n"),
        ("*** Begin Patch\n*** Update File: a\n", "@@ a\n", ""),
        ("*** Begin Patch\n*** Update File: a\n@@\n", " \n", ""),
        ("*** Begin Patch\n*** Update File: a\n@@\n", "\n", "*** End Patch\n"),
        ("", "*** Begin Patch\n", ""),
        ("", "words\n", "*** Begin Patch\n"),
    ),
    "anchored": (
        ("file a.py\n", "delete 12:a3f..15:f0z\n", ""),
        ("file a.py\nreplace 12:a3f\n", "x\n", "end replace\n"),
        ("file a.py\nreplace 12:a3f\n", "\\", "end replace\n"),
        ("file a.py\nreplace 12:a3f\n", "x\n", ""),
        ("", "file a.py\n", ""),
        ("", "delete ", "12:a3f\n"),
        ("", "12:a3f│ x\n", ""),
        ("file a.py\nreplace ", "1", ":a3f\n"),
    ),
}
REPEATED["auto"] = (
    ("", "words and more\n", ""),
    ("", "a.py\n```\n", ""),
    ("", "<", ""),
    ("", "`", ""),
    ("", " ", ""),
    ("", "*** ", ""),
    ("", "--- a/a\n", ""),
    ("", "{", ""),
    ("<write_to_file>\n<path>a</path>\n<content>\n", "</content>\n", "</write_to_file>\n"),
    ("<write_to_file>\n", "<path>a</path>\n", "</write_to_file>\n"),
    ('<invoke name="Edit">\n', '<parameter name="old_string">', "</parameter>\n</invoke>\n"),
    ("a.py\n<edits>\n", "<old_text>a</old_text><new_text>\n", "</new_text>\n</edits>\n"),
    ("a.py\n<edits>\n<old_text>", "</old_text><new_text></new_text> \n", "</new_text>\n</edits>\n"),
    ("", "<edits>\n", ""),
    ("", "```ruby\na.rb\n", ""),
    ("", "+++ b/a\n", ""),
    ('{"command": ["apply_patch", "', "*** Begin Patch\\n", '"]}\n'),
    ("a.css\n```\n", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> updated\n", "```\n"),
    ("", "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n", ""),
    ("", "> ", ""),
    *(REPEATED[format][0] for format in FORMATS[:-1]),
    *(REPEATED[format][1] for format in FORMATS[:-1]),
)
"""Worst cases by format: head, what is repeated, tail. Each length of such an answer must cost in proportion."""
