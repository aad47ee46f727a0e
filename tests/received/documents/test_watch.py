"""The watch of received documents: pending cancellations and issuers of the list of article 69-B."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import pytest
from sqlalchemy import select
from tests.received.documents.test_received_documents import ANA, FIRST, SECOND, events, header
from tests.support.store_records import NOON

from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.tables.stamps import EVENT
from timbra.received.documents.models import DocumentMetadata
from timbra.received.documents.store import DocumentStore
from timbra.received.documents.watch import DocumentWatch
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.sat.transport import down

RFC, ISSUER = "BBB010101BBB", "AAA010101AAA"
AT = NOON.replace(year=2026, month=10, day=20)


@dataclass
class Statuses:
    """A status service: `answers` by UUID, in force for the others; queries are kept."""

    answers: dict[str, FiscalStatus] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    is_down: bool = False

    def status(self, query: StatusQuery) -> FiscalStatus:
        if self.is_down:
            raise down("No respondió a tiempo.")
        self.asked.append(query.uuid)
        return self.answers.get(query.uuid, status("Vigente", ""))


@dataclass
class Listed:
    """The list of article 69-B: situations by RFC; without a list when None."""

    situations: dict[str, str] | None = field(default_factory=dict)

    def article_69b(self, rfc: str) -> Any:
        if self.situations is None:
            raise ServiceError("TB4006")
        if rfc not in self.situations:
            raise ServiceError("rfc-unlisted")
        return cast("Any", type("Entry", (), {"situation": self.situations[rfc]}))


def status(state: str, cancellation: str) -> FiscalStatus:
    return FiscalStatus(state, "S", "Cancelable con aceptación", cancellation)


@dataclass
class Watched:
    """A watch of one taxpayer."""

    store: DocumentStore
    statuses: Statuses = field(default_factory=Statuses)
    listed: Listed = field(default_factory=Listed)
    per_hour: int = 120

    def watch(self) -> DocumentWatch:
        taxpayers = cast("Any", self.listed)
        return DocumentWatch(
            self.store, lambda: [(ANA, RFC)], lambda: self.statuses, taxpayers, FixedClock(AT), self.per_hour
        )


@pytest.fixture
def watched(database: Database) -> Watched:
    store = DocumentStore(database, FixedClock(AT), FixedClock(AT + timedelta(hours=1)))
    store.put_metadata(ANA, [DocumentMetadata(header(uuid, day), "Vigente") for uuid, day in ((FIRST, 1), (SECOND, 2))])
    return Watched(store)


def test_query_statuses_reports_a_cancellation_that_waits_and_one_that_is_done(
    database: Database, watched: Watched
) -> None:
    watched.statuses.answers = {
        FIRST: status("Vigente", "En proceso"),
        SECOND: status("Cancelado", "Cancelado sin aceptación"),
    }
    watched.watch().query_statuses()
    assert events(database) == [("received.cancellation-pending", FIRST), ("received.cancelled", SECOND)]
    watched.watch().query_statuses()
    assert watched.statuses.asked == [FIRST, SECOND, FIRST]
    assert len(events(database)) == 2


def test_query_statuses_keeps_its_limit_and_goes_on_with_the_oldest_answer(watched: Watched) -> None:
    watched.per_hour = 60
    for _ in range(3):
        watched.watch().query_statuses()
    assert watched.statuses.asked == [FIRST, SECOND, FIRST]


def test_query_statuses_leaves_old_and_cancelled_documents_out(watched: Watched) -> None:
    old, gone = "44444444-4444-4444-8444-444444444444", "55555555-5555-4555-8555-555555555555"
    of_old = DocumentMetadata(header(old, fecha="2026-07-01T00:00:00"), "Vigente")
    watched.store.put_metadata(ANA, [of_old, DocumentMetadata(header(gone, 3), "Cancelado")])
    watched.per_hour = 6_000
    watched.watch().query_statuses()
    assert watched.statuses.asked == [FIRST, SECOND]


def test_query_statuses_ends_when_the_service_is_down(database: Database, watched: Watched) -> None:
    watched.statuses.is_down = True
    watched.watch().query_statuses()
    assert events(database) == []
    found = watched.store.find(ANA, FIRST)
    assert found is not None
    assert found.status_at is None
    with pytest.raises(ServiceError):
        watched.watch().query_status(found)


def test_check_issuers_reports_who_enters_and_who_leaves_the_list(database: Database, watched: Watched) -> None:
    watched.watch().check_issuers()
    watched.listed.situations = {ISSUER: "Definitivo"}
    for _ in range(2):
        watched.watch().check_issuers()
    found = watched.store.find(ANA, FIRST)
    assert found is not None
    assert found.article_69b == "Definitivo"
    watched.listed.situations = None
    watched.watch().check_issuers()
    watched.listed.situations = {ISSUER: "Sentencia Favorable"}
    watched.watch().check_issuers()
    found = watched.store.find(ANA, FIRST)
    assert found is not None
    assert found.article_69b is None
    with database.read() as connection:
        bodies = list(connection.execute(select(EVENT.c.body).order_by(EVENT.c.id)).scalars())
    assert [(body["before"], body["situation"], body["documents"]) for body in bodies] == [
        (None, "Definitivo", 2),
        ("Definitivo", None, 2),
    ]
    assert events(database) == [("received.article-69b", ISSUER)] * 2
