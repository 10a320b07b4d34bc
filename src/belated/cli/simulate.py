"""`belated simulate`: any policies on any problems under any delays, compared over seeds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from belated import policies
from belated.cli import typed
from belated.cli.experiments import as_json as experiment_as_json
from belated.cli.experiments import conducted, show
from belated.cli.options import AsJson
from belated.cli.output import print_json, say
from belated.errors import unknown_name
from belated.experiments import MEASURES, Arm, Experiment, Results, write_csv
from belated.report import Section, save, write_report
from belated.report.experiments import comparison_table, curves, final_table, panels
from belated.report.style import graph_objects
from belated.simulate import laws, problems

# The folder holds the runs, and the results that were made of them last.
OUTPUT, RUNS, PAGE, TABLE, IMAGE = Path("simulation"), "runs", "report.html", "results.csv", "figure"
IMAGES = ("svg", "png")

EXPLAINED = (
    "With the same seed all policies met the same function, noise, delays and initial points. The tables have means "
    "over the seeds after the last round with their standard errors, then every pair of policies, seed by seed: how "
    "likely chance alone sets two equal policies so far apart, by the paired t-test, by changes of sign, and by the "
    "latter with Holm's correction for looking at all pairs at once."
)


def _listed(names: Iterable[str], incomplete: str) -> list[str]:
    """The names that complete what follows the last comma."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def _problems(incomplete: str) -> list[str]:
    return _listed(problems.names(), incomplete)


def _policies(incomplete: str) -> list[str]:
    return _listed(policies.names(), incomplete)


def _measures(incomplete: str) -> list[tuple[str, str]]:
    return [(name, measure.title) for name, measure in MEASURES.items() if name.startswith(incomplete)]


ProblemNames = Annotated[
    str,
    typer.Option(
        "--problem", metavar="NAME,…", help="What to try them on: see belated problems.", autocompletion=_problems
    ),
]
PolicyNames = Annotated[
    str,
    typer.Option("--policy", metavar="NAME,…", help="What to compare: see belated policies.", autocompletion=_policies),
]
DelayLaws = Annotated[
    list[str] | None,
    typer.Option("--delay", metavar="LAW", help="How late answers come, as 'poisson(10)'; repeat it for each."),
]
ArmParameters = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME.PARAMETER=VALUE", help="As gp-bucb.window=20 or ackley.dimension=4."),
]
MeasureName = Annotated[
    str, typer.Option(metavar="NAME", help="What to draw, and to compare by.", autocompletion=_measures)
]
Folder = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where runs and results are kept.")]
Images = Annotated[str, typer.Option("--image", metavar="svg,png", help="Draw the figure as images too.")]
DataFolder = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", envvar="BELATED_DATA", help="The folder with the tables that are not ours to ship."),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes at work; one for each processor if not given.")]


def simulate(
    problem: ProblemNames,
    policy: PolicyNames,
    delay: DelayLaws = None,
    settings: ArmParameters = None,
    rounds: Annotated[int, typer.Option(min=1, help="Chances to ask in each run.")] = 100,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each, with the seeds 0, 1, 2, …")] = 10,
    initial: Annotated[int, typer.Option(min=0, help="Random points whose answers are there from the start.")] = 0,
    measure: MeasureName = "simple",
    output: Folder = OUTPUT,
    image: Images = "",
    data: DataFolder = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Compare policies on problems with late answers.

    With the same seed all policies meet the same function, noise, delays and initial points. What is finished is kept:
    run it again to go on after an interruption, or with more seeds.

    Example: belated simulate --problem branin,ackley-4 --policy gp-bucb,random --delay 'poisson(10)'
    """
    graph_objects()
    if measure not in MEASURES:
        raise unknown_name("simulate", "measure", measure, MEASURES)
    endings = _names(image) if image else []
    for ending in endings:
        if ending not in IMAGES:
            raise typer.BadParameter(f"an image is {' or '.join(IMAGES)}, not {ending!r}.")
    if data is not None:
        # The processes that run the experiments inherit it.
        os.environ["BELATED_DATA"] = str(data.resolve())
    chosen = _settings(settings or (), [*_names(problem), *_names(policy)])
    experiments = [
        Experiment(name, _arms(label, _names(policy), law, chosen, rounds, initial), range(seeds))
        for name, label, law in _combinations(_names(problem), delay or ["none()"])
    ]
    results = conducted(experiments, output / RUNS, workers)
    files = _written(results, measure, output, endings)
    if as_json:
        described = [experiment_as_json(some, measure) for some in results]
        print_json({"measure": measure, "experiments": described, "files": [str(path) for path in files]})
        return
    for some in results:
        show(some, measure)
    say("\n" + "\n".join(f"Written to {path}" for path in files))


def _names(text: str) -> list[str]:
    """The names between commas."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise typer.BadParameter(f"{text!r} names nothing; give one name, or several with commas between them.")
    return names


def _settings(texts: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The parameters of each policy and problem by its name."""
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in typed.settings(texts).items():
        name, dot, parameter = key.rpartition(".")
        if not dot or name not in found:
            raise typer.BadParameter(
                f"{key!r} begins with none of {', '.join(names)}; write as {names[-1]}.PARAMETER=VALUE."
            )
        found[name][parameter] = value
    return found


def _combinations(problem_names: Sequence[str], delays: Sequence[str]) -> list[tuple[str, str, laws.DelayLaw]]:
    """Each problem under each law of delays, and the name of both together."""
    parsed = list({laws.text(law): law for law in map(laws.parse, delays)}.items())
    return [
        (f"{problem}, {text}" if len(parsed) > 1 else problem, problem, law)
        for problem, (text, law) in product(problem_names, parsed)
    ]


def _arms(
    problem: str,
    names: Sequence[str],
    delay: laws.DelayLaw,
    settings: Mapping[str, Mapping[str, Any]],
    rounds: int,
    initial: int,
) -> tuple[Arm, ...]:
    """One arm for each policy."""
    built = {name: policies.build(name, **settings[name]) for name in names}
    return tuple(
        Arm(name, problem, policy, delay, rounds, initial, parameters=settings[problem])
        for name, policy in built.items()
    )


def _written(results: Sequence[Results], measure: str, folder: Path, endings: Sequence[str]) -> list[Path]:
    """The files that show the results."""
    figure = curves(results[0], measure) if len(results) == 1 else panels(results, measure)
    page = write_report(folder / PAGE, "Simulated policies", _sections(results, measure, figure))
    table = write_csv(folder / TABLE, results, list(dict.fromkeys(["simple", "cumulative", measure])))
    return [page, table, *(save(figure, folder / f"{IMAGE}.{ending}") for ending in endings)]


def _sections(results: Sequence[Results], measure: str, figure: Any) -> list[Section]:
    """The figure, then the tables of every experiment."""
    sections = [Section(text=[EXPLAINED], figures=[figure])]
    for some in results:
        first = some.arms[0]
        told = f"{first.rounds} rounds, {len(some.experiment.seeds)} seeds, delays {laws.text(first.delay)}."
        sections.append(Section(some.experiment.name, [told], table=final_table(some, measure)))
        if len(some.arms) > 1 and len(some.experiment.seeds) > 1:
            sections.append(Section(table=comparison_table(some, measure)))
    return sections
