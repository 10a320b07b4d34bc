"""A round that ends before any of its answers has come is spoken of, each time, and survivors are counted."""

from __future__ import annotations

import math
import re

import numpy as np

from belated.policies import Recipe, bpe
from belated.study import Study
from tests.builders import Clock, delayed_run, known_gp, table
from tests.notices.studies import asked


def policy() -> Recipe:
    belief, _ = known_gp("se", 0.2, 1.0, 0.02**2)
    return bpe(60, belief=belief)


def texts(late: int) -> list[tuple[int, str]]:
    """What is said, with the number of queries asked by then, where every answer comes so many queries late."""
    study, said = Study.in_memory(table(40), policy=policy(), seed=1, clock=Clock()), []
    for number in range(1, 61):
        if number - late > 1:
            study.tell(number - late - 1, math.sin(number))
        before = len(study.notices())
        asked(study)
        said += [(number, notice.text) for notice in study.notices()[before:] if notice.kind == "empty-round"]
    return said


def test_every_round_that_ends_without_an_answer_is_spoken_of_by_the_ask_after_it() -> None:
    # Its rounds end with the queries 8, 30 and 60.
    said = texts(late=40)
    assert [number for number, _ in said] == [9, 31]
    assert said[0][1] == (
        "The round of queries 1 to 8 has ended, and none of its answers had come: it drops no candidate, and answers "
        "that come later are not used for that. Rounds that last as long as delays do lose less: give 'bpe-delay' the "
        "mean delay in queries, as mean_delay=20."
    )
    assert said[1][1].startswith("The round of queries 9 to 30 has ended")


def test_nothing_is_said_of_a_round_that_has_one_answer() -> None:
    assert texts(late=7) == []


def test_an_explanation_counts_the_candidates_that_are_left() -> None:
    domain = table(40)
    values = np.sin(6 * domain.table[:, 0]) * np.cos(4 * domain.table[:, 1])
    begun = Study.in_memory(domain, policy=policy(), seed=1)
    assert begun.explain().chose["candidates"] == "after 0 of 3 rounds, 40 of 40 may still be the best"
    said = delayed_run(policy(), domain, values, [0] * 59, seed=1, noise=0.02).study.explain().chose["candidates"]
    found = re.fullmatch(r"after 2 of 3 rounds, (\d+) of 40 may still be the best", said)
    assert found
    assert 1 <= int(found[1]) < 40
    assert "candidates" not in Study.in_memory(domain, policy="gp-ucb", seed=1).explain().chose
