"""What pages list exists, and what exists is listed."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from belated import errors
from belated.beliefs import HalfRanks
from belated.contexts import Aim
from belated.experiments import papers
from belated.pacing.pacings import Pacing
from belated.pending import Treatment
from belated.rules import Model, Rule
from belated.rules.widths import Width
from belated.simulate import problems

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# What a command can end with beside errors: wrong usage, a balk, differences of a replay, Ctrl-C.
OTHER_CODES = {0, 2, 3, 4, 130}


def read(*place: str) -> str:
    return ROOT.joinpath(*place).read_text(encoding="utf-8")


def test_the_page_of_reproduce_lists_every_paper_and_its_figures() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", read("docs", "commands", "reproduce.md"), re.MULTILINE))
    assert list(rows) == list(papers.names())
    for name, row in rows.items():
        keys = [figure.key for figure in papers.paper(name).figures]
        listed = row.partition(":")[0]
        first_to_last = re.fullmatch(r"(\d) to (\d)", listed)
        if first_to_last:
            first, last = map(int, first_to_last.groups())
            assert keys == [str(number) for number in range(first, last + 1)]
        else:
            assert re.split(r", | and ", listed) == keys


def test_the_changes_count_the_papers() -> None:
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    assert f"The experiments of {words[len(papers.names())]} papers" in read("CHANGELOG.md")


@pytest.mark.parametrize("page", sorted((DOCS / "commands").glob("*.md")), ids=lambda page: page.stem)
def test_the_exit_codes_on_a_page_are_those_of_errors(page: Path) -> None:
    section = page.read_text(encoding="utf-8").partition("## Exit codes\n")[2].partition("\n## ")[0]
    plain = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)", "", section)
    known = {kind.exit_code for kind in vars(errors).values() if inspect.isclass(kind) and hasattr(kind, "exit_code")}
    assert {int(code) for code in re.findall(r"\b\d+\b", plain)} <= known | OTHER_CODES


def test_missing_data_is_said_to_end_a_simulation_with_its_own_code() -> None:
    assert f"{errors.MissingDataError.exit_code} if a table of data" in read("docs", "commands", "simulate.md")


def test_the_rooms_that_contributors_read_of_are_those_that_are_checked() -> None:
    (contract,) = [entry for entry in PROJECT["tool"]["importlinter"]["contracts"] if entry["type"] == "layers"]
    rooms = [layer.strip("()") for layer in reversed(contract["layers"])]
    block = re.search(r"before it in this list:\n\n(.*?)\n\n", read("CONTRIBUTING.md"), re.DOTALL)
    assert block is not None
    assert block.group(1).replace("\n", " ").replace(" ", "").split(",") == rooms
    there = {path.stem for path in (ROOT / "src" / "belated").iterdir() if not path.name.startswith("_")} - {"py"}
    assert there == set(rooms)


def test_contributors_are_told_what_each_folder_of_tests_is_for() -> None:
    page = read("CONTRIBUTING.md").partition("Where a test goes:")[2].partition("## A new policy")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page, re.MULTILINE)
    there = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and not path.name.startswith("_")}
    # These two hold no tests.
    assert set(re.findall(r"\w+", " ".join(rows))) == there - {"reference", "fixtures"}
    assert "`reference`" in page
    assert "`fixtures`" in page


OFFER = r"Belated's extra \"?\s*f?\"?'(\w+)'"


def test_the_quick_start_names_every_extra() -> None:
    page = read("docs", "index.md")
    listed = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE))))
    assert listed == set(PROJECT["project"]["optional-dependencies"]) - {"bench", "dev"}


def test_a_message_offers_only_extras_that_there_are() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    offered = {(path, extra) for path in texts for extra in re.findall(OFFER, texts[path])}
    assert {extra for _, extra in offered} & {"postgres", "service"}
    assert {
        (path, extra) for path, extra in offered if extra not in PROJECT["project"]["optional-dependencies"]
    } == set()


# Protocols and names.

PROTOCOLS: dict[str, tuple[Any, str]] = {
    "treatment": (Treatment, "__call__"),
    "rule": (Rule, "choose"),
    "pacing": (Pacing, "__call__"),
    "width": (Width, "__call__"),
    "belief": (Model, "prior"),
    "aim": (Aim, "views"),
}


def test_the_protocols_of_parts_are_called_as_the_page_says() -> None:
    page = read("docs", "concepts", "writing-a-policy.md")
    rows = {part: (name, tuple(given.split(", "))) for part, name, given in re.findall(
        r"^\| (\w+) \| `(\w+)\(([\w, ]+)\)`", page, re.MULTILINE
    )}  # fmt: skip
    expected = {
        part: (name, tuple(inspect.signature(getattr(protocol, name)).parameters)[1:])
        for part, (protocol, name) in PROTOCOLS.items()
    }
    # A reading may be any function; ours are objects with these parameters.
    expected["reading"] = ("__call__", tuple(inspect.signature(HalfRanks.__call__).parameters)[1:])
    assert rows == expected


def names_in_the_source() -> dict[str, set[str]]:
    """Every class with the names of what it has; and under "" every name that anything has."""
    found: dict[str, set[str]] = {"": set()}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(_names(node))
            found[""] |= _names(node)
    return found


def _names(node: ast.AST) -> set[str]:
    """The names that a definition, an argument or an assignment makes; of a class, those of its body and its self."""
    match node:
        case ast.ClassDef(body=body):
            own = {f"{name}" for child in body for name in _names(child)}
            return own | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)} | {node.name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name) | ast.Name(id=name):
            return {name}
        case ast.Attribute(attr=name) | ast.alias(name=name):
            return {name}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return {name}
        case ast.Constant(value=str(text)) if text.isidentifier():
            return {text}
    return set()


def test_the_names_beside_the_letters_of_the_papers_exist() -> None:
    known = names_in_the_source()
    cells = re.findall(r"^\|.*\| (.*`.*) \|$", read("docs", "notation.md"), re.MULTILINE)
    written = [text for cell in cells for text in re.findall(r"`([^`]+)`", cell)]
    assert len(written) > 60
    unknown = []
    for text in written:
        plain = re.sub(r"\([^)]*\)", "", text).lstrip(".")
        owner, _, rest = plain.partition(".")
        there = known[owner] if rest and owner in known else known[""]
        unknown += [text for name in (rest or owner).split(".") if name not in (there if rest else known[""])]
    assert unknown == []


# The site.


def test_the_navigation_has_a_page_for_every_policy_and_problem_by_itself() -> None:
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "hooks" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    navigation: list[dict[str, list[Any]]] = [{"Policies": []}, {"Problems": []}]
    hooks.on_config(SimpleNamespace(docs_dir=str(DOCS), nav=navigation))
    listed = [next(iter(entry)) for entry in navigation[1]["Problems"]]
    assert listed == sorted(problems.names())
    assert navigation[0]["Policies"][0] == {"asy-ts": "policies/asy-ts.md"}
    # What is written by hand is only the order of the sections.
    written = read("mkdocs.yml")
    assert "policies/asy-ts.md" not in written
    assert "problems/ackley.md" not in written


def test_the_first_blocks_of_the_readme_in_order_end_with_a_study_that_makes_sense() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", read("README.md"), re.MULTILINE | re.DOTALL)
    place = next(at for at, block in enumerate(blocks) if "study.run(" in block)
    namespace: dict[str, Any] = {}
    exec("\n".join(blocks[: place + 1]), namespace)
    study = namespace["study"]
    assert study.pending() == []
    assert study.best().value <= 0.0
    assert abs(study.recommend().point["temperature"] - 70.0) < 5.0
