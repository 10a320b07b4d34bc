"""How many answers an exact belief takes, and what a machine says that it has left."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from belated.beliefs import Memory, capacity
from belated.beliefs.capacity import MOST_EXACT, free_memory, require_memory, require_room
from belated.beliefs.process.factor import factorised
from belated.beliefs.schedule import doubling
from belated.errors import CapacityError
from tests.builders import box, kernels_of


def test_a_belief_of_the_most_answers_has_room_and_one_more_is_refused_with_a_way_out() -> None:
    require_room(MOST_EXACT, 0)
    with pytest.raises(CapacityError) as caught:
        require_room(MOST_EXACT + 1, 0)
    assert str(caught.value) == (
        "an exact belief of 20,001 points takes 3.2 GB of memory and the cube of their number in time; it may have "
        "20,000; go on with random features, whose cost does not grow with the answers: change(policy='auto'), or "
        "another policy with belief=bl.Features()."
    )


def test_a_factor_is_refused_before_any_of_it_is_made() -> None:
    kernel, _ = kernels_of(box())
    points = np.zeros((MOST_EXACT + 1, 2))
    with pytest.raises(CapacityError, match="an exact belief of 20,001 points"):
        factorised(kernel, np.full(len(points), 0.1), points, doubling)
    with pytest.raises(CapacityError, match="an exact belief of 20,001 points"):
        Memory().factor(kernel, np.full(len(points), 0.1), points, doubling)


def test_little_is_never_refused_and_more_than_any_machine_has_always_is() -> None:
    require_memory("a belief", capacity.CERTAIN // capacity.BYTES, "leave it")
    if free_memory() is None:
        pytest.skip("this system does not say what it has left")
    with pytest.raises(
        CapacityError, match=r"^a belief takes 8000000.0 GB of memory while it is made, .*, or leave it\.$"
    ):
        require_memory("a belief", 10**15, "leave it")


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says")
def test_the_memory_that_is_left_is_no_more_than_the_machine_has() -> None:
    total = next(
        int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal")
    )
    free = free_memory()
    assert free is not None
    assert 0 < free <= 1024 * total


@pytest.mark.parametrize("names", [group[1:] for group in capacity.GROUPS], ids=["v2", "v1"])
def test_a_container_leaves_what_it_may_use_and_does_not_and_the_pages_of_files(
    names: tuple[str, str, str], tmp_path: Path
) -> None:
    limit, used, files = names
    (tmp_path / limit).write_text("5000000\n")
    (tmp_path / used).write_text("3000000\n")
    (tmp_path / "memory.stat").write_text(f"cache 7\n{files} 400000\nother 1\n")
    assert capacity._of_group(tmp_path, *names) == 2_400_000
    (tmp_path / limit).write_text("max\n")
    assert capacity._of_group(tmp_path, *names) is None, "no limit"
    assert capacity._of_group(tmp_path / "elsewhere", *names) is None
