"""The bar of a run: what it shows, and who sees it."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Iterator

import pytest

from belated.errors import MissingPackageError
from belated.study.running.progress import Bar
from tests.running.studies import begun, squared


def test_the_bar_shows_what_was_answered_the_best_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    study = begun(goal="minimize")
    study.add({"heat": 1.0}, 4.5)
    outcomes: Iterator[float | None] = iter([7.0, None, 3.0, 9.0])
    study.run(lambda point: next(outcomes), 4, workers=1, tolerate=None, progress=True)
    shown = capsys.readouterr().err.split("\r")[-1]
    assert "4/4" in shown
    assert "best 3, failed 1" in shown
    assert "in flight" not in shown


def test_the_best_is_the_largest_where_large_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = iter([7.0, 9.5, 3.0])
    begun().run(lambda point: next(outcomes), 3, workers=1, progress=True)
    assert "best 9.5" in capsys.readouterr().err.split("\r")[-1]


@pytest.mark.parametrize("wanted", [None, False])
def test_no_bar_is_shown_where_nobody_sees_it_or_wants_it(
    wanted: bool | None, capsys: pytest.CaptureFixture[str]
) -> None:
    begun().run(squared, 3, progress=wanted)
    assert capsys.readouterr() == ("", "")


def test_a_bar_that_cannot_be_had_is_missed_only_by_who_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    study = begun()
    assert study.run(squared, 2).answered == 2
    with pytest.raises(MissingPackageError) as missing:
        study.run(squared, 2, progress=True)
    assert str(missing.value) == (
        "run(progress=True): the bar needs the package tqdm, which is not installed; pip install 'belated[run]', or "
        "leave progress out."
    )
    assert len(study.history()) == 2


def test_the_bar_is_not_drawn_at_every_answer_and_at_the_end_in_any_case() -> None:
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    shown = io.StringIO()
    bar = Bar(functools.partial(tqdm, file=shown), total=None, goal="maximize", best=None)
    for settled in range(1000):
        bar.show(settled, 2, 0, "")
    assert bar.due is not None, "it wants to show what came since"
    bar.show(1000, 0, 0, "stopping")
    bar.close()
    drawn = shown.getvalue().split("\r")
    assert drawn[-1].startswith("1000query [")
    assert drawn[-1].rstrip().endswith("stopping]")
    assert len(drawn) < 500
