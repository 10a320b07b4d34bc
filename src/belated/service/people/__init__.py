"""Who calls: their tokens, what these allow, how often they may call, and the sessions of browsers."""

from belated.service.people.access import NEEDED, Caller, Door
from belated.service.people.rates import Rates, TooOften
from belated.service.people.session import COOKIE, HEADER, check_session, token_of_session, word_of
from belated.service.people.tokens import SCOPES, new_token

__all__ = [
    "COOKIE",
    "HEADER",
    "NEEDED",
    "SCOPES",
    "Caller",
    "Door",
    "Rates",
    "TooOften",
    "check_session",
    "new_token",
    "token_of_session",
    "word_of",
]
