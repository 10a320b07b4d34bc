"""The fields of forms: one for each parameter of a space, with its bounds and the place of its value in the body."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from belated.log import VALUE, Answer, Outcomes, Query, outcome_text
from belated.report.axes import Axis, axes_of
from belated.show import written
from belated.space import Candidates, Space

# More options than this are no list to choose from: then one is typed.
MOST_OPTIONS = 200
MEASURED = "A number; repeats as 0.41; 0.44; 0.40, or a standard error as 0.42 ± 0.02"


@dataclass(frozen=True)
class Field:
    """A field: its label and a hint, the place of its value, and its options if it has some."""

    identifier: str
    label: str
    hint: str
    path: str  # of names and places in the JSON that is sent
    whole: bool = False
    typed: bool = False  # a text, rather than a number
    options: tuple[tuple[str, str], ...] = ()  # what is sent, as JSON, and what is shown


def fields_of(space: Space | Candidates, prefix: str, path: Sequence[str | int]) -> list[Field]:
    """A field for each parameter; names may hold anything, so identifiers are numbered."""
    return [
        _field(axis, f"{prefix}-{place}", [*path, axis.name]) for place, axis in enumerate(axes_of(space, space.names))
    ]


@dataclass(frozen=True)
class OutcomeField:
    """An outcome as forms have it: its label, a hint, the place of its value, and what was told of it so far."""

    name: str
    label: str
    hint: str
    path: str
    suffix: str  # of identifiers, as a name may hold anything
    said: str = ""
    earlier: str = ""

    @property
    def better(self) -> str:
        """The label of a value in the place of another."""
        return "A better value" if self.name == VALUE else f"A better value of {self.name}"


def outcome_fields(
    outcomes: Outcomes, label: str, path: Sequence[str | int], query: Query | None = None
) -> list[OutcomeField]:
    """A field for each outcome, with what was told of a query; one without a name has the label."""
    return [
        _outcome_field(outcomes, name, place, label, path, None if query is None else query.answers.get(name))
        for place, name in enumerate(outcomes)
    ]


def _outcome_field(
    outcomes: Outcomes, name: str, place: int, label: str, path: Sequence[str | int], answer: Answer | None
) -> OutcomeField:
    named = outcomes.named
    return OutcomeField(
        name,
        name if named else label,
        outcome_text(outcomes[name]) if named else MEASURED,
        json.dumps([*path, name] if named else list(path)),
        f"-{place}" if named else "",
        "" if answer is None else _answer_text(answer),
        "" if answer is None else ", ".join(written(value, 10) for value in answer.earlier),
    )


def _answer_text(answer: Answer) -> str:
    """A value with every digit that matters, its standard error, and the repeats whose mean it is."""
    error = "" if answer.sd is None else f" ± {written(answer.sd, 4)}"
    repeats = f", the mean of {'; '.join(written(value, 10) for value in answer.repeats)}" if answer.repeats else ""
    return f"{written(answer.value, 10)}{error}{repeats}"


def tried_fields(space: Space | Candidates, point: Mapping[str, Any]) -> list[Field]:
    """A field for each parameter in the place of this point: numbers may lie where none can be asked."""
    labels = dict(zip(space.names, space.categorical, strict=True))
    fields = [
        replace(field, hint=f"instead of {written(point[field.label])}")
        for field in fields_of(space, "tried", ["point"])
    ]
    return [field if labels[field.label] else replace(field, whole=False, typed=False, options=()) for field in fields]


def _field(axis: Axis, identifier: str, path: Sequence[Any]) -> Field:
    where = json.dumps(path)
    if len(axis.options) > MOST_OPTIONS:
        numbers = all(isinstance(option, int | float) and not isinstance(option, bool) for option in axis.options)
        return Field(identifier, axis.name, f"one of {len(axis.options):,} options", where, typed=not numbers)
    if axis.options:
        options = tuple((json.dumps(option), written(option)) for option in axis.options)
        return Field(identifier, axis.name, f"{len(options)} options", where, options=options)
    kind = ", a whole number" if axis.whole else ""
    return Field(identifier, axis.name, f"{axis.low:g} to {axis.high:g}{kind}", where, axis.whole)
