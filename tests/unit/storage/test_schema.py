"""The tables from release to release: made by migrations, brought up to date, and refused when they are not ours."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from belated.errors import SchemaError
from belated.log import Asked, Created, Event, Query
from belated.storage import revision, schema, upgrade
from belated.storage.tables import metadata
from belated.study import Study, differences
from tests.fixtures.make_schema import KYOTO, live, path_of
from tests.meanwhile import Meanwhile
from tests.unit.storage.by_hand import SPACE, eventful, run

NEXT = '''
"""Words for the next release."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0004", "0003"


def upgrade():
    op.add_column("belated_studies", sa.Column("words", sa.String(20)))
'''
DOORS: dict[str, Callable[[str], object]] = {
    "open": lambda url: Study.open(url, "yield"),
    "names": Study.names,
    "create": lambda url: Study.create(url, "another", SPACE, seed=1),
}


def refused(url: str, doors: list[Callable[[str], object]], message: str) -> None:
    for enter in doors:
        with pytest.raises(SchemaError, match=f": {re.escape(message)}$"):
            enter(url)


# Databases of earlier releases.


@pytest.mark.parametrize("released", schema.REVISIONS)
def test_a_database_of_each_release_is_brought_up_to_date_and_goes_on(sqlite: str, memory: str, released: str) -> None:
    connection = sqlite3.connect(sqlite.removeprefix("sqlite:///"))
    connection.executescript(path_of(released).read_text(encoding="utf-8"))
    connection.close()
    assert upgrade(sqlite) == (released, schema.HEAD)
    assert upgrade(sqlite) == (schema.HEAD, schema.HEAD)

    study = Study.open(sqlite, "yield")
    if released == schema.HEAD:
        assert undated(study.events) == undated(live(memory).events)
    assert len({type(event.body) for event in study.events}) == 10
    assert any(isinstance(event.body, Asked) and event.body.after for event in study.events)
    assert [query.id for query in study.pending()] == [7]
    query = study.ask(context=KYOTO)
    assert isinstance(query, Query)
    study.tell(query, 0.5)
    assert list(differences(study.events)) == []
    assert list(differences(study.events, forgetful=True)) == []


def undated(events: Sequence[Event]) -> list[Event]:
    """Events without what a later release wrote into them: which one decided them, and what the study seeks."""
    bodies = (
        replace(body, release=None)
        if isinstance(body, Asked)
        else replace(body, seek=None)
        if isinstance(body, Created)
        else body
        for body in (event.body for event in events)
    )
    return [replace(event, body=body) for event, body in zip(events, bodies, strict=True)]


def test_events_that_were_written_before_effects_were_kept_are_given_theirs(shared: str) -> None:
    study = eventful(shared)
    events, pending = study.events, study.pending()
    engine = sa.create_engine(shared)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(schema.MIGRATIONS))
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
        assert "effect" not in {column["name"] for column in sa.inspect(connection).get_columns("belated_events")}
    engine.dispose()
    assert upgrade(as_new(shared)) == ("0002", schema.HEAD)
    again = Study.open(as_new(shared), "yield")
    assert again.events == events
    assert [query.id for query in again.pending()] == [query.id for query in pending]
    again.tell(pending[0].id, 3.0)
    again.ask(2)
    assert len(again.pending()) == len(pending) + 1
    assert again.record().counts.pending == len(pending) + 1


# Migrations.


def test_the_migrations_are_those_that_the_release_knows() -> None:
    scripts = ScriptDirectory(str(schema.MIGRATIONS)).walk_revisions()
    assert tuple(script.revision for script in scripts)[::-1] == schema.REVISIONS


def test_the_migrations_make_the_tables_that_the_code_describes(shared: str) -> None:
    assert revision_after_creating(shared) == schema.HEAD
    engine = sa.create_engine(shared)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": schema.VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


@pytest.mark.parametrize("emptied", [False, True])
def test_tables_that_are_made_anew_are_those_that_all_migrations_make(shared: str, emptied: bool) -> None:
    engine = sa.create_engine(shared, poolclass=sa.NullPool)
    with engine.begin() as connection:
        schema.migrate(connection)
        migrated = described(connection)
        for table in ("belated_events", "belated_studies", "belated_tokens"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text("DELETE FROM belated_version" if emptied else "DROP TABLE belated_version"))
        schema.make(connection)
        assert described(connection) == migrated


def described(connection: sa.Connection) -> object:
    """All that a database says of our tables."""
    inspector = sa.inspect(connection)
    names = sorted(inspector.get_table_names())
    assert len(names) == 4
    parts = (
        inspector.get_columns,
        inspector.get_pk_constraint,
        inspector.get_foreign_keys,
        inspector.get_unique_constraints,
        inspector.get_check_constraints,
    )
    indexes = {
        "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name",
        "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname",
    }
    return (
        [(name, [repr(part(name)) for part in parts]) for name in names],
        connection.execute(sa.text(indexes[connection.dialect.name])).all(),
        connection.execute(sa.text("SELECT * FROM belated_version")).all(),
    )


def revision_after_creating(url: str) -> str | None:
    Study.create(url, "yield", SPACE, seed=1)
    return revision(url)


def test_many_who_make_the_tables_at_once_make_them_once(shared: str) -> None:
    creators = [
        Meanwhile(lambda name=name: Study.create(shared, name, SPACE, seed=1))  # type: ignore[misc]
        for name in "abcdef"
    ]
    for creator in creators:
        creator.result()
    assert sorted(Study.names(shared)) == list("abcdef")


# Another release.


def as_new(url: str) -> str:
    """Another spelling of the same address, under which nobody has looked at the tables yet."""
    return url.replace("sqlite:", "sqlite+pysqlite:").replace("postgresql+psycopg:", "postgresql:")


@pytest.fixture
def next_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have this release know one more migration: this script."""

    def know(script: str) -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(schema.MIGRATIONS, folder)
        (folder / "versions" / "0004_words.py").write_text(script)
        migrate = schema.migrate
        monkeypatch.setattr(schema, "migrate", lambda connection: migrate(connection, folder))
        monkeypatch.setattr(schema, "REVISIONS", ("0001", "0002", "0003", "0004"))
        monkeypatch.setattr(schema, "HEAD", "0004")

    return know


def columns_of_studies(url: str) -> list[str]:
    engine = sa.create_engine(url)
    found = [column["name"] for column in sa.inspect(engine).get_columns("belated_studies")]
    engine.dispose()
    return found


def test_the_tables_of_a_newer_release_are_refused_and_left_alone(shared: str) -> None:
    events = eventful(shared).events
    run(shared, "UPDATE belated_version SET version_num = '9999'")
    message = (
        "the database has the schema '9999', which a newer release wrote; this one knows up to '0003'; upgrade belated "
        "to open it."
    )
    refused(as_new(shared), [*DOORS.values(), upgrade], message)
    assert revision(as_new(shared)) == "9999"
    run(shared, "UPDATE belated_version SET version_num = '0003'")
    assert Study.open(as_new(shared), "yield").events == events
    assert Study.names(as_new(shared)) == ["yield"]


def test_the_tables_of_an_older_release_are_refused_until_they_are_upgraded(
    shared: str, next_release: Callable[[str], None]
) -> None:
    events = eventful(shared).events
    next_release(NEXT)
    message = (
        "the database has the schema '0003', which an older release wrote; this one needs '0004'; run `belated db "
        "upgrade` (or belated.storage.upgrade(url)) once, when nobody is using it."
    )
    refused(as_new(shared), list(DOORS.values()), message)
    assert upgrade(as_new(shared)) == ("0003", "0004")
    assert columns_of_studies(shared) == ["id", "name", "words"]
    study = Study.open(as_new(shared), "yield")
    assert study.events == events
    study.tell(100, 3.0)
    assert Study.names(as_new(shared)) == ["yield"]


def test_many_who_upgrade_at_once_do_it_once(shared: str, next_release: Callable[[str], None]) -> None:
    eventful(shared)
    next_release(NEXT)
    for upgrading in [Meanwhile(lambda: upgrade(as_new(shared))) for _ in range(4)]:
        assert upgrading.result()[1] == "0004"
    assert columns_of_studies(shared) == ["id", "name", "words"]


def test_an_upgrade_that_breaks_off_leaves_the_database_as_it_was(
    shared: str, next_release: Callable[[str], None]
) -> None:
    events = eventful(shared).events
    next_release(NEXT + '    op.execute("DELETE FROM belated_events")\n    raise RuntimeError("on purpose")\n')
    with pytest.raises(RuntimeError, match="on purpose"):
        upgrade(as_new(shared))
    assert revision(as_new(shared)) == "0003"
    assert columns_of_studies(shared) == ["id", "name"]
    assert Study.open(shared, "yield").events == events
