"""Figures go by name; rooms above register them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import belated as bl
from belated import report
from belated.errors import ParameterError, UnknownNameError
from belated.study import figures


def study() -> bl.Study:
    return bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=0)


def test_the_report_registers_its_seven_kinds() -> None:
    assert figures.kinds() == ["belief", "delays", "pairs", "progress", "timeline", "waits", "weights"]


@pytest.mark.parametrize("kind", ["progress", "timeline", "waits", "delays"])
def test_a_study_draws_the_kind_that_is_named(kind: str) -> None:
    other = study()
    assert (
        other.plot(kind, time="round").to_dict()["layout"] == getattr(report, kind)(other, "round").to_dict()["layout"]
    )


def test_a_registered_kind_is_drawn_with_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "KINDS", replace(figures.KINDS, entries=dict(figures.KINDS.entries)))

    @figures.figure_kind("goal")
    def goal(study: bl.Study, mark: str = ".") -> str:
        """The goal of a study.

        More about it.
        """
        return f"{study.goal}{mark}"

    assert "goal" in figures.kinds()
    assert figures.describe("goal") == "The goal of a study."
    assert figures.options("goal") == ["mark"]
    assert figures.draw(study(), "goal") == "maximize."
    assert figures.draw(study(), "goal", mark="!") == "maximize!"


def test_a_name_is_given_to_one_kind() -> None:
    with pytest.raises(ParameterError, match=r"figure_kind\('waits'\): that name is taken"):
        figures.figure_kind("waits")(lambda study: None)


@pytest.mark.parametrize("kind", ["progres", None, ["progress"]])
def test_an_unknown_kind_is_refused_with_those_that_are_known(kind: object) -> None:
    with pytest.raises(
        UnknownNameError, match=r"plot\(\): no kind of figure is named .*; (did you mean|choose one of)"
    ):
        figures.draw(study(), kind)  # type: ignore[arg-type]


def test_an_unknown_option_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(
        ParameterError, match=r"plot\('waits'\): got the option 'bins'; the options of 'waits' are time"
    ):
        figures.draw(study(), "waits", bins=3)


def test_every_kind_says_what_it_shows() -> None:
    for kind in figures.kinds():
        assert figures.describe(kind).endswith(".")
    with pytest.raises(UnknownNameError):
        figures.describe("histogram")
