"""A study in words: what it optimises and how, and what can be varied."""

from __future__ import annotations

from belated.cli import words
from belated.cli.output import facts, say
from belated.log import SOUGHT, objectives_text, outcome_text
from belated.study import Study


def portray(study: Study) -> None:
    """Write what the study is made of."""
    say(f"{study.name}: {objectives_text(study.outcomes)} with {study.recipe}, seed {study.seed}", "bold")
    facts(words.space(study.space).items(), indent=2)
    if study.seek == "total":
        say(f"what counts is {SOUGHT[study.seek]}")
    if study.outcomes.named:
        say("outcomes:")
        facts(((name, outcome_text(outcome)) for name, outcome in study.outcomes.items()), indent=2)
    elif study.outcomes.silence is not None:
        say(f"no answer within the window means {words.value(study.outcomes.silence)}")
    if study.context is not None:
        clipped = ", numbers clipped to their bounds" if study.context.outside == "clip" else ""
        say(f"in a context seen {study.context.seen} the decision{clipped}:")
        facts(words.space(study.context.space).items(), indent=2)
