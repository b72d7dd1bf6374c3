"""What a shell offers behind TAB: `motet --complete SHELL …`, asked by the scripts that `motet completion` prints.

It answers in a fraction of the time that a command takes to load: commands and options stand in `words.json`, which
`make docs` writes from the commands themselves. It only reads; what cannot be read is not offered.
"""
