"""Large databases of version 1 of the log, brought up to date, by processes that are killed in the midst of it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from belated.storage import revision, schema, upgrade
from belated.study import Study
from tests.durability.crowd import SPACE, started

FIRST = "0001"
NAME = "old"
SOON = 60.0  # seconds, where a quiet machine takes two
ROW = sa.text(
    "INSERT INTO belated_events (study, number, at, event, query, body) VALUES (1, :number, :at, :event, :query, :body)"
)


def old_database(address: str, n_events: int) -> list[tuple[int, str, float | None]]:
    """A database of the first release: of each query, how it stands and its value."""
    Study.create(address, NAME, SPACE, policy="random", seed=5)
    rng = np.random.default_rng(8)
    said: list[tuple[str, int, dict[str, object]]] = []
    expected: list[tuple[int, str, float | None]] = []
    for query in range(1, n_events // 2 + 1):
        said.append(("asked", query, {"point": {"heat": float(rng.uniform(-30, 170))}}))
        fate, value = str(rng.choice(["answered", "answered", "abandoned", "pending"])), float(rng.normal())
        if fate != "pending":
            said.append((fate, query, {"value": value} if fate == "answered" else {"reason": "lost"}))
        expected.append((query, fate, value if fate == "answered" else None))
    rows = [
        {
            "number": number,
            "at": float(number),
            "event": kind,
            "query": query,
            "body": json.dumps({"version": 1, **body}),
        }
        for number, (kind, query, body) in enumerate(said, start=2)
    ]
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(schema.MIGRATIONS))
        config.attributes["connection"] = connection
        command.downgrade(config, FIRST)
        created = connection.execute(sa.text("SELECT body FROM belated_events")).scalar_one()
        body = {**(json.loads(created) if isinstance(created, str) else created), "version": 1}
        connection.execute(sa.text("UPDATE belated_events SET body = :body"), {"body": json.dumps(body)})
        connection.execute(ROW, rows)
    engine.dispose()
    return expected


def fresh(address: str) -> str:
    """Another spelling of the address, under which nobody has looked at the tables yet."""
    return address.replace("sqlite:", "sqlite+pysqlite:").replace("postgresql+psycopg:", "postgresql:")


def assert_up_to_date(address: str, expected: list[tuple[int, str, float | None]]) -> None:
    study = Study.open(fresh(address), NAME)
    queries = study.queries()
    found = [(query.id, query.state.value, query.answer.value if query.answer else None) for query in queries]
    assert found == expected
    assert [query.id for query in study.pending()] == [query for query, state, _ in expected if state == "pending"]
    # It goes on with what version 2 can say.
    waiting = study.pending()
    study.tell(waiting[0], [0.5, 0.75])
    study.fail(waiting[1], "spilt")
    study.retract(next(query for query, state, _ in expected if state == "answered"), "contaminated")
    query = study.ask()
    assert query
    assert study.record().counts.failed == study.record().counts.retracted == 1


def killed_upgrades(address: str, folder: Path, longest: float, kills: int) -> set[str | None]:
    """The revisions at which processes were killed that brought the tables up to date."""
    rng, seen = np.random.default_rng(2), set[str | None]()
    for _ in range(kills):
        process = started(upgrade, address, complaints=folder / "stderr")
        process.join(float(rng.uniform(0.0, longest)))
        process.kill()
        process.join()
        seen.add(revision(fresh(address)))
        if schema.HEAD in seen:
            break
    return seen


def test_an_old_database_is_upgraded_though_whoever_does_it_is_killed(shared: str, tmp_path: Path) -> None:
    expected = old_database(shared, 4_000)
    assert killed_upgrades(shared, tmp_path, 0.15, 8) <= {FIRST, schema.HEAD}, "never half-way"
    upgrade(fresh(shared))
    assert_up_to_date(shared, expected)


@pytest.mark.slow
def test_a_hundred_thousand_events_are_upgraded_in_seconds_and_never_half_way(shared: str, tmp_path: Path) -> None:
    expected = old_database(shared, 115_000)
    assert killed_upgrades(shared, tmp_path, 1.0, 10) <= {FIRST, schema.HEAD}, "never half-way"
    began = time.perf_counter()
    upgrade(fresh(shared))
    assert time.perf_counter() - began < SOON
    assert_up_to_date(shared, expected)
