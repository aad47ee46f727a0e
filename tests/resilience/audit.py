"""What a data folder holds once its server is gone, read through a house of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from timbra.settings import Settings
from timbra.store.outbox import LEASE
from timbra.store.port import StampRecord
from timbra.store.tables.sandbox import SANDBOX_DOCUMENT
from timbra.store.tables.stamps import EVENT
from timbra.wiring import House, open_house


@dataclass(frozen=True)
class Kept:
    """One stored stamp. number: the Folio of its document; uuid: the folio of its stamp, also as its document says."""

    number: int
    uuid: str
    seal_hash: bytes
    written_uuids: tuple[str, ...]


def kept(data: Path) -> list[Kept]:
    """Every stored stamp."""
    with open_house(Settings(data=data)) as house:
        return [
            Kept(int(record.folio), record.uuid, record.seal_hash, _uuids(record.cfdi)) for record in _records(house)
        ]


def stamped_events(data: Path) -> Counter[str]:
    """How many `stamped` events each folio has."""
    with open_house(Settings(data=data)) as house, house.database.read() as connection:
        return Counter(connection.execute(select(EVENT.c.subject).where(EVENT.c.kind == "stamped")).scalars())


def delivered(data: Path) -> list[str]:
    """Empties the outbox as a server would, once the leases of dead workers are over; the folios in the ledger."""
    with open_house(Settings(data=data), _Later()) as house:
        house.deliver()
        assert house.outbox.size() == 0
        with house.database.read() as connection:
            return list(connection.execute(select(SANDBOX_DOCUMENT.c.uuid)).scalars())


class _Later:
    """A wall clock beyond every lease that a killed worker has left behind."""

    def now(self) -> datetime:
        return datetime.now(UTC) + LEASE + timedelta(seconds=1)


def _records(house: House) -> Iterator[StampRecord]:
    cursor = None
    while True:
        page = house.stamps.page(None, cursor=cursor, limit=500)
        yield from page.records
        cursor = page.cursor
        if cursor is None:
            return


def _uuids(cfdi: bytes) -> tuple[str, ...]:
    return tuple(uuid.decode() for uuid in re.findall(rb'<tfd:TimbreFiscalDigital [^>]* UUID="([^"]+)"', cfdi))
