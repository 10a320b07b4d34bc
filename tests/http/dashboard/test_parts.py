"""The parts that pages are made of: words, lines, fields, and the figure of contexts."""

from __future__ import annotations

from itertools import pairwise

import pytest

from belated.service.dashboard.contexts import contexts
from belated.service.dashboard.fields import Field, fields_of
from belated.service.dashboard.figures import panels_of
from belated.service.dashboard.overview import HEIGHT, MARGIN, WIDTH, line_of
from belated.service.dashboard.pages import marked
from belated.service.dashboard.words import ago, duration, in_full, listed
from belated.show import counted
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study

NOW = 1_767_225_600.0


@pytest.mark.parametrize(
    "seconds, text",
    [
        (None, ""),
        (-3.0, "0.0 s"),
        (0.25, "0.2 s"),
        (9.94, "9.9 s"),
        (59.0, "59 s"),
        (90.0, "1 min 30 s"),
        (3600.0, "1 h"),
        (3660.0, "1 h 1 min"),
        (40_000.0, "11 h"),
        (100_000.0, "1 d 3 h"),
        (1e7, "115 d"),
    ],
)
def test_a_length_of_time_fits_a_cell(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    "before, text", [(-5, "just now"), (1.9, "just now"), (2, "2 s ago"), (119, "1 min ago"), (86400, "1 d ago")]
)
def test_an_instant_is_spoken_of_by_how_long_ago_it_was(before: float, text: str) -> None:
    assert ago(NOW - before, NOW) == text
    assert in_full(NOW) == "2026-01-01 00:00:00 UTC"


def test_the_instants_of_a_simulation_are_numbers() -> None:
    assert (ago(12.5, NOW), in_full(12.5)) == ("12.5", "12.5")


def test_points_and_counts_are_written_as_one_says_them() -> None:
    assert listed({"temperature": 71.523456, "solvent": "THF"}) == "temperature 71.52, solvent THF"
    assert listed(None) == ""
    assert [counted(number, "row", "rows") for number in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]


def test_code_in_a_text_is_marked_and_all_of_it_is_escaped() -> None:
    assert marked("use `<a>` & go") == "use <code>&lt;a&gt;</code> &amp; go"


@pytest.mark.parametrize("goal, values", [("maximize", [0.0, 0.5, 0.5, 2.0]), ("minimize", [2.0, 1.5, 1.5, 0.0])])
def test_the_line_of_the_best_answer_only_ever_rises(goal: str, values: list[float]) -> None:
    points = [tuple(map(float, point.split(","))) for point in line_of(values, goal).split()]
    assert points[0] == (MARGIN, HEIGHT - MARGIN)
    assert points[-1] == (WIDTH - MARGIN, MARGIN)
    for (x, y), (next_x, next_y) in pairwise(points):
        assert next_x >= x
        assert next_y <= y


def test_a_line_has_two_values_and_not_too_many() -> None:
    assert line_of([], "maximize") == line_of([1.0], "maximize") == ""
    assert len(line_of([float(value) for value in range(10_000)], "maximize").split()) < 250


def test_every_parameter_has_a_field_whatever_it_is_called() -> None:
    space = Space.from_parameters([("a.b\"'", Float(0.5, 2.0)), ("n", Int(1, 8)), ("s", Choice("x", 2, True))])
    assert fields_of(space, "ask", ["data", 0]) == [
        Field("ask-0", "a.b\"'", "0.5 to 2", '["data", 0, "a.b\\"\'"]'),
        Field("ask-1", "n", "1 to 8, a whole number", '["data", 0, "n"]', whole=True),
        Field("ask-2", "s", "3 options", '["data", 0, "s"]', options=(('"x"', "x"), ("2", "2"), ("true", "True"))),
    ]


def test_an_option_of_very_many_is_typed() -> None:
    table = Candidates([{"molecule": f"m{row}"} for row in range(1000)])
    assert fields_of(table, "point", []) == [
        Field("point-0", "molecule", "one of 1,000 options", '["molecule"]', typed=True)
    ]
    numbered = Space(n=Choice(*range(300)))
    assert fields_of(numbered, "point", []) == [Field("point-0", "n", "one of 300 options", '["n"]')]


@pytest.mark.parametrize("policy", ["sbo-kde", "gp-ucb-blind"])
def test_the_law_of_contexts_is_drawn_as_shares(policy: str) -> None:
    context = Context(
        seen="after", wind=Float(0.1, 10.0, log=True), floor=Int(1, 4), hour=Int(0, 240), sky=Choice("clear", "rain")
    )
    study = Study.in_memory(Space(x=Float(0.0, 1.0)), policy=policy, seed=1, context=context)
    seen = [(0.5, 1, 10, "clear"), (1.0, 4, 200, "rain"), (8.0, 4, 120, "rain"), (2.0, 2, 0, "rain")]
    for wind, floor, hour, sky in seen:
        [query] = study.ask(1)
        study.tell(query, 0.5, context={"wind": wind, "floor": floor, "hour": hour, "sky": sky})
    figure = contexts(study)
    assert [trace.name for trace in figure.data] == ["seen (4)", "reckoned with"] * 4
    for trace in figure.data:
        assert sum(trace.y[1::4]) == pytest.approx(1.0)
    floors, skies = figure.data[2], figure.data[6]
    assert list(floors.y[1::4]) == [0.25, 0.25, 0.0, 0.5]
    assert [(low + high) / 2 for low, high in zip(floors.x[0::4], floors.x[3::4], strict=True)] == [1, 2, 3, 4]
    assert list(skies.y[1::4]) == [0.25, 0.75]
    assert [(low + high) / 2 for low, high in zip(skies.x[0::4], skies.x[3::4], strict=True)] == [0, 1]
    if policy == "gp-ucb-blind":
        assert list(figure.data[3].y) == list(floors.y)


@pytest.mark.parametrize(
    "policy, context, kinds",
    [
        ("gp-bucb", None, ["progress", "timeline", "delays", "belief", "waits"]),
        ("egp-ts", None, ["progress", "timeline", "delays", "belief", "weights", "waits"]),
        (
            "sbo-kde",
            Context(seen="after", wind=Float(0.0, 9.0)),
            ["progress", "timeline", "delays", "belief", "contexts", "waits"],
        ),
        (
            "gp-bucb",
            Context(seen="before", wind=Float(0.0, 9.0)),
            ["progress", "timeline", "delays", "belief", "waits"],
        ),
    ],
)
def test_a_study_has_the_figures_that_say_something_of_it(
    policy: str, context: Context | None, kinds: list[str]
) -> None:
    one = Study.in_memory(Space(x=Float(0.0, 1.0)), policy=policy, seed=1, context=context)
    assert [panel.kind for panel in panels_of(one)] == kinds
    two = Study.in_memory(Space(x=Float(0.0, 1.0), y=Float(0.0, 1.0)), policy=policy, seed=1, context=context)
    assert [panel.kind for panel in panels_of(two)] == [*kinds, "pairs"]
