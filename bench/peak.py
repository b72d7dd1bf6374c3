"""motet, and after it, as JSON in a file, what its process has used: the most memory in bytes, and seconds of CPU.

python bench/peak.py FILE fix --yes …
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from motet.__main__ import main


def peak() -> int:
    """Bytes of this process alone: Linux knows them since the program was started, others since the process was."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    report = Path(sys.argv.pop(1))
    try:
        code = main()
    finally:
        report.write_text(json.dumps({"peak": peak(), "cpu": time.process_time()}))
    sys.exit(code)
