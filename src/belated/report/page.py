"""An HTML page with text, tables and figures in one file, which opens offline and on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belated.errors import ParameterError
from belated.report.style import FONT, graph_objects
from belated.show import escape

# The endings that a browser opens; a name without any is taken as it is.
PAGES = ("", ".html", ".htm")


@dataclass(frozen=True)
class PageTable:
    """A small table whose first column names the rows."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Section:
    """A part of a page: a heading, paragraphs, key figures (label, value), a table and figures, each only if given."""

    title: str = ""
    text: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    table: PageTable | None = None
    figures: Sequence[Any] = ()


def write_report(path: str | Path, title: str, sections: Iterable[Section], lead: str = "") -> Path:
    """Write one self-contained HTML page, and return where it is."""
    if Path(path).suffix.lower() not in PAGES:
        raise ParameterError(f"write_report({str(path)!r}): a report is a page; give a name that ends in .html.")
    return write_file("write_report", path, render(title, sections, lead).encode())


def write_file(call: str, path: str | Path, content: bytes) -> Path:
    """Write a file and the folders that lead to it, and return where it is."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    except OSError as error:
        raise ParameterError(
            f"{call}({str(path)!r}): the file cannot be written ({error.strerror or error}); "
            f"give a path in a folder that you may write to."
        ) from None
    return target.resolve()


def render(title: str, sections: Iterable[Section], lead: str = "") -> str:
    """The page as text."""
    graph_objects()
    from plotly.offline import get_plotlyjs

    body = "\n".join(_section(section, number) for number, section in enumerate(sections, start=1))
    return (
        "<!doctype html>\n"
        f'<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<style>{STYLE}</style>\n<script>{get_plotlyjs()}</script>\n</head>\n<body>\n<main>\n"
        f"<header>{_heading('h1', title)}{_paragraphs([lead] if lead else [], 'lead')}</header>\n{body}\n"
        "<footer>Written by Belated. This page needs no network.</footer>\n"
        f"</main>\n<script>{INK}</script>\n</body>\n</html>\n"
    )


def _section(section: Section, number: int) -> str:
    parts = [_heading("h2", section.title), _paragraphs(section.text)]
    if section.facts:
        tiles = (f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>" for label, value in section.facts)
        parts.append(f"<dl>{''.join(tiles)}</dl>")
    if section.table is not None:
        parts.append(_table(section.table))
    parts += [
        f'<figure class="chart">{_figure(figure, f"figure-{number}-{place}")}</figure>'
        for place, figure in enumerate(section.figures, start=1)
    ]
    return f"<section>{''.join(parts)}</section>"


def _heading(tag: str, title: str) -> str:
    return f"<{tag}>{escape(title)}</{tag}>" if title else ""


def _paragraphs(texts: Iterable[str], kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return "".join(f"<p{attribute}>{escape(text)}</p>" for text in texts)


def _table(table: PageTable) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.header)
    rows = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in table.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _figure(figure: Any, identifier: str) -> str:
    options = {"responsive": True, "displaylogo": False, "displayModeBar": False}
    return str(figure.to_html(full_html=False, include_plotlyjs=False, div_id=identifier, config=options))


STYLE = f"""
:root {{ --paper: #fbfbf9; --card: #ffffff; --ink: #1d2430; --soft: #5b6472; --rule: #e3e5e8; --accent: #0072b2; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #14171c; --card: #1b1f26; --ink: #e8eaee; --soft: #a3abb8; --rule: #2d333d; --accent: #56b4e9; }}
}}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 {FONT}; }}
main {{ max-width: 58rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }}
h1 {{ font-size: clamp(1.7rem, 5vw, 2.4rem); line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 0.75rem; }}
h2 {{ font-size: 1.3rem; line-height: 1.3; margin: 0 0 0.5rem; }}
p {{ margin: 0 0 0.8rem; max-width: 44rem; }}
.lead {{ font-size: 1.12rem; color: var(--soft); }}
section {{ margin-top: 3rem; }}
dl {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem; margin: 1.2rem 0; }}
dl div {{ background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 0.8rem 1rem; }}
dt {{ color: var(--soft); font-size: 0.85rem; line-height: 1.35; }}
dd {{ margin: 0.15rem 0 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }}
.wide {{ overflow-x: auto; margin: 1.2rem 0; }}
table {{ border-collapse: collapse; width: 100%; font-size: 0.95rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.5rem 0.9rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }}
td:last-child {{ white-space: normal; min-width: 8rem; }}
th:first-child {{ text-align: left; padding-left: 0; }}
thead th {{ color: var(--soft); font-weight: 500; vertical-align: bottom; }}
tbody th {{ font-weight: 600; }}
.chart {{ margin: 1rem 0; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }}
.chart {{ padding: 0.5rem; overflow: hidden; }}
footer {{ margin-top: 4rem; color: var(--soft); font-size: 0.85rem; }}
@media (max-width: 40rem) {{
  body {{ font-size: 16px; }} main {{ padding-top: 1.5rem; }} section {{ margin-top: 2rem; }} .chart {{ padding: 0; }}
  th, td {{ padding: 0.45rem 0.6rem; }}
}}
"""

# Figures take the colour of the page's text, and follow it when the reader turns the light on or off.
INK = """
const ink = () => {
  const colour = getComputedStyle(document.documentElement).getPropertyValue("--soft").trim();
  document.querySelectorAll(".plotly-graph-div").forEach((div) => Plotly.relayout(div, {"font.color": colour}));
};
ink();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ink);
"""
