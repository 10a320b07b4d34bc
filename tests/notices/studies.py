"""Studies that are played to the end, and moments of studies whose answers are given."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from belated.errors import BelatedWarning
from belated.evidence import Evidence
from belated.log import Balk, Query
from belated.policies import Decision, Recipe
from belated.space import Array, Candidates, Float, Space
from belated.study import Study
from belated.study.insight.notices import Ask

Objective = Callable[[Mapping[str, Any]], float]
LINE = Space(x=Float(-3.0, 7.0))
SQUARE = Space(x=Float(-3.0, 7.0), y=Float(100.0, 101.0))


def asked(study: Study) -> Query:
    """The next query, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BelatedWarning)
        query = study.ask()
    assert isinstance(query, Query)
    return query


def play(study: Study, objective: Objective, rounds: int, lag: int = 0, keep: Callable[[int], bool] = bool) -> Study:
    """Ask once a round; an answer comes when `lag` more queries are asked, if the number of its query is to be kept."""
    waiting: list[Query] = []
    for _ in range(rounds):
        query = asked(study)
        waiting += [query] if keep(query.id) else []
        while len(waiting) > lag:
            late = waiting.pop(0)
            study.tell(late, objective(late.point))
    return study


def kinds(study: Study) -> list[str]:
    """What was noticed."""
    return [notice.kind for notice in study.notices()]


def text_of(study: Study, kind: str) -> str:
    """What was said of this kind, once."""
    (text,) = [notice.text for notice in study.notices() if notice.kind == kind]
    return text


def ask_of(study: Study) -> Ask:
    """The next ask of a study, as it would be looked at."""
    return ask_after(study, study.evidence())


def ask_after(study: Study, evidence: Evidence) -> Ask:
    """An ask of a study of which so much was known; what it comes to concerns no notice, and is not computed."""
    settings, now = study.settings, study.now()
    policy = study.recipe.compose(evidence, now)
    moment = policy.moment(evidence, now, settings.seed, study._knowledge.memory, np.empty(0))
    decision = Decision(Balk("not decided"), policy, moment)
    return Ask(decision, evidence, now, settings.noticed, study.recipe.learns_window)


def with_answers(space: Space | Candidates, policy: str | Recipe, points: Array, values: Array) -> Study:
    """A study to which these points of the unit cube were added, with their values."""
    study = Study.in_memory(space, policy=policy, seed=0)
    study.add_many([(space.decode(point), float(value)) for point, value in zip(points, values, strict=True)])
    return study


def drawn(seed: int, count: int, lengthscale: float, noise: float) -> tuple[Array, Array]:
    """Points in the square, and noisy values there of a function drawn from a Gaussian process of variance 1."""
    rng = np.random.default_rng([seed, 5])
    points = rng.random((count, 2))
    distance = np.sqrt(5.0) * np.linalg.norm(points[:, None] - points[None], axis=2) / lengthscale
    covariance = (1.0 + distance + distance**2 / 3.0) * np.exp(-distance) + (noise**2 + 1e-10) * np.eye(count)
    return points, np.linalg.cholesky(covariance) @ rng.standard_normal(count)
