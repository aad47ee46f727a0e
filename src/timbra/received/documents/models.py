"""The documents that an account received or issued: what is delivered, and what is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

METADATA_ONLY: Final = "metadata"
"""`ReceivedDocument.source` of a document whose XML was never delivered."""
CANCELLED_EVENT: Final = "received.cancelled"
DIFFERENT_EVENT: Final = "received.different"
PENDING_EVENT: Final = "received.cancellation-pending"
LISTED_EVENT: Final = "received.article-69b"
SAT: Final = "sat"
"""Source of an XML that the SAT delivered; it replaces one of the same UUID that another source delivered."""
FILE, API, PORTAL, MAIL, SUPPLIER = "file", "api", "portal", "mail", "supplier"
"""Sources of other XML: the command, an upload by the API or in the portal, an e-mail, the link of a supplier."""
IN_FORCE: Final = "Vigente"
CANCELLED: Final = "Cancelado"
PENDING: Final = "En proceso"
"""`cancellation` of a document whose receiver has to answer the request of a cancellation."""


@dataclass(frozen=True, slots=True)
class ReceivedHeader:
    """What metadata and XML both state of a document.

    Attributes:
        uuid: In lower case.
        kind: `cfdi` or `retenciones`.
        provider_rfc: RFC of the PAC.
        fecha: Local time of the issue, `YYYY-MM-DDTHH:MM:SS`.
        fecha_timbrado: Time of the stamp in central Mexico, in the same form.
        total: A decimal number; None without one.
        tipo_de_comprobante: I, E, T, N or P; None for a retención.
        serie, folio, moneda: None without an XML.
    """

    uuid: str
    kind: str
    issuer_rfc: str
    issuer_name: str
    receiver_rfc: str
    receiver_name: str
    provider_rfc: str
    fecha: str
    fecha_timbrado: str
    total: str | None
    tipo_de_comprobante: str | None
    serie: str | None = None
    folio: str | None = None
    moneda: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """A row of metadata of the SAT.

    Attributes:
        status: `Vigente` or `Cancelado`.
        cancelled_at: Time of the cancellation in central Mexico; None without one.
    """

    header: ReceivedHeader
    status: str
    cancelled_at: str | None = None


@dataclass(frozen=True, slots=True)
class DeliveredXml:
    """An XML with the outcome of its validation.

    Attributes:
        xml: The bytes as delivered.
        sha256: Of the bytes without BOM and leading blanks.
        source: `SAT`, or the name of another source.
        result: `valid`, `warned`, `invalid` or `unreadable`.
        article_69b: `Definitivo` or `Presunto` when a party is listed.
        seal_tail: Last 8 characters of the issuer's seal.
        findings: Rows of `findings`, as JSON.
        origin: The sender of an e-mail, or the name of a supplier's link; empty for other sources.
    """

    header: ReceivedHeader
    xml: bytes = field(repr=False)
    sha256: str
    source: str
    result: str
    errors: int = 0
    warnings: int = 0
    article_69b: str | None = None
    seal_tail: str | None = None
    findings: Sequence[dict[str, Any]] = field(default=(), repr=False)
    origin: str = ""


class Outcome(StrEnum):
    """What became of a delivered XML.

    Attributes:
        NEW: It is stored.
        KNOWN: The same XML was stored before.
        REPLACED: It is stored in place of a differing one of a source that is not the SAT.
        DIFFERENT: The XML that was stored before stays; the document has the hash of this one.
    """

    NEW = "new"
    KNOWN = "known"
    REPLACED = "replaced"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class ReceivedDocument:
    """A stored document. The columns of the table `received_document` describe the attributes."""

    id: int
    account_id: int
    uuid: str
    kind: str
    issuer_rfc: str
    issuer_name: str
    receiver_rfc: str
    receiver_name: str
    provider_rfc: str
    fecha: str
    fecha_timbrado: str
    total: str | None
    tipo_de_comprobante: str | None
    serie: str | None
    folio: str | None
    moneda: str | None
    status: str | None
    cancelled_at: str | None
    cancellation: str | None
    metadata_at: datetime | None
    status_at: datetime | None
    source: str
    has_xml: bool
    sha256: str | None
    other_sha256: str | None
    other_source: str | None
    result: str | None
    errors: int | None
    warnings: int | None
    article_69b: str | None
    seal_tail: str | None
    stored_at: datetime
    changed_at: datetime
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class ReceivedStatus:
    """What the status service answered about a stored document; `status` and `cancellation` as `FiscalStatus`."""

    uuid: str
    status: str
    cancellation: str


@dataclass(frozen=True, slots=True)
class MetadataTotals:
    """What became of rows of metadata: documents that are new, and known ones whose status changed."""

    new: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One page of a list, with the cursors of the pages before and after; None without one."""

    documents: Sequence[ReceivedDocument]
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """An event of the kinds `received.*`; see docs/webhooks.md for the content of `body`."""

    id: int
    at: datetime
    kind: str
    subject: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Conditions of a list; None and an empty text are no condition.

    Attributes:
        rfc: The taxpayer on a side: receiver, or issuer with `is_issued`.
        is_issued: Whether documents that `rfc` issued are listed; None for both sides.
        kind: `cfdi` or `retenciones`.
        tipo_de_comprobante: I, E, T, N or P.
        text: A folio, an RFC of a party, or a part of the name of one or of serie and folio.
        since, until: Values of `fecha`; `until` is exclusive.
        status: `Vigente` or `Cancelado`.
        is_pending: Documents whose cancellation waits for an answer.
        has_xml: Whether the XML is stored.
        result: A result of the validation.
        is_listed: Documents with a party in the list of article 69-B.
        is_different: Documents of which a differing XML was delivered.
    """

    rfc: str = ""
    is_issued: bool | None = None
    kind: str = ""
    tipo_de_comprobante: str = ""
    text: str = ""
    since: str = ""
    until: str = ""
    status: str = ""
    is_pending: bool = False
    has_xml: bool | None = None
    result: str = ""
    is_listed: bool = False
    is_different: bool = False
