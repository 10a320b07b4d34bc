"""Back from JSON to whichever kind of domain it describes."""

from __future__ import annotations

from belated.errors import SpaceError
from belated.space.candidates import Candidates
from belated.space.space import Space


def domain_from_json(data: object) -> Space | Candidates:
    """The space or table of candidates whose `to_json` returned the data."""
    match data:
        case {"kind": "space"}:
            return Space.from_json(data)
        case {"kind": "candidates"}:
            return Candidates.from_json(data)
    kind = data.get("kind") if isinstance(data, dict) else data
    raise SpaceError(f"domain_from_json(): the kind is {kind!r}; it is 'space' or 'candidates'; give one of them.")
