"""The page of the league's cases, `docs/results/league/cases.md`, from the cases themselves.

    python -m benchmarks.league_cases

The open half is listed; of the sealed half nothing is named, since whoever develops is not to know it by heart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from belated.experiments.league.cases import DELAYS, FAMILIES, Case, cases
from belated.simulate.laws import text

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "league" / "cases.md"
HEAD = """# The cases of the league

{count} cases in two halves of the same make, {half} each. The *open* ones are there to develop on. The *sealed* ones
are played for a release, by a few, and nobody looks at their results while choosing: whoever did would choose what
happens to be good on these very cases. Their functions, places, turns, fences, tables and laws of delays are other
ones.

A case poses another problem for every seed: the optimum is elsewhere, functions are turned around it, tables have
other values, and the tables of scores leave another fold out. All optima are known exactly. Entrants that play the
same case and seed meet the same function, noise and delays.

## The design

Nine rows of six cases: the four families of boxes in 2, 3, 6, 10, 20 and 50 dimensions, the three kinds of tables
with 200 to 20,000 rows, mixed spaces of 3 to 20 parameters, six tables of scores, regions that fail in 2 to 20
dimensions, and contexts. With f the number of the row and l that of the case in it, from 0, and t = 0 for the open
half and 4 for the sealed one, a case has

```text
delay (f + l + t) mod 9 of nine kinds,   noise (f + 2l + t) mod 3 of 0, 3 and 10 % of the function's own deviation
```

so that every kind of delays has six cases, two of each share of noise; every row has six kinds of delays, and each
share twice; and each of the six places in a row, from small to large, meets each kind of delays once. Functions take
turns within a row, and half of the boxes are maximised. Both halves have the same counts by family, dimension,
rounds, noise and delay.

The deviation is that of all rows of a table, or of 1024 of Sobol's points of a box (Halton's, past 21 dimensions).

{families}

{delays}

## The open half

"""


def page() -> str:
    """The whole page."""
    opened = cases("open")
    head = HEAD.format(
        count=len(cases()),
        half=len(opened),
        families=_table(
            ("family", "cases in a half", "what it is"),
            ((f"`{name}`", str(_counted(opened, name)), what) for name, what in FAMILIES.items()),
        ),
        delays=_table(("delays", "what they are"), ((f"`{name}`", what) for name, what in DELAYS.items())),
    )
    rows = (
        (
            f"`{case.key}`",
            f"[`{case.problem}`](../../problems/{case.problem}.md)",
            ", ".join(f"{name}={value}" for name, value in case.parameters.items()),
            str(case.dimension),
            str(case.rounds),
            f"{case.noise:.0%}",
            case.delay_kind,
            f"`{text(case.delay)}`",
        )
        for case in opened
    )
    names = ("case", "problem", "parameters", "dimension", "rounds", "noise", "delays", "law")
    return head + _table(names, rows) + "\n"


def _counted(suite: Iterable[Case], family: str) -> int:
    return Counter(case.family for case in suite)[family]


def _table(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [names, ("---",) * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
