"""Search spaces of Ray Tune as spaces of Belated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.errors import PointError, SpaceError

tune = pytest.importorskip("ray.tune")
from belated.integrations.ray.spaces import ray_space  # noqa: E402


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (tune.uniform(-1, 2), bl.Float(-1, 2)),
        (tune.loguniform(1e-4, 1e-1), bl.Float(1e-4, 1e-1, log=True)),
        (tune.randint(1, 9), bl.Int(1, 8)),
        (tune.lograndint(1, 1000), bl.Int(1, 999, log=True)),
        (tune.qrandint(1, 9, 1), bl.Int(1, 9)),
        (tune.choice(["a", "b"]), bl.Choice("a", "b")),
        (tune.choice([1, 2.5, False]), bl.Choice(1, 2.5, False)),
    ],
)
def test_a_range_becomes_the_parameter_with_the_same_values(given: Any, expected: Any) -> None:
    found = ray_space({"x": given})
    assert found is not None
    assert found.space == bl.Space(x=expected)
    value = found.space.decode(found.space.sample(1, np.random.default_rng(0))[0])
    assert found.configuration(value) == value


@pytest.mark.parametrize(
    ("given", "expected", "ends"),
    [
        (tune.quniform(0, 1, 0.25), bl.Int(0, 4), (0.0, 1.0)),
        (tune.quniform(2, 5, 1), bl.Int(2, 5), (2.0, 5.0)),
        (tune.quniform(0.1, 0.7, 0.1), bl.Int(1, 7), (0.1, 0.7)),
        (tune.qrandint(20, 60, 20), bl.Int(1, 3), (20, 60)),
        (tune.qloguniform(0.5, 8, 0.5), bl.Int(1, 16, log=True), (0.5, 8.0)),
        (tune.qlograndint(2, 64, 2), bl.Int(1, 32, log=True), (2, 64)),
    ],
)
def test_a_range_in_steps_counts_its_steps(given: Any, expected: Any, ends: tuple[Any, Any]) -> None:
    found = ray_space({"x": given})
    assert found is not None
    assert found.space == bl.Space(x=expected)
    for count, value in zip((expected.low, expected.high), ends, strict=True):
        (meant,) = found.configuration({"x": count}).values()
        assert meant == pytest.approx(value, rel=1e-12)
        assert type(meant) is type(value)
        assert found.point({"x": meant}) == {"x": count}


def test_nested_names_are_joined_and_constants_left_to_tune() -> None:
    config = {"model": {"depth": tune.randint(1, 4), "kind": tune.choice([None, (1, 2)])}, "epochs": 3}
    found = ray_space(config)
    assert found is not None
    parameters: Any = [("model/depth", bl.Int(1, 3)), ("model/kind", bl.Choice("None", "(1, 2)"))]
    assert found.space == bl.Space.from_parameters(parameters)
    point = {"model/depth": 2, "model/kind": "(1, 2)"}
    trial = {"model": {"depth": 2, "kind": (1, 2)}}
    assert found.configuration(point) == trial
    assert found.point({**trial, "epochs": 3}) == point
    assert found.point({"model": {"kind": None}}) == {"model/kind": "None"}
    assert found.point({"model": 3}) == {}


def test_an_option_may_be_a_dictionary_itself() -> None:
    wide, deep = {"width": 64}, {"depth": 8}
    found = ray_space({"model": tune.choice([wide, deep])})
    assert found is not None
    assert found.configuration({"model": repr(deep)}) == {"model": deep}
    assert found.point({"model": {"width": 64}}) == {"model": repr(wide)}


def test_a_configuration_with_an_unknown_option_is_no_point() -> None:
    found = ray_space({"x": tune.choice([None, (1, 2)])})
    assert found is not None
    with pytest.raises(PointError) as caught:
        found.point({"x": (3, 4)})
    assert str(caught.value) == "BelatedSearch: x=(3, 4) is not an option; choose one of ['None', '(1, 2)']."


def test_a_configuration_without_ranges_is_no_space() -> None:
    assert ray_space({"epochs": 3}) is None


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (tune.randn(0, 1), "(-inf, inf)"),
        (tune.sample_from(lambda spec: 1), "Function"),
        (tune.choice([tune.uniform(0, 1), 3]), "a choice between ranges"),
    ],
)
def test_what_has_no_bounds_or_no_scale_is_refused(given: Any, shown: str) -> None:
    with pytest.raises(SpaceError) as caught:
        ray_space({"model": {"x": given}})
    assert str(caught.value) == (
        f"BelatedSearch: model/x: got {shown}; a space has bounds and a scale, linear or logarithmic; give "
        f"tune.uniform, loguniform, randint, lograndint, one of these in steps, or choice."
    )


def test_a_grid_is_refused() -> None:
    with pytest.raises(SpaceError) as caught:
        ray_space({"x": tune.grid_search([1, 2])})
    assert str(caught.value) == (
        "BelatedSearch: x: got a grid, which is gone through and not searched; give tune.choice([…])."
    )


def test_names_from_which_a_place_cannot_be_found_are_refused() -> None:
    with pytest.raises(SpaceError) as caught:
        ray_space({"a/b": tune.uniform(0, 1)})
    assert str(caught.value) == ("BelatedSearch: a/b: got a slash in a name, and slashes join nested names; rename it.")
    with pytest.raises(SpaceError) as caught:
        ray_space({"layers": [tune.randint(1, 3), 4]})
    assert str(caught.value) == (
        "BelatedSearch: layers/0: got a range in a list, and parameters have names; use a dict in its place."
    )


def test_what_a_parameter_refuses_is_said_of_its_name() -> None:
    with pytest.raises(SpaceError, match=r"^BelatedSearch: x: Choice\('a', 'a'\): 'a' and 'a' are equal"):
        ray_space({"x": tune.choice(["a", "a"])})
