"""motet: an AI pair programmer that lives where the code is.

Three promises: an edit is right or it is refused; the editor never waits; nothing the user wrote or
received is lost. `docs/architecture.md` draws the house; every package says in its first lines what it is for.
"""

__version__ = "0.1.0"
