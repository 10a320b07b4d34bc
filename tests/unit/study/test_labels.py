"""Members of an ensemble are named by what tells them apart, and by no more."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import belated as bl
from belated.beliefs import FORMS
from belated.policies.lu2022 import kernels
from belated.study.insight.labels import ASPECTS, Member, labels

SE = bl.GP(kernel="se", ard=False)


@pytest.mark.parametrize("count", [None, 50])
@pytest.mark.parametrize(
    "dictionary, expected",
    [
        ("a", ("SE", "SE, a lengthscale per parameter", "Matérn 3/2", "Matérn 5/2")),
        (
            "b",
            tuple(
                f"SE, ℓ = {scale}"
                for scale in ("0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000", "1e6")
            ),
        ),
    ],
)
def test_the_dictionaries_of_the_paper_are_named_by_form_and_by_lengthscale(
    dictionary: str, expected: tuple[str, ...], count: int | None
) -> None:
    members = [bl.Features(kernel, count) if count else kernel for kernel in kernels(dictionary)]
    assert labels(members) == expected


def test_what_all_members_share_is_left_unsaid() -> None:
    known = [bl.GP(kernel=form, lengthscale=0.2, variance=2.0, noise=0.1, mean="zero") for form in ("se", "matern12")]
    assert labels(known) == ("SE", "Matérn 1/2")
    assert labels([bl.Features(bl.GP(ard=True), 30)]) == ("Matérn 5/2",)


@pytest.mark.parametrize(
    "other, text",
    [
        (bl.GP(kernel="se", ard=True), "a lengthscale per parameter"),
        (bl.GP(kernel="se", ard=False, lengthscale=(0.5, 2.0)), "ℓ = (0.5, 2)"),
        (bl.GP(kernel="se", ard=False, noise=1e-7), "noise 1e-7"),
        (bl.GP(kernel="se", ard=False, mean="smallest"), "mean the smallest answer"),
        (bl.GP(kernel="se", ard=False, mean="zero"), "mean zero"),
        (bl.GP(kernel="se", ard=False, mean=-3), "mean -3"),
        (bl.GP(kernel="se", ard=False, fit="ml"), "maximum likelihood"),
        (bl.GP(kernel="se", ard=False, refit=1000), "fitted every 1,000 answers"),
        (bl.Features(SE, 50), "features (D = 50)"),
    ],
)
def test_one_difference_is_the_one_that_is_said(other: Member, text: str) -> None:
    assert labels([SE, other, bl.GP(kernel="matern32")]) == ("SE", f"SE, {text}", "Matérn 3/2")


def test_numbers_have_the_digits_that_tell_them_apart() -> None:
    near = np.nextafter(0.1, 1.0)
    assert labels([bl.GP(lengthscale=0.1), bl.GP(lengthscale=float(near))]) == (
        "Matérn 5/2, ℓ = 0.1",
        f"Matérn 5/2, ℓ = {float(near)!r}",
    )


def test_only_members_that_are_still_alike_are_said_more_of() -> None:
    members = [
        bl.GP(kernel="se", ard=False, lengthscale=0.1),
        bl.GP(kernel="se", ard=False, lengthscale=0.1, noise=0.01),
        bl.GP(kernel="se", ard=False, lengthscale=1.0),
        bl.GP(kernel="se", ard=False, lengthscale=10.0),
    ]
    assert labels(members) == ("SE, ℓ = 0.1", "SE, ℓ = 0.1, noise 0.01", "SE, ℓ = 1", "SE, ℓ = 10")


@pytest.mark.parametrize("seed", range(20))
def test_no_two_members_have_the_same_label(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labelled = labels(list(dict.fromkeys(random_member(rng) for _ in range(40))))
    assert len(set(labelled)) == len(labelled)


def random_member(rng: np.random.Generator) -> Member:
    """A member with few values in every field, so that many members are alike in most."""
    known = bool(rng.integers(2))
    process = bl.GP(
        kernel=str(rng.choice(["se", "matern32"])),
        ard=bool(rng.integers(2)),
        lengthscale=float(rng.choice([0.1, 1.0])) if known else None,
        variance=float(rng.choice([0.1, 1.0])) if known else None,
        noise=float(rng.choice([0.1, 1.0])) if known else None,
        mean=("fitted", "smallest", "zero", 0.0, 0.1)[rng.integers(5)],
        fit=("map", "ml")[rng.integers(2)],
        refit=(None, 1, 10)[rng.integers(3)],
    )
    return (process, bl.Features(process, 1), bl.Features(process, 10))[rng.integers(3)]


def test_every_form_has_a_name_and_every_field_an_aspect() -> None:
    assert len({form.label for form in FORMS.values()}) == len(FORMS)
    assert len(ASPECTS) == len(fields(bl.GP)) - 1 + len(fields(bl.Features)) - 1
