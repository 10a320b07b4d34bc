"""Requests about one study of a service, and what is known of it for good, so that arguments are checked here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from belated.client.connection import HttpConnection
from belated.client.shapes import sendable
from belated.errors import ForbiddenError
from belated.log import Event, Measurement, Query
from belated.study.answers import is_identifier, number_of, unknown_query
from belated.study.arguments import as_measured, encoded_context, kept_context, seen_context
from belated.study.creation import Declaration, declaration

SentContext = Mapping[str, Any]


@final
class ServedStudy:
    """A study that a service keeps: requests about it, and what is known of it for good."""

    def __init__(self, connection: HttpConnection, name: str) -> None:
        self._connection, self.name = connection, name
        self._fixed: tuple[Event, Declaration] | None = None
        self._unseen = False  # the token does not allow to read

    @property
    def url(self) -> str:
        """The address of the service."""
        return self._connection.url

    def get(self, *path: object, **parameters: object) -> Any:
        """What is read of the study."""
        return self._connection.get("studies", self.name, *path, **parameters)

    def send(self, method: str, *path: object, repeatable: bool, **given: Any) -> Any:
        """What comes of a request about the study."""
        return self._connection.send(method, "studies", self.name, *path, repeatable=repeatable, **given)

    def standing(self) -> Any:
        """How the study stands, as the service says."""
        return self.get()

    def look(self) -> None:
        """Check that the study is there by a read that is quick however long the log, as far as the token allows."""
        try:
            self.get("pending")
        except ForbiddenError:
            self._unseen = True

    def first(self) -> Event:
        """The first event, which never changes."""
        return self._beginning()[0]

    def fixed(self) -> Declaration:
        """What the first event fixes for good."""
        return self._beginning()[1]

    def known(self) -> Declaration | None:
        """The same; None where the token does not allow to read."""
        if self._unseen:
            return None
        try:
            return self.fixed()
        except ForbiddenError:
            self._unseen = True
            return None

    def asked_in(self, call: str, context: SentContext | None) -> SentContext | None:
        """A context that is seen before the decision, in values that JSON can carry.

        Whether there must be one is for the service to say: so no ask without one waits for the first event.
        """
        known = None if context is None else self.known()
        if known is None:
            return _sendable(context)
        encoded_context(call, known.context, context)
        return kept_context(known.context, context)

    def seen_after(self, call: str, context: SentContext | None) -> SentContext | None:
        """A context that is seen after the decision, in values that JSON can carry."""
        known = None if context is None else self.known()
        return _sendable(context) if known is None else seen_context(call, known.context, context)

    def check_measured(self, where: str, value: object, sd: object) -> None:
        """Refuse here what is no measurement; no tell of a single number waits for the first event to be read."""
        known = None if sd is None and not isinstance(value, Mapping | Measurement | list | tuple) else self.known()
        if known is not None:
            as_measured(where, known.outcomes, value, sd)

    def identifier(self, call: str, query: int | Query) -> int:
        """The number of a query, if it is one that a query may have."""
        given = number_of(query)
        if is_identifier(given):
            return int(given)
        counts = self.standing()["counts"]
        raise unknown_query(call, given, counts["asked"] + counts["added"])

    def _beginning(self) -> tuple[Event, Declaration]:
        if self._fixed is None:
            first = Event.from_json(self.get("log", limit=1)["events"][0])
            self._fixed = first, declaration(f"RemoteStudy({self.name!r})", first)
        return self._fixed


def _sendable(context: SentContext | None) -> SentContext | None:
    found: SentContext | None = sendable(context)
    return found
