"""Run revisions on the connection that `bearleft.web.database.schema` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from bearleft.web.database.models import Base
from bearleft.web.database.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,  # SQLite too: the transaction began before
    render_as_batch=True,  # SQLite changes a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
