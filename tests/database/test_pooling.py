"""A pooler without sessions is rejected with a sentence when the database is opened; session mode works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import make_url
from tests.support.pgbouncer import need_pgbouncer, pgbouncer
from tests.support.store_records import MovableClock, claim

from timbra.core.errors import ServiceError
from timbra.database.database import open_database
from timbra.stamps.repository import DatabaseStamps

WITHOUT_SESSIONS = (
    "La base de datos está detrás de un distribuidor de conexiones (PgBouncer) en modo {}. "
    "Timbra necesita sesiones: use pool_mode = session o conéctese directamente."
)


@pytest.fixture
def through(request: pytest.FixtureRequest, postgresql_address: str) -> Iterator[str]:
    """Return the address of a migrated database behind a pooler of the mode."""
    need_pgbouncer()
    url = make_url(postgresql_address)
    with pgbouncer(url.port or 5432, request.param) as pooler:
        yield url.set(port=pooler.port, host="127.0.0.1").render_as_string(hide_password=False)


@pytest.mark.parametrize(
    ("through", "mode"), [("transaction", "transaction"), ("statement", "statement")], indirect=["through"]
)
def test_open_database_rejects_a_pooler_without_sessions(through: str, mode: str) -> None:
    with pytest.raises(ServiceError) as caught:
        open_database(through, "sandbox")
    assert caught.value.detail == WITHOUT_SESSIONS.format(mode)
    assert caught.value.retry_after is None


@pytest.mark.parametrize("through", ["session"], indirect=True)
def test_stamps_are_stored_through_a_pooler_with_sessions(through: str) -> None:
    database = open_database(through, "sandbox")
    stamps = DatabaseStamps(database, MovableClock())
    # More calls than the driver needs before it prepares a statement on the server.
    for number in range(10):
        stamps.claim([claim(number)])
    assert len(stamps.page(None).records) == 10
    stamps.close()
    database.close()
