"""What stands on the screen, line by line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit

Serve = Callable[..., Provider]

TEXT = "one\nbad two\nthree\nfour\nfive\nsix\nseven\neight\nnine\nbad ten, which is a rather long line of text that no narrow terminal can show\n"
ANSWER = edit(
    ("notes/a.txt", "bad two\n", "good two\n"),
    ("notes/a.txt", TEXT.splitlines(keepends=True)[-1], "good ten\n"),
    text="Two words are wrong:\n\n- notes/a.txt:2: it says bad where good is meant, which is easy to see\n- 日本語の説明はここで折り返される。単語の間に空白がなくても、行の端で折り返されるはずだ。\n",
)
CHECKER = "[checkers.words]\ncommand = '''awk '/bad/ {printf \"%s:%d:1: error: a bad word, where only good words were to be expected at all\\n\", FILENAME, FNR; f=1} END {exit f}' notes/*.txt'''\n"

WIDE = """\
Model: scripted/one (set in the settings)
1 file, 2 errors (awk)
  notes/a.txt
    2:1    error: a bad word, where only good words were to be expected at all
           (awk)
    10:1   error: a bad word, where only good words were to be expected at all
           (awk)

Round 1: asking scripted/one about notes/a.txt
  Two words are wrong:

  - notes/a.txt:2: it says bad where good is meant, which is easy to see
  - 日本語の説明はここで折り返される。単語の間に空白がなくても、行の端で折り返さ
    れるはずだ。

notes/a.txt:2
  error: a bad word, where only good words were to be expected at all (awk)
@@ -1,5 +1,5 @@
 one
-bad two
+good two
 three
 four
 five
(1/2) Take this hunk? [y,n,r,a,d,e,j,k,/,p,q,?] y

notes/a.txt:10
  error: a bad word, where only good words were to be expected at all (awk)
@@ -7,4 +7,4 @@
 seven
 eight
 nine
-bad ten, which is a rather long line of text that no narrow terminal can show
+good ten
(2/2) Take this hunk? [y,n,r,a,d,e,u,j,k,/,p,q,?] n

  Done.

1 file, 1 error (awk)  1 solved, 0 new

Left: 1 problem.
  notes/a.txt
    10:1   error: a bad word, where only good words were to be expected at all
           (awk)

Applied changes to 1 of 1 file.
Ended: no progress (you left the rest as it is).
Used 200 tokens in, 40 out, $0.0003.
`motet undo` takes it back.
"""
NARROW = """\
Model: scripted/one (set in the
  settings)
1 file, 2 errors (awk)
  notes/a.txt
    2:1    error: a bad word, where only
           good words were to be
           expected at all (awk)
    10:1   error: a bad word, where only
           good words were to be
           expected at all (awk)

Round 1: asking scripted/one about
  notes/a.txt
  Two words are wrong:

  - notes/a.txt:2: it says bad where
    good is meant, which is easy to see
  - 日本語の説明はここで折り返される。単
    語の間に空白がなくても、行の端で折り
    返されるはずだ。

notes/a.txt:2
  error: a bad word, where only good
      words were to be expected at all
      (awk)
@@ -1,5 +1,5 @@
 one
-bad two
+good two
 three
 four
 five
(1/2) Take this hunk? [y,n,q,?] y

notes/a.txt:10
  error: a bad word, where only good
      words were to be expected at all
      (awk)
@@ -7,4 +7,4 @@
 seven
 eight
 nine
-bad ten, which is a rather long line of
 text that no narrow terminal can show
+good ten
(2/2) Take this hunk? [y,n,q,?] n

  Done.

1 file, 1 error (awk)  1 solved, 0 new

Left: 1 problem.
  notes/a.txt
    10:1   error: a bad word, where only
           good words were to be
           expected at all (awk)

Applied changes to 1 of 1 file.
Ended: no progress (you left the rest as
  it is).
Used 200 tokens in, 40 out, $0.0003.
`motet undo` takes it back.
"""


def run(project: Project, provider: Serve, columns: int) -> list[str]:
    project.write({"notes/a.txt": TEXT})
    served = provider([ANSWER, DONE])
    project.settings(
        project.config.read_text().partition("[checkers")[0] + CHECKER + '[permissions]\nallow = ["send"]\n'
    )
    human = project.human("fix", columns=columns)
    human.answers("yn")
    assert human.ends() == 1
    assert len(served.requests) == 2
    return human.lines


@pytest.mark.acceptance("S0-029", "S3-024")
def test_a_whole_run_at_80_columns(project: Project, provider: Serve) -> None:
    assert run(project, provider, 80) == WIDE.splitlines()


def test_a_whole_run_at_40_columns(project: Project, provider: Serve) -> None:
    assert run(project, provider, 40) == NARROW.splitlines()
