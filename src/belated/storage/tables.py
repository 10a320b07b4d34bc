"""The tables: studies, the events of their logs, and the tokens of the service.

What a query's state is, is derived; nothing is overwritten.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

# How the row of a deleted study is called, as no study may be: it stays, so that no new study gets its number, by which
# a process may have the deleted one open.
DELETED = "/deleted/"

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
    sa.Column("by", sa.String(200)),
    sa.Column("effect", sa.String(20)),  # on the query
    # What a query needs to be found by, and what is waited for, without a look at any row.
    sa.Index("belated_events_effect", "study", "query", "effect"),
    # A query enters once, in whichever process.
    sa.Index(
        "belated_events_entered",
        "study",
        "query",
        unique=True,
        sqlite_where=sa.text("effect IN ('asks', 'adds')"),
        postgresql_where=sa.text("effect IN ('asks', 'adds')"),
    ),
)

tokens = sa.Table(
    "belated_tokens",
    metadata,
    sa.Column("id", sa.String(20), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("digest", sa.String(64), nullable=False),  # of the secret, which is kept nowhere
    sa.Column("scopes", sa.JSON, nullable=False),
    sa.Column("study", sa.String(100)),  # the only one that it opens; by name, as it may not be there yet
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("expires_at", sa.Double),
    sa.Column("revoked_at", sa.Double),
)
