"""Tokens: made once and shown once, kept as a digest, each with scopes and, if wished, one study.

A token is `belated_` with a public part, by which it is found, and a secret one of 32 random bytes. What is random
through and through needs no slow digest: SHA-256 of the secret part tells nobody anything about it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from belated.checks import require_number
from belated.errors import ParameterError, unknown_name
from belated.storage import check_name
from belated.storage.tokens import Token

SCOPES = ("read", "ask", "tell", "admin")
PREFIX = "belated"
LONGEST_NAME = 100
# Beyond any calendar, and still a number of seconds that JSON can hold.
MOST_DAYS = 1e12
PUBLIC_BYTES, SECRET_BYTES = 6, 32


def new_token(
    name: str, scopes: Iterable[str], now: float, study: str | None = None, days: float | None = None
) -> tuple[str, Token]:
    """The text that its owner gets, and what is kept of it."""
    call = f"token({name!r})"
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise ParameterError(f"{call}: a name is a printable text of 1 to {LONGEST_NAME} characters; shorten it.")
    wanted = tuple(scope for scope in SCOPES if scope in set(scopes))
    for scope in scopes:
        if scope not in SCOPES:
            raise unknown_name(call, "scope", scope, SCOPES)
    if not wanted:
        raise ParameterError(f"{call}: got no scope; give one or more of {', '.join(SCOPES)}.")
    if study is not None:
        check_name(call, study)
    if days is not None:
        require_number("token", "days", days, above=0, high=MOST_DAYS)
    public, secret = secrets.token_hex(PUBLIC_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    expires_at = None if days is None else now + 86400.0 * days
    return f"{PREFIX}_{public}_{secret}", Token(public, name, digest(secret), wanted, study, now, expires_at)


def parts_of(text: str) -> tuple[str, str] | None:
    """The public and the secret part of a token's text; None where it is none."""
    prefix, _, rest = text.partition("_")
    public, _, secret = rest.partition("_")
    return (public, secret) if prefix == PREFIX and public and secret else None


def matches(token: Token, secret: str) -> bool:
    """Whether the secret is the token's; it takes as long either way."""
    return hmac.compare_digest(token.digest, digest(secret))


def digest(secret: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
