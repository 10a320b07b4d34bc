"""What may come of a query, in a real browser: failures, repeats, errors, other points, outcomes with names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from belated.log import AtMost, Maximize, Outcome, Signal, State
from belated.space import Choice, Float, Int, Space
from belated.study import Study
from tests.http.dashboard.visit import PHONE, picture, sideways, submit, visiting, wait_for_tile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SPACE = Space(temperature=Float(20.0, 120.0), solvent=Choice("DMF", "THF"), steps=Int(1, 8))
NAMED: dict[str, Outcome] = {"yield": Maximize(), "impurity": AtMost(2.0), "colour": Signal()}


@pytest.fixture(scope="module")
def lab(storage: str) -> Study:
    """A study with one outcome and eight queries."""
    study = Study.create(storage, "lab", SPACE, policy="random", seed=3)
    study.ask(8)
    return study


@pytest.fixture(scope="module")
def gel(storage: str) -> Study:
    """A study with three outcomes and four queries."""
    study = Study.create(storage, "gel", SPACE, outcomes=NAMED, policy="random", seed=3)
    study.ask(4)
    return study


def opened(page: Page, query: int) -> None:
    page.locator(f"#row-{query}").click()
    page.locator("#query[open] h2").wait_for()


def said(page: Page, text: str) -> None:
    page.locator("#said").get_by_text(text, exact=True).wait_for()


def refusal(page: Page) -> str:
    problem = page.locator("#query form .problem:not([hidden])")
    problem.wait_for()
    return problem.text_content() or ""


def test_a_failure_an_error_repeats_and_another_point_are_told_and_taken_back(
    chromium: Browser, address: str, lab: Study, tokens: dict[str, str], pictures: Path | None
) -> None:
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/lab")
        page.wait_for_selector("#live[data-state=live]")
        opened(page, 1)
        page.locator("#query").get_by_label("Answer").fill("0.42 ± 0.02")
        submit(page, "query", "Tell")
        said(page, "Query 1 is answered.")
        opened(page, 2)
        for wrong, words in (
            ("much", "“much” is no number; write one, as 0.42."),
            ("1,234", "“1,234” may be 1.234 or 1234; write it without the comma."),
            ("0.4; ; x", "“x” is no number; write one, as 0.42."),
        ):
            page.locator("#query").get_by_label("Answer").fill(wrong)
            submit(page, "query", "Tell")
            page.locator("#query form .problem").get_by_text(words, exact=True).wait_for()
        page.locator("#query").get_by_label("Answer").fill("0,41; 0.44; 0.4")
        picture(page, pictures, "tell")
        submit(page, "query", "Tell")
        said(page, "Query 2 is answered.")
        opened(page, 3)
        page.locator("#query").get_by_label("Answer").fill("0.5")
        page.locator("#query").get_by_text("Something else was tried than asked").click()
        page.locator("#query").get_by_label("temperature").fill("71.25")
        assert page.locator("#query").get_by_label("solvent").inner_text().startswith("instead of ")
        page.locator("#query").get_by_label("steps").fill("2.5")
        picture(page, pictures, "tried")
        submit(page, "query", "Tell")
        said(page, "Query 3 is answered.")
        opened(page, 4)
        page.locator("#query").get_by_text("It failed").click()
        page.locator("#query").get_by_label("What happened").fill("precipitated <b>")
        picture(page, pictures, "fail")
        submit(page, "query", "Query 4 failed")
        said(page, "Query 4 failed.")
        wait_for_tile(page, "Pending", "4")
        assert page.locator(".badge.failed").get_attribute("title") == "precipitated <b>"
        opened(page, 4)
        assert "precipitated <b>" in (page.locator("#query dl").text_content() or "")
        page.locator("#query").get_by_label("Reason").fill("a slip")
        submit(page, "query", "Take back")
        said(page, "It is taken back.")
        opened(page, 1)
        page.locator("#query summary", has_text="Take back").click()
        submit(page, "query", "Take back")
        page.locator("#row-1").get_by_text("Tell").wait_for()
        opened(page, 3)
        page.locator("#query").get_by_text("Something else was tried than asked").click()
        page.locator("#query").get_by_label("steps").fill("3")
        submit(page, "query", "Revise")
        said(page, "Query 3 is revised.")
        opened(page, 1)
        page.locator("#query").get_by_label("Answer").fill("0.75")
        submit(page, "query", "Tell")
        wait_for_tile(page, "Best answer", "0.75")
        picture(page, pictures, "what-came")
        page.goto("/studies/lab?state=retracted")
        assert page.locator("tbody tr").count() == 1
        page.goto("/studies/lab/log")
        picture(page, pictures, "what-came-log")
        lines = page.locator("ol.log .what").all_text_contents()
        for line in (
            "Ada told query 1: 0.42 ± 0.02",
            "Ada told query 2: 0.41667 (the mean of 3)",
            "Ada said that query 4 failed precipitated <b>",
            "Ada took back what came of query 4 a slip",
        ):
            assert line in lines
        assert any(line.startswith("Ada told what was tried for query 3 temperature 71.25, ") for line in lines)
    first, second, third, fourth = lab.queries()[:4]
    assert [query.state for query in (first, second, third, fourth)] == [State.ANSWERED] * 3 + [State.RETRACTED]
    assert second.answer is not None
    assert second.answer.repeats == (0.41, 0.44, 0.4)
    assert third.performed == {**third.point, "temperature": 71.25, "steps": 3}


def test_outcomes_have_a_field_each_and_come_one_after_the_other(
    chromium: Browser, address: str, gel: Study, tokens: dict[str, str], pictures: Path | None
) -> None:
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/gel")
        page.wait_for_selector("#live[data-state=live]")
        opened(page, 1)
        picture(page, pictures, "outcomes")
        page.locator("#query").get_by_label("colour").fill("0.3; 0.32")
        submit(page, "query", "Tell")
        said(page, "Query 1 has what came so far.")
        page.locator("#queries").get_by_text("partly answered").wait_for()
        page.locator("#waiting").get_by_text("told: colour 0.31, the mean of 2; waits for yield, impurity").wait_for()
        wait_for_tile(page, "Pending", "4")
        opened(page, 1)
        page.locator("#query").get_by_label("yield").fill("0.83 ± 0.01")
        page.locator("#query").get_by_label("impurity").fill("1.5")
        submit(page, "query", "Tell")
        wait_for_tile(page, "Best answer", "0.83")
        opened(page, 1)
        page.locator("#query").get_by_label("A better value of impurity").fill("2.5")
        submit(page, "query", "Revise")
        wait_for_tile(page, "Best answer", "–")
        opened(page, 1)
        page.locator("#query summary", has_text="Take back").click()
        page.locator("#query").get_by_label("Outcome").select_option("colour")
        submit(page, "query", "Take back")
        said(page, "It is taken back.")
        page.get_by_text("More", exact=True).click()
        page.get_by_role("button", name="Add a result never asked for").click()
        add = page.locator("#add")
        for label, value in (("temperature", "40"), ("steps", "2"), ("yield", "0.5; 0.7"), ("impurity", "1 ± 0.25")):
            add.get_by_label(label).fill(value)
        add.get_by_label("solvent").select_option("THF")
        submit(page, "add", "Add")
        wait_for_tile(page, "Best answer", "0.6")
        picture(page, pictures, "gel")
    first, *_, added = gel.queries()
    assert (set(first.answers), first.state) == ({"yield", "impurity"}, State.ANSWERED)
    assert added.answers["yield"].repeats == (0.5, 0.7)
    assert added.answers["impurity"].sd == 0.25


def test_what_came_fits_a_phone_and_is_not_offered_to_readers(
    chromium: Browser, address: str, gel: Study, lab: Study, tokens: dict[str, str], pictures: Path | None
) -> None:
    gel.tell(2, {"colour": 0.5})
    with visiting(chromium, address, tokens["Rita"], PHONE, "dark") as page:
        for study in ("gel", "lab"):
            page.goto(f"/studies/{study}")
            page.wait_for_selector("#live[data-state=live]")
            assert sideways(page) == 0
            picture(page, pictures, f"{study}-phone")
        page.locator("#row-4").click()
        page.locator("#query[open] h2").wait_for()
        assert page.locator("#query form").count() == 0


def test_a_study_is_begun_with_outcomes_or_with_what_silence_means(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], pictures: Path | None
) -> None:
    def parameter(page: Page) -> None:
        row = page.get_by_role("group", name="Parameter", exact=True)
        for label, value in (("Name", "price"), ("From", "1"), ("To", "20")):
            row.get_by_label(label).fill(value)

    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/new")
        page.locator("#name").fill("shop")
        parameter(page)
        page.get_by_label("No answer means").fill("0")
        page.get_by_role("button", name="Create the study").click()
        page.wait_for_url("**/studies/shop")
        page.goto("/new")
        page.locator("#name").fill("shop 2")
        parameter(page)
        for name, kind in (
            ("sold", "large is good"),
            ("returns", "at most a limit"),
            ("clicks", "a signal beside them"),
        ):
            page.get_by_role("button", name="Add an outcome").click()
            row = page.get_by_role("group", name="Outcome", exact=True).last
            row.get_by_label("Name").fill(name)
            row.get_by_label("Kind").select_option(kind)
        page.get_by_role("spinbutton", name="Limit").fill("0.5")
        assert page.locator("#silence").is_hidden()
        # What silence means is said of an objective, not of a limit or a signal.
        assert page.get_by_label("No answer means").locator("visible=true").count() == 1
        page.get_by_role("group", name="Outcome", exact=True).first.get_by_label("No answer means").fill("0")
        page.get_by_role("button", name="Create the study").click()
        page.locator("#problem").wait_for(state="visible")
        assert "make the others signals, or take the policy random" in (page.locator("#problem").text_content() or "")
        page.get_by_label("Policy").select_option("random")
        picture(page, pictures, "new-outcomes")
        page.get_by_role("button", name="Create the study").click()
        page.wait_for_url("**/studies/shop%202")
    assert Study.open(storage, "shop").outcomes.silence == 0.0
    declared = {"sold": Maximize(silence=0.0), "returns": AtMost(0.5), "clicks": Signal()}
    assert dict(Study.open(storage, "shop 2").outcomes) == declared
