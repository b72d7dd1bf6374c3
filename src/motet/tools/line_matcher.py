"""A program of its own: says in which lines of some texts a regular expression matches.

Python holds its interpreter lock while it matches, so an expression that takes for ever would stop every thread of
motet. Here it stops only this program, which `motet.tools.search` ends after a while.

Standard input is a JSON object: `pattern`, `ignore_case`, and `texts`, each a list of lines. Standard output is a JSON
list of lists: for each text the indexes, from 0, of the lines that match. Only the standard library is imported.
"""

import json
import re
import sys


def main() -> None:
    """Read, match, write."""
    asked = json.load(sys.stdin)
    search = re.compile(asked["pattern"], re.IGNORECASE if asked["ignore_case"] else 0).search
    json.dump([[at for at, line in enumerate(lines) if search(line)] for lines in asked["texts"]], sys.stdout)


if __name__ == "__main__":
    main()
