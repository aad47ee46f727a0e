"""The migration to balances gives every existing account a profile and a balance."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, select, text

from timbra.database.database import open_database
from timbra.database.migrate import MIGRATIONS
from timbra.database.tables.accounts import ACCOUNT_PROFILE
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.column_types import to_microseconds

MADE = datetime(2026, 1, 1, tzinfo=UTC)
ACCOUNT = (
    'INSERT INTO account ("user", name, password, generation, role, active, created_at, changed) '
    "VALUES (:user, :user, '', 1, 'account', true, :made, 1)"
)


@pytest.mark.parametrize(("environment", "unlimited"), [("sandbox", True), ("production", False)])
def test_migrate_adds_a_profile_and_a_balance_to_each_account(
    address_of_0004: str, environment: str, unlimited: bool
) -> None:
    engine = create_engine(address_of_0004)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO identity VALUES ('environment', :value)"), {"value": environment})
        for user in ("ana", "luis"):
            connection.execute(text(ACCOUNT), {"user": user, "made": to_microseconds(MADE)})
    engine.dispose()
    database = open_database(address_of_0004, environment)
    with database.read() as connection:
        holders = connection.execute(select(ACCOUNT_PROFILE)).all()
        balances = connection.execute(select(BALANCE).order_by(BALANCE.c.account_id)).all()
    database.close()
    assert [tuple(row) for row in balances] == [(number, unlimited, 0, 0, 0) for number in (1, 2)]
    assert len({row.guid for row in holders}) == 2
    assert {row.password_at for row in holders} == {MADE}


@pytest.fixture
def address_of_0004(empty_address: str) -> str:
    """Return the address of a database before the migration."""
    if empty_address.startswith("sqlite"):
        Path(empty_address.removeprefix("sqlite:///")).parent.mkdir()
    engine = create_engine(empty_address)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS))
        command.upgrade(config, "0004")
    engine.dispose()
    return empty_address
