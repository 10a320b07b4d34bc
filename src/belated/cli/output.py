"""Where the command line writes: results to stdout, progress to stderr, JSON without any decoration."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console


def out() -> Console:
    """The console for results."""
    return Console(highlight=False)


def aside() -> Console:
    """The console for progress, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    """Write the result as JSON that any program can read."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
