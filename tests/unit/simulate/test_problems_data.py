"""Tables that are not ours to ship: found, checked, and asked for by name where they are missing."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from belated.errors import MissingDataError, UnknownNameError
from belated.simulate import problems
from belated.simulate.problems import Tabulated, peptides, tasks
from belated.simulate.problems.data import DataFile, numbers, read
from tests.tables import FOLDER, needs_tables

CONTENT = "name,size\nash,3\nelm,4.5\n"
TREES = DataFile("wood/trees.csv", 2, 2, hashlib.sha256(CONTENT.encode()).hexdigest(), "the book of trees")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wood").mkdir()
    (tmp_path / "wood" / "trees.csv").write_text(CONTENT, encoding="utf-8", newline="")
    return tmp_path


def test_a_table_is_read_from_the_folder_that_is_given(folder: Path) -> None:
    rows = read(TREES, "build('wood')", folder)
    assert [row["name"] for row in rows] == ["ash", "elm"]
    assert np.array_equal(numbers(rows, ["size"]), [[3.0], [4.5]])


def test_a_table_is_read_from_the_folder_that_the_environment_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BELATED_DATA", str(folder))
    assert len(read(TREES, "build('wood')")) == 2


def test_a_folder_that_is_given_goes_before_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELATED_DATA", str(folder / "elsewhere"))
    assert len(read(TREES, "build('wood')", folder)) == 2


def test_without_a_folder_the_error_names_the_file_where_it_is_published_and_how_to_name_a_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BELATED_DATA", raising=False)
    with pytest.raises(MissingDataError) as refused:
        read(TREES, "build('wood')")
    assert str(refused.value) == (
        "build('wood'): got no data folder, and needs the file wood/trees.csv in one; it is published as the book of "
        "trees; name the folder, with --data, data=… or the variable BELATED_DATA."
    )


def test_a_missing_file_is_asked_for_by_name_with_the_folder_that_was_searched(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError) as refused:
        read(TREES, "build('wood')", tmp_path)
    assert str(refused.value) == (
        f"build('wood'): looked for wood/trees.csv in the data folder {str(tmp_path)!r} and cannot read it (No such "
        "file or directory); it is published as the book of trees; put it there, or name another folder, with --data, "
        "data=… or the variable BELATED_DATA."
    )


@pytest.mark.parametrize(
    "content, difference",
    [
        (CONTENT[:-8], "has 1 rows of 2 columns, not 2 of 2"),
        (CONTENT.replace(",", ",,"), "has 2 rows of 3 columns, not 2 of 2"),
        ("", "has 0 rows of 0 columns, not 2 of 2"),
        (CONTENT.replace("4.5", "5.5"), "other contents"),
        (CONTENT.replace("elm", "\udce9lm"), "other contents"),
    ],
)
def test_a_table_that_is_not_the_published_one_is_refused(folder: Path, content: str, difference: str) -> None:
    (folder / "wood" / "trees.csv").write_bytes(content.encode("utf-8", errors="surrogateescape"))
    with pytest.raises(MissingDataError, match=difference):
        read(TREES, "build('wood')", folder)


def test_a_folder_in_the_place_of_the_file_is_refused(folder: Path) -> None:
    with pytest.raises(MissingDataError, match="cannot read it"):
        read(replace(TREES, path="wood"), "build('wood')", folder)


@pytest.mark.parametrize(
    "name", ["peptides", "portfolio-normal", "portfolio-uniform", "svm-diabetes", "svm-diabetes-growing", "svm-tasks"]
)
def test_a_problem_without_its_table_says_what_it_needs(name: str, tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=f"build\\('{name}'\\): looked for .* github.com/.* BELATED_DATA"):
        problems.build(name, data=str(tmp_path))


@needs_tables
def test_the_peptides_bind_between_nothing_and_the_limit_of_measurement() -> None:
    problem = problems.build("peptides", data=str(FOLDER))
    assert isinstance(problem.objective, Tabulated)
    values = problem.objective.values
    assert problem.space.dimension == 45
    assert len(values) == 1778
    assert (values.min(), values.max()) == (0.0, pytest.approx(np.log10(50_000.0)))
    assert np.sum(values == values.max()) == 90
    assert problem.value(problem.optimum_point) == problem.optimum


@needs_tables
def test_the_other_molecule_has_peptides_of_its_own() -> None:
    assert "1132 peptides" in problems.build("peptides", allele="HLA-A*26:01", data=str(FOLDER)).description
    with pytest.raises(UnknownNameError, match="HLA-A\\*02:01"):
        problems.build("peptides", allele="HLA-A*02:02", data=str(FOLDER))


def test_a_peptide_is_described_residue_by_residue() -> None:
    described = peptides.features("ALY")
    assert described.shape == (15,)
    assert described[[0, 5, 14]].tolist() == [-0.591, -1.019, 1.512]


def test_the_factors_of_the_amino_acids_are_centred_and_scaled() -> None:
    table = np.array(list(peptides.FACTORS.values()))
    assert table.shape == (20, 5)
    # Scores of a factor analysis: the mean is 0, and the first two factors have variance 1.
    assert np.abs(table.mean(axis=0)).max() < 0.01
    assert table[:, :2].var(axis=0, ddof=1) == pytest.approx([1.0, 1.0], abs=0.15)


@needs_tables
def test_the_tasks_come_one_after_the_other_for_thirty_rounds_each_and_then_again() -> None:
    circumstances = problems.build("svm-tasks", data=str(FOLDER)).circumstances
    assert isinstance(circumstances, tasks.Tasks)
    seen = [circumstances.task(circumstances.at(number)) for number in (1, 30, 31, 1500, 1501)]
    assert seen == [0, 0, 1, 49, 0]


@needs_tables
def test_the_best_of_each_task_is_the_best_of_its_column() -> None:
    problem = problems.build("svm-tasks", data=str(FOLDER))
    circumstances = problem.circumstances
    assert isinstance(circumstances, tasks.Tasks)
    bests = []
    for number in range(1, 1501, 30):
        context = circumstances.at(number)
        values = [problem.value(problem.space.decode(unit), context) for unit in problem.space.table]  # type: ignore[union-attr]
        assert problem.best(context) == max(values)
        circumstances.context.encode(context)
        bests.append(max(values))
    # As the table's own description has it.
    assert np.mean(bests) == pytest.approx(0.87771, abs=5e-6)
    assert max(bests) == problem.optimum
