"""BoTorch's acquisition functions in a loop as its tutorials write it: a SingleTaskGP with its own priors.

Points are in the unit cube. The model is fitted to all answers before each ask; pending queries are X_pending, and so
are those that failed, of which BoTorch has no word: it then asks elsewhere. On a table the acquisition function is
maximised over the rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import torch
from botorch.acquisition import qLogNoisyExpectedImprovement, qUpperConfidenceBound
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, SingleTaskGP
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed_alternating
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

from belated.experiments.league.optimizer import Point
from belated.experiments.league.peers.rows import Handles
from belated.space import Array, Candidates, Context, Space

# The tutorial "Closed-loop batch, constrained BO in BoTorch": its first points, and how it maximises.
INITIAL, RESTARTS, RAW_SAMPLES = 10, 10, 512
# β of qUCB where BoTorch has a default for it: `construct_inputs_qUCB`.
BETA = 0.2
# Answers are standardised, which needs two.
FEWEST = 2


class BoTorch:
    """One acquisition function; a context seen before the decision is fixed features, one seen after it is noise."""

    contexts = ("before", "after")

    def __init__(
        self,
        acquisition: Literal["qlognei", "qucb"],
        space: Space | Candidates,
        goal: str,
        *,
        seed: int,
        queries: int,
        context: Context | None = None,
    ) -> None:
        self._acquisition = acquisition
        self._space = space
        self._context = context if context is not None and context.seen == "before" else None
        self._sign = 1.0 if goal == "maximize" else -1.0
        self._seed = seed % 2**31
        self._asked: Handles[int] = Handles()
        self._points: list[Point] = []
        self._units: list[Array] = []  # of each point that was asked, its context before it
        self._values: dict[int, float] = {}  # by the place of the point, in the order of arrival
        self._fitted: Any = None
        self._answers_fitted = 0
        self._first = self._design()

    def ask(self, context: Mapping[str, Any] | None = None) -> Point:
        known, number = self._known(context), len(self._points)
        if number < INITIAL or len(self._values) < FEWEST:
            unit = self._designed(number)
        else:
            with warnings.catch_warnings(), manual_seed(self._seed + number):
                warnings.simplefilter("ignore")
                unit = self._maximiser(known)
        point = self._space.decode(unit)
        self._units.append(np.concatenate([known, self._space.encode(point)]))
        self._points.append(point)
        return self._asked.note(point, number)

    def tell(self, point: Point, value: float, context: Mapping[str, Any] | None = None) -> None:
        self._values[self._asked.of(point)] = self._sign * value

    def fail(self, point: Point) -> None:
        """It stays among those that are pending."""

    def recommend(self, context: Mapping[str, Any] | None = None) -> Point | None:
        """Of the points with an answer, the one with the best posterior mean."""
        answered = list(self._values)
        if len(answered) < FEWEST:
            return self._points[answered[0]] if answered else None
        known = self._known(context)
        tried = np.array([np.concatenate([known, self._units[place][len(known) :]]) for place in answered])
        with warnings.catch_warnings(), torch.no_grad(), manual_seed(self._seed):
            warnings.simplefilter("ignore")
            with torch.enable_grad():
                model = self._model()
            means = model.posterior(torch.from_numpy(tried)).mean[:, 0]
        return self._points[answered[int(means.argmax())]]

    def _design(self) -> Any:
        if isinstance(self._space, Candidates):
            return np.random.default_rng(self._seed)
        return SobolEngine(self._space.dimension, scramble=True, seed=self._seed)

    def _designed(self, number: int) -> Array:
        """The next point of Sobol's sequence; on a table a random row."""
        if isinstance(self._space, Candidates):
            row: Array = self._space.sample(1, self._first)[0]
            return row
        return np.asarray(self._first.draw(1).numpy()[0], dtype=float)

    def _known(self, context: Mapping[str, Any] | None) -> Array:
        return self._context.encode(context) if self._context is not None and context is not None else np.empty(0)

    def _columns(self) -> tuple[list[int | None], list[bool]]:
        """Of each column of the model, how many levels it has, and whether it is a choice."""
        parts = [self._context.space] if self._context is not None else []
        domains = [*parts, self._space]
        return [n for each in domains for n in each.levels], [c for each in domains for c in each.categorical]

    def _model(self) -> Any:
        """The model with its hyperparameters fitted, from those of the model before, as the tutorial does for speed."""
        points = torch.from_numpy(np.array([self._units[place] for place in self._values]))
        values = torch.tensor(list(self._values.values()), dtype=torch.float64)[:, None]
        choices = [column for column, choice in enumerate(self._columns()[1]) if choice]
        model = MixedSingleTaskGP(points, values, cat_dims=choices) if choices else SingleTaskGP(points, values)
        if self._fitted is not None:
            # How answers are standardised is not fitted: it is of these answers.
            state = self._fitted.state_dict().items()
            model.load_state_dict({k: v for k, v in state if not k.startswith("outcome_transform")}, strict=False)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def _maximiser(self, known: Array) -> Array:
        """Where the acquisition function is highest. (d,)"""
        if self._fitted is None or len(self._values) > self._answers_fitted:
            self._fitted, self._answers_fitted = self._model(), len(self._values)
        model = self._fitted
        asked = torch.from_numpy(np.array([self._units[place] for place in self._values]))
        without = [unit for place, unit in enumerate(self._units) if place not in self._values]
        pending = torch.from_numpy(np.array(without)) if without else None
        if self._acquisition == "qucb":
            function = qUpperConfidenceBound(model, beta=BETA, X_pending=pending)
        else:
            function = qLogNoisyExpectedImprovement(model, X_baseline=asked, X_pending=pending, prune_baseline=True)
        found = self._over_rows(function, known) if isinstance(self._space, Candidates) else self._over(function, known)
        return np.asarray(found[0].detach().numpy(), dtype=float)[len(known) :]

    def _over_rows(self, function: Any, known: Array) -> Any:
        assert isinstance(self._space, Candidates)
        rows = np.concatenate([np.tile(known, (len(self._space), 1)), self._space.table], axis=1)
        return optimize_acqf_discrete(function, q=1, choices=torch.from_numpy(rows))[0]

    def _over(self, function: Any, known: Array) -> Any:
        levels, choices = self._columns()
        grids = {column: self._grid(column) for column, number in enumerate(levels) if number is not None}
        ends = [
            (grids[column][0], grids[column][-1]) if column in grids else (0.0, 1.0) for column in range(len(levels))
        ]
        bounds = torch.tensor(ends, dtype=torch.float64).T
        options = {"bounds": bounds, "q": 1, "num_restarts": RESTARTS, "raw_samples": RAW_SAMPLES}
        fixed = dict(enumerate(known.tolist())) or None
        if not grids:
            return optimize_acqf(function, fixed_features=fixed, **options)[0]
        return optimize_acqf_mixed_alternating(
            function,
            discrete_dims={column: grid for column, grid in grids.items() if not choices[column]},
            cat_dims={column: grid for column, grid in grids.items() if choices[column]},
            fixed_features=fixed,
            **options,
        )[0]

    def _grid(self, column: int) -> list[float]:
        """The unit coordinates of the levels of a column, to the last digit: the kernel asks whether they are equal."""
        parts: list[Any] = [self._context.space] if self._context is not None else []
        parameter: Any = [each[name] for each in (*parts, self._space) for name in each.names][column]
        levels = parameter.levels
        return sorted(set(parameter.snap((np.arange(levels) + 0.5) / levels).tolist()))
