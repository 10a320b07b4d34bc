"""The documentation is complete, its citations resolve and its code runs."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

CITATION = re.compile(r"\[([a-z]+\d{4})[,\]]")
ENTRY = re.compile(r"^@\w+\{([a-z]+\d{4}),$", re.MULTILINE)
PARAMETER = re.compile(r"^\| `(\w+)` \| .* \| (?:`(.+)`|required) \|$", re.MULTILINE)
ERROR = re.compile(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", re.MULTILINE)
FENCE = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def citations(text: str) -> set[str]:
    """The keys that a text cites, as in [desautels2014, eq. 7] or [verma2022]."""
    return set(CITATION.findall(text))


def code_of(page: str) -> str:
    """The Python blocks of a page that are to run, as one program with the page's line numbers."""
    lines = [""] * (page.count("\n") + 1)
    for block in FENCE.finditer(page):
        first = page.count("\n", 0, block.start(1))
        code = block.group(1).splitlines()
        lines[first : first + len(code)] = code
    return "\n".join(lines).rstrip()


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_a_citation_is_a_key_in_brackets_with_or_without_a_place() -> None:
    text = "as in [desautels2014, eq. 7] and [verma2022]; not x[2014], [see here](a.md), nor [abc]"
    assert citations(text) == {"desautels2014", "verma2022"}


def test_the_code_of_a_page_keeps_its_lines_and_leaves_out_what_must_not_run() -> None:
    ran, skipped = "```python\na = 1\n```\n", "```python no-run\nb = 2\n```\n\n```sh\nc\n```\n"
    page = f"# Title\n\n{ran}\n{skipped}\n```python\nd = a + 1\n```\n"
    code = code_of(page)
    assert [line for line in code.splitlines() if line] == ["a = 1", "d = a + 1"]
    assert code.splitlines()[page.splitlines().index("d = a + 1")] == "d = a + 1"


def test_every_cited_key_has_its_entry_in_the_bibliography() -> None:
    known = set(ENTRY.findall((DOCS / "references.bib").read_text(encoding="utf-8")))
    cited = {relative(path): citations(path.read_text(encoding="utf-8")) for path in SOURCES + PAGES}
    missing = {path: sorted(keys - known) for path, keys in cited.items() if keys - known}
    assert missing == {}, "add them to docs/references.bib"


def test_no_entry_of_the_bibliography_stands_twice() -> None:
    keys = ENTRY.findall((DOCS / "references.bib").read_text(encoding="utf-8"))
    assert keys == sorted(set(keys)), "one entry per key, in the order of the keys"


def test_every_policy_has_its_page_and_every_page_its_policy() -> None:
    import belated

    pages = {path.stem for path in (DOCS / "policies").glob("*.md")} - {"index"}
    assert pages == set(belated.policies.names())


@pytest.mark.parametrize("section", ["What each does", "What they are made of"])
def test_every_policy_stands_in_the_tables(section: str) -> None:
    import belated

    page = (DOCS / "policies" / "index.md").read_text(encoding="utf-8")
    table = page.partition(f"## {section}\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE)) == sorted(belated.policies.names())


def test_the_readme_counts_the_policies() -> None:
    import belated

    assert f"There are {len(belated.policies.names())}," in (ROOT / "README.md").read_text(encoding="utf-8")


POLICY_PAGES = [path for path in sorted((DOCS / "policies").glob("*.md")) if path.stem != "index"]


@pytest.mark.parametrize("path", POLICY_PAGES, ids=relative)
def test_the_page_of_a_policy_names_every_parameter_with_its_default(path: Path) -> None:
    import belated

    function = getattr(belated.policies, path.stem.replace("-", "_"))
    expected = {name: given.default for name, given in inspect.signature(function).parameters.items()}
    rooms = (belated, belated.contexts, belated.pending, belated.pacing, math)
    words = {name: value for room in rooms for name, value in vars(room).items()}
    named = {
        name: eval(default, words) if default else inspect.Parameter.empty
        for name, default in PARAMETER.findall(path.read_text(encoding="utf-8"))
    }
    assert list(named) == list(expected), "one row for each parameter, in the order of the signature"
    assert named == expected


@pytest.mark.parametrize("path", POLICY_PAGES, ids=relative)
def test_the_page_of_a_policy_states_the_most_that_a_parameter_may_be(path: Path) -> None:
    import belated

    rows = {row[1]: row[0] for row in PARAMETER.finditer(path.read_text(encoding="utf-8"))}
    stated = {name for name, row in rows.items() if re.search(r"at most [\d,]*\d", row.partition(";")[0])}
    most = belated.policies.ceilings(path.stem)
    assert stated == set(most)
    for name, number in most.items():
        assert f"at most {number:,}" in rows[name]


def test_every_error_is_listed_with_its_status_and_exit_code() -> None:
    from belated import errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    raised = {(kind.__name__, kind.status, kind.exit_code) for kind in kinds if issubclass(kind, errors.BelatedError)}
    page = (DOCS / "concepts" / "errors.md").read_text(encoding="utf-8")
    assert {(name, int(status), int(code)) for name, status, code in ERROR.findall(page)} == raised


RUNNABLE = [path for path in PAGES if code_of(path.read_text(encoding="utf-8"))]


# A study that is played to its end may have something to say.
@pytest.mark.filterwarnings("ignore::belated.errors.BelatedWarning")
@pytest.mark.parametrize("path", RUNNABLE, ids=relative)
def test_the_code_of_every_page_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from belated.policies import registry
    from belated.study import figures

    # A page may register a policy or a kind of figure; it is gone when the page ends.
    monkeypatch.setattr(registry, "POLICIES", replace(registry.POLICIES, entries=dict(registry.POLICIES.entries)))
    figures.KINDS.more()
    monkeypatch.setattr(figures, "KINDS", replace(figures.KINDS, entries=dict(figures.KINDS.entries)))
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__page__"}
    code = code_of(path.read_text(encoding="utf-8"))
    exec(compile(code, relative(path), "exec", dont_inherit=True), namespace)


def test_the_readme_leads_with_how_to_install_and_see_it_and_then_with_code() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("```") < readme.index("pip install .") < readme.index("make demo") < readme.index("```python")


def test_the_changelog_has_an_entry_for_this_version() -> None:
    import belated

    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == belated.__version__
