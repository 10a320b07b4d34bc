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
from belated.experiments import Experiment, Results, RunsDone, conduct, processes, write_csv
from belated.experiments import conductor as work
from belated.experiments.archive import dumped
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
    """Many arms: there is a middle to be killed in."""
    return experiment(range(3), *(arm(f"{rounds} rounds", rounds=rounds) for rounds in range(16, 28)))


def assert_equal(first: Results, second: Results) -> None:
    assert list(first.runs) == list(second.runs)
    for label in first.runs:
        assert_same(first[label], second[label])


def watched(folder: Path, seeds: range = range(4)) -> tuple[Results, dict[str, list[RunsDone]]]:
    heard: dict[str, list[RunsDone]] = {}
    results = conduct(experiment(seeds), folder, 0, lambda told: heard.setdefault(told.label, []).append(told))
    return results, heard


def lines(folder: Path) -> list[bytes]:
    """All that is kept, file by file."""
    return [line for path in sorted(folder.rglob("*.jsonl")) for line in path.read_bytes().splitlines()]


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
    assert heard["random"] == [RunsDone("random", done=4, total=4, found=4, damaged=0)]


def test_more_seeds_run_only_what_is_new_and_fewer_run_nothing(tmp_path: Path) -> None:
    watched(tmp_path)
    before = lines(tmp_path)
    more, heard = watched(tmp_path, range(6))
    assert (heard["random"][0].found, heard["random"][-1].done) == (4, 6)
    after = lines(tmp_path)
    assert (set(before) < set(after), len(after)) == (True, 12)
    fewer, heard = watched(tmp_path, range(3, 1, -1))
    assert (heard["random"][0].found, heard["random"][0].total) == (2, 2)
    assert_same(fewer["random"], more["random"].of([3, 2]))
    assert lines(tmp_path) == after


def test_experiments_that_share_an_arm_share_its_runs(tmp_path: Path) -> None:
    watched(tmp_path)
    before = contents(tmp_path)
    other = experiment(range(4), arm("another label"), arm("the same once more"))
    results = conduct(other, tmp_path, workers=0)
    assert contents(tmp_path) == before
    assert_same(results["another label"], results["the same once more"])


def cut_short(line: bytes) -> bytes:
    return line[: len(line) // 2]


def flip_a_byte(line: bytes) -> bytes:
    place = line.index(b'"simple_regret":[') + 20
    return line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]


def change_the_definition(line: bytes) -> bytes:
    return line.replace(b"branin", b"hartmann6")


def change_the_seed(line: bytes) -> bytes:
    about = json.loads(line)
    return dumped(about | {"seed": about["seed"] + 100}).encode()


def lose_the_data(line: bytes) -> bytes:
    about = json.loads(line)
    return dumped({name: about[name] for name in about if name != "regrets"}).encode()


def overwrite(data: bytes) -> Callable[[bytes], bytes]:
    return lambda line: data


DAMAGES: list[Callable[[bytes], bytes]] = [
    cut_short,
    flip_a_byte,
    change_the_definition,
    change_the_seed,
    lose_the_data,
    overwrite(b""),
    overwrite(b'{"definition"'),
    overwrite(b"[]"),
    overwrite(b"\xff\x00"),
]
NAMES = ["cut", "flipped", "definition", "seed", "no data", "empty", "half a JSON", "no object", "no text"]


@pytest.mark.parametrize("damage", DAMAGES, ids=NAMES)
@pytest.mark.parametrize("place", [0, 2, 3])
def test_a_damaged_line_is_recognised_and_only_its_run_is_run_again(
    place: int, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    sound, _ = watched(tmp_path)
    (path,) = tmp_path.glob(f"{experiment().arms[0].digest}-*.jsonl")
    kept = path.read_bytes().splitlines()
    others = {*lines(tmp_path)} - {kept[place]}
    kept[place] = damage(kept[place])
    path.write_bytes(b"\n".join(kept) + b"\n")
    mended, heard = watched(tmp_path)
    assert_equal(mended, sound)
    assert others < {*lines(tmp_path)}
    first = heard["random"][0]
    assert (first.found, first.damaged) == (3, 1)
    assert watched(tmp_path)[1]["random"] == [RunsDone("random", 4, 4, found=4, damaged=0)]
    assert len(lines(tmp_path)) == 8


def test_a_line_that_a_kill_cut_short_spoils_no_other(tmp_path: Path) -> None:
    sound, _ = watched(tmp_path)
    for path in tmp_path.glob("*.jsonl"):
        path.write_bytes(path.read_bytes()[:-30])
    mended, heard = watched(tmp_path)
    assert_equal(mended, sound)
    assert [told[0].damaged for told in heard.values()] == [1, 1]


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
    """Start a conductor in a session of its own, as a terminal does, and end it when it has finished some runs."""
    command = [sys.executable, "-c", CONDUCTOR, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=pipe, stderr=pipe, start_new_session=True) as conductor:
        until(lambda: len(lines(folder)) >= 4, "some runs are there")
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
    finished = [line for line in lines(folder) if line.endswith(b"}")]
    heard: list[RunsDone] = []
    results = conduct(long_experiment(), folder, 0, heard.append)
    assert sum(told.found for told in heard[:12]) < 36, "it was ended in the middle"
    assert {*finished} <= {*lines(folder)}
    assert_equal(results, whole)


def test_a_process_that_dies_is_an_error_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "enlist", _die)
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
