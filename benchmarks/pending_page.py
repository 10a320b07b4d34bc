"""The page of the study of pending queries, from the runs that are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from belated.experiments.archive import RunKey
from benchmarks import pending_figure, pending_summary
from benchmarks.pending import (
    LAWS,
    NOISES,
    PASSES,
    QUERIES,
    RULES,
    SAME,
    START,
    TREATMENTS,
    WORKERS,
    Regrets,
    plays,
)
from benchmarks.pending_summary import MEASURES, Change, Pair

PAGE = Path(__file__).parent.parent / "docs" / "results" / "pending.md"
TITLES = {
    "ignore": "ignoring",
    "hallucinate": "hallucinating",
    "fantasise": "fantasising",
    "penalise": "penalising",
    "lie": "lying: the worst answer",
    "expect-less": "expecting a deviation less",
    "censor": "censoring",
}
RULE_TITLES = {"ucb": "upper bound", "ei": "expected improvement"}
# What a processor took.
MINUTES = 6
COUNTED = "each of two passes" if PASSES == 2 else "a single pass"
LAW_TITLES = {
    "constant": "constant",
    "poisson": "Poisson",
    "heavy": "heavy-tailed",
    "batch": "batches",
    "lost": "three in ten lost",
}
OTHERS = [name for name in TREATMENTS if name != "ignore"]
SAID = """\
Two papers of 2026 contradict each other on what pending queries should count as.

- [riegler2026] finds that nothing need be done. Where answers come one by one, the updates in between are generally
  enough to keep a standard rule, such as an upper bound, from asking the same place again; methods that keep away
  from pending queries can explore too much. Rules that ignore them match or outperform methods made for the purpose,
  on synthetic and on real tasks.
- [volk2026] finds that a query should count as answered with *less* than is expected of it. In many simulated
  scenarios this pessimism needs fewer experiments than realistic predictions, and than serial search, one answer
  after the other; in more dimensions it is caught less by local optima.

We could read their abstracts, not their settings: how far a pessimistic prediction lies below the mean is ours, one
deviation. Older advice is to hallucinate [desautels2014], to fantasise [snoek2012], to lie [ginsbourger2010] or to
penalise [gonzalez2016], also where workers are not in step [alvi2019]."""


def write(runs: Mapping[RunKey, Regrets]) -> None:
    """Write the page and its figure."""
    every = list(plays())
    pairs = pending_summary.compared(every, runs, pending_summary.ignoring)
    panels = {
        TITLES[name]: {measure: by(pairs, name, "workers", WORKERS, measure) for measure in pending_figure.SERIES}
        for name in OTHERS
    }
    figure = PAGE.with_name("pending-workers.svg")
    figure.write_text(pending_figure.drawn(panels, WORKERS))
    imagined = pending_summary.compared(every, runs, pending_summary.hallucinating)
    serial = pending_summary.compared(every, runs, pending_summary.serial)
    PAGE.write_text("\n".join(page(pairs, imagined, serial)) + "\n")
    print(f"Written to {PAGE}")


def page(pairs: Sequence[Pair], imagined: Sequence[Pair], serial: Sequence[Pair]) -> Iterator[str]:
    """The page, line by line."""
    yield f"# What pending queries should count as\n\n{SAID}\n\n## What came out\n\n{FOUND}\n"
    yield "![Regret relative to ignoring, by treatment and number of workers](pending-workers.svg)\n"
    yield f"{CAPTION}\n\n## How it was played\n\n{ABOUT}\n\n## Beside ignoring\n"
    yield from overall(pairs, OTHERS)
    yield "\n## Beside hallucinating\n"
    yield from overall(imagined, [name for name in OTHERS if name != "hallucinate"])
    for measure in ("found", "cumulative"):
        yield f"\n## Beside ignoring, by number of workers: {NAMES[measure]}\n"
        yield from table(pairs, "workers", {number: f"{number} workers" for number in WORKERS}, measure)
        yield f"\n## Beside ignoring, by law of delays: {NAMES[measure]}\n"
        yield from table(pairs, "law", LAW_TITLES, measure)
    yield f"\n## Beside serial search\n\n{SERIAL_ABOUT}"
    yield from against_serial(serial)


NAMES = {
    "found": "regret of the recommendation",
    "simple": "simple regret",
    "cumulative": "cumulative regret",
}


def overall(pairs: Sequence[Pair], names: Sequence[str]) -> Iterator[str]:
    """All laws and workers together, by rule, with the share of pairs in which the recommendation is better."""
    yield f"| rule | pending queries: | {' | '.join(NAMES[measure] for measure in MEASURES)} | better |"
    yield "|---|---|---|---|---|---|"
    for rule in RULES:
        for name in names:
            if (rule, name) == SAME:
                continue
            own = [pair for pair in pairs if (pair.play.rule, pair.play.treatment) == (rule, name)]
            cells = [written(pending_summary.change(own, measure)) for measure in MEASURES]
            share = f"{100 * pending_summary.better(own, 'found'):.0f} %"
            yield f"| {RULE_TITLES[rule]} | {TITLES[name]} | {' | '.join(cells)} | {share} of {len(own)} |"


def table(pairs: Sequence[Pair], field: str, titles: Mapping[Any, str], measure: str) -> Iterator[str]:
    """Each treatment by one of the things that vary."""
    yield f"| pending queries: | {' | '.join(titles.values())} |"
    yield "|---" * (1 + len(titles)) + "|"
    for name in OTHERS:
        cells = map(written, by(pairs, name, field, list(titles), measure))
        yield f"| {TITLES[name]} | {' | '.join(cells)} |"


def against_serial(pairs: Sequence[Pair]) -> Iterator[str]:
    """The simple regret in units of ignoring's, and in how many pairs it is less than that of serial search."""
    yield f"| pending queries: | {' | '.join(f'{number} workers' for number in WORKERS)} |"
    yield "|---" * (1 + len(WORKERS)) + "|"

    for name in TREATMENTS:
        groups = [[pair for pair in pairs if (pair.play.treatment, pair.play.workers) == (name, w)] for w in WORKERS]
        levels = [pending_summary.level(own, "simple") for own in groups]
        shares = [100 * pending_summary.better(own, "simple") for own in groups]
        cells = (f"{mean:.2f}; {share:.0f} %" for mean, share in zip(levels, shares, strict=True))
        yield f"| {TITLES[name]} | {' | '.join(cells)} |"


def by(pairs: Sequence[Pair], name: str, field: str, values: Sequence[object], measure: str) -> list[Change]:
    """What a treatment changes at each value of one of the things that vary."""
    return [
        pending_summary.change(
            [pair for pair in pairs if pair.play.treatment == name and getattr(pair.play, field) == value], measure
        )
        for value in values
    ]


def written(found: Change) -> str:
    """A change in percent with its interval; in bold where that is on one side of zero."""
    share, low, high = (f"{100 * value:+.0f}".replace("-", "−") for value in found[:3])
    text = f"{share} [{low}, {high}]"
    return f"**{text}**" if found.is_told else text


CAPTION = """\
Mean regret relative to that of ignoring pending queries, by the number of workers, both rules and all laws of delays
together, with 95 % intervals. Below zero is better; what lies outside of the panel ends at its edge."""
ABOUT = f"""\
The same rule and the same Gaussian process throughout: an upper bound of two deviations, or expected improvement, on
a Matérn process that is fitted with every ten answers. What differs is what pending queries count as. {START} random
points are answered before the start; then {QUERIES} queries are asked, one a round, and the last answers are waited
for. The recommendation is the point with the highest mean then.

With w workers who are busy all the time, a query has w − 1 others in flight when it is asked: that is a constant
delay of w rounds. The other laws have the mean delay w: Poisson; log-normal with spread 1, where one answer in a
hundred takes six times the mean or more; batches of w, whose answers come together, so that nothing is learned in
between, of which [riegler2026] does not speak; and Poisson with three answers in ten that never come, which nobody is
told. Problems: Branin (2 parameters), Michalewicz (2, steep valleys), Levy (4, many hills), Hartmann (6), and rough
draws of a process on a table of 1,000 rows. Answers have no noise, or normal noise of {NOISES[1]:.0%} of the
function's deviation.

In {COUNTED} every law meets every number of workers and every problem once, by a Latin square, under a seed of its
own: {PASSES * len(LAWS) * len(WORKERS)} pairs of runs for each rule and treatment, in which nothing else differs. A
regret is measured in units of its problem, the mean of ignoring there. Percentages are differences of means as shares
of the mean beside them; their 95 % intervals resample problems with their seed, then pairs, and are in bold where
zero is outside. “Better” is the share of pairs in which less regret is recommended, equal ones counting half.

Under an upper bound, fantasising in the sense of averaging the bound over draws is hallucinating to the last digit,
and is not played apart. Expected improvement counts imagined answers among the best so far, wherever a treatment
imagines any. No policy of ours plays here: theirs have guards of their own, such as never to ask the very point that
is under way. All of it took {MINUTES} minutes of one core, and `python -m benchmarks pending` plays it again."""
SERIAL_ABOUT = f"""\
Mean simple regret after {QUERIES} queries, in units of ignoring's; and in how many pairs it is less than that of the
same rule when every answer comes before the next query.
"""
FOUND = """\
- **Ignoring pending queries is the worst that one can do.** All others recommend a better point in the mean, with
  both rules: hallucinating leaves two thirds less regret under an upper bound and half under expected improvement,
  and a third less of all queries together. So [riegler2026] does not come out here, neither where answers come one by
  one, in Poisson or heavy-tailed times, nor in batches, of which it does not speak. With two or four workers, and
  under constant delays, nothing can be told of what hallucinating recommends; of all queries together it is ahead
  there too.

- **A little pessimism is as good as realism, and no better than serial search.** Expecting a deviation less and
  hallucinating cannot be told apart in any regret, and both are ahead of ignoring. After as many queries, serial
  search is ahead of all of them, the more so the more workers there are: what [volk2026] finds, pessimism ahead of
  both, does not come out.

- **Plain lies and censoring are dear.** They cost about twice the cumulative regret of hallucinating, with no better
  recommendation that could be told: what counts as the worst answer keeps whole neighbourhoods away.

- **Fantasising and penalising** find what hallucinating finds, as far as can be told, for more computing.

- **For you:** take a policy that counts pending queries by what is expected of them, as [`auto`](../policies/auto.md)
  and [`gp-bucb`](../policies/gp-bucb.md) do; from eight workers on it decides what you find. `gp-ucb` and `gp-ei`
  ignore them.

- **What cannot be told:** five problems give wide intervals, which resampling so few makes somewhat too narrow still.
  And the runs are short, 48 queries with up to 32 under way. Where there are many more queries than workers, ignoring
  may cost as little as [riegler2026] says."""
