"""`python -m benchmarks [SECTION]…`, as `python -m benchmarks fit ask`: all of them by default."""

from __future__ import annotations

import importlib
import sys

SECTIONS = {
    "footprint": "footprint",
    "storage": "storing",
    "service": "service",
    "simulate": "simulating",
    "tables": "tables",
    "fit": "fitting",
    "ask": "asking",
    "lasting": "lasting",
    "ensembles": "ensembles",
    "contexts": "unseen",
    "clients": "clients",
    "site": "site",
    "silence": "silence",
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(SECTIONS)
    for unknown in set(wanted) - set(SECTIONS):
        sys.exit(f"benchmarks: no section is named {unknown!r}; choose from {', '.join(SECTIONS)}.")
    for section in wanted:
        importlib.import_module(f"benchmarks.{SECTIONS[section]}").main()
