"""The arguments that users give to a study: read, or refused with the way out."""

from __future__ import annotations

import difflib
import secrets
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np

from belated.checks import as_number, is_text
from belated.errors import AnswerError, ContextError, ParameterError, PointError, SpaceError, Way
from belated.log import (
    LARGEST_ANSWER,
    GivenSilence,
    Measurement,
    Outcomes,
    Query,
    Seek,
    Values,
    is_answer,
    is_seed,
    is_seek,
)
from belated.policies import Policy, Recipe, build
from belated.space import Array, Candidates, Context, Domain, Space, read_performed

LONGEST_LABEL = 200
# In a box with this many parameters an ask takes ten seconds: the search solves systems of as many equations, in cubic
# time. A table is searched without them; an ask takes as long with this many columns, as molecular fingerprints have.
MOST_PARAMETERS, MOST_COLUMNS = 300, 2_048
_LABELS = {"key": "a key", "worker": "a worker", "by": "a signature"}


def as_policy(call: str, policy: str | Recipe) -> Recipe:
    """The policy that was named or given, if a log can name it."""
    chosen = build(policy) if isinstance(policy, str) else policy
    if isinstance(chosen, Policy):
        raise ParameterError(
            f"{call}: got a policy that is not registered, so the log could not name it; build it by a function "
            f"decorated with @bl.policies.policy('name')."
        )
    if not isinstance(chosen, Recipe):
        raise ParameterError(f"{call}: got {policy!r} as the policy; give a name or one of bl.policies.")
    return chosen


def as_seed(call: str, seed: int | None) -> int:
    """The seed that was given, or a random one."""
    if seed is None:
        return secrets.randbelow(2**32)
    number = int(seed) if isinstance(seed, np.integer) else seed
    if not is_seed(number):
        raise ParameterError(
            f"{call}: got seed {seed!r}; a seed is a whole number from 0 to 2**128 − 1; leave it out to draw one."
        )
    return number


def check_change(*given: object) -> None:
    """Refuse a change of nothing."""
    if all(part is None for part in given):
        raise ParameterError(
            "change(): got nothing to change; give a policy, a window, a seed, a silence or what to seek."
        )


def as_seek(call: str, seek: object) -> Seek:
    """What counts: "best", the best point in the end, or "total", every answer on the way."""
    if not is_seek(seek):
        raise ParameterError(
            f"{call}: got seek {seek!r}; a study seeks the 'best' point in the end, or the best 'total' of all "
            f"answers; give either."
        )
    return cast(Seek, seek)


def as_silence(call: str, silence: GivenSilence) -> float | None:
    """What no answer is to mean from here on: a value, or nothing."""
    if silence == "nothing":
        return None
    value = as_number(silence)
    if value is None:
        raise ParameterError(
            f"{call}: got silence {silence!r}; what no answer means is a finite number, or 'nothing'; give either."
        )
    return value


def check_context(call: str, context: Context | None, space: Space | Candidates) -> None:
    """Refuse a context that does not go with the space."""
    if context is None:
        return
    if not isinstance(context, Context):
        raise ParameterError(f"{call}: got {context!r} as the context; give a bl.Context.")
    shared = set(context.space.names) & set(space.names)
    if shared:
        raise ContextError(f"{call}: {sorted(shared)} name parameters of both space and context; rename one of them.")


class Datum(NamedTuple):
    """Data that was never asked."""

    point: Any
    value: Any
    context: Any = None
    sd: Any = None


def as_rows(rows: object) -> list[Datum]:
    """Points, their values, their contexts and standard errors, from tuples of two to four."""
    given: list[Any] = list(rows) if isinstance(rows, Iterable) and not isinstance(rows, Mapping | str) else [rows]
    for row in given:
        if not isinstance(row, tuple | list) or len(row) not in (2, 3, 4):
            raise ParameterError(
                f"add_many(): got {row!r}; give tuples of (point, value), (point, value, context) or (point, value, "
                f"context, sd)."
            )
    return [Datum(*row) for row in given]


def as_label(call: str, name: str, label: object) -> None:
    """Refuse a key, a worker's name or a signature that is not a short text."""
    if label is not None and not (isinstance(label, str) and 0 < len(label) <= LONGEST_LABEL and label.isprintable()):
        raise ParameterError(
            f"{call}({name}={label!r}): {_LABELS[name]} is a printable text of 1 to {LONGEST_LABEL} characters; "
            f"shorten it, or leave it out."
        )


def instant(call: str, clock: Callable[[], float]) -> float:
    """The time now."""
    if not callable(clock):
        raise ParameterError(f"{call}: got {clock!r} as the clock; give a function that returns seconds, as time.time.")
    now = as_number(clock())
    if now is None:
        raise ParameterError(f"{call}: the clock returned no finite number; it must return seconds.")
    return now


def kept_context(declared: Context | None, given: Mapping[str, Any] | None) -> Values | None:
    """The context in plain values, as the log keeps it."""
    return None if given is None or declared is None else Values(declared.read(given))


def encoded_context(call: str, declared: Context | None, given: Mapping[str, Any] | None) -> Array:
    """The columns of a context seen before the decision; none if the study declares none of that kind."""
    if declared is None or declared.seen == "after":
        if given is not None:
            raise _undeclared(call) if declared is None else _early(call)
        return np.empty(0)
    if given is None:
        raise _missing(call, declared)
    return declared.encode(given, call=f"{call} context")


def known_context(call: str, declared: Context | None, given: Mapping[str, Any] | None) -> Values | None:
    """The context of added data, as the log keeps it: all of it is known."""
    if declared is None:
        if given is not None:
            raise _undeclared(call)
        return None
    if given is None:
        raise _missing(call, declared)
    return Values(declared.read(given, call=f"{call} context"))


def seen_context(call: str, declared: Context | None, given: Mapping[str, Any] | None) -> Values | None:
    """A context seen after the decision, as the log keeps it."""
    if given is None:
        return None
    if declared is None:
        raise _undeclared(call)
    if declared.seen == "before":
        raise ContextError(
            f"{call}: got a context, but the study's context is seen before the decision; ",
            Way("context-before", (), "give it to ask(), and leave it out here"),
            ".",
        )
    return Values(declared.read(given, call=f"{call} context"))


def _undeclared(call: str) -> ContextError:
    return ContextError(f"{call}: got a context, but the study declares none; leave it out.")


def _early(call: str) -> ContextError:
    return ContextError(
        f"{call}: got a context, but the study's context is seen only after the decision; leave it out here, and ",
        Way("context-after", (), "tell() it with the answer"),
        ".",
    )


def _missing(call: str, declared: Context) -> ContextError:
    entries = ", ".join(f"{name!r}: …" for name in declared.space.names)
    return ContextError(
        f"{call}: got no context, but the study's context is seen {declared.seen} the decision; ",
        Way("context", declared.space.names, f"give context={{{entries}}}"),
        ".",
    )


def finite(where: str, value: Any) -> float:
    """An answer as a finite double; a zero-dimensional array of any package counts as the number in it."""
    held = value.item() if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)) else value
    if isinstance(held, bool) or not isinstance(held, Real) or np.ma.is_masked(value):
        raise AnswerError(
            f"{where}: got {value!r} as the answer; an answer is a number; ",
            Way("abandon", (), "abandon() a query that has none"),
            ".",
        )
    number = as_number(held)
    if number is None:
        raise AnswerError(
            f"{where}: got {value!r} as the answer; an answer is a finite number; ",
            Way("fail", (), "fail() a query that cannot be done"),
            ".",
        )
    if not is_answer(number):
        raise AnswerError(
            f"{where}: got {value!r} as the answer; an answer is at most {LARGEST_ANSWER:g} in size; give it in a "
            f"larger unit, or its logarithm."
        )
    return number


def told_apart(value: Any, sd: Any = None) -> tuple[Any, Any]:
    """An answer and its standard errors apart, where a bl.Measurement, alone or of an outcome, has both in one."""
    if isinstance(value, Measurement):
        return list(value.repeats) if value.repeats else value.value, value.sd if sd is None else sd
    if not isinstance(value, Mapping) or not any(isinstance(each, Measurement) for each in value.values()):
        return value, sd
    parted = {name: told_apart(each) if isinstance(each, Measurement) else (each, None) for name, each in value.items()}
    errors = {name: error for name, (_, error) in parted.items() if error is not None}
    merged = {**errors, **sd} if isinstance(sd, Mapping) else errors if sd is None else sd
    return {name: each for name, (each, _) in parted.items()}, merged


def as_measured(where: str, outcomes: Outcomes, value: Any, sd: Any = None) -> dict[str, Measurement]:
    """What is told of outcomes: a number, a list of repeats, a measurement, or a mapping of outcomes to any of these.

    {} for None.
    """
    value, sd = told_apart(value, sd)
    if value is None:
        if sd is not None:
            raise AnswerError(f"{where}: got the standard error {sd!r} without an answer; give both, or leave it out.")
        return {}
    if (isinstance(value, Mapping | list | tuple) and not value) or getattr(value, "shape", ()) == (0,):
        raise AnswerError(
            f"{where}: got {value!r} as the answer; an answer is a number, a list of repeats or a dict of outcomes; ",
            Way("abandon", (), "abandon() a query that has none"),
            ".",
        )
    if not isinstance(value, Mapping):
        return {outcomes.main: _measurement(where, value, sd)}
    errors = {} if sd is None else sd
    if not isinstance(errors, Mapping):
        raise AnswerError(
            f"{where}: got the standard error {sd!r} for several outcomes; give a dict of them, as {{name: error}}."
        )
    for name in (*value, *errors):
        if name not in outcomes:
            near = difflib.get_close_matches(str(name), outcomes, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else "leave it out."
            raise AnswerError(f"{where}: unknown outcome {name!r}; the study has {', '.join(outcomes)}; {hint}")
    stray = [name for name in errors if name not in value]
    if stray:
        raise AnswerError(f"{where}: got a standard error of {stray[0]!r} without its answer; give both.")
    given = {name: each for name, each in value.items() if each is not None}
    return {name: _measurement(f"{where}, {name}", each, errors.get(name)) for name, each in given.items()}


def _measurement(where: str, value: Any, sd: Any) -> Measurement:
    """One outcome: a number, perhaps with its standard error, or a list of repeats."""
    listed = value.tolist() if getattr(value, "shape", ()) != () and hasattr(value, "tolist") else value
    if not isinstance(listed, list | tuple):
        return Measurement(finite(where, value), None if sd is None else _standard_error(where, sd))
    if sd is not None:
        raise AnswerError(
            f"{where}: got repeats and the standard error {sd!r}; repeats show their error themselves; leave it out, "
            f"or give their mean."
        )
    if not listed:
        raise AnswerError(f"{where}: got no repeats; a list of them has one at least; give them, or leave it out.")
    return Measurement.of_repeats(finite(where, repeat) for repeat in listed)


def _standard_error(where: str, sd: Any) -> float:
    number = None if isinstance(sd, bool) else as_number(sd)
    if number is None or not 0.0 < number <= LARGEST_ANSWER:
        raise AnswerError(
            f"{where}: got the standard error {sd!r}; it is a number above 0 and at most {LARGEST_ANSWER:g}; leave "
            f"it out where it is unknown."
        )
    return number


def added_measurements(call: str, outcomes: Outcomes, value: Any, sd: Any = None) -> dict[str, Measurement]:
    """The outcomes of data that was never asked: all that a query would wait for."""
    measured = as_measured(call, outcomes, value, sd)
    missing = [name for name in outcomes.required if name not in measured]
    if missing and not outcomes.named:
        finite(call, value)
    if missing:
        raise AnswerError(
            f"{call}: got no value of {missing[0]!r}; data has all of {', '.join(outcomes.required)}; add it."
        )
    return measured


def known_outcome(call: str, outcomes: Outcomes, name: str | None) -> str | None:
    """The name of an outcome of the study, or None."""
    if name is not None and name not in outcomes:
        raise ParameterError(
            f"{call}: got the outcome {name!r}; the study has {', '.join(outcomes)}; give one of them."
        )
    return name


def performed_point(call: str, domain: Domain, point: Any) -> Values | None:
    """The point that was really tried, as the log keeps it."""
    return None if point is None else Values(read_performed(domain, point, call))


def as_queries(queries: Any) -> list[int | Query]:
    """One query or several, as identifiers or queries."""
    several = isinstance(queries, Iterable) and not isinstance(queries, Query | str | Mapping)
    return list(queries) if several else [queries]


def several(call: str, points: Any) -> Any:
    """The points; a PointError if they are a single point, whose names would be taken for points."""
    if isinstance(points, Mapping):
        raise PointError(f"{call}: got one point; points come in a list; write [point].")
    return points


def as_text(call: str, reason: object) -> str:
    """The reason that was given, as text."""
    if not isinstance(reason, str):
        raise ParameterError(f"{call}: got {reason!r} as the reason; give it as a text, or leave it out.")
    if not is_text(reason):
        raise ParameterError(
            f"{call}: got {reason!r} as the reason; a reason has no control characters but newlines and tabs, and no "
            f"halves of surrogate pairs; leave them out."
        )
    return reason


def check_size(call: str, space: Space | Candidates, context: Context | None) -> None:
    """Refuse a space with more columns than a decision can look at. Only a new study is checked, as for its texts."""
    most, kind = (MOST_COLUMNS, "columns") if isinstance(space, Candidates) else (MOST_PARAMETERS, "parameters")
    count = space.dimension + (0 if context is None else context.space.dimension)
    if count > most:
        raise SpaceError(
            f"{call}: got {count:,} {kind}, those of a context included; there may be {most:,}, since the cost of an "
            f"ask grows with a power of their number; leave out those that matter least."
        )


def check_texts(call: str, domain: Domain) -> None:
    """Refuse names, options and labels that a terminal would obey or that UTF-8 cannot hold.

    Logs of earlier versions may have such texts, so only a new study is checked.
    """
    for name in domain.names:
        if not is_text(name) or "\n" in name or "\t" in name:
            raise SpaceError(
                f"{call}: got the name {name!r}; a name has no control characters and no halves of surrogate pairs; "
                f"rename it."
            )
    definition = domain.to_json()
    for entry in definition.get("parameters") or definition["columns"]:
        for text in entry.get("options") or entry.get("values") or ():
            if isinstance(text, str) and not is_text(text):
                raise SpaceError(
                    f"{call}: got {text!r} for {entry['name']!r}; such a text has no control characters but newlines "
                    f"and tabs, and no halves of surrogate pairs; rename it."
                )
