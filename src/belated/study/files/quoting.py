"""Texts that a spreadsheet would run as a formula: an apostrophe goes before them, and comes off when they are read."""

from __future__ import annotations

import re

# What makes a formula of a cell in spreadsheets, where it comes first; apostrophes before it stay apart from ours.
RUN = re.compile(r"'*[=+\-@\t\r]")


def quoted(text: str) -> str:
    """A text as spreadsheets show it and never run it."""
    return f"'{text}" if RUN.match(text) else text


def unquoted(text: str) -> str:
    """The text that `quoted` was given."""
    return text[1:] if text.startswith("'") and RUN.match(text) else text
