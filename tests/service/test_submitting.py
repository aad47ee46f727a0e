"""Requests of cancellation on their way to an authority that is down for a while."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.store.records import NOON, MovableClock

from timbra.authority.port import CancellationAuthority, Origin, Receipt, Relations
from timbra.cfdi.cancelacion.answer import AcceptReject, Answer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.errors import ServiceError
from timbra.service.submitting import KEPT, LONGEST, Submissions
from timbra.store.database import Database, open_database
from timbra.store.events import events_after
from timbra.store.outbox import LEASE, Outbox

FOLIO = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
REQUEST = Cancelacion("EKU9003173C9", (Folio(FOLIO, "02"),))
DOCUMENT = etree.tostring(REQUEST.to_root(NOON))
ANSWERS = AcceptReject("URE180429TM6", {FOLIO: Answer.REJECT})
ORIGIN = Origin(7, "request")


@dataclass
class Distant:
    """An authority that fails as told before it answers."""

    failures: list[ServiceError] = field(default_factory=list)
    taken: list[object] = field(default_factory=list)

    def cancel(self, request: Cancelacion, document: bytes, origin: Origin) -> Receipt:
        return self._take((request, document, origin), "201")

    def accept_reject(self, request: AcceptReject, document: bytes, origin: Origin) -> Receipt:
        return self._take((request, document, origin), "1000")

    def pendings(self, receiver_rfc: str) -> list[str]:
        return [FOLIO]

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:
        return None

    def _take(self, what: object, code: str) -> Receipt:
        if self.failures:
            raise self.failures.pop(0)
        self.taken.append(what)
        return Receipt(b"<Acuse/>", {FOLIO: code})


def down() -> ServiceError:
    return ServiceError("authority-down", "No respondió a tiempo.", retry_after=5)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'timbra.db'}")
    yield opened
    opened.close()


@pytest.fixture
def distant() -> Distant:
    return Distant()


@pytest.fixture
def submissions(database: Database, clock: MovableClock, distant: Distant) -> Submissions:
    return Submissions(distant, database, Outbox(database, clock), clock, clock)


def kinds(database: Database) -> list[str]:
    return [event.kind.removeprefix("cancellation.") for _, event in events_after(database)]


def test_an_answer_at_once(submissions: Submissions, database: Database, distant: Distant, clock: MovableClock) -> None:
    authority: CancellationAuthority = submissions
    assert authority.cancel(REQUEST, DOCUMENT, ORIGIN).codes == {FOLIO: "201"}
    assert distant.taken == [(REQUEST, DOCUMENT, ORIGIN)]
    assert kinds(database) == ["submitted", "answered"]
    clock.advance(hours=1)
    assert submissions.send_again() == 0
    assert len(distant.taken) == 1


def test_it_is_sent_until_it_is_answered(
    submissions: Submissions, database: Database, distant: Distant, clock: MovableClock
) -> None:
    distant.failures = [down(), down()]
    with pytest.raises(ServiceError, match="authority-down") as refused:
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    assert KEPT in str(refused.value.detail)
    assert submissions.send_again() == 0
    clock.advance(seconds=2)
    assert (submissions.send_again(), distant.taken) == (0, [])
    clock.advance(seconds=3)
    assert submissions.send_again() == 0
    clock.advance(seconds=1)
    assert submissions.send_again() == 1
    assert distant.taken == [(REQUEST, DOCUMENT, ORIGIN)]
    assert kinds(database) == ["submitted", "answered"]
    [_, (_, answered)] = events_after(database)
    assert (answered.account_id, answered.body["codes"]) == (7, {FOLIO: "201"})


def test_a_refusal_is_final(
    submissions: Submissions, database: Database, distant: Distant, clock: MovableClock
) -> None:
    distant.failures = [ServiceError("cancel-xml", "CR1309 - Firma mal formada o inválida")]
    with pytest.raises(ServiceError, match="cancel-xml"):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    clock.advance(hours=1)
    assert submissions.send_again() == 0
    assert kinds(database) == ["submitted", "refused"]


def test_what_a_dead_worker_left_is_sent_by_the_next(
    submissions: Submissions, database: Database, distant: Distant, clock: MovableClock
) -> None:
    class Killed(BaseException):
        """The process ends before the answer is kept."""

    def die(*_: object) -> Receipt:
        raise Killed

    distant._take = die  # type: ignore[method-assign, assignment]
    with pytest.raises(Killed):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    del distant._take
    assert submissions.send_again() == 0
    clock.instant += LEASE
    assert submissions.send_again() == 1
    assert distant.taken == [(REQUEST, DOCUMENT, ORIGIN)]


def test_after_three_days_it_is_given_up(
    submissions: Submissions, database: Database, distant: Distant, clock: MovableClock
) -> None:
    distant.failures = [down()]
    with pytest.raises(ServiceError):
        submissions.cancel(REQUEST, DOCUMENT, ORIGIN)
    clock.instant += LONGEST + timedelta(seconds=1)
    assert (submissions.send_again(), distant.taken) == (0, [])
    assert kinds(database) == ["submitted", "abandoned"]
    assert Outbox(database, clock).size() == 0


def test_a_receivers_answer_and_the_questions(submissions: Submissions, distant: Distant, clock: MovableClock) -> None:
    distant.failures = [down()]
    document = etree.tostring(ANSWERS.to_root(NOON))
    with pytest.raises(ServiceError, match="authority-down"):
        submissions.accept_reject(ANSWERS, document, ORIGIN)
    clock.advance(minutes=1)
    assert submissions.send_again() == 1
    assert distant.taken == [(ANSWERS, document, ORIGIN)]
    assert submissions.pendings("URE180429TM6") == [FOLIO]
    assert submissions.relations(RelationsRequest(FOLIO, "URE180429TM6"), b"") is None
