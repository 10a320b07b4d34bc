"""Policies by name: built, described, written to the log and read again, or refused with a hint."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import belated as bl
from belated.beliefs import GP
from belated.errors import BelatedError, ParameterError, UnsupportedError
from belated.log import GivenWindow
from belated.pacing import Always
from belated.pending import Hallucinate, ImputeSilence, Treatment
from belated.policies import (
    Policy,
    Recipe,
    bpe,
    build,
    describe,
    from_json,
    gp_bucb,
    gp_ucb_sdf,
    names,
    policy,
    registry,
)
from belated.rules import Constant, Finite, Initially, Need, UpperBound
from belated.study import Study
from tests.builders import Clock, box, table

NINETEEN = (
    *("random", "uncertainty", "gp-ucb", "gp-ei", "gp-ts", "asy-ts"),
    *("gp-bucb", "gp-bucb-init", "gp-bts", "gp-aucb", "gp-aucb-local", "sm-ucb", "sm-mei", "hbbo-ucb", "hbbo-mei"),
    *("gp-ucb-sdf", "gp-ts-sdf", "bpe", "bpe-delay"),
)


def test_the_first_nineteen_policies_are_registered() -> None:
    assert set(NINETEEN) <= set(names())
    for name in NINETEEN:
        assert len(describe(name)) > 20


def test_parts_as_parameters_go_into_json_and_come_back() -> None:
    made = gp_ucb_sdf(
        window=bl.Window(seconds=60.0),
        floor=-1.0,
        base=Finite(0.05, 0.3),
        belief=bl.GP(kernel="se", lengthscale=(0.1, 0.2), variance=1.0, noise=0.1),
    )
    again = from_json(json.loads(json.dumps(made.to_json())))
    assert again == made
    assert again.composition == made.composition


def test_a_study_read_from_its_log_has_the_same_policy() -> None:
    study = Study.in_memory(table(), policy=gp_bucb(width=Finite(0.1, 0.1), window=7), seed=1, clock=Clock())
    again = Study(study.events)
    assert again.recipe == study.recipe
    assert again.policy == study.policy
    assert study.policy.window == bl.Window(queries=7)


def test_a_part_is_read_by_the_name_that_earlier_logs_give_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "POLICIES", replace(registry.POLICIES, entries=dict(registry.POLICIES.entries)))

    @policy("silent")
    def silent(treatment: Treatment) -> Policy:
        return Policy(GP(), treatment, UpperBound(Constant(1.0)), Always())

    old = {"name": "silent", "parameters": {"treatment": {"part": "Doubt", "silence": 1.0, "floor": None}}}
    assert from_json(old) == silent(ImputeSilence(silence=1.0))


def test_a_number_is_a_constant_width() -> None:
    made = gp_bucb(width=1.5, initial=0)
    assert made.beginning(table()).rule == UpperBound(Constant(1.5))


@pytest.mark.parametrize(
    "name, parameters, hint",
    [
        ("gp-bucbs", {}, "gp-bucb"),
        ("GP-UCB", {}, "gp-ucb"),
        (7, {}, "7"),
        ("gp-bucb", {"widht": 2.0}, "width"),
        ("gp-bucb", {"width": -1.0}, "at least 0"),
        ("gp-bucb", {"width": {"part": "Finit"}}, "Finite"),
        ("gp-bucb", {"width": {"part": "Finite", "detla": 0.1}}, "Finite"),
        ("gp-bucb", {"width": {"part": "Finite", "delta": 7.0}}, "delta"),
        ("gp-bucb", {"window": 2.5}, "window"),
        ("gp-bucb", {"window": -1}, "at least 0"),
        ("gp-bucb", {"initial": -1}, "at least 0"),
        ("bpe", {}, "horizon"),
        ("bpe", {"horizon": 0}, "horizon"),
        ("bpe-delay", {"horizon": 10, "mean_delay": -1.0}, "mean"),
        ("gp-bucb-init", {"threshold": 0.0}, "threshold"),
        ("sm-ucb", {"batch": 0}, "batch"),
        ("gp-ucb-sdf", {"late": "maybe"}, "late"),
        ("gp-bucb", {"belief": {"part": "GP", "kernel": "matern"}}, "matern"),
    ],
    ids=str,
)
def test_what_cannot_be_built_is_refused_with_a_hint(name: Any, parameters: dict[str, Any], hint: str) -> None:
    with pytest.raises(BelatedError, match=hint):
        build(name, **parameters)


def test_a_part_that_no_log_can_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="register"):
        gp_bucb(width=lambda situation: 2.0)


def test_a_policy_without_a_recipe_cannot_begin_a_study() -> None:
    bare = gp_bucb().beginning(table())
    with pytest.raises(ParameterError, match="register"):
        Study.in_memory(table(), policy=bare)  # type: ignore[arg-type]


def test_a_registered_policy_of_ones_own_works_like_any_other() -> None:
    @policy("tests-own")
    def own(width: float = 1.0) -> Policy:
        """A policy of the tests."""
        return Policy(bl.GP(), Hallucinate(), Initially(None, UpperBound(Constant(width))), Always())

    try:
        study = Study.in_memory(table(), policy=own(width=3.0), seed=1, clock=Clock())
        assert study.recipe.to_json() == {"name": "tests-own", "parameters": {"width": 3.0}}
        assert study.policy == own(width=3.0).composition
        assert study.policy.rule == Initially(None, UpperBound(Constant(3.0)))
        assert study.ask()
        assert describe("tests-own") == "A policy of the tests."
    finally:
        registry.POLICIES.entries.pop("tests-own")


@pytest.mark.parametrize("window", [3, "auto"])
def test_a_policy_of_ones_own_may_be_another_with_its_needs_under_a_new_name(window: GivenWindow) -> None:
    @policy("tests-own")
    def own(horizon: int = 9) -> Recipe:
        """Elimination with a horizon of its own."""
        return bpe(horizon)

    @policy("tests-patient")
    def patient(window: GivenWindow = None) -> Recipe:
        """One that waits."""
        return gp_bucb(width=3.0, window=window)

    try:
        assert Need.TABLE in own().beginning(table()).needs
        with pytest.raises(UnsupportedError, match="'tests-own', which looks at every candidate"):
            Study.in_memory(box(), policy="tests-own")
        studies = [
            Study.in_memory(table(), policy=made, seed=1, clock=Clock())
            for made in (patient(window=window), gp_bucb(width=3.0, window=window))
        ]
        assert [study.recipe.name for study in studies] == ["tests-patient", "gp-bucb"]
        for _ in range(12):
            asked = [study.ask() for study in studies]
            assert asked[0] == asked[1]
            if isinstance(asked[0], bl.Query) and asked[0].id % 2:
                for study in studies:
                    study.tell(asked[0].id, float(asked[0].id))
        assert studies[0].recipe.learns_window == (window == "auto")
        assert studies[0].policy == studies[1].policy
        assert (studies[0].policy.window == bl.Window(queries=3)) == (window == 3)
    finally:
        registry.POLICIES.entries.pop("tests-own")
        registry.POLICIES.entries.pop("tests-patient")
