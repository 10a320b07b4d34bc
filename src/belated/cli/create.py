"""`belated create`: a new study."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from belated.cli import typed, words
from belated.cli.definitions import read_context, read_space
from belated.cli.description import portray
from belated.cli.options import AsJson, PolicyName, PolicyParameters, Storage
from belated.cli.output import print_json, say
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.insight import study_json
from belated.study.study import DEFAULT_POLICY

NewStudy = Annotated[str, typer.Argument(metavar="NAME", help="What to call it.", show_default=False)]
SpaceGiven = Annotated[
    str,
    typer.Option(metavar="FILE|TEXT", help="What can be varied: a YAML, JSON or CSV file, or a text in braces."),
]
GoalGiven = Annotated[
    str | None,
    typer.Option(
        metavar="maximize|minimize",
        help="Whether large or small answers are good; maximize if you do not say.",
        autocompletion=lambda: ["maximize", "minimize"],
    ),
]
OutcomesGiven = Annotated[
    list[str] | None,
    typer.Option(
        "--outcome",
        metavar="NAME=KIND",
        help="What is measured, if it is more than one number: yield=maximize, impurity='at most 2.0', colour=signal; "
        "repeat it for each.",
    ),
]
SilenceGiven = Annotated[
    float | None,
    typer.Option(metavar="VALUE", help="What no answer within the window means, as 0 where nothing was sold."),
]
SeekGiven = Annotated[
    str,
    typer.Option(
        metavar="best|total",
        help="What counts: the best point in the end, or the total of all answers, where each one pays.",
        autocompletion=lambda: ["best", "total"],
    ),
]
SeedGiven = Annotated[int | None, typer.Option(help="Where its randomness comes from; drawn if you give none.")]
ContextGiven = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|TEXT",
        help="What else answers depend on, written like a space; with seen: after, what is seen after each decision.",
    ),
]
OrOpen = Annotated[bool, typer.Option("--or-open", help="Be content if a study of that name is there already.")]


def create(
    name: NewStudy,
    space: SpaceGiven,
    goal: GoalGiven = None,
    outcome: OutcomesGiven = None,
    silence: SilenceGiven = None,
    seek: SeekGiven = "best",
    policy: PolicyName = DEFAULT_POLICY,
    settings: PolicyParameters = None,
    seed: SeedGiven = None,
    context: ContextGiven = None,
    or_open: OrOpen = False,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Begin a study.

    Example: belated create lab --space '{temperature: {float: [20, 120]}, solvent: [DMF, THF]}' --seed 7
    """
    chosen: Any = goal  # the study refuses any other word
    counts: Any = seek
    study = Study.create(
        storage,
        name,
        read_space(space),
        goal=chosen,
        outcomes=typed.outcomes(outcome),
        silence=silence,
        seek=counts,
        policy=typed.policy(policy or DEFAULT_POLICY, settings or ()),
        seed=seed,
        context=None if context is None else read_context(context),
        or_open=or_open,
    )
    if as_json:
        print_json(study_json(study))
        return
    portray(study)
    say(f"Next: {words.ask_command(study, storage)}")
