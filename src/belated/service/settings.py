"""What a service is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from belated.checks import require_count, require_number


@dataclass(frozen=True)
class Limits:
    """What one caller may ask of a service: of one request, and in a second."""

    body: int = 4_000_000  # bytes
    answers: int = 10_000  # answers or data
    queries: int = 100  # asks
    page: int = 1_000  # entries of a page
    rate: float = 100.0  # requests a second, for long
    burst: int = 500  # requests at once

    def __post_init__(self) -> None:
        for part in fields(self):
            if part.name != "rate":
                require_count("Limits", part.name, getattr(self, part.name))
        require_number("Limits", "rate", self.rate, above=0)


@dataclass(frozen=True)
class ServiceSettings:
    """The storage whose studies are served, whether callers on this machine need no token, and the limits.

    `open` is for a service that listens on loopback alone; even then, once a token was made, one is needed.
    """

    storage: str
    open: bool = False
    secure: bool = False  # reached by https, so that browsers send the cookie by nothing else
    limits: Limits = Limits()
    agents: bool = False  # with a door for agents, at /mcp
