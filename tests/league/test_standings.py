"""Who is where, against a plain reckoning that shares no code."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from belated.simulate.league import Played, standings

Runs = dict[str, dict[str, dict[int, Played]]]


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
                number: Played(name, "", number, 10, 1.0, *(_curve(rng, scale), _curve(rng, scale)))
                for number in range(3 if name == "few" else 6)
            }
    return runs


def _curve(rng: np.random.Generator, scale: float) -> tuple[float, ...]:
    return tuple((scale * rng.uniform(0.5, 2.0, 10)).tolist())


def plain(runs: Mapping[str, Mapping[str, Mapping[int, Played]]]) -> dict[str, tuple[float, float, float]]:
    """The mean share and both mean ratios of every entrant, number by number."""
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
        name: (_mean(own), _mean(ratios["cumulative"][name]), _mean(ratios["simple"][name]))
        for name, own in shares.items()
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_standings_agree_with_a_plain_reckoning(seed: int) -> None:
    runs = invented(seed)
    found, expected = standings(runs, draws=50), plain(runs)
    assert [one.share for one in found] == sorted(one.share for one in found)
    assert {one.entrant for one in found} == set(expected)
    for one in found:
        assert (one.share, one.cumulative, one.simple) == pytest.approx(expected[one.entrant])
        assert one.low <= one.high
    assert {one.entrant: (one.cases, one.runs) for one in found} == {
        "good": (3, 18),
        "random": (3, 18),
        "few": (3, 9),
        "absent": (2, 12),
    }


def test_who_is_best_everywhere_has_share_0_and_an_interval_of_nothing() -> None:
    runs = invented(4)
    for case, by_entrant in runs.items():
        runs[case]["good"] = {
            seed: Played("good", "", seed, 10, 1.0, (0.01,) * 10, (0.01,) * 10) for seed in by_entrant["good"]
        }
    best = standings(runs, draws=50)[0]
    assert (best.entrant, best.share, best.low, best.high) == ("good", 0.0, 0.0, 0.0)


def test_ties_share_their_rank_and_no_regret_at_all_is_a_tie() -> None:
    zero = {seed: Played("", "", seed, 10, 1.0, (1.0,) * 10, (0.0,) * 10) for seed in range(3)}
    found = standings({"only": {"one": zero, "random": zero, "two": zero}}, draws=20)
    assert [(one.share, one.cumulative, one.simple) for one in found] == [(0.5, 1.0, 1.0)] * 3


def test_without_runs_there_are_no_standings() -> None:
    assert standings({}) == ()
