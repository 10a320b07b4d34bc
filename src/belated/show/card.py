"""What a notebook shows of a value: a title and a small table, as HTML in the notebook's own colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as in_html
from typing import Any

from belated.checks import harmless
from belated.show.words import written

# Browsers that are given a bare fragment would begin tables in black, and in letters of their own.
TABLE = "border-collapse: collapse; margin: 0.3em 0; color: inherit; font: inherit;"
CELL = "text-align: left; padding: 0.15em 1.2em 0.15em 0; background: none; border: none; vertical-align: top;"
NAME = "font-weight: normal; white-space: nowrap; opacity: 0.7;"


def card(title: str, subtitle: str, rows: Iterable[tuple[str, Any]]) -> str:
    """A title and the names and values under it, one row each, as HTML without scripts."""
    return _heading(title, subtitle) + _table(rows)


def escape(text: str) -> str:
    """A text as HTML shows it; what is no text is spelled out."""
    return in_html(harmless(text))


def _heading(title: str, subtitle: str) -> str:
    return f"<div><strong>{escape(title)}</strong>{f' · {escape(subtitle)}' if subtitle else ''}</div>"


def _table(rows: Iterable[tuple[str, Any]]) -> str:
    cells = (
        f'<tr style="background: none;"><th style="{CELL} {NAME}">{escape(name)}</th>'
        f'<td style="{CELL}">{escape(written(value))}</td></tr>'
        for name, value in rows
    )
    return f'<table style="{TABLE}">{"".join(cells)}</table>'
