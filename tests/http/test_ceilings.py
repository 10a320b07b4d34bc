"""Bodies that would cost all memory or a thread for ever are refused at once, and beliefs that have grown too large."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np
import pytest

import belated as bl
from belated.beliefs.capacity import MOST_EXACT
from belated.errors import BelatedWarning, CapacityError
from belated.study import Study
from tests.forks import belated
from tests.serving import client, serving

HUGE = 10**9
SPACE = {"x": {"float": [0, 1]}}
AFTER = {"rain": {"float": [0, 1]}, "seen": "after"}
# A refusal needs no belief, no sample and no search.
AT_ONCE = 5.0  # seconds


def given(name: str, seen_after: bool = True, **parameters: Any) -> dict[str, Any]:
    body = {"name": "large", "space": SPACE, "policy": {"name": name, "parameters": parameters}}
    return body | ({"context": AFTER} if seen_after else {})


KNOWN = {"part": "Known", "values": [[["rain", place / 10**5]] for place in range(10**5)]}
BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "sbo-kde samples": (given("sbo-kde", samples=HUGE), "samples must be at most 10000"),
    "sbo-kde fewer samples": (given("sbo-kde", samples=10**8), "samples must be at most 10000"),
    "drbo-kde infimum": (given("drbo-kde", infimum=HUGE), "infimum must be at most 10000"),
    "stableopt samples": (given("stableopt", samples=HUGE), "samples must be at most 10000"),
    "drbo-mmd grid": (given("drbo-mmd", grid=HUGE), "grid must be at most 4096"),
    "sm-ucb paths": (given("sm-ucb", False, paths=HUGE), "paths must be at most 500"),
    "sm-ucb batch": (given("sm-ucb", False, batch=HUGE), "batch must be at most 500"),
    "gp-aucb minimum": (given("gp-aucb", False, minimum=HUGE), "minimum must be at most 1024"),
    "Known": (given("sbo-kde", law=KNOWN), "Known(100000 contexts): their number must be at most 10000"),
    "parameters": (
        {"name": "large", "space": {f"x{place}": {"float": [0, 1]} for place in range(20_000)}},
        "got 20,000 parameters, those of a context included; there may be 300",
    ),
}


@pytest.mark.parametrize(("body", "rule"), BODIES.values(), ids=list(BODIES))
def test_a_study_that_would_cost_all_memory_or_a_thread_is_refused_at_once_with_the_rule(
    caller: httpx.Client, body: dict[str, Any], rule: str
) -> None:
    began = time.perf_counter()
    response = caller.post("/v1/studies", json=body)
    assert time.perf_counter() - began < AT_ONCE
    assert response.status_code == 422
    error = response.json()["error"]
    assert error["kind"] in ("parameter", "space")
    assert rule in error["message"]
    assert caller.get("/v1/studies/large").status_code == 404


def test_a_change_to_such_a_policy_is_refused_at_once_too(caller: httpx.Client) -> None:
    assert caller.post("/v1/studies", json={"name": "small", "space": SPACE, "policy": "random"}).status_code == 201
    for body, rule in (BODIES["sm-ucb paths"], BODIES["gp-aucb minimum"]):
        response = caller.patch("/v1/studies/small", json={"policy": body["policy"]})
        assert response.status_code == 422
        assert rule in response.json()["error"]["message"]
    assert caller.get("/v1/studies/small").json()["policy"]["name"] == "random"


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A storage with a study of one answer more than an exact belief takes."""
    storage = f"sqlite:///{tmp_path_factory.mktemp('grown') / 'lab.db'}"
    study = Study.create(storage, "grown", bl.Space(x=bl.Float(0, 1)), policy="gp-bucb", seed=1)
    places = np.random.default_rng(1).random(MOST_EXACT + 1).tolist()
    study.add_many([({"x": place}, -((place - 0.3) ** 2)) for place in places])
    return storage


REFUSAL = f"an exact belief of {MOST_EXACT + 1:,} points takes 3.2 GB of memory"


def test_a_belief_that_has_grown_too_large_has_one_status_one_exit_code_and_one_error(
    grown: str, tmp_path: Path
) -> None:
    with serving(grown) as address, client(address) as anybody:
        response = anybody.post("/v1/studies/grown/asks", json={})
        assert response.status_code == CapacityError.status == 507
        assert response.json()["error"]["kind"] == "capacity"
        assert response.json()["error"]["message"].startswith(f"ask(): {REFUSAL}")
        with pytest.raises(CapacityError, match="an exact belief of 20,001 points"):
            bl.RemoteStudy.open(address, "grown").ask()
        assert anybody.get("/v1/studies/grown/best").status_code == 200
    ended = belated(tmp_path, "ask", "grown", "--storage", grown)
    assert ended.returncode == CapacityError.exit_code == 43
    assert ended.stderr.startswith(f"belated: {REFUSAL}")


def test_such_a_study_goes_on_once_another_policy_decides(grown: str) -> None:
    study = Study.open(grown, "grown")
    study.change(policy="auto")
    with pytest.warns(BelatedWarning, match="hardly changed the recommendation"):
        asked = study.ask()
    assert isinstance(asked, bl.Query)
    study.tell(asked, 0.0)
    assert study.best().value == 0.0
