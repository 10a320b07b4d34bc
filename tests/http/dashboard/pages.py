"""What a browser makes of a page: whether its tags fit, what it is called, and what its fields are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

import httpx2 as httpx

from tests.serving import client

EMPTY = {"meta", "link", "input", "br", "img", "hr", "path", "circle", "polyline"}
FIELDS = {"input", "select", "textarea"}


class Parsed(HTMLParser):
    """A page: its tags must close in the order in which they open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.language: str | None = None
        self.title = ""
        self.texts: list[str] = []
        self.links: list[str] = []
        self.identifiers: list[str] = []
        self.labelled: set[str] = set()
        self.fields: list[dict[str, str | None]] = []
        self.inline: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], f"not closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        given = dict(attrs)
        assert len(given) == len(attrs), f"{tag} has an attribute twice: {attrs}"
        if tag not in EMPTY:
            self._open.append(tag)
        if tag == "html":
            self.language = given.get("lang")
        if "id" in given:
            self.identifiers.append(given["id"] or "")
        if tag == "label":
            self.labelled.add(given.get("for") or "")
        if tag in FIELDS and given.get("type") != "hidden" and "label" not in self._open:
            self.fields.append(given)
        if tag == "script" and "src" not in given:
            self.inline.append("script")
        self.inline += [name for name in given if name.startswith("on")]
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:
        """A tag closes."""
        if tag not in EMPTY:
            assert self._open[-1:] == [tag], f"</{tag}> closes {self._open[-3:]}"
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if self._open and self._open[-1] == "title":
            self.title += data
        if data.strip():
            self.texts.append(data.strip())


def parsed(text: str) -> Parsed:
    """The page, which must be sound: with a language and a title, names for all fields, and no script in it."""
    page = Parsed(text)
    assert page.language == "en"
    assert page.title.strip()
    assert sorted(page.identifiers) == sorted(set(page.identifiers))
    for field in page.fields:
        assert field.get("id") in page.labelled or field.get("aria-label"), f"nobody knows what {field} is"
    assert page.inline == []
    return page


def word_in(page: str) -> str:
    """What the page sends along with a change."""
    found = re.search(r'name="belated-word" content="([0-9a-f]*)"', page)
    assert found is not None
    return found[1]


@contextmanager
def signed_in(address: str, token: str) -> Iterator[httpx.Client]:
    """A browser in which somebody has signed in."""
    with client(address) as browser:
        browser.headers["accept"] = "text/html"
        answer = browser.post("/login", data={"token": token, "next": "/"})
        assert answer.status_code == 303, answer.text
        yield browser
