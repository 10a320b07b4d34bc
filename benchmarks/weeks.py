"""Is anything asked on top of a batch that is late? Weeks of a laboratory, for policies that count pending queries.

`python -m benchmarks weeks` plays batches of 1, 4 and 8 that take two days, or two to four, until one is late, and asks
for the next. It counts how many of the new queries lie within 1 % of a late one in every parameter, and how many are
the same to a millionth of the ranges: once with a window that the late batch has passed, once with none, where it is
pending. What is played is kept in results/weeks.jsonl: run it again to go on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.log import GivenWindow
from benchmarks.measure import RESULTS

KEPT = RESULTS / "weeks.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "weeks.md"
DAY = 86_400.0
SEEDS, BATCHES = 20, 4
SIZES = (1, 4, 8)
DELAYS = ("two days", "two to four days")
LATENESS = {"10 % late": 1.1, "half as late again": 1.5, "ten times as late": 10.0}
WINDOWS = ("passed", "learned", "none")
NEAR, SAME = 1e-2, 1e-6
SPACE = bl.Space(x=bl.Float(0, 1), temperature=bl.Float(20, 120), solvent=bl.Choice("DMF", "THF", "water"))
FLOOR = -4.0
# Those whose belief, pacing or choice depends on queries that are pending, and that have a window.
POLICIES: dict[str, dict[str, float]] = {
    "auto": {},
    "gp-bucb": {},
    "gp-bucb-init": {"batch": 4},
    "gp-bts": {},
    "gp-aucb": {},
    "uncertainty": {},
    "hbbo-ucb": {},
    "hbbo-mei": {},
    "gp-ucb-sdf": {"floor": FLOOR},
    "gp-ts-sdf": {"floor": FLOOR},
}
ABOUT = f"""\
A batch is late, and the next is due: what is late may still be in the oven, and nothing is to be asked on top of it.
Laboratories ask {BATCHES} batches of 1, 4 or 8 flasks, each told after two days or after two to four at random, until
one is late by a tenth, a half, or nine times the longest of these delays; then they ask for one batch more. Of these
new queries, the table says how many in a hundred lie within 1 % of a late one in every parameter, and how many are the
same to a millionth: under a window that the late batch has passed, under a learned one, and under none, where it is
pending. `python -m benchmarks weeks` plays it again, with {SEEDS} seeds."""
FOUND = """\
No policy asks a query that is late again, whether its window has passed it or not, and none asks nearer to an overdue
query than to a pending one. Most asks of `auto` and `gp-bucb` are near a late query, because these laboratories have
found the best place by then; those of `auto` keep 0.2 % of a range from all that is under way. `uncertainty`,
`hbbo-ucb` and `hbbo-mei` stay away from whatever was asked; the last two balk rather than ask while so much is on its
way."""


class Week(NamedTuple):
    """What is played."""

    policy: str
    window: str
    size: int
    delays: str
    seed: int


class Counted(NamedTuple):
    """New queries, and those near a late one and the same as one."""

    asked: int
    near: int
    same: int


def yielded(point: dict[str, object]) -> float:
    """The yield of a reaction that is best on the edge of one parameter and inside of the other."""
    x, heat = float(str(point["x"])), (float(str(point["temperature"])) - 20.0) / 100.0
    return (point["solvent"] == "THF") - (x - 1.0) ** 2 - 2.0 * (heat - 0.6) ** 2 + 0.1 * float(np.sin(12.0 * x))


def play(week: Week) -> tuple[Week, list[Counted]]:
    """One laboratory until a batch is late; then the batch after it, for each way to be late."""
    now, chance = [0.0], np.random.default_rng(week.seed)
    policy = bl.policies.build(week.policy, window=_window(week), **POLICIES[week.policy])
    study = bl.Study.in_memory(SPACE, policy=policy, seed=week.seed, clock=lambda: now[0], notices=False)
    longest = 0.0
    for _ in range(BATCHES):
        batch = _asked(study, week.size)
        delay = (2.0 if week.delays == "two days" else chance.uniform(2.0, 4.0)) * DAY
        longest, now[0] = max(longest, delay), now[0] + delay
        for query in batch:
            study.tell(query, yielded(query.point) + 0.02 * chance.normal())
    late = _asked(study, week.size)
    return week, [_after(study.events, now[0] + longest * late_by, late) for late_by in LATENESS.values()]


def _after(events: Sequence[bl.log.Event], now: float, late: Sequence[bl.Query]) -> Counted:
    """What the next batch has in common with the late one."""
    new = _asked(bl.Study(events, clock=lambda: now), len(late))
    gaps = [min((_gap(query, other) for other in late), default=np.inf) for query in new]
    return Counted(len(new), sum(gap <= NEAR for gap in gaps), sum(gap <= SAME for gap in gaps))


def _window(week: Week) -> GivenWindow:
    if week.window == "none":
        return None
    if week.window == "learned":
        return "auto"
    # Whatever is late by a tenth passes a window of the usual delay and a twentieth.
    usual = 2.0 if week.delays == "two days" else 4.0
    return bl.Window(seconds=1.05 * usual * DAY)


def _asked(study: bl.Study, count: int) -> Sequence[bl.Query]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bl.errors.BelatedWarning)
        return list(study.ask(count))


def _gap(one: bl.Query, other: bl.Query) -> float:
    """The largest difference of two queries in any parameter, as a share of its range."""
    a, b = one.point, other.point
    if a["solvent"] != b["solvent"]:
        return 1.0
    return float(max(abs(a["x"] - b["x"]), abs(a["temperature"] - b["temperature"]) / 100.0))


def kept() -> dict[Week, list[Counted]]:
    """What was played."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()]
    return {Week(*week): [Counted(*each) for each in counted] for week, counted in lines}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    every = (Week(*key, seed) for seed in range(SEEDS) for key in product(POLICIES, WINDOWS, SIZES, DELAYS))
    wanted = [week for week in every if week not in there]
    with ProcessPoolExecutor() as pool, KEPT.open("a") as file:
        for week, counted in pool.map(play, wanted, chunksize=8):
            there[week] = counted
            file.write(json.dumps([week, counted]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


def page(played: dict[Week, list[Counted]]) -> Iterator[str]:
    """The page, line by line, of the seeds that are played whole."""
    keys = list(product(POLICIES, WINDOWS, SIZES, DELAYS))
    seeds = [seed for seed in range(SEEDS) if all(Week(*key, seed) in played for key in keys)]
    played_so_far = f"All {SEEDS} seeds" if len(seeds) == SEEDS else f"Of {SEEDS} seeds, {len(seeds)}"
    yield f"# A batch that is late\n\n{ABOUT}\n\n{FOUND}\n\n{played_so_far} are played.\n"
    yield "| policy | window passed: near | the same | learned: near | the same | none: near | the same |"
    yield "|---|---|---|---|---|---|---|"
    for policy in POLICIES:
        cells = []
        for window in WINDOWS:
            mine = [week for week in played if week[:2] == (policy, window) and week.seed in seeds]
            runs = [each for week in mine for each in played[week]]
            asked, near, same = (sum(column) for column in zip(*runs, strict=True))
            cells += [f"{100 * near / asked:.1f}", f"{same} of {asked}"]
        yield f"| `{policy}` | {' | '.join(cells)} |"
