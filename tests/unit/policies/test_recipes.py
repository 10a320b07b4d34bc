"""Policies as data: through JSON and back to an equal policy, and what cannot be written is refused."""

from __future__ import annotations

import importlib.metadata
import json
import math
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.beliefs import GP, AfterQueries, FullyBayesian, Intervals
from belated.contexts import Known, KullbackLeibler, Observed
from belated.errors import ParameterError, UnknownNameError
from belated.log import FOREVER, GivenWindow, Window, as_window
from belated.pacing import Batches, Bounded, InformationLimited, Predictable
from belated.pending import Censor, Hallucinate, Ignore, Nearest
from belated.policies import Policy, Recipe, build, describe, from_json, names, part, parts, registry, signature
from belated.policies.parameters import FITTED, as_width, begin
from belated.rules import (
    BoundedNorm,
    Constant,
    Delayed,
    Explore,
    Finite,
    Initially,
    Lipschitz,
    Martingale,
    Simultaneous,
    Situation,
    Thompson,
    UpperBound,
    Width,
)
from belated.study import Study
from tests.builders import Clock, table

KNOWN = GP(kernel="se", lengthscale=(0.1, 0.2), variance=2.0, noise=0.0, mean=-1.5)
FITTING = GP(kernel="matern12", ard=False, noise=0.25, mean="smallest", fit="ml", refit=7)
BOTH = Window(queries=4, seconds=0.5)
NESTED = Delayed(Window(seconds=1e-3), 2.5, Martingale(1.0, 2.0, 3.0, 0.25))

# Every parameter of every policy away from its default, parts within parts included.
MADE: dict[str, dict[str, Any]] = {
    "random": {},
    "uncertainty": {"belief": KNOWN, "window": 3, "initial": 5},
    "gp-ucb": {"width": NESTED, "belief": FITTING, "initial": 0},
    "gp-ei": {"belief": KNOWN, "initial": 2},
    "gp-ts": {"inflation": Delayed(BOTH, None, Finite(0.5, 0.25)), "belief": FITTING, "initial": 1},
    "asy-ts": {"belief": GP(refit=AfterQueries(3)), "initial": 3},
    "gp-bucb": {
        "width": Lipschitz(2.0, 3.0, 0.25, 0.5),
        "belief": FITTING,
        "window": BOTH,
        "initial": 4,
        "maximum": 6,
        "rehallucinate": True,
    },
    "gp-bucb-init": {"batch": 3, "threshold": 0.5, "width": BoundedNorm(2.0, 0.2, 0.3), "belief": KNOWN, "window": 0},
    "gp-bts": {"belief": FITTING, "window": Window(0, 0), "initial": 9, "rehallucinate": True},
    "gp-aucb": {"limit": 1.5, "minimum": 4, "width": 0, "belief": KNOWN, "window": 9, "initial": 1},
    "gp-aucb-local": {
        "minimum": 1,
        "maximum": 3,
        "width": 1e-300,
        "belief": FITTING,
        "window": 2,
        "initial": 0,
        "limit": 2.0,
    },
    "gp-aucb-init": {"minimum": 3, "limit": 0.5, "width": 1.0, "belief": KNOWN, "window": 4},
    "gp-ucb-ranked": {"width": 1.5, "belief": KNOWN, "initial": 2},
    "gp-lognei": {"draws": 16, "belief": KNOWN, "window": BOTH, "initial": 3},
    "gp-ucb-pe": {
        "width": 2.5,
        "region": 0.25,
        "explore": 0.0,
        "bound": 1.0,
        "belief": FITTING,
        "window": 5,
        "initial": 2,
    },
    "sm-ucb": {"batch": 2, "paths": 4, "width": Constant(3.0), "belief": KNOWN, "window": BOTH},
    "sm-mei": {"batch": 3, "paths": 1, "belief": FITTING, "window": 8},
    "auto": {"floor": -1.0, "silence": 0.5, "window": BOTH, "belief": FITTING, "initial": 3},
    "hbbo-ucb": {"tolerance": 0.5, "maximum": 2, "width": 0.1 + 0.2, "belief": KNOWN, "window": 1, "initial": 2},
    "hbbo-mei": {"tolerance": 1e-9, "maximum": 4, "belief": FITTING, "window": BOTH, "initial": 2},
    "gp-ucb-sdf": {
        "window": BOTH,
        "floor": -2.0,
        "late": "accept",
        "bound": 0.5,
        "base": NESTED,
        "belief": KNOWN,
        "initial": 2,
    },
    "gp-ts-sdf": {"window": 2, "floor": 0, "late": "accept", "bound": 0, "base": 2, "belief": FITTING, "initial": 6},
    "bpe": {"horizon": 17, "width": Simultaneous(3, 2.0, 0.5, 0.1), "belief": KNOWN, "discretise": 50},
    "egp-ts": {"dictionary": "b", "features": 7, "floor": 0.05, "refit": 3, "initial": 1},
    "egp-ucb": {"dictionary": "b", "width": 0.5, "floor": 0.01, "refit": 2, "initial": 0},
    "egp-ei": {"dictionary": (KNOWN, FITTING), "floor": 0.01, "initial": 0},
    "fb-gp-ts": {"belief": FullyBayesian(FITTING, Intervals(noise=(0.5, 0.5)), 3), "initial": 2},
    "banditbo": {"dictionary": "b", "features": 3, "refit": 4, "initial": None},
    "exp3bo": {"dictionary": "b", "features": 5, "exploration": 0.75, "refit": 2, "initial": 6},
    "bpe-delay": {"horizon": 17, "mean_delay": 2, "xi": 1.0, "b": 0.5, "delta": 0.5, "width": 2.0, "belief": FITTING},
    "sbo-kde": {
        "width": 2.5,
        "law": Known([{"hour": 8, "site": "a"}, {"site": "b", "hour": 9.5}], [1, 3]),
        "samples": 64,
        "treatment": Nearest(3, BOTH),
        "pacing": Bounded(7),
        "belief": KNOWN,
        "initial": 2,
    },
    "drbo-kde": {
        "width": NESTED,
        "radius": 0.5,
        "law": Observed(),
        "samples": 12,
        "infimum": 5,
        "divergence": KullbackLeibler(),
        "treatment": Censor(BOTH, -1.0, "discard"),
        "pacing": InformationLimited(0.5, 3),
        "belief": FITTING,
        "initial": 0,
    },
    "drbo-mmd": {
        "width": 0,
        "grid": 16,
        "radius": 0.0,
        "treatment": Ignore(BOTH),
        "pacing": Predictable(0.5, 4),
        "belief": KNOWN,
        "initial": 1,
    },
    "drbo-mmd-minimax": {
        "width": 3.0,
        "grid": 30,
        "radius": 1e-3,
        "treatment": Ignore(),
        "pacing": Batches(3),
        "belief": KNOWN,
        "initial": 3,
    },
    "stableopt": {
        "width": 1.0,
        "samples": 9,
        "treatment": Hallucinate(Window(queries=2)),
        "pacing": Bounded(1),
        "belief": FITTING,
        "initial": 4,
    },
    "gp-ucb-blind": {"width": 0.5, "belief": KNOWN, "initial": 3},
}
NEEDED: dict[str, dict[str, Any]] = {"bpe": {"horizon": 5}, "bpe-delay": {"horizon": 5, "mean_delay": 1.0}}


def through_json(recipe: Recipe) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(json.dumps(recipe.to_json(), allow_nan=False))
    return written


def whole(recipe: Recipe) -> tuple[Any, ...]:
    """All that is in a recipe: two are equal by their names and parameters alone, whatever they compose."""
    return tuple(getattr(recipe, field.name) for field in fields(recipe))


def composed(recipe: Recipe) -> tuple[Any, ...]:
    """What a recipe is beside its name and parameters."""
    return whole(recipe)[2:]


# Equal after JSON.


def test_every_policy_is_among_those_made_here() -> None:
    assert names() == tuple(sorted(MADE))


@pytest.mark.parametrize("name", MADE)
def test_a_policy_comes_back_from_json_as_an_equal_one(name: str) -> None:
    made = build(name, **MADE[name])
    written = through_json(made)
    assert written["name"] == name
    assert list(written["parameters"]) == list(MADE[name])
    again = build(name, **written["parameters"])
    assert again == made
    assert composed(again) == composed(made)
    assert whole(from_json(written)) == whole(made)
    assert repr(whole(from_json(written))) == repr(whole(made))
    assert through_json(again) == written


@pytest.mark.parametrize("window", [None, "auto"])
@pytest.mark.parametrize("name", MADE)
def test_a_recipe_goes_to_another_process_as_it_is(name: str, window: GivenWindow) -> None:
    learning = {"window": window} if window and "window" in signature(name).parameters else {}
    made = build(name, **{**MADE[name], **learning})
    assert whole(pickle.loads(pickle.dumps(made))) == whole(made)


@pytest.mark.parametrize("name", MADE)
def test_every_parameter_makes_a_difference(name: str) -> None:
    made = build(name, **MADE[name])
    for parameter in MADE[name].keys() - NEEDED.get(name, {}).keys():
        others = {key: value for key, value in MADE[name].items() if key != parameter}
        # Of ξ and b only the one that gives the smaller bound counts.
        assert composed(build(name, **others)) != composed(made) or (name, parameter) == ("bpe-delay", "b")


def test_a_draw_that_is_not_inflated_forgets_its_width() -> None:
    made = bl.policies.gp_ts_sdf(inflate=False, bound=3.0)
    assert composed(made) == composed(bl.policies.gp_ts_sdf(inflate=False))
    assert whole(from_json(through_json(made))) == whole(made)


@pytest.mark.parametrize("name", MADE)
def test_a_policy_with_nothing_given_keeps_nothing(name: str) -> None:
    made = build(name, **NEEDED.get(name, {}))
    assert made.to_json() == {"name": name, "parameters": NEEDED.get(name, {})}
    assert whole(from_json(through_json(made))) == whole(made)


@pytest.mark.parametrize("name", MADE)
def test_the_function_and_the_name_build_the_same(name: str) -> None:
    function: Callable[..., Recipe] = getattr(bl.policies, name.replace("-", "_"))
    assert whole(function(**MADE[name])) == whole(build(name, **MADE[name]))
    assert function.__doc__
    assert describe(name) == function.__doc__.splitlines()[0]


def test_parts_are_written_with_their_names_and_all_their_fields() -> None:
    assert bl.policies.gp_ucb(width=NESTED).to_json() == {
        "name": "gp-ucb",
        "parameters": {
            "width": {
                "part": "Delayed",
                "window": {"part": "Window", "queries": None, "seconds": 1e-3},
                "bound": 2.5,
                "base": {"part": "Martingale", "norm": 1.0, "noise": 2.0, "bound": 3.0, "delta": 0.25},
            }
        },
    }


def test_a_list_of_lengthscales_is_one_per_column_whoever_wrote_it() -> None:
    listed = GP(lengthscale=[0.1, 0.2], variance=1.0, noise=0.1)  # type: ignore[arg-type]
    made = bl.policies.gp_ei(belief=listed)
    assert whole(made) == whole(bl.policies.gp_ei(belief=GP(lengthscale=(0.1, 0.2), variance=1.0, noise=0.1)))
    assert whole(from_json(through_json(made))) == whole(made)


def test_scalars_of_numpy_are_written_as_pythons() -> None:
    made = bl.policies.gp_aucb(minimum=np.int64(3), width=np.float32(0.5), initial=np.int8(2))  # type: ignore[arg-type]
    assert through_json(made)["parameters"] == {"minimum": 3, "width": 0.5, "initial": 2}
    assert whole(from_json(through_json(made))) == whole(made)


def test_a_policy_that_came_from_a_log_begins_a_study_like_the_original() -> None:
    made = build("gp-bucb", **MADE["gp-bucb"])
    studies = [Study.in_memory(table(), policy=p, seed=1, clock=Clock()) for p in (made, from_json(through_json(made)))]
    assert studies[0].events == studies[1].events


# How numbers become parts.


def test_a_number_is_a_constant_width_and_a_width_stays() -> None:
    assert as_width(1.5) == Constant(1.5)
    assert as_width(0) == Constant(0)
    width: Width = Finite()
    assert as_width(width) is width


def test_a_number_is_a_window_of_queries_and_none_waits_for_ever() -> None:
    assert as_window(None) is FOREVER
    assert as_window(0) == Window(queries=0)
    assert as_window(BOTH) is BOTH


def test_a_design_comes_first_unless_everything_is_known() -> None:
    rule = Explore()
    assert begin(rule, FITTED, None) == Initially(None, rule)
    assert begin(rule, FITTED, 0) is rule
    assert begin(rule, KNOWN, None) is rule
    assert begin(rule, KNOWN, 3) == Initially(3, rule)


@pytest.mark.parametrize("width", [None, True, "2", -0.5, float("nan"), float("inf"), [], (1.0,)], ids=repr)
def test_a_width_is_a_number_of_at_least_zero(width: Any) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"(width={width!r}): width must be a finite number of at")):
        as_width(width)


@pytest.mark.parametrize("window", [-1, 2.5, True, float("nan"), [], {}], ids=repr)
def test_a_window_is_a_number_of_queries_or_a_window(window: Any) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"(window={window!r}): window must be a whole number")):
        as_window(window)


# Refusals.


@pytest.mark.parametrize(
    "name, parameters, said",
    [
        (
            "bpe",
            {},
            "bpe(): missing a required argument: 'horizon'; its parameters are horizon, width, belief, discretise.",
        ),
        ("bpe-delay", {}, "bpe_delay(): missing a required argument: 'horizon'; its parameters are horizon, "),
        ("random", {"width": 2.0}, "random(): got an unexpected keyword argument 'width'; its parameters are none."),
        (
            "gp-ei",
            {"widht": 2.0},
            "gp_ei(): got an unexpected keyword argument 'widht'; its parameters are belief, initial.",
        ),
        ("gp-ucb", {"belief": None}, "gp_ucb(belief=None): a belief is described by bl.GP(…), "),
        ("gp-ucb", {"belief": Window(2)}, "gp_ucb(belief=Window("),
        ("gp-ucb", {"width": {"part": "Finite", "detla": 0.1}}, "build(): "),
        ("gp-ucb", {"width": {"part": "Constant", "value": "2"}}, "Constant(value='2'): value must be "),
    ],
    ids=str,
)
def test_parameters_must_fit_the_policy(name: str, parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match="^" + re.escape(said)):
        build(name, **parameters)


@pytest.mark.parametrize(
    "value",
    [lambda situation: 2.0, object(), {1, 2}, 1j, b"2", np.zeros(2), Thompson(), UpperBound(Constant(1.0)), int],
    ids=lambda value: type(value).__name__,
)
def test_a_parameter_that_is_no_json_is_refused(value: Any) -> None:
    start = f"gp-ucb(width={value!r}): a parameter is a number, a text or a part, as GP, AfterQueries, Features, "
    with pytest.raises(ParameterError, match="^" + re.escape(start)):
        bl.policies.gp_ucb(width=value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_parameter_that_json_cannot_write_is_refused(value: float) -> None:
    with pytest.raises(ParameterError, match=r"^(gp-ts-sdf|policy|gp_ts_sdf)\("):
        bl.policies.gp_ts_sdf(inflate=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name, said",
    [
        ("gp-bucbs", "no policy is named 'gp-bucbs'; did you mean 'gp-bucb' or "),
        ("GP-BUCB", "no policy is named 'GP-BUCB'; did you mean 'gp-bucb' or "),
        ("gp_ucb", "no policy is named 'gp_ucb'; did you mean 'gp-ucb' or "),
        ("zzz", "no policy is named 'zzz'; choose one of asy-ts, auto, banditbo, bpe, bpe-delay, "),
        ("", "no policy is named ''; choose one of "),
        (7, "no policy is named 7; choose one of "),
        (None, "no policy is named None; "),
        ([], "no policy is named []; "),
    ],
    ids=repr,
)
def test_an_unknown_name_comes_with_the_nearest_ones(name: Any, said: str) -> None:
    with pytest.raises(UnknownNameError, match="^" + re.escape(f"build(): {said}")):
        build(name)
    with pytest.raises(UnknownNameError, match="^" + re.escape(f"describe(): {said}")):
        describe(name)


@pytest.mark.parametrize(
    "part, hint",
    [("Finit", "did you mean 'Finite'?"), (5, "choose one of AfterQueries, Alternating, "), ([], "choose")],
)
def test_an_unknown_part_comes_with_the_nearest_ones(part: Any, hint: str) -> None:
    with pytest.raises(UnknownNameError, match="^" + re.escape(f"build(): no part is named {part!r}; {hint}")):
        build("gp-ucb", width={"part": part})


@pytest.mark.parametrize(
    "data", [None, 5, "gp-ucb", [], {}, {"name": "gp-ucb"}, {"name": 5, "parameters": {}}], ids=repr
)
def test_what_is_no_recipe_is_refused(data: Any) -> None:
    with pytest.raises(
        ParameterError, match="^" + re.escape(f"from_json(): got {data!r}; a policy in a log has a name")
    ):
        from_json(data)


def test_a_name_can_be_registered_once() -> None:
    with pytest.raises(ParameterError, match=r"^policy\('gp-ucb'\): that name is taken, and logs rely on it"):
        bl.policies.policy("gp-ucb")(lambda: bl.policies.random())
    assert whole(build("gp-ucb")) == whole(bl.policies.gp_ucb())


# Policies of other packages.


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A package installed beside ours that registers a policy when its entry point is loaded."""
    loaded: list[str] = []

    class Entry:
        name = "elsewhere"

        def load(self) -> object:
            loaded.append(self.name)

            @bl.policies.policy("elsewhere")
            def elsewhere(width: float = 1.0, belief: GP = FITTED) -> Recipe:
                """A policy from another package."""
                return bl.policies.gp_bucb(width=width, belief=belief, initial=2)

            return elsewhere

    def entry_points(*, group: str) -> list[Entry]:
        return [Entry()] if group == "belated.policies" else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    parts.load.cache_clear()
    yield loaded
    registry.POLICIES.entries.pop("elsewhere", None)
    parts.load.cache_clear()


def test_policies_of_other_packages_are_found_by_their_entry_point(plugin: list[str]) -> None:
    assert "elsewhere" in names()
    assert len(names()) == len(MADE) + 1
    assert plugin == ["elsewhere"]
    assert describe("elsewhere") == "A policy from another package."
    assert composed(build("elsewhere", width=3.0)) == composed(bl.policies.gp_bucb(width=3.0, initial=2))


@dataclass(frozen=True)
class Fading:
    """A width from another package: start/√t."""

    start: float = 4.0

    def __call__(self, situation: Situation) -> float:
        return self.start / math.sqrt(situation.number)

    def describe(self) -> str:
        return f"{self.start:g}/√t deviations"


@pytest.fixture
def fading(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package installed beside ours that registers a part when its entry point is loaded."""

    class Entry:
        def load(self) -> object:
            return part(Fading)

    def entry_points(*, group: str) -> list[Entry]:
        return [Entry()] if group == "belated.parts" else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    parts.load.cache_clear()
    yield
    parts.PARTS.entries.pop("Fading", None)
    parts.load.cache_clear()


def test_a_part_of_another_package_is_read_from_a_log_decides_and_speaks_for_itself(fading: None) -> None:
    kept = {"name": "gp-bucb", "parameters": {"width": {"part": "Fading", "start": 2.5}, "initial": 0}}
    recipe = from_json(json.loads(json.dumps(kept)))
    assert recipe.to_json() == kept
    study = Study.in_memory(table(), policy=recipe, seed=1, clock=Clock())
    assert study.policy.rule == UpperBound(Fading(2.5))
    assert study.ask()
    assert study.explain().chose["rule"] == "the highest upper bound, 2.5/√t deviations above the mean"
    assert build("gp-bucb", width=Fading(2.5), initial=0) == recipe


def test_a_part_is_frozen_and_has_a_name_of_its_own() -> None:
    @dataclass
    class Changing:
        """A part that could change under a policy."""

    @dataclass(frozen=True)
    class Constant:
        """A part with the name of another."""

    with pytest.raises(ParameterError, match=r"^part\(.*Changing'>\): a part is a frozen dataclass"):
        part(Changing)
    with pytest.raises(ParameterError, match=r"^part\(Constant\): that name is taken"):
        part(Constant)
    with pytest.raises(ParameterError, match=r"^gp-bucb\(width=.*: a parameter is a number, a text or a part, as GP"):
        build("gp-bucb", width=Fading())


def test_other_packages_are_asked_only_when_a_name_is_not_ours(plugin: list[str]) -> None:
    build("gp-ucb")
    assert plugin == []
    build("elsewhere")
    assert plugin == ["elsewhere"]


def test_a_study_can_run_on_a_policy_of_another_package(plugin: list[str]) -> None:
    study = Study.in_memory(table(), policy="elsewhere", seed=1, clock=Clock())
    study.change(policy=build("elsewhere", width=2.0, belief=KNOWN))
    assert study.recipe.name == "elsewhere"
    assert Study(study.events, clock=Clock()).ask() == study.ask()
    with pytest.raises(UnknownNameError, match="did you mean 'elsewhere'"):
        build("elsewere")


def test_what_is_no_treatment_and_no_pacing_is_refused_before_a_log_names_it() -> None:
    with pytest.raises(ParameterError, match=r"^sbo_kde\(\): policy\(treatment='Censor'\): a treatment is one of"):
        bl.policies.sbo_kde(treatment="Censor")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^sbo_kde\(\): policy\(pacing='Always'\): a pacing is one of"):
        bl.policies.sbo_kde(pacing="Always")  # type: ignore[arg-type]


def test_a_treatment_takes_a_number_of_queries_for_its_window() -> None:
    assert Hallucinate(3).window == Window(queries=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Censor\(window=-1\)"):
        Censor(-1)  # type: ignore[arg-type]


def test_a_part_without_its_name_is_refused_with_all_names() -> None:
    with pytest.raises(ParameterError, match=r"^build\(\): got \{'values': \[1\]\} as a part; name it"):
        build("sbo-kde", law={"values": [1]})


def test_the_window_of_a_policy_with_a_treatment_is_that_of_the_treatment() -> None:
    changed = registry.with_window(bl.policies.sbo_kde(treatment=Censor(floor=0.5)), 4)
    for recipe in (changed, from_json(changed.to_json())):
        assert isinstance(recipe.composition, Policy)
        assert recipe.composition.treatment == Censor(Window(queries=4), 0.5)
