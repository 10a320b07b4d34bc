"""The pages in a real browser: live, by keyboard, on a phone, by dark, and for those who may only look."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from belated.log import Window
from belated.policies import build
from belated.space import Choice, Context, Float, Int, Space
from belated.storage import tokens_of
from belated.study import Study
from belated.study.files.batch import RESOLUTION
from tests.http.dashboard.visit import (
    PHONE,
    WIDE,
    drawn,
    look_at,
    picture,
    sideways,
    snapshot,
    submit,
    visiting,
    wait_for_tile,
    wait_for_trace,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SPACE = Space(temperature=Float(20.0, 120.0), solvent=Choice("DMF", "THF"), steps=Int(1, 8))


@pytest.fixture(scope="module")
def lab(storage: str) -> Study:
    """A study in which some of everything has happened."""
    study = Study.create(storage, "lab", SPACE, policy=build("gp-bucb", window=Window(6)), seed=3)
    for value in (0.2, 0.7, None, 0.4, 0.9, None, None, None, 0.5, None):
        [query] = study.ask(1)
        if value is not None:
            study.tell(query, value)
    study.abandon(8, "sample lost")
    return study


def test_what_others_tell_appears_by_itself_and_moves_nothing(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    study = Study.create(storage, "watched", SPACE, policy="random", seed=1)
    study.ask(4)
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/watched")
        page.wait_for_selector("#live[data-state=live]")
        wait_for_trace(page, "timeline", "pending (4)", 4)
        page.evaluate(
            """() => {
              window.moved = 0;
              const note = (list) => { for (const entry of list.getEntries()) window.moved += entry.value; };
              new PerformanceObserver(note).observe({type: "layout-shift"});
            }"""
        )
        study.tell(2, 0.5)
        study.tell(1, 0.75)
        wait_for_tile(page, "Answered", "2")
        wait_for_trace(page, "progress", "answers", 2)
        wait_for_trace(page, "timeline", "answered (2)", 2)
        best = next(trace for trace in drawn(page, "progress") if trace["name"] == "best answer so far")
        assert best["y"] == [0.5, 0.75, 0.75]
        assert page.evaluate("window.moved") < 0.02


def test_a_tab_that_nobody_looks_at_lets_go_and_catches_up(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    study = Study.create(storage, "hidden", SPACE, policy="random", seed=1)
    study.ask(2)
    turn = """(hidden) => {
      Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/hidden")
        page.wait_for_selector("#live[data-state=live]")
        page.evaluate(turn, True)
        page.wait_for_selector("#live >> text=paused")
        study.tell(1, 0.5)
        page.evaluate(turn, False)
        wait_for_tile(page, "Answered", "1")
        page.wait_for_selector("#live[data-state=live]")


def test_who_may_no_longer_look_is_led_to_the_login(
    chromium: Browser, address: str, storage: str, lab: Study, tokens: dict[str, str]
) -> None:
    with visiting(chromium, address, tokens["Guest"]) as page:
        page.goto("/studies/lab")
        page.wait_for_selector("#live[data-state=live]")
        tokens_of(storage).revoke("Guest", 1.0)
        page.wait_for_url("**/login?next=%2Fstudies%2Flab")
        assert page.get_by_role("alert").text_content() == "Token('Guest'): it was revoked."


def test_bars_of_waiting_queries_grow_with_the_time(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    Study.create(storage, "growing", SPACE, policy="random", seed=1).ask()
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/growing")
        wait_for_trace(page, "timeline", "pending (1)", 1)
        end = "document.getElementById('figure-timeline').data.find((trace) => trace.name === 'pending (1)').x[0]"
        before = page.evaluate(end)
        page.wait_for_function(f"() => {end} > {before + 1.0}")
        line = page.evaluate("document.getElementById('figure-timeline').data[0].x[1]")
        assert line > before + 1.0
        # Drawn anew in other colours, neither the bar nor the line of the present goes back to when it was fetched.
        ink = "document.getElementById('figure-timeline').layout.font.color"
        light = page.evaluate(ink)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(f"() => {ink} !== '{light}'")
        shown = page.evaluate(f"[{end}, document.getElementById('figure-timeline').layout.shapes[0].x0]")
        assert min(shown) >= line


def test_a_reader_sees_everything_and_changes_nothing(
    chromium: Browser, address: str, lab: Study, tokens: dict[str, str], pictures: Path | None
) -> None:
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/lab")
        for kind in ("progress", "timeline", "delays", "belief", "waits", "pairs"):
            look_at(page, kind)
            page.wait_for_selector(f"#figure-{kind} .main-svg")
        for name in ("Ask", "Upload answers", "Tell", "Revise", "Abandon", "Close the study"):
            assert page.get_by_role("button", name=re.compile(rf"^{name}\b")).count() == 0
        page.locator("#row-5").click()
        page.locator("#query[open] h2").wait_for()
        assert page.locator("#query form").count() == 0
        page.keyboard.press("Escape")
        assert page.locator("#query").is_hidden()
        picture(page, pictures, "reader")


def test_a_phone_shows_all_pages_without_scrolling_sideways(
    chromium: Browser, address: str, lab: Study, tokens: dict[str, str], pictures: Path | None
) -> None:
    with visiting(chromium, address, tokens["Ada"], PHONE) as page:
        for path in ("/", "/new", "/docs", "/studies/lab/log", "/studies/missing", "/studies/lab"):
            page.goto(path)
            assert sideways(page) == 0, path
        look_at(page, "belief")
        page.wait_for_selector("#figure-belief .main-svg")
        assert sideways(page) == 0
        assert page.evaluate("document.getElementById('figure-belief').layout.xaxis2.domain") == [0, 1]
        assert page.evaluate("document.getElementById('figure-belief').layout.dragmode") is False
        picture(page, pictures, "phone")
        page.locator("#wait-10").click()
        assert sideways(page) == 0
        snapshot(page, pictures, "phone-dialog")


def test_long_names_do_not_make_a_phone_scroll_sideways(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    long = "n" * 100
    space = Space.from_parameters([(f"{long}{place}", Choice("o" * 90, "p")) for place in range(2)])
    study = Study.create(storage, long, space, policy="random", seed=1)
    study.ask(2, worker="w" * 90)
    study.abandon(1, "r" * 300)
    study.close("c" * 300)
    with visiting(chromium, address, tokens["Ada"], PHONE) as page:
        for path in ("/", f"/studies/{long}/log", f"/studies/{long}"):
            page.goto(path)
            assert sideways(page) == 0, path
        for query in ("#row-1", "#row-2"):
            page.locator(query).click()
            page.locator("#query[open]").wait_for()
            assert page.evaluate(
                "document.getElementById('query').scrollWidth <= document.getElementById('query').clientWidth"
            )
            page.keyboard.press("Escape")


def test_figures_follow_the_light(
    chromium: Browser, address: str, lab: Study, tokens: dict[str, str], pictures: Path | None
) -> None:
    with visiting(chromium, address, tokens["Ada"], colours="dark") as page:
        page.goto("/studies/lab")
        page.wait_for_selector("#figure-progress .main-svg")
        colour = "document.getElementById('figure-progress').layout.font.color"
        assert page.evaluate(colour) == "#a3abb8"
        look_at(page, "belief")
        page.wait_for_selector("#figure-belief .main-svg")
        picture(page, pictures, "dark")
        page.emulate_media(color_scheme="light")
        page.wait_for_function(f"() => {colour} === '#5b6472'")
        page.goto("/")
        picture(page, pictures, "overview")


def test_a_keyboard_is_enough_to_ask(chromium: Browser, address: str, storage: str, tokens: dict[str, str]) -> None:
    study = Study.create(
        storage,
        "keys",
        SPACE,
        policy="random",
        seed=1,
        context=Context(seen="before", hour=Float(0.0, 24.0), day=Choice("work", "rest")),
    )
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/keys")
        page.wait_for_selector("#live[data-state=live]")
        page.keyboard.press("Tab")
        focused = "document.activeElement.textContent.trim()"
        assert page.evaluate(focused) == "Skip to the content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == "Ask"
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        page.keyboard.press("Enter")
        page.locator("#ask[open]").wait_for()
        page.keyboard.press("Control+A")
        page.keyboard.type("2")
        for _ in range(2):
            page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.labels[0].textContent") == "hour"
        page.keyboard.type("13.5")
        page.keyboard.press("Tab")
        page.keyboard.press("w")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.locator("#ask .answerlist li").nth(1).wait_for()
        page.keyboard.press("Escape")
        assert page.locator("#ask").is_hidden()
        assert page.evaluate(focused) == "Ask"
        assert page.evaluate("document.activeElement.closest('dialog')") is None
    asked = study.queries()
    assert {tuple(query.context.items()) for query in asked if query.context} == {(("hour", 13.5), ("day", "work"))}


def test_what_to_use_is_said_in_a_context_once_there_are_answers(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    study = Study.create(storage, "hours", SPACE, seed=1, context=Context(seen="before", hour=Float(0.0, 24.0)))
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/hours")
        page.wait_for_selector("#live[data-state=live]")
        page.locator("summary", has_text="More").click()
        page.get_by_role("button", name="What to use now").click()
        page.locator("#recommend").get_by_label("hour").fill("13.5")
        page.keyboard.press("Enter")
        page.locator("#recommend .problem").get_by_text("no query has an answer yet").wait_for()
        for query in study.ask(3, context={"hour": 12.0}):
            study.tell(query, query.point["temperature"] / 120.0)
        submit(page, "recommend", "Recommend")
        page.locator("#recommend dt").get_by_text("expected there").wait_for()
        assert page.locator("#recommend").get_by_label("hour").input_value() == "13.5"


def test_who_has_asked_is_done_and_takes_what_was_asked_away(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], tmp_path: Path, pictures: Path | None
) -> None:
    study = Study.create(storage, "batch", SPACE, policy="random", seed=1)
    study.ask(2)
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/batch")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_label("How many").fill("3")
        submit(page, "ask", "Ask")
        page.locator("#ask .answerlist li").nth(2).wait_for()
        snapshot(page, pictures, "asked")
        # There is nothing to ask more with, neither by another click nor by the Enter key.
        assert page.locator("#ask button.primary:visible").all_inner_texts() == ["Done"]
        assert page.locator("#ask input:visible").count() == 0
        with page.expect_download() as download:
            page.locator("#ask").get_by_role("link", name="CSV").click()
        assert download.value.suggested_filename == "batch 3 to 5.csv"
        download.value.save_as(tmp_path / "queries.csv")
        page.locator("#ask button.primary:visible").focus()
        page.keyboard.press("Enter")
        assert page.locator("#ask").is_hidden()
        with (tmp_path / "queries.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["id"] for row in rows] == ["3", "4", "5"]
        asked = [query.point["temperature"] for query in study.pending()[2:]]
        assert [float(row["temperature"]) for row in rows] == pytest.approx(asked, abs=100.0 * RESOLUTION)
        # Filled in as far as one knows, it is told back.
        rows[1]["value"] = "0.5"
        with (tmp_path / "queries.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        page.get_by_role("button", name="Upload answers").click()
        page.get_by_label("File", exact=True).set_input_files(tmp_path / "queries.csv")
        page.locator("#upload-confirm").click()
        wait_for_tile(page, "Answered", "1")
        # Whoever asks again begins anew.
        page.get_by_role("button", name="Ask", exact=True).click()
        assert page.locator("#ask button.primary:visible").all_inner_texts() == ["Ask"]
    assert study.record().counts.asked == 5
    assert study.queries()[3].answer is not None
    assert study.queries()[3].performed is None


def test_a_study_in_which_nothing_was_asked_says_so_in_one_card_until_something_is(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], pictures: Path | None
) -> None:
    study = Study.create(storage, "new", SPACE, policy="random", seed=1)
    for size, name in ((WIDE, "empty"), (PHONE, "empty-phone")):
        with visiting(chromium, address, tokens["Ada"], size) as page:
            page.goto("/studies/new")
            page.wait_for_selector("#live[data-state=live]")
            assert page.get_by_role("heading", name="Nothing was asked yet").is_visible()
            assert page.get_by_text("Drawing …").locator("visible=true").count() == 0
            assert page.evaluate("document.body.scrollHeight") < 1.3 * size[1]
            snapshot(page, pictures, name, whole=True)
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/new")
        page.wait_for_selector("#live[data-state=live]")
        assert page.get_by_role("button", name="Ask for the first query").count() == 0
        study.ask()
        wait_for_trace(page, "timeline", "pending (1)", 1)
        assert page.get_by_role("heading", name="Nothing was asked yet").is_hidden()
        assert page.locator(".tile").first.inner_text().split() == ["Asked", "1", "query"]


def test_a_closed_study_is_not_called_live(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], pictures: Path | None
) -> None:
    study = Study.create(storage, "over", SPACE, policy="random", seed=1)
    study.ask()
    study.tell(1, 0.5)
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto("/studies/over")
        page.wait_for_selector("#live[data-state=live]")
        study.close("good enough")
        page.locator("#live").wait_for(state="hidden")
        assert "closed: good enough" in page.locator(".chips").inner_text()
        assert "live" not in page.locator(".chips").inner_text()
        page.reload()
        page.wait_for_selector("#figure-progress .main-svg")
        assert page.locator("#live").is_hidden()
        snapshot(page, pictures, "closed")
        study.reopen()
        page.wait_for_selector("#live[data-state=live]")


def test_contexts_seen_after_the_decision_are_told_with_the_answer(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    study = Study.create(
        storage, "weather", SPACE, policy="sbo-kde", seed=1, context=Context(seen="after", rain=Float(0.0, 30.0))
    )
    study.ask(2)
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/weather")
        look_at(page, "contexts")
        page.wait_for_function(
            "() => document.getElementById('figure-contexts').textContent === 'No context has been seen yet.'"
        )
        page.locator("#row-1").click()
        page.locator("#query").get_by_label("rain").fill("12.5")
        submit(page, "query", "Tell")
        look_at(page, "contexts")
        page.wait_for_selector("#figure-contexts .main-svg")
        assert [trace["name"] for trace in drawn(page, "contexts")] == ["seen (1)", "reckoned with"]
    assert study.queries()[0].context == {"rain": 12.5}


def test_a_link_from_another_site_finds_who_is_signed_in(
    chromium: Browser, address: str, lab: Study, tokens: dict[str, str]
) -> None:
    elsewhere = address.replace("127.0.0.1", "localhost")
    with visiting(chromium, address, tokens["Rita"]) as page:
        page.goto(f"{elsewhere}/docs")
        page.evaluate("(there) => { location.href = there; }", f"{address}/studies/lab?state=answered")
        page.wait_for_selector("#study")
        assert page.url == f"{address}/studies/lab?state=answered"
    with visiting(chromium, address) as page:
        page.goto(f"{elsewhere}/docs")
        page.evaluate("(there) => { location.href = there; }", f"{address}/studies/lab?state=answered")
        page.wait_for_url("**/login?next=%2Fstudies%2Flab%3Fstate%3Danswered")
