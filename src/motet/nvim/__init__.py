"""The Neovim front end: one process for each editor, which it talks with over its standard input and output.

Lua in the editor holds windows, keys and the text that is typed; here are the chats, and every decision. `host.main` is
what `motet nvim` runs.
"""
