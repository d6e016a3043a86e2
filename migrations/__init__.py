"""The schema's history, run by alembic; travels in the wheel.

``verdict init --upgrade`` is what runs it; nothing else changes a schema.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine


def upgrade(engine: Engine) -> None:
    """Bring the database of ``engine`` to the newest schema; what is there stays."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.connect() as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
