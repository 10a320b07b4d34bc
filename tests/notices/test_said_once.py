"""What was noticed is in the log: every process knows that it was said, and no decision sees it."""

from __future__ import annotations

import ast
import inspect
import io
import re
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from belated.errors import BelatedWarning, LogError
from belated.log import Asked, Event, Noticed
from belated.policies import build
from belated.study import Notice, Study, differences
from belated.study.files import read_lines, write_lines
from belated.study.insight import notices
from belated.study.insight.notices import due
from tests.builders import Clock
from tests.notices.studies import LINE, SQUARE, kinds, play

IMPATIENT = build("gp-bucb", window=2, initial=10_000)


def height(point: Mapping[str, Any]) -> float:
    return float(-((point["x"] - 1.0) ** 2))


def unsaid(storage: str | None = None) -> Study:
    """A study whose next ask has something to say: ten answers came after the window."""
    clock = Clock()
    if storage is None:
        study = Study.in_memory(LINE, policy=IMPATIENT, seed=3, clock=clock)
    else:
        study = Study.create(storage, "lab", LINE, policy=IMPATIENT, seed=3, clock=clock)
    play(study, height, 14, lag=4)
    assert kinds(study) == []
    return study


def test_an_ask_warns_and_the_next_ones_do_not() -> None:
    study = unsaid()
    with pytest.warns(BelatedWarning, match=r"^10 of 10 answers came after the window of 2 queries, when the policy "):
        study.ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.ask(20)
    assert kinds(study) == ["late-answers"]


def test_it_is_written_with_the_query_of_its_ask() -> None:
    study = unsaid()
    play(study, height, 1)
    *_, asked, noticed = study.since(0)[:-1]
    assert isinstance(asked.body, Asked)
    assert isinstance(noticed.body, Noticed)
    assert (noticed.at, noticed.number) == (asked.at, asked.number + 1)
    assert study.notices() == [Notice("late-answers", noticed.body.text, noticed.at, noticed.number)]


def test_it_is_signed_by_who_asked() -> None:
    study = unsaid()
    play(study.signed("Ada"), height, 1)
    assert study.events[-2].by == "Ada"


def test_what_was_said_is_not_said_again_after_the_study_was_changed() -> None:
    study = play(unsaid(), height, 30)
    study.change(window=1)
    play(study, height, 30, lag=3)
    assert kinds(study) == ["late-answers"]


def test_who_opens_the_study_elsewhere_is_not_told_again(shared: str) -> None:
    study, other = unsaid(shared), Study.open(shared, "lab", clock=Clock())
    with pytest.warns(BelatedWarning, match=r"^10 of 10 answers"):
        other.ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.ask()
        Study.open(shared, "lab", clock=Clock()).ask()
    assert study.notices() == other.notices()
    assert kinds(study) == ["late-answers"]


PROGRAM = """
import sys, warnings
from belated.study import Study
warnings.simplefilter("always")
Study.open(sys.argv[1], "lab").ask()
"""


def test_another_process_says_it_to_its_own_user_alone(sqlite: str) -> None:
    unsaid(sqlite)

    def process() -> str:
        done = subprocess.run([sys.executable, "-c", PROGRAM, sqlite], capture_output=True, text=True, check=True)
        return done.stderr

    assert "BelatedWarning: 10 of 10 answers came after the window" in process()
    assert process() == ""


def test_an_export_keeps_it() -> None:
    study = play(unsaid(), height, 1)
    text = io.StringIO()
    write_lines(text, study.events)
    again = Study(read_lines(io.StringIO(text.getvalue())), clock=Clock())
    assert again.notices() == study.notices()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.ask(10)


def test_a_study_asks_the_same_whether_or_not_it_looks() -> None:
    watchful, simulated = (
        Study.in_memory(SQUARE, policy="gp-bucb", seed=4, clock=Clock(), notices=looks) for looks in (True, False)
    )
    for study in (watchful, simulated):
        play(study, lambda point: point["x"] + point["y"], 30, lag=2)
    assert kinds(simulated) == []
    assert len(kinds(watchful)) >= 1
    assert [query.point for query in watchful.queries()] == [query.point for query in simulated.queries()]
    assert list(differences(watchful.events)) == []
    assert list(differences(watchful.events, forgetful=True)) == []


def test_a_process_that_has_forgotten_everything_notices_the_same() -> None:
    study = play(Study.in_memory(SQUARE, policy="gp-bucb", seed=4, clock=Clock()), lambda point: point["x"], 26)
    events = study.events
    place = next(place for place, event in enumerate(events) if isinstance(event.body, Noticed))
    before = Study(events[: place - 1], clock=Clock())
    play(before, lambda point: point["x"], 1)
    assert before.events[place].body == events[place].body


def test_nothing_is_looked_for_between_the_milestones() -> None:
    study = Study.in_memory(LINE, policy="random", seed=0, clock=Clock())
    looked: list[int] = []
    for _ in range(60):
        play(study, height, 1)
        evidence = study.evidence()
        assert due(evidence)[0] == due(evidence)[1]
        looked += [evidence.n_answered] if any(due(evidence)) else []
    assert looked == [*range(1, 21), *range(22, 31, 2), *range(33, 40, 3), 42, 46, 50, 55, 60]


def test_a_milestone_that_was_passed_while_nobody_asked_is_looked_at_once() -> None:
    study = Study.in_memory(LINE, policy="random", seed=0, clock=Clock())
    play(study, height, 30, lag=26)
    study.tell_many({query.id: 0.0 for query in study.pending()[:20]})
    assert due(study.evidence()) == (True, True)
    play(study, height, 1, keep=lambda _: False)
    assert due(study.evidence()) == (False, False)


def test_a_warning_that_is_an_error_loses_no_query() -> None:
    study = unsaid()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BelatedWarning, match="answers came after the window"):
            study.ask(key="plate 7")
        query = study.ask(key="plate 7")
    assert query
    assert [pending.key for pending in study.pending()][-1] == "plate 7"
    assert kinds(study) == ["late-answers"]


def test_the_warning_points_at_the_line_that_asked() -> None:
    study = unsaid()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study.ask()
    assert [Path(warning.filename) for warning in caught] == [Path(__file__)]


def test_the_warning_points_at_the_line_that_runs() -> None:
    study = unsaid()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study.run(lambda point: 1.0, 3)
    assert [Path(warning.filename) for warning in caught] == [Path(__file__)]


@pytest.mark.parametrize("body", [Noticed(3, "text"), Noticed("late-answers", None)])  # type: ignore[arg-type]
def test_a_log_that_notices_nonsense_is_refused(body: Noticed) -> None:
    events = [*Study.in_memory(LINE, policy="random", seed=0).events, Event(2, 5.0, body)]
    with pytest.raises(LogError, match=rf"event 2 notices {body.kind!r}: {body.text!r}; give a whole log"):
        Study(events)


def test_no_notice_speaks_python_since_it_is_shown_at_every_door() -> None:
    tree = ast.parse(inspect.getsource(notices))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    docs = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
    }
    said = " ".join(text for text in texts if text not in docs)
    assert "Nothing counts on them any longer" in said
    assert re.findall(r"\w+\(\)|\bbl\.|\bstudy\.\w", said) == []
