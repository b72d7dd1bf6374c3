"""The chat in the terminal, without the conversation: what streams is drawn, what is typed is read and completed.

Nothing here knows a chat: `ChatScreen` takes events, `InputLine` gives texts, `completions` takes names. Modules that
load prompt_toolkit or Pygments are imported by whoever needs them, not from here.
"""

from __future__ import annotations
