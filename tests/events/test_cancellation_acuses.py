"""Acuses in the event log."""

from __future__ import annotations

from tests.support.store_records import NOON

from timbra.database.database import Database
from timbra.events.cancellation_acuses import StoredAcuses
from timbra.events.event_log import Event, append_event

ISSUER, UUID, OTHER = "EKU9003173C9", "0b9f1c5e-0000-4000-8000-000000000001", "0b9f1c5e-0000-4000-8000-000000000002"


def answered(database: Database, acuse: str, codes: dict[str, str], issuer: str = ISSUER) -> None:
    body = {"codes": codes, "acuse": acuse}
    with database.write() as connection:
        append_event(connection, Event(NOON, NOON, 1, "cancellation.answered", issuer, "r", body))


def test_of_cancellation_returns_the_latest_accepted_acuse(database: Database) -> None:
    acuses = StoredAcuses(database)
    assert acuses.of_cancellation(UUID, ISSUER) is None
    answered(database, "<refused/>", {UUID: "205"})
    assert acuses.of_cancellation(UUID, ISSUER) is None
    answered(database, "<first/>", {UUID: "201", OTHER: "205"})
    answered(database, "<Ñ/>", {OTHER: "205", UUID: "202"})
    answered(database, "<others/>", {UUID: "201"}, "URE180429TM6")
    assert acuses.of_cancellation(UUID, ISSUER) == "<Ñ/>".encode()
    assert acuses.of_cancellation(OTHER, ISSUER) is None


def test_of_cancellation_returns_the_acuse_of_a_retencion(database: Database) -> None:
    acuses = StoredAcuses(database)
    answered(database, "<unknown/>", {UUID: "1205"})
    assert acuses.of_cancellation(UUID, ISSUER) is None
    answered(database, "<first/>", {UUID: "1201"})
    answered(database, "<again/>", {UUID: "1202"})
    answered(database, "<other/>", {UUID: "1203"})
    assert acuses.of_cancellation(UUID, ISSUER) == b"<again/>"
