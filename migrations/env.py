"""What alembic runs: the steps, on the connection that ``migrations.upgrade`` hands over."""

from alembic import context

from ledger.stores.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
context.run_migrations()
