"""Leagues that nobody played, and a plain reckoning of who is where in them, which shares no code with ours."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

import numpy as np

from belated.experiments.league import LeagueRun

Runs = dict[str, dict[str, dict[int, LeagueRun]]]


def invented(seed: int) -> Runs:
    """Runs of four entrants in three cases; `few` has half the seeds, `absent` does not play the last case."""
    rng = np.random.default_rng(seed)
    runs: Runs = {}
    for case in ("first", "second", "third"):
        runs[case] = {}
        for name in ("good", "random", "few", "absent"):
            if (case, name) == ("third", "absent"):
                continue
            scale = {"good": 0.5}.get(name, 1.0)
            runs[case][name] = {
                number: LeagueRun(name, "", number, 10, 1.0, _curve(rng, scale), _curve(rng, scale))
                for number in range(3 if name == "few" else 6)
            }
    return runs


def _curve(rng: np.random.Generator, scale: float) -> tuple[float, ...]:
    return tuple((scale * rng.uniform(0.5, 2.0, 10)).tolist())


def plain(runs: Mapping[str, Mapping[str, Mapping[int, LeagueRun]]]) -> dict[str, tuple[float, float, float]]:
    """The mean share and both median ratios of every entrant, number by number."""
    shares: dict[str, list[float]] = {}
    ratios: dict[str, dict[str, list[float]]] = {"cumulative": {}, "simple": {}}
    for by_entrant in runs.values():
        for measure, table in ratios.items():
            found = {}
            for name, own in by_entrant.items():
                mean = sum(getattr(run, measure)[-1] for run in own.values()) / len(own)
                others = sum(getattr(by_entrant["random"][seed], measure)[-1] for seed in own) / len(own)
                found[name] = mean / others
                table.setdefault(name, []).append(found[name])
            for name, ratio in found.items():
                better = sum(other < ratio for other in found.values())
                equal = sum(other == ratio for other in found.values()) - 1
                shares.setdefault(name, []).append((better + equal / 2) / (len(found) - 1))
    return {
        name: (_mean(own), median(ratios["cumulative"][name]), median(ratios["simple"][name]))
        for name, own in shares.items()
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def flat(name: str, seed: int, cumulative: float, simple: float | None = None) -> LeagueRun:
    """A run with these regrets throughout."""
    return LeagueRun(name, "", seed, 10, 1.0, (cumulative,) * 10, (cumulative if simple is None else simple,) * 10)
