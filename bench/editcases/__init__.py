"""Edit cases of other tools, run through `motet.edits` and judged: read, map, apply, compare, hold against bars."""
