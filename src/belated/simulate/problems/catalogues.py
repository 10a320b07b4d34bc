"""Tables of numbers, categories or both, whose values the seed draws: all rows are known, so the optimum is too.

The numbers of a row go together, as descriptors of molecules do, and some are skewed; some categories are rare. Rows
are the same for every seed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from belated.checks import require_count
from belated.errors import ParameterError, unknown_name
from belated.simulate.problems.problem import Problem, tabulated
from belated.simulate.problems.registry import problem
from belated.simulate.randomness import Purpose, generator
from belated.space import Array, Candidates, Indices

MOST_ROWS, MOST_COLUMNS = 100_000, 50
LABELS = "abcdefghijkl"
# Directions in which the numbers of a row vary together.
FACTORS = 3
# Waves whose sum is all but a draw from a Gaussian prior.
FEATURES = 300
TEXTURES = ("smooth", "jagged")
LAWS = ("prior", "prototypes")
PROTOTYPES = 30


class CatalogueRows(NamedTuple):
    """A table, its numbers scaled to [0, 1], and its categories by the place of each label."""

    table: Candidates
    numbers: Array  # (N, k)
    labels: Indices  # (N, c)


@problem("catalogue")
def catalogue(
    seed: int = 0,
    *,
    rows: int = 500,
    numbers: int = 3,
    categories: int = 0,
    texture: str = "smooth",
    law: str = "prior",
    variant: int = 0,
) -> Problem:
    """A table of numbers and categories, from 20 rows to 100,000, with values that the seed draws.

    By the `law` "prior" they are waves over the numbers, and effects of each category and each two of them; by
    "prototypes" a row is worth what the best of thirty rows that it resembles is. Where the texture is "jagged", waves
    have all lengths, and a row in five is much worse than its like.
    """
    require_count("catalogue", "rows", rows, least=20, most=MOST_ROWS)
    require_count("catalogue", "numbers", numbers, least=0, most=MOST_COLUMNS)
    require_count("catalogue", "categories", categories, least=0, most=MOST_COLUMNS)
    for name, value, known in (("texture", texture, TEXTURES), ("law", law, LAWS)):
        if value not in known:
            raise unknown_name("catalogue", name, value, known)
    known_rows = _rows(rows, numbers, categories)
    rng = generator(seed, Purpose.FUNCTION, variant)
    jagged = texture == "jagged"
    values = (_prior if law == "prior" else _prototypes)(known_rows, jagged, rng)
    if jagged:
        # Cliffs, as chemists call what is much worse than its like: one in five, by up to three deviations.
        fallen = rng.random(rows) < 0.2
        values = values - fallen * values.std() * rng.uniform(0.0, 3.0, rows)
    # Every seed has values of mean 0 and deviation 1, so that a threshold means the same for all.
    values = (values - values.mean()) / values.std()
    described = f"{rows} rows of {numbers} numbers and {categories} categories, {texture}"
    return tabulated("catalogue", known_rows.table, values, 0.0, described)


@lru_cache(maxsize=2)
def _rows(count: int, numbers: int, categories: int) -> CatalogueRows:
    """So many distinct rows, the same for every seed."""
    rng = np.random.default_rng([count, numbers, categories])
    found: list[tuple[float | int, ...]] = []
    seen: set[tuple[float | int, ...]] = set()
    # Where categories are few, rows that were there already are drawn again.
    for _ in range(100):
        measured, labels = _drawn(count, numbers, categories, rng)
        for row in zip(*measured.T.tolist(), *labels.T.tolist(), strict=True):
            if row not in seen and len(found) < count:
                seen.add(row)
                found.append(row)
        if len(found) == count:
            break
    else:
        raise ParameterError(
            f"catalogue(rows={count}, numbers={numbers}, categories={categories}): there are no {count} distinct rows "
            f"of so few columns; ask for fewer rows, or more columns."
        )
    names = [f"n{column + 1}" for column in range(numbers)] + [f"c{column + 1}" for column in range(categories)]
    table = Candidates(
        [
            {
                name: LABELS[int(value)] if name.startswith("c") else value
                for name, value in zip(names, row, strict=True)
            }
            for row in found
        ]
    )
    content = np.array(found, dtype=float)
    plain = content[:, :numbers]
    low, high = plain.min(axis=0), plain.max(axis=0)
    return CatalogueRows(table, (plain - low) / (high - low), content[:, numbers:].astype(np.intp))


def _drawn(count: int, numbers: int, categories: int, rng: np.random.Generator) -> tuple[Array, Indices]:
    """Numbers that go together, every second of them skewed, and categories of 4 to 12 labels, some of them rare."""
    factors = rng.standard_normal((count, FACTORS)) @ rng.standard_normal((FACTORS, numbers))
    measured = 0.6 * factors + rng.standard_normal((count, numbers))
    measured[:, 1::2] = np.exp(0.5 * measured[:, 1::2])
    labels = [
        rng.choice(levels, size=count, p=rng.dirichlet(np.full(levels, 2.0)))
        for levels in (4 + 4 * (column % 3) for column in range(categories))
    ]
    # To four digits, as tables have them.
    return np.round(measured, 4), np.array(labels, dtype=np.intp).reshape(categories, count).T


def _prior(rows: CatalogueRows, jagged: bool, rng: np.random.Generator) -> Array:
    """All but a draw from a Gaussian prior over the numbers, plus effects of categories, one by one and in pairs."""
    values = np.zeros(len(rows.table))
    dimension = rows.numbers.shape[1]
    if dimension:
        # Frequencies of SE, or of the exponential kernel, whose draws are rough at every scale; ℓ = 0.3 √d.
        waves = rng.standard_normal((FEATURES, dimension)) / (0.3 * np.sqrt(dimension))
        if jagged:
            waves /= np.sqrt(rng.chisquare(1, (FEATURES, 1)))
        phases = rng.uniform(0.0, 2.0 * np.pi, FEATURES)
        values += np.sqrt(2.0 / FEATURES) * np.cos(rows.numbers @ waves.T + phases) @ rng.standard_normal(FEATURES)
    columns = rows.labels.T
    for labels in columns:
        values += _effects(labels, rng) / np.sqrt(len(columns))
    for first, labels in enumerate(columns):
        for other in columns[:first]:
            # The pairs together vary by half as much as the categories do one by one, and twice as much where jagged.
            weight = (2.0 if jagged else 0.5) / np.sqrt(len(columns) * (len(columns) - 1) / 2)
            values += weight * _effects(labels * len(LABELS) + other, rng)
    return values


def _prototypes(rows: CatalogueRows, jagged: bool, rng: np.random.Generator) -> Array:
    """max_p h_p exp(−(|x − x_p|²/2ℓ² + mismatches/m)), over thirty rows p, of which the heights h are drawn."""
    places = rng.choice(len(rows.table), size=min(PROTOTYPES, len(rows.table)), replace=False)
    width = (0.08 if jagged else 0.2) * np.sqrt(max(rows.numbers.shape[1], 1))
    mismatches = 0.5 if jagged else 1.5
    values = np.zeros(len(rows.table))
    for place in places:
        far = np.sum((rows.numbers - rows.numbers[place]) ** 2, axis=1) / (2.0 * width**2)
        other = np.sum(rows.labels != rows.labels[place], axis=1) / mismatches
        values = np.maximum(values, rng.uniform(0.3, 1.0) * np.exp(-(far + other)))
    return values


def _effects(labels: Indices, rng: np.random.Generator) -> Array:
    """A normal effect for each label, at every row. (N,)"""
    return np.asarray(rng.standard_normal(int(labels.max()) + 1)[labels])
