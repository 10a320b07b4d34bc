"""The tokens of the service, as a database keeps them: what each may do, and a digest of its secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import sqlalchemy as sa

from belated.errors import ConflictError, UnknownNameError
from belated.storage.database import Database
from belated.storage.tables import tokens


@dataclass(frozen=True)
class Token:
    """One token: its public part, who has it, the digest of its secret part, and what it allows, where and when."""

    id: str
    name: str
    digest: str
    scopes: tuple[str, ...]
    study: str | None
    created_at: float
    expires_at: float | None = None
    revoked_at: float | None = None

    def valid(self, now: float) -> bool:
        """Whether it opens anything at that time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@final
class Tokens:
    """The tokens of one database; none is ever removed, so that a name in a log stays who it was."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: Token) -> None:
        """Keep a new one."""
        with self._database.listing() as connection:
            if connection.scalar(sa.select(tokens.c.id).where(tokens.c.name == token.name)) is not None:
                raise ConflictError(
                    f"token({token.name!r}): there is, or was, a token of that name; names stay in the log; give "
                    f"another one."
                )
            connection.execute(sa.insert(tokens).values(**{**token.__dict__, "scopes": list(token.scopes)}))

    def all(self) -> list[Token]:
        """Every token there ever was, in the order of their making."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(tokens).order_by(tokens.c.created_at, tokens.c.id)).mappings()
            return [Token(**{**row, "scopes": tuple(row["scopes"])}) for row in rows]

    def revoke(self, name: str, at: float) -> None:
        """Let one open nothing any more. Again: nothing happens."""
        with self._database.listing() as connection:
            found = connection.execute(sa.select(tokens.c.revoked_at).where(tokens.c.name == name)).first()
            if found is None:
                raise UnknownNameError(f"token({name!r}): no token has that name; `belated token list` shows them.")
            if found.revoked_at is None:
                connection.execute(sa.update(tokens).where(tokens.c.name == name).values(revoked_at=at))
