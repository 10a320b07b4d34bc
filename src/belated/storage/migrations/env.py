"""What Alembic runs: the migrations, on the connection and in the transaction that `schema.upgrade` hands over."""

from alembic import context

from belated.storage.schema import VERSION_TABLE
from belated.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
