"""Two chemists: they ask and tell in the browser, while a script tells over HTTP and a nightly job uploads a CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import httpx2 as httpx
import pytest

import belated as bl
from belated.log import Answered, Asked
from tests.http.dashboard.pages import parsed, signed_in, word_in
from tests.http.dashboard.visit import submit, visiting
from tests.meanwhile import Meanwhile
from tests.scenes.laboratory import SPACE
from tests.service.conftest import Belated
from tests.service.services import served
from tests.serving import client

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHEMISTS, BATCH, TURNS = ("Ada", "Bob"), 2, 5
SCOPES = {"Ada": ("read", "ask", "tell"), "Bob": ("read", "ask", "tell"), "robot": ("ask", "tell"), "night": ("admin",)}


def value_of(query: int) -> float:
    """What comes of a query: so that no two answers are mistaken for each other."""
    return query / 64.0


class Chemist(Protocol):
    """Somebody at the page of the study; what is begun goes on while others do something."""

    def begin_asking(self) -> None:
        """Ask for a batch, and wait for nothing."""

    def asked(self) -> list[int]:
        """The queries of the batch, once they are there."""

    def tell(self, query: int) -> None:
        """The answer to a query."""


class InBrowser:
    """By clicks, in a real browser."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.goto("/studies/lab")
        page.wait_for_selector("#live[data-state=live]")

    def begin_asking(self) -> None:
        self._page.get_by_role("button", name="Ask", exact=True).click()
        self._page.get_by_label("How many").fill(str(BATCH))
        submit(self._page, "ask", "Ask")

    def asked(self) -> list[int]:
        listed = self._page.locator("#ask .answerlist li")
        listed.nth(BATCH - 1).wait_for()
        found = [re.match(r"Query (\d+): ", text) for text in listed.all_text_contents()]
        submit(self._page, "ask", "Done")
        return [int(match[1]) for match in found if match]

    def tell(self, query: int) -> None:
        self._page.locator(f"#wait-{query}").click()
        self._page.locator("#query").get_by_label("Answer").fill(str(value_of(query)))
        submit(self._page, "query", "Tell")
        self._page.locator("#query").wait_for(state="hidden")


class ByRoutes:
    """By the requests that the page makes, where there is no browser."""

    def __init__(self, pages: httpx.Client) -> None:
        self._pages = pages
        self._word = {"x-belated-word": word_in(pages.get("/studies/lab").text)}

    def begin_asking(self) -> None:
        path = "/v1/studies/lab/asks"
        self._asking = Meanwhile(lambda: self._pages.post(path, json={"count": BATCH}, headers=self._word))

    def asked(self) -> list[int]:
        return [query["id"] for query in self._asking.result().json()["queries"]]

    def tell(self, query: int) -> None:
        path = f"/v1/studies/lab/queries/{query}/answer"
        taken = self._pages.put(path, json={"value": value_of(query)}, headers=self._word)
        assert taken.json() == {"taken": 1}, taken.text


@contextmanager
def at_work(
    door: str, address: str, tokens: Mapping[str, str], request: pytest.FixtureRequest
) -> Iterator[dict[str, Chemist]]:
    """Both chemists, each signed in."""
    with ExitStack() as stack:
        if door == "browser":
            chromium = request.getfixturevalue("chromium")
            yield {name: InBrowser(stack.enter_context(visiting(chromium, address, tokens[name]))) for name in CHEMISTS}
        else:
            yield {name: ByRoutes(stack.enter_context(signed_in(address, tokens[name]))) for name in CHEMISTS}


def script(address: str, token: str) -> list[int]:
    """A program that asks and tells over HTTP, turn after turn; the queries that it told of."""
    told: list[int] = []
    with client(address, token) as robot:
        for turn in range(TURNS):
            asked = robot.post("/v1/studies/lab/asks", json={"key": f"turn {turn}"})
            told += [query["id"] for query in asked.json()["queries"]]
            answer = {"value": value_of(told[-1])}
            assert robot.put(f"/v1/studies/lab/queries/{told[-1]}/answer", json=answer).json() == {"taken": 1}
    return told


def nightly_job(address: str, token: str, file: Path) -> None:
    """Upload the file of the analyser."""
    with file.open(newline="") as lines:
        answers = {int(row["query"]): float(row["value"]) for row in csv.DictReader(lines)}
    bl.RemoteStudy.open(address, "lab", token=token).tell_many(answers)


@pytest.mark.longest
@pytest.mark.parametrize("door", ["browser", "routes"])
def test_no_query_twice_no_answer_lost_and_the_log_says_who_did_what(
    belated: Belated, tmp_path: Path, door: str, request: pytest.FixtureRequest
) -> None:
    tokens = {name: token_of(belated, name) for name in SCOPES}
    belated("create", "lab", "--space", SPACE, "--seed", 7)
    with served(tmp_path) as service, at_work(door, service.address, tokens, request) as chemists:
        night = bl.RemoteStudy.open(service.address, "lab", token=tokens["night"]).ask(BATCH)
        file = tmp_path / "night.csv"
        file.write_text("query,value\n" + "".join(f"{query.id},{value_of(query.id)}\n" for query in night))
        told = {"night": [query.id for query in night], "Ada": [], "Bob": []}
        running = Meanwhile(lambda: script(service.address, tokens["robot"]))
        for chemist in chemists.values():
            chemist.begin_asking()
        told |= {name: chemist.asked() for name, chemist in chemists.items()}
        # The job runs twice, as such jobs do.
        uploads = [Meanwhile(lambda: nightly_job(service.address, tokens["night"], file)) for _ in range(2)]
        for place in range(BATCH):
            for name, chemist in chemists.items():
                chemist.tell(told[name][place])
        for upload in uploads:
            upload.result()
        told["robot"] = running.result()
        with signed_in(service.address, tokens["Ada"]) as pages:
            shown = " ".join(parsed(pages.get("/studies/lab/log").text).texts)
    assert_all_is_in_the_log(f"sqlite:///{tmp_path / 'belated.db'}", told)
    for name, queries in told.items():
        for query in queries:
            assert f" {name} told query {query}: " in shown
            assert re.search(rf" {name} asked query {query}\b", shown)


def token_of(belated: Belated, name: str) -> str:
    """A token with the name of who has it."""
    scopes = [option for scope in SCOPES[name] for option in ("--scope", scope)]
    return str(belated("token", "create", name, *scopes, "--json").json["token"])


def assert_all_is_in_the_log(address: str, told: Mapping[str, list[int]]) -> None:
    """Every query was asked by whoever told of it, and told once; no two are the same."""
    events = bl.Study.open(address, "lab").events
    asked = [(event.by, event.body) for event in events if isinstance(event.body, Asked)]
    answers = [(event.by, event.body.query, event.body.value) for event in events if isinstance(event.body, Answered)]
    queries: list[Any] = [(name, query) for name, own in told.items() for query in own]
    assert len(queries) == 3 * BATCH + TURNS
    assert sorted((by, body.query) for by, body in asked) == sorted(queries)
    assert len({tuple(body.point.items()) for _, body in asked}) == len(asked)
    assert sorted(answers) == sorted((name, query, value_of(query)) for name, query in queries)
