"""The simulated authority's files: which CFDI exist, and what ConsultaCFDI answers about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from timbra import money
from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sandbox.cancellation import Case, cancelable
from timbra.authority.sandbox.faults import Faults
from timbra.authority.sandbox.filed import filed
from timbra.authority.sandbox.filing import Filing, dependents
from timbra.authority.sandbox.policy import Policy
from timbra.authority.sandbox.proceedings import Proceedings, state_of
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.folio import canonical_uuid
from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.store.database import Database
from timbra.store.events import Event
from timbra.store.port import StampStore

FOUND = "S - Comprobante obtenido satisfactoriamente."
MISMATCH = FiscalStatus("No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, "")
MISSING = FiscalStatus("No Encontrado", "N - 602: Comprobante no encontrado.", None, "")
NOT_LISTED = "200"
"""ValidacionEFOS: nobody is in the simulated list of article 69-B; third parties are not looked at."""
DOWN_SECONDS = 5


class SandboxLedger:
    """An `Authority`. What this server stamped is known from the moment of its commit on.

    clock: fiscal time. parser: for documents from elsewhere, with the limits of the settings.
    """

    def __init__(
        self,
        database: Database,
        stamps: StampStore,
        clock: Clock,
        faults: Faults,
        parser: DocumentParser | None = None,
        policy: Policy | None = None,
        wall: Clock | None = None,
    ) -> None:
        self._parser = parser or DocumentParser()
        self._faults = faults
        self.database = database
        self.clock = clock
        self.policy = policy or Policy()
        self.filing = Filing(database, stamps, self._parser)
        self.proceedings = Proceedings(database, wall or WallClock(), self.policy)

    def status(self, query: StatusQuery) -> FiscalStatus:
        """What ConsultaCFDI answers. ServiceError("authority-down") by the fault of that name."""
        self.require_answer()
        uuid = canonical_uuid(query.uuid)
        if uuid is None:
            return MISMATCH
        now = self.bring_up()
        row = self.filing.known(uuid)
        if row is None:
            return MISSING
        if not _matches(query, row):
            return MISMATCH
        with self.database.read() as connection:
            case = self.case(connection, row, now)
        return FiscalStatus(row.state, FOUND, cancelable(case), row.cancellation, NOT_LISTED)

    def type_of(self, folio: str) -> str | None:
        """TipoDeComprobante of a filed CFDI by its UUID, None when there is none."""
        uuid = canonical_uuid(folio)
        row = self.filing.find(uuid) if uuid is not None else None
        return None if row is None else str(row.kind)

    def history(self, folio: str) -> Sequence[Event]:
        """What happened to a CFDI since it was filed. ServiceError("document-unknown")."""
        uuid = canonical_uuid(folio)
        self.bring_up()
        if uuid is None or self.filing.known(uuid) is None:
            raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
        return self.proceedings.history(uuid)

    def deliver(self, uuid: str) -> None:
        """Files one stored stamp; repeating is harmless.

        ServiceError("authority-down") by the fault of that name, "document-unknown" when no such stamp is stored.
        """
        self.deliver_all([uuid])

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Files stored stamps in one transaction, as `deliver` does one."""
        self.require_answer()
        wanted = list(dict.fromkeys(uuid.lower() for uuid in uuids))
        if self.filing.file_stamps(wanted) < len(wanted):
            raise ServiceError("document-unknown", "Uno de los timbres no está guardado.")

    def import_document(self, xml: bytes) -> tuple[str, bool]:
        """Files a CFDI stamped elsewhere, as in force; its folio, and whether it was new.

        ServiceError("301") when it is no XML, "document-invalid" when it is no CFDI with one stamp.
        """
        document = filed(self._parser.parse(xml))
        with self.database.write() as connection:
            return document.uuid, bool(self.filing.insert(connection, [document], "imported"))

    def settle(self) -> int:
        """For the periodic task: what fell due by now happens; how many requests that ended."""
        return self.proceedings.settle(self.clock.now())

    def bring_up(self) -> datetime:
        """Lets happen what is due, files what waits; the fiscal instant that the files now stand at."""
        now = self.clock.now()
        self.filing.catch_up()
        self.proceedings.settle(now)
        return now

    def case(self, connection: Connection, row: Row[Any], now: datetime) -> Case:
        """A document as its cancellation is judged."""
        return Case(
            state=state_of(row),
            issuer_rfc=row.issuer_rfc,
            freely=self.policy.needs_no_acceptance(row, now),
            closes_at=self.policy.closes_at(row.issuer_rfc, row.year),
            dependents=dependents(connection, row.uuid),
        )

    def require_answer(self) -> None:
        """ServiceError("authority-down") by the fault of that name."""
        if self._faults.take("authority-down") is not None:
            raise ServiceError("authority-down", retry_after=DOWN_SECONDS)


def _matches(query: StatusQuery, row: Row[Any]) -> bool:
    """RFCs as written, the total as a number, the end of the seal where the query carries one."""
    asked = money.parse(query.total)
    if asked is None or asked != money.parse(row.total):
        return False
    same = (query.issuer_rfc, query.receiver_rfc) == (row.issuer_rfc, row.receiver_rfc)
    return same and query.seal_tail in ("", row.seal_tail)
