"""What tools return: what commands and routes return, without what is empty, and with times that can be read.

A model reads every character: columns of curves, nulls and seconds since 1970 are left to programs.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from belated.checks import harmless
from belated.delays import Delays
from belated.log import Query

# Of what may be very many, so many are listed; counts are complete.
MOST_LISTED = 50
# The latest of what the study noticed.
MOST_NOTICES = 5
CURVES = ("times", "survival", "low", "high", "at_risk")


def short(value: Any) -> Any:
    """The same without entries that are null, in text that any client can read."""
    if isinstance(value, dict):
        entries = {harmless(name): short(entry) for name, entry in value.items()}
        return {name: entry for name, entry in entries.items() if entry is not None and entry != {}}
    if isinstance(value, list | tuple):
        return [short(entry) for entry in value]
    return harmless(value) if isinstance(value, str) else value


def instant(seconds: float) -> str:
    """Seconds since 1970 as UTC, to the second."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g} s since 1970"  # a clock of the study's own


def as_asked(query: dict[str, Any]) -> dict[str, Any]:
    """A query that was just asked: what to try, and the number by which to tell of it."""
    return {"query": query["id"], "point": query["point"], "context": query["context"], "worker": query["worker"]}


def as_known(query: Query, now: float) -> dict[str, Any]:
    """A query with what has come of it, or how long it has waited."""
    found = query.to_json()
    answers = {
        name: answer["value"] if answer["sd"] is None else {"value": answer["value"], "sd": answer["sd"]}
        for name, answer in (found["answers"] or {}).items()
    }
    waits = found["state"] in ("pending", "overdue")
    return {
        **as_asked(found),
        "state": found["state"],
        "performed": found["performed"],
        "answers": answers,
        "reason": found["reason"] or None,
        "asked_at": instant(found["asked_at"]),
        "waiting_seconds": round(max(now - found["asked_at"], 0.0), 3) if waits else None,
    }


def as_standing(standing: dict[str, Any]) -> dict[str, Any]:
    """How a study stands; of queries that may be many, the first."""
    listed = ("overdue", "partly_answered", "failed", "without_context")
    notices = [{"text": notice["text"], "at": instant(notice["at"])} for notice in standing["notices"][-MOST_NOTICES:]]
    return {**standing, **{name: standing[name][:MOST_LISTED] for name in listed}, "notices": notices}


def at_a_glance(standing: dict[str, Any]) -> dict[str, Any]:
    """A study in a list of them."""
    kept = {name: standing[name] for name in ("name", "goal", "counts", "closed", "archived")}
    best = standing["best"]
    return {**kept, "policy": standing["policy"]["name"], "best": None if best is None else best["value"]}


def as_delays(delays: Delays) -> dict[str, Any]:
    """How long answers take, without the columns of the curves."""
    found = delays.to_json()
    curves = {
        name: {part: entry for part, entry in found[name].items() if part not in CURVES}
        for name in ("queries", "seconds")
    }
    depends = [entry["text"] for entry in found["depends"] if entry["found"]]
    return {**found, **curves, "depends": depends, "oldest": found["oldest"][:MOST_LISTED]}
