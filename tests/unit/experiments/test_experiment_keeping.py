"""Runs are kept as they come: what is there is not run again, and what is damaged is, alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.errors import BelatedError, ParameterError, StorageError, UnknownNameError
from belated.experiments import Experiment, Progress, Results, conduct, write_csv
from belated.experiments import processes as work
from belated.experiments.statistics import estimate
from belated.simulate import Run
from tests.meanwhile import PATIENCE, until
from tests.unit.experiments.experiments import arm, assert_same, contents, experiment

ROOT = Path(__file__).resolve().parents[3]

CONDUCTOR = """
import sys
from belated.experiments import conduct
from tests.unit.experiments.test_experiment_keeping import long_experiment

try:
    conduct(long_experiment(), sys.argv[1], workers=2)
except KeyboardInterrupt:
    print("interrupted")
"""


def long_experiment() -> Experiment:
    """Many arms, since the first seeds of each go one by one: there is a middle to be killed in."""
    return experiment(range(3), *(arm(f"{rounds} rounds", rounds=rounds) for rounds in range(16, 28)))


def assert_equal(first: Results, second: Results) -> None:
    assert list(first.runs) == list(second.runs)
    for label in first.runs:
        assert_same(first[label], second[label])


def watched(folder: Path, seeds: range = range(4)) -> tuple[Results, dict[str, list[Progress]]]:
    heard: dict[str, list[Progress]] = {}
    results = conduct(experiment(seeds), folder, 0, lambda told: heard.setdefault(told.label, []).append(told))
    return results, heard


def parts(folder: Path, ending: str = "json") -> list[Path]:
    return sorted(folder.rglob(f"*.{ending}"))


def test_the_results_are_those_of_runs_by_hand(tmp_path: Path) -> None:
    results = conduct(experiment(), tmp_path, workers=0)
    for chosen in results.arms:
        runs = [simulate.run("branin", chosen.policy, chosen.delay, chosen.rounds, seed) for seed in range(4)]
        by_hand = np.array([run.regrets for run in runs]).astype(np.float32)
        np.testing.assert_array_equal(results[chosen.label].regrets, by_hand)
    with pytest.raises(UnknownNameError, match="did you mean 'random'"):
        results["randm"]


def test_processes_find_what_one_process_finds(tmp_path: Path) -> None:
    alone = conduct(experiment(), tmp_path / "alone", workers=0)
    assert_equal(conduct(experiment(), tmp_path / "together", workers=2), alone)


def test_what_is_there_is_not_run_again(tmp_path: Path) -> None:
    first, _ = watched(tmp_path)
    before = contents(tmp_path)
    second, heard = watched(tmp_path)
    assert_equal(second, first)
    assert contents(tmp_path) == before
    assert heard["random"] == [Progress("random", done=4, total=4, found=4, damaged=0)]


def test_more_seeds_run_only_what_is_new_and_fewer_run_nothing(tmp_path: Path) -> None:
    watched(tmp_path)
    before = contents(tmp_path)
    more, heard = watched(tmp_path, range(6))
    assert (heard["random"][0].found, heard["random"][-1].done) == (4, 6)
    assert before.items() <= contents(tmp_path).items()
    fewer, heard = watched(tmp_path, range(3, 1, -1))
    assert (heard["random"][0].found, heard["random"][0].total) == (2, 2)
    assert_same(fewer["random"], more["random"].of([3, 2]))


def test_experiments_that_share_an_arm_share_its_runs(tmp_path: Path) -> None:
    watched(tmp_path)
    before = contents(tmp_path)
    other = experiment(range(4), arm("another label"), arm("the same once more"))
    results = conduct(other, tmp_path, workers=0)
    assert contents(tmp_path) == before
    assert_same(results["another label"], results["the same once more"])


def cut_short(part: Path) -> None:
    data = part.with_suffix(".npz").read_bytes()
    part.with_suffix(".npz").write_bytes(data[: len(data) // 2])


def flip_a_byte(part: Path) -> None:
    data = bytearray(part.with_suffix(".npz").read_bytes())
    data[len(data) // 2] ^= 1
    part.with_suffix(".npz").write_bytes(data)


def change_the_definition(part: Path) -> None:
    part.write_text(part.read_text().replace("branin", "hartmann6"))


def change_the_seeds(part: Path) -> None:
    about = json.loads(part.read_text())
    part.write_text(json.dumps(about | {"seeds": [seed + 100 for seed in about["seeds"]]}))


def overwrite(data: bytes) -> Callable[[Path], object]:
    return lambda part: part.write_bytes(data)


DAMAGES: list[Callable[[Path], object]] = [
    cut_short,
    flip_a_byte,
    change_the_definition,
    change_the_seeds,
    lambda part: part.with_suffix(".npz").unlink(),
    overwrite(b""),
    overwrite(b'{"definition"'),
    overwrite(b"[]"),
    overwrite(b"\xff\x00"),
]
NAMES = ["cut", "flipped", "definition", "seeds", "no data", "empty", "half a JSON", "no object", "no text"]


@pytest.mark.parametrize("damage", DAMAGES, ids=NAMES)
def test_a_damaged_part_is_recognised_and_only_that_part_is_run_again(
    damage: Callable[[Path], object], tmp_path: Path
) -> None:
    sound, _ = watched(tmp_path)
    victim = parts(tmp_path / experiment().arms[0].digest)[0]
    others = {name: kept for name, kept in contents(tmp_path).items() if not name.endswith(f"{victim.stem}.npz")}
    del others[str(victim.relative_to(tmp_path))]
    n_lost = len(json.loads(victim.read_text())["seeds"])
    damage(victim)
    mended, heard = watched(tmp_path)
    assert_equal(mended, sound)
    assert others.items() <= contents(tmp_path).items()
    first = heard["random"][0]
    assert (first.found, first.damaged) == (4 - n_lost, 1)
    assert watched(tmp_path)[1]["random"] == [Progress("random", 4, 4, found=4, damaged=0)]


def test_data_without_its_json_counts_for_nothing_as_after_a_kill_between_the_two(tmp_path: Path) -> None:
    sound, _ = watched(tmp_path)
    parts(tmp_path)[0].unlink()
    mended, _ = watched(tmp_path)
    assert_equal(mended, sound)


def test_a_run_that_fails_says_where_and_what_ended_before_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = simulate.run

    def fails(*given: Any, **options: Any) -> Run:
        if given[4] == 2:
            raise ParameterError("no more")
        return real(*given, **options)

    monkeypatch.setattr(work, "run", fails)
    with pytest.raises(ParameterError) as raised:
        conduct(experiment(), tmp_path, workers=0)
    assert raised.value.__notes__ == ["in the arm 'random', seed 2"]
    monkeypatch.undo()
    assert watched(tmp_path)[1]["random"][0].found == 2


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written to"):
        conduct(experiment(), tmp_path / "file" / "runs", workers=0)


def end_in_the_middle(folder: Path, end: Callable[[int], None]) -> tuple[str, str]:
    """Start a conductor in a session of its own, as a terminal does, and end it when it has finished some parts."""
    command = [sys.executable, "-c", CONDUCTOR, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=pipe, stderr=pipe, start_new_session=True) as conductor:
        until(lambda: len(parts(folder)) >= 4, "some parts are there")
        end(conductor.pid)
        # Its processes hold these pipes too: they close when the last of them has ended.
        return conductor.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What comes of it when nobody interferes."""
    return conduct(long_experiment(), tmp_path_factory.mktemp("whole"), workers=0)


def kill(conductor: int) -> None:
    os.kill(conductor, signal.SIGKILL)


def interrupt(conductor: int) -> None:
    os.killpg(conductor, signal.SIGINT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("end, said", [(kill, ""), (interrupt, "interrupted\n")])
def test_after_a_kill_or_ctrl_c_in_the_middle_it_goes_on_to_the_same_numbers(
    end: Callable[[int], None], said: str, whole: Results, tmp_path: Path
) -> None:
    folder = tmp_path / "kept"
    out, err = end_in_the_middle(folder, end)
    assert (out, "Traceback" in err) == (said, False)
    finished = {name: kept for name, kept in contents(folder).items() if name.endswith(".json")}
    heard: list[Progress] = []
    results = conduct(long_experiment(), folder, 0, heard.append)
    assert sum(told.found for told in heard[:12]) < 36, "it was ended in the middle"
    assert finished.items() <= contents(folder).items()
    assert_equal(results, whole)


def test_a_process_that_dies_is_an_error_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "enlist", _die)
    with pytest.raises(BelatedError, match="a process ended before its work was done"):
        conduct(experiment(), tmp_path, workers=1)


def _die(line: object) -> None:
    os._exit(1)


def test_the_table_has_every_round_of_every_arm_with_its_mean_error_and_count(tmp_path: Path) -> None:
    results = conduct(experiment(), tmp_path, workers=0)
    path = write_csv(tmp_path / "results.csv", results, ["average", "simple"])
    header, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
    assert header == ["experiment", "arm", "measure", "round", "mean", "standard_error", "n"]
    assert len(rows) == 2 * 2 * 8
    named = {(row[1], row[2], int(row[3])): row[4:] for row in rows}
    found = estimate(results["one by one"].average_regret)
    mean, error, n = named["one by one", "average", 8]
    assert (float(mean), float(error), int(n)) == pytest.approx((found.mean[-1], found.error[-1], 4), rel=1e-3)
