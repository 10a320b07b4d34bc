"""A study is counted once: every door says the same of its queries."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import belated as bl
from belated.cli.main import run
from belated.log import Counts, State
from belated.report import study_report
from tests.builders import batch_of
from tests.serving import client, serving

COUNTS = Counts(asked=10, answered=3, pending=5, overdue=4, abandoned=2, added=1)
WANTED = {"pending": 5, "overdue": 4, "answered": 3}
NUMBER, TAG = re.compile(r"\d+"), re.compile(r"<[^>]*>")
# A term of a page or the name of a row, and what stands beside it.
TERM = re.compile(r"<(?:dt|th)[^>]*>([^<]*)</(?:dt|th)>\s*((?:<(?:dd|td)[^>]*>[^<]*</(?:dd|td)>\s*)+)")
Said = dict[str, int]


@dataclass(frozen=True)
class Place:
    """A study `lab` in a storage, a service on it, and a folder."""

    study: bl.Study
    storage: str
    address: str
    folder: Path

    def remote(self) -> bl.RemoteStudy:
        return bl.RemoteStudy.open(self.address, "lab")

    def got(self, path: str) -> str:
        with client(self.address) as anybody:
            return anybody.get(path).raise_for_status().text


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Of ten queries, three answered, two abandoned, five pending; but for the ninth, these are past a window of 2."""
    folder = tmp_path_factory.mktemp("counts")
    storage = f"sqlite:///{folder / 'lab.db'}"
    belief = bl.GP(lengthscale=0.3, variance=1.0, noise=0.01, mean="zero")
    policy = bl.policies.gp_bucb(belief=belief, window=2)
    study = bl.Study.create(storage, "lab", bl.Space(x=bl.Float(0, 1)), policy=policy, seed=1)
    study.add({"x": 0.5}, 0.25)
    asked = batch_of(study, 10)
    study.tell_many([(asked[number - 1], float(number)) for number in (2, 7, 10)])
    for number in (4, 8):
        study.abandon(asked[number - 1], "lost")
    with serving(storage) as address:
        yield Place(study, storage, address, folder)


# What each door says.


def stated(page: str) -> Said:
    """The number beside each term; 'pending' may have how many are overdue, too: '5, 4 of them overdue'."""
    said: Said = {}
    for term, beside in TERM.findall(page):
        name = term.strip().lower()
        if name in WANTED:
            assert name not in said, f"{name!r} is said twice"
            said[name], *more = map(int, NUMBER.findall(TAG.sub(" ", beside)))
            said |= {"overdue": more[0]} if name == "pending" and more else {}
    return said


def by_state(queries: list[bl.Query]) -> Said:
    """How many queries are in each state; overdue ones are pending too."""
    states = Counter(query.state for query in queries if query.number)
    overdue = states[State.OVERDUE]
    return {"pending": states[State.PENDING] + overdue, "overdue": overdue, "answered": states[State.ANSWERED]}


def from_json(counts: Said) -> Said:
    assert Counts(**counts) == COUNTS
    return {name: counts[name] for name in WANTED}


def from_repr(text: str) -> Said:
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", text) if name in WANTED}


def report_of(place: Place) -> Said:
    return stated(study_report(place.folder / "report.html", place.study).read_text(encoding="utf-8"))


DOORS: dict[str, Callable[[Place], Said]] = {
    "record": lambda place: from_json(place.study.record().counts.to_json()),
    "remote record": lambda place: from_json(place.remote().record().counts.to_json()),
    "states": lambda place: by_state(list(place.study.queries())),
    "remote states": lambda place: by_state(list(place.remote().queries())),
    "HTTP": lambda place: from_json(json.loads(place.got("/v1/studies/lab"))["counts"]),
    "repr": lambda place: from_repr(repr(place.study)),
    "remote repr": lambda place: from_repr(repr(place.remote())),
    "notebook": lambda place: stated(place.study._repr_html_()),
    "remote notebook": lambda place: stated(place.remote()._repr_html_()),
    "report": report_of,
    "dashboard": lambda place: stated(place.got("/studies/lab")),
    "overview": lambda place: stated(place.got("/")),
}


@pytest.mark.parametrize("door", DOORS)
def test_pending_overdue_and_answered_queries_are_counted_alike_behind_every_door(place: Place, door: str) -> None:
    assert DOORS[door](place) == WANTED


def test_the_command_line_counts_them_alike(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["belated", *arguments, "--storage", place.storage])
        with pytest.raises(SystemExit) as ended:
            run()
        assert not ended.value.code
        return capsys.readouterr().out

    monkeypatch.setenv("COLUMNS", "200")
    assert from_json(json.loads(printed("status", "lab", "--json"))["counts"]) == WANTED
    names, *rows = [line.split() for line in printed("status").splitlines()]
    (row,) = [dict(zip(names, row, strict=False)) for row in rows if row[0] == "lab"]
    assert {name: int(row[name]) for name in WANTED} == WANTED
    shown = dict(line.split(maxsplit=1) for line in printed("status", "lab").splitlines() if len(line.split()) > 1)
    assert (shown["pending"], shown["overdue"].partition(" ")[0], shown["answered"]) == ("5", "4", "3")
    assert len(json.loads(printed("pending", "lab", "--json"))) == WANTED["pending"]


def test_what_counts_only_the_waiting_counts_them_alike(place: Place) -> None:
    for study in (place.study, place.remote()):
        waiting = study.pending()
        assert len(waiting) == study.delays().n_waiting == WANTED["pending"]
        assert sum(query.state is State.OVERDUE for query in waiting) == WANTED["overdue"]
    found = dict(re.findall(r'^belated_(\w+)\{study="lab"\} (\d+)\.0$', place.got("/metrics"), re.MULTILINE))
    assert {name: int(number) for name, number in found.items()} == {"pending": 5, "overdue": 4}


def test_an_explanation_counts_those_that_are_waited_for_and_those_that_are_not(place: Place) -> None:
    assert place.study.explain().saw["answers"].startswith("3 of 10 queries, 1 still waited for and 4 no longer")
