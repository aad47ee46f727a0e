"""Links by which suppliers deliver documents without an account of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.database.database import Database
from timbra.events.audit.audit import Audit
from timbra.pools import RunInThread
from timbra.received.documents.intake import Arrival, DocumentIntake, IntakeTerms
from timbra.received.documents.models import SUPPLIER
from timbra.received.files import UploadedFile
from timbra.received.submissions.models import SupplierLink
from timbra.received.submissions.store import LinkRepository, SubmissionRepository
from timbra.received.uploads import ReceivedOptions, UploadExaminer
from timbra.web.portal.dispatch.log_path import SUPPLIER_LINK

MAX_DAYS: Final = 730
MAX_NAME: Final = 120
MAX_FILES: Final = 50
MAX_DOCUMENTS: Final = 200
"""Of one upload of a supplier."""
OPTIONS: Final = ReceivedOptions(with_status=True, require_stamp=True, with_xml=True)
INVALID: Final = "El enlace venció, se revocó o está incompleto; pida uno nuevo a su cliente."


@dataclass(frozen=True, slots=True)
class SupplierLinks:
    """The links of accounts, and what suppliers deliver by them."""

    database: Database
    links: LinkRepository
    submissions: SubmissionRepository
    uploads: UploadExaminer
    intake: DocumentIntake
    audit: Audit
    wall: Clock

    def create(self, account_id: int, name: str, issuer_rfc: str, days: int) -> tuple[SupplierLink, str]:
        """Create a link; return it with its path, which nothing else returns.

        Args:
            issuer_rfc: The only issuer; empty for any.
            days: After which it expires.

        Raises:
            ServiceError: "TB4005" for a value that is not accepted, and for an account without a certificate, whose
                RFC is not known.
        """
        name, issuer_rfc, now = storable(name.strip(), MAX_NAME), issuer_rfc.strip().upper(), self.wall.now()
        if not name:
            raise ServiceError("TB4005", "Escriba el nombre del proveedor.")
        if issuer_rfc and not is_rfc(issuer_rfc):
            raise ServiceError("TB4005", "El RFC del proveedor no es válido.")
        if not 0 < days <= MAX_DAYS:
            raise ServiceError("TB4005", f"El enlace vence en 1 a {MAX_DAYS} días.")
        if not self.intake.rfcs(account_id):
            raise ServiceError("TB4005", "Guarde primero un certificado: de él se toma el RFC que recibe las facturas.")
        expires_at = now + timedelta(days=days)
        values = {
            "account_id": account_id,
            "name": name,
            "issuer_rfc": issuer_rfc or None,
            "created_at": now,
            "expires_at": expires_at,
        }
        with self.database.write() as connection:
            number, token = self.links.insert(connection, values)
            after = {"name": name, "issuer_rfc": issuer_rfc, "expires_at": expires_at.isoformat()}
            self.audit.record(connection, "supplier-link.created", account_id, str(number), after=after)
        created = SupplierLink(number, account_id, name, issuer_rfc or None, now, expires_at, None, None)
        return created, f"{SUPPLIER_LINK}{token}"

    def revoke(self, account_id: int, number: int) -> None:
        """Revoke a link, which stays in the list. Raises ServiceError: "TB4041" when the account has no such link."""
        with self.database.write() as connection:
            if not self.links.revoke(connection, account_id, number, self.wall.now()):
                raise ServiceError("TB4041", "La cuenta no tiene ese enlace.")
            self.audit.record(connection, "supplier-link.revoked", account_id, str(number))

    def find(self, token: str) -> tuple[SupplierLink, tuple[str, ...]]:
        """Return an open link, and the RFC of its account. Raises ServiceError: "TB4041"."""
        link = self.links.by_token(token)
        if link is None or not link.is_open(self.wall.now()):
            raise ServiceError("TB4041", INVALID)
        return link, tuple(sorted(self.intake.rfcs(link.account_id)))

    def count_upload(self, link: SupplierLink) -> None:
        """Count an upload of a link. Raises ServiceError: "TB4290" with `retry_after` for too many in an hour."""
        seconds = self.links.count_upload(link.id, self.wall.now())
        if seconds:
            raise ServiceError("TB4290", "Son demasiados envíos en una hora.", retry_after=seconds)

    async def submit(
        self, link: SupplierLink, files: Sequence[UploadedFile], run_in_thread: RunInThread
    ) -> list[Arrival]:
        """Store what a supplier uploads; return what became of each document.

        Raises:
            ServiceError: "TB4005" for more than `MAX_DOCUMENTS`; "CO1000" when no child process becomes free.
        """
        terms = IntakeTerms(SUPPLIER, link.name, issuer_rfc=link.issuer_rfc or "", is_strict=True)
        arrivals: list[Arrival] = []
        async for part in self.uploads.of_files(files, str(link.account_id), OPTIONS, MAX_DOCUMENTS):
            arrivals += await run_in_thread(self.intake.put, link.account_id, part, terms)
        await run_in_thread(self._record, link, arrivals)
        return arrivals

    def _record(self, link: SupplierLink, arrivals: Sequence[Arrival]) -> None:
        values = {"account_id": link.account_id, "at": self.wall.now(), "source": SUPPLIER}
        with self.database.write() as connection:
            self.submissions.insert(connection, {**values, "origin": link.name, "subject": ""}, arrivals)
