"""Requests and results of the stamping use cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from timbra.cfdi.document import without_leading_space
from timbra.cfdi.qr import VerificationQuery
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.evaluation.article_69b import Article69bFinding


class StampingOperation(StrEnum):
    """The two ways to obtain a stamp.

    `issue`: the server seals with the account's CSD. `stamp`: the client has sealed.
    """

    ISSUE = "issue"
    STAMP = "stamp"


class DocumentKind(StrEnum):
    """The documents that are stamped, each by its own operations."""

    CFDI = "cfdi"
    RETENCIONES = "retenciones"

    def code(self, code: str) -> str:
        """Return the code of a check for this kind of document. `code`: the code of the check for a CFDI."""
        return RETENCIONES_CODES.get(code, code) if self is DocumentKind.RETENCIONES else code

    def error(self, error: ServiceError) -> ServiceError:
        """Return an error of the checks with the code of this kind of document."""
        code = self.code(error.code)
        if code == error.code:
            return error
        return ServiceError(code, error.detail, data=error.data, retry_after=error.retry_after, location=error.location)


RETENCIONES_CODES = {
    **{code: f"T{code}" for code in ("301", "302", "303", "304", "305", "306", "307", "308", "401", "402")},
    "CFDI40102": "Reten20101",
    "CFDI40106": "Reten20102",
}
"""Codes for retenciones, by the code of the same check for a CFDI."""


def content_custom_id(document: bytes) -> str:
    """Return the customid of a document by its content; white space before the document is no part of it."""
    return f"sha256:{sha256(without_leading_space(document)).hexdigest()}"


@dataclass(frozen=True, slots=True)
class StampRequest:
    """One document to stamp.

    Attributes:
        xml: decoded bytes of the document.
        custom_id: idempotency key of the client (`customid`): at most 300 characters, None when absent or empty.
        mail_to: distinct addresses to which the stamped document is mailed.
        kind: the kind of document that the operation stamps.
        dry_run: whether only the answer is wanted: everything is checked, and nothing is stored.
    """

    caller: Caller
    xml: bytes
    request_id: str
    custom_id: str | None = None
    mail_to: tuple[str, ...] = ()
    kind: DocumentKind = DocumentKind.CFDI
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class StampResult:
    """A stored stamp, with all values of the four response versions (wire names: `api.serializers.stamps`).

    Attributes:
        tfd: XML text of the TimbreFiscalDigital, with declaration.
        cfdi: XML text of the whole document, with declaration.
        fecha_timbrado: Local time of central Mexico, without zone.
        build_query: Builds `verification_query`, which only one of the response versions has.
        article_69b: What the answer states about the list of article 69-B; None for nothing, and for repeats.
    """

    tfd: str
    cfdi: str
    uuid: str
    cadena_original_sat: str
    numero_certificado_sat: str
    numero_certificado_cfdi: str
    sello_sat: str
    sello_cfdi: str
    fecha_timbrado: str
    build_query: Callable[[], VerificationQuery] = field(repr=False, compare=False)
    article_69b: Article69bFinding | None = None

    @property
    def verification_query(self) -> VerificationQuery:
        """The query of the address in the QR code; empty for a document without a stamp."""
        return self.build_query()


@dataclass(frozen=True, slots=True)
class CustomIdConflict:
    """The stamp that already has the customid, as in the response CFDI3307."""

    tfd: str
    uuid: str
    sello_sat: str
    fecha_timbrado: str
    numero_certificado_sat: str
