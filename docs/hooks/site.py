"""What the documentation site computes: lists of policies and problems, bibliography, API reference, pages of the root.

Both sections list whatever is in their folder, so that a new page joins by itself.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
ROOT = Path(__file__).resolve().parents[2]
LISTED = {"Policies": "policies", "Problems": "problems"}
OUTCOMES = ("comes out", "the other way round", "level", "too few to tell")
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)


def on_config(config: Any) -> Any:
    """The configuration with every page of a policy and of a problem in the navigation."""
    # The entries are of the code beside these pages, wherever another Belated may be installed.
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    for title, folder in LISTED.items():
        names = sorted(path.stem for path in Path(config.docs_dir, folder).glob("*.md"))
        section = next(item[title] for item in config.nav if title in item)
        section.extend({name: f"{folder}/{name}.md"} for name in names if name != "index")
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page's text, with the bibliography or the root's file in the place kept for it."""
    root = Path(config.docs_dir).parent
    if page.file.src_uri == "references.md":
        bibliography = Path(config.docs_dir, "references.bib").read_text(encoding="utf-8")
        return markdown.replace("<!-- references.bib -->", references(bibliography))
    if page.file.src_uri.startswith("reference/"):
        from docs.hooks.entries import overview, with_entries

        text = with_entries(markdown, Path(config.docs_dir, page.file.src_uri))
        return text.replace("<!-- overview -->", overview(Path(config.docs_dir, "reference")))
    if page.file.src_uri == "results/index.md":
        return markdown.replace("<!-- claims -->", claims(Path(config.docs_dir, "results")))
    for uri, name in (("contributing.md", "CONTRIBUTING.md"), ("changes.md", "CHANGELOG.md")):
        if page.file.src_uri == uri:
            return (root / name).read_text(encoding="utf-8").replace("](docs/", "](")
    return markdown


def references(bibliography: str) -> str:
    """The entries of a bibliography as a Markdown list, in the order of their keys."""
    entries = {key: dict(FIELD.findall(body)) for _, key, body in ENTRY.findall(bibliography)}
    return "\n".join(f"- <a id='{key}'></a>`{key}` {reference(entries[key])}" for key in sorted(entries))


def reference(fields: dict[str, str]) -> str:
    """One entry as a line of Markdown: who, what, where, when."""
    names = [" ".join(reversed(name.split(", "))) for name in fields["author"].split(" and ")]
    where = fields.get("journal") or fields.get("booktitle") or fields.get("publisher", "")
    volume = f" {fields['volume']}" if "volume" in fields else ""
    pages = f", {fields['pages'].replace('--', '–')}" if "pages" in fields else ""
    text = f"{', '.join(names)}. *{fields['title']}*. {where}{volume}{pages}, {fields['year']}."
    return re.sub(r"[{}]", "", text)


def claims(folder: Path) -> str:
    """The claims of every paper that was run again, with what came of them: a table of counts, then one a paper."""
    papers = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*2[0-9][0-9][0-9].json"))
    }
    judged = {key: list(_judged(figures)) for key, figures in papers.items()}
    head = f"| paper | claims | {' | '.join(OUTCOMES)} |\n|---|---:|{'---:|' * len(OUTCOMES)}\n"
    counts = {key: Counter(row[-1] for row in rows) for key, rows in judged.items()}
    sums = "".join(
        f"| [{key}]({key}.md) | {len(judged[key])} | {' | '.join(str(found[name]) for name in OUTCOMES)} |\n"
        for key, found in counts.items()
    )
    tables = (
        f"### {key}\n\n| figure | panel | the paper claims | |\n|---|---|---|---|\n"
        + "".join(f"| {' | '.join(row)} |\n" for row in rows)
        for key, rows in judged.items()
        if rows
    )
    return "\n".join([head + sums, *tables])


def _judged(figures: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for figure, made in figures.items():
        for panel in made["panels"]:
            for claim in panel.get("claims", ()):
                yield figure, panel["panel"], f"{claim['claim']} {claim['span']}", claim["outcome"]
