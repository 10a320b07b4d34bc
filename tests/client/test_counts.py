"""A study is counted once: every door says the same of its queries."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

import belated as bl
from belated.cli.main import run
from belated.log import Counts, State
from belated.report import study_report
from tests.serving import client, serving

COUNTS = Counts(asked=10, answered=3, pending=5, overdue=4, abandoned=2, added=1)
WANTED = {"pending": 5, "overdue": 4, "answered": 3}
NUMBER = re.compile(r"\d+")
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
    asked = study.ask(10)
    study.tell_many([(asked[number - 1], float(number)) for number in (2, 7, 10)])
    for number in (4, 8):
        study.abandon(asked[number - 1], "lost")
    with serving(storage) as address:
        yield Place(study, storage, address, folder)


# What each door says.


def texts(page: str) -> list[str]:
    """What stands between the tags of a page, in order."""
    return [unescape(text).strip() for text in re.split(r"<[^>]*>", page) if text.strip()]


def after(names: tuple[str, ...], shown: list[str]) -> Said:
    """The numbers beside these names, of which 'pending' may say how many are overdue: '5, 4 of them overdue'."""
    beside = {name.lower(): text for name, text in pairwise(shown) if name.lower() in names}
    found = {name: [int(number) for number in NUMBER.findall(text)] for name, text in beside.items()}
    said = {name: numbers[0] for name, numbers in found.items()}
    return said | ({"overdue": found["pending"][1]} if len(found["pending"]) > 1 else {})


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
    page = study_report(place.folder / "report.html", place.study).read_text(encoding="utf-8")
    return after(("pending", "answered"), texts(page))


def dashboard_of(place: Place) -> Said:
    shown = texts(place.got("/studies/lab"))
    tile = shown.index("Pending")
    return after(("pending", "answered"), shown) | {"overdue": int(shown[tile + 2].removesuffix(" overdue"))}


DOORS: dict[str, Callable[[Place], Said]] = {
    "record": lambda place: from_json(place.study.record().counts.to_json()),
    "remote record": lambda place: from_json(place.remote().record().counts.to_json()),
    "states": lambda place: by_state(list(place.study.queries())),
    "remote states": lambda place: by_state(list(place.remote().queries())),
    "HTTP": lambda place: from_json(json.loads(place.got("/v1/studies/lab"))["counts"]),
    "repr": lambda place: from_repr(repr(place.study)),
    "remote repr": lambda place: from_repr(repr(place.remote())),
    "notebook": lambda place: after(("pending", "answered"), texts(place.study._repr_html_())),
    "remote notebook": lambda place: after(("pending", "answered"), texts(place.remote()._repr_html_())),
    "report": report_of,
    "dashboard": dashboard_of,
    "overview": lambda place: after(("pending", "overdue", "answered"), texts(place.got("/"))),
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
