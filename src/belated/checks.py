"""What a parameter must be: numbers and counts within their bounds, texts that can be shown everywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral, Real

from belated.errors import ParameterError

# Control characters except newline and tab, which terminals obey, and halves of surrogate pairs, which UTF-8 lacks.
_STRAY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# A database counts in 32 bits.
LARGEST_COUNT = 2**31 - 1

_CEILINGS_LIFTED: ContextVar[bool] = ContextVar("ceilings lifted", default=False)


def require_number(
    call: str | None,
    name: str,
    value: object,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
) -> None:
    """Refuse a parameter that is not a finite number from `low` to `high`, more than `above` and less than `below`."""
    number = as_number(value)
    if number is not None and low <= number <= high and above < number < below:
        return
    wanted = _wanted("a finite number", low, above, below, high)
    raise _unfit(call, name, value, f"{name} must be {wanted}.")


def require_count(
    call: str | None, name: str, value: object, least: int = 1, most: int = 10**9, reason: str | None = None
) -> None:
    """Refuse a parameter that is not a whole number from `least` to `most`; the reason says what more would cost.

    Where a count costs neither memory nor time, `most` only keeps it a number that every database holds.
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or number < least:
        raise _unfit(call, name, value, f"{name} must be a whole number of at least {least}.")
    if is_past(number, most):
        raise _unfit(call, name, value, _ceiling(name, most, reason))


def require_at_most(call: str, name: str, number: int, most: int, reason: str | None = None) -> None:
    """Refuse numbers that would cost more memory or time than any machine has."""
    if is_past(number, most):
        raise ParameterError(f"{call}: {_ceiling(name, most, reason)}")


def is_past(number: int, most: int) -> bool:
    """Whether a number is past its ceiling, while ceilings hold."""
    return number > most and not _CEILINGS_LIFTED.get()


def _ceiling(name: str, most: int, reason: str | None) -> str:
    return f"{name} must be at most {most}{'' if reason is None else f'; {reason}; give no more'}."


def _unfit(call: str | None, name: str, value: object, rule: str) -> ParameterError:
    """The error for a parameter that breaks a rule; who calls may say later in which call."""
    error = ParameterError(rule, given=(name, value))
    return error if call is None else error.in_call(call)


@contextmanager
def ceilings_lifted() -> Iterator[None]:
    """Take any count for a while: for what a log says, which may be older than a ceiling."""
    token = _CEILINGS_LIFTED.set(True)
    try:
        yield
    finally:
        _CEILINGS_LIFTED.reset(token)


def is_text(text: str) -> bool:
    """Whether a text can be shown everywhere: no control character but newline and tab, no half of a surrogate pair."""
    return _STRAY.search(text) is None


def harmless(text: str) -> str:
    """The text with whatever is no text escaped, as Python writes it: an escape character as `\\x1b`."""
    return _STRAY.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def as_number(value: object) -> float | None:
    """The value as a finite double, or None where it is not a finite number; a boolean is none."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _wanted(kind: str, low: float, above: float, below: float, high: float = math.inf) -> str:
    rules = [
        f"of at least {low:g}" if math.isfinite(low) else "",
        f"at most {high:g}" if math.isfinite(high) else "",
        f"more than {above:g}" if math.isfinite(above) else "",
        f"less than {below:g}" if math.isfinite(below) else "",
    ]
    return " ".join([kind, " and ".join(rule for rule in rules if rule)]).strip()
