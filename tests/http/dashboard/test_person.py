"""A person runs a study in a real browser, from signing in to signing out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from belated.study import Study
from tests.http.dashboard.visit import picture, submit, visiting, wait_for_tile, wait_for_trace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.mark.longest
def test_a_person_runs_a_study(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], tmp_path: Path, pictures: Path | None
) -> None:
    with visiting(chromium, address) as page:
        page.goto("/")
        page.get_by_label("Token").fill("belated_no_token")
        page.get_by_role("button", name="Sign in").click()
        assert page.get_by_role("alert").text_content() == "The token is unknown."
        page.get_by_label("Token").fill(tokens["Ada"])
        page.get_by_role("button", name="Sign in").click()
        page.goto("/new")
        create(page, pictures)
        ask_and_tell(page)
        revise_and_abandon(page, storage)
        upload(page, tmp_path)
        sort_and_filter(page)
        picture(page, pictures, "study")
        close_and_reopen(page)
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login")
        page.goto("/studies/coupling")
        page.wait_for_url("**/login?next=%2Fstudies%2Fcoupling")
    study = Study.open(storage, "coupling")
    assert {event.by for event in study.events} == {"Ada"}
    assert study.seed == 3


def create(page: Page, pictures: Path | None) -> None:
    """By the form; what the service refuses is said there."""
    page.get_by_label("Name").first.fill("coupling")
    page.get_by_label("Policy").select_option("gp-bucb")
    page.get_by_label("Seed").fill("3")
    first = page.get_by_role("group", name="Parameter", exact=True).first
    first.get_by_label("Name").fill("temperature")
    first.get_by_label("From").fill("120")
    first.get_by_label("To").fill("20")
    page.get_by_role("button", name="Add a parameter").click()
    second = page.get_by_role("group", name="Parameter", exact=True).nth(1)
    second.get_by_label("Name").fill("solvent")
    second.get_by_label("Kind").select_option("choice")
    second.get_by_label("Options").fill("DMF, THF")
    page.get_by_role("button", name="Create the study").click()
    refused = page.locator("#problem")
    refused.wait_for(state="visible")
    assert refused.text_content() == ("space: temperature: Float(120, 20): low is above high; bounds rise; swap them.")
    picture(page, pictures, "new")
    first.get_by_label("From").fill("20")
    first.get_by_label("To").fill("120")
    page.get_by_role("button", name="Create the study").click()
    page.wait_for_url("**/studies/coupling")


def ask_and_tell(page: Page) -> None:
    """The figures change with the answers."""
    page.wait_for_selector("#live[data-state=live]")
    page.wait_for_function(
        "() => document.getElementById('figure-progress').textContent === 'No query has an answer yet.'"
    )
    page.get_by_role("button", name="Ask", exact=True).click()
    submit(page, "ask", "Ask")
    page.locator("#ask .answerlist li").wait_for()
    assert (page.locator("#ask .answerlist li").text_content() or "").startswith("Query 1: temperature ")
    page.keyboard.press("Escape")
    page.locator("#wait-1").click()
    page.locator("#query").get_by_label("Answer").fill("0.5")
    submit(page, "query", "Tell")
    wait_for_tile(page, "Answered", "1")
    wait_for_tile(page, "Best answer", "0.5")
    wait_for_trace(page, "progress", "answers", 1)
    assert page.locator("#said").text_content() == "Query 1 is answered."
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_label("How many").fill("4")
    submit(page, "ask", "Ask")
    page.locator("#ask .answerlist li").nth(3).wait_for()
    submit(page, "ask", "Done")
    wait_for_tile(page, "Pending", "4")
    wait_for_trace(page, "timeline", "pending (4)", 4)


def revise_and_abandon(page: Page, storage: str) -> None:
    """What is told of a query is said where it was done, and kept."""
    page.locator("#row-1").click()
    page.locator("#query").get_by_label("A better value").fill("0.625")
    submit(page, "query", "Revise")
    wait_for_tile(page, "Best answer", "0.625")
    page.locator("#row-2").click()
    page.locator("#query summary", has_text="No answer will come").click()
    page.locator("#query").get_by_label("Why").fill("sample <b>lost</b>")
    submit(page, "query", "Abandon query 2")
    wait_for_tile(page, "Pending", "3")
    page.locator("#row-3").click()
    page.locator("#query[open] h2", has_text="Query 3").wait_for()
    # Somebody else is faster, and the refusal stands where the action was.
    Study.open(storage, "coupling").signed("Ada").tell(3, 0.75)
    page.locator("#query").get_by_label("Answer").fill("0.25")
    submit(page, "query", "Tell")
    refused = page.locator("#query form .problem").first
    refused.wait_for(state="visible")
    assert refused.text_content() == (
        "query 3: already answered with 0.75, and now given 0.25; “Revise” in its row of the table replaces the answer."
    )
    submit(page, "query", "Cancel")
    wait_for_tile(page, "Answered", "2")


def upload(page: Page, folder: Path) -> None:
    """A file is looked at first."""
    bad, good = folder / "bad.csv", folder / "good.csv"
    bad.write_text("query,value\n4,0.125\n5,much\n9,1\n")
    good.write_text("query,value\n4,0.125\n5,0.875\n")
    page.get_by_role("button", name="Upload answers").click()
    page.get_by_label("File", exact=True).set_input_files(bad)
    wrong = page.locator("#upload tr.wrong")
    wrong.first.wait_for()
    assert [entry.strip() for entry in wrong.locator("td.text").all_text_contents()] == [
        "column 'value': got 'much'; give a finite number",
        "query 9: the study has queries 1 to 5; the table of the study lists them.",
    ]
    assert page.locator("#upload-confirm").is_hidden()
    page.get_by_label("File", exact=True).set_input_files(good)
    page.locator("#upload-confirm").wait_for(state="visible")
    assert page.locator("#upload tr.wrong").count() == 0
    page.locator("#upload-confirm").click()
    wait_for_tile(page, "Answered", "4")
    wait_for_tile(page, "Best answer", "0.875")
    wait_for_trace(page, "progress", "answers", 4)
    assert page.locator("#said").text_content() == "2 rows are taken."


def shown_queries(page: Page) -> list[str]:
    return page.locator("#queries tbody th").all_inner_texts()


def sort_and_filter(page: Page) -> None:
    """The table does as it is told, and the address remembers."""
    page.locator('#queries button[data-sort="answer"]').click()
    page.wait_for_selector("th[aria-sort=ascending] >> text=Answer")
    numbers = [text.split()[-1] for text in shown_queries(page)]
    assert numbers == ["4", "1", "3", "5", "2"]
    page.get_by_label("State").select_option("abandoned")
    page.wait_for_function("() => document.querySelectorAll('#queries tbody tr').length === 1")
    assert "state=abandoned" in page.url
    page.get_by_label("State").select_option("")
    page.get_by_label("Search").fill("0.125")
    page.wait_for_function(
        "() => document.querySelector('#queries tbody tr #row-4') !== null && !document.querySelector('#row-1')"
    )
    page.reload()
    assert [text.split()[-1] for text in shown_queries(page)] == ["4"]
    page.get_by_label("Search").fill("")
    page.wait_for_selector("#row-1")


def close_and_reopen(page: Page) -> None:
    """A closed study asks nothing."""
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Close the study").click()
    page.locator("#close").get_by_label("Why").fill("good enough")
    submit(page, "close", "Close the study")
    page.locator("#state >> text=closed: good enough").wait_for()
    page.get_by_role("button", name="Ask", exact=True).wait_for(state="hidden")
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Reopen the study").click()
    submit(page, "reopen", "Reopen")
    page.get_by_role("button", name="Ask", exact=True).wait_for(state="visible")
