"""Where notices are shown: a remote study, the service, its pages, and the command line."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from belated.client import RemoteStudy
from belated.errors import BelatedWarning
from belated.policies import build
from belated.study import Study
from tests.forks import BELATED, ran
from tests.notices.studies import LINE, play
from tests.serving import client, serving

START = "10 of 10 answers came after the window of 2 queries"


@pytest.fixture
def study(sqlite: str) -> Study:
    """A study whose next ask has something to say."""
    impatient = build("gp-bucb", window=2, initial=10_000)
    return play(Study.create(sqlite, "lab", LINE, policy=impatient, seed=3), lambda point: 1.0, 14, lag=4)


@pytest.fixture
def caller(study: Study, sqlite: str) -> Iterator[httpx.Client]:
    with serving(sqlite) as address, client(address) as anybody:
        yield anybody


def test_a_remote_study_warns_and_says_later_what_was_noticed(study: Study, caller: httpx.Client) -> None:
    remote = RemoteStudy.open(str(caller.base_url), "lab")
    assert remote.notices() == []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        remote.ask()
    assert [(warning.category, Path(warning.filename)) for warning in caught] == [(BelatedWarning, Path(__file__))]
    assert str(caught[0].message).startswith(START)
    assert remote.notices() == study.notices()
    assert len(remote.notices()) == 1
    assert remote.settings == study.settings
    assert remote.events == study.events


def test_the_service_says_it_with_the_query_and_with_the_study(study: Study, caller: httpx.Client) -> None:
    asked: dict[str, Any] = caller.post("/v1/studies/lab/asks", json={}).json()
    assert [text[: len(START)] for text in asked["notices"]] == [START]
    assert caller.post("/v1/studies/lab/asks", json={}).json()["notices"] == []
    noticed = caller.get("/v1/studies/lab").json()["notices"]
    assert noticed == [notice.to_json() for notice in study.notices()]
    (event,) = [event for event in caller.get("/v1/studies/lab/log").json()["events"] if event["event"] == "noticed"]
    assert (event["kind"], event["text"]) == ("late-answers", asked["notices"][0])


def test_the_page_of_the_study_shows_it(caller: httpx.Client) -> None:
    assert "Worth knowing" not in caller.get("/studies/lab").text
    caller.post("/v1/studies/lab/asks", json={})
    for page in ("/studies/lab", "/studies/lab/parts"):
        text = caller.get(page).text
        assert "Worth knowing" in text
        assert START in text
    log = caller.get("/studies/lab/log").text
    assert "was warned by the study" in log
    assert START in log


def belated(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, where warnings are errors."""
    strict = "import warnings\nwarnings.simplefilter('error', UserWarning)\n"
    done = ran(strict + BELATED, Path.cwd(), *arguments)
    done.check_returncode()
    return done


def test_the_command_line_says_it_beside_the_query_and_lists_it(study: Study, sqlite: str) -> None:
    asked = belated("ask", "lab", "--json", "--storage", sqlite)
    assert [query["id"] for query in json.loads(asked.stdout)["queries"]] == [15]
    assert asked.stderr == f"Worth knowing: {study.notices()[0].text}\n"
    shown = belated("status", "lab", "--storage", sqlite)
    assert f" ago: {study.notices()[0].text}" in shown.stdout
    found = json.loads(belated("status", "lab", "--json", "--storage", sqlite).stdout)
    assert found["notices"] == [notice.to_json() for notice in study.notices()]


def test_the_notebook_shows_it(study: Study) -> None:
    assert START not in study._repr_html_()
    play(study, lambda point: 1.0, 1)
    assert START in study._repr_html_()
