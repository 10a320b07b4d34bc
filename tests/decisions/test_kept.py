"""Every decision that was kept is made again, to the last bit where the machine rounds as it did then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from belated.log import Balk, Event
from belated.study import Study, differences
from tests.decisions.kept import ARITHMETIC, arithmetic, paths, read
from tests.decisions.lives import Balked

SAME_ARITHMETIC = arithmetic() == ARITHMETIC.read_text().strip()
# Elsewhere the last digits differ, and now and then two points that are as good as each other change places.
CLOSE, MOST_SWAPPED = 1e-5, 0.1


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_the_same_queries_are_asked(path: Path) -> None:
    events, _ = read(path)
    changed = list(differences(events))
    if SAME_ARITHMETIC:
        assert changed == []
    else:
        space = Study(events).space
        far = [each for each in changed if isinstance(each.now, Balk) or not close(space, each.asked, each.now)]
        asked = sum(event.to_json()["event"] == "asked" for event in events)
        assert len(far) <= MOST_SWAPPED * asked


@pytest.mark.parametrize("path", [path for path in paths() if read(path)[1]], ids=lambda path: path.stem)
def test_the_same_asks_are_declined_with_the_same_words(path: Path) -> None:
    events, balks = read(path)
    declined = [declined_anew(events, balk) for balk in balks]
    if SAME_ARITHMETIC:
        assert declined == [Balk(balk.reason) for balk in balks]
    else:
        assert sum(isinstance(each, Balk) for each in declined) >= (1.0 - MOST_SWAPPED) * len(balks)


def declined_anew(events: list[Event], balk: Balked) -> Any:
    """What the ask of that moment comes to now."""
    study = Study(events[: balk.after], clock=lambda: balk.at)
    return study.ask(context=balk.context) if balk.context else study.ask()


def close(space: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two points differ in their last digits alone."""
    return bool(np.max(np.abs(space.encode(one) - space.encode(other)), initial=0.0) <= CLOSE)
