"""What requests carry and what responses are, for the checks and for the description of the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Values = dict[str, str | bool | int | float]
Number = Annotated[float, Field(allow_inf_nan=False)]
Label = Annotated[str, Field(min_length=1, max_length=200)]
POINT = {"temperature": 71.5, "solvent": "THF"}


class Given(BaseModel):
    """A request's body: what it does not name is refused, and numbers are numbers, not texts."""

    model_config = ConfigDict(extra="forbid", strict=True)


class PolicyGiven(Given):
    """A policy by its name, with the parameters that are not to be the default ones."""

    name: str = Field(examples=["gp-ucb-sdf"])
    parameters: dict[str, Any] = Field(default_factory=dict, examples=[{"window": 20}])


class StudyGiven(Given):
    """A new study."""

    name: str = Field(examples=["coupling"])
    space: dict[str, Any] = Field(
        description="Parameters by name, as {float: [low, high]}, {int: [low, high]} or a list of options; or what "
        "Space.to_json() wrote; or {candidates: [point, …]}.",
        examples=[{"temperature": {"float": [20, 120]}, "solvent": ["DMF", "THF"]}],
    )
    context: dict[str, Any] | None = Field(
        None, description="What else answers depend on, written like a space, with seen: before or after."
    )
    goal: Literal["maximize", "minimize"] = "maximize"
    policy: str | PolicyGiven = Field("gp-bucb", examples=["gp-bucb", {"name": "gp-ucb-sdf", "parameters": {}}])
    seed: int | None = Field(None, ge=0)
    or_open: bool = Field(False, description="Be content with a study of that name, if it is the same one.")


class ChangeGiven(Given):
    """What is to be different from here on."""

    policy: str | PolicyGiven | None = None
    window: int | None = Field(None, ge=1)
    seed: int | None = Field(None, ge=0)


class ReasonGiven(Given):
    """Why; it is kept in the log."""

    reason: str = Field("", max_length=2000, examples=["sample lost"])


class AskGiven(Given):
    """What to try next: how many queries, in which context, and what lets the same ask be made again."""

    count: int = Field(1, ge=1)
    context: Values | None = Field(None, examples=[None])
    key: Label | None = Field(None, description="Asked again with the same key, the same queries come back.")
    worker: Label | None = Field(None, description="A worker that has queries under way gets them again.")


class AnswerGiven(Given):
    """The answer to a query, or the context that was seen after it was asked, or both."""

    value: Number | None = Field(None, examples=[0.83])
    context: Values | None = Field(None, examples=[None])


class NumberedAnswerGiven(AnswerGiven):
    """The same, with the number of the query."""

    query: int = Field(ge=1, examples=[1])


class AnswersGiven(Given):
    """Many answers: all of them are taken, or none."""

    answers: list[NumberedAnswerGiven] = Field(min_length=1)


class RevisionGiven(Given):
    """A better value."""

    value: Number = Field(examples=[0.81])


class DatumGiven(Given):
    """Data that was never asked."""

    point: Values = Field(examples=[POINT])
    value: Number = Field(examples=[0.5])
    context: Values | None = Field(None, examples=[None])


class DataGiven(Given):
    """Many data: all of them are taken, or none."""

    data: list[DatumGiven] = Field(min_length=1)


class PointsGiven(Given):
    """Points at which the belief is asked for."""

    points: list[Values] = Field(min_length=1, examples=[[POINT]])
    context: Values | None = Field(None, examples=[None])


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


class BalkView(BaseModel):
    """Why nothing is asked now, and in how many seconds it is worth asking again."""

    reason: str
    retry_after: float


class AskedView(BaseModel):
    """The queries; none where the policy would rather wait."""

    queries: list[QueryView]
    balk: BalkView | None


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


class StandingView(StudyView):
    """A study with how it stands."""

    counts: dict[str, int]
    delay: dict[str, float] | None
    overdue: list[int]
    without_context: list[int]
    best: BestView | None


class StudiesView(BaseModel):
    """The studies that the token opens."""

    studies: list[StandingView]


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

    error: ErrorView
    request: str
