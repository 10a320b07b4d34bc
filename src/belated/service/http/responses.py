"""What responses are, for the description of the service."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from belated.log import Seek
from belated.service.http.requests import Values


class AnswerView(BaseModel):
    """The value that counts now, when the first one came, after how many further queries, and what was revised."""

    value: float
    at: float
    delay: int
    earlier: list[float]
    sd: float | None
    repeats: list[float]


class QueryView(BaseModel):
    """A query, or data that was added (then `number` is 0). Times are seconds since 1970."""

    id: int
    number: int
    state: Literal["pending", "overdue", "answered", "abandoned", "failed", "retracted"]
    point: Values
    context: Values | None
    asked_at: float
    answer: AnswerView | None
    reason: str | None
    worker: str | None
    key: str | None
    arm: int | None = Field(description="Which of the policy's arms chose it, where it has any.")
    performed: Values | None = Field(description="What was really tried, where it was not the point that was asked.")
    answers: dict[str, AnswerView] = Field(description="What has come so far, by outcome.")


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


class ExpectedView(BaseModel):
    """What is expected of an outcome."""

    mean: float
    deviation: float


class RecommendationView(BaseModel):
    """The point to use now, what is expected there, of other outcomes too, and the chance that none tried is better."""

    point: Values
    mean: float
    deviation: float
    jitter: float
    others: dict[str, ExpectedView]
    chance: float | None


class ExpectationView(BaseModel):
    """Mean and deviation at every point."""

    mean: list[float]
    deviation: list[float]


class StudyView(BaseModel):
    """What a study is made of."""

    name: str
    goal: Literal["maximize", "minimize"]
    outcomes: list[dict[str, Any]]
    policy: dict[str, Any]
    seek: Seek
    seed: int
    space: dict[str, Any]
    context: dict[str, Any] | None
    closed: str | None
    archived: str | None


class DeletedView(BaseModel):
    """The name of a study that is no more."""

    deleted: str


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
    partly_answered: list[int] = Field(description="Pending queries of which some outcomes have come.")
    failed: list[int]
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
