"""What each event does to its query."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# Of the kinds of events that there were until then.
EFFECTS = {
    "asked": "asks",
    "added": "adds",
    "answered": "answers",
    "abandoned": "abandons",
    "revised": "corrects",
    "context-seen": "notes",
}


def upgrade() -> None:
    """Add a column, and the indexes that read it in the place of those before."""
    op.add_column("belated_events", sa.Column("effect", sa.String(20)))
    events = sa.table("belated_events", sa.column("event"), sa.column("effect"))
    for event, effect in EFFECTS.items():
        op.execute(events.update().where(events.c.event == event).values(effect=effect))
    op.drop_index("belated_events_once", "belated_events")
    op.drop_index("belated_events_query", "belated_events")
    op.create_index("belated_events_effect", "belated_events", ["study", "query", "effect"])
    op.create_index(
        "belated_events_entered",
        "belated_events",
        ["study", "query"],
        unique=True,
        sqlite_where=sa.text("effect IN ('asks', 'adds')"),
        postgresql_where=sa.text("effect IN ('asks', 'adds')"),
    )


def downgrade() -> None:
    """Remove the column with its indexes, and restore the former index."""
    op.drop_index("belated_events_entered", "belated_events")
    op.drop_index("belated_events_effect", "belated_events")
    op.create_index("belated_events_query", "belated_events", ["study", "query"])
    op.create_index(
        "belated_events_once",
        "belated_events",
        ["study", "query", "event"],
        unique=True,
        sqlite_where=sa.text("event <> 'revised'"),
        postgresql_where=sa.text("event <> 'revised'"),
    )
    op.drop_column("belated_events", "effect")
