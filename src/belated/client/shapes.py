"""From the JSON of a service to what a study returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.log import Answer, Query, State, Values
from belated.study import Best, Expected, Notice, Recommendation
from belated.study.arguments import finite

JsonObject = Mapping[str, Any]


def query_of(data: JsonObject) -> Query:
    """The query that a JSON object describes."""
    answer, context = data["answer"], data["context"]
    return Query(
        id=data["id"],
        point=Values(data["point"]),
        context=None if context is None else Values(context),
        asked_at=data["asked_at"],
        number=data["number"],
        state=State(data["state"]),
        answer=None if answer is None else answer_of(answer),
        reason=data["reason"],
        key=data["key"],
        worker=data["worker"],
        arm=data.get("arm"),
        performed=None if data["performed"] is None else Values(data["performed"]),
        answers=Values({name: answer_of(answer) for name, answer in data["answers"].items()}),
    )


def answer_of(data: JsonObject) -> Answer:
    """The answer to one."""
    repeats = tuple(data["repeats"])
    return Answer(data["value"], data["at"], data["delay"], tuple(data["earlier"]), data["sd"], repeats)


def best_of(data: JsonObject) -> Best:
    """The best answer."""
    return Best(dict(data["point"]), data["value"], data["query"])


def recommendation_of(data: JsonObject) -> Recommendation:
    """The point to use now."""
    others = {name: Expected(**expected) for name, expected in data["others"].items()}
    return Recommendation(dict(data["point"]), data["mean"], data["deviation"], data["jitter"], others, data["chance"])


def notice_of(data: JsonObject) -> Notice:
    """Something that the study noticed."""
    return Notice(data["kind"], data["text"], data["at"], data["event"])


def sendable_answer(where: str, value: Any) -> Any:
    """An answer in values that JSON can carry: a number, repeats, or either by outcome; or an AnswerError."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {str(name): sendable_answer(f"{where}, {name}", each) for name, each in value.items()}
    listed = value.tolist() if getattr(value, "shape", ()) != () and hasattr(value, "tolist") else value
    if isinstance(listed, list | tuple):
        return [finite(where, repeat) for repeat in listed]
    return finite(where, value)


def sendable(values: Any) -> Any:
    """A point or a context with NumPy's scalars as Python's, which JSON can carry; what is neither is as it was."""
    if not isinstance(values, Mapping):
        return values
    return {str(name): value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
