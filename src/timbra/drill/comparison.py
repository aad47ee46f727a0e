"""The end of a drill: each answered stamp is in the database byte by byte, and with the SAT once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from timbra.app.composition import Container
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.database.build import opened_database
from timbra.database.tables.provider import RECEPTION
from timbra.drill.load import StampedAnswer
from timbra.stamping.build import stamping_services
from timbra.stamps.port import CLOCK_LIMIT

_STAMPED_AT = re.compile(rb'\bFechaTimbrado="([^"]+)"')


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stamp of the database. number: the Folio of its invoice."""

    number: int
    uuid: str
    cfdi: bytes


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was counted, and each difference as a folio.

    Attributes:
        invoices: Invoices that clients sent.
        answered: Stamps that clients got.
        stored: Stamps in the database.
        delivered: Documents that the SAT received.
        unanswered: Invoices without a stamp at the end.
        lost: Answered stamps that the database does not have.
        altered: Stamps whose document in the database is another one than the answer.
        undelivered: Stamps that the SAT did not receive, or whose acuse the database does not have.
        doubled: Stamps of an invoice that has another one, and documents that only the SAT has.
        misdated: Answered stamps whose FechaTimbrado is not the time at which the client got them.
    """

    invoices: int
    answered: int
    stored: int
    delivered: int
    unanswered: tuple[int, ...] = ()
    lost: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    undelivered: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    misdated: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        different = self.lost or self.altered or self.undelivered or self.doubled or self.misdated
        return not (self.unanswered or different)


def compare(
    sent: Sequence[int],
    answers: Sequence[StampedAnswer],
    stored: Sequence[StoredDocument],
    received: Sequence[str],
    acknowledged: Sequence[str],
) -> Comparison:
    """Compare what clients got with what the database and the SAT have.

    Args:
        sent: The numbers of the invoices.
        received: The folios that the SAT received, once for each document.
        acknowledged: The folios whose acuse the database has.
    """
    documents = {one.uuid: one.cfdi for one in stored}
    answered = {answer.uuid for answer in answers}
    folios: dict[int, set[str]] = defaultdict(set)
    for number, uuid in [*((one.number, one.uuid) for one in stored), *((one.number, one.uuid) for one in answers)]:
        folios[number].add(uuid)
    of_several = {uuid for found in folios.values() if len(found) > 1 for uuid in found}
    rows, at_sat = Counter(one.uuid for one in stored), Counter(received)
    repeated = {uuid for counts in (rows, at_sat, Counter(acknowledged)) for uuid, count in counts.items() if count > 1}
    return Comparison(
        invoices=len({*sent}),
        answered=len(answered),
        stored=len(stored),
        delivered=len(received),
        unanswered=tuple(sorted({*sent} - {answer.number for answer in answers})),
        lost=tuple(sorted(answered - documents.keys())),
        altered=tuple(
            sorted({one.uuid for one in answers if one.uuid in documents and documents[one.uuid] != one.cfdi})
        ),
        undelivered=tuple(sorted((answered | documents.keys()) - (at_sat.keys() & {*acknowledged}))),
        doubled=tuple(sorted(of_several | repeated | (at_sat.keys() - documents.keys()))),
        misdated=tuple(sorted(answer.uuid for answer in answers if _is_misdated(answer))),
    )


def _is_misdated(answer: StampedAnswer) -> bool:
    """Return whether FechaTimbrado is outside of the SAT's tolerance; a repeated invoice may get an earlier stamp."""
    found = _STAMPED_AT.search(answer.cfdi)
    if found is None:
        return False
    at = datetime.strptime(found[1].decode(), LOCAL_FORMAT).replace(tzinfo=CENTRAL_MEXICO).timestamp()
    return not answer.first_sent - CLOCK_LIMIT.total_seconds() < at < answer.at + CLOCK_LIMIT.total_seconds()


def stored_documents(container: Container) -> Iterator[StoredDocument]:
    """Yield every stamp of the database."""
    cursor = None
    while True:
        page = container.get(stamping_services).stamps.page(None, cursor=cursor, limit=500)
        for record in page.records:
            yield StoredDocument(int(record.folio), record.uuid.lower(), record.cfdi)
        cursor = page.cursor
        if cursor is None:
            return


def acknowledged_folios(container: Container) -> list[str]:
    """Return the folios whose acuse the database has."""
    with container.get(opened_database).read() as connection:
        return [uuid.lower() for uuid in connection.execute(select(RECEPTION.c.uuid)).scalars()]
