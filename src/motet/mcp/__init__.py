"""`motet mcp`: any client of the Model Context Protocol becomes an agent on the boards of its project.

The client gets the seven board tools, the same as a chat's; who speaks is who is connected, and nothing that a client
says can change that. `motet.mcp.main.main` serves; it imports the protocol's library, which nothing else of motet does.
"""

from motet.mcp.asked import Asked

__all__ = ["Asked"]
