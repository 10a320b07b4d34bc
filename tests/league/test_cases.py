"""The cases of the league: what each poses, and the design that they come from."""

from __future__ import annotations

import pytest

from belated import errors
from belated.experiments.league.cases import DELAYS, FAMILIES, NOISES, Case, cases, chosen

every_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.key)


def test_cases_have_keys_and_definitions_of_their_own() -> None:
    assert len({case.key for case in cases()}) == len({case.digest for case in cases()}) == len(cases())
    assert cases() == (*cases("open"), *cases("sealed"))
    assert all(case.half == half for half in ("open", "sealed") for case in cases(half))


def test_chosen_cases_come_in_the_order_of_the_suite_and_unknown_ones_are_refused() -> None:
    first, second = cases("open")[:2]
    assert chosen([second.key, first.key]) == (first, second)
    with pytest.raises(errors.BelatedError, match="no case is named 'opem'"):
        chosen(["opem"])


@every_case
def test_a_case_poses_its_problem(case: Case) -> None:
    posed = case.problem_for(3)
    assert case.family in FAMILIES
    assert case.delay_kind in DELAYS
    assert case.noise in NOISES
    assert 40 <= case.rounds <= 150
    assert posed.value(posed.optimum_point) == pytest.approx(posed.optimum, abs=1e-9, rel=1e-9)
