"""Every problem has its page, and every page says what there is to know of its problem."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from belated.simulate import problems
from belated.simulate.problems import registry

PROBLEMS = Path(__file__).resolve().parents[2] / "docs" / "problems"


def read(name: str) -> str:
    return (PROBLEMS / f"{name}.md").read_text(encoding="utf-8")


def test_every_problem_has_its_page_and_every_page_its_problem() -> None:
    assert {path.stem for path in PROBLEMS.glob("*.md")} - {"index"} == set(problems.names())


def test_every_problem_stands_in_the_index() -> None:
    listed = re.findall(r"^\| \[`([a-z0-9-]+)`\]\(\1\.md\) \|", read("index"), re.MULTILINE)
    assert sorted(listed) == list(problems.names())


@pytest.mark.parametrize("name", problems.names())
def test_a_page_has_space_noise_optimum_and_source_and_builds_its_problem(name: str) -> None:
    page = read(name)
    assert page.startswith(f"# `{name}`\n")
    for row in ("space", "noise", "optimum", "source"):
        assert re.search(rf"^\| {row} \| .+ \|$", page, re.MULTILINE), f"no row for the {row}"
    assert re.search(rf'build\("{name}(-\d+)?"', page)


@pytest.mark.parametrize("name", problems.names())
def test_a_page_names_every_parameter_of_its_problem(name: str) -> None:
    own = list(inspect.signature(registry.PROBLEMS.entries[name]).parameters)[1:]
    assert [parameter for parameter in own if not re.search(rf"`{parameter}`|{parameter}=", read(name))] == []
