"""A token is pasted once, kept where scripts cannot read it, and useless to other sites."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx2 as httpx
import pytest

from belated.service import ServiceSettings, create_app
from belated.service.dashboard.login import local
from belated.space import Float, Space
from belated.storage import tokens_of
from belated.study import Study
from tests.http.dashboard.pages import parsed, signed_in, word_in
from tests.serving import serving, token_for

UNKNOWN = "The token is unknown."


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('dashboard') / 'lab.db'}"
    for name in ("lab", "other"):
        Study.create(url, name, Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    return url


@pytest.fixture(scope="module")
def tokens(storage: str) -> dict[str, str]:
    found = {
        "Ada": token_for(storage, "Ada", "admin"),
        "Bob": token_for(storage, "Bob", "read", "tell", study="lab"),
        "Eve": token_for(storage, "Eve", "read", days=1e-9),
        "Mallory": token_for(storage, "Mallory", "admin"),
    }
    tokens_of(storage).revoke("Mallory", 1.0)
    return found


@pytest.fixture(scope="module")
def ada(tokens: dict[str, str]) -> str:
    return tokens["Ada"]


@pytest.fixture(scope="module")
def address(storage: str, tokens: dict[str, str]) -> Iterator[str]:
    with serving(storage, open=False) as place:
        yield place


@pytest.mark.parametrize(
    "wanted, there",
    [
        ("/", "/login"),
        ("/studies/lab", "/login?next=%2Fstudies%2Flab"),
        ("/studies/lab?state=pending", "/login?next=%2Fstudies%2Flab%3Fstate%3Dpending"),
        ("/studies/lab/log", "/login?next=%2Fstudies%2Flab%2Flog"),
        ("/studies/lab/table.csv", "/login?next=%2Fstudies%2Flab%2Ftable.csv"),
        # A study may be called 100%25, or 50% é.
        ("/studies/100%2525", "/login?next=%2Fstudies%2F100%252525"),
        ("/studies/50%25%20%C3%A9", "/login?next=%2Fstudies%2F50%2525%2520%25C3%25A9"),
        ("/new", "/login?next=%2Fnew"),
    ],
)
def test_who_is_not_signed_in_is_sent_to_do_so(address: str, wanted: str, there: str) -> None:
    answer = httpx.get(address + wanted)
    assert (answer.status_code, answer.headers["location"]) == (303, there)


def test_parts_of_pages_are_refused_in_json_to_who_is_not_signed_in(address: str) -> None:
    for part in ("parts", "figures/progress", "queries/1"):
        answer = httpx.get(f"{address}/studies/lab/{part}")
        assert (answer.status_code, answer.json()["error"]["kind"]) == (401, "access")


def test_a_token_opens_the_page_that_was_wanted(address: str, ada: str) -> None:
    page = parsed(httpx.get(f"{address}/login?next=/studies/lab").text)
    assert page.title == "Sign in · Belated"
    answer = httpx.post(f"{address}/login", data={"token": f" {ada}\n", "next": "/studies/lab"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/studies/lab")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"belated_token={ada};")
    kept = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert kept == {"httponly", "max-age=2592000", "path=/", "samesite=strict"}
    with signed_in(address, ada) as browser:
        assert "Ada" in parsed(browser.get("/studies/lab").text).texts
        assert browser.get("/login?next=/studies/lab").headers["location"] == "/studies/lab"


@pytest.mark.parametrize("token", ["", "secret", "belated_0123_wrong"])
def test_a_wrong_token_gets_the_page_again_with_the_reason(address: str, token: str) -> None:
    answer = httpx.post(f"{address}/login", data={"token": token, "next": "/studies/lab"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert UNKNOWN in parsed(answer.text).texts
    assert 'name="next" value="/studies/lab"' in answer.text
    if token:
        assert token not in answer.text


@pytest.mark.parametrize(
    "name, reason", [("Eve", "Token('Eve'): it has expired."), ("Mallory", "Token('Mallory'): it was revoked.")]
)
def test_a_token_that_has_ended_leads_back_to_the_login_and_is_told_so(
    address: str, tokens: dict[str, str], name: str, reason: str
) -> None:
    answer = httpx.post(f"{address}/login", data={"token": tokens[name]})
    assert answer.status_code == 401
    assert reason in parsed(answer.text).texts
    kept = {"cookie": f"belated_token={tokens[name]}"}
    wanted = httpx.get(f"{address}/studies/lab", headers=kept)
    assert wanted.headers["location"] == "/login?next=%2Fstudies%2Flab"
    assert reason in parsed(httpx.get(f"{address}/login", headers=kept).text).texts


def test_the_cookie_of_a_service_behind_https_goes_over_nothing_else(storage: str, ada: str) -> None:
    app = create_app(ServiceSettings(storage, secure=True))

    async def signing_in() -> str:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="https://lab.example") as browser:
            answer = await browser.post("/login", data={"token": ada})
            return str(answer.headers["set-cookie"])

    assert "; Secure" in asyncio.run(signing_in())


def test_signing_in_is_refused_to_other_sites(address: str, ada: str) -> None:
    for headers in ({"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}):
        answer = httpx.post(f"{address}/login", data={"token": ada}, headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
        assert f"the request comes from {headers.get('origin', 'another site')}, and not from" in answer.text


def test_a_change_by_cookie_needs_the_word_of_the_page(address: str, ada: str) -> None:
    with signed_in(address, ada) as browser:
        word = word_in(browser.get("/studies/lab").text)
        refused = browser.post("/v1/studies/lab/asks", json={})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "forbidden")
        foreign = {"x-belated-word": word, "origin": "https://elsewhere.example"}
        assert browser.post("/v1/studies/lab/asks", json={}, headers=foreign).status_code == 403
        assert browser.post("/v1/studies/lab/asks", json={}, headers={"x-belated-word": word}).status_code == 200
        upload = {"file": ("a.csv", b"query,value\n1,0.5\n", "text/csv")}
        assert browser.post("/studies/lab/upload", files=upload).status_code == 403
        assert browser.post("/studies/lab/upload", files=upload, headers={"x-belated-word": word}).status_code == 200


def test_signing_out_forgets_the_token(address: str, ada: str) -> None:
    with signed_in(address, ada) as browser:
        word = word_in(browser.get("/").text)
        assert browser.post("/logout").status_code == 403
        answer = browser.post("/logout", headers={"x-belated-word": word})
        assert answer.status_code == 204
        assert answer.headers["set-cookie"].startswith('belated_token=""; ')
        assert browser.get("/").headers["location"] == "/login"


def test_on_a_machine_without_tokens_nobody_signs_in(sqlite: str) -> None:
    Study.create(sqlite, "lab", Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    with serving(sqlite) as address:
        page = httpx.get(f"{address}/studies/lab")
        assert page.status_code == 200
        assert "this machine" in parsed(page.text).texts
        assert "Sign out" not in page.text
        assert httpx.get(f"{address}/login").headers["location"] == "/"
        assert httpx.get(f"{address}/", headers={"host": "elsewhere.example"}).status_code == 403


def test_a_token_for_one_study_is_led_to_it(address: str, tokens: dict[str, str]) -> None:
    with signed_in(address, tokens["Bob"]) as browser:
        assert browser.get("/").headers["location"] == "/studies/lab"
        assert browser.get("/studies/lab").status_code == 200
        refused = browser.get("/studies/other")
        assert refused.status_code == 403
        assert "token('Bob'): it opens the study 'lab' alone; make one for this." in parsed(refused.text).texts


@pytest.mark.parametrize("wanted", ["/", "/studies/lab?state=pending", "/studies/a%20b", "/new"])
def test_after_signing_in_one_goes_on_to_a_page_of_ours(wanted: str) -> None:
    assert local(wanted) == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "//elsewhere.example",
        "/\\elsewhere.example",
        "https://elsewhere.example",
        "studies",
        "/a\nb",
        "/login",
        "//[",
    ],
)
def test_after_signing_in_one_goes_nowhere_else(wanted: str) -> None:
    assert local(wanted) == "/"
