"""Tokens in a database: kept, found again by any process, and revoked but never removed."""

from __future__ import annotations

import re

import pytest

from belated.errors import ConflictError, ParameterError, UnknownNameError
from belated.storage import revision, tokens_of
from belated.storage.tokens import Token

ADA = Token("aaaa", "Ada", "0" * 64, ("ask", "tell"), "yield", 5.0)
BOB = Token("bbbb", "Bob", "1" * 64, ("read",), None, 6.0, expires_at=9.0)


def test_tokens_are_kept_in_the_order_of_their_making(shared: str) -> None:
    store = tokens_of(shared)
    assert store.all() == []
    store.add(BOB)
    store.add(ADA)
    assert tokens_of(shared).all() == [ADA, BOB]
    assert revision(shared) is not None


def test_a_revoked_token_stays_and_opens_nothing(shared: str) -> None:
    store = tokens_of(shared)
    store.add(ADA)
    store.revoke("Ada", 7.0)
    store.revoke("Ada", 8.0)
    assert [token.revoked_at for token in store.all()] == [7.0]
    assert not store.all()[0].valid(7.5)


def test_a_token_opens_until_it_expires() -> None:
    assert BOB.valid(8.9)
    assert not BOB.valid(9.0)
    assert ADA.valid(1e12)


def test_a_name_is_given_once_for_all(shared: str) -> None:
    store = tokens_of(shared)
    store.add(ADA)
    store.revoke("Ada", 7.0)
    message = "token('Ada'): there is, or was, a token of that name; names stay in the log; give another one."
    with pytest.raises(ConflictError, match=f"^{re.escape(message)}$"):
        store.add(Token("cccc", "Ada", "2" * 64, ("read",), None, 8.0))


def test_a_name_that_nobody_has_cannot_be_revoked(shared: str) -> None:
    message = "token('Eve'): no token has that name; `belated token list` shows them."
    with pytest.raises(UnknownNameError, match=f"^{re.escape(message)}$"):
        tokens_of(shared).revoke("Eve", 1.0)


def test_a_storage_in_memory_has_no_tokens(memory: str) -> None:
    with pytest.raises(ParameterError, match="which has no tables; give the address of a database"):
        tokens_of(memory)
