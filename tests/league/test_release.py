"""Sealed cases stay sealed unless a release opens them, and then only some play them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from belated import simulate
from belated.errors import ParameterError
from belated.experiments.league import Case, entrants
from belated.experiments.league.release import opened, planned
from tests.forks import belated

OPEN = Case("open-made", "smooth", "open", "branin", "none", simulate.none(), 0.0, 8, 0.0)
SEALED = replace(OPEN, key="sealed-made", half="sealed", rounds=9)


def test_a_sealed_case_is_refused_without_a_word_on_the_release(tmp_path: Path) -> None:
    opened((OPEN,), None, tmp_path)
    for why in (None, "", "  "):
        with pytest.raises(ParameterError, match=r"^league\(\): 'sealed-made' is a sealed case; who looks at those"):
            opened((OPEN, SEALED), why, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_every_opening_is_written_down_once(tmp_path: Path) -> None:
    for why in ("0.2: the page", "0.2: the page", "0.3:\n its page"):
        opened((SEALED,), why, tmp_path)
    first, second = (tmp_path / "sealed" / "opened.txt").read_text(encoding="utf-8").splitlines()
    assert first.endswith(": 0.2: the page")
    assert second.endswith(": 0.3: its page")


def test_of_our_policies_only_the_default_plays_the_sealed_half_before_the_open_one_says_who_is_best(
    tmp_path: Path,
) -> None:
    plan = planned((OPEN, SEALED), entrants(["auto", "gp-bucb", "sobol"]), tmp_path, 1)
    assert {(one.case.key, one.entrant.name) for one in plan.fixtures} == {
        *(("open-made", name) for name in ("auto", "gp-bucb", "random", "sobol")),
        *(("sealed-made", name) for name in ("auto", "random", "sobol")),
    }


def test_the_command_plays_no_sealed_case_for_the_asking(tmp_path: Path) -> None:
    done = belated(tmp_path, "league", "--cases", "sealed", "--only", "sobol", "--quick", "--workers", "0")
    assert done.returncode == 14
    assert "is a sealed case; who looks at those while choosing" in " ".join(done.stderr.split())
    assert not (tmp_path / "league").exists()
