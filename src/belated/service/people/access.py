"""Who is calling, and what they may do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from belated.errors import AccessError, ForbiddenError
from belated.service.people.tokens import SCOPES, matches, parts_of
from belated.storage.tokens import Token, Tokens

# For so long, in seconds, a revoked token may still open what it did.
MEMORY = 2.0
NEEDED = "give one as `Authorization: Bearer TOKEN`; `belated token create` makes one"


@dataclass(frozen=True)
class Caller:
    """Somebody with some scopes, for all studies or for one; without a name, anybody on this machine."""

    name: str | None
    scopes: frozenset[str]
    study: str | None = None

    def require(self, scope: str, study: str | None = None) -> None:
        """Refuse what is not in the scopes; who may do everything is an admin."""
        if scope not in self.scopes and "admin" not in self.scopes:
            held = ", ".join(held for held in SCOPES if held in self.scopes)
            raise ForbiddenError(
                f"token({self.name!r}): this needs the scope {scope!r}, and the token has {held}; make one that has it."
            )
        if self.study is not None and study != self.study:
            raise ForbiddenError(f"token({self.name!r}): it opens the study {self.study!r} alone; make one for this.")


ANYBODY = Caller(None, frozenset(SCOPES))


class Door:
    """Tells callers by their tokens; what the database says of those is asked again every MEMORY seconds."""

    def __init__(self, tokens: Tokens, open: bool, clock: Callable[[], float] = time.time) -> None:
        self._tokens, self._open, self._clock = tokens, open, clock
        self._known: dict[str, Token] = {}
        self._read_at = -float("inf")

    @property
    def stale(self) -> bool:
        """Whether the next caller makes the database be asked, which takes a while."""
        return not 0.0 <= self._clock() - self._read_at < MEMORY

    def refresh(self) -> None:
        """Ask the database."""
        now = self._clock()
        self._known = {token.id: token for token in self._tokens.all()}
        self._read_at = now

    @property
    def wide_open(self) -> bool:
        """Whether anybody may come in: on this machine alone, and no token was ever made."""
        return self._open and not self._known

    def admits(self, caller: Caller) -> bool:
        """Whether a caller may still come in: no token was revoked or has expired, and none was made since."""
        if caller.name is None:
            return self.wide_open
        own = (token for token in self._known.values() if token.name == caller.name)
        return any(token.valid(self._clock()) for token in own)

    def caller(self, text: str | None) -> Caller:
        """Who has this token; without one, anybody, where the door is open and no token was ever made."""
        if text is None:
            if self.wide_open:
                return ANYBODY
            raise AccessError(f"service: there is no token with the request; {NEEDED}.")
        parts = parts_of(text)
        token = None if parts is None else self._known.get(parts[0])
        if parts is None or token is None or not matches(token, parts[1]):
            raise AccessError(f"service: the token is unknown; {NEEDED}.")
        if not token.valid(self._clock()):
            ended = "was revoked" if token.revoked_at is not None else "has expired"
            raise AccessError(f"token({token.name!r}): it {ended}; {NEEDED}.")
        return Caller(token.name, frozenset(token.scopes), token.study)
