"""Runs of the clients are kept as they are done, and never repeated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.clients_kept import Run, Wanted, keep_run, kept, missing

RUN = Run(
    task="svm",
    tool="belated",
    seed=3,
    version="belated 0.1.0",
    load=0.25,
    others=None,
    seconds=4.5,
    thoughts=(0.00125, 0.25),
    began=(0.001, 1.5),
    ended=(1.25, 4.5),
    processor=(1.0, 2.5),
    losses=(1.000025, 0.5),
)


def test_a_run_is_read_as_it_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.jsonl"
    others = replace(RUN, seed=4, others=0.125)
    keep_run(path, RUN)
    keep_run(path, others)
    assert kept(path) == [RUN, others]
    assert RUN.wanted == Wanted("svm", "belated", 3, 2)


def test_a_run_is_kept_in_one_short_line() -> None:
    longer = replace(RUN, seconds=4.500_049, thoughts=(1 / 3,), losses=(2 / 3,))
    line = longer.line()
    assert "\n" not in line
    assert Run.read(line) == replace(longer, seconds=4.5, thoughts=(0.33333,), losses=(0.666667,))


def test_a_file_that_is_not_there_keeps_nothing(tmp_path: Path) -> None:
    assert kept(tmp_path / "runs.jsonl") == []


def test_a_line_that_was_cut_off_is_no_run_and_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    keep_run(path, RUN)
    with path.open("a") as file:
        file.write(replace(RUN, seed=4).line()[:-20])
    assert kept(path) == [RUN]
    keep_run(path, replace(RUN, seed=5))
    assert kept(path) == [RUN, replace(RUN, seed=5)]
    assert len(path.read_text().splitlines()) == 2


def test_of_a_run_that_is_kept_twice_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    again = replace(RUN, load=0.5)
    keep_run(path, RUN)
    keep_run(path, again)
    assert kept(path) == [again]


def test_all_of_a_seed_comes_before_the_next_and_the_tools_take_turns() -> None:
    wanted = missing([], ["svm", "trees"], ["a", "b"], range(2), 40)
    assert [(one.seed, one.task, one.tool) for one in wanted] == [
        (0, "svm", "a"),
        (0, "svm", "b"),
        (0, "trees", "a"),
        (0, "trees", "b"),
        (1, "svm", "b"),
        (1, "svm", "a"),
        (1, "trees", "b"),
        (1, "trees", "a"),
    ]


def test_what_is_there_is_not_missing_unless_it_has_another_number_of_evaluations() -> None:
    assert missing([RUN], ["svm"], ["belated"], [3, 4], 2) == [Wanted("svm", "belated", 4, 2)]
    assert missing([RUN], ["svm"], ["belated"], [3], 40) == [Wanted("svm", "belated", 3, 40)]
