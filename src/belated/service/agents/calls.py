"""What the tools are given: what the routes take, and the name of the study, in words for those who read no page."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from belated.service.http.requests import (
    POINT,
    AnswersGiven,
    AskGiven,
    DataGiven,
    Given,
    PointsGiven,
    QueriesGiven,
    RetractionsGiven,
    RevisionGiven,
    Values,
    shaped,
)

STUDY = "coupling"


class EmptyCall(Given):
    """Nothing needs to be said."""


class ListCall(Given):
    """Which of the studies are listed."""

    archived: bool = Field(False, description="Those in the archive instead of those in sight.")


class StudyCall(Given):
    """Of which study."""

    model_config = shaped({"study": STUDY})

    study: str = Field(description="The name of the study, as list_studies has it.")


class AskCall(AskGiven, StudyCall):
    """How many queries, in which context, for whom."""

    model_config = shaped({"study": STUDY, "count": 4, "key": "plate 7"})

    count: int = Field(1, ge=1, description="How many points can be tried at the same time; one if left out.")
    context: Values | None = Field(
        None, description="What is seen before the decision, by name, if the study has such a context."
    )


class TellCall(AnswersGiven, StudyCall):
    """The answers that have come, each with the number of its query."""

    model_config = shaped(
        {"study": STUDY, "answers": [{"query": 1, "value": 0.83}, {"query": 2, "value": 0.41, "sd": 0.02}]}
    )


class ReviseCall(RevisionGiven, StudyCall):
    """The value, or the point, that is right."""

    model_config = shaped({"study": STUDY, "query": 1, "value": 0.81})

    query: int = Field(ge=1, description="The number of the query.")


class EndCall(QueriesGiven, StudyCall):
    """Which queries end without an answer, and why."""

    model_config = shaped({"study": STUDY, "queries": [3], "reason": "precipitated"})


class RetractCall(RetractionsGiven, StudyCall):
    """Which queries, and why; an outcome, if only that one is taken back."""

    model_config = shaped({"study": STUDY, "queries": [4], "reason": "contaminated"})


class AddCall(DataGiven, StudyCall):
    """Points that were tried before the study or beside it, and their answers."""

    model_config = shaped({"study": STUDY, "data": [{"point": POINT, "value": 0.5}]})


class PageCall(StudyCall):
    """Which queries, a page at a time."""

    after: int = Field(0, ge=0, lt=2**31, description="The number of the last one that you have; 0 for the first page.")
    limit: int = Field(50, ge=1, description="How many at most.")
    state: Literal["pending", "overdue", "answered", "abandoned", "failed", "retracted"] | None = None


class ContextCall(StudyCall):
    """In which context, if the study has one that is seen before the decision."""

    context: Values | None = Field(None, description="What is seen before the decision, by name, if there is any.")


class OutcomeCall(StudyCall):
    """Of which outcome, if the study has several."""

    outcome: str | None = Field(None, description="Of which outcome; of the main objective if it is left out.")


class ExpectCall(PointsGiven, StudyCall):
    """At which points, of which outcome, in which context."""

    model_config = shaped({"study": STUDY, "points": [POINT]})


class PlotCall(StudyCall):
    """Which figure, with which options."""

    model_config = shaped({"study": STUDY, "kind": "progress"}, {"study": STUDY, "kind": "belief"})

    kind: str = Field("progress", description="One of the kinds that the tool lists.")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Options of that kind, as {outcome: colour} of belief."
    )
