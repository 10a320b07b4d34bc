"""A running study that is changed: another policy, window or seed, closed and reopened; data added in bulk."""

from __future__ import annotations

import itertools
import math
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated import Context, Float, Space, Study, Window
from belated.beliefs import GP
from belated.errors import (
    AnswerError,
    BelatedError,
    ConflictError,
    ContextError,
    NoAnswerError,
    ParameterError,
    PointError,
    UnsupportedError,
)
from belated.log import Closed, PolicyChanged, Query, Reopened, SeedChanged
from belated.policies import Policy, gp_bucb, sm_ucb
from belated.study import differences
from tests.meanwhile import PATIENCE, Meanwhile
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import SOLVE_TOLERANCE

LINE = Space(heat=Float(0, 10))
KNOWN = GP(kernel="se", lengthscale=0.2, variance=1.0, noise=0.01, mean="zero")


def begun(policy: Any = "random", space: Space = LINE, **options: Any) -> Study:
    ticks = itertools.count(1)
    return Study.in_memory(space, policy=policy, seed=1, clock=lambda: float(next(ticks)), **options)


def kinds(study: Study) -> list[type]:
    return [type(event.body) for event in study.events[1:]]


def refused(error: type[BelatedError], said: str, study: Study, call: Any) -> None:
    before = study.events
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value).startswith(said)
    assert study.events == before


def test_policy_window_and_seed_change_by_events() -> None:
    study = begun(gp_bucb(belief=KNOWN, window=3))
    study.change(window=5)
    assert study.policy.window == Window(queries=5)
    assert study.policy.belief == KNOWN, "the rest of the policy stays"
    study.change(window=Window(seconds=60.0), seed=9)
    assert (study.policy.window, study.seed) == (Window(seconds=60.0), 9)
    study.change(policy="gp-ei")
    study.change(policy=gp_bucb(belief=KNOWN), window=2)
    assert study.policy.window == Window(queries=2)
    assert kinds(study) == [PolicyChanged, PolicyChanged, SeedChanged, PolicyChanged, PolicyChanged]
    assert Study(study.events).settings == study.settings


def test_a_new_seed_asks_otherwise_and_a_replay_follows() -> None:
    one, other = begun("random"), begun("random")
    other.change(seed=2)
    first, second = one.ask(), other.ask()
    assert isinstance(first, Query)
    assert isinstance(second, Query)
    assert first.point != second.point
    assert list(differences(other.events)) == []


def test_a_seed_changed_within_a_batch_is_heeded_by_warm_and_cold_alike() -> None:
    study = begun(sm_ucb(batch=4, width=2.0, belief=KNOWN))
    study.ask(2)
    study.change(seed=77)
    study.ask(2)
    assert list(differences(study.events)) == []
    assert list(differences(study.events, forgetful=True)) == []


def test_changes_that_cannot_be_are_refused_and_leave_no_trace() -> None:
    study = begun()
    said = "change(): got nothing to change; give a policy, a window, a seed, a silence or what to seek."
    refused(ParameterError, said, study, study.change)
    for meant in ("silent", math.nan, math.inf, [0.0]):
        said = f"change(): got silence {meant!r}; what no answer means is a finite number, or 'nothing'; give either."
        refused(ParameterError, said, study, lambda meant=meant: study.change(seed=3, silence=meant))
    said = "change(window=3): the policy 'random' takes no window; change to one that does"
    refused(UnsupportedError, said, study, lambda: study.change(window=3))
    refused(ParameterError, "change(): got seed -1", study, lambda: study.change(seed=-1))
    refused(ParameterError, "change(): got seed True", study, lambda: study.change(policy="gp-ei", seed=True))
    wrong: Any = "soon"
    refused(ParameterError, "gp_bucb(window='soon')", study, lambda: study.change(policy="gp-bucb", window=wrong))


class SlowCheck:
    """A check of a policy that goes on until it is let go, as one of thousands of contexts would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.released = threading.Event(), threading.Event()
        check = Policy.check

        def slow(policy: Policy, *given: Any) -> None:
            self.begun.set()
            assert self.released.wait(PATIENCE), "nobody let the check go"
            check(policy, *given)

        monkeypatch.setattr(Policy, "check", slow)


def test_who_tells_does_not_wait_for_the_check_of_another_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'lab.db'}"
    kept = Study.create(url, "lab", LINE, policy="random", seed=1)
    for study, other in ((begun(), None), (kept, Study.open(url, "lab"))):
        teller = study if other is None else other
        query = study.ask()
        assert isinstance(query, Query)
        slow = SlowCheck(monkeypatch)
        changing = Meanwhile(partial(study.change, policy="gp-ei", seed=4))
        assert slow.begun.wait(PATIENCE)
        telling = Meanwhile(partial(teller.tell, query, 0.5))
        assert not telling.waits(5.0)
        telling.result()
        assert changing.waits(0.0)
        assert study.best().value == 0.5
        slow.released.set()
        changing.result()
        monkeypatch.undo()
        assert kinds(study)[-2:] == [PolicyChanged, SeedChanged]
        assert (study.recipe.name, study.seed) == ("gp-ei", 4)


@pytest.mark.parametrize("kept", [False, True])
def test_a_window_is_of_the_policy_that_stands_when_it_is_written(
    kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'lab.db'}"
    study = Study.create(url, "lab", LINE, policy=gp_bucb(window=3), seed=1) if kept else begun(gp_bucb(window=3))
    other = Study.open(url, "lab") if kept else study
    slow = SlowCheck(monkeypatch)
    changing = Meanwhile(partial(study.change, window=5))
    assert slow.begun.wait(PATIENCE)
    monkeypatch.undo()
    other.change(policy=gp_bucb(belief=KNOWN, window=3))
    slow.released.set()
    changing.result()
    assert (study.policy.belief, study.policy.window) == (KNOWN, Window(queries=5))
    assert kinds(study) == [PolicyChanged, PolicyChanged]


def test_a_window_that_the_policy_written_meanwhile_does_not_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    study = begun(gp_bucb(window=3))
    slow = SlowCheck(monkeypatch)
    changing = Meanwhile(partial(study.change, window=5, seed=8))
    assert slow.begun.wait(PATIENCE)
    monkeypatch.undo()
    study.change(policy="random")
    slow.released.set()
    said = r"change\(window=5\): the policy 'random' takes no window; change to one that does"
    with pytest.raises(UnsupportedError, match=said):
        changing.result()
    assert kinds(study) == [PolicyChanged]
    assert study.seed == 1


def test_a_study_is_closed_and_reopened() -> None:
    study = begun()
    assert study.closed is None
    study.reopen()
    study.close("money")
    study.close("more")
    assert study.closed == "money"
    with pytest.raises(ConflictError, match=r"ask\(\): the study is closed \(money\); reopen\(\) it to go on asking."):
        study.ask()
    study.reopen("a grant")
    study.reopen("again")
    assert study.closed is None
    assert isinstance(study.ask(), Query)
    study.close()
    with pytest.raises(ConflictError, match=r"the study is closed \(no reason given\)"):
        study.ask()
    assert kinds(study)[:2] == [Closed, Reopened]
    assert Study(study.events).closed == ""


def test_data_are_added_all_or_none() -> None:
    study = begun()
    added = study.add_many([({"heat": 1}, 0.5), ({"heat": 2.5}, 3, None)])
    assert [(query.id, query.point, query.number) for query in added] == [(1, {"heat": 1.0}, 0), (2, {"heat": 2.5}, 0)]
    assert study.best().value == 3.0
    assert study.add_many([]) == []
    wrong: Any = [({"heat": 1}, 0.5), ({"heat": 11}, 0.5)]
    refused(PointError, "add_many(): heat=11 is outside [0.0, 10.0]", study, lambda: study.add_many(wrong))
    refused(AnswerError, "add_many(): got nan", study, lambda: study.add_many([({"heat": 1}, float("nan"))]))
    for rows in (5, [5], [({"heat": 1},)], {"heat": 1}, "heat"):
        odd: Any = rows
        refused(ParameterError, "add_many(): got ", study, partial(study.add_many, odd))


def test_data_are_added_in_their_contexts() -> None:
    study = begun(context=Context(hour=Float(0, 24), seen="before"))
    study.add_many([({"heat": 1}, 0.5, {"hour": 3})])
    refused(ContextError, "add_many(): got no context", study, lambda: study.add_many([({"heat": 1}, 0.5)]))
    assert study.queries()[0].context == {"hour": 3.0}


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_the_expectation_is_the_posterior_in_the_users_units(goal: Any) -> None:
    study = begun(gp_bucb(belief=KNOWN), goal=goal)
    heats, values = [1.0, 4.0, 7.5], [0.3, -0.8, 0.6]
    study.add_many([({"heat": heat}, value) for heat, value in zip(heats, values, strict=True)])
    study.ask()
    probes = [0.0, 2.0, 4.0, 9.9]
    mean, deviation = study.expect([{"heat": probe} for probe in probes])

    plain = PlainGP(PlainKernel("se", 1.0, (0.2,)), 0.01)
    answered, asked = np.array(heats)[:, None] / 10, np.array(probes)[:, None] / 10
    expected = plain.moments(answered, np.array(values), asked)
    assert_allclose(mean, expected[0], atol=SOLVE_TOLERANCE)
    assert_allclose(deviation, expected[1], atol=SOLVE_TOLERANCE)


def test_expectations_need_an_answer_and_points_of_the_space() -> None:
    study = begun(gp_bucb(belief=KNOWN))
    said = "expect(): no query has an answer yet; tell() or add() one first."
    refused(NoAnswerError, said, study, lambda: study.expect([{"heat": 1.0}]))
    study.add({"heat": 1}, 1.0)
    refused(
        PointError,
        "expect(): got one point; points come in a list; write [point].",
        study,
        lambda: study.expect({"heat": 3}),  # type: ignore[arg-type]
    )
    refused(PointError, "expect(): heat=11 is outside [0.0, 10.0]", study, lambda: study.expect([{"heat": 11}]))
    mean, deviation = study.expect([])
    assert mean.shape == deviation.shape == (0,)
