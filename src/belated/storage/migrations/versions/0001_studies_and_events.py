"""Studies, and the events of their logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "belated_studies",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
    )
    op.create_table(
        "belated_events",
        sa.Column("study", sa.Integer, sa.ForeignKey("belated_studies.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("event", sa.String(20), nullable=False),
        sa.Column("query", sa.Integer),
        sa.Column("body", sa.JSON, nullable=False),
    )
    op.create_index("belated_events_query", "belated_events", ["study", "query"])
    op.create_index(
        "belated_events_once",
        "belated_events",
        ["study", "query", "event"],
        unique=True,
        sqlite_where=sa.text("event <> 'revised'"),
        postgresql_where=sa.text("event <> 'revised'"),
    )


def downgrade() -> None:
    """Remove both tables."""
    op.drop_table("belated_events")
    op.drop_table("belated_studies")
