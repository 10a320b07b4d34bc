"""A study as a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belated.log import SOUGHT, objectives_text, outcome_text
from belated.show import card, written
from belated.study.insight.missing_contexts import unplaced
from belated.study.insight.recommendation import best_or_none

if TYPE_CHECKING:
    from belated.study.any_study import AnyStudy


def study_card(study: AnyStudy) -> str:
    """The card of a study: what it is, how many queries stand where, and the best answer; no model runs for it."""
    record = study.record()
    rows: list[tuple[str, Any]] = [
        ("goal", objectives_text(study.outcomes)),
        *([("what counts", SOUGHT[study.seek])] if study.seek == "total" else []),
        *((name, outcome_text(outcome)) for name, outcome in study.outcomes.items() if study.outcomes.named),
        ("policy", str(study.recipe)),
        ("space", repr(study.space)),
        *([("context", repr(study.context))] if study.context else []),
        ("seed", study.seed),
        *record.counts.words(record.outcomes.silence).items(),
        *([("partly answered", len(partly))] if (partly := record.partly_answered()) else []),
        *([("without their context", len(waiting))] if (waiting := unplaced(record)) else []),
    ]
    best = best_or_none(record)
    if best is not None:
        rows.append(("best answer", f"{written(best.value)} (query {best.query})"))
    rows += [("worth knowing", notice.text) for notice in study.notices()]
    state = " · ".join(
        _state(word, why) for word, why in (("closed", study.closed), ("archived", study.archived)) if why is not None
    )
    return card(f"Study {study.name}".strip(), state, rows)


def _state(word: str, reason: str) -> str:
    return f"{word}: {reason}" if reason else word
