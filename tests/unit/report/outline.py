"""What a page says, and what it refers to."""

from __future__ import annotations

from html.parser import HTMLParser


class Outline(HTMLParser):
    """The tags that open, with what they refer to, and the text of headings and cells."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.texts: list[str] = []
        self.scripts = 0
        self._tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self._tags.append(tag)
        self.scripts += tag == "script"
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if self._tags and self._tags[-1] not in ("script", "style"):
            self.texts.append(data)


def outlined(page: str) -> Outline:
    """The outline of a page."""
    outline = Outline()
    outline.feed(page)
    return outline
