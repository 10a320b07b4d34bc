"""What the pages say, to whom, and that nothing in them is more than a text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2 as httpx
import pytest
from openpyxl import load_workbook

from belated.log import Window
from belated.policies import build
from belated.service.dashboard.assets import plotly_path, static_path
from belated.space import Choice, Context, Float, Space
from belated.study import Study
from tests.http.dashboard.pages import parsed, signed_in
from tests.serving import serving, token_for

NASTY = "<script>alert('x')</script> & \"co\""
ESCAPED = "&lt;script&gt;alert(&#39;x&#39;)&lt;"
ACTIONS = ("Ask", "Upload answers", "Add a result never asked for", "Close the study")


@dataclass(frozen=True)
class Place:
    """A service with a study `lab`, one with a nasty name, one that nobody asked, and tokens by their names."""

    address: str
    storage: str
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    storage = f"sqlite:///{tmp_path_factory.mktemp('pages') / 'lab.db'}"
    space = Space(x=Float(0.0, 1.0), solvent=Choice("DMF", "THF"))
    lab = Study.create(storage, "lab", space, policy=build("gp-bucb", window=Window(2)), seed=1, by="Ada").signed("Ada")
    for _ in range(6):
        lab.ask()
    lab.tell_many({1: 0.25, 2: 0.75, 4: 0.5})
    lab.revise(4, 0.625)
    lab.abandon(5, "sample lost")
    odd = Space.from_parameters([(NASTY, Float(0.0, 1.0)), ("b", Choice(NASTY, "c"))])
    seen = Context(seen="after", wind=Float(0.0, 9.0))
    nasty = Study.create(storage, NASTY.replace("/", ""), odd, policy="sbo-kde", seed=1, context=seen).signed(NASTY)
    nasty.ask(2, worker=NASTY)
    nasty.abandon(1, NASTY)
    nasty.tell(2, 0.5, context={"wind": 3.0})
    nasty.close(NASTY)
    Study.create(storage, "quiet", space, policy="random", seed=1)
    scopes = {"admin": ("admin",), "reader": ("read",), "asker": ("read", "ask"), "teller": ("read", "tell")}
    tokens = {name: token_for(storage, name, *some) for name, some in scopes.items()}
    tokens["robot"] = token_for(storage, "robot", "ask", "tell")
    with serving(storage, open=False) as address:
        yield Place(address, storage, tokens)


@pytest.fixture
def admin(place: Place) -> Iterator[httpx.Client]:
    with signed_in(place.address, place.tokens["admin"]) as browser:
        yield browser


@pytest.mark.parametrize(
    "path, title",
    [
        ("/", "Studies"),
        ("/new", "New study"),
        ("/docs", "API"),
        ("/studies/lab", "lab"),
        ("/studies/lab/log", "Log of lab"),
        ("/studies/quiet", "quiet"),
        ("/studies/%3Cscript%3Ealert('x')%3Cscript%3E%20&%20%22co%22", NASTY.replace("/", "")),
        ("/studies/%3Cscript%3Ealert('x')%3Cscript%3E%20&%20%22co%22/log", f"Log of {NASTY.replace('/', '')}"),
    ],
)
def test_every_page_is_sound_and_needs_no_network(admin: httpx.Client, path: str, title: str) -> None:
    answer = admin.get(path)
    assert answer.status_code == 200
    page = parsed(answer.text)
    assert page.title == f"{title} · Belated"
    assert "<script>alert" not in answer.text
    for link in page.links:
        assert re.match(r"[/#?](?!/)", link), link
        if link.startswith("/static/"):
            assert admin.get(link).status_code == 200
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_names_reasons_and_workers_are_texts(admin: httpx.Client) -> None:
    nasty = "/studies/%3Cscript%3Ealert('x')%3Cscript%3E%20&%20%22co%22"
    for path in ("/", nasty, f"{nasty}/log", f"{nasty}/parts", f"{nasty}/queries/1", f"{nasty}/queries/2"):
        answer = admin.get(path)
        assert answer.status_code == 200
        assert ESCAPED in answer.text, path
        assert "<script>alert" not in answer.text
    assert NASTY in parsed(admin.get(f"{nasty}/log").text).texts
    figure = admin.get(f"{nasty}/figures/timeline").json()["figure"]
    assert figure["layout"]["height"] == 420


def test_the_overview_says_how_each_study_stands(admin: httpx.Client) -> None:
    page = admin.get("/").text
    card = re.search(
        r'<li class="card study">\s*<div class="cardhead">\s*<h2><a href="/studies/lab">.*?</li>', page, re.S
    )
    assert card is not None
    numbers = dict(re.findall(r"<dt>(\w+)</dt><dd>([\d,]+)</dd>", card[0]))
    assert numbers == {"asked": "6", "answered": "3", "pending": "2", "overdue": "1"}
    assert "<strong>0.75</strong>" in card[0]
    assert "maximize · gp-bucb(window=Window(queries=2))" in card[0]
    assert "<polyline points=" in card[0]


def test_an_empty_service_says_what_to_do_next(sqlite: str) -> None:
    with serving(sqlite) as address:
        texts = parsed(httpx.get(address).text).texts
    assert "No study yet" in texts
    assert "Create the first study" in texts


def test_a_study_that_is_not_there_is_a_page_too(admin: httpx.Client) -> None:
    for path in ("/studies/missing", "/studies/missing/log"):
        answer = admin.get(path)
        assert answer.status_code == 404
        texts = parsed(answer.text).texts
        assert "There is no such page" in texts
        said = "service: no study is named 'missing'; GET /v1/studies lists those that the token opens."
        assert said in texts


def test_an_address_that_is_made_up_is_refused_in_words(admin: httpx.Client) -> None:
    answer = admin.get("/studies/lab?page=-3")
    assert answer.status_code == 422
    texts = parsed(answer.text).texts
    assert "service: query.page: Input should be greater than or equal to 1; follow a link instead." in texts


@pytest.mark.parametrize(
    "name, seen",
    [
        ("admin", ACTIONS),
        ("reader", ()),
        ("asker", ("Ask",)),
        ("teller", ("Upload answers", "Add a result never asked for")),
    ],
)
def test_only_what_the_scopes_allow_is_shown(place: Place, name: str, seen: tuple[str, ...]) -> None:
    with signed_in(place.address, place.tokens[name]) as browser:
        page = browser.get("/studies/lab")
        texts = parsed(page.text).texts
        assert [action for action in ACTIONS if action in texts] == list(seen)
        words = {"Tell", "Revise", "View"} & set(texts)
        assert words == ({"Tell", "Revise", "View"} if name in ("admin", "teller") else {"View"})
        dialog = browser.get("/studies/lab/queries/6").text
        assert ("<form" in dialog) is (name in ("admin", "teller"))
        assert browser.get("/new").status_code == (200 if name == "admin" else 403)
        assert ("New study" in browser.get("/").text) is (name == "admin")


def test_a_token_that_may_not_read_sees_no_page(place: Place) -> None:
    with signed_in(place.address, place.tokens["robot"]) as browser:
        answer = browser.get("/studies/lab")
        assert answer.status_code == 403
        said = "token('robot'): this needs the scope 'read', and the token has ask, tell; make one that has it."
        assert said in parsed(answer.text).texts


def rows(text: str) -> list[int]:
    """The queries of the table, in its order."""
    return [int(number) for number in re.findall(r'id="row-(\d+)"', text)]


@pytest.mark.parametrize(
    "wish, expected",
    [
        ("", [6, 5, 4, 3, 2, 1]),
        ("sort=query&order=up", [1, 2, 3, 4, 5, 6]),
        ("sort=answer", [2, 4, 1, 3, 5, 6]),
        ("sort=answer&order=up", [1, 4, 2, 3, 5, 6]),
        ("sort=nothing", [6, 5, 4, 3, 2, 1]),
        ("state=pending", [6, 3]),
        ("state=overdue", [3]),
        ("state=answered&sort=answer&order=up", [1, 4, 2]),
        ("state=abandoned", [5]),
        ("state=added", []),
        ("text=sample+LOST", [5]),
        ("text=%234", [4]),
        ("text=nothing+like+it", []),
    ],
)
def test_the_table_is_sorted_and_filtered(admin: httpx.Client, wish: str, expected: list[int]) -> None:
    text = admin.get(f"/studies/lab/parts?{wish}").text
    assert rows(text) == expected
    assert rows(admin.get(f"/studies/lab?{wish}").text) == expected
    assert ("No query is like that." in text) is (not expected)


def test_the_table_says_by_which_column_it_is_sorted(admin: httpx.Client) -> None:
    text = admin.get("/studies/lab/parts?sort=point.x&order=up").text
    found = re.findall(r'<th scope="col"[^>]*aria-sort="(\w+)"><button[^>]*data-sort="([^"]+)"', text)
    assert {key: order for order, key in found} == {
        "query": "none",
        "state": "none",
        "answer": "none",
        "point.x": "ascending",
        "point.solvent": "none",
        "asked": "none",
        "waited": "none",
        "worker": "none",
    }


def test_a_large_table_comes_in_pages(place: Place) -> None:
    study = Study.create(place.storage, "large", Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    study.add_many([({"x": place / 119}, float(place)) for place in range(120)])
    with signed_in(place.address, place.tokens["reader"]) as browser:
        first, last, beyond = (browser.get(f"/studies/large/parts?sort=answer&page={page}").text for page in (1, 3, 99))
    assert rows(first) == list(range(120, 70, -1))
    assert "1 to 50 of 120" in first
    assert rows(last) == rows(beyond) == list(range(20, 0, -1))
    assert "101 to 120 of 120" in last
    assert 'data-page="3"' in first


def test_tables_and_logs_can_be_taken_away(admin: httpx.Client) -> None:
    table = admin.get("/studies/lab/table.csv")
    named = "attachment; filename=\"queries.csv\"; filename*=UTF-8''lab%20queries.csv"
    assert table.headers["content-disposition"] == named
    found = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["state"] for row in found] == [
        "answered",
        "answered",
        "overdue",
        "answered",
        "abandoned",
        "pending",
    ]
    assert found[3]["value"] == "0.625"
    assert len(admin.get("/v1/studies/lab/export").text.splitlines()) == 12


def test_the_queries_of_one_ask_can_be_taken_away_alone(admin: httpx.Client) -> None:
    table = admin.get("/studies/lab/table.csv?query=4&query=2").text
    assert [row["id"] for row in csv.DictReader(io.StringIO(table))] == ["4", "2"]
    missing = admin.get("/studies/lab/table.csv?query=99")
    assert missing.status_code == 404
    assert "the study has 6 queries; give one of them." in missing.text
    assert admin.get("/studies/lab/table.csv?query=0").status_code == 422
    assert admin.get("/studies/lab/table.ods").status_code == 422


def test_what_is_waited_for_can_be_taken_away_as_a_sheet_to_fill_in(admin: httpx.Client) -> None:
    sheet = admin.get("/studies/lab/sheet.csv")
    assert sheet.headers["content-disposition"].endswith("lab%203%20to%206.csv")
    header, *lines = csv.reader(io.StringIO(sheet.text))
    assert (header[0], header[-3:]) == ("id", ["value", "state", "comment"])
    assert [line[0] for line in lines] == ["3", "6"]
    book = admin.get("/studies/lab/sheet.xlsx?query=4")
    assert book.headers["content-type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert book.headers["content-disposition"].endswith("lab%204.xlsx")
    rows = list(load_workbook(io.BytesIO(book.content)).active.values)
    assert [(*row[:1], *row[-3:]) for row in rows] == [("id", "value", "state", "comment"), (4, 0.625, None, None)]
    assert admin.get("/studies/lab/sheet.csv?query=99").status_code == 404
    table = load_workbook(io.BytesIO(admin.get("/studies/lab/table.xlsx").content)).active
    assert [row[0] for row in table.values] == ["id", 1, 2, 3, 4, 5, 6]


def test_the_log_says_who_did_what_newest_first(admin: httpx.Client) -> None:
    page = admin.get("/studies/lab/log").text
    entries = re.findall(r'<span class="what"><strong>(.*?)</strong> (.*?)(?: <span|</span>)', page)
    assert entries[:3] == [
        ("Ada", "abandoned query 5"),
        ("Ada", "revised query 4: 0.625"),
        ("Ada", "told query 4: 0.5"),
    ]
    assert entries[-1] == ("Ada", "created the study")
    older = admin.get("/studies/lab/log?before=3").text
    assert re.findall(r'<span class="number">(\d+)</span>', older) == ["2", "1"]
    assert 'rel="prev"' in older
    assert 'rel="next"' not in older


def test_the_reference_names_every_route_with_its_scope(place: Place) -> None:
    page = httpx.get(f"{place.address}/docs").text
    parsed(page)
    described = httpx.get(f"{place.address}/v1/openapi.json").json()["paths"]
    wanted = {(method.upper(), path) for path, methods in described.items() for method in methods}
    shown = re.findall(
        r'class="method \w+">(\w+)</span> <code>(.*?)</code>(?: <span class="scope">scope (\w+)</span>)?', page
    )
    assert {(method, path) for method, path, _ in shown} == wanted
    scopes = {(method, path): scope for method, path, scope in shown}
    assert scopes["POST", "/v1/studies/{study}/asks"] == "ask"
    assert scopes["PUT", "/v1/studies/{study}/closure"] == "admin"
    assert scopes["GET", "/health/live"] == ""
    assert "&#34;query&#34;: 1" in page


@pytest.mark.parametrize("kind", ["progress", "timeline", "delays", "waits", "belief", "pairs"])
def test_figures_come_as_plotly_draws_them_or_say_why_not(admin: httpx.Client, kind: str) -> None:
    drawn = admin.get(f"/studies/lab/figures/{kind}").json()
    assert drawn["lacking"] == ""
    assert drawn["figure"]["data"]
    assert "title" not in drawn["figure"]["layout"] or not drawn["figure"]["layout"]["title"].get("text")
    quiet = admin.get(f"/studies/quiet/figures/{kind}").json()
    assert quiet["figure"] is None
    assert quiet["lacking"] in ("No query has an answer yet.", "Nothing has been asked yet.")


def test_the_bars_of_waiting_queries_are_those_that_grow(admin: httpx.Client) -> None:
    figure = admin.get("/studies/lab/figures/timeline").json()["figure"]
    grows = {trace["name"]: trace.get("meta") for trace in figure["data"] if trace["mode"] == "markers"}
    assert grows == {
        "answered (3)": None,
        "pending (1)": {"grows": "ends"},
        "overdue (1)": {"grows": "ends"},
        "abandoned (1)": None,
    }
    assert [trace.get("meta") for trace in figure["data"] if trace["mode"] == "lines"].count({"grows": "spans"}) == 2
    assert set(figure["layout"]["meta"]) == {"began", "length", "now"}


def test_a_law_of_contexts_has_its_figure_where_there_is_one(admin: httpx.Client) -> None:
    nasty = "/studies/%3Cscript%3Ealert('x')%3Cscript%3E%20&%20%22co%22"
    figure = admin.get(f"{nasty}/figures/contexts").json()["figure"]
    assert [trace["name"] for trace in figure["data"]] == ["seen (1)", "reckoned with"]
    refused = admin.get("/studies/lab/figures/contexts")
    assert refused.status_code == 404
    assert refused.json()["error"]["kind"] == "unknown-name"


def test_assets_are_kept_for_long_under_addresses_that_change(place: Place) -> None:
    for path, kind in ((plotly_path(), "text/javascript"), (static_path("dashboard.css"), "text/css")):
        zipped = httpx.get(place.address + path)
        assert zipped.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert zipped.headers["content-type"].startswith(kind)
        assert zipped.headers["content-encoding"] == "gzip"
        assert httpx.get(place.address + path, headers={"accept-encoding": "identity"}).text == zipped.text
    for path in ("/static/0/dashboard.css", "/static/0/plotly.js", static_path("page.js").replace("page", "nothing")):
        assert httpx.get(place.address + path).status_code == 404


@pytest.mark.parametrize("path, status", [("/foo", 404), ("/studies/lab/", 404), ("/studies", 404), ("/logout", 405)])
def test_an_address_that_leads_nowhere_is_a_page_to_people_and_json_to_programs(
    place: Place, path: str, status: int
) -> None:
    with signed_in(place.address, place.tokens["reader"]) as browser:
        shown = browser.get(path)
        assert (shown.status_code, shown.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert shown.headers.get("allow") == ("POST" if status == 405 else None)
        page = parsed(shown.text)
        assert {"There is no such page", "reader", "To the studies"} <= set(page.texts)
        assert any(text.startswith(f"Nothing is to be seen at {path}. ") for text in page.texts)
        told = browser.get(path, headers={"accept": "application/json"})
    assert (told.status_code, told.json()["error"]["kind"]) == (status, "method" if status == 405 else "unknown-route")
    assert "Sign in" in parsed(httpx.get(f"{place.address}{path}", headers={"accept": "text/html"}).text).texts


def test_what_is_for_programs_is_json_in_a_browser_too(place: Place) -> None:
    refused = httpx.get(f"{place.address}/v1/foo", headers={"accept": "text/html"})
    assert (refused.status_code, refused.json()["error"]["kind"]) == (404, "unknown-route")
