"""The tables: studies, and the events of their logs. What a query's state is, is derived; nothing is overwritten."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

studies = sa.Table(
    "belated_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
)

events = sa.Table(
    "belated_events",
    metadata,
    sa.Column("study", sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("event", sa.String(20), nullable=False),
    sa.Column("query", sa.Integer),
    sa.Column("body", sa.JSON, nullable=False),
    sa.Index("belated_events_query", "study", "query"),
    # A query enters, is answered and is abandoned at most once, whoever writes; it also finds the unanswered ones.
    sa.Index(
        "belated_events_once",
        "study",
        "query",
        "event",
        unique=True,
        sqlite_where=sa.text("event <> 'revised'"),
        postgresql_where=sa.text("event <> 'revised'"),
    ),
)
