"""How a study began is read once: it may hold a table of millions of numbers, and it never changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from belated.errors import CorruptError
from belated.study import Study
from belated.study.insight import summary
from tests.unit.storage.by_hand import SPACE, run

CALLS: dict[str, Callable[[Study], object]] = {
    "pending": lambda study: study.pending(),
    "closed": lambda study: study.closed,
    "settings": lambda study: study.settings,
    "notices": lambda study: study.notices(),
    "policy": lambda study: study.policy,
    "close": lambda study: study.close("enough"),
    "reopen": lambda study: study.reopen(),
    "change": lambda study: study.change(window=5, seed=3),
    "record": lambda study: study.record(),
    "summary": summary,
    "ask": lambda study: study.ask(),
    "tell": lambda study: study.tell(1, 0.5),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_open_study_reads_its_creation_no_more(shared: str, call: str) -> None:
    Study.create(shared, "yield", SPACE, policy="gp-bucb", seed=1).ask()
    study = Study.open(shared, "yield")
    # Were it read again, it would be found to be damaged.
    run(shared, "UPDATE belated_events SET body = '{}' WHERE number = 1")
    CALLS[call](study)
    with pytest.raises(CorruptError):
        Study.open(shared, "yield")


def test_what_others_change_is_seen(shared: str) -> None:
    study = Study.create(shared, "yield", SPACE, policy="random", seed=1)
    other = Study.open(shared, "yield")
    assert (study.closed, study.seed) == (None, 1)
    other.change(seed=2)
    other.close("enough")
    assert (study.closed, study.seed) == ("enough", 2)
    study.reopen()
    assert other.closed is None
    assert study.settings == other.settings == Study.open(shared, "yield").settings == study.record().settings
