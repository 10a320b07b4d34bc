"""Laws as text: what is read, what is written, and what is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from belated import simulate
from belated.errors import ParameterError, UnknownNameError
from belated.simulate import DelayLaw, Occasion, laws
from belated.simulate.laws import registry


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "LAWS", replace(registry.LAWS, entries=dict(registry.LAWS.entries)))


@pytest.mark.parametrize(
    "text, law",
    [
        ("poisson(10)", simulate.poisson(10)),
        (" poisson( mean = 10 ) ", simulate.poisson(10)),
        ("none", simulate.none()),
        ("none()", simulate.none()),
        ("lost(0.1, poisson(10))", simulate.lost(0.1, simulate.poisson(10))),
        ("lost(law=never, probability=1)", simulate.lost(1, simulate.never())),
        ("replayed([1, 2.5, inf], then=never)", simulate.replayed([1, 2.5, np.inf], simulate.never())),
        ("replayed((1, 2))", simulate.replayed([1, 2])),
        ("lost_below(-3, constant(1e2))", simulate.lost_below(-3, simulate.constant(100))),
        ("along('x', [0, 1], [1, 5], none)", simulate.along("x", [0, 1], [1, 5], simulate.none())),
        (
            "mixture([0.9, 0.1], [poisson(2), workers([1, 2], exponential(9))])",
            simulate.mixture([0.9, 0.1], [simulate.poisson(2), simulate.workers([1, 2], simulate.exponential(9))]),
        ),
    ],
)
def test_a_text_is_read_as_the_call_that_it_is(text: str, law: DelayLaw) -> None:
    assert laws.parse(text) == law


@pytest.mark.parametrize(
    "law, text",
    [
        (simulate.none(), "constant(0.0)"),
        (simulate.poisson(np.float64(2.5)), "poisson(2.5)"),
        (simulate.lost(0.1, simulate.poisson(10)), "lost(0.1, poisson(10))"),
        (simulate.replayed([1, np.inf]), "replayed([1, inf])"),
        (simulate.replayed([1], simulate.never()), "replayed([1], then=never())"),
        (simulate.business_days(simulate.never(), opens=9), "business_days(never(), opens=9)"),
        (simulate.along("x 1", [-1, 1], [1, 5], simulate.none()), "along('x 1', [-1, 1], [1, 5], constant(0.0))"),
    ],
)
def test_a_law_is_written_with_what_it_needs_and_what_differs_from_the_defaults(law: DelayLaw, text: str) -> None:
    assert laws.text(law) == text
    assert laws.parse(text) == law


def test_a_run_takes_its_law_as_text() -> None:
    given, written = (
        simulate.run("branin", "random", delay, rounds=8, seed=3)
        for delay in (simulate.lost(0.2, simulate.poisson(2)), "lost(0.2, poisson(2))")
    )
    assert given.delay == written.delay
    assert [outcome.delay for outcome in given.outcomes] == [outcome.delay for outcome in written.outcomes]


@pytest.mark.parametrize(
    "text, nearest", [("poison(10)", "'poisson'"), ("lost(0.1, geometri(0.5))", "'geometric'"), ("workrs", "'workers'")]
)
def test_an_unknown_name_is_refused_with_the_nearest(text: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no law of delays is named .*; did you mean {nearest}"):
        laws.parse(text)


@pytest.mark.parametrize(
    "text, message",
    [
        ("poisson(10", "cannot be read"),
        ("", "cannot be read"),
        ("poisson(10) poisson(3)", "cannot be read"),
        ("poisson(1\0)", "cannot be read"),
        ("(" * 500 + ")" * 500, "cannot be read"),
        ("10", "got '10'; a law is made of"),
        ("poisson", "missing a required argument: 'mean'; its parameters are mean"),
        ("poisson(1, 2)", "too many positional arguments; its parameters are mean"),
        ("none(1)", "too many positional arguments; its parameters are none"),
        ("poisson(rate=3)", "its parameters are mean"),
        ("poisson(mean=3, mean=4)", "got 'poisson"),
        ("poisson(**{'mean': 3})", r"got .poisson\(\*\*"),
        ("poisson(*[3])", r"got '\*\[3\]'"),
        ("poisson(1 + 2)", "got '1 . 2'"),
        ("poisson(b'3')", "got .*b'3'"),
        ("poisson(3j)", "got '3j'"),
        ("poisson(None)", "got 'None'"),
        ("poisson('3')", r"poisson\(mean='3'\): mean must be a number"),
        ("poisson(True)", r"poisson\(mean=True\): mean must be a number"),
        ("constant(-1)", r"constant\(delay=-1\): delay must be a number of at least 0"),
        ("constant(inf)", "for answers that never come use never"),
        ("constant(1" + "0" * 400 + ")", "delay must be a number of at least 0"),
        ("lost(0.1, 10)", "got 10 as the law of delays"),
        ("lost(0.1, adaptive_batch(4))", "no delays to change"),
        ("simulate.poisson(10)", "got 'simulate.poisson"),
        ("__import__('os').system('true')", "got "),
        ("(lambda: 0)()", "got "),
        ("poisson(mean := 3)", "got "),
        ("-" * 300 + "1", "got "),
        ("-" * 100_000 + "1", "cannot be read"),
    ],
)
def test_what_is_no_law_is_refused_and_nothing_of_it_runs(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        laws.parse(text)


def test_a_text_is_a_text() -> None:
    with pytest.raises(ParameterError, match=r"parse\(3\): a law is read from a text"):
        laws.parse(3)  # type: ignore[arg-type]


def test_a_law_from_a_function_has_no_text() -> None:
    law = simulate.lost(0.1, simulate.by_value(lambda value: simulate.none()))
    with pytest.raises(ParameterError, match="can be written as text"):
        laws.text(law)


def test_every_name_describes_itself_in_one_line() -> None:
    assert "poisson" in laws.names()
    assert list(laws.names()) == sorted(laws.names())
    for name in laws.names():
        assert laws.describe(name).endswith(".")
        assert "\n" not in laws.describe(name)
    with pytest.raises(UnknownNameError, match=r"describe\(\): no law of delays is named 'poison'"):
        laws.describe("poison")


@dataclass(frozen=True)
class doubling:
    """Each answer takes twice as long as the one before."""

    base: float = 2.0

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        return float(self.base**occasion.number)


@pytest.mark.usefixtures("own_registry")
def test_a_law_of_ones_own_is_registered_by_its_own_name() -> None:
    laws.law(doubling)
    assert laws.parse("lost(0.5, doubling(base=3))") == simulate.lost(0.5, doubling(3))
    assert laws.text(doubling()) == "doubling()"
    assert laws.describe("doubling").startswith("Each answer")
    with pytest.raises(ParameterError, match="that name is taken"):
        laws.law(type("doubling", (doubling,), {}))


def test_every_law_stands_in_the_documentation_with_its_parameters() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "concepts" / "delays.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", page, re.MULTILINE))
    assert sorted(listed) == list(laws.names())
    for name, parameters in listed.items():
        written = ", ".join(
            parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default}"
            for parameter in laws.signature(name).parameters.values()
        )
        assert written == parameters
