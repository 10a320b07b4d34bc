"""`python -m benchmarks [SECTION]…`, as `python -m benchmarks fit ask`: all but the long ones by default."""

from __future__ import annotations

import importlib
import sys

SECTIONS = {
    "footprint": "footprint",
    "storage": "storing",
    "service": "service",
    "walks": "walks",
    "simulate": "simulating",
    "tables": "tables",
    "fit": "fitting",
    "ask": "asking",
    "lasting": "lasting",
    "ensembles": "ensembles",
    "contexts": "unseen",
    "site": "site",
}
# Experiments rather than timings: minutes to two hours, to be asked for by name.
LONG = {
    "silence": "silence",
    "errors": "errors_told",
    "clients": "clients",
    "weeks": "weeks",
    "repeats": "repeats",
    "sales": "sales",
    "failures": "failures",
    "recommending": "recommending",
    "pending": "pending",
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(SECTIONS)
    every = SECTIONS | LONG
    for unknown in set(wanted) - set(every):
        sys.exit(f"benchmarks: no section is named {unknown!r}; choose from {', '.join(every)}.")
    for section in wanted:
        importlib.import_module(f"benchmarks.{every[section]}").main()
    if wanted == list(SECTIONS):
        print(f"\nNot run, since they take long: {', '.join(LONG)}. Name them to run them.")
