"""`belated change`, `close`, `reopen`, `archive` and `unarchive`: a study goes on otherwise, ends, or is put away."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from belated.cli import typed, words
from belated.cli.options import ArchivedName, AsJson, PolicyName, PolicyParameters, Reason, Storage, StudyName
from belated.cli.output import print_json, say
from belated.log import SOUGHT, Window
from belated.policies import Recipe
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.insight import study_json


def _window(text: str) -> int | Literal["auto"]:
    if text == "auto":
        return "auto"
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number of queries nor 'auto'.") from None


WindowGiven = Annotated[
    Any,
    typer.Option(
        "--window",
        metavar="N|auto",
        parser=_window,
        help="Wait until N further queries were asked; auto: as long as the delays so far say.",
    ),
]
WindowSeconds = Annotated[
    float | None, typer.Option("--window-seconds", metavar="S", help="Wait for S seconds, whichever is over first.")
]


def _silence(text: str) -> float | Literal["nothing"]:
    if text == "nothing":
        return "nothing"
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor 'nothing'.") from None


NewSilence = Annotated[
    Any,
    typer.Option(
        "--silence",
        metavar="VALUE|nothing",
        parser=_silence,
        help="What no answer within the window means, as 0 where nothing was sold; nothing: it says nothing any more.",
    ),
]
NewSeek = Annotated[
    str | None,
    typer.Option(
        metavar="best|total",
        help="What counts from here on: the best point in the end, or the total of all answers.",
        autocompletion=lambda: ["best", "total"],
    ),
]
NewSeed = Annotated[int | None, typer.Option(help="Draw from another seed from here on.")]


def change(
    study: StudyName,
    policy: PolicyName = None,
    settings: PolicyParameters = None,
    window: WindowGiven = None,
    window_seconds: WindowSeconds = None,
    seed: NewSeed = None,
    silence: NewSilence = None,
    seek: NewSeek = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Go on with another policy, window or seed, or say what silence means or what counts.

    The log keeps what was before. With --set and no --policy, the policy stays and gets other parameters.

    Example: belated change lab --policy gp-ucb-sdf --set floor=0 --window 20
    """
    if not settings and all(given is None for given in (policy, window, window_seconds, seed, silence, seek)):
        options = "--policy, --set, --window, --window-seconds, --seed, --silence or --seek"
        raise typer.BadParameter(f"nothing to change; give {options}.")
    if window == "auto" and window_seconds is not None:
        raise typer.BadParameter("--window auto learns how long to wait; leave out --window-seconds.")
    if any(entry.partition("=")[0].strip() == "window" for entry in settings or ()) and (window or window_seconds):
        raise typer.BadParameter("--set window=… and --window are two windows; leave out either.")
    opened = Study.open(storage, study)
    longest = window if window_seconds is None else Window(window, window_seconds)
    counts: Any = seek  # the study refuses any other word
    other = _policy(opened, policy, settings or [])
    opened.change(policy=other, window=longest, seed=seed, silence=silence, seek=counts)
    if as_json:
        print_json(study_json(opened))
    else:
        said = f"{opened.name} goes on with {opened.recipe}, seed {opened.seed}"
        means = opened.outcomes.silence
        said = said if seek is None else f"{said}; what counts is {SOUGHT[opened.seek]}"
        say(said if means is None else f"{said}; no answer within the window means {words.value(means)}")


def close(study: StudyName, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Ask no further query; answers are still welcome.

    Example: belated close lab --reason 'good enough'
    """
    opened = Study.open(storage, study)
    opened.close(reason)
    _report(opened, "is closed", as_json)


def reopen(study: StudyName, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Go on with a study that was closed.

    Example: belated reopen lab --reason 'new budget'
    """
    opened = Study.open(storage, study)
    opened.reopen(reason)
    _report(opened, "is open", as_json)


def archive(study: StudyName, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Put a study out of sight: lists leave it out, and it asks nothing.

    It stays complete: by its name it can be looked at, told and exported, and brought back.

    Example: belated archive lab --reason 'the project is over'
    """
    opened = Study.open(storage, study)
    opened.archive(reason)
    _report(opened, "is in the archive", as_json)


def unarchive(
    study: ArchivedName, reason: Reason = "", storage: Storage = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Bring a study back from the archive.

    Example: belated unarchive lab --reason 'a second season'
    """
    opened = Study.open(storage, study)
    opened.unarchive(reason)
    _report(opened, "is back from the archive", as_json)


def _policy(study: Study, name: str | None, settings: list[str]) -> Recipe | None:
    """The policy that was named, or the study's own with other parameters; None if neither was given."""
    if name is not None:
        return typed.policy(name, settings)
    recipe = study.recipe
    return typed.policy(recipe.name, settings, dict(recipe.parameters)) if settings else None


def _report(study: Study, what: str, as_json: bool) -> None:
    if as_json:
        print_json(study_json(study))
    else:
        say(f"{study.name} {what}")
