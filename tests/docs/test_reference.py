"""The API reference has an entry for everything public, and nothing else."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import belated as bl
from docs.hooks import entries
from docs.hooks.raised import raised_by

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.stem != "index")
# Rooms with a page or a part of one, beside those that `belated` itself lists.
FURTHER = ("belated.simulate.laws", "belated.simulate.problems", "belated.experiments", "belated.league")


def doors() -> list[ModuleType]:
    rooms = [name for name in bl.__all__ if inspect.ismodule(getattr(bl, name))]
    return [bl, *(importlib.import_module(f"belated.{name}") for name in rooms), *map(importlib.import_module, FURTHER)]


def shown(page: Path) -> str:
    return entries.with_entries(page.read_text(encoding="utf-8"), page)


@pytest.mark.parametrize("door", doors(), ids=lambda door: door.__name__)
def test_whatever_a_door_lists_has_its_entry(door: ModuleType) -> None:
    known = {id(entry.what) for entry in entries.entries(FOLDER)}
    assert [name for name in entries.listed(door.__name__) if id(getattr(door, name)) not in known] == []


def test_an_entry_stands_once_under_a_heading_of_its_own() -> None:
    headings: Counter[str] = Counter()
    for page in PAGES:
        headings.update(line.split()[1] for line in shown(page).splitlines() if line.startswith("### `"))
    assert headings == Counter(f"`{entry.title}`" for entry in entries.entries(FOLDER))
    assert set(headings.values()) == {1}


def test_all_that_a_study_can_be_told_and_asked_has_its_signature() -> None:
    text = shown(FOLDER / "study.md")
    for name in entries.public_members(bl.Study):
        assert f"#### `Study.{name}`" in text
    assert "study.tell(\n    query: int | Query,\n" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_class_and_function_of_the_reference_says_what_it_is(page: Path) -> None:
    mine = [entry for entry in entries.entries(FOLDER) if entry.page == page.name]
    silent = [
        entry.title
        for entry in mine
        if (inspect.isclass(entry.what) or inspect.isfunction(entry.what))
        and (not entry.what.__doc__ or entry.what.__doc__.startswith(f"{entry.what.__name__}("))
    ]
    assert silent == []


def test_a_page_of_the_reference_is_in_the_navigation() -> None:
    navigation = (FOLDER.parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"reference/{page.name}" not in navigation] == []


def refuse(count: int) -> None:
    """A function that is not of Belated."""
    raise bl.errors.SizeError(str(count))


@pytest.mark.parametrize(
    "what, error",
    [(bl.Float, "SpaceError"), (bl.policies.build, "UnknownNameError"), (bl.Study.open, "UnknownStudyError")],
)
def test_the_errors_of_an_entry_are_those_that_its_code_raises(what: Any, error: str) -> None:
    assert error in raised_by(what, bl.Study)


def refusals() -> dict[str, list[Callable[[bl.Study], object]]]:
    """Of each method, some calls that it refuses, in a study of which query 1 was answered and query 2 was not."""
    return {
        "ask": [lambda study: study.ask(0), lambda study: study.ask(context={"hour": 9})],
        "tell": [
            lambda study: study.tell(9, 1.0),
            lambda study: study.tell(1, 2.0),
            lambda study: study.tell(2, "x"),
            lambda study: study.tell(2, 1.0, point={"y": 1}),
            lambda study: study.tell(2, 1.0, context={"hour": 9}),
        ],
        "revise": [
            lambda study: study.revise(9, 1.0),
            lambda study: study.revise(2, 1.0),
            lambda study: study.revise(1, "x"),
            lambda study: study.revise(1, point={"y": 1}),
        ],
        "fail": [lambda study: study.fail(9), lambda study: study.fail(1)],
        "abandon": [lambda study: study.abandon(9), lambda study: study.abandon(1)],
        "retract": [lambda study: study.retract(9), lambda study: study.retract(2)],
        "add": [lambda study: study.add({"x": 0.5}, "x"), lambda study: study.add({"y": 0.5}, 1.0)],
        "expect": [lambda study: study.expect([{"y": 1}]), lambda study: study.expect([{"x": 0.5}], outcome="colour")],
        "plot": [lambda study: study.plot("nothing of the kind")],
    }


@pytest.mark.parametrize("name", refusals())
def test_what_a_study_refuses_with_stands_in_its_entry(name: str) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=1)
    study.tell(next(iter(study.ask(2))), 1.0)
    named = raised_by(getattr(bl.Study, name), bl.Study)
    for call in refusals()[name]:
        with pytest.raises(bl.BelatedError) as refused:
            call(study)
        assert type(refused.value).__name__ in named


def test_errors_are_looked_for_in_the_code_of_belated_alone() -> None:
    assert raised_by(refuse) == []


def test_a_formula_stays_as_it_is_and_a_citation_leads_to_its_reference() -> None:
    text = entries.prose("The mean of f_1 [srinivas2010, eq. 6].\n\n    μ = k* (K + σ² I)⁻¹ y\n\nIt is `x_1`.")
    said, formula, code = text.split("\n\n")
    assert said == r"The mean of f\_1 [\[srinivas2010, eq. 6\]](../references.md#srinivas2010)."
    assert formula == "```text\nμ = k* (K + σ² I)⁻¹ y\n```"
    assert code == "It is `x_1`."
