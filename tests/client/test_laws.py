"""The same calls to a local study and to a remote one have the same results and the same errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.client import RemoteStudy
from belated.errors import BelatedError
from belated.log import AtMost, Balk, Event, Maximize, Measurement, Minimize, Queries, Query, Signal, Window
from belated.policies import build
from belated.space import Choice, Context, Float
from belated.study import Correction, Ending, Study, Telling
from tests.builders import mixed, mixed_table
from tests.serving import serving

BEFORE = Context(hour=Float(0.0, 24.0), site=Choice("a", "b"), seen="before")
AFTER = Context(demand=Float(0.0, 1.0), seen="after")
MORNING, EVENING = {"hour": 7.25, "site": "a"}, {"hour": np.float64(19.5), "site": "b"}
POINT = {"heat": 70.0, "steps": np.int64(3), "solvent": "THF", "fast": True}

NUMBERS = count(1)

Step = Callable[[Any], Any]
Creation = dict[str, Any]

PLAIN: Creation = {"space": mixed(), "seed": 3}
CONTEXTUAL: Creation = {"space": mixed(), "goal": "minimize", "seed": 2**70, "context": BEFORE, "policy": "gp-ts"}
LATER: Creation = {"space": mixed(), "seed": 5, "context": AFTER, "policy": "sbo-kde"}
NAMED: Creation = {
    "space": mixed(),
    "seed": 5,
    "policy": "random",
    "outcomes": {"yield": Maximize(), "impurity": AtMost(2.0), "colour": Signal()},
}
# A window in queries, as one that is learned is by the clock too, of which a busy machine has two.
SOLD: Creation = {
    "space": mixed(),
    "seed": 6,
    "policy": build("auto", window=1),
    "outcomes": {"sold": Minimize(silence=0.5), "scent": Signal()},
}
TABLE: Creation = {"space": mixed_table(), "seed": 5, "policy": build("gp-bucb", window=Window(queries=2))}

# What a sheet may say of six queries, in this order.
SHEET = [
    Telling(1, [0.41, np.float64(0.44)]),
    Telling(2, 0.42, sd=np.float32(0.0625)),
    Correction(2, 0.5, point={**POINT, "heat": np.float64(70.5)}),
    Telling(3, None, point=POINT),
    Ending(3, "fail", "precipitated"),
    Ending(4, "abandon", "週末"),
    Telling(np.int64(5), 0.25),  # type: ignore[arg-type]
    Ending(5, "retract", "a slip"),
]


def outlooks(study: Any, statements: list[Any]) -> list[Any]:
    """What would come of each statement, in a form that can be compared."""
    return [str(found) if isinstance(found, BelatedError) else found for found in study.preview(statements)]


LIVES: dict[str, tuple[Creation, list[Step]]] = {
    "plain": (
        PLAIN,
        [
            lambda study: study.ask(),
            lambda study: study.ask(2),
            lambda study: study.pending(),
            lambda study: study.tell(1, 1 / 3),
            lambda study: study.tell(study.pending()[0], np.float64(0.1) + 0.2),
            lambda study: study.tell(1, 1 / 3),
            lambda study: study.add(POINT, 0.125),
            lambda study: study.add_many([(POINT, 1e100), (POINT, -1e-300)]),
            lambda study: study.add_many([]),
            lambda study: study.revise(np.int64(2), 5e-324),
            lambda study: study.tell_many([]),
            lambda study: study.tell_many({3: -0.0}),
            lambda study: study.ask(key="plate 7"),
            lambda study: study.ask(key="plate 7"),
            lambda study: study.ask(2, worker="Ada"),
            lambda study: study.ask(worker="Ada"),
            lambda study: study.abandon(7, "sample lost"),
            lambda study: study.best(),
            lambda study: study.change(window=1),
            lambda study: study.change(window=0),
            lambda study: study.ask(),
            lambda study: study.pending(),
            lambda study: study.change(policy=build("gp-ts", inflation=0.5), seed=11),
            lambda study: (study.policy, study.seed, study.settings.policy, study.goal, study.space, study.context),
            lambda study: study.close("wochenende, 週末"),
            lambda study: (study.closed, study.settings.closed),
            lambda study: study.close("again"),
            lambda study: study.tell(8, 7),
            lambda study: study.reopen("monday"),
            lambda study: study.closed,
            lambda study: study.change(policy="gp-aucb", window=Window(queries=3, seconds=1e9)),
            lambda study: (study.seek, study.change(seek="total"), study.seek, study.settings.seek),
            lambda study: study.policy,
            lambda study: study.ask(3),
            lambda study: study.since(12),
            lambda study: study.since(10**9),
        ],
    ),
    "what came of it": (
        {**PLAIN, "policy": "random", "silence": -1.0},
        [
            lambda study: study.outcomes,
            lambda study: study.ask(9),
            lambda study: study.tell(1, [0.41, np.float64(0.44), 0.4]),
            lambda study: study.tell(1, np.array([0.41, 0.44, 0.4])),
            lambda study: study.tell(2, 0.42, sd=np.float32(0.0625)),
            lambda study: study.tell(3, 0.5, point=POINT),
            lambda study: study.tell(4, point={**POINT, "heat": np.float64(70.5)}),
            lambda study: study.pending(),
            lambda study: study.tell_many([Telling(4, 0.25), Telling(5, [1.0, 2.0]), Telling(6, 0.5, sd=0.1)]),
            lambda study: study.fail(7, "precipitated"),
            lambda study: study.fail([7, 8], "again"),
            lambda study: study.abandon([9], "lost"),
            lambda study: study.retract(2, "contaminated"),
            lambda study: study.retract([7, 9], "a slip"),
            lambda study: study.tell(2, 0.75),
            lambda study: study.revise(2, [0.7, 0.8]),
            lambda study: study.revise(3, 0.5, sd=0.25),
            lambda study: study.revise(3, point={**POINT, "steps": 4}),
            lambda study: study.add(POINT, [0.5, 0.25]),
            lambda study: study.best(),
            lambda study: study.delays().to_json()["queries"],
            lambda study: study.to_dataframe().drop(columns=["asked_at", "answered_at", "waited"]).to_csv(),
            lambda study: study.ask(2),
        ],
    ),
    "a sheet": (
        {**PLAIN, "policy": "random"},
        [
            lambda study: study.ask(6),
            lambda study: outlooks(study, [*SHEET, Telling(1, 7.0), Telling(99, 1.0), Ending(5, "retract")]),
            lambda study: study.take(SHEET),
            lambda study: study.standings([1, 2, 5, 99]),
            lambda study: study.take([]),
            lambda study: study.take(SHEET[:2]) if study.standings([2])[2].answers["value"].sd else None,
            lambda study: study.take([Telling(4, context=None, value=None, point=POINT), Telling(6, 1.0)]),
            lambda study: outlooks(study, SHEET),
            lambda study: study.pending(),
        ],
    ),
    "outcomes by name": (
        NAMED,
        [
            lambda study: (study.goal, study.outcomes, dict(study.outcomes)),
            lambda study: study.ask(4),
            lambda study: study.tell(1, {"colour": 0.3}),
            lambda study: study.pending(),
            lambda study: study.tell(1, {"yield": [0.8, 0.9], "impurity": 1.5}, sd={"impurity": 0.1}),
            lambda study: study.tell(2, {"yield": 2.0, "impurity": 3.0}),
            lambda study: study.tell_many({3: {"colour": 0.5, "yield": None}, 2: {"colour": 1.5}}),
            lambda study: study.best(),
            lambda study: study.delays("colour").to_json()["queries"],
            lambda study: study.revise(1, {"impurity": 2.5}),
            lambda study: study.retract(1, "smudged", outcome="colour"),
            lambda study: study.retract([2], "smudged", outcome="yield"),
            lambda study: study.take(
                [
                    Telling(4, {"colour": 0.5, "yield": [1.0, 2.0]}, sd={"colour": 0.25}),
                    Correction(4, {"colour": 0.75}),
                    Ending(4, "retract", "smudged", "yield"),
                ]
            ),
            lambda study: study.add(POINT, {"yield": 0.1, "impurity": 0.2}),
            lambda study: study.add(POINT, {"yield": Measurement(0.2, sd=0.1), "impurity": 0.2}),
            lambda study: study.tell(3, {"yield": 0.6, "impurity": Measurement(0.5, sd=0.25)}, sd={"yield": 0.125}),
            lambda study: study.revise(3, {"yield": Measurement.of_repeats([0.5, 0.75])}),
            lambda study: study.expect([POINT], outcome="impurity"),
            lambda study: study.recommend(),
            lambda study: study.record().progress(),
            lambda study: study.pending(),
            lambda study: study.notices(),
        ],
    ),
    "a silence and a signal": (
        SOLD,
        [
            lambda study: (study.goal, study.outcomes.silence),
            lambda study: study.ask(3),
            lambda study: study.tell(2, {"scent": 1.0}),
            lambda study: study.tell(2, 0.25),
            lambda study: study.tell(1, {"sold": 0.75}),
            lambda study: study.best(),
            lambda study: study.ask(),
            lambda study: study.change(policy=build("gp-bucb", window=1)),
            lambda study: study.recommend(),
            lambda study: study.change(silence="nothing"),
            lambda study: (study.settings.outcomes, study.outcomes, study.policy),
            lambda study: study.change(silence=np.float32(-0.25), seed=8),
            lambda study: (study.outcomes, study.policy, study.best()),
            lambda study: study.ask(2),
        ],
    ),
    "a context before": (
        CONTEXTUAL,
        [
            lambda study: study.ask(context=MORNING),
            lambda study: study.add(POINT, 0.5, context=EVENING),
            lambda study: study.tell(1, 0.25),
            lambda study: study.ask(2, context=EVENING),
            lambda study: study.recommend(context=EVENING),
            lambda study: study.expect([POINT, POINT], context=MORNING),
            lambda study: study.context,
            lambda study: study.best(),
        ],
    ),
    "a context after": (
        LATER,
        [
            lambda study: study.ask(3),
            lambda study: study.tell(1, 0.25, context={"demand": np.float32(0.5)}),
            lambda study: study.tell(2, context={"demand": 1}),
            lambda study: study.pending(),
            lambda study: study.tell_many([(2, 0.75), (3, 0.5, {"demand": 0.125})]),
            lambda study: study.add(POINT, 0.5, context={"demand": 0.25}),
            lambda study: study.recommend(),
            lambda study: study.expect([POINT]),
        ],
    ),
    "a table": (
        TABLE,
        [
            lambda study: study.ask(4),
            lambda study: study.pending(),
            lambda study: study.tell(2, 0.5),
            lambda study: study.ask(),
            lambda study: study.recommend(),
            lambda study: study.expect([study.best().point]),
            lambda study: study.space,
            lambda study: study.policy,
        ],
    ),
}


def without_times(found: Any) -> Any:
    """A result without what two studies never share: when, and the key that a remote ask makes up."""
    match found:
        case Query():
            answer = None if found.answer is None else replace(found.answer, at=0.0)
            answers = {name: replace(each, at=0.0) for name, each in found.answers.items()}
            own = found.key is not None and found.key.startswith("remote-")
            return replace(found, asked_at=0.0, answer=answer, answers=answers, key=None if own else found.key)
        case Event():
            key = getattr(found.body, "key", None)
            own = key is not None and key.startswith("remote-")
            return replace(found, at=0.0, body=replace(found.body, key=None) if own else found.body)  # type: ignore[arg-type]
        case list() | tuple() | Queries():
            return [without_times(part) for part in found]
        case np.ndarray():
            return found.tolist()
    return found


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one service for all studies of this file."""
    with serving(f"sqlite:///{tmp_path_factory.mktemp('laws') / 'lab.db'}") as address:
        yield address


def both(service: str, creation: Creation) -> tuple[Study, RemoteStudy]:
    """A study in memory, and one of the service with a name of its own."""
    given = dict(creation)
    space = given.pop("space")
    return Study.in_memory(space, **given), RemoteStudy.create(service, f"lab {next(NUMBERS)}", space, **given)


@pytest.mark.parametrize("life", LIVES)
def test_the_same_life_has_the_same_results_at_home_and_away(life: str, service: str) -> None:
    creation, steps = LIVES[life]
    local, remote = both(service, creation)
    for number, step in enumerate(steps):
        expected, found = step(local), step(remote)
        assert type(found) is type(expected), number
        assert repr(without_times(found)) == repr(without_times(expected)), number
    assert without_times(remote.events) == without_times(local.events)
    assert without_times(remote.queries()) == without_times(local.queries())
    again = RemoteStudy.open(service, remote.name)
    assert again.events == remote.events
    assert again.space.to_json() == local.space.to_json()


def test_a_policy_that_balks_says_why_from_afar(service: str) -> None:
    local, remote = both(service, {"space": mixed(), "seed": 3, "policy": build("hbbo-ucb", maximum=1)})
    balks = [(study.ask(), study.ask())[1] for study in (local, remote)]
    assert isinstance(balks[0], Balk)
    assert balks[0] == balks[1]


REFUSED: dict[str, tuple[Creation, Step]] = {
    "an unknown query": (PLAIN, lambda study: study.tell(9, 0.5)),
    "a query that is none": (PLAIN, lambda study: study.tell("1", 0.5)),
    "a query beyond all numbers": (PLAIN, lambda study: study.revise(2**40, 0.5)),
    "a truth for a query": (PLAIN, lambda study: study.abandon(True)),
    "another answer": (PLAIN, lambda study: (study.tell(1, 0.5), study.tell(1, 0.6))),
    "no answer": (PLAIN, lambda study: study.tell(1)),
    "an answer that is no number": (PLAIN, lambda study: study.tell(1, float("nan"))),
    "an answer in words": (PLAIN, lambda study: study.tell(1, "high")),
    "an answer too large": (PLAIN, lambda study: study.add(POINT, 1e300)),
    "two answers": (PLAIN, lambda study: study.tell_many([(1, 0.5), (1, 0.6)])),
    "answers of no form": (PLAIN, lambda study: study.tell_many(5)),
    "a revision of nothing": (PLAIN, lambda study: study.revise(1, 0.5)),
    "a reason that is no text": (PLAIN, lambda study: study.abandon(1, 5)),
    "a point outside": (PLAIN, lambda study: study.add({**POINT, "heat": 1e9}, 0.5)),
    "a point without a part": (PLAIN, lambda study: study.add({"heat": 70.0}, 0.5)),
    "a point with an object": (PLAIN, lambda study: study.add({**POINT, "heat": object}, 0.5)),
    "rows of no form": (PLAIN, lambda study: study.add_many({"heat": 5})),
    "nothing to change": (PLAIN, lambda study: study.change()),
    "an unknown policy": (PLAIN, lambda study: study.change(policy="best")),
    "a policy of another table": (PLAIN, lambda study: study.change(policy="bpe")),
    "a silence that is none": (PLAIN, lambda study: study.change(silence="silent")),
    "a seek that is none": (PLAIN, lambda study: study.change(seek="most")),
    "a seed below zero": (PLAIN, lambda study: study.change(seed=-1)),
    "a window below zero": (PLAIN, lambda study: study.change(window=-1)),
    "an ask after the end": (PLAIN, lambda study: (study.close("enough"), study.ask())),
    "an ask for nothing": (PLAIN, lambda study: study.ask(0)),
    "a key that is none": (PLAIN, lambda study: study.ask(key="")),
    "a context that is not declared": (PLAIN, lambda study: study.ask(context={"hour": 5.0})),
    "the best of none": (PLAIN, lambda study: study.best()),
    "a recommendation from nothing": (PLAIN, lambda study: study.recommend()),
    "an expectation from nothing": (PLAIN, lambda study: study.expect([POINT])),
    "an expectation of nothing": (PLAIN, lambda study: study.expect([POINT], outcome="smell")),
    "a figure of no kind": (PLAIN, lambda study: study.plot("portrait")),
    "events before the first": (PLAIN, lambda study: study.since(-1)),
    "an answer to a failure": (PLAIN, lambda study: (study.fail(1, "burnt"), study.tell(1, 0.5))),
    "a failure of an answer": (PLAIN, lambda study: (study.tell(1, 0.5), study.fail(1))),
    "a failure of what is lost": (PLAIN, lambda study: (study.abandon(1), study.fail([1]))),
    "several, of which one is unknown": (PLAIN, lambda study: study.fail([1, 9])),
    "a sheet with one answer too many": (PLAIN, lambda study: study.take([Telling(1, 0.5), Telling(1, 0.75)])),
    "a sheet with a query that is none": (PLAIN, lambda study: study.take([Telling(1, 0.5), Ending(9, "fail")])),
    "a sheet with an identifier that is none": (PLAIN, lambda study: study.take([Correction("1", 0.5)])),  # type: ignore[arg-type]
    "a sheet with a text for an answer": (PLAIN, lambda study: study.take([Telling(1, "high")])),
    "a sheet with a reason that is none": (PLAIN, lambda study: study.take([Ending(1, "abandon", 7)])),  # type: ignore[arg-type]
    "nothing to take back": (PLAIN, lambda study: study.retract(1)),
    "a measurement with a standard error of 0": (PLAIN, lambda study: study.tell(1, Measurement(0.5, sd=0.0))),
    "a standard error of 0": (PLAIN, lambda study: study.tell(1, 0.5, sd=0)),
    "a standard error alone": (PLAIN, lambda study: study.tell(1, sd=0.1)),
    "a standard error of repeats": (PLAIN, lambda study: study.tell(1, [0.5, 0.6], sd=0.1)),
    "no repeats": (PLAIN, lambda study: study.tell(1, [])),
    "repeats of which one is none": (PLAIN, lambda study: study.tell(1, [0.5, None])),
    "a point far off": (PLAIN, lambda study: study.tell(1, 0.5, point={**POINT, "heat": 1e9})),
    "half a point": (PLAIN, lambda study: study.tell(1, 0.5, point={"heat": 70.0})),
    "another point": (
        PLAIN,
        lambda study: [study.tell(1, 0.5, point={**POINT, "heat": heat}) for heat in (70.0, 71.0)],
    ),
    "an unknown outcome": (NAMED, lambda study: study.tell(1, {"yeild": 0.5})),
    "a name where there is none": (PLAIN, lambda study: study.tell(1, {"yield": 0.5})),
    "an outcome taken back that was not told": (NAMED, lambda study: study.retract(1, outcome="colour")),
    "an outcome taken back that is none": (NAMED, lambda study: study.retract(1, outcome="smell")),
    "a revision of what was not told": (NAMED, lambda study: study.revise(1, {"yield": 0.5})),
    "an error without its outcome": (NAMED, lambda study: study.tell(1, {"yield": 0.5}, sd={"colour": 0.1})),
    "one error for several outcomes": (NAMED, lambda study: study.tell(1, {"yield": 0.5, "impurity": 1}, sd=0.1)),
    "data without a constraint": (NAMED, lambda study: study.add(POINT, {"yield": 0.5})),
    "the best of what meets no limit": (
        NAMED,
        lambda study: (study.tell(1, {"yield": 0.5, "impurity": 9.0}), study.best()),
    ),
    "a policy of one objective": (NAMED, lambda study: study.change(policy="gp-bucb")),
    "delays of no outcome": (NAMED, lambda study: study.delays("smell")),
    "no context": (CONTEXTUAL, lambda study: study.ask()),
    "a context outside": (CONTEXTUAL, lambda study: study.ask(context={"hour": 25.0, "site": "a"})),
    "a context too late": (CONTEXTUAL, lambda study: study.tell(1, 0.5, context=MORNING)),
    "a recommendation without its context": (CONTEXTUAL, lambda study: study.recommend()),
    "a context too early": (LATER, lambda study: study.ask(context={"demand": 0.5})),
    "a second context": (LATER, lambda study: [study.tell(1, context={"demand": part}) for part in (0.5, 0.25)]),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_the_same_mistake_has_the_same_error_at_home_and_away(mistake: str, service: str) -> None:
    creation, step = REFUSED[mistake]
    studies = both(service, creation)
    for study in studies:
        study.ask(context=MORNING if creation is CONTEXTUAL else None)
    errors: list[BelatedError] = []
    for study in studies:
        with pytest.raises(BelatedError) as raised:
            step(study)
        errors.append(raised.value)
    assert type(errors[1]) is type(errors[0])
    assert str(errors[1]) == str(errors[0])
    assert without_times(studies[1].events) == without_times(studies[0].events)


def test_figures_are_drawn_from_afar(service: str) -> None:
    local, remote = both(service, PLAIN)
    for study in (local, remote):
        study.tell_many({query.id: value for query, value in zip(study.ask(3), (0.5, 0.25, 0.75), strict=True)})
    for options in ({}, {"kind": "belief"}):
        figures = [study.plot(**options) for study in (local, remote)]
        assert len(figures[0].data) == len(figures[1].data) > 0
        for drawn, expected in zip(figures[1].data, figures[0].data, strict=True):
            assert_array_equal(np.array(drawn.y, dtype=float), np.array(expected.y, dtype=float))


def test_a_remote_study_shows_itself(service: str) -> None:
    local, remote = both(service, PLAIN)
    for study in (local, remote):
        study.ask(2)
        study.tell(1, 0.5)
        study.add(POINT, 0.25)
    counts = "maximize, policy='auto', asked=2, answered=1, pending=1, added=1)"
    assert repr(local) == f"Study({counts}"
    assert repr(remote) == f"RemoteStudy({remote.name!r} at {service}, {counts}"
    assert remote._repr_html_() == local._repr_html_().replace("Study", f"Study {remote.name}", 1)
