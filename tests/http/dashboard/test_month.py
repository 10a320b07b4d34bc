"""A laboratory's month in a real browser: sheets out and in, colour the same evening, yield a week later."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from openpyxl import load_workbook

from belated.log import Maximize, Outcome, Signal, State
from belated.space import Choice, Float, Space
from belated.study import Study
from tests.http.dashboard.visit import picture, submit, visiting, wait_for_tile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SPACE = Space(temperature=Float(20.0, 120.0), loading=Float(1e-3, 0.1, log=True), solvent=Choice("DMF", "THF"))
NAMED: dict[str, Outcome] = {"yield": Maximize(), "colour": Signal()}
FLASKS = 8


def test_a_laboratorys_month(
    chromium: Browser, address: str, storage: str, tokens: dict[str, str], tmp_path: Path, pictures: Path | None
) -> None:
    study = Study.create(storage, "gel", SPACE, outcomes=NAMED, seed=7)
    with visiting(chromium, address, tokens["Ada"]) as page:
        page.goto("/studies/gel")
        page.wait_for_selector("#live[data-state=live]")
        ask(page, tmp_path / "evening.csv", "CSV")
        tell_the_colours(page, tmp_path / "evening.csv")
        wait_for_tile(page, "Pending", str(FLASKS))
        with page.expect_download() as download:
            page.locator("#waiting").get_by_role("link", name="Excel").click()
        assert download.value.suggested_filename == "gel 1 to 8.xlsx"
        download.value.save_as(tmp_path / "week.xlsx")
        ask(page, tmp_path / "next.xlsx", "Excel")
        tell_the_yields(page, tmp_path / "week.xlsx", pictures)
        wait_for_tile(page, "Answered", str(FLASKS - 4))
        take_back_and_fail(page)
        page.locator("#queries").get_by_text("the vial was not clean").wait_for()
        page.locator("#tiles").get_by_text("3 failed, 1 abandoned, 1 taken back").wait_for()
        picture(page, pictures, "month")
        what_to_use(page, pictures)
    told = study.queries()[:FLASKS]
    assert [query.state for query in told] == [
        State.RETRACTED,
        State.ANSWERED,
        State.FAILED,
        State.ANSWERED,
        State.FAILED,
        State.ABANDONED,
        State.PENDING,
        State.ANSWERED,
    ]
    assert all(query.answers["colour"].value == 0.25 for query in told)
    assert told[1].performed == {**told[1].point, "temperature": 71.5}
    assert told[3].answers["yield"].repeats == (0.41, 0.44, 0.4)
    assert [query.id for query in study.queries() if query.performed is not None] == [2]


def ask(page: Page, path: Path, kind: str) -> None:
    """Ask for a batch, and take its sheet away."""
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_label("How many").fill(str(FLASKS))
    submit(page, "ask", "Ask")
    page.locator("#ask .answerlist li").nth(FLASKS - 1).wait_for()
    with page.expect_download() as download:
        page.locator("#ask").get_by_role("link", name=kind).click()
    download.value.save_as(path)
    submit(page, "ask", "Done")


def preview(page: Page, path: Path) -> list[list[str]]:
    """What the page says of each row of a file."""
    page.get_by_role("button", name="Upload answers").click()
    page.get_by_label("File", exact=True).set_input_files(path)
    page.locator("#upload .preview").wait_for()
    rows = page.locator("#upload tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def tell_the_colours(page: Page, path: Path) -> None:
    """As a spreadsheet saves it where commas are decimal, and where cells show two digits."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    shown = [[row[0], f"{float(row[1]):.2f}", f"{float(row[2]):.4f}", *row[3:]] for row in rows]
    for row in shown:
        row[header.index("colour")] = "0.25"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows(
            [header, *([cell.replace(".", ",") for cell in row] for row in shown)]
        )
    assert preview(page, path) == [[row[0], "colour 0,25", "will be taken"] for row in rows]
    page.locator("#upload-confirm").click()
    page.locator("#said").get_by_text("8 rows are taken.").wait_for()


def tell_the_yields(page: Page, path: Path, pictures: Path | None) -> None:
    """A week later, with all that goes wrong in one sheet; a slip is mended and the file chosen again."""
    book = load_workbook(path)
    sheet = book.active
    column = {cell.value: cell.column for cell in sheet[1]}
    asked = sheet.cell(3, column["temperature"]).value
    filled = (
        (2, {"yield": "12 %"}),
        (3, {"yield": 0.5, "temperature": 71.5}),
        (4, {"yield": "failed", "comment": "precipitated"}),
        (5, {"yield": "0.41; 0.44; 0.40"}),
        (6, {"state": "failed"}),
        (7, {"yield": "lost", "comment": "flask broken"}),
        (9, {"yield": 0.25}),
    )
    for line, cells in filled:
        for name, value in cells.items():
            sheet.cell(line, column[name]).value = value
    book.save(path)
    refused = preview(page, path)
    assert refused[0][2].startswith("column 'yield': got '12 %'; percent signs are not read")
    assert page.locator("#upload-confirm").is_hidden()
    sheet.cell(2, column["yield"]).value = 0.12
    book.save(path)
    with page.expect_file_chooser() as chooser:
        page.get_by_label("File", exact=True).click()
    chooser.value.set_files(path)
    page.locator("#upload .preview").get_by_text("of 8 can be taken").wait_for()
    picture(page, pictures, "month-preview")
    told = [row.locator("td").all_inner_texts()[1:] for row in page.locator("#upload tbody tr").all()]
    assert told[0] == ["yield 0.12, colour 0.25", "will be taken"]
    assert told[1][1].startswith(f"will be taken; tried at temperature 71.5 instead of {asked:.3g}"[:-1])
    assert [outlook for _, outlook in told[2:]] == [
        "counts as failed: precipitated",
        "will be taken",
        "counts as failed",
        "counts as lost: flask broken",
        "known already: nothing changes",
        "will be taken",
    ]
    page.locator("#upload-confirm").click()
    page.locator("#said").get_by_text("7 rows are taken.").wait_for()


def take_back_and_fail(page: Page) -> None:
    """By the buttons of single queries."""
    page.locator("#row-1").click()
    page.locator("#query summary", has_text="Take back").click()
    page.locator("#query").get_by_label("Outcome").select_option("yield")
    page.locator("#query").get_by_label("Reason").fill("the vial was not clean")
    submit(page, "query", "Take back")
    page.locator("#row-10").click()
    page.locator("#query").get_by_text("It failed", exact=True).click()
    page.locator("#query").get_by_label("What happened").fill("boiled over")
    page.keyboard.press("Enter")
    page.locator("#said").get_by_text("Query 10 failed.").wait_for()


def what_to_use(page: Page, pictures: Path | None) -> None:
    """At the end of the month."""
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="What to use now").click()
    page.locator("#recommend dt").get_by_text("expected there").wait_for()
    picture(page, pictures, "month-recommended")
    shown = [*SPACE.names, "expected there", "chance that none tried is better"]
    assert page.locator("#recommend dt").all_inner_texts() == shown
    page.keyboard.press("Escape")
