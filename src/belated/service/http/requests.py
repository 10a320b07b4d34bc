"""What requests carry, for the checks and for the description of the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from belated.log import Seek
from belated.study import DEFAULT_POLICY

Values = dict[str, str | bool | int | float]
Number = Annotated[float, Field(allow_inf_nan=False)]


def _told_once(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """An answer, or one error for all the forms that it might have had."""
    try:
        return read(value)
    except ValidationError:
        raise PydanticCustomError("answer", "Input should be a number, a list of them, or either by outcome") from None


# A number, repeats, or either by the names of outcomes.
Measured = Annotated[
    Number | Annotated[list[Number], Field(min_length=1)] | dict[str, Number | list[Number] | None],
    WrapValidator(_told_once),
]
Errors = Annotated[Number | dict[str, Number], WrapValidator(_told_once)]
Label = Annotated[str, Field(min_length=1, max_length=200)]
POINT = {"temperature": 71.5, "solvent": "THF"}
LONGEST_REASON = 2_000
SOUGHT_TEXT = "What counts: the best point in the end, or every answer."
# A database counts in 32 bits.
QueryId = Annotated[int, Path(ge=1, lt=2**31, description="The number of the query.")]


def shaped(*examples: dict[str, Any]) -> ConfigDict:
    """How a request's body is read: what it does not name is refused, and numbers are numbers, not texts."""
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": list(examples)})


class Given(BaseModel):
    """A request's body."""

    model_config = shaped()


class PolicyGiven(Given):
    """A policy by its name, with the parameters that are not to be the default ones."""

    model_config = shaped({"name": "gp-ucb-sdf", "parameters": {}})

    name: str
    parameters: dict[str, Any] = Field(default_factory=dict)


class StudyGiven(Given):
    """A new study."""

    model_config = shaped(
        {"name": "coupling", "space": {"temperature": {"float": [20, 120]}, "solvent": ["DMF", "THF"]}},
        {
            "name": "irrigation",
            "space": {"litres": {"float": [0, 40]}},
            "context": {"rain": {"float": [0, 30]}, "seen": "after"},
            "goal": "maximize",
            "policy": {"name": "sbo-kde", "parameters": {}},
            "seed": 7,
        },
    )

    name: str
    space: dict[str, Any] = Field(
        description="Parameters by name, as {float: [low, high]}, {int: [low, high]} or a list of options; or what "
        "Space.to_json() wrote; or {candidates: [point, …]}.",
    )
    context: dict[str, Any] | None = Field(
        None, description="What else answers depend on, written like a space, with seen: before or after."
    )
    goal: Literal["maximize", "minimize"] | None = None
    outcomes: list[dict[str, Any]] | None = Field(
        None,
        description="In the place of the goal: outcomes by name, as {name: yield, kind: maximize}; of a kind "
        "maximize, minimize, at-most or at-least with its limit, or signal.",
    )
    silence: Number | None = Field(None, description="What no answer within the window means, if anything.")
    seek: Seek = Field("best", description=SOUGHT_TEXT)
    policy: str | PolicyGiven = Field(DEFAULT_POLICY)
    seed: int | None = Field(None, ge=0)
    or_open: bool = Field(False, description="Be content with a study of that name, if it is the same one.")


class ChangeGiven(Given):
    """What is to be different from here on."""

    model_config = shaped({"policy": "gp-ucb"}, {"window": 20}, {"silence": 0}, {"seek": "total"})

    policy: str | PolicyGiven | None = None
    window: Annotated[int, Field(ge=1)] | Literal["auto"] | None = None
    seed: int | None = Field(None, ge=0)
    silence: Number | Literal["nothing"] | None = Field(
        None, description="What no answer of the objective within the window means, or nothing any more."
    )
    seek: Seek | None = Field(None, description=SOUGHT_TEXT)


class ReasonGiven(Given):
    """Why; it is kept in the log."""

    model_config = shaped({"reason": "sample lost"})

    reason: str = Field("", max_length=LONGEST_REASON)


class NameGiven(Given):
    """The name of a study."""

    model_config = shaped({"name": "coupling-2026"})

    name: str


class AskGiven(Given):
    """What to try next: how many queries, in which context, and what lets the same ask be made again."""

    model_config = shaped({}, {"count": 4, "key": "night of 12 May"}, {"worker": "robot 2"})

    count: int = Field(1, ge=1)
    context: Values | None = None
    key: Label | None = Field(None, description="Asked again with the same key, the same queries come back.")
    worker: Label | None = Field(None, description="A worker that has queries under way gets them again.")


class AnswerGiven(Given):
    """The answer to a query, or the context that was seen after it was asked, or both."""

    model_config = shaped(
        {"value": 0.83}, {"value": [0.81, 0.85]}, {"value": 0.83, "sd": 0.02}, {"value": {"yield": 0.83, "colour": 0.3}}
    )

    value: Measured | None = Field(
        None, description="A number, a list of repeats, or either by the names of outcomes, of which others may follow."
    )
    sd: Errors | None = Field(None, description="The standard error of the value, if it is known.")
    point: Values | None = Field(None, description="What was really tried, if it was not the point that was asked.")
    context: Values | None = None


class NumberedAnswerGiven(AnswerGiven):
    """The same, with the number of the query."""

    model_config = shaped({"query": 1, "value": 0.83})

    query: int = Field(ge=1)


class AnswersGiven(Given):
    """Many answers: all of them are taken, or none."""

    model_config = shaped({"answers": [{"query": 1, "value": 0.83}, {"query": 2, "value": 0.41}]})

    answers: list[NumberedAnswerGiven] = Field(min_length=1)


class RevisionGiven(Given):
    """A better value, or the point that was really tried."""

    model_config = shaped({"value": 0.81})

    value: Measured | None = None
    sd: Errors | None = None
    point: Values | None = None


class RetractionGiven(ReasonGiven):
    """Why an outcome is taken back, or all that came of the query; it is kept in the log."""

    model_config = shaped({"reason": "contaminated"}, {"reason": "contaminated", "outcome": "colour"})

    outcome: str | None = None


class RetractionsGiven(RetractionGiven):
    """The same of several queries."""

    model_config = shaped({"queries": [3, 4], "reason": "contaminated"})

    queries: list[Annotated[int, Field(ge=1, lt=2**31)]] = Field(min_length=1)


class QueriesGiven(Given):
    """Several queries of which the same is to be said, and why."""

    model_config = shaped({"queries": [3, 4], "reason": "power cut"})

    queries: list[Annotated[int, Field(ge=1, lt=2**31)]] = Field(min_length=1)
    reason: str = Field("", max_length=LONGEST_REASON)


class ToldGiven(NumberedAnswerGiven):
    """That a query was answered, or its context seen."""

    model_config = shaped({"say": "tell", "query": 1, "value": 0.83})

    say: Literal["tell"]


class CorrectedGiven(RevisionGiven):
    """A better value or point of a query."""

    model_config = shaped({"say": "revise", "query": 1, "value": 0.81})

    say: Literal["revise"]
    query: int = Field(ge=1)


class EndedGiven(ReasonGiven):
    """That a query failed, or that no answer will come."""

    model_config = shaped({"say": "fail", "query": 3, "reason": "precipitated"})

    say: Literal["fail", "abandon"]
    query: int = Field(ge=1)


class WithdrawnGiven(RetractionGiven):
    """That what came of a query is taken back."""

    model_config = shaped({"say": "retract", "query": 4, "reason": "contaminated"})

    say: Literal["retract"]
    query: int = Field(ge=1)


class StatementsGiven(Given):
    """What a sheet says of queries, one after the other: all of it is taken, or none."""

    model_config = shaped(
        {
            "statements": [
                {"say": "tell", "query": 1, "value": 0.83, "sd": 0.02},
                {"say": "fail", "query": 3, "reason": "precipitated"},
            ]
        }
    )

    statements: list[
        Annotated[ToldGiven | CorrectedGiven | EndedGiven | WithdrawnGiven, Field(discriminator="say")]
    ] = Field(min_length=1)


class DatumGiven(Given):
    """Data that was never asked."""

    model_config = shaped({"point": POINT, "value": 0.5})

    point: Values
    value: Measured
    sd: Errors | None = None
    context: Values | None = None


class DataGiven(Given):
    """Many data: all of them are taken, or none."""

    model_config = shaped({"data": [{"point": POINT, "value": 0.5}]})

    data: list[DatumGiven] = Field(min_length=1)


class PointsGiven(Given):
    """Points at which the belief is asked for."""

    model_config = shaped({"points": [POINT]})

    points: list[Values] = Field(min_length=1)
    outcome: str | None = Field(None, description="Of which outcome; of the main objective if it is left out.")
    context: Values | None = None
