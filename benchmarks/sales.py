"""What no answer means, said or not: prices, clicks and offers, of which most are never answered.

`python -m benchmarks sales` plays studies in which no answer is an answer, once where the study says what it means and
once where it does not: what the recommendation is worth, and what a query was worth on average, both in expectation.
What is played is kept in results/sales.jsonl with the release that played it: run it again to go on. Another release
plays all of it anew.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import belated as bl
from benchmarks.measure import RESULTS

KEPT = RESULTS / "sales.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "no-sale.md"
Point = Mapping[str, Any]
PRICES = bl.Space(price=bl.Float(1, 20))
ABOUT = """\
A price between 1 and 20 is paid with probability exp(−p/6), which is known a Poisson law of mean 5 queries later; who
does not buy never writes. The best price is 6, and worth 2.21. Other games are like it: **clicks**, 1 or nothing, over
a box of two parameters, with a window in seconds; **offers**, which are minimised, and cost 10 where nobody answers;
**table**, of prices and sizes; **hours**, of which each has its own best price; **late**, where half of the sales are
known only long after a window of 12 queries; **answered**, where all answer, and noise is a tenth of the range. Each is
played by `auto`, with the meaning of silence declared and without.

The columns are what the recommendation is worth as a share of the best, in the mean and the lowest, and what a query
was worth in the mean. For offers, shares are of what lies between silence and the best. `python -m benchmarks sales`
plays it again. All of it is of release {release}."""
FOUND = """\
Said what silence means, nine of ten studies of prices end within 7 % of the best, at 2.05 or more, and a query was
worth 1.95 on average; unsaid, all ten end at the highest price, at 0.71. One had a run of luck at 16 early on. How far
`auto` looks, how many queries it begins with and how the latent process varies were chosen on these seeds and on others
of the same game; on ten fresh seeds nine ended so again, and a query was worth 1.98. Nothing was chosen on the other
games. On a table of 30 rows it is dear to tell rows apart that differ little and are bought seldom, and clicks of 5 to
40 % say little in 100 queries. Where all answer, little is lost by saying so: a query was worth 3 % less, since a
longer beginning looks around."""


@dataclass(frozen=True)
class Game:
    """Who answers where, with what, and after how many seconds; an ask comes every second."""

    space: bl.Space | bl.Candidates
    chance: Callable[[Point], float]
    value: Callable[[Point], float]
    delay: Callable[[np.random.Generator], float]
    silence: float = 0.0
    best: float = 1.0  # with the lowest, what shares are of
    queries: int = 100
    seeds: int = 5
    noise: float = 0.0
    goal: bl.log.Goal = "maximize"
    window: bl.log.GivenWindow = "auto"
    context: bl.Context | None = None
    hours: tuple[float, ...] = ()

    def worth(self, point: Point) -> float:
        """What is expected of a point."""
        chance = self.chance(point)
        return chance * self.value(point) + (1.0 - chance) * self.silence

    def share(self, worth: float) -> float:
        """What that is as a share of the best, from silence on."""
        return (worth - self.silence) / (self.best - self.silence)


def _paid(point: Point) -> float:
    return math.exp(-float(point["price"]) / 6.0)


def _price(point: Point) -> float:
    return float(point["price"])


def _clicked(point: Point) -> float:
    return 0.05 + 0.35 * math.exp(-4.0 * ((point["size"] - 0.3) ** 2 + (point["place"] - 0.6) ** 2))


def _taken(point: Point) -> float:
    return 1.0 - math.exp(-4.0 * float(point["offer"]))


def _by_hour(point: Point) -> float:
    return math.exp(-float(point["price"]) / (4.0 + 4.0 * math.sin(math.pi * point["hour"] / 24.0)))


def _table() -> bl.Candidates:
    rows = [{"price": float(price), "size": size} for price in range(1, 21, 2) for size in ("S", "M", "L")]
    return bl.Candidates(rows)


def _fits(point: Point) -> float:
    return math.exp(-float(point["price"]) / {"S": 3.0, "M": 6.0, "L": 4.0}[point["size"]])


def _poisson(rng: np.random.Generator) -> float:
    return float(rng.poisson(5.0))


def _half_late(rng: np.random.Generator) -> float:
    return float(rng.poisson(5.0) if rng.random() < 0.5 else rng.uniform(20.0, 40.0))


HOURS = (2.0, 7.0, 12.0, 17.0, 22.0)
GAMES = {
    "price": Game(PRICES, _paid, _price, _poisson, best=6.0 / math.e, queries=150, seeds=10),
    "clicks": Game(
        bl.Space(size=bl.Float(0, 1), place=bl.Float(0, 1)),
        _clicked,
        lambda point: 1.0,
        lambda rng: float(rng.exponential(5.0)),
        best=0.4,
        window=bl.Window(seconds=20.0),
    ),
    "offers": Game(
        bl.Space(offer=bl.Float(0, 1)),
        _taken,
        lambda point: 2.0 + 6.0 * float(point["offer"]),
        _poisson,
        silence=10.0,
        best=5.5294,
        goal="minimize",
    ),
    "table": Game(_table(), _fits, _price, _poisson, best=7.0 * math.exp(-7.0 / 6.0)),
    "hours": Game(
        PRICES,
        _by_hour,
        _price,
        _poisson,
        best=float(np.mean([(4.0 + 4.0 * math.sin(math.pi * hour / 24.0)) / math.e for hour in HOURS])),
        context=bl.Context(hour=bl.Float(0, 24), seen="before"),
        hours=HOURS,
    ),
    "late": Game(PRICES, _paid, _price, _half_late, best=6.0 / math.e, window=12),
    "answered": Game(
        PRICES, lambda point: 1.0, lambda point: _paid(point) * _price(point), _poisson, best=6.0 / math.e, noise=0.2
    ),
}
ARMS = {"auto, declared": ("auto", True), "auto": ("auto", False)}


class Played(NamedTuple):
    """What is played."""

    game: str
    arm: str
    seed: int


class Worth(NamedTuple):
    """Shares of the best: of the recommendation, and of a query in the mean."""

    recommended: float
    asked: float


def play(played: Played) -> tuple[Played, Worth]:
    """One study."""
    game, (policy, declared) = GAMES[played.game], ARMS[played.arm]
    now, chance = [0.0], np.random.default_rng([20, played.seed])
    study = bl.Study.in_memory(
        game.space,
        policy=bl.policies.build(policy, window=game.window),
        goal=game.goal,
        silence=game.silence if declared else None,
        context=game.context,
        seed=played.seed,
        clock=lambda: now[0],
        notices=False,
    )
    coming: list[tuple[float, int, float]] = []
    worths = []
    for number in range(game.queries):
        now[0] = float(number)
        for _, query, value in sorted(each for each in coming if each[0] <= number):
            study.tell(query, value)
        coming = [each for each in coming if each[0] > number]
        context = {"hour": float(chance.uniform(0, 24))} if game.context else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bl.errors.BelatedWarning)
            asked = study.ask(context=context)
        if isinstance(asked, bl.Balk):
            break  # a table is used up, and nothing speaks for another look
        point = {**asked.point, **(context or {})}
        worths.append(game.worth(point))
        answered, delay, error = chance.random() < game.chance(point), game.delay(chance), chance.standard_normal()
        if answered:
            coming.append((number + delay, asked.id, game.value(point) + game.noise * error))
    return played, Worth(game.share(_recommended(game, study)), game.share(float(np.mean(worths))))


def _recommended(game: Game, study: bl.Study) -> float:
    if not game.hours:
        return game.worth(study.recommend().point)
    contexts = [{"hour": hour} for hour in game.hours]
    return float(np.mean([game.worth({**study.recommend(context=each).point, **each}) for each in contexts]))


def kept() -> dict[Played, Worth]:
    """What this release has played."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()]
    return {Played(*played): Worth(*worth) for played, worth, release in lines if release == bl.__version__}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    every = (Played(*key, seed) for key in product(GAMES, ARMS) for seed in range(GAMES[key[0]].seeds))
    wanted = [played for played in every if played not in there]
    with ProcessPoolExecutor() as pool, KEPT.open("a" if there else "w") as file:
        for played, worth in pool.map(play, wanted):
            there[played] = worth
            file.write(json.dumps([played, worth, bl.__version__]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


def page(there: Mapping[Played, Worth]) -> Iterator[str]:
    """The page, line by line."""
    yield f"# No sale is an answer\n\n{ABOUT.format(release=bl.__version__)}\n\n{FOUND}\n"
    yield "| game | policy | recommendation | lowest | a query | studies |"
    yield "|---|---|---|---|---|---|"
    for game, arm in product(GAMES, ARMS):
        worths = [worth for played, worth in there.items() if played[:2] == (game, arm)]
        if worths:
            last, mean = np.array(worths).T
            cells = f"{last.mean():.2f} | {last.min():.2f} | {mean.mean():.2f} | {len(worths)}"
            yield f"| {game} | {arm} | {cells} |"
