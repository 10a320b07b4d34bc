"""The catalogue: combinations of base, ligand and solvent, in rounds of five."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import belated as bl

BASES, LIGANDS, SOLVENTS = range(8), "ABCDEFG", ("DMF", "THF", "water", "MeCN")


def rows() -> list[dict[str, object]]:
    kinds = itertools.product(BASES, LIGANDS, SOLVENTS, (30, 60, 90))
    return [{"base": base, "ligand": lig, "solvent": sol, "heat": heat} for base, lig, sol, heat in kinds]


def yields(seed: int) -> dict[tuple[object, ...], float]:
    rng = np.random.default_rng(seed)
    base, ligand, solvent, pair = (rng.normal(size=size) for size in (8, 7, 4, (7, 4)))
    truth = {}
    for row in rows():
        lig, sol = LIGANDS.index(str(row["ligand"])), SOLVENTS.index(str(row["solvent"]))
        heat = (float(str(row["heat"])) - 60.0) / 40.0
        total = base[int(str(row["base"]))] + ligand[lig] + solvent[sol] + 0.5 * pair[lig, sol] - heat**2
        truth[tuple(row.values())] = float(total)
    return truth


@pytest.mark.parametrize("seed", [0, 1])
def test_no_row_twice_and_one_of_the_best_is_found(seed: int) -> None:
    truth = yields(seed)
    study = bl.Study.in_memory(bl.Candidates(rows()), seed=seed)
    seen: list[tuple[object, ...]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bl.errors.BelatedWarning)
        for _ in range(8):
            batch = list(study.ask(5))
            for query in batch:
                seen.append(tuple(query.point.values()))
                study.tell(query, truth[seen[-1]])
    assert len(set(seen)) == len(seen) == 40
    # Forty rows at random hold one of the best hundredth in a third of all cases, this one in all that were seen.
    assert max(truth[row] for row in seen) >= np.sort(list(truth.values()))[-7]


def test_a_table_that_is_used_up_balks_with_its_reason() -> None:
    study = bl.Study.in_memory(bl.Candidates([{"a": i} for i in range(6)]), seed=0)
    first = list(study.ask(4))
    for query in first:
        study.tell(query, float(query.point["a"]))
    second = list(study.ask(2))
    assert {query.point["a"] for query in first + second} == set(range(6))
    balk = study.ask()
    assert isinstance(balk, bl.Balk)
    assert balk.reason == (
        "all 6 rows of the table were asked (2 are still waited for), and none is worth asking again; "
        "if answers vary, add() a second one at some point to show it"
    )


def test_repeats_are_never_or_if_worth_it() -> None:
    with pytest.raises(bl.errors.ParameterError) as refused:
        bl.policies.build("auto", repeats="often")
    assert str(refused.value) == (
        "auto(): Repeats(allowed='often'): a point is asked again 'never' or 'if worth it'; give one of them."
    )
