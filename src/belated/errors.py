"""Every error raised on purpose: what went wrong, in which call, and the way out.

Each kind carries the HTTP status that the service answers with and the exit code of the command line.
Messages have four parts in this order: the call, what it received, the rule, the way out.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# The call that a message begins with. Parts of a policy or a space have capitals, and are what a user has written.
_CALL = re.compile(r"(?:\w+\.)*[a-z_]\w*\((.*?)\)(:? )", re.DOTALL)


@dataclass(frozen=True)
class Way:
    """A way out of an error: its name, what it is done to, and the phrase of Python; other doors have their own."""

    name: str
    of: tuple[Any, ...]
    phrase: str

    def __str__(self) -> str:
        return self.phrase


class BelatedError(Exception):
    """The root of all errors raised on purpose; its parts are texts, and ways out that each door words for itself."""

    status = 500
    exit_code = 1

    def __init__(self, *parts: str | Way) -> None:
        super().__init__(*parts)

    def __str__(self) -> str:
        return "".join(map(str, self.args))

    def worded(self, say: Callable[[Way], str] = str) -> str:
        """The message for people who write no Python: the subject instead of the call, and ways out in their words."""
        return "".join(say(part) if isinstance(part, Way) else part for part in self.parts())

    def parts(self) -> tuple[str | Way, ...]:
        """The message and its ways out, in the order in which they are read, with the subject instead of the call."""
        first, *others = self.args or ("",)
        call = _CALL.match(first) if isinstance(first, str) else None
        return (first if call is None else _subject(*call.groups()) + first[call.end() :], *others)


class BelatedWarning(UserWarning):
    """Something that the user should know: what a study noticed, or what went wrong and was mended."""


class SpaceError(BelatedError):
    """A space, a parameter, a context or a candidate table is defined wrongly."""

    status = 422
    exit_code = 10


class PointError(BelatedError):
    """A point does not fit its space."""

    status = 422
    exit_code = 11


class AnswerError(BelatedError):
    """An answer is not a finite number."""

    status = 422
    exit_code = 12


class ContextError(BelatedError):
    """A context is missing, not expected, or does not fit its space."""

    status = 422
    exit_code = 13


class ParameterError(BelatedError):
    """A policy, a part of one, or a simulation was given a parameter that it cannot take.

    What checks a parameter for several calls says which it is, `given`, and its caller in which call, by `in_call`.
    """

    status = 422
    exit_code = 14

    def __init__(self, *parts: str | Way, given: tuple[str, object] | None = None) -> None:
        super().__init__(*parts)
        self.given = given

    def __str__(self) -> str:
        return super().__str__() if self.given is None else str(self.in_call(""))

    def in_call(self, call: str) -> ParameterError:
        """The same error, of a call."""
        if self.given is None:
            return ParameterError(f"{call}(): ", *self.args)
        name, value = self.given
        return ParameterError(f"{call}({name}={value!r}): ", *self.args)


class UnsupportedError(BelatedError):
    """The parts are sound, but not together: this policy does not work on that space."""

    status = 422
    exit_code = 15


class LogError(BelatedError):
    """A log contradicts itself, or is not a log."""

    status = 422
    exit_code = 16


class TableError(BelatedError):
    """Rows of a file cannot be read as data of the study; the message names rows and columns."""

    status = 422
    exit_code = 17


class UnknownNameError(BelatedError):
    """No policy, problem, kernel or figure goes by that name."""

    status = 404
    exit_code = 20


class UnknownQueryError(BelatedError):
    """The study has no query with that identifier."""

    status = 404
    exit_code = 21


class UnknownStudyError(BelatedError):
    """The storage has no study of that name."""

    status = 404
    exit_code = 22


class ConflictError(BelatedError):
    """The log already says otherwise: answered, abandoned or closed."""

    status = 409
    exit_code = 30


class NoAnswerError(BelatedError):
    """The call needs at least one answer, and there is none yet."""

    status = 409
    exit_code = 31


class MissingPackageError(BelatedError):
    """An optional package is not installed."""

    status = 501
    exit_code = 40


class MissingDataError(BelatedError):
    """A table that is not ours to ship is not in the data folder, or is not the table that was published."""

    status = 424
    exit_code = 41


class CapacityError(BelatedError):
    """A belief has more answers than it takes, or the machine has less memory than a call takes."""

    status = 507
    exit_code = 43


class ObjectiveError(BelatedError):
    """An objective never succeeded or failed more often than is tolerated, or no worker is left to evaluate it."""

    status = 500
    exit_code = 42


class StorageError(BelatedError):
    """The storage cannot be reached or written: no server, no space, no permission. The log is as it was."""

    status = 503
    exit_code = 50


class SchemaError(BelatedError):
    """The database was written by an older or a newer release."""

    status = 500
    exit_code = 51


class CorruptError(BelatedError):
    """The file is no database, or a damaged one."""

    status = 500
    exit_code = 52


class AccessError(BelatedError):
    """The service needs a token, and there is none, or one that opens nothing."""

    status = 401
    exit_code = 60


class ForbiddenError(BelatedError):
    """The token is good, but not for this."""

    status = 403
    exit_code = 61


class SizeError(BelatedError):
    """More at once than the service takes."""

    status = 413
    exit_code = 62


class RateError(BelatedError):
    """More often than the service answers."""

    status = 429
    exit_code = 63


def unknown_name(call: str, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not registered, with the nearest names that are."""
    names = sorted(known)
    small = {each.lower(): each for each in names}
    nearest = [small[near] for near in difflib.get_close_matches(str(name).lower(), small, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(map(repr, nearest))}?" if nearest else f"choose one of {', '.join(names)}."
    return UnknownNameError(f"{call}: no {kind} is named {name!r}; {hint}")


def no_answer(call: str) -> NoAnswerError:
    """The error for a call that needs an answer before there is one."""
    return NoAnswerError(f"{call}: no query has an answer yet; ", Way("tell", (), "tell() or add() one first"), ".")


def no_whole_answer(call: str) -> NoAnswerError:
    """The error for a call that needs an answer with its context, where all that came lack theirs."""
    way = Way("tell-context", (), "tell() the context of one that is answered")
    return NoAnswerError(f"{call}: no query has both its answer and its context yet; ", way, ".")


@contextmanager
def within_memory(call: str) -> Iterator[None]:
    """Let a call that does not fit into the memory end with an error of ours that begins with it."""
    try:
        yield
    except CapacityError as error:
        raise CapacityError(f"{call}: {error}") from None
    except MemoryError as error:
        raise out_of_memory(call, error) from None


def out_of_memory(call: str, error: MemoryError) -> CapacityError:
    """The error for a call that the machine has no memory for."""
    found = f" ({error})" if str(error) else ""
    return CapacityError(
        f"{call}: the memory of this process does not suffice{found}; nothing was written; give the process more, or "
        f"ask for less: fewer contexts, fewer features, or a policy whose belief does not grow, as 'auto'."
    )


def _subject(given: str, then: str) -> str:
    """What a call was about, as one writes it who calls nothing: tell(query=3) is about query 3."""
    quoted = len(given) > 1 and given[0] == given[-1] and given[0] in "'\""
    about = given[1:-1] if quoted else re.sub("^query=", "query ", given)
    return f"{about}{then}" if about else ""


__all__ = [
    "AccessError",
    "AnswerError",
    "BelatedError",
    "BelatedWarning",
    "CapacityError",
    "ConflictError",
    "ContextError",
    "CorruptError",
    "ForbiddenError",
    "LogError",
    "MissingDataError",
    "MissingPackageError",
    "NoAnswerError",
    "ObjectiveError",
    "ParameterError",
    "PointError",
    "RateError",
    "SchemaError",
    "SizeError",
    "SpaceError",
    "StorageError",
    "TableError",
    "UnknownNameError",
    "UnknownQueryError",
    "UnknownStudyError",
    "UnsupportedError",
    "Way",
    "unknown_name",
]
