"""The runs of the league that are part of this repository are sound."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from belated.experiments.league import CASES, Case, LeagueRun, archive, entrants

KEPT = Path(__file__).resolve().parents[2] / "docs" / "results" / "league" / "runs"


def faults(folder: Path) -> list[str]:
    """Whatever is wrong with the files of a folder."""
    cases, names = {case.key: case for case in CASES}, {entrant.name for entrant in entrants()}
    found = []
    for path in sorted(folder.iterdir()):
        case = cases.get(path.stem)
        if case is None or path.suffix != ".jsonl":
            found.append(f"{path.name}: no case has this name")
            continue
        content = path.read_text(encoding="utf-8")
        if not content.endswith("\n"):
            found.append(f"{path.name}: the last line is cut short")
        for number, line in enumerate(content.splitlines(), 1):
            said = fault(line, case, names)
            found += [f"{path.name}:{number}: {said}"] if said else []
    return found


def fault(line: str, case: Case, names: set[str]) -> str:
    """What is wrong with a line; nothing, if it is sound."""
    try:
        kept = json.loads(line)
    except ValueError:
        return "no JSON"
    if kept.get("entrant") not in names:
        return "no such entrant"
    if kept == {"entrant": kept["entrant"], "anew": True}:
        return ""
    if set(kept) != {"entrant", "of", "seed", "asked", "seconds", "cumulative", "simple"}:
        return "other parts than a run has"
    if not (0 <= kept["asked"] <= case.rounds and kept["seed"] >= 0 and kept["seconds"] >= 0 and len(kept["of"]) == 8):
        return "a number that cannot be"
    return _fault_of_curves(kept)


def _fault_of_curves(kept: dict[str, Any]) -> str:
    for name in ("cumulative", "simple"):
        if len(kept[name]) != 10 or not all(math.isfinite(value) and value >= 0 for value in kept[name]):
            return f"{name}: ten regrets that are finite and at least 0"
    simple = kept["simple"]
    if any(later > earlier for earlier, later in pairwise(simple)):
        return "simple: the best so far never gets worse"
    return ""


def test_every_file_that_is_kept_belongs_to_a_case_and_every_line_is_sound() -> None:
    if not KEPT.exists():
        pytest.skip("no runs are kept here yet")
    assert faults(KEPT) == []


def test_what_the_league_keeps_is_sound_and_what_is_not_is_found(tmp_path: Path) -> None:
    case = CASES[0]
    run = LeagueRun("random", "0123abcd", 0, case.rounds, 0.5, tuple(map(float, range(10))), (1.0,) * 10)
    archive(tmp_path).add(case.key, run)
    path = tmp_path / f"{case.key}.jsonl"
    sound = path.read_text(encoding="utf-8")
    assert faults(tmp_path) == []
    broken = [
        sound.replace("random", "nobody"),
        sound.replace('"seed":0', '"seed":-1'),
        sound.replace('"seed":0,', ""),
        sound.replace(f'"asked":{case.rounds}', f'"asked":{case.rounds + 1}'),
        sound.replace("9.0]", "9.0,9.0]"),
        sound.replace("[0.0,", "[-1.0,"),
        sound.replace("1.0]}", "1.5]}"),
        '{"entrant":"random","anew":false}\n',
        "{",
    ]
    path.write_text(sound + "".join(broken[:-1]) + '{"entrant":"random","anew":true}\n' + broken[-1], encoding="utf-8")
    (tmp_path / "none-nothing.jsonl").write_text("", encoding="utf-8")
    assert [said.removeprefix(f"{path.name}:") for said in faults(tmp_path)] == [
        " the last line is cut short",
        "2: no such entrant",
        "3: a number that cannot be",
        "4: other parts than a run has",
        "5: a number that cannot be",
        "6: cumulative: ten regrets that are finite and at least 0",
        "7: cumulative: ten regrets that are finite and at least 0",
        "8: simple: the best so far never gets worse",
        "9: other parts than a run has",
        "11: no JSON",
        "none-nothing.jsonl: no case has this name",
    ]
