"""Who had an event written, and the tokens of the service."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column and a table."""
    op.add_column("belated_events", sa.Column("by", sa.String(200)))
    op.create_table(
        "belated_tokens",
        sa.Column("id", sa.String(20), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("study", sa.String(100)),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.Column("revoked_at", sa.Double),
    )


def downgrade() -> None:
    """Remove the signatures and the tokens."""
    op.drop_table("belated_tokens")
    op.drop_column("belated_events", "by")
