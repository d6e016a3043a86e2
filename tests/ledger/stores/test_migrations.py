"""The migrations make the tables that the code reads, and an old schema is refused by name."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect

import migrations
from cli.founding import init_ledger, upgrade_ledger
from cli.setting import open_ledger
from ledger.errors import OldSchema
from ledger.stores import tables
from tests.ledger.stores.sqlite import make_database, run_bare


@pytest.fixture
def script():
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return ScriptDirectory.from_config(config)


def test_the_newest_migration_is_the_one_that_the_program_reads(script):
    assert script.get_heads() == [tables.REVISION]


def test_the_migrations_are_one_line_in_order_of_name(script):
    revisions = [revision.revision for revision in script.walk_revisions()][::-1]
    assert revisions == sorted(revisions)
    assert revisions[0] == "0001"
    files = sorted(path.name for path in Path(script.versions).glob("[0-9]*.py"))
    assert [name.split("_")[0] for name in files] == revisions


def test_the_migrations_make_the_tables_of_the_code(tmp_path):
    engine = make_database(tmp_path / "ledger.db").engine
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, tables.metadata) == []


def test_the_migrations_make_the_same_columns_and_options_as_the_code(tmp_path):
    """Autogenerate does not look at everything: STRICT and WITHOUT ROWID pass it by."""
    engine = make_database(tmp_path / "migrated.db").engine
    plain = create_engine(f"sqlite:///{tmp_path / 'plain.db'}")
    tables.metadata.create_all(plain)
    for table in tables.metadata.tables:
        found, expected = inspect(engine), inspect(plain)
        assert found.get_table_options(table) == expected.get_table_options(table)
        assert str(found.get_columns(table)) == str(expected.get_columns(table))
        assert found.get_pk_constraint(table) == expected.get_pk_constraint(table)
        assert found.get_unique_constraints(table) == expected.get_unique_constraints(table)
    plain.dispose()


def test_upgrading_twice_changes_nothing(tmp_path):
    database = make_database(tmp_path / "ledger.db")
    before = run_bare(tmp_path / "ledger.db", "SELECT sql FROM sqlite_schema ORDER BY name")
    migrations.upgrade(database.engine)
    assert run_bare(tmp_path / "ledger.db", "SELECT sql FROM sqlite_schema ORDER BY name") == before


@pytest.mark.parametrize("revision", ["0000", "9999"])
def test_another_schema_is_refused_with_the_command_that_upgrades_it(tmp_path, revision):
    init_ledger(tmp_path)
    run_bare(tmp_path / "ledger.db", f"UPDATE alembic_version SET version_num = '{revision}'")
    with pytest.raises(OldSchema) as caught, open_ledger(tmp_path):
        pass
    assert f"verdict --ledger {tmp_path} init --upgrade" in str(caught.value)
    assert f"schema {revision}, this program reads {tables.REVISION}" in str(caught.value)


def test_a_database_without_a_revision_is_refused(tmp_path):
    init_ledger(tmp_path)
    run_bare(tmp_path / "ledger.db", "DROP TABLE alembic_version")
    with pytest.raises(OldSchema, match="schema unknown"), open_ledger(tmp_path):
        pass


def test_a_schema_that_is_current_is_not_upgraded(tmp_path):
    init_ledger(tmp_path)
    assert not upgrade_ledger(tmp_path)
