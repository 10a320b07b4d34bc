"""A visit to the pages with a real browser, in which nothing may go wrong unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

# Milliseconds; a busy machine may need many.
PATIENCE = 30_000
# Functions, as the pages let no text be evaluated.
SETTLED = """() => [...document.querySelectorAll(".figure")].every(
  (place) => !place.matches("[aria-busy]") && (!place.checkVisibility() || !place.textContent.startsWith("Drawing")))"""
WIDE, PHONE = (1280, 900), (375, 812)


@contextmanager
def visiting(
    chromium: Browser,
    address: str,
    token: str | None = None,
    size: tuple[int, int] = WIDE,
    colours: Literal["light", "dark"] = "light",
) -> Iterator[Page]:
    """A page of a browser of one's own; complaints of the browser are errors."""
    width, height = size
    context = chromium.new_context(
        base_url=address,
        viewport={"width": width, "height": height},
        color_scheme=colours,
        reduced_motion="reduce",
        is_mobile=size == PHONE,
        has_touch=size == PHONE,
    )
    context.set_default_timeout(PATIENCE)
    if token is not None:
        context.add_cookies([{"name": "belated_token", "value": token, "url": address, "sameSite": "Strict"}])
    page = context.new_page()
    complaints: list[str] = []

    def complain(message: ConsoleMessage) -> None:
        # What the service refuses is an error to the console, and meant.
        if message.type == "error" and "the server responded with a status of" not in message.text:
            complaints.append(message.text)

    page.on("console", complain)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def drawn(page: Page, kind: str) -> list[dict[str, Any]]:
    """The traces of a figure as the page shows it: their names, and how many points each has."""
    found: list[dict[str, Any]] = page.evaluate(
        """(kind) => (document.getElementById(`figure-${kind}`).data ?? []).map(
             (trace) => ({name: trace.name ?? null, count: trace.x.length, y: Array.from(trace.y ?? [])}))""",
        kind,
    )
    return found


def wait_for_trace(page: Page, kind: str, name: str, count: int) -> None:
    """Until a trace of a figure has so many points."""
    look_at(page, kind)
    page.wait_for_function(
        """([kind, name, count]) => (document.getElementById(`figure-${kind}`).data ?? []).some(
             (trace) => (trace.name ?? "") === name && trace.x.length === count)""",
        arg=[kind, name, count],
    )


def look_at(page: Page, kind: str) -> None:
    """Bring a figure into view: what is not looked at is not drawn."""
    page.locator(f"#figure-{kind}").scroll_into_view_if_needed()


def wait_for_tile(page: Page, name: str, value: str) -> None:
    """Until a tile says this."""
    page.wait_for_function(
        """([name, value]) => [...document.querySelectorAll(".tile")].some((tile) =>
             tile.querySelector("dt").textContent === name && tile.querySelector("dd").textContent === value)""",
        arg=[name, value],
    )


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def snapshot(page: Page, folder: Path | None, name: str, whole: bool = False) -> None:
    """What is in the window as an image, or all of the page; nothing without a folder to keep it in."""
    if folder is not None:
        page.screenshot(path=folder / f"{name}.png", full_page=whole)


def picture(page: Page, folder: Path | None, name: str) -> None:
    """The whole page as an image; the window is made as high, as a picture of more makes figures jump."""
    if folder is None:
        return
    before = page.viewport_size
    assert before is not None
    for _ in range(2):
        page.set_viewport_size({"width": before["width"], "height": page.evaluate("document.body.scrollHeight")})
        page.wait_for_function(SETTLED)
    snapshot(page, folder, name)
    page.set_viewport_size(before)


def submit(page: Page, dialog: str, button: str) -> None:
    """Press a button of a dialog."""
    page.locator(f"#{dialog}").get_by_role("button", name=button, exact=True).click()
