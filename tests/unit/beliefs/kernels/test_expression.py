"""Kernels as policies write them: sums, products, and the parameters that a form is of."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.beliefs import GP, Features, Kernel, SimpleKernel
from belated.beliefs.kernels.composed import ColumnsKernel, ProductKernel, SumKernel
from belated.beliefs.kernels.expression import expression
from belated.beliefs.kernels.form import Form
from belated.beliefs.kernels.forms import FORMS
from belated.errors import ParameterError, UnknownNameError, UnsupportedError

NAMES, CATEGORICAL = ("x", "solvent", "y + z"), (False, True, False)


def make(form: Form, categorical: tuple[bool, ...]) -> SimpleKernel:
    return SimpleKernel(form, 1.0, (1.0,), (1.0,) * sum(categorical), categorical if any(categorical) else None)


def simple(form: str, *categorical: bool) -> SimpleKernel:
    return make(FORMS[form], categorical)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("se", simple("se", *CATEGORICAL)),
        ("se + linear", SumKernel((simple("se", *CATEGORICAL), simple("linear", *CATEGORICAL)))),
        # Levels are compared once in a product.
        ("se*rq", ProductKernel((simple("se", *CATEGORICAL), ColumnsKernel((0, 2), simple("rq", False, False))))),
        ("se[x]", ColumnsKernel((0,), simple("se", False))),
        ("se[solvent, x]", ColumnsKernel((0, 1), simple("se", False, True))),
        (
            "se[x] * matern12[y + z] + linear",
            SumKernel(
                (
                    ProductKernel(
                        (ColumnsKernel((0,), simple("se", False)), ColumnsKernel((2,), simple("matern12", False)))
                    ),
                    simple("linear", *CATEGORICAL),
                )
            ),
        ),
    ],
)
def test_a_text_is_a_sum_of_products(text: str, expected: Kernel) -> None:
    assert expression(text, "GP()").kernel(NAMES, CATEGORICAL, make) == expected


@pytest.mark.parametrize("text", ["se +", "* se", "se[x", "se]x[", "se[x] y", "se[]", "se[x,,y]", "se++rq", ""])
def test_what_is_no_kernel_is_refused(text: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match=r"^GP\("):
        GP(kernel=text)


def test_a_parameter_that_the_space_lacks_is_named() -> None:
    space, policy = bl.Space(x=bl.Float(0, 1)), bl.policies.gp_bucb(belief=GP(kernel="se[xx]"))
    with pytest.raises(
        UnknownNameError, match=r"^GP\(kernel='se\[xx\]'\): no parameter is named 'xx'; did you mean 'x'"
    ):
        bl.Study.in_memory(space, policy=policy, seed=1)


@pytest.mark.parametrize("given", [{"lengthscale": (0.3, 0.2)}, {"lengthscale": 0.3, "variance": 1.0, "noise": 0.1}])
def test_a_composed_kernel_refuses_to_be_known_in_part(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"^GP\(kernel='se \+ linear'"):
        GP(kernel="se + linear", **given)


def test_a_form_with_a_number_of_its_own_is_never_known_whole() -> None:
    with pytest.raises(ParameterError, match="leave the variance out"):
        GP(kernel="rq", lengthscale=0.3, variance=1.0, noise=0.1)


@pytest.mark.parametrize("kernel", ["rq", "se + rq[x]", "se * rq"])
def test_features_say_what_they_need(kernel: str) -> None:
    with pytest.raises(UnsupportedError, match="one without hyperparameters of its own"):
        Features(GP(kernel=kernel))


def test_a_known_lengthscale_is_that_of_every_part() -> None:
    space = bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1))
    study = bl.Study.in_memory(space, policy="random", seed=1)
    for place in range(8):
        study.add({"x": place / 8, "y": (5 * place % 8) / 8}, float(place % 3))
    prior = GP(kernel="se[x] + rq[y]", lengthscale=0.25).prior(study.evidence(), bl.beliefs.Memory())
    found = {each.name: each.value for each in prior.kernel.hyperparameters(2)}
    assert found["1.lengthscale"] == pytest.approx(0.25)
    assert found["2.lengthscale"] == pytest.approx(0.25)


@pytest.mark.parametrize("policy", ["gp-bucb", "gp-ts", "gp-ei"])
@pytest.mark.parametrize("kernel", ["rq", "se[x] * rq[y] + linear", "matern52[x, solvent] + se[y]"])
def test_a_policy_with_a_composed_kernel_survives_json_and_asks_the_same_again(policy: str, kernel: str) -> None:
    recipe = bl.policies.build(policy, belief=GP(kernel=kernel))
    assert json.loads(json.dumps(recipe.to_json()))["parameters"]["belief"]["kernel"] == kernel
    again = bl.policies.from_json(json.loads(json.dumps(recipe.to_json())))
    assert again == recipe
    asked = []
    for each in (recipe, again):
        space = bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1), solvent=bl.Choice("DMF", "water"))
        study = bl.Study.in_memory(space, policy=each, seed=5)
        rng = np.random.default_rng(6)
        for point in space.sample(12, rng):
            study.add(space.decode(point), float(np.sin(5.0 * point[0]) + point[1]))
        queries = [study.ask() for _ in range(2)]
        asked.append([query.point for query in queries if isinstance(query, bl.Query)])
    assert asked[0] == asked[1]
    assert len(asked[0]) == 2
