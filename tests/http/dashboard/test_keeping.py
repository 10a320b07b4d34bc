"""The life of a study in a real browser: put away, brought back, renamed, copied, deleted after a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from belated.space import Float, Space
from belated.study import Study
from tests.http.dashboard.visit import picture, submit, visiting
from tests.serving import token_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SPACE = Space(heat=Float(0.0, 1.0))


def begun(storage: str, name: str) -> Study:
    study = Study.create(storage, name, SPACE, policy="random", seed=1)
    study.ask(2)
    study.tell(1, 0.5)
    return study


def chosen(page: Page, label: str) -> None:
    """What the menu offers under this label."""
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name=label).click()


def test_a_study_is_put_away_and_brought_back(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], pictures: Path | None
) -> None:
    study, _ = begun(storage, "season"), begun(storage, "in sight")
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/season")
        page.wait_for_selector("#live[data-state=live]")
        chosen(page, "Put it into the archive")
        page.locator("#archive").get_by_label("Why").fill("it rains")
        submit(page, "archive", "Put it there")
        page.locator("#state >> text=in the archive: it rains").wait_for()
        page.get_by_role("button", name="Ask", exact=True).wait_for(state="hidden")
        page.locator("#live").wait_for(state="hidden")
        page.goto("/")
        assert page.locator(".card h2").all_inner_texts() == ["in sight"]
        page.get_by_role("link", name="1 study in the archive").click()
        assert page.get_by_role("heading", name="Archive").is_visible()
        picture(page, pictures, "archive")
        page.get_by_role("link", name="season").click()
        page.wait_for_url("**/studies/season")
        assert page.get_by_role("button", name="Ask", exact=True).is_hidden()
        chosen(page, "Bring it back")
        submit(page, "unarchive", "Bring it back")
        page.get_by_role("button", name="Ask", exact=True).wait_for(state="visible")
        page.goto("/studies/season/log")
        assert page.get_by_text("put the study into the archive").count() == 1
    assert study.archived is None
    assert [event.by for event in study.events[-2:]] == ["Ada", "Ada"]


def test_a_study_is_renamed_and_copied_under_any_name(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    begun(storage, "old")
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/old")
        chosen(page, "Rename the study")
        assert page.get_by_label("New name").input_value() == "old"
        page.get_by_label("New name").fill("a/b")
        submit(page, "rename", "Rename")
        problem = page.locator("#rename .problem")
        problem.wait_for(state="visible")
        assert "choose another" in (problem.text_content() or "")
        page.get_by_label("New name").fill("Ångström & 100% 水")
        submit(page, "rename", "Rename")
        page.get_by_role("heading", name="Ångström & 100% 水", level=1).wait_for()
        chosen(page, "Copy the study")
        page.get_by_label("Name of the copy").fill("copy of it")
        submit(page, "copy", "Copy")
        page.get_by_role("heading", name="copy of it", level=1).wait_for()
        page.wait_for_selector("#live[data-state=live]")
    assert {"Ångström & 100% 水", "copy of it"} <= set(Study.names(storage))
    assert "old" not in Study.names(storage)


def test_a_study_is_deleted_after_a_question(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], pictures: Path | None
) -> None:
    begun(storage, "doomed")
    with (
        visiting(chromium, address, tokens["Ada"]) as page,
        visiting(chromium, address, tokens["Rita"]) as onlooker,
    ):
        onlooker.goto("/studies/doomed")
        onlooker.wait_for_selector("#live[data-state=live]")
        onlooker.locator("summary", has_text="More").click()
        for label in ("Delete the study", "Rename the study", "Copy the study", "Put it into the archive"):
            assert onlooker.get_by_role("button", name=label).count() == 0
        page.goto("/studies/doomed")
        chosen(page, "Delete the study")
        question = page.locator("#delete")
        assert "doomed and its log, with 4 events, will be gone" in question.inner_text()
        picture(page, pictures, "delete")
        question.get_by_role("button", name="Cancel").click()
        assert Study.open(storage, "doomed").archived is None
        chosen(page, "Delete the study")
        submit(page, "delete", "Delete it for good")
        page.wait_for_url(f"{address}/")
        assert page.get_by_role("link", name="doomed").count() == 0
        onlooker.get_by_text("This study was deleted, or has another name now.").wait_for()
        assert onlooker.locator("#live").is_hidden()
        page.goto("/studies/doomed")
        assert page.get_by_role("heading", name="There is no such page").is_visible()
    assert "doomed" not in Study.names(storage)


def test_whose_token_is_for_one_study_may_delete_it_and_not_rename_it(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str]
) -> None:
    begun(storage, "own")
    with visiting(chromium, address, token_for(storage, "Olga", "admin", study="own")) as page:
        page.goto("/")
        page.wait_for_url("**/studies/own")
        page.locator("summary", has_text="More").click()
        assert page.get_by_role("button", name="Rename the study").count() == 0
        assert page.get_by_role("button", name="Copy the study").count() == 0
        Study.rename(storage, "own", "own two")
        page.get_by_text("This study was deleted, or has another name now.").wait_for()
        # The service asks the database every other second what tokens open.
        while not page.url.endswith("/studies/own%20two"):
            page.goto("/")
        chosen(page, "Delete the study")
        submit(page, "delete", "Delete it for good")
        page.wait_for_url("**/login*")
    assert "own two" not in Study.names(storage)


def test_what_silence_means_is_said_and_taken_back(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], pictures: Path | None
) -> None:
    study = begun(storage, "shop")
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/shop")
        page.wait_for_selector("#live[data-state=live]")
        chosen(page, "What no answer means")
        page.locator("#silence").get_by_label("No answer means").fill("0")
        picture(page, pictures, "silence")
        submit(page, "silence", "Go on with that")
        page.locator("#state >> text=no answer means 0").wait_for()
        assert study.outcomes.silence == 0.0
        chosen(page, "What no answer means")
        page.locator("#silence").get_by_label("No answer means").fill("")
        submit(page, "silence", "Go on with that")
        page.locator("#state >> text=no answer means").wait_for(state="detached")
        page.goto("/studies/shop/log")
        assert page.get_by_text("said that no answer means 0").count() == 1
        assert page.get_by_text("said that no answer means nothing").count() == 1
    assert study.outcomes.silence is None
