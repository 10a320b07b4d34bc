"""What the documentation site computes: lists of policies and problems, the bibliography, and pages kept at the root.

Both sections list whatever is in their folder, so that a new page joins by itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
LISTED = {"Policies": "policies", "Problems": "problems"}
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)


def on_config(config: Any) -> Any:
    """The configuration with every page of a policy and of a problem in the navigation."""
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
