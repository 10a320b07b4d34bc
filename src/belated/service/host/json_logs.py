"""Structured logs: one JSON object a line, on stderr, without tokens, bodies or query strings."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime


class Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "what": record.getMessage(),
            **getattr(record, "belated", {}),
        }
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(entry)


def log_to_stderr(level: str = "info") -> None:
    """Let this process write such lines: of the service and its server from that level on, of others what matters."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root, wanted = logging.getLogger(), logging.getLevelNamesMapping()[level.upper()]
    root.handlers = [handler]
    root.setLevel(max(wanted, logging.WARNING))
    for name in ("belated.service", "uvicorn"):
        logging.getLogger(name).setLevel(wanted)
    logging.captureWarnings(True)
