"""A simulated authority in a temporary database, at a fixed time; stamped documents and queries about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.support.databases import prepare_sqlite

from timbra import examples
from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.database.database import Database, open_database
from timbra.examples import Change
from timbra.sat.port import StatusQuery
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey

NOON = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
FOUR_YEARS = (datetime(2024, 1, 1, 6, 0, 5, tzinfo=UTC), datetime(2028, 1, 1, 6, 0, 5, tzinfo=UTC))
FOLIO = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
OTHER = "1d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d12"
SEAL = "c2VsbG8gZGUgcHJ1ZWJhIHkgbmFkYSBtYXM="
LARGE = {"@Total": "2320.00", "@Sello": SEAL}
PARSER = DocumentParser()


def new_database(folder: Path) -> Database:
    prepare_sqlite(folder)
    return open_database(f"sqlite:///{folder / 'timbra.db'}")


def new_envelope() -> EnvelopeEncryption:
    return EnvelopeEncryption(LocalMasterKey(b"a master key of thirty-two bytes"))


class MovableClock:
    """A clock that a test sets."""

    def __init__(self, instant: datetime = NOON) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant


def stamped(text: str, folio: str = FOLIO, at: str = "2026-11-17T12:00:00") -> bytes:
    document = PARSER.parse(text.encode())
    timbre = TimbreFiscalDigital(folio, at, "TIM010101SB9", SEAL, "99000000000000000002", "c2VsbG8=")
    return insert_complement(document, timbre.to_xml().encode())


def invoice(changes: dict[str, Change] | None = None, folio: str = FOLIO, at: str = "2026-11-17T12:00:00") -> bytes:
    return stamped(examples.ingreso({**LARGE, **(changes or {})}), folio, at)


def query(**changes: str) -> StatusQuery:
    status_query = StatusQuery(FOLIO, "EKU9003173C9", "URE180429TM6", "2320.00", SEAL[-8:])
    return replace(status_query, **changes)  # type: ignore[arg-type]
