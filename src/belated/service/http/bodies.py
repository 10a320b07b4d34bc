"""What requests carry and what responses are, for the checks and for the description of the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from belated.study import DEFAULT_POLICY

Values = dict[str, str | bool | int | float]
Number = Annotated[float, Field(allow_inf_nan=False)]
Label = Annotated[str, Field(min_length=1, max_length=200)]
POINT = {"temperature": 71.5, "solvent": "THF"}
LONGEST_REASON = 2_000
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
    goal: Literal["maximize", "minimize"] = "maximize"
    policy: str | PolicyGiven = Field(DEFAULT_POLICY)
    seed: int | None = Field(None, ge=0)
    or_open: bool = Field(False, description="Be content with a study of that name, if it is the same one.")


class ChangeGiven(Given):
    """What is to be different from here on."""

    model_config = shaped({"policy": "gp-ucb"}, {"window": 20})

    policy: str | PolicyGiven | None = None
    window: Annotated[int, Field(ge=1)] | Literal["auto"] | None = None
    seed: int | None = Field(None, ge=0)


class ReasonGiven(Given):
    """Why; it is kept in the log."""

    model_config = shaped({"reason": "sample lost"})

    reason: str = Field("", max_length=LONGEST_REASON)


class AskGiven(Given):
    """What to try next: how many queries, in which context, and what lets the same ask be made again."""

    model_config = shaped({}, {"count": 4, "key": "night of 12 May"}, {"worker": "robot 2"})

    count: int = Field(1, ge=1)
    context: Values | None = None
    key: Label | None = Field(None, description="Asked again with the same key, the same queries come back.")
    worker: Label | None = Field(None, description="A worker that has queries under way gets them again.")


class AnswerGiven(Given):
    """The answer to a query, or the context that was seen after it was asked, or both."""

    model_config = shaped({"value": 0.83})

    value: Number | None = None
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
    """A better value."""

    model_config = shaped({"value": 0.81})

    value: Number


class DatumGiven(Given):
    """Data that was never asked."""

    model_config = shaped({"point": POINT, "value": 0.5})

    point: Values
    value: Number
    context: Values | None = None


class DataGiven(Given):
    """Many data: all of them are taken, or none."""

    model_config = shaped({"data": [{"point": POINT, "value": 0.5}]})

    data: list[DatumGiven] = Field(min_length=1)


class PointsGiven(Given):
    """Points at which the belief is asked for."""

    model_config = shaped({"points": [POINT]})

    points: list[Values] = Field(min_length=1)
    context: Values | None = None


class AnswerView(BaseModel):
    """The value that counts now, when the first one came, after how many further queries, and what was revised."""

    value: float
    at: float
    delay: int
    earlier: list[float]


class QueryView(BaseModel):
    """A query, or data that was added (then `number` is 0). Times are seconds since 1970."""

    id: int
    number: int
    state: Literal["pending", "overdue", "answered", "abandoned"]
    point: Values
    context: Values | None
    asked_at: float
    answer: AnswerView | None
    reason: str | None
    worker: str | None
    key: str | None
    arm: int | None = Field(description="Which of the policy's arms chose it, where it has any.")


class BalkView(BaseModel):
    """Why nothing is asked now, and in how many seconds it is worth asking again."""

    reason: str
    retry_after: float


class AskedView(BaseModel):
    """The queries; none where the policy would rather wait."""

    queries: list[QueryView]
    balk: BalkView | None
    notices: list[str] = Field(description="What the study noticed with these queries, in words; each is said once.")


class TakenView(BaseModel):
    """How many were taken; what was told before is taken again without effect."""

    taken: int


class AddedView(BaseModel):
    """The added data with their numbers."""

    queries: list[QueryView]


class QueriesView(BaseModel):
    """A page of queries; `next` is what to give as `after` for the next one, null on the last."""

    queries: list[QueryView]
    next: int | None


class EventsView(BaseModel):
    """A page of the log, with who did what; `next` is what to give as `after` for the next one, null on the last."""

    events: list[dict[str, Any]]
    next: int | None


class BestView(BaseModel):
    """The best answer so far."""

    query: int
    value: float
    point: Values


class RecommendationView(BaseModel):
    """The point that the belief would use now, with what it expects there."""

    point: Values
    mean: float
    deviation: float
    jitter: float


class ExpectationView(BaseModel):
    """Mean and deviation at every point."""

    mean: list[float]
    deviation: list[float]


class StudyView(BaseModel):
    """What a study is made of."""

    name: str
    goal: Literal["maximize", "minimize"]
    policy: dict[str, Any]
    seed: int
    space: dict[str, Any]
    context: dict[str, Any] | None
    closed: str | None


class NoticeView(BaseModel):
    """Something that the study noticed, when, and the number of its event."""

    kind: str
    text: str
    at: float
    event: int


class StandingView(StudyView):
    """A study with how it stands."""

    counts: dict[str, int]
    delay: dict[str, float] | None
    overdue: list[int]
    without_context: list[int]
    best: BestView | None
    notices: list[NoticeView]


class UnreadableView(BaseModel):
    """A study that this service cannot read, and why: it may need a package that is not here."""

    name: str
    kind: str
    message: str


class StudiesView(BaseModel):
    """The studies that the token opens."""

    studies: list[StandingView]
    unreadable: list[UnreadableView]


class WaitingView(BaseModel):
    """A query without an answer: how long it has waited, and the chance that it will still be answered."""

    query: int
    queries: int
    seconds: float
    still: float | None


class DelaysView(BaseModel):
    """How long answers take: curves in queries asked meanwhile and in seconds, who never answers, and what it is from.

    `depends` says whether the delay goes with a parameter, a context, the answer or the time; `oldest` are the queries
    that have waited longest.
    """

    asked: int
    answered: int
    waiting: int
    abandoned: int
    queries: dict[str, Any]
    seconds: dict[str, Any]
    never: dict[str, Any]
    depends: list[dict[str, Any]]
    oldest: list[WaitingView]


class ExplanationView(BaseModel):
    """What decides: what it sees, what it does about that, each by name, and why."""

    policy: str
    saw: dict[str, str]
    chose: dict[str, str]
    why: list[str]


class FigureView(BaseModel):
    """A figure as plotly.js takes it."""

    model_config = ConfigDict(extra="allow")

    data: list[dict[str, Any]]
    layout: dict[str, Any]


class AliveView(BaseModel):
    """The process answers."""

    status: Literal["alive"]
    version: str


class ReadyView(BaseModel):
    """The storage can be read."""

    status: Literal["ready"]


class PolicyView(BaseModel):
    """A policy that studies can have."""

    name: str
    description: str


class PoliciesView(BaseModel):
    """All of them."""

    policies: list[PolicyView]


class ErrorDetail(BaseModel):
    """What is wrong where."""

    where: str
    what: str


class ErrorView(BaseModel):
    """What went wrong: its kind, and in words the call, what it got, the rule and the way out."""

    kind: str
    message: str
    details: list[ErrorDetail] | None = None


class RefusalView(BaseModel):
    """The body of every error; `request` is the number by which the logs of the service know the request."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "error": {
                        "kind": "conflict",
                        "message": "tell(query=17): already answered with 0.41, and now given 0.5; use revise() to "
                        "replace the answer.",
                    },
                    "request": "5f2b8c0e9a417d36",
                }
            ]
        }
    )

    error: ErrorView
    request: str
